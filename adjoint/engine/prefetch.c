/* Fetching ahead: the calls of a stage read the states' rows in its first calls and stay in the
   cache for the rest, so that memory would rest as well. Instead each call fetches a share of the
   rows that the next block begins with: on some processors steps of shallow water are 1.05 times as
   fast, in narrow strips 1.2; others fetch long rows ahead so well by themselves that it is in
   their way. */
#include "tile_private.h"

#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address, 0, 2)
#else
#define FETCH(address) (void)(address)
#endif
enum { LINE = 8 /* numbers in 64 bytes */ };

void HgPrefetchStart(HgBlock b, const HgStage *g, const HgTile *r, const HgBinding *binding,
                     HgPrefetch *f) {
  *f = (HgPrefetch){.tile = r, .lines = (r->i1 - r->i0 + LINE - 1) / LINE};
  if (!b->program->large || g->last == g->first + 1) return;
  if (!HgTuningWay(&g->fetching, HG_FETCHING_TURN)) return;
  for (int k = 0; k < g->incomings && f->incomings < HG_FETCHED; k++) {
    double *const *rows = HgValueRows(b, binding, g->incoming[k].value);
    if (!rows) continue;
    f->incoming[f->incomings].rows = rows;
    f->incoming[f->incomings++].skew = g->incoming[k].skew;
  }
}

void HgPrefetchRows(HgPrefetch *f, int base, int part, int parts) {
  const HgTile *r = f->tile;
  const long row = f->lines, all = (long)f->incomings * r->rows_at_once * row;
  const long goal = all * (part + 1) / parts;
  if (!part) f->done = 0;
  while (f->done < goal) {
    const int k = (int)(f->done / row / r->rows_at_once), i = (int)(f->done % row);
    const int j = base + f->incoming[k].skew + (int)(f->done / row % r->rows_at_once);
    const int lines = (int)PetscMin(goal - f->done, row - i);
    f->done += lines;
    if (j < r->j0 || j >= r->j1) continue;
    const double *const line = f->incoming[k].rows[j] + r->i0 + LINE * i;
    for (int l = 0; l < lines; l++) FETCH(line + LINE * l);
  }
}
