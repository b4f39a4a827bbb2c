/* What lies outside walls while a tile is swept: the ghosts of rows in row buffers are filled, or
   their cotangents are added to the cells that they were filled from, as the rows come by. */
#include "sweep_private.h"

/* Must what a row of a row buffer held before be cleared outside western and eastern walls?
   Contributions to an x_bar that starts from nothing are summed there; frozen ghosts of a variable
   that is not carried are 0. A reader runs `depth` outside at most, and reads as far from there. */
bool HgWallsNeedZeros(const HgSweep *s, const HgCall *c, int k) {
  const HgValue *value = &s->block->value[c->out[k]];
  const HgProgramVariable *v = HgValueVariable(s->block, c->out[k]);
  if (!value->buffered || !value->filled) return false;
  if (c->mode == HG_COTANGENT) return c->fresh[k] || HgTakesIn(s->block, c, k);
  return c->mode == HG_PRIMAL && v->role != HG_CARRIED &&
         (v->boundary.west.kind == HG_FROZEN || v->boundary.east.kind == HG_FROZEN);
}

void HgWallsClear(const HgWork *w, int from, int to) {
  const HgTile *r = w->sweep->tile;
  for (int k = 0; k < w->call->outs; k++) {
    if (!HgWallsNeedZeros(w->sweep, w->call, k)) continue;
    const int reach = 2 * HgValueVariable(w->sweep->block, w->call->out[k])->depth;
    for (int j = from; j < to; j++) {
      if (r->west) HgZero(w->out[k][j], r->i0 - reach, w->all.i0);
      if (r->east) HgZero(w->out[k][j], w->all.i1, r->i1 + reach);
    }
  }
}

/* ---- closed faces ---- */

/* The values that a call masks in row buffers: its results, or what its adjoint reads of their
   cotangents, `radius` around the cells it computes. */
typedef struct {
  const int *value;
  int values, radius;
} Masked;

static Masked masked_by(const HgProgram p, const HgCall *c) {
  const HgTerm *t = &p->term[c->term];
  return c->mode == HG_COTANGENT ? (Masked){c->second, t->writes, t->radius}
                                 : (Masked){c->out, c->outs, 0};
}

static bool reaches(HgSpan s, int radius, HgClosedFaces closed) {
  return (closed.column >= s.i0 - radius && closed.column < s.i1 + radius) ||
         (closed.row >= s.j0 - radius && closed.row < s.j1 + radius);
}

bool HgWallsClosed(const HgSweep *s, const HgCall *c, HgSpan all) {
  const Masked m = masked_by(s->block->program, c);
  for (int k = 0; k < m.values; k++)
    if (s->block->value[m.value[k]].buffered &&
        reaches(all, m.radius, HgValueVariable(s->block, m.value[k])->closed))
      return true;
  return false;
}

void HgWallsMask(const HgWork *w, int from, int to) {
  const HgSweep *s = w->sweep;
  const Masked m = masked_by(s->block->program, w->call);
  const HgSpan rows = {w->all.i0 - m.radius, w->all.i1 + m.radius,
                       from == w->all.j0 ? from - m.radius : from + m.radius, to + m.radius};
  for (int k = 0; k < m.values; k++)
    if (s->block->value[m.value[k]].buffered)
      HgValueMask(s->block, m.value[k], rows, s->tile->rows[m.value[k]]);
}

/* ---- ghosts outside walls ---- */

/* Rows [from, to) of a tile within the domain, with what lies beside them. */
static HgWindow rows_of(const HgWork *w, int from, int to) {
  const HgTile *r = w->sweep->tile;
  const HgSpan s = HgTileSpan(r, 0, w->call->overlap);
  return (HgWindow){s.i0,  s.i1, PetscMax(from, s.j0), PetscMin(to, s.j1), r->west, r->east,
                    false, false};
}

/* No rows, only what lies south or north of line j, corners outside both walls included. */
static HgWindow line_of(const HgWork *w, int layers, int j) {
  const HgTile *r = w->sweep->tile;
  const HgSpan s = HgTileSpan(r, 0, w->call->overlap);
  return (HgWindow){
      .i0 = s.i0 - (r->west ? layers : 0), .i1 = s.i1 + (r->east ? layers : 0), .j0 = j, .j1 = j};
}

/* Outside walls rows are filled: west and east of those computed, then south and north. The transpose, once all
   contributions to the rows are there, goes the other way round: the first and the last rows take in at once what lies
   south and north (HgTileReached()). */
static void outside(const HgWork *w, int k, int from, int to) {
  const HgSweep *s = w->sweep;
  const HgTile *r = s->tile;
  const HgProgramVariable *v = HgValueVariable(s->block, w->call->out[k]);
  const bool bar = w->call->mode == HG_COTANGENT;
  const int start = HgValueStart(s->block, w->call->out[k]);
  HgWindow rows = rows_of(w, from, to), south = line_of(w, v->depth, r->j0),
           north = line_of(w, v->depth, r->j1);
  south.south = r->south && (bar ? from == w->all.j0 : from < r->j0 + v->depth);
  north.north = r->north && to == w->all.j1;
  const HgWindow windows[] = {bar ? south : rows, bar ? north : south, bar ? rows : north};
  for (int n = 0; n < 3; n++) {
    if (start >= 0)
      HgBoundaryKeep(&v->boundary, v->depth, &windows[n],
                     (HgRows)HgValueRows(s->block, s->binding, start), w->out[k]);
    HgBoundaryFill(&v->boundary, w->call->mode, v->depth, &windows[n], w->out[k]);
  }
}

/* Do these rows lie away from walls, and their ghosts `depth` deep too? */
static bool inland(const HgWork *w, int depth, int from, int to) {
  const HgTile *r = w->sweep->tile;
  return !r->west && !r->east && from >= r->j0 + depth && to < PetscMin(r->j1, w->all.j1);
}

void HgWallsFollow(const HgWork *w, int from, int to) {
  const HgSweep *s = w->sweep;
  for (int k = 0; w->walls && k < w->call->outs; k++) {
    const HgValue *value = &s->block->value[w->call->out[k]];
    if (!value->buffered || !value->filled) continue;
    if (inland(w, HgValueVariable(s->block, w->call->out[k])->depth, from, to)) continue;
    if (w->call->mode != HG_COTANGENT || w->call->folds[k]) outside(w, k, from, to);
  }
}
