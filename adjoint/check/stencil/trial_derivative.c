/* SPDX-License-Identifier: BSD-2-Clause */
/* A stencil's tangent is linear and the derivative of its value; its adjoint is the transpose, for
   each pair of a read and a write. Its `second` is the tangent of its adjoint: linear, the limit of
   differences and, being a second derivative, symmetric. */
#include "trial_private.h"

/* The map that a trial differentiates: apply, from x to y, along dx; or the adjoint, from x and
   y_bar to x_bar, along dx and dy_bar. */
typedef struct {
  HgKernel value, tangent;
  int sets;               /* X and DX alone, or Y_BAR and DY_BAR too */
  int from[2], by[2];     /* sets of what it is applied to, and of directions */
  int output, derivative; /* added to WHOLE, ONE, TWO */
  int count;              /* variables of its output */
} Map;

static Map map_of(const HgTrial *t) {
  const bool second = t->reverse == HG_KERNEL_SECOND;
  return (Map){.value = second ? HG_KERNEL_ADJOINT : HG_KERNEL_APPLY,
               .tangent = second ? HG_KERNEL_SECOND : HG_KERNEL_TANGENT,
               .sets = second ? 2 : 1,
               .from = {HG_X, HG_Y_BAR},
               .by = {HG_DX, HG_DY_BAR},
               .output = second ? HG_BAR : HG_Y,
               .derivative = second ? HG_BAR : HG_DY,
               .count = second ? t->reads : t->writes};
}

/* Runs a kernel on a box. Results that it adds to are 0 before; those that it sets are NaN. */
static void call(HgTrial *t, HgKernel kernel, const HgBox *box, int set) {
  const int to = set + HgTrialOutput(kernel);
  for (int k = 0; k < HgTrialCount(t, to); k++)
    HgTrialFieldFill(&t->field[to][k], kernel >= HG_KERNEL_ADJOINT ? 0 : NAN);
  HgTrialCall(t, kernel, box, ~0u, set);
}

/* Adds a finding about output variable k along `from`, a read; -1: along all reads, or y_bar. */
static void note(HgTrial *t, HgCheckId check, const Map *m, int k, int from, double value,
                 double bound, bool ok) {
  const char *const read = from < 0 ? NULL : t->stencil->reads[from].name,
                    *const write = m->sets > 1 ? t->stencil->reads[k].name : t->stencil->writes[k];
  HgTrialNoteNames(t, check, m->tangent, read, write, value, bound, ok);
}

/* Restores the results of the box in one piece, which other checks compare with. */
static void restore_all(HgTrial *t) {
  HgTrialRestore(t);
  HgTrialReset(t, HG_WHOLE, hg_trial_canary);
  HgTrialRun(t, &t->box, HG_WHOLE);
}

/* ---- zero and linear ---- */
void HgTrialCheckZero(HgTrial *t) {
  const Map m = map_of(t);
  for (int n = 0; n < m.sets; n++)
    for (int k = 0; k < HgTrialCount(t, m.by[n]); k++) HgTrialFieldFill(&t->field[m.by[n]][k], 0);
  call(t, m.tangent, &t->box, HG_ONE);
  for (int k = 0; k < m.count; k++) {
    const HgTrialField *const f = &t->field[HG_ONE + m.derivative][k];
    int cells = 0;
    HG_TRIAL_BOX(f, &t->box, i, j, level) cells += *HgTrialAt(f, i, j, level) != 0;
    note(t, HG_CHECK_ZERO, &m, k, -1, cells, 0, cells == 0);
  }
  HgTrialRestore(t);
}

/* p = the drawn directions, q = p times random numbers. */
void HgTrialCheckLinearity(HgTrial *t) {
  const Map m = map_of(t);
  const double a = 2 * HgTrialRandom(t), b = 2 * HgTrialRandom(t);
  call(t, m.tangent, &t->box, HG_WHOLE);
  for (int n = 0; n < m.sets; n++)
    for (int k = 0; k < HgTrialCount(t, m.by[n]); k++)
      for (size_t l = 0; l < HgTrialFieldSize(&t->field[m.by[n]][k]); l++)
        t->field[m.by[n]][k].data[l] *= HgTrialRandom(t);
  call(t, m.tangent, &t->box, HG_ONE);
  for (int n = 0; n < m.sets; n++)
    for (int k = 0; k < HgTrialCount(t, m.by[n]); k++) {
      const HgTrialField *const q = &t->field[m.by[n]][k];
      HgTrialFieldCombine(a, &t->field[HG_KEPT + m.by[n]][k], b, q, q);
    }
  call(t, m.tangent, &t->box, HG_TWO);
  for (int k = 0; k < m.count; k++) {
    const HgTrialField *f[3];
    for (int n = 0; n < 3; n++) f[n] = &t->field[HG_WHOLE + 3 * n + m.derivative][k];
    double scale;
    const double off = HgTrialFieldRemainder(f[2], a, f[0], b, f[1], &t->box, &scale);
    const double error = off == 0 ? 0 : off / scale;
    note(t, HG_CHECK_LINEARITY, &m, k, -1, error, t->dot_bound, error <= t->dot_bound);
  }
  restore_all(t);
}

/* ---- Taylor ---- */

static void value_at(HgTrial *t, const Map *m, double e, int set) {
  for (int n = 0; n < m->sets; n++)
    for (int k = 0; k < HgTrialCount(t, m->from[n]); k++)
      HgTrialFieldCombine(1, &t->field[HG_KEPT + m->from[n]][k], e, &t->field[m->by[n]][k],
                          &t->field[m->from[n]][k]);
  call(t, m->value, &t->box, set);
}

/* For each output |F(x + e dx) - F(x) - e F'dx| or, if `both`, |F(x + e dx) - F(x - e dx) - 2 e
   F'dx|; F'dx is in TWO, F(x) in WHOLE. */
static void remainders(HgTrial *t, const Map *m, double e, bool both, double R[]) {
  double unused;
  value_at(t, m, e, HG_ONE);
  if (both) value_at(t, m, -e, HG_WHOLE);
  for (int k = 0; k < m->count; k++)
    R[k] = HgTrialFieldRemainder(&t->field[HG_ONE + m->output][k], 1,
                                 &t->field[HG_WHOLE + m->output][k], both ? 2 * e : e,
                                 &t->field[HG_TWO + m->derivative][k], &t->box, &unused);
}

/* The order of each output's remainder. If apply has a kink, the adjoint jumps. */
static void orders(HgTrial *t, const Map *m, bool both, double order[]) {
  double noise[HG_TRIAL_MOST] = {0}, size[HG_TRIAL_MOST], rate[HG_TRIAL_MOST], R[HG_TRIAL_MOST];
  HgTaylorSweep sweep[HG_TRIAL_MOST] = {{0}};
  value_at(t, m, 0, HG_WHOLE);
  for (int n = 0; n < HG_TAYLOR_NOISES; n++) {
    remainders(t, m, hg_taylor_noise[n], both, R);
    for (int k = 0; k < m->count; k++) noise[k] = fmax(noise[k], R[k]);
  }
  for (int k = 0; k < m->count; k++) {
    size[k] = HG_REAL_EPSILON * HgTrialFieldNorm(&t->field[HG_WHOLE + m->output][k], &t->box);
    rate[k] = (both ? 2 : 1) * HgTrialFieldNorm(&t->field[HG_TWO + m->derivative][k], &t->box);
  }
  double e = 0.25;
  for (int n = 0; n < HG_TAYLOR_STEPS; n++, e *= hg_taylor_factor) {
    remainders(t, m, e, both, R);
    for (int k = 0; k < m->count; k++)
      HgTaylorAdd(&sweep[k], e, R[k], noise[k] + size[k] + 10 * HG_REAL_EPSILON * rate[k] * e);
  }
  for (int k = 0; k < m->count; k++)
    order[k] = HgTaylorOrder(&sweep[k], m->sets > 1 ? INFINITY : rate[k]);
}

static bool all_right(const Map *m, const double order[]) {
  for (int k = 0; k < m->count; k++)
    if (!(order[k] >= HG_TAYLOR_BOUND)) return false;
  return true;
}

/* Moves dx of `read` only; -1: all reads (for second: dy_bar only). If e^2 and e^3 nearly cancel in
   the few cells that matter, the order looks less than 2 although the tangent is right. The
   two-sided remainder has no e^2 and decreases like e^3. */
static bool check_taylor(HgTrial *t, const Map *m, int read) {
  const bool second = m->sets > 1;
  double order[HG_TRIAL_MOST], again[HG_TRIAL_MOST];
  for (int k = 0; k < t->reads; k++)
    if (k != read && (second || read >= 0)) HgTrialFieldFill(&t->field[HG_DX][k], 0);
  for (int k = 0; second && read >= 0 && k < t->writes; k++)
    HgTrialFieldFill(&t->field[HG_DY_BAR][k], 0);
  call(t, m->tangent, &t->box, HG_TWO);
  orders(t, m, second, order);
  if (!second && !all_right(m, order)) {
    orders(t, m, true, again);
    for (int k = 0; k < m->count; k++)
      if (order[k] < HG_TAYLOR_BOUND && again[k] - 1 >= HG_TAYLOR_BOUND) order[k] = again[k] - 1;
  }
  HgTrialRestore(t);
  for (int k = 0; k < m->count; k++)
    note(t, HG_CHECK_TAYLOR, m, k, read, order[k], HG_TAYLOR_BOUND, order[k] >= HG_TAYLOR_BOUND);
  return all_right(m, order);
}

void HgTrialCheckTaylor(HgTrial *t) {
  const Map m = map_of(t);
  bool ok = true;
  for (int k = 0; k < t->reads; k++) ok = check_taylor(t, &m, k) && ok;
  if (ok || m.sets > 1) check_taylor(t, &m, -1);
  restore_all(t);
}

/* ---- dot products ---- */

/* Products of the pair (dx of read k, y_bar of write l); the last row and column: of all together.
   */
enum { TOGETHER = HG_TRIAL_MOST, PAIRS };

typedef struct {
  double left[PAIRS][PAIRS], right[PAIRS][PAIRS], scale[PAIRS][PAIRS];
  double dx[PAIRS], y_bar[PAIRS];
} Products;

/* <dy_l, y_bar_l> for dx in read k only, or in all reads. */
static void forward(HgTrial *t, int k, Products *p) {
  double dy = 0;
  for (int n = 0; n < t->reads; n++)
    if (k != TOGETHER && n != k) HgTrialFieldFill(&t->field[HG_DX][n], 0);
  call(t, HG_KERNEL_TANGENT, &t->box, HG_ONE);
  for (int l = 0; l < t->writes; l++) {
    const HgTrialField *const one = &t->field[HG_ONE + HG_DY][l];
    const double product = (double)HgTrialFieldDot(one, &t->field[HG_Y_BAR][l], &t->box),
                 size = HgTrialFieldNorm(one, &t->box);
    p->left[k][l] = product, p->left[k][TOGETHER] += product;
    p->scale[k][l] = size * p->y_bar[l], dy += size * size;
  }
  p->scale[k][TOGETHER] = sqrt(dy) * p->y_bar[TOGETHER];
  for (int n = 0; n < t->reads; n++)
    HgTrialFieldCopy(&t->field[HG_KEPT + HG_DX][n], &t->field[HG_DX][n]);
}

/* y_bar = as drawn in the box, for write l only or for all; 0 elsewhere. */
static void set_bars(HgTrial *t, int l) {
  for (int n = 0; n < t->writes; n++) {
    HgTrialFieldFill(&t->field[HG_Y_BAR][n], 0);
    const HgTrialField *const f = &t->field[HG_Y_BAR][n];
    if (l == TOGETHER || l == n) HG_TRIAL_BOX(f, &t->box, i, j, k)
    *HgTrialAt(f, i, j, k) = *HgTrialAt(&t->field[HG_KEPT + HG_Y_BAR][n], i, j, k);
  }
}

/* <dx_k, x_bar_k> for y_bar in write l only, or in all writes. */
static void reverse(HgTrial *t, int l, const HgBox *grown, Products *p) {
  double x_bar = 0;
  set_bars(t, l);
  call(t, HG_KERNEL_ADJOINT, grown, HG_TWO);
  for (int k = 0; k < t->reads; k++) {
    const HgTrialField *const two = &t->field[HG_TWO + HG_BAR][k];
    const double product = (double)HgTrialFieldDot(&t->field[HG_DX][k], two, grown),
                 size = HgTrialFieldNorm(two, grown);
    p->right[k][l] = product, p->right[TOGETHER][l] += product;
    p->scale[k][l] = fmax(p->scale[k][l], size * p->dx[k]), x_bar += size * size;
  }
  p->scale[TOGETHER][l] = fmax(p->scale[TOGETHER][l], sqrt(x_bar) * p->dx[TOGETHER]);
}

static bool note_pair(HgTrial *t, int k, int l, const Products *p) {
  const double error = HgCheckOff(p->left[k][l], p->right[k][l], p->scale[k][l]);
  const bool ok = error <= t->dot_bound;
  HgTrialNote(t, HG_CHECK_DOT, HG_KERNEL_ADJOINT, k == TOGETHER ? -1 : k, l == TOGETHER ? -1 : l,
              error, t->dot_bound, ok);
  return ok;
}

static HgBox grown_by(const HgTrial *t, int R) {
  HgBox grown = t->box;
  grown.i0 -= R, grown.i1 += R, grown.j0 -= R, grown.j1 += R;
  if (t->stencil->levels) grown.k0 -= R, grown.k1 += R;
  return grown;
}

/* y_bar is 0 outside the box. The adjoint runs on the box and R cells around it: there it gathers
   all contributions of the box if the radii are right. If each pair is right, the sum of all must
   be. */
void HgTrialCheckDot(HgTrial *t) {
  const HgBox grown = grown_by(t, t->radius);
  Products p = {0};
  bool ok = true;
  if (t->beyond) return;
  for (int l = 0; l < t->writes; l++) {
    p.y_bar[l] = HgTrialFieldNorm(&t->field[HG_Y_BAR][l], &t->box);
    p.y_bar[TOGETHER] = hypot(p.y_bar[TOGETHER], p.y_bar[l]);
  }
  for (int k = 0; k < t->reads; k++) {
    p.dx[k] = HgTrialFieldNorm(&t->field[HG_DX][k], &grown);
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

/* ---- symmetric ---- */

/* <other, second in direction dx, with dy_bar = 0>, and |other| |second|. */
static double product(HgTrial *t, const HgBox *grown, int other, double *scale) {
  long double sum = 0, left = 0, right = 0;
  call(t, HG_KERNEL_SECOND, grown, HG_TWO);
  for (int k = 0; k < t->reads; k++) {
    const HgTrialField *const a = &t->field[other][k], *const b = &t->field[HG_TWO + HG_BAR][k];
    sum += HgTrialFieldDot(a, b, grown);
    left += HgTrialFieldDot(a, a, grown), right += HgTrialFieldDot(b, b, grown);
  }
  *scale = (double)sqrtl(left * right);
  return (double)sum;
}

/* y_bar is 0 outside the box; `second` runs on the box and R cells around it. The directions are dx
   as drawn, and x, which is random too. */
void HgTrialCheckSymmetry(HgTrial *t) {
  const HgBox grown = grown_by(t, t->radius);
  double scale[2], value[2];
  if (t->reverse != HG_KERNEL_SECOND) return;
  set_bars(t, TOGETHER);
  for (int l = 0; l < t->writes; l++) HgTrialFieldFill(&t->field[HG_DY_BAR][l], 0);
  value[0] = product(t, &grown, HG_X, &scale[0]);
  for (int k = 0; k < t->reads; k++)
    HgTrialFieldCopy(&t->field[HG_KEPT + HG_X][k], &t->field[HG_DX][k]);
  value[1] = product(t, &grown, HG_KEPT + HG_DX, &scale[1]);
  const double error = HgCheckOff(value[0], value[1], fmax(scale[0], scale[1]));
  HgTrialNote(t, HG_CHECK_SYMMETRY, HG_KERNEL_SECOND, -1, -1, error, t->dot_bound,
              error <= t->dot_bound);
  HgTrialRestore(t);
}
