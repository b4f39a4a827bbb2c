/* SPDX-License-Identifier: BSD-2-Clause */
/* Cutting a patch into tiles: rectangles of owned cells, each of which is computed on its own. */
#include "tile_private.h"
#include <halograd/memory_library.h>

void HgTilingFree(HgTiling *t) {
  for (int k = 0; k < t->tiles; k++) {
    HgFreeMemory(t->tile[k].memory, t->tile[k].bytes);
    (void)PetscFree(t->tile[k].rows);
    (void)PetscFree(t->tile[k].work);
  }
  (void)PetscFree(t->tile);
  (void)PetscFree(t->skip);
  *t = (HgTiling){0};
}

/* ---- cutting ---- */

/* Of the cache: the rows of states that calls read want to be there, too. */
static long row_buffer_share(HgProgram p) { return p->cache / 3; }

/* *columns: of which what calls hand on stays in that share, so many rows at a time; 0: they hand
   on nothing. */
static PetscErrorCode fitting_columns(HgBlock b, const HgStage *g, int ny, int rows_at_once,
                                      long *columns) {
  int rows;
  PetscCall(HgRowBuffersRows(b, g, ny, rows_at_once, &rows));
  const long bytes = rows * HgRowBuffersLevels(b->program) * (long)sizeof(HgReal);
  *columns = rows ? PetscMax(1, row_buffer_share(b->program) / bytes) : 0;
  return 0;
}

/* A call that reads far around its cells makes parts of what it needs for as many rows more. */
static int fewest_rows(HgBlock b, const HgStage *g) {
  int rows = HgMeshGetSpec(b->program->mesh)->nz ? 1 : 4;
  for (int c = g->first; c < g->last; c++)
    rows = PetscMax(rows, (b->call[c].mode == HG_COTANGENT ? 4 : 2) *
                              b->program->term[b->call[c].term].radius);
  return rows;
}

enum { UNIT = 8 };

/* What the calls of a block of rows hand on should stay in its share of the cache. Where that would
   make strips too narrow, so that they lose more by what lies beside them and by short rows, the
   next cache has to do. A call that finds a few cells to do takes as long to begin: in narrow tiles
   it does more rows, as long as what it hands on still fits. Each tile is at least as wide as its
   calls reach beyond it, so that they never reach across a wall; threads have as many layers of
   rows. */
PetscErrorCode HgStageShape(HgBlock b, const HgStage *g, int nx, int ny, HgTileShape *s) {
  enum { WIDE = 600, TIMES_DEPTH = 32, ENOUGH = 2048 };

  const HgProgram p = b->program;
  int rows;
  long fitting = 0, wanted;
  *s = (HgTileShape){.rows_at_once = p->tile_rows ? p->tile_rows : fewest_rows(b, g)};
  PetscCall(fitting_columns(b, g, ny, s->rows_at_once, &s->fitting));
  if (!s->fitting) s->rows_at_once = ny + 2 * HgRowBuffersMargin(p);
  if (!s->fitting) s->fitting = row_buffer_share(p) / (long)sizeof(HgReal);
  wanted =
      s->fitting >= HG_NARROW_TILE ? (nx + s->fitting - 1) / s->fitting : (nx + WIDE / 2) / WIDE;
  wanted = PetscMax(1, PetscMin(nx / PetscMax(1, TIMES_DEPTH * g->depth), wanted));
  s->columns = p->tile_columns ? p->tile_columns : (int)((nx + wanted - 1) / wanted);
  s->columns = (s->columns + UNIT - 1) / UNIT * UNIT;
  while (!p->tile_rows && s->rows_at_once < ny && (long)s->columns * s->rows_at_once < ENOUGH) {
    PetscCall(fitting_columns(b, g, ny, 2 * s->rows_at_once, &fitting));
    if (fitting < s->columns) break;
    s->rows_at_once *= 2;
  }
  if (HgMeshGetSpec(p->mesh)->nz) s->columns = nx; /* short rows take far longer than they save */
  wanted = (nx + s->columns - 1) / s->columns;
  s->strips = (int)PetscMax(1, PetscMin(wanted, nx / (g->depth + UNIT)));
  s->layers = PetscMax(1, PetscMin(p->threads, ny / (g->depth + 1)));
  const int widest = (nx + s->strips - 1) / s->strips;
  s->columns = PetscMin((widest + UNIT - 1) / UNIT * UNIT, nx);
  PetscCall(HgRowBuffersRows(b, g, ny, s->rows_at_once, &rows));
  s->bytes = (size_t)rows * (size_t)widest * (size_t)HgRowBuffersLevels(p) * sizeof(HgReal);
  return 0;
}

static PetscErrorCode add_tile(HgBlock b, const HgStage *g, HgTiling *t, HgSpan s,
                               int rows_at_once) {
  const HgPatch *patch = HgMeshGetPatch(b->program->mesh);
  if (s.i0 >= s.i1 || s.j0 >= s.j1) return 0;
  PetscCall(PetscRealloc(sizeof *t->tile * (size_t)(t->tiles + 1), &t->tile));
  HgTile *r = &t->tile[t->tiles++];
  *r = (HgTile){.i0 = s.i0, .i1 = s.i1, .j0 = s.j0, .j1 = s.j1};
  r->west = patch->wall_west && s.i0 == 0, r->east = patch->wall_east && s.i1 == patch->nx;
  r->south = patch->wall_south && s.j0 == 0, r->north = patch->wall_north && s.j1 == patch->ny;
  r->rows_at_once = PetscMin(rows_at_once, s.j1 - s.j0 + 2 * HgRowBuffersMargin(b->program));
  return HgRowBuffersCreate(b, g, t, r);
}

/* Where piece k of `pieces` begins in [0, n), a multiple of `unit` but for the end. */
static int piece(int n, int k, int pieces, int unit) {
  const int at = (int)((long)n * k / pieces);
  return k == pieces ? n : at / unit * unit;
}

/* What of `all` lies south, west, east and north of a part of it. */
enum { RING = 4 };

static void around(HgSpan all, HgSpan part, HgSpan ring[RING]) {
  ring[0] = (HgSpan){all.i0, all.i1, all.j0, part.j0};
  ring[1] = (HgSpan){all.i0, part.i0, part.j0, part.j1};
  ring[2] = (HgSpan){part.i1, all.i1, part.j0, part.j1};
  ring[3] = (HgSpan){all.i0, all.i1, part.j1, all.j1};
}

/* What of some cells tiles are to cover: all, or as far as anything is wet within reach; but where
   they end beside a wall, calls must not reach across it. */
static PetscErrorCode trim(HgBlock b, const HgStage *g, HgTiling *t, HgSpan *cells) {
  const HgPatch *patch = HgMeshGetPatch(b->program->mesh);
  const HgSpan all = *cells;
  if (!b->program->mask) return 0;
  *cells = HgMaskBox(b->program->mask, all);
  if (cells->i0 < cells->i1) {
    if (patch->wall_west && cells->i0 < g->depth) cells->i0 = all.i0;
    if (patch->wall_east && cells->i1 > patch->nx - g->depth) cells->i1 = all.i1;
    if (patch->wall_south && cells->j0 < g->depth) cells->j0 = all.j0;
    if (patch->wall_north && cells->j1 > patch->ny - g->depth) cells->j1 = all.j1;
  }
  PetscCall(PetscRealloc(sizeof *t->skip * (size_t)(t->skips + RING), &t->skip));
  around(all, *cells, t->skip + t->skips);
  t->skips += RING;
  return 0;
}

static PetscErrorCode add_tiles(HgBlock b, const HgStage *g, HgTiling *t, HgSpan all) {
  HgSpan cells = all;
  HgTileShape s;
  if (all.i0 >= all.i1 || all.j0 >= all.j1) return 0;
  PetscCall(trim(b, g, t, &cells));
  const int i0 = cells.i0, j0 = cells.j0, nx = cells.i1 - i0, ny = cells.j1 - j0;
  if (nx <= 0 || ny <= 0) return 0;
  PetscCall(HgStageShape(b, g, nx, ny, &s));
  for (int layer = 0; layer < s.layers; layer++)
    for (int k = 0; k < s.strips; k++) {
      const HgSpan tile = {i0 + piece(nx, k, s.strips, UNIT), i0 + piece(nx, k + 1, s.strips, UNIT),
                           j0 + piece(ny, layer, s.layers, 1),
                           j0 + piece(ny, layer + 1, s.layers, 1)};
      PetscCall(add_tile(b, g, t, tile, s.rows_at_once));
    }
  return 0;
}

/* The whole patch, what of it computes nothing from across seams, or the rest. */
static PetscErrorCode cut(HgBlock b, const HgStage *g, HgTilingKind kind, HgTiling *t) {
  const HgPatch *patch = HgMeshGetPatch(b->program->mesh);
  const int d = g->depth;
  const HgSpan all = {0, patch->nx, 0, patch->ny};
  const HgSpan inner = {patch->wall_west ? 0 : d, all.i1 - (patch->wall_east ? 0 : d),
                        patch->wall_south ? 0 : d, all.j1 - (patch->wall_north ? 0 : d)};
  HgSpan ring[RING];
  if (kind != HG_TILING_FRAME) return add_tiles(b, g, t, kind == HG_TILING_WHOLE ? all : inner);
  around(all, inner, ring);
  for (int k = 0; k < RING; k++) PetscCall(add_tiles(b, g, t, ring[k]));
  return 0;
}

PetscErrorCode HgStageTile(HgBlock b, HgStage *g, HgTilingKind kind) {
  HgTiling *t = &g->work->tiling[kind];
  if (t->made && t->mask == b->program->masks) return 0;
  HgTilingFree(t);
  t->made = true, t->mask = b->program->masks;
  PetscCall(cut(b, g, kind, t));
  const PetscErrorCode ierr =
      HgAgree(HgMeshComm(b->program->mesh), t->failed, HG_ERR_MEMORY,
              "program '%s': no memory for %zu bytes", b->program->name, t->bytes);
  if (ierr) HgTilingFree(t); /* so that the next call is refused too */
  return ierr;
}
