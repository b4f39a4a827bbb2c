/* The Taylor check: R(e) = ||F(x + e dx) - F(x) - e F'(x) dx|| falls like e^2 if the tangent is
   that of F, like e if not.
   dx is as large as x, variable by variable, so that e is a relative step (an absolute one
   where x is 0). The order is fitted where e is smallest and R still well above rounding: there
   a wrong first-order term stands out most, since it falls slower than the second-order one. What
   falls to rounding at once is affine there, and has kinks further away. How large rounding is, is
   measured with steps so small that hardly anything but rounding is left, one of them large enough
   not to vanish where x is added to a large number. */
#include "check_private.h"
#include <float.h>
#include <math.h>

enum { WINDOW = 4 };

const double hg_taylor_noise[HG_TAYLOR_NOISES] = {1e-13, 5e-14, 1e-10};
const double hg_taylor_factor = 0.31622776601683794; /* two steps per decade */
static const double hidden = 1e-8;                   /* relative noise that would hide everything */
static const double clean_factor = 100, /* rounding then changes the order by 1e-2 at most */
    kinked = 1e4;                       /* what is no rounding after one more step, at order 4 */

static PetscErrorCode remainder_norm(HgChecker *c, double e, double *R) {
  HgState x = c->work[0];
  PetscCall(HgStateCopy(c->x, x));
  PetscCall(HgStateAXPY(x, e, c->dx));
  PetscCall(HgCheckerApply(c, x, c->moved));
  PetscCall(HgStateAXPY(c->moved, -1, c->y));
  PetscCall(HgStateAXPY(c->moved, -e, c->dy));
  return HgCheckerNorm(c->moved, R);
}

static bool clean(const HgTaylorSweep *s, int k) {
  return isfinite(s->R[k]) && s->R[k] > clean_factor * s->floor[k];
}

/* Least squares of log R over log e. */
static double slope(int count, const double e[], const double R[]) {
  double me = 0, mr = 0, top = 0, bottom = 0;
  for (int k = 0; k < count; k++) me += log(e[k]) / count, mr += log(R[k]) / count;
  for (int k = 0; k < count; k++) {
    top += (log(e[k]) - me) * (log(R[k]) - mr);
    bottom += (log(e[k]) - me) * (log(e[k]) - me);
  }
  return top / bottom;
}

double HgTaylorOrder(const HgTaylorSweep *s, double rate) {
  int last = s->count - 1;
  while (last >= 0 && !clean(s, last)) last--;
  if (last < 0) return isfinite(s->R[s->count - 1]) ? INFINITY : NAN;
  int first = last;
  while (first > 0 && last - first + 1 < WINDOW && clean(s, first - 1)) first--;
  const bool ends = last + 1 < s->count && isfinite(s->R[last + 1]);
  const double next = ends ? s->R[last + 1] - s->floor[last + 1] : 0;
  if (first == last) /* barely nonlinear: the best there is */
    return next > 0 ? slope(2, s->e + last, (double[]){s->R[last], next}) : INFINITY;
  const bool kink = s->R[last] > kinked * s->floor[last] && s->R[last] <= s->e[last] * rate;
  return ends && kink ? INFINITY : slope(last - first + 1, s->e + first, s->R + first);
}

bool HgTaylorAdd(HgTaylorSweep *s, double e, double R, double floor) {
  const int k = s->count++;
  s->e[k] = e, s->R[k] = R, s->floor[k] = floor;
  return clean(s, k);
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
