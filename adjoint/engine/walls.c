/* SPDX-License-Identifier: BSD-2-Clause */
/* What lies outside walls while a tile is swept: the ghosts of rows in row buffers are filled, or
   their cotangents are added to the cells that they were filled from, as the rows come by. */
#include "sweep_private.h"

/* Whether old values of a row buffer must be cleared outside western and eastern walls.
   Contributions to an x_bar that starts from nothing are added there; frozen ghosts of a variable
   that is not carried are 0. A reader runs at most `depth` outside, and reads as far from there. */
static bool needs_zeros(const HgWork *w, const HgValue *value, int k) {
  const HgBoundary *const b = &value->variable->boundary;
  if (!value->buffered || !value->filled) return false;
  if (w->call->mode == HG_COTANGENT)
    return w->call->fresh[k] || HgLoadsFirst(w->sweep->block, w->call, k);
  return w->call->mode == HG_PRIMAL && value->variable->role != HG_CARRIED &&
         (b->west.kind == HG_FROZEN || b->east.kind == HG_FROZEN || b->below.kind == HG_FROZEN ||
          b->above.kind == HG_FROZEN);
}

/* Clears a row with its levels; levels beyond those computed become 0 completely. */
static void clear_row(const HgWork *w, int reach, const HgLevels *l, HgReal *slab) {
  const HgTile *r = w->sweep->tile;
  const int below = l->below || l->round ? reach : 0, above = l->above || l->round ? reach : 0;
  for (int k = l->first - below; k < l->end + above; k++) {
    HgReal *const row = slab + k * l->pitch;
    const bool computed = l->flat || (k >= w->box.k0 && k < w->box.k1);
    if (!computed) HgZero(row, w->all.i0, w->all.i1);
    if (r->west) HgZero(row, r->i0 - reach, w->all.i0);
    if (r->east) HgZero(row, w->all.i1, r->i1 + reach);
  }
}

void HgWallsClear(const HgWork *w, int from, int to) {
  for (int k = 0; w->walls.clear && k < w->call->outs; k++) {
    const HgValue *value = &w->sweep->block->value[w->call->out[k]];
    const HgLevels levels = HgWorkLevels(w, w->call->out[k], w->call->overlap);
    for (int j = needs_zeros(w, value, k) ? from : to; j < to; j++)
      clear_row(w, 2 * value->variable->depth, &levels, w->out[k][j]);
  }
}

/* ---- closed faces ---- */

/* The values that a call masks in row buffers: its results, or for an adjoint their cotangents,
   which it reads. */
static const int *masked(const HgWork *w, int *values) {
  const bool bar = w->call->mode == HG_COTANGENT;
  *values = bar ? w->term->writes : w->call->outs;
  return bar ? w->call->second : w->call->out;
}

static bool closed_faces(const HgWork *w, int value) {
  const HgClosedFaces closed = HgValueVariable(w->sweep->block, value)->closed;
  return w->sweep->block->value[value].buffered &&
         (closed.column != HG_NOWHERE || closed.row != HG_NOWHERE || closed.level != HG_NOWHERE);
}

/* An adjoint reads `radius` around the cells it computes. */
void HgWallsMask(const HgWork *w, int from, int to) {
  int values;
  const int *const value = masked(w, &values);
  const int radius = w->call->mode == HG_COTANGENT ? w->term->radius : 0;
  const int j0 = from == w->all.j0 ? from - radius : from + radius;
  for (int k = 0; w->walls.mask && k < values; k++) {
    const HgLevels levels = HgWorkLevels(w, value[k], w->call->overlap + radius);
    if (closed_faces(w, value[k]))
      HgClosedFacesMask(HgValueVariable(w->sweep->block, value[k])->closed, &levels, radius,
                        w->all.i0 - radius, w->all.i1 + radius, j0, to + radius,
                        w->sweep->tile->rows[value[k]]);
  }
}

/* ---- ghosts outside walls ---- */

/* Rows [from, to) of a tile within the domain, with the cells beside them. */
static HgWindow rows_of(const HgWork *w, HgLevels levels, int from, int to) {
  const HgTile *r = w->sweep->tile;
  const HgSpan s = HgTileSpan(r, 0, w->call->overlap);
  return (HgWindow){s.i0,  s.i1,  PetscMax(from, s.j0), PetscMin(to, s.j1), r->west, r->east, false,
                    false, levels};
}

/* No rows, only cells south or north of line j, with the corners outside both walls. */
static HgWindow line_of(const HgWork *w, HgLevels levels, int layers, int j) {
  const HgTile *r = w->sweep->tile;
  const HgSpan s = HgTileSpan(r, 0, w->call->overlap);
  return (HgWindow){.i0 = s.i0 - (r->west ? layers : 0),
                    .i1 = s.i1 + (r->east ? layers : 0),
                    .j0 = j,
                    .j1 = j,
                    .levels = levels};
}

/* Fills rows outside walls: west and east of the computed rows, then south and north. The transpose
   runs in reverse order once all contributions are there: the first and last rows also get those
   from south and north (HgTileReached()). */
static void outside(const HgWork *w, int k, int from, int to) {
  const HgTile *r = w->sweep->tile;
  const HgProgramVariable *v = HgValueVariable(w->sweep->block, w->call->out[k]);
  const bool bar = w->call->mode == HG_COTANGENT;
  const HgLevels levels = HgWorkLevels(w, w->call->out[k], w->call->overlap);
  const bool ghosts = levels.below || levels.above || levels.round;
  HgWindow rows = rows_of(w, levels, from, to), south = line_of(w, levels, v->depth, r->j0),
           north = line_of(w, levels, v->depth, r->j1);
  south.south = r->south && (bar ? from == w->all.j0 : from < r->j0 + v->depth);
  north.north = r->north && to == w->all.j1;
  const HgWindow windows[] = {bar ? south : rows, bar ? north : south, bar ? rows : north};
  for (int n = 0; n < 3; n++) {
    const HgWindow *const beside = &windows[n];
    if (!beside->west && !beside->east && !beside->south && !beside->north &&
        (!ghosts || beside->j0 >= beside->j1))
      continue;
    if (w->kept[k]) HgBoundaryKeep(&v->boundary, v->depth, beside, w->kept[k], w->out[k]);
    HgBoundaryFill(&v->boundary, w->call->mode, v->depth, beside, w->out[k]);
  }
}

static bool filled(const HgWork *w, int k) {
  const HgValue *value = &w->sweep->block->value[w->call->out[k]];
  return value->buffered && value->filled &&
         (w->call->mode != HG_COTANGENT || w->call->applies_boundary_adjoint[k]);
}

void HgWallsFollow(const HgWork *w, int from, int to) {
  for (int k = 0; w->walls.follow && k < w->call->outs; k++)
    if (filled(w, k)) outside(w, k, from, to);
}

/* ---- what there is to do for a call ---- */
void HgWallsBind(HgWork *w) {
  const HgSweep *s = w->sweep;
  const HgTile *r = s->tile;
  int values;
  const int *const value = masked(w, &values);
  for (int k = 0; k < values; k++) w->walls.mask = w->walls.mask || closed_faces(w, value[k]);
  for (int k = 0; k < w->call->outs; k++) {
    const int start = HgValueFrozenStart(s->block, w->call->out[k]);
    const HgLevels l = HgWorkLevels(w, w->call->out[k], 0);
    const bool beside = r->west || r->east || l.below || l.above || l.round;
    if (start >= 0) w->kept[k] = (HgRows)HgValueRows(s->block, s->binding, start);
    w->walls.clear =
        w->walls.clear || (beside && needs_zeros(w, &s->block->value[w->call->out[k]], k));
    w->walls.follow = w->walls.follow || ((beside || r->south || r->north) && filled(w, k));
  }
}
