/* SPDX-License-Identifier: BSD-2-Clause */
/* A mask at work: what of rows is within reach. */
#include "mask_private.h"
#include <string.h>

bool HgMaskDry(HgMask m) { return m->dry; }

static HgStretches row_of(const HgMask m, const HgStretchTable *t, int j) {
  const int known = PetscMin(PetscMax(j, m->j0), m->j1 - 1) - m->j0;
  return (HgStretches){t->stretch + t->first[known], t->stretch + t->first[known + 1]};
}

HgStretches HgMaskRow(HgMask m, HgReach reach, int j) { return row_of(m, &m->exact[reach], j); }

/* ---- zeros ---- */
static void zero(HgReal *row, int i0, int i1) {
  if (i0 < i1) memset(row + i0, 0, (size_t)(i1 - i0) * sizeof *row);
}

void HgMaskZero(HgStretches within, int i0, int i1, HgReal *row) {
  for (const HgStretch *s = within.first; s < within.end && i0 < i1; s++) {
    zero(row, i0, PetscMin(s->i0, i1));
    i0 = PetscMax(i0, s->i1);
  }
  zero(row, i0, i1);
}

void HgMaskRows(HgMask m, HgReal *const *rows) {
  for (int j = PetscMax(m->j0, m->domain.j0); j < PetscMin(m->j1, m->domain.j1); j++)
    HgMaskZero(HgMaskRow(m, HG_REACH_WRITTEN, j), m->domain.i0, m->domain.i1, rows[j]);
}

/* ---- what is worth computing ---- */

/* Of the first rows, and of the last ones, as many as a table is for. */
HgWorth HgMaskWorth(HgMask m, HgReach reach, int j0, int j1) {
  int n = 0;
  while (n + 1 < HG_MASK_HEIGHTS && 2 << n <= j1 - j0) n++;
  const HgStretchTable *t = &m->worth[reach][n];
  return (HgWorth){{row_of(m, t, j0), row_of(m, t, j1 - (1 << n))}};
}

bool HgMaskNext(HgWorth *worth, int from, int i1, HgStretch *span) {
  *span = (HgStretch){i1, i1};
  for (int k = 0; k < 2; k++) {
    HgStretches *const r = &worth->part[k];
    while (r->first < r->end && r->first->i1 <= from) r->first++;
    if (r->first < r->end) span->i0 = PetscMin(span->i0, PetscMax(r->first->i0, from));
  }
  if (span->i0 >= i1) return false;
  span->i1 = span->i0;
  for (int k = 0, same = 0; same < 2; k = 1 - k, same++)
    for (HgStretches *r = &worth->part[k]; r->first < r->end && r->first->i0 <= span->i1;
         r->first++)
      if (r->first->i1 > span->i1) span->i1 = r->first->i1, same = -1;
  span->i1 = PetscMin(span->i1, i1);
  return true;
}

HgSpan HgMaskBox(HgMask m, HgSpan cells) {
  HgSpan box = {cells.i1, cells.i0, cells.j1, cells.j0};
  HgStretch span;
  for (int j = cells.j0; j < cells.j1; j++) {
    HgWorth worth = HgMaskWorth(m, HG_REACH_READ, j, j + 1);
    for (int i = cells.i0; HgMaskNext(&worth, i, cells.i1, &span); i = span.i1) {
      box.i0 = PetscMin(box.i0, span.i0), box.i1 = PetscMax(box.i1, span.i1);
      box.j0 = PetscMin(box.j0, j), box.j1 = j + 1;
    }
  }
  return box.i0 < box.i1 ? box : (HgSpan){cells.i0, cells.i0, cells.j0, cells.j0};
}

long HgMaskCells(HgMask m, int nx, int ny, int rows_at_once) {
  const int high = PetscMin(rows_at_once, HG_WORTH_ROWS);
  long cells = 0;
  HgStretch span;
  for (int j = 0; j < ny; j += high) {
    const int end = PetscMin(ny, j + high);
    HgWorth worth = HgMaskWorth(m, HG_REACH_WRITTEN, j, end);
    for (int i = 0; HgMaskNext(&worth, i, nx, &span); i = span.i1)
      cells += (long)(span.i1 - span.i0) * (end - j);
  }
  return cells;
}
