/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetching ahead: the first calls of a stage read rows of states, the others what is in the cache,
   so that memory would rest meanwhile. Instead each call fetches a share of the rows of states that
   the next rows of the tile begin with.

   Time with fetches over time without, forward and reversed: on an AMD EPYC shallow water 0.95,
   0.93; on an Intel Ice Lake shallow water 1.08, 1.07, the tsunami 1.1, 1.07, the acoustic wave
   1.09, 1.07. So only AMD's processors fetch. */
#include "sweep_private.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define PAYS __builtin_cpu_is("amd")
#define FETCH(address) __builtin_prefetch(address, 0, 2)
#else
#define PAYS false
#define FETCH(address) (void)(address)
#endif

/* With fewer arrays, hardware prefetching does better there, too: time blocks of heat, which read
   two, take 1.2 times as long with ours. */
enum { FEWEST = 5 };

/* If several calls read a variable, keeps the one that is furthest ahead. */
static void add(HgFetch *f, HgReal *const *rows, int skew) {
  const HgTile *r = f->tile;
  if (!rows || rows[r->j0] == rows[r->j1 - 1])
    return; /* all of the tile is one row, in the cache */
  int k = 0;
  while (k < f->arrays && f->array[k].rows != rows) k++;
  if (k == HG_FETCHED) return;
  if (k == f->arrays) f->array[f->arrays++].rows = rows, f->array[k].skew = skew;
  f->array[k].skew = PetscMax(f->array[k].skew, skew);
}

void HgFetchStart(const HgSweep *s, const HgWork work[], int calls, HgFetch *f) {
  const HgTile *r = s->tile;
  *f = (HgFetch){.tile = r, .lines = (r->i1 - r->i0 + HG_LINE - 1) / HG_LINE};
  if (!PAYS || HgMeshGetSpec(s->block->program->mesh)->nz) return;
  for (int c = 0; c < calls; c++) {
    const HgCall *call = work[c].call;
    for (int u = 0; u < call->uses; u++)
      if (!r->rows[call->use[u].value])
        add(f, HgValueRows(s->block, s->binding, call->use[u].value), call->skew);
  }
  if (f->arrays < FEWEST) f->arrays = 0;
}

void HgFetchRows(HgFetch *f, int base, int part, int parts) {
  const HgTile *r = f->tile;
  const long row = f->lines, all = (long)f->arrays * r->rows_at_once * row;
  const long goal = all * (part + 1) / parts;
  if (!part) f->done = 0;
  while (f->done < goal) {
    const int k = (int)(f->done / row / r->rows_at_once), i = (int)(f->done % row);
    const int j = base + f->array[k].skew + (int)(f->done / row % r->rows_at_once);
    const int lines = (int)PetscMin(goal - f->done, row - i);
    f->done += lines;
    if (j < r->j0 || j >= r->j1) continue;
    const HgReal *const line = f->array[k].rows[j] + r->i0 + HG_LINE * i;
    for (int l = 0; l < lines; l++) FETCH(line + HG_LINE * l);
  }
}
