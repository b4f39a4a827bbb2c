/* A mask of wet cells: calls compute where something is wet within reach, and write 0 elsewhere. What that
   is for rows of cells was found when the mask was set (program_mask.c). */
#include "sweep_private.h"
#include <limits.h>

enum {
  LINE = 8,       /* numbers in 64 bytes: where what is computed begins and ends */
  GAP = 16,       /* dry columns that take no longer than a call of their own */
  MASKED_ROWS = 8 /* rows at a time, at most: more have less in common */
};

/* Of row j, and those of the nearest row that is known. */
static HgStretches row_of(const HgMask m, HgReach reach, int j) {
  const int known = PetscMin(PetscMax(j, m->j0), m->j1 - 1) - m->j0, *first = m->first[reach];
  const HgStretch *all = m->stretch[reach];
  return (HgStretches){all + first[known], all + first[known + 1]};
}

/* Columns of [i0, i1) outside the stretches of a row become 0. */
static void zero_between(HgStretches wet, int i0, int i1, double *row) {
  for (const HgStretch *s = wet.first; s < wet.end && i0 < i1; s++) {
    HgZero(row, i0, PetscMin(s->i0, i1));
    i0 = PetscMax(i0, s->i1);
  }
  HgZero(row, i0, i1);
}

/* ---- what is computed ---- */

/* The first wet column from `from` on, of any of the rows. */
static int next_wet(const HgMask m, HgReach reach, int from, int j0, int j1) {
  int next = INT_MAX;
  for (int j = j0; j < j1; j++) {
    const HgStretches wet = row_of(m, reach, j);
    const HgStretch *s = wet.first;
    while (s < wet.end && s->i1 <= from) s++;
    if (s < wet.end) next = PetscMin(next, PetscMax(s->i0, from));
  }
  return next;
}

/* Where what is wet at `from` ends, short gaps counted as wet. */
static int end_of_wet(const HgMask m, HgReach reach, int from, int j0, int j1) {
  int end = from, before;
  do {
    before = end;
    for (int j = j0; j < j1; j++) {
      const HgStretches wet = row_of(m, reach, j);
      for (const HgStretch *s = wet.first; s < wet.end && s->i0 <= end + GAP; s++)
        end = PetscMax(end, s->i1);
    }
  } while (end > before);
  return end;
}

/* The next columns of [from, i1) that are computed, whole lines; false: none. */
static bool next_span(const HgMask m, HgReach reach, int from, int i1, int j0, int j1,
                      HgStretch *span) {
  const int wet = next_wet(m, reach, from, j0, j1);
  if (wet >= i1) return false;
  const int end = end_of_wet(m, reach, wet, j0, j1);
  span->i0 = PetscMax(from, wet & ~(LINE - 1));
  span->i1 = end >= i1 ? i1 : PetscMin(i1, (end + LINE - 1) & ~(LINE - 1));
  return true;
}

/* ---- calls ---- */

/* Before an adjoint computes a box: cotangents that it reads in row buffers, as what they are of was
   masked. */
static void mask_cotangents(const HgWork *w, HgStretch span, int j0, int j1) {
  const HgBlock b = w->sweep->block;
  const HgTerm *t = &b->program->term[w->call->term];
  const int r = t->radius;
  for (int k = 0; k < t->writes; k++) {
    const int value = w->call->second[k];
    for (int j = j0 - r; b->value[value].buffered && j < j1 + r; j++)
      zero_between(row_of(w->mask, HG_REACH_WRITTEN, j), span.i0 - r, span.i1 + r,
                   w->sweep->tile->rows[value][j]);
  }
}

/* Columns that are not computed: results are 0; cotangents that start from nothing here, too. */
static void skip(const HgWork *w, int i0, int i1, int j0, int j1, bool own) {
  const HgRowsOut *const out = own ? w->out : w->beside;
  for (int k = 0; i0 < i1 && k < w->call->outs; k++)
    for (int j = j0; out[k] && (w->call->mode != HG_COTANGENT || w->call->fresh[k]) && j < j1; j++)
      HgZero(out[k][j], i0, i1);
}

static void run_few_rows(HgWork *w, int i0, int i1, int j0, int j1, bool own, HgPartFn *run) {
  const HgReach reach = w->call->mode == HG_COTANGENT ? HG_REACH_READ : HG_REACH_WRITTEN;
  HgStretch span;
  for (; next_span(w->mask, reach, i0, i1, j0, j1, &span); i0 = span.i1) {
    skip(w, i0, span.i0, j0, j1, own);
    if (w->call->mode == HG_COTANGENT) mask_cotangents(w, span, j0, j1);
    run(w, span.i0, span.i1, j0, j1, own);
  }
  skip(w, i0, i1, j0, j1, own);
}

void HgMaskedRun(HgWork *w, int i0, int i1, int j0, int j1, bool own, HgPartFn *run) {
  for (int j = j0; j < j1; j += MASKED_ROWS)
    run_few_rows(w, i0, i1, j, PetscMin(j1, j + MASKED_ROWS), own, run);
}

void HgMaskResults(const HgWork *w, const HgBox *box, const HgRowsOut out[]) {
  for (int j = box->j0; j < box->j1; j++) {
    const HgStretches wet = row_of(w->mask, HG_REACH_WRITTEN, j);
    if (wet.first < wet.end && wet.first->i0 <= box->i0 && wet.first->i1 >= box->i1) continue;
    for (int k = 0; k < w->call->outs; k++) zero_between(wet, box->i0, box->i1, out[k][j]);
  }
}

/* ---- states ---- */
void HgMaskState(const HgMask m, double *const *rows) {
  for (int j = PetscMax(m->j0, m->domain.j0); j < PetscMin(m->j1, m->domain.j1); j++)
    zero_between(row_of(m, HG_REACH_WRITTEN, j), m->domain.i0, m->domain.i1, rows[j]);
}

/* ---- how much is computed ---- */
long HgMaskComputed(const HgMask m, int nx, int ny, int rows_at_once) {
  const int rows = PetscMin(rows_at_once, MASKED_ROWS);
  long cells = 0;
  HgStretch span;
  for (int j = 0; j < ny; j += rows) {
    const int end = PetscMin(ny, j + rows);
    for (int i = 0; next_span(m, HG_REACH_WRITTEN, i, nx, j, end, &span); i = span.i1)
      cells += (long)(span.i1 - span.i0) * (end - j);
  }
  return cells;
}
