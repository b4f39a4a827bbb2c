/* A stencil's tangent is linear and the derivative of its value; its adjoint is the transpose, for
   each pair of a read and a write. */
#include <float.h>
#include <halograd/taylor_library.h>
#include <halograd/trial_library.h>
#include <math.h>

/* ---- zero and linear ---- */
void HgTrialCheckZero(HgTrial *t) {
  for (int k = 0; k < t->reads; k++) HgTrialFieldFill(&t->dx[k], 0);
  HgTrialReset(t, &t->one, NAN);
  HgTrialTangent(t, &t->box, t->dx, t->one.dy);
  for (int l = 0; l < t->writes; l++) {
    int cells = 0;
    for (int j = 0; j < t->box.j1; j++)
      for (int i = 0; i < t->box.i1; i++) cells += t->one.dy[l].rows[j][i] != 0;
    HgTrialCells(t, HG_STENCIL_ZERO, HG_STENCIL_TANGENT, -1, l, cells);
  }
  HgTrialRestore(t);
}

/* p = dx as drawn, q = dx times random numbers. */
void HgTrialCheckLinearity(HgTrial *t) {
  const double a = 2 * HgTrialRandom(t), b = 2 * HgTrialRandom(t);
  for (int k = 0; k < t->reads; k++)
    for (size_t n = 0; n < HgTrialFieldSize(&t->dx[k]); n++)
      t->dx[k].data[n] = HgTrialRandom(t) * t->dx_kept[k].data[n];
  HgTrialTangent(t, &t->box, t->dx, t->one.dy);
  for (int k = 0; k < t->reads; k++)
    HgTrialFieldCombine(a, &t->dx_kept[k], b, &t->dx[k], &t->dx[k]);
  HgTrialTangent(t, &t->box, t->dx, t->two.dy);
  for (int l = 0; l < t->writes; l++) {
    const double error =
        HgTrialFieldNonlinearity(&t->two.dy[l], a, &t->whole.dy[l], b, &t->one.dy[l], &t->box);
    HgTrialNote(t, HG_STENCIL_LINEARITY, HG_STENCIL_TANGENT, -1, l, error, t->dot_bound,
                error <= t->dot_bound);
  }
  HgTrialRestore(t);
}

/* ---- Taylor ---- */

static void apply_at(HgTrial *t, double e, const HgTrialField y[]) {
  for (int k = 0; k < t->reads; k++) HgTrialFieldCombine(1, &t->x_kept[k], e, &t->dx[k], &t->x[k]);
  HgTrialApply(t, &t->box, t->x, y);
}

/* Of each write |F(x + e dx) - F(x) - e F'dx|, or, on both sides, |F(x + e dx) - F(x - e dx) -
   2 e F'dx|; F'dx is in two.dy. */
static void remainders(HgTrial *t, double e, bool both, double R[]) {
  const HgTrialField *const from = both ? t->two.y : t->whole.y;
  apply_at(t, e, t->one.y);
  if (both) apply_at(t, -e, t->two.y);
  for (int l = 0; l < t->writes; l++)
    R[l] = HgTrialFieldRemainder(&t->one.y[l], &from[l], both ? 2 * e : e, &t->two.dy[l], &t->box);
}

/* The order of each write's remainder, less 1 on both sides, where it falls like e^3. */
static void orders(HgTrial *t, bool both, double order[]) {
  double noise[HG_TRIAL_MOST] = {0}, size[HG_TRIAL_MOST], rate[HG_TRIAL_MOST], R[HG_TRIAL_MOST];
  HgTaylorSweep sweep[HG_TRIAL_MOST] = {{0}};
  for (int n = 0; n < HG_TAYLOR_NOISES; n++) {
    remainders(t, hg_taylor_noise[n], both, R);
    for (int l = 0; l < t->writes; l++) noise[l] = fmax(noise[l], R[l]);
  }
  for (int l = 0; l < t->writes; l++) {
    size[l] = DBL_EPSILON * HgTrialFieldNorm(&t->whole.y[l], &t->box);
    rate[l] = (both ? 2 : 1) * HgTrialFieldNorm(&t->two.dy[l], &t->box);
  }
  double e = 0.25;
  for (int n = 0; n < HG_TAYLOR_STEPS; n++, e *= hg_taylor_factor) {
    remainders(t, e, both, R);
    for (int l = 0; l < t->writes; l++)
      HgTaylorAdd(&sweep[l], e, R[l], noise[l] + size[l] + 10 * DBL_EPSILON * rate[l] * e);
  }
  for (int l = 0; l < t->writes; l++) order[l] = HgTaylorOrder(&sweep[l], rate[l]) - both;
}

static bool all_right(const HgTrial *t, const double order[]) {
  for (int l = 0; l < t->writes; l++)
    if (!(order[l] >= HG_TAYLOR_BOUND)) return false;
  return true;
}

/* Only dx of `read` moves, or all with -1. Where e^2 and e^3 all but cancel in the few cells that
   matter, the order looks less than 2 though the tangent is right: both sides have no e^2. */
static bool check_taylor(HgTrial *t, int read) {
  double order[HG_TRIAL_MOST], again[HG_TRIAL_MOST];
  for (int k = 0; k < t->reads; k++)
    if (read >= 0 && k != read) HgTrialFieldFill(&t->dx[k], 0);
  HgTrialTangent(t, &t->box, t->dx, t->two.dy);
  orders(t, false, order);
  if (!all_right(t, order)) {
    orders(t, true, again);
    for (int l = 0; l < t->writes; l++)
      if (order[l] < HG_TAYLOR_BOUND && again[l] >= HG_TAYLOR_BOUND) order[l] = again[l];
  }
  HgTrialRestore(t);
  for (int l = 0; l < t->writes; l++)
    HgTrialNote(t, HG_STENCIL_TAYLOR, HG_STENCIL_TANGENT, read, l, order[l], HG_TAYLOR_BOUND,
                order[l] >= HG_TAYLOR_BOUND);
  return all_right(t, order);
}

void HgTrialCheckTaylor(HgTrial *t) {
  bool ok = true;
  for (int k = 0; k < t->reads; k++) ok = check_taylor(t, k) && ok;
  if (ok) check_taylor(t, -1);
}

/* ---- dot products ---- */

/* Of the pair (dx of read k, y_bar of write l); the last row and column: of all together. */
enum { TOGETHER = HG_TRIAL_MOST, PAIRS };

typedef struct {
  double left[PAIRS][PAIRS], right[PAIRS][PAIRS], scale[PAIRS][PAIRS];
  double dx[PAIRS], y_bar[PAIRS];
} Products;

/* <dy_l, y_bar_l> of dx in read k alone, or in all. */
static void forward(HgTrial *t, int k, Products *p) {
  double dy = 0;
  for (int n = 0; n < t->reads; n++)
    if (k != TOGETHER && n != k) HgTrialFieldFill(&t->dx[n], 0);
  HgTrialTangent(t, &t->box, t->dx, t->one.dy);
  for (int l = 0; l < t->writes; l++) {
    const double product = (double)HgTrialFieldDot(&t->one.dy[l], &t->y_bar[l], &t->box, 0);
    const double size = HgTrialFieldNorm(&t->one.dy[l], &t->box);
    p->left[k][l] = product, p->left[k][TOGETHER] += product;
    p->scale[k][l] = size * p->y_bar[l], dy += size * size;
  }
  p->scale[k][TOGETHER] = sqrt(dy) * p->y_bar[TOGETHER];
  for (int n = 0; n < t->reads; n++) HgTrialFieldCopy(&t->dx_kept[n], &t->dx[n]);
}

/* y_bar of write l alone, or of all, is as drawn in the box, and 0 elsewhere. */
static void set_bars(HgTrial *t, int l) {
  for (int n = 0; n < t->writes; n++) {
    HgTrialFieldFill(&t->y_bar[n], 0);
    for (int j = 0; (l == TOGETHER || l == n) && j < t->box.j1; j++)
      for (int i = 0; i < t->box.i1; i++) t->y_bar[n].rows[j][i] = t->y_bar_kept[n].rows[j][i];
  }
}

/* <dx_k, x_bar_k> of y_bar in write l alone, or in all. */
static void reverse(HgTrial *t, int l, const HgBox *grown, Products *p) {
  double x_bar = 0;
  set_bars(t, l);
  for (int k = 0; k < t->reads; k++) HgTrialFieldFill(&t->two.x_bar[k], 0);
  HgTrialAdjoint(t, grown, ~0u, t->two.x_bar);
  for (int k = 0; k < t->reads; k++) {
    const double product = (double)HgTrialFieldDot(&t->dx[k], &t->two.x_bar[k], grown, 0);
    const double size = HgTrialFieldNorm(&t->two.x_bar[k], grown);
    p->right[k][l] = product, p->right[TOGETHER][l] += product;
    p->scale[k][l] = fmax(p->scale[k][l], size * p->dx[k]), x_bar += size * size;
  }
  p->scale[TOGETHER][l] = fmax(p->scale[TOGETHER][l], sqrt(x_bar) * p->dx[TOGETHER]);
}

static bool note_pair(HgTrial *t, int k, int l, const Products *p) {
  const double difference = fabs(p->left[k][l] - p->right[k][l]);
  const double error = difference == 0 ? 0 : difference / p->scale[k][l];
  const bool ok = error <= t->dot_bound;
  HgTrialNote(t, HG_STENCIL_DOT, HG_STENCIL_ADJOINT, k == TOGETHER ? -1 : k, l == TOGETHER ? -1 : l,
              error, t->dot_bound, ok);
  return ok;
}

/* y_bar is 0 outside the box; the adjoint runs on the box and R cells around it, where it gathers
   all that the box contributes if the radii are true. Where each pair is right, all together must
   be. */
void HgTrialCheckDot(HgTrial *t) {
  const int R = t->radius;
  HgBox grown = t->box;
  Products p = {0};
  bool ok = true;
  if (t->beyond) return;
  grown.i0 -= R, grown.i1 += R, grown.j0 -= R, grown.j1 += R;
  for (int l = 0; l < t->writes; l++) {
    p.y_bar[l] = HgTrialFieldNorm(&t->y_bar[l], &t->box);
    p.y_bar[TOGETHER] = hypot(p.y_bar[TOGETHER], p.y_bar[l]);
  }
  for (int k = 0; k < t->reads; k++) {
    p.dx[k] = HgTrialFieldNorm(&t->dx[k], &grown);
    p.dx[TOGETHER] = hypot(p.dx[TOGETHER], p.dx[k]);
  }
  for (int k = 0; k < t->reads; k++) forward(t, k, &p);
  forward(t, TOGETHER, &p);
  for (int l = 0; l < t->writes; l++) reverse(t, l, &grown, &p);
  reverse(t, TOGETHER, &grown, &p);
  HgTrialRestore(t);
  for (int k = 0; k < t->reads; k++)
    for (int l = 0; l < t->writes; l++) ok = note_pair(t, k, l, &p) && ok;
  if (ok) note_pair(t, TOGETHER, TOGETHER, &p);
}
