/* A mask of wet cells: calls compute where something is wet within reach, and write 0 elsewhere. What that
   is for rows of cells was found when the mask was set (program_mask.c). */
#include "sweep_private.h"

enum { ROWS = 1 << (HG_MASK_HEIGHTS - 1) }; /* at a time, at most: more have less in common */

static HgStretches row_of(const HgMask m, const HgStretchTable *t, int j) {
  const int known = PetscMin(PetscMax(j, m->j0), m->j1 - 1) - m->j0;
  return (HgStretches){t->stretch + t->first[known], t->stretch + t->first[known + 1]};
}

static HgStretches written(const HgMask m, int j) {
  return row_of(m, &m->exact[HG_REACH_WRITTEN], j);
}

HgStretches HgMaskWritten(const HgMask m, int j) { return written(m, j); }

/* Columns of [i0, i1) outside the stretches of a row become 0. */
static void zero_between(HgStretches wet, int i0, int i1, double *row) {
  for (const HgStretch *s = wet.first; s < wet.end && i0 < i1; s++) {
    HgZero(row, i0, PetscMin(s->i0, i1));
    i0 = PetscMax(i0, s->i1);
  }
  HgZero(row, i0, i1);
}

/* ---- what is computed ---- */

/* What is computed of some rows: both lists together, of the first rows and of the last ones. */
typedef struct {
  HgStretches part[2];
} Rows;

static Rows rows_of(const HgMask m, HgReach reach, int j0, int j1) {
  int n = 0;
  while (n + 1 < HG_MASK_HEIGHTS && 2 << n <= j1 - j0) n++;
  const HgStretchTable *t = &m->computed[reach][n];
  return (Rows){{row_of(m, t, j0), row_of(m, t, j1 - (1 << n))}};
}

/* The next columns of [from, i1) that are computed; false: none. */
static bool next_span(Rows *rows, int from, int i1, HgStretch *span) {
  *span = (HgStretch){i1, i1};
  for (int k = 0; k < 2; k++) {
    HgStretches *const r = &rows->part[k];
    while (r->first < r->end && r->first->i1 <= from) r->first++;
    if (r->first < r->end) span->i0 = PetscMin(span->i0, PetscMax(r->first->i0, from));
  }
  if (span->i0 >= i1) return false;
  span->i1 = span->i0;
  for (int k = 0, same = 0; same < 2; k = 1 - k, same++)
    for (HgStretches *r = &rows->part[k]; r->first < r->end && r->first->i0 <= span->i1; r->first++)
      if (r->first->i1 > span->i1) span->i1 = r->first->i1, same = -1;
  span->i1 = PetscMin(span->i1, i1);
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
      zero_between(written(w->mask, j), span.i0 - r, span.i1 + r, w->sweep->tile->rows[value][j]);
  }
}

/* A row of result k is 0 where nothing is wet within reach. Rows that steps forward hand on are so only where
   a reader may look whose own results count. */
static void mask_row(const HgWork *w, int k, int i0, int i1, int j, double *row) {
  const HgBlock b = w->sweep->block;
  const HgStretches wet = written(w->mask, j);
  if (b->mode == HG_COTANGENT || !b->value[w->call->out[k]].buffered) {
    zero_between(wet, i0, i1, row);
    return;
  }
  const HgStretches read = row_of(w->mask, &w->mask->exact[HG_REACH_READ], j);
  for (const HgStretch *s = read.first; s < read.end; s++)
    zero_between(wet, PetscMax(i0, s->i0), PetscMin(i1, s->i1), row);
}

static void mask_results(const HgWork *w, int i0, int i1, int j0, int j1, const HgRowsOut out[]) {
  for (int j = j0; j < j1; j++) {
    const HgStretches wet = written(w->mask, j);
    if (wet.first < wet.end && wet.first->i0 <= i0 && wet.first->i1 >= i1) continue;
    for (int k = 0; k < w->call->outs; k++) mask_row(w, k, i0, i1, j, out[k][j]);
  }
}

/* Cotangents that start from nothing here are 0 in columns that are not computed. */
static void skip(const HgWork *w, int i0, int i1, int j0, int j1, const HgRowsOut out[]) {
  for (int k = 0; i0 < i1 && k < w->call->outs; k++)
    for (int j = j0; out[k] && w->call->fresh[k] && j < j1; j++) HgZero(out[k][j], i0, i1);
}

static void run_few_rows(HgWork *w, int i0, int i1, int j0, int j1, bool own, HgPartFn *run) {
  const bool back = w->call->mode == HG_COTANGENT;
  const HgRowsOut *const out = own ? w->out : w->beside;
  Rows rows = rows_of(w->mask, back ? HG_REACH_READ : HG_REACH_WRITTEN, j0, j1);
  HgStretch span;
  int i = i0;
  for (; next_span(&rows, i, i1, &span); i = span.i1) {
    if (back) skip(w, i, span.i0, j0, j1, out);
    if (back) mask_cotangents(w, span, j0, j1);
    run(w, span.i0, span.i1, j0, j1, own);
  }
  if (back) skip(w, i, i1, j0, j1, out);
  else mask_results(w, i0, i1, j0, j1, out);
}

void HgMaskedRun(HgWork *w, int i0, int i1, int j0, int j1, bool own, HgPartFn *run) {
  for (int j = j0; j < j1; j += ROWS) run_few_rows(w, i0, i1, j, PetscMin(j1, j + ROWS), own, run);
}

void HgMaskHandedOut(const HgMask m, int i0, int i1, int j, double *row) {
  zero_between(written(m, j), i0, i1, row);
}

/* ---- states ---- */
void HgMaskState(const HgMask m, double *const *rows) {
  for (int j = PetscMax(m->j0, m->domain.j0); j < PetscMin(m->j1, m->domain.j1); j++)
    zero_between(written(m, j), m->domain.i0, m->domain.i1, rows[j]);
}

/* ---- tiles ---- */
HgSpan HgMaskBox(const HgMask m, HgSpan cells) {
  HgSpan box = {cells.i1, cells.i0, cells.j1, cells.j0};
  for (int j = cells.j0; j < cells.j1; j++) {
    Rows rows = rows_of(m, HG_REACH_READ, j, j + 1);
    HgStretch span;
    for (int i = cells.i0; next_span(&rows, i, cells.i1, &span); i = span.i1) {
      box.i0 = PetscMin(box.i0, span.i0), box.i1 = PetscMax(box.i1, span.i1);
      box.j0 = PetscMin(box.j0, j), box.j1 = j + 1;
    }
  }
  return box.i0 < box.i1 ? box : (HgSpan){cells.i0, cells.i0, cells.j0, cells.j0};
}

/* Where a result is 0 that lies in a state. */
static void skip_result(HgBlock b, const HgCall *c, int k, const HgTiling *t,
                        const HgBinding *binding) {
  const HgValue *value = &b->value[c->out[k]];
  if (HgValueInactive(b, c->out[k]) || (c->mode == HG_COTANGENT && !c->fresh[k])) return;
  if (value->buffered && !value->handed_out && !HgValueSaved(b, binding, c->out[k])) return;
  double *const *rows = HgValueRows(b, binding, c->out[k]);
  for (int n = 0; rows && n < t->skips; n++)
    for (int j = t->skip[n].j0; j < t->skip[n].j1; j++)
      HgZero(rows[j], t->skip[n].i0, t->skip[n].i1);
}

void HgTilingSkip(HgBlock b, const HgStage *g, const HgTiling *t, const HgBinding *binding) {
  for (int c = g->first; t->skips && c < g->last; c++)
    for (int k = 0; k < b->call[c].outs; k++) skip_result(b, &b->call[c], k, t, binding);
}

/* ---- how much is computed ---- */
long HgMaskComputed(const HgMask m, int nx, int ny, int rows_at_once) {
  const int high = PetscMin(rows_at_once, ROWS);
  long cells = 0;
  HgStretch span;
  for (int j = 0; j < ny; j += high) {
    const int end = PetscMin(ny, j + high);
    Rows rows = rows_of(m, HG_REACH_WRITTEN, j, end);
    for (int i = 0; next_span(&rows, i, nx, &span); i = span.i1)
      cells += (long)(span.i1 - span.i0) * (end - j);
  }
  return cells;
}
