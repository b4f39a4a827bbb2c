/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits: variables that must stay above a number. Rows are compared as the call that makes them
   leaves them, while they are in the cache. */
#include "sweep_private.h"

/* Order of breaches: by step, then in natural order of cells. */
static bool earlier(const HgBreach *a, const HgBreach *b) {
  if (!a->found || !b->found) return a->found;
  if (a->step != b->step) return a->step < b->step;
  if (a->j != b->j) return a->j < b->j;
  return a->level != b->level ? a->level < b->level : a->i < b->i;
}

void HgBreachNote(const HgBreach *one, HgBreach *first) {
  if (earlier(one, first)) *first = *one;
}

/* The first column in [i0, i1) whose number is not above the limit (NaN is not); i1: none. */
static int column_below(const HgReal *x, int i0, int i1, double above) {
  int good = 0;
  for (int i = i0; i < i1; i++) good += x[i] > above;
  if (good == i1 - i0) return i1;
  while (x[i0] > above) i0++;
  return i0;
}

/* Finds the first breach in a level of a row; false: none. */
static bool look_at_row(HgProgram p, const HgBox *box, int variable, int j, int level,
                        const HgReal *row, HgBreach *here) {
  const HgStretch all = {box->i0, box->i1};
  const HgStretches wet =
      p->mask ? HgMaskRow(p->mask, HG_REACH_WRITTEN, j) : (HgStretches){&all, &all + 1};
  for (const HgStretch *s = wet.first; s < wet.end; s++) {
    const int from = PetscMax(all.i0, s->i0), to = PetscMin(all.i1, s->i1);
    const int i = from < to ? column_below(row, from, to, p->variable[variable].above) : to;
    if (i >= to) continue;
    *here = (HgBreach){.found = true,
                       .i = box->i_global + i,
                       .j = box->j_global + j,
                       .level = level,
                       .variable = variable,
                       .value = row[i]};
    return true;
  }
  return false;
}

void HgRowsLook(HgProgram p, const HgBox *box, int variable, long step, HgReal *const *rows,
                HgBreach *first) {
  const bool surface = p->variable[variable].surface;
  const int k0 = surface ? 0 : PetscMax(0, box->k0);
  const int k1 = surface ? 1 : PetscMin(box->nz, box->k1);
  HgBreach here;
  for (int j = box->j0; j < box->j1; j++)
    for (int k = k0; k < k1; k++)
      if (look_at_row(p, box, variable, j, k, rows[j] + k * box->pitch, &here)) {
        here.step = step;
        HgBreachNote(&here, first);
        return;
      }
}

bool HgLimitsApply(const HgSweep *s, const HgCall *c, int k) {
  const HgVersion *v = HgValueVersion(s->block, c->out[k]);
  return c->mode == HG_PRIMAL && s->block->mode != HG_COTANGENT && !s->block->lone &&
         s->block->program->variable[v->variable].limited && (v->place == HG_AT_END || v->saved);
}

void HgLimitsLook(const HgWork *w, const HgBox *box, const HgRowsOut out[]) {
  HgTile *const r = w->sweep->tile;
  HgBox own = *box;
  own.i0 = PetscMax(box->i0, r->i0), own.i1 = PetscMin(box->i1, r->i1);
  own.j0 = PetscMax(box->j0, r->j0), own.j1 = PetscMin(box->j1, r->j1);
  own.k0 = PetscMax(box->k0, r->levels.first), own.k1 = PetscMin(box->k1, r->levels.end);
  for (int k = 0; own.i0 < own.i1 && k < w->call->outs; k++) {
    const int variable = HgValueVersion(w->sweep->block, w->call->out[k])->variable;
    if (HgLimitsApply(w->sweep, w->call, k))
      HgRowsLook(w->sweep->block->program, &own, variable, box->step + 1, out[k], &r->breach);
  }
}
