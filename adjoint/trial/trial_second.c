/* A stencil's kernel `second` is the tangent of its adjoint: 0 where nothing moves, linear, the
   limit of differences, and, being a second derivative, symmetric. */
#include <float.h>
#include <halograd/taylor_library.h>
#include <halograd/trial_library.h>
#include <math.h>

/* second at x, y_bar in directions dx, dy_bar; x_bar = 0 before. */
static void second(HgTrial *t, const HgBox *box, const HgTrialField dx_bar[]) {
  for (int k = 0; k < t->reads; k++) HgTrialFieldFill(&dx_bar[k], 0);
  HgTrialAdjoint(t, box, ~0u, dx_bar);
}

/* A finding about the x_bar of read k, moved by read `from`; -1: by y_bar, or by all. */
static void note(HgTrial *t, HgStencilCheck check, int k, int from, double value, double bound,
                 bool ok) {
  HgTrialNoteNames(t, check, HG_STENCIL_SECOND, from < 0 ? NULL : t->stencil->reads[from].name,
                   t->stencil->reads[k].name, value, bound, ok);
}

/* ---- zero and linear ---- */
static void check_zero(HgTrial *t) {
  for (int k = 0; k < t->reads; k++) HgTrialFieldFill(&t->dx[k], 0);
  for (int l = 0; l < t->writes; l++) HgTrialFieldFill(&t->dy_bar[l], 0);
  second(t, &t->box, t->one.x_bar);
  for (int k = 0; k < t->reads; k++) {
    int cells = 0;
    for (int j = 0; j < t->box.j1; j++)
      for (int i = 0; i < t->box.i1; i++) cells += t->one.x_bar[k].rows[j][i] != 0;
    note(t, HG_STENCIL_ZERO, k, -1, cells, 0, cells == 0);
  }
  HgTrialRestore(t);
}

/* p = directions as drawn, q = these times random numbers. */
static void check_linearity(HgTrial *t) {
  const double a = 2 * HgTrialRandom(t), b = 2 * HgTrialRandom(t);
  second(t, &t->box, t->whole.x_bar);
  for (int k = 0; k < t->reads; k++)
    for (size_t n = 0; n < HgTrialFieldSize(&t->dx[k]); n++) t->dx[k].data[n] *= HgTrialRandom(t);
  for (int l = 0; l < t->writes; l++)
    for (size_t n = 0; n < HgTrialFieldSize(&t->dy_bar[l]); n++)
      t->dy_bar[l].data[n] *= HgTrialRandom(t);
  second(t, &t->box, t->one.x_bar);
  for (int k = 0; k < t->reads; k++)
    HgTrialFieldCombine(a, &t->dx_kept[k], b, &t->dx[k], &t->dx[k]);
  for (int l = 0; l < t->writes; l++)
    HgTrialFieldCombine(a, &t->dy_bar_kept[l], b, &t->dy_bar[l], &t->dy_bar[l]);
  second(t, &t->box, t->two.x_bar);
  for (int k = 0; k < t->reads; k++) {
    const double error = HgTrialFieldNonlinearity(&t->two.x_bar[k], a, &t->whole.x_bar[k], b,
                                                  &t->one.x_bar[k], &t->box);
    note(t, HG_STENCIL_LINEARITY, k, -1, error, t->dot_bound, error <= t->dot_bound);
  }
  HgTrialRestore(t);
}

/* ---- Taylor ---- */

/* x_bar = the adjoint at x + e dx of y_bar + e dy_bar */
static void adjoint_at(HgTrial *t, double e, const HgTrialField x_bar[]) {
  for (int k = 0; k < t->reads; k++) HgTrialFieldCombine(1, &t->x_kept[k], e, &t->dx[k], &t->x[k]);
  for (int l = 0; l < t->writes; l++)
    HgTrialFieldCombine(1, &t->y_bar_kept[l], e, &t->dy_bar[l], &t->y_bar[l]);
  const bool nulls = t->nulls; /* of `second`; the adjoint may not bear them */
  t->reverse = HG_STENCIL_ADJOINT, t->nulls = false;
  second(t, &t->box, x_bar);
  t->reverse = HG_STENCIL_SECOND, t->nulls = nulls;
}

/* Of each x_bar: |A(+e) - A(-e) - 2 e second|, A the adjoint; second is in two.x_bar. Both sides,
   so that it falls like e^3 even in a box of one cell, where e^2 and e^3 may all but cancel. */
static void remainders(HgTrial *t, double e, double R[]) {
  adjoint_at(t, e, t->one.x_bar);
  adjoint_at(t, -e, t->whole.x_bar);
  for (int k = 0; k < t->reads; k++)
    R[k] = HgTrialFieldRemainder(&t->one.x_bar[k], &t->whole.x_bar[k], 2 * e, &t->two.x_bar[k],
                                 &t->box);
}

/* Only dx of read `from` moves, or, -1, dy_bar alone. */
static void check_taylor(HgTrial *t, int from) {
  double noise[HG_TRIAL_MOST] = {0}, R[HG_TRIAL_MOST];
  HgTaylorSweep sweep[HG_TRIAL_MOST] = {{0}};
  for (int k = 0; k < t->reads; k++)
    if (k != from) HgTrialFieldFill(&t->dx[k], 0);
  for (int l = 0; from >= 0 && l < t->writes; l++) HgTrialFieldFill(&t->dy_bar[l], 0);
  second(t, &t->box, t->two.x_bar);
  for (int n = 0; n < HG_TAYLOR_NOISES; n++) {
    remainders(t, hg_taylor_noise[n], R);
    for (int k = 0; k < t->reads; k++) noise[k] = fmax(noise[k], R[k]);
  }
  double e = 0.25;
  for (int n = 0; n < HG_TAYLOR_STEPS; n++, e *= hg_taylor_factor) {
    remainders(t, e, R);
    for (int k = 0; k < t->reads; k++)
      HgTaylorAdd(&sweep[k], e, R[k],
                  noise[k] + DBL_EPSILON * HgTrialFieldNorm(&t->whole.x_bar[k], &t->box) +
                      10 * DBL_EPSILON * HgTrialFieldNorm(&t->two.x_bar[k], &t->box) * e);
  }
  HgTrialRestore(t);
  for (int k = 0; k < t->reads; k++) {
    const double order = HgTaylorOrder(&sweep[k], INFINITY); /* a kink of apply: adjoints jump */
    note(t, HG_STENCIL_TAYLOR, k, from, order, HG_TAYLOR_BOUND, order >= HG_TAYLOR_BOUND);
  }
}

/* ---- symmetric ---- */

/* <other, second in direction dx, with dy_bar = 0>, and |other| |second|. */
static double product(HgTrial *t, const HgBox *grown, const HgTrialField other[], double *scale) {
  long double sum = 0, left = 0, right = 0;
  second(t, grown, t->two.x_bar);
  for (int k = 0; k < t->reads; k++) {
    sum += HgTrialFieldDot(&other[k], &t->two.x_bar[k], grown, 0);
    left += HgTrialFieldDot(&other[k], &other[k], grown, 0);
    right += HgTrialFieldDot(&t->two.x_bar[k], &t->two.x_bar[k], grown, 0);
  }
  *scale = (double)sqrtl(left * right);
  return (double)sum;
}

/* y_bar is 0 outside the box; `second` runs on the box and R cells around it. The directions are dx
   as drawn, and x, which is random too. */
static void check_symmetry(HgTrial *t) {
  HgBox grown = t->box;
  double scale[2], value[2];
  grown.i0 -= t->radius, grown.i1 += t->radius, grown.j0 -= t->radius, grown.j1 += t->radius;
  for (int l = 0; l < t->writes; l++) {
    HgTrialFieldFill(&t->dy_bar[l], 0);
    for (int j = -t->ghost; j < t->box.j1 + t->ghost; j++)
      for (int i = -t->ghost; i < t->box.i1 + t->ghost; i++)
        if (!HgTrialInside(&t->box, 0, i, j)) t->y_bar[l].rows[j][i] = 0;
  }
  value[0] = product(t, &grown, t->x, &scale[0]);
  for (int k = 0; k < t->reads; k++) HgTrialFieldCopy(&t->x_kept[k], &t->dx[k]);
  value[1] = product(t, &grown, t->dx_kept, &scale[1]);
  const double off = fabs(value[0] - value[1]), most = fmax(scale[0], scale[1]),
               error = off == 0 ? 0 : off / most;
  HgTrialNote(t, HG_STENCIL_SYMMETRY, HG_STENCIL_SECOND, -1, -1, error, t->dot_bound,
              error <= t->dot_bound);
  HgTrialRestore(t);
}

void HgTrialCheckSecond(HgTrial *t) {
  if (HgTrialChosen(t, HG_STENCIL_ZERO)) check_zero(t);
  if (HgTrialChosen(t, HG_STENCIL_LINEARITY)) check_linearity(t);
  for (int from = -1; HgTrialChosen(t, HG_STENCIL_TAYLOR) && from < t->reads; from++)
    check_taylor(t, from);
  if (HgTrialChosen(t, HG_STENCIL_SYMMETRY)) check_symmetry(t);
}
