/* The Taylor check of an operator: R(e) = ||F(x + e dx) - F(x) - e F'(x) dx|| falls like e^2 if the
   tangent is that of F, like e if not; its order: taylor_library.h. dx is as large as x, variable
   by variable, so that e is a relative step (an absolute one where x is 0). */
#include <float.h>
#include <halograd/check_library.h>
#include <halograd/taylor_library.h>
#include <math.h>

static const double hidden = 1e-8; /* relative noise that would hide everything */

static PetscErrorCode remainder_norm(HgChecker *c, double e, double *R) {
  HgState x = c->work[0];
  PetscCall(HgStateCopy(c->x, x));
  PetscCall(HgStateAXPY(x, e, c->dx));
  PetscCall(HgCheckerApply(c, x, c->moved));
  PetscCall(HgStateAXPY(c->moved, -1, c->y));
  PetscCall(HgStateAXPY(c->moved, -e, c->dy));
  return HgCheckerNorm(c->moved, R);
}

PetscErrorCode HgCheckerTaylor(HgChecker *c, double largest, double *order) {
  HgTaylorSweep s = {0};
  double noise = 0, size, dx, rate, R;
  PetscCall(HgCheckerRandomLike(c->x, c->seed + 6, c->dx));
  PetscCall(HgCheckerFix(c, c->dx));
  PetscCall(HgCheckerTangent(c, c->dx, c->dy));
  /* Different numbers beforehand: what apply does not write shows up in R. */
  PetscCall(HgStateRandom(c->y, c->seed + 7));
  PetscCall(HgStateRandom(c->moved, c->seed + 8));
  PetscCall(HgCheckerApply(c, c->x, c->y));
  PetscCall(HgCheckerNorm(c->y, &size));
  PetscCall(HgCheckerNorm(c->dx, &dx));
  PetscCall(HgCheckerNorm(c->dy, &rate));
  PetscCall(remainder_norm(c, 0, &R));
  *order = isnan(R) ? NAN : 0;
  if (R != 0) return 0; /* not the same value twice: it depends on what y held before */
  for (int k = 0; k < HG_TAYLOR_NOISES; k++) {
    PetscCall(remainder_norm(c, hg_taylor_noise[k], &R));
    noise = fmax(noise, R);
  }
  const double rounding = noise + DBL_EPSILON * size,
               slow = fmax(c->linearity, DBL_EPSILON) * c->scale * dx;
  int below = 0;
  for (double e = largest; s.count < HG_TAYLOR_STEPS && below < 2; e *= hg_taylor_factor) {
    PetscCall(remainder_norm(c, e, &R));
    below = HgTaylorAdd(&s, e, R, rounding + slow * e) || !isfinite(R) ? 0 : below + 1;
  }
  /* As large after a tiny step as after a large one, and no rounding: a jump has no tangent. */
  const bool jump = noise > hidden * (size + c->scale * dx) && noise > hidden * s.R[0];
  *order = jump ? 0 : HgTaylorOrder(&s, rate);
  return 0;
}
