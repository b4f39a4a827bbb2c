/* SPDX-License-Identifier: BSD-2-Clause */
/* What a stencil's kernels read: within their radii, in the adjoint and in `second` only the x that
   it says. */
#include "trial_private.h"

/* The cells of each input to overwrite, with NaN and then with other numbers: those further from
   the box than the margin. NOTHING: none; ALL: all. */
enum { NOTHING = 1 << 20, ALL = -1 };

typedef struct {
  int beyond[HG_KEPT][HG_TRIAL_MOST];
} Poison;

static Poison no_poison(void) {
  Poison p;
  for (int set = 0; set < HG_KEPT; set++)
    for (int k = 0; k < HG_TRIAL_MOST; k++) p.beyond[set][k] = NOTHING;
  return p;
}

/* x and dx of a read, or y_bar and dy_bar of a write: both directions of a cotangent. */
static void poison_pair(Poison *p, int set, int k, int margin) {
  p->beyond[set][k] = p->beyond[set + 1][k] = margin;
}

static void poison(HgTrial *t, const HgTrialField *f, int margin, bool nan) {
  if (margin == NOTHING) return;
  HG_TRIAL_ALL(f, i, j, k)
  if (!HgTrialInside(&t->box, margin, i, j, k))
    *HgTrialAt(f, i, j, k) = nan ? NAN : *HgTrialAt(f, i, j, k) * (1.5 + 0.4 * HgTrialRandom(t));
}

/* The number of written cells that depend on the overwritten ones. */
static int cells_changed(HgTrial *t, HgKernel kernel, unsigned wanted, const Poison *p) {
  const int to = HgTrialOutput(kernel);
  int cells = 0;
  HgTrialRestore(t);
  HgTrialReset(t, HG_ONE, hg_trial_canary);
  HgTrialCall(t, kernel, &t->box, wanted, HG_ONE);
  for (int nan = 0; nan < 2; nan++) {
    for (int set = 0; set < HG_KEPT; set++)
      for (int k = 0; k < HgTrialCount(t, set); k++)
        poison(t, &t->field[set][k], p->beyond[set][k], nan);
    HgTrialReset(t, HG_TWO, hg_trial_canary);
    HgTrialCall(t, kernel, &t->box, wanted, HG_TWO);
    for (int k = 0; k < HgTrialCount(t, HG_ONE + to); k++)
      cells += HgTrialFieldDiffers(&t->field[HG_ONE + to][k], &t->field[HG_TWO + to][k]);
    HgTrialRestore(t);
  }
  return cells;
}

/* ---- x that the adjoint must not use, x_bar that is not wanted ---- */
static bool check_unused(HgTrial *t, unsigned wanted) {
  bool honest = true;
  for (int k = 0; k < t->reads; k++) {
    Poison p = no_poison();
    poison_pair(&p, HG_X, k, ALL);
    if (HgTrialUses(t, k, wanted)) continue;
    const int cells = cells_changed(t, t->reverse, wanted, &p);
    HgTrialCells(t, HG_CHECK_UNUSED, t->reverse, k, -1, cells);
    honest = honest && !cells;
  }
  return honest;
}

static bool survives(HgTrial *t, HgCheckId check, int k, unsigned wanted, unsigned no_x) {
  const bool ends = HgTrialSurvives(t, t->reverse, wanted, no_x);
  HgTrialNote(t, check, t->reverse, k, -1, ends ? 0 : INFINITY, 0, ends);
  return ends;
}

/* Passes NULL for each x_bar alone and for selections of them; for each x that is not used, and for
   all of these with selections of x_bar. Before that it holds NaN, which shows reads that would
   only crash with NULL. */
void HgTrialCheckUnused(HgTrial *t) {
  bool honest = check_unused(t, ~0u);
  t->bars = true;
  for (int k = 0; k < t->reads; k++)
    t->bars = survives(t, HG_CHECK_WANTED, k, ~(1u << k), 0) && t->bars;
  for (int n = 0; n < HG_TRIAL_MASKS; n++)
    t->bars = t->bars && survives(t, HG_CHECK_WANTED, -1, HgTrialMask(t, n), 0);
  if (!t->bars) return;
  for (int n = 0; t->stencil->only_for && n < HG_TRIAL_MASKS; n++)
    honest = check_unused(t, HgTrialMask(t, n)) && honest;
  if (!honest) return;
  t->nulls = true;
  for (int n = -1; n < HG_TRIAL_MASKS; n++) {
    const unsigned wanted = n < 0 ? ~0u : HgTrialMask(t, n);
    unsigned no_x = 0;
    for (int k = 0; k < t->reads; k++) {
      if (HgTrialUses(t, k, wanted)) continue;
      t->nulls = survives(t, HG_CHECK_NULL, k, wanted, 1u << k) && t->nulls;
      no_x |= 1u << k;
    }
    t->nulls = t->nulls && survives(t, HG_CHECK_NULL, -1, wanted, no_x);
  }
}

/* ---- radii ---- */

/* Finds how far the kernel reads x and (except apply) dx of read k, or y_bar of write k. Adds a
   finding if that is further than declared. */
static void check_reach(HgTrial *t, HgKernel kernel, int set, int k, int declared) {
  Poison p = no_poison();
  int far = declared;
  for (bool reads = true; reads && far <= t->ghost; far += reads) {
    poison_pair(&p, set, k, far);
    if (kernel == HG_KERNEL_APPLY) p.beyond[HG_DX][k] = NOTHING;
    reads = cells_changed(t, kernel, ~0u, &p);
  }
  far = PetscMin(far, t->ghost);
  t->beyond = t->beyond || (far > declared && kernel != t->reverse);
  if (far > declared)
    HgTrialNote(t, HG_CHECK_RADIUS, kernel, set == HG_X ? k : -1, set == HG_X ? -1 : k, far,
                declared, false);
}

/* Tries all reads at once first: usually there is nothing to find. */
static bool reads_beyond(HgTrial *t, HgKernel kernel) {
  Poison p = no_poison();
  for (int k = 0; k < t->reads; k++) {
    poison_pair(&p, HG_X, k, t->stencil->reads[k].radius);
    if (kernel == HG_KERNEL_APPLY) p.beyond[HG_DX][k] = NOTHING;
  }
  return cells_changed(t, kernel, ~0u, &p);
}

void HgTrialCheckRadius(HgTrial *t) {
  HgTrialNote(t, HG_CHECK_RADIUS, HG_KERNEL_APPLY, -1, -1, 0, 0, true);
  for (HgKernel n = HG_KERNEL_APPLY; n <= HG_KERNEL_TANGENT; n++) {
    if (!reads_beyond(t, n)) continue;
    for (int k = 0; k < t->reads; k++) check_reach(t, n, HG_X, k, t->stencil->reads[k].radius);
  }
  for (int k = 0; k < t->reads; k++)
    if (HgTrialUses(t, k, ~0u))
      check_reach(t, t->reverse, HG_X, k, t->stencil->reads[k].adjoint_radius);
  for (int l = 0; l < t->writes; l++) check_reach(t, t->reverse, HG_Y_BAR, l, t->radius);
}
