/* SPDX-License-Identifier: BSD-2-Clause */
/* A stencil's adjoint, or its `second`, adds to each cotangent that is wanted, whichever others
   are, or sets it where that is new. Writes that are declared copies of reads are. */
#include "trial_private.h"

static const double adding_bound = 10 * HG_REAL_EPSILON;

/* p + (F'^T y_bar added to 0) = (F'^T y_bar added to p), p as large as what is added. Contributions
   are added one by one, so each of them rounds, even if their sum in a cell is small. */
void HgTrialCheckAdds(HgTrial *t) {
  for (int k = 0; k < t->reads; k++) HgTrialFieldFill(&t->field[HG_ONE + HG_BAR][k], 0);
  HgTrialCall(t, t->reverse, &t->box, ~0u, HG_ONE);
  for (int k = 0; k < t->reads; k++) {
    double worst = 0;
    const HgTrialField *const f = &t->field[HG_START][k];
    HG_TRIAL_BOX(f, &t->box, i, j, level) {
      const double p = *HgTrialAt(f, i, j, level),
                   added = *HgTrialAt(&t->field[HG_ONE + HG_BAR][k], i, j, level),
                   is = *HgTrialAt(&t->field[HG_WHOLE + HG_BAR][k], i, j, level);
      worst = fmax(worst, HgCheckOff(is, p + added, 2 * t->added[k]));
    }
    HgTrialNote(t, HG_CHECK_ADDS, t->reverse, k, -1, worst, adding_bound, worst <= adding_bound);
  }
}

void HgTrialCheckWanted(HgTrial *t) {
  for (int n = 0; t->bars && n < HG_TRIAL_MASKS; n++) {
    const unsigned wanted = HgTrialMask(t, n);
    HgTrialReset(t, HG_ONE, hg_trial_canary);
    HgTrialCall(t, t->reverse, &t->box, wanted, HG_ONE);
    for (int k = 0; k < t->reads; k++) {
      const int expected = wanted >> k & 1 ? HG_WHOLE + HG_BAR : HG_START;
      HgTrialCellsOf(t, HG_CHECK_WANTED, t->reverse, k,
                     HgTrialFieldDiffers(&t->field[HG_ONE + HG_BAR][k], &t->field[expected][k]));
    }
  }
}

/* Cotangents x_bar that are new, as bits of `fresh`: ONE holds NaN before, and the adjoint sets it;
   TWO holds 0, and the adjoint adds to it. The others start as drawn. */
static void check_fresh(HgTrial *t, unsigned fresh, unsigned wanted, const HgReal *zeros) {
  HgTrialField *const one = t->field[HG_ONE + HG_BAR], *const two = t->field[HG_TWO + HG_BAR];
  HgBox box = t->box;
  box.fresh = fresh, box.zeros = zeros;
  HgTrialReset(t, HG_ONE, 0);
  HgTrialReset(t, HG_TWO, 0);
  for (int k = 0; k < t->reads; k++)
    if (fresh >> k & 1) HgTrialFieldFill(&one[k], NAN), HgTrialFieldFill(&two[k], 0);
  HgTrialCall(t, t->reverse, &box, wanted, HG_ONE);
  HgTrialCall(t, t->reverse, &t->box, wanted, HG_TWO);
  for (int k = 0; k < t->reads; k++) {
    int cells = 0;
    if (wanted >> k & 1) HG_TRIAL_BOX(&one[k], &box, i, j, level)
    cells += memcmp(HgTrialAt(&one[k], i, j, level), HgTrialAt(&two[k], i, j, level),
                    sizeof(HgReal)) != 0;
    HgTrialCellsOf(t, HG_CHECK_FRESH, t->reverse, k, cells);
  }
}

/* The row of zeros is in y, which the adjoint does not read. */
void HgTrialCheckFresh(HgTrial *t) {
  if (!t->stencil->sets) return;
  for (int n = 0; n < HG_TRIAL_MASKS; n++) {
    const unsigned fresh = HgTrialMask(t, n),
                   wanted = n % 2 && t->bars ? HgTrialMask(t, HG_TRIAL_MASKS - n) : ~0u;
    check_fresh(t, fresh, wanted, t->field[HG_ONE + HG_Y][0].rows[0]);
  }
}

/* ---- copies ---- */
int HgTrialCopied(const HgTrial *t, int write) {
  const HgStencil *s = t->stencil;
  for (const char *const(*pair)[2] = s->copies; pair && (*pair)[0]; pair++)
    for (int k = 0; k < t->reads; k++)
      if (!strcmp((*pair)[0], s->writes[write]) && !strcmp((*pair)[1], s->reads[k].name)) return k;
  return -1;
}

/* Checks that apply and tangent do not write copies that are not wanted. */
void HgTrialCheckCopies(HgTrial *t) {
  unsigned wanted = 0;
  if (!t->stencil->copies) return;
  for (int k = 0; k < t->writes; k++)
    if (HgTrialCopied(t, k) < 0) wanted |= 1u << k;
  HgTrialReset(t, HG_ONE, hg_trial_canary);
  for (HgKernel n = HG_KERNEL_APPLY; n <= HG_KERNEL_TANGENT; n++) {
    const bool ends = HgTrialSurvives(t, n, wanted, 0);
    HgTrialNote(t, HG_CHECK_COPY, n, -1, -1, ends ? 0 : INFINITY, 0, ends);
    for (int k = 0; k < t->writes; k++) {
      const int read = HgTrialCopied(t, k), set = n == HG_KERNEL_APPLY ? HG_X : HG_DX;
      const HgTrialField *const is = &t->field[(read < 0 ? HG_ONE : HG_WHOLE) + (int)n][k],
                                *const expected = read < 0 ? &t->field[HG_WHOLE + (int)n][k]
                                                           : &t->field[set][read];
      if (read >= 0 || ends)
        HgTrialCells(t, HG_CHECK_COPY, n, read, k, HgTrialFieldDiffersIn(&t->box, is, expected));
    }
  }
}
