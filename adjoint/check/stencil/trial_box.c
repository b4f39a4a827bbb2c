/* SPDX-License-Identifier: BSD-2-Clause */
/* A stencil's kernels compute the box they are handed: nothing else, all of it, the same however it
   is cut and whatever was computed before. */
#include "trial_private.h"
#include <halograd/error_library.h>

/* ---- finite ---- */
static int not_finite(const HgTrialField *f, const HgBox *b) {
  int cells = 0;
  HG_TRIAL_BOX(f, b, i, j, k) cells += !isfinite(*HgTrialAt(f, i, j, k));
  return cells;
}

/* The number of results that are not finite if x of the reads in `zero` is 0 (as in fields
   initially at rest) and all else is as drawn; *k: the first variable that has one. */
static int run_with_zeros(HgTrial *t, HgKernel kernel, unsigned zero, int *k) {
  const int to = HG_ONE + HgTrialOutput(kernel);
  int cells = 0;
  for (int l = 0; l < t->reads; l++)
    if (zero >> l & 1) HgTrialFieldFill(&t->field[HG_X][l], 0);
  HgTrialReset(t, HG_ONE, 0);
  HgTrialCall(t, kernel, &t->box, ~0u, HG_ONE);
  HgTrialRestore(t);
  for (int l = HgTrialCount(t, to) - 1; l >= 0; l--) {
    const int own = not_finite(&t->field[to][l], &t->box);
    if (own) *k = l;
    cells += own;
  }
  return cells;
}

/* The finding names as few reads as possible. */
static int check_zeros(HgTrial *t, HgKernel kernel, unsigned zero) {
  int found = 0, unused;
  if (!zero || !run_with_zeros(t, kernel, zero, &found)) return 0;
  for (int k = 0; k < t->reads; k++)
    if (zero >> k & 1 && run_with_zeros(t, kernel, zero & ~(1u << k), &unused)) zero &= ~(1u << k);
  const int cells = run_with_zeros(t, kernel, zero, &found);
  HgTrialCellsOf(t, HG_CHECK_FINITE, kernel, found, cells);
  if (!HgTrialChosen(t, HG_CHECK_FINITE)) return cells;
  HgFinding *const f = &t->report->finding[t->report->findings - 1];
  *f->at = 0;
  for (int k = 0; k < t->reads; k++)
    if (zero >> k & 1)
      HgSentenceAdd(sizeof f->at, f->at, "%s%s = 0", *f->at ? ", " : "", t->stencil->reads[k].name);
  return cells;
}

/* Only in the first draw, and for reads whose range contains 0. */
static int check_all_zeros(HgTrial *t) {
  unsigned zero = 0;
  int all = 0;
  if (t->seed != t->options->seed || t->reverse != HG_KERNEL_ADJOINT) return 0;
  for (int k = 0; k < t->reads; k++)
    if (t->range[k].low <= 0 && t->range[k].high >= 0) zero |= 1u << k;
  for (HgKernel kernel = HG_KERNEL_APPLY; kernel <= HG_KERNEL_ADJOINT && !all; kernel++)
    all = check_zeros(t, kernel, zero);
  return all;
}

bool HgTrialCheckFinite(HgTrial *t) {
  int all = check_all_zeros(t);
  for (int n = 0; n < HG_OUTPUTS; n++)
    for (int k = 0; k < HgTrialCount(t, HG_WHOLE + n); k++) {
      const int cells = not_finite(&t->field[HG_WHOLE + n][k], &t->box);
      HgTrialCellsOf(t, HG_CHECK_FINITE, HgTrialKernel(t, n), k, cells);
      all += cells;
    }
  return all == 0;
}

/* ---- inputs, of which one that a kernel has changed is then as drawn again ---- */
bool HgTrialCheckInputs(HgTrial *t) {
  int all = 0;
  HgTrialRestore(t);
  HgTrialReset(t, HG_ONE, hg_trial_canary);
  for (int n = 0; n < HG_OUTPUTS; n++) {
    HgTrialCall(t, HgTrialKernel(t, n), &t->box, ~0u, HG_ONE);
    for (int set = 0; set < HG_KEPT; set += 2)
      for (int k = 0; k < HgTrialCount(t, set); k++) {
        int cells = 0;
        for (int m = set; m < set + 2; m++)
          cells += HgTrialFieldDiffers(&t->field[m][k], &t->field[HG_KEPT + m][k]);
        HgTrialCells(t, HG_CHECK_INPUTS, HgTrialKernel(t, n), set == HG_X ? k : -1,
                     set == HG_X ? -1 : k, cells);
        all += cells;
      }
    HgTrialRestore(t);
  }
  return all == 0;
}

/* ---- what is written ---- */

/* The number of cells outside the box that changed from `before`; NULL: from the canary. */
static int touched(const HgBox *box, const HgTrialField *f, const HgTrialField *before) {
  int cells = 0;
  HG_TRIAL_ALL(f, i, j, k)
  cells += !HgTrialInside(box, 0, i, j, k) &&
           *HgTrialAt(f, i, j, k) != (before ? *HgTrialAt(before, i, j, k) : hg_trial_canary);
  return cells;
}

void HgTrialCheckBox(HgTrial *t) {
  const HgBox *b = &t->box;
  HgTrialReset(t, HG_ONE, NAN);
  HgTrialRun(t, b, HG_ONE);
  for (int n = 0; n < HG_OUTPUTS; n++)
    for (int k = 0; k < HgTrialCount(t, HG_WHOLE + n); k++) {
      const HgTrialField *const f = &t->field[HG_WHOLE + n][k];
      const int outside = touched(b, f, n == HG_BAR ? &t->field[HG_START][k] : NULL),
                inside = n == HG_BAR ? 0 : HgTrialFieldDiffersIn(b, f, &t->field[HG_ONE + n][k]);
      HgTrialCellsOf(t, HG_CHECK_BOX, HgTrialKernel(t, n), k, outside + inside);
    }
}

/* ---- cuts ---- */

/* Cuts the box at random, sometimes down to single cells, and runs the parts in random order. */
static void run_in_parts(HgTrial *t, HgBox b, int set) {
  const int nx = b.i1 - b.i0, ny = b.j1 - b.j0;
  if ((nx == 1 && ny == 1) || HgTrialRandomInt(t, 0, 4) == 0) {
    HgTrialRun(t, &b, set);
    return;
  }
  HgBox first = b, second = b;
  if (ny == 1 || (nx > 1 && HgTrialRandomInt(t, 0, 1)))
    first.i1 = second.i0 = b.i0 + HgTrialRandomInt(t, 1, nx - 1);
  else first.j1 = second.j0 = b.j0 + HgTrialRandomInt(t, 1, ny - 1);
  const bool swap = HgTrialRandomInt(t, 0, 1);
  run_in_parts(t, swap ? second : first, set);
  run_in_parts(t, swap ? first : second, set);
}

void HgTrialCheckCut(HgTrial *t) {
  HgTrialReset(t, HG_ONE, hg_trial_canary);
  run_in_parts(t, t->box, HG_ONE);
  HgTrialCompare(t, HG_CHECK_CUT);
}

void HgTrialCheckIndex(HgTrial *t) {
  const int di = HgTrialRandomInt(t, -40, 40), dj = HgTrialRandomInt(t, -40, 40);
  HgTrialReset(t, HG_ONE, hg_trial_canary);
  HgTrialShift(t, di, dj);
  HgTrialRun(t, &t->box, HG_ONE);
  HgTrialShift(t, -di, -dj);
  HgTrialCompare(t, HG_CHECK_INDEX);
}

/* ---- state of its own ---- */
static void run_again(HgTrial *t) {
  HgTrialReset(t, HG_ONE, hg_trial_canary);
  HgTrialRun(t, &t->box, HG_ONE);
  HgTrialCompare(t, HG_CHECK_PURE);
}

void HgTrialCheckPure(HgTrial *t) {
  HgBox other = t->box;
  run_again(t);
  other.dx *= 1.25, other.dy *= 0.75, other.t += 1, other.step++;
  other.i_global = other.i_global ? other.i_global - 1 : 1;
  for (int set = 0; set < HG_KEPT; set++)
    for (int k = 0; k < HgTrialCount(t, set); k++)
      for (size_t n = 0; n < HgTrialFieldSize(&t->field[set][k]); n++) {
        const HgCheckRange r = t->range[k];
        HgReal *const v = &t->field[set][k].data[n];
        if (set == HG_X) *v = r.low + (r.high - r.low) * (0.5 + 0.5 * HgTrialRandom(t));
        else *v *= set == HG_Y_BAR ? 1.5 : -0.5;
      }
  HgTrialReset(t, HG_TWO, hg_trial_canary);
  HgTrialRun(t, &other, HG_TWO);
  HgTrialRestore(t);
  run_again(t);
}

/* ---- mirrored data ---- */
static bool turns(const HgTrial *t, bool along_x, const char name[]) {
  const char *const *odd = t->options->odd[along_x ? 0 : 1];
  for (; odd && *odd; odd++)
    if (!strcmp(*odd, name)) return true;
  return false;
}

static void mirror(const HgTrialField *f, bool along_x, bool turned) {
  const double sign = turned ? -1 : 1;
  HG_TRIAL_ALL(f, i, j, k) {
    const int p = along_x ? f->nx - 1 - i : i, q = along_x ? j : f->ny - 1 - j;
    if (along_x ? p < i : q < j) continue;
    HgReal *const one = HgTrialAt(f, i, j, k), *const other = HgTrialAt(f, p, q, k);
    const double here = *one;
    *one = sign * *other;
    if (one != other) *other = sign * here;
  }
}

/* All fields of a set. */
static void mirror_set(HgTrial *t, bool along_x, int set, bool reads) {
  for (int k = 0; k < HgTrialCount(t, set); k++)
    mirror(&t->field[set][k], along_x,
           turns(t, along_x, reads ? t->stencil->reads[k].name : t->stencil->writes[k]));
}

static void check_mirror(HgTrial *t, bool along_x) {
  for (int set = 0; set < HG_KEPT; set++) mirror_set(t, along_x, set, set <= HG_DX);
  mirror_set(t, along_x, HG_START, true);
  HgTrialReset(t, HG_ONE, hg_trial_canary);
  HgTrialRun(t, &t->box, HG_ONE);
  mirror_set(t, along_x, HG_START, true);
  for (int n = 0; n < HG_OUTPUTS; n++) {
    mirror_set(t, along_x, HG_ONE + n, n == HG_BAR);
    for (int k = 0; k < HgTrialCount(t, HG_ONE + n); k++)
      HgTrialCellsOf(
          t, HG_CHECK_MIRROR, HgTrialKernel(t, n), k,
          HgTrialFieldDiffersIn(&t->box, &t->field[HG_ONE + n][k], &t->field[HG_WHOLE + n][k]));
  }
  HgTrialRestore(t);
}

void HgTrialCheckMirror(HgTrial *t) {
  if (!t->options->mirrored) return;
  check_mirror(t, true);
  check_mirror(t, false);
}
