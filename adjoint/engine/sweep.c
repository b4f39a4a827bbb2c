/* SPDX-License-Identifier: BSD-2-Clause */
/* A tile, block of rows by block of rows: each call of a stage does the rows that its readers will
   need for theirs, so that what it hands on is still in the cache. */
#include "sweep_private.h"

static HgReal *const *rows_of(const HgSweep *s, int value) {
  HgReal *const *rows = s->tile->rows[value];
  return rows ? rows : HgValueRows(s->block, s->binding, value);
}

/* ---- kernels ---- */
static inline void call_kernel(const HgWork *w, const HgBox *box, const HgRowsOut out[]) {
  const HgStencil *s = w->kernel->stencil;
  const void *const params = w->kernel->params;
  if (w->call->mode == HG_PRIMAL) s->apply(box, params, w->x, out);
  else if (w->call->mode == HG_TANGENT) s->tangent(box, params, w->x, w->second, out);
  else s->adjoint(box, params, w->x, w->second, out);
}

/* The levels of a result that are computed: [i0, i1). */
static HgStretch levels_of(const HgWork *w, const HgLevels *l) {
  return l->flat ? (HgStretch){0, 1} : (HgStretch){w->box.k0, w->box.k1};
}

void HgZeroFresh(const HgWork *w, int i0, int i1, int j0, int j1, const HgRowsOut out[]) {
  for (int k = 0; k < w->call->outs; k++) {
    const HgLevels l = HgValueLevels(w->sweep->block, w->call->out[k]);
    const HgStretch levels = levels_of(w, &l);
    for (int j = j0; w->call->fresh[k] && out[k] && j < j1; j++)
      for (int level = levels.i0; level < levels.i1; level++)
        HgZero(out[k][j] + level * l.pitch, i0, i1);
  }
}

/* Zeroes x_bar that start from nothing just before contributions are added, segment by segment,
   while the zeros are in the first-level cache. */
static void run_zeroing(const HgWork *w, const HgBox *box, const HgRowsOut out[]) {
  enum { COLUMNS = 1024 };

  HgBox part = *box;
  for (int j = box->j0; j < box->j1; j++)
    for (part.i0 = box->i0; part.i0 < box->i1; part.i0 = part.i1) {
      part.j0 = j, part.j1 = j + 1, part.i1 = PetscMin(box->i1, part.i0 + COLUMNS);
      HgZeroFresh(w, part.i0, part.i1, j, j + 1, out);
      call_kernel(w, &part, out);
    }
}

static void run_part(HgWork *w, int i0, int i1, int j0, int j1, bool own) {
  HgBox *const box = &w->box;
  box->i0 = i0, box->i1 = i1, box->j0 = j0, box->j1 = j1;
  const HgRowsOut *const out = own ? w->out : w->beside;
  if (w->zeroes) run_zeroing(w, box, out);
  else call_kernel(w, box, out);
  if (w->limits && own) HgLimitsLook(w, box, out);
}

static void run_box(HgWork *w, int i0, int i1, int j0, int j1, bool own) {
  if (i0 >= i1 || j0 >= j1) return;
  if (w->mask) HgMaskedRun(w, i0, i1, j0, j1, own, run_part);
  else run_part(w, i0, i1, j0, j1, own);
}

/* ---- one call on some rows ---- */

/* Runs the columns of a tile, which begin where memory is aligned, apart from those beside it. */
static void run_columns(HgWork *w, int j0, int j1) {
  run_box(w, w->all.i0, w->own.i0, j0, j1, false);
  run_box(w, w->own.i0, w->own.i1, j0, j1, true);
  run_box(w, w->own.i1, w->all.i1, j0, j1, false);
}

/* Runs all columns of the levels [k0, k1) beside the tile. */
static void run_beside(HgWork *w, int k0, int k1, int from, int to) {
  w->box.k0 = k0, w->box.k1 = k1;
  if (k0 < k1) run_box(w, w->all.i0, w->all.i1, from, to, false);
}

/* Runs the first columns beside a tile apart, so that the others begin at aligned memory: vectors
   that cross cache lines take half as long again. */
static void run_rows(HgWork *w, int from, int to) {
  const HgSpan all = w->all, own = w->own;
  if (!w->apart) {
    const int aligned = own.i0 - (own.i0 - all.i0) / HG_LINE * HG_LINE;
    run_box(w, all.i0, aligned, from, to, true);
    run_box(w, aligned, all.i1, from, to, true);
    return;
  }
  const HgStretch levels = w->levels, own_levels = w->own_levels;
  run_beside(w, levels.i0, own_levels.i0, from, to);
  run_beside(w, own_levels.i1, levels.i1, from, to);
  w->box.k0 = own_levels.i0, w->box.k1 = own_levels.i1;
  const int j0 = PetscMin(PetscMax(from, own.j0), to), j1 = PetscMax(PetscMin(to, own.j1), from);
  run_box(w, all.i0, all.i1, from, j0, false);
  run_columns(w, j0, j1);
  run_box(w, all.i0, all.i1, PetscMax(j0, j1), to, false);
  w->box.k0 = levels.i0, w->box.k1 = levels.i1;
}

/* Stores results of row buffers that are also in states, row by row. */
static void store_through(const HgWork *w, int from, int to) {
  const HgTile *r = w->sweep->tile;
  const int j0 = PetscMax(from, r->j0), j1 = PetscMin(to, r->j1);
  for (int k = 0; k < w->call->outs; k++) {
    const HgLevels l = HgWorkLevels(w, w->call->out[k], 0);
    const int levels = l.end - l.first;
    for (int n = 0; w->caller[k] && n < levels * (j1 - j0); n++) {
      const int j = j0 + n / levels;
      const ptrdiff_t level = (l.first + n % levels) * l.pitch;
      const HgReal *const made = w->out[k][j] + level + r->i0;
      HgReal *const given = w->caller[k][j] + level + r->i0;
      if (w->sweep->streams) HgStreamRow(made, given, r->i1 - r->i0);
      else memcpy(given, made, (size_t)(r->i1 - r->i0) * sizeof(HgReal));
      if (w->mask) HgMaskZero(HgMaskRow(w->mask, HG_REACH_WRITTEN, j), r->i0, r->i1, given - r->i0);
    }
  }
}

/* Loads a level of a row of a cotangent of the block's end; 0 outside walls. */
static void load_first_row(const HgWork *w, HgSpan s, bool inside, const HgReal *given,
                           HgReal *row) {
  HgZero(row, w->all.i0, inside ? s.i0 : w->all.i1);
  HgZero(row, s.i1, inside ? w->all.i1 : s.i1);
  if (inside) memcpy(row + s.i0, given + s.i0, (size_t)(s.i1 - s.i0) * sizeof(HgReal));
}

/* Loads cotangents of the block's end before the first call that adds to them; 0 outside walls. */
static void load_first(const HgWork *w, int from, int to) {
  const HgSpan s = HgTileSpan(w->sweep->tile, 0, w->call->overlap);
  for (int k = 0; k < w->call->outs; k++) {
    const HgLevels l = HgWorkLevels(w, w->call->out[k], w->call->overlap);
    const HgStretch levels = levels_of(w, &l);
    for (int j = from; w->caller[k] && j < to; j++)
      for (int level = levels.i0; level < levels.i1; level++)
        load_first_row(w, s, j >= s.j0 && j < s.j1 && level >= l.first && level < l.end,
                       w->caller[k][j] + level * l.pitch, w->out[k][j] + level * l.pitch);
  }
}

static void run_call(HgWork *w, int from, int to) {
  const PetscLogEvent event = w->term->event[w->call->mode];
  if (w->sweep->logged) PetscCallContinue(PetscLogEventBegin(event, 0, 0, 0, 0));
  const bool bar = w->call->mode == HG_COTANGENT;
  HgWallsClear(w, from, to);
  if (bar) HgWallsMask(w, from, to);
  if (w->shares && bar) load_first(w, from, to);
  run_rows(w, from, to);
  if (!bar) HgWallsMask(w, from, to);
  if (w->shares && !bar) store_through(w, from, to);
  HgWallsFollow(w, from, to);
  if (w->sweep->logged) PetscCallContinue(PetscLogEventEnd(event, 0, 0, 0, 0));
}

/* ---- all calls ---- */

/* Arrays of rows of a call: for reads, and for results or the inputs of `second`. */
enum { HG_ARRAYS = 6 };

static size_t widest(HgProgram p, const HgCall *c) {
  const HgTerm *t = &p->term[c->term];
  return (size_t)PetscMax(t->writes, PetscMax(t->reads, p->term[c->kernel].reads));
}

size_t HgSweepBytes(HgBlock b, const HgStage *g) {
  size_t bytes = 0;
  for (int c = g->first; c < g->last; c++)
    bytes += sizeof(HgWork) + HG_ARRAYS * widest(b->program, &b->call[c]) * sizeof(void *);
  return bytes;
}

/* The levels of a tile that a term's call computes, with overlap towards other tiles and outside
   walls. */
static HgStretch computed_levels(const HgTile *r, const HgTerm *t, int walls, int seams) {
  const HgLevels l = HgTileLevels(r, !t->stencil->levels, seams);
  return (HgStretch){l.first - (l.below ? walls : 0), l.end + (l.above ? walls : 0)};
}

/* Takes its arrays from *room, which then points behind them. */
static void bind(const HgSweep *s, HgCall *c, HgWork *w, void **room[]) {
  const HgTerm *t = &s->block->program->term[c->term];
  const size_t n = widest(s->block->program, c);
  const HgTile *r = s->tile;
  *w = (HgWork){.sweep = s, .call = c, .term = t, .box = *s->patch};
  w->kernel = &s->block->program->term[c->kernel];
  memset(*room, 0, HG_ARRAYS * n * sizeof **room);
  w->x = (HgRows *)*room, w->second = w->x + n;
  w->kept = w->second + n;
  w->out = (HgRowsOut *)(w->kept + n), w->beside = w->out + n, w->caller = w->beside + n;
  *room += HG_ARRAYS * n;
  w->box.zeros = r->zeros;
  w->box.step += c->step;
  w->box.t = (double)w->box.step * s->block->program->dt;
  w->levels = computed_levels(r, t, c->outside, c->overlap);
  w->own_levels = computed_levels(r, t, c->outside, 0);
  w->box.k0 = w->levels.i0, w->box.k1 = w->levels.i1;
  w->all = HgTileSpan(r, c->outside, c->overlap), w->own = HgTileSpan(r, c->outside, 0);
  w->frontier = w->all.j0;
  w->mask = s->block->program->mask && HgMaskDry(s->block->program->mask) ? s->block->program->mask
                                                                          : NULL;
  for (int k = 0; k < w->kernel->reads; k++) w->x[k] = (HgRows)rows_of(s, c->x[k]);
  const int seconds = c->mode == HG_TANGENT ? t->reads : c->mode == HG_COTANGENT ? t->writes : 0;
  for (int k = 0; k < seconds; k++) w->second[k] = (HgRows)rows_of(s, c->second[k]);
  for (int k = 0; k < c->outs; k++) {
    const HgValue *value = &s->block->value[c->out[k]];
    const bool fresh = c->mode == HG_COTANGENT && c->fresh[k];
    w->out[k] = HgValueInactive(s->block, c->out[k]) ? NULL : rows_of(s, c->out[k]);
    if (value->stored_through || HgLoadsFirst(s->block, c, k) ||
        HgValueSaved(s->block, s->binding, c->out[k]))
      w->caller[k] = HgValueRows(s->block, s->binding, c->out[k]);
    w->shares = w->shares || w->caller[k];
    w->beside[k] = value->buffered ? w->out[k] : NULL;
    w->apart = w->apart || (c->overlap && !value->buffered);
    w->limits = w->limits || HgLimitsApply(s, c, k);
    w->zeroes = w->zeroes || (fresh && !t->stencil->sets);
    if (k < HG_STENCIL_READS) w->box.fresh |= fresh && t->stencil->sets ? 1u << k : 0;
  }
  HgWallsBind(w);
}

/* Whether a variable of the patch is larger than the cache. Then states between steps are written
   past the caches, and rows are prefetched if that pays. Measured: 16 stored steps of shallow water
   are reversed 1.1 times as fast. */
static bool is_large(HgBlock b, const HgBox *patch) {
  const double cells = (double)(patch->i1 - patch->i0) * (patch->j1 - patch->j0) * patch->nz;
  return cells * (double)sizeof(HgReal) > (double)b->program->cache;
}

void HgTileSweep(HgBlock b, const HgStage *g, HgTile *r, const HgBinding *binding,
                 const HgBox *patch, bool logged) {
  const bool large = is_large(b, patch);
  const HgSweep s = {b, r, binding, patch, logged, binding->saved && large};
  const int calls = g->last - g->first;
  HgWork *const work = r->work;
  void **room = (void **)(work + calls);
  int base = r->j0, end = r->j0;
  for (int c = 0; c < calls; c++) {
    bind(&s, &s.block->call[g->first + c], &work[c], &room);
    base = PetscMin(base, work[c].all.j0 - work[c].call->skew);
    end = PetscMax(end, work[c].all.j1 - work[c].call->skew);
  }
  HgFetch fetch = {.arrays = 0};
  if (large) HgFetchStart(&s, work, calls, &fetch);
  for (; base < end; base += r->rows_at_once)
    for (int c = 0; c < calls; c++) {
      HgWork *const w = &work[c];
      if (fetch.arrays) HgFetchRows(&fetch, base + r->rows_at_once, c, calls);
      const int from = w->frontier, to = HgTileReached(b, r, w->call, w->all, base);
      if (from >= to) continue;
      run_call(w, from, to);
      w->frontier = to;
    }
  if (s.streams) HgStreamEnd();
}
