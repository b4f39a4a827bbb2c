/* SPDX-License-Identifier: BSD-2-Clause */
/* A program with a mask of wet cells: calls compute what is worth it, and write 0 elsewhere
   (halo/mask). */
#include "sweep_private.h"

/* Masks the cotangents that an adjoint reads in row buffers, as their values were masked. */
static void mask_cotangents(const HgWork *w, HgStretch span, int j0, int j1) {
  const HgBlock b = w->sweep->block;
  const int r = w->term->radius;
  for (int k = 0; k < w->term->writes; k++) {
    const int value = w->call->second[k];
    const HgLevels l = HgWorkLevels(w, value, w->call->overlap + r);
    const int beyond = l.round ? r : 0;
    for (int j = j0 - r; b->value[value].buffered && j < j1 + r; j++)
      for (int n = l.first - beyond; n < l.end + beyond; n++)
        HgMaskZero(HgMaskRow(w->mask, HG_REACH_WRITTEN, j), span.i0 - r, span.i1 + r,
                   w->sweep->tile->rows[value][j] + n * l.pitch);
  }
}

/* Sets a row of result k to 0 where no wet cell is within reach. Rows passed on in forward steps
   need this only where a reader's own results count. */
static void mask_row(const HgWork *w, int k, HgStretches wet, int i0, int i1, int j, HgReal *row) {
  const HgBlock b = w->sweep->block;
  if (b->mode == HG_COTANGENT || !b->value[w->call->out[k]].buffered) {
    HgMaskZero(wet, i0, i1, row);
    return;
  }
  const HgStretches read = HgMaskRow(w->mask, HG_REACH_READ, j);
  for (const HgStretch *s = read.first; s < read.end; s++)
    HgMaskZero(wet, PetscMax(i0, s->i0), PetscMin(i1, s->i1), row);
}

static void mask_results(const HgWork *w, int i0, int i1, int j0, int j1, const HgRowsOut out[]) {
  for (int j = j0; j < j1; j++) {
    const HgStretches wet = HgMaskRow(w->mask, HG_REACH_WRITTEN, j);
    if (wet.first < wet.end && wet.first->i0 <= i0 && wet.first->i1 >= i1) continue;
    for (int k = 0; k < w->call->outs; k++) {
      const HgLevels l = HgWorkLevels(w, w->call->out[k], w->call->overlap);
      const int first = l.flat ? 0 : PetscMax(l.first, w->box.k0);
      const int end = l.flat ? 1 : PetscMin(l.end, w->box.k1);
      for (int n = first; n < end; n++) mask_row(w, k, wet, i0, i1, j, out[k][j] + n * l.pitch);
    }
  }
}

void HgMaskedRun(HgWork *w, int i0, int i1, int j0, int j1, bool own, HgPartFn *run) {
  const bool back = w->call->mode == HG_COTANGENT;
  const HgRowsOut *const out = own ? w->out : w->beside;
  for (int j = j0, end; j < j1; j = end) {
    end = PetscMin(j1, j + HG_WORTH_ROWS);
    HgWorth worth = HgMaskWorth(w->mask, back ? HG_REACH_READ : HG_REACH_WRITTEN, j, end);
    HgStretch span;
    int i = i0;
    for (; HgMaskNext(&worth, i, i1, &span); i = span.i1) {
      if (back) HgZeroFresh(w, i, span.i0, j, end, out);
      if (back) mask_cotangents(w, span, j, end);
      run(w, span.i0, span.i1, j, end, own);
    }
    if (back) HgZeroFresh(w, i, i1, j, end, out);
    else mask_results(w, i0, i1, j, end, out);
  }
}

/* ---- what no tile covers ---- */

/* Sets a result in a state to 0 where it was not computed. */
static void skip_result(HgBlock b, const HgCall *c, int k, const HgTiling *t,
                        const HgBinding *binding) {
  const HgValue *value = &b->value[c->out[k]];
  if (HgValueInactive(b, c->out[k]) || (c->mode == HG_COTANGENT && !c->fresh[k])) return;
  if (value->buffered && !value->stored_through && !HgValueSaved(b, binding, c->out[k])) return;
  HgReal *const *rows = HgValueRows(b, binding, c->out[k]);
  const HgLevels l = HgValueLevels(b, c->out[k]);
  for (int n = 0; rows && n < t->skips; n++)
    for (int j = t->skip[n].j0; j < t->skip[n].j1; j++)
      for (int level = l.first; level < l.end; level++)
        HgZero(rows[j] + level * l.pitch, t->skip[n].i0, t->skip[n].i1);
}

void HgTilingSkip(HgBlock b, const HgStage *g, const HgTiling *t, const HgBinding *binding) {
  for (int c = g->first; t->skips && c < g->last; c++)
    for (int k = 0; k < b->call[c].outs; k++) skip_result(b, &b->call[c], k, t, binding);
}
