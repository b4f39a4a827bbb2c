/* Cutting a patch into tiles: rectangles of owned cells, each of which is computed on its own. */
#include "tile_private.h"
#include <halograd/memory.h>

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

/* Of the second-level cache: the rows of states that calls read want to be there, too. */
static long row_buffer_share(HgProgram p) { return p->cache / 3; }

/* *columns: of which what calls hand on stays in that share, so many rows at a time; 0: they hand on
   nothing. */
static PetscErrorCode fitting_columns(HgBlock b, const HgStage *g, int ny, int rows_at_once,
                                      long *columns) {
  int rows;
  PetscCall(HgRowBuffersRows(b, g, ny, rows_at_once, &rows));
  *columns = rows ? PetscMax(1, row_buffer_share(b->program) / (rows * (long)sizeof(double))) : 0;
  return 0;
}

/* A call that reads far around its cells makes parts of what it needs for as many rows more. */
static int fewest_rows(HgBlock b, const HgStage *g) {
  int rows = 4;
  for (int c = g->first; c < g->last; c++)
    rows = PetscMax(rows, (b->call[c].mode == HG_COTANGENT ? 4 : 2) *
                              b->program->term[b->call[c].term].radius);
  return rows;
}

enum { UNIT = 8 };

/* What the calls of a block of rows hand on should stay in its share of the cache. Where that would
   make strips too narrow, so that they lose more by what lies beside them and by short rows, the next
   cache has to do. A call that finds a few cells to do takes as long to begin: in narrow tiles it does
   more rows, as long as what it hands on still fits. Each tile is at least as wide as its calls reach
   beyond it, so that they never reach across a wall; threads have as many layers of rows. */
PetscErrorCode HgStageShape(HgBlock b, const HgStage *g, int nx, int ny, HgTileShape *s) {
  enum { WIDE = 600, TIMES_DEPTH = 32, ENOUGH = 2048 };

  const HgProgram p = b->program;
  int rows;
  long fitting = 0, wanted;
  *s = (HgTileShape){.rows_at_once = p->tile_rows ? p->tile_rows : fewest_rows(b, g)};
  PetscCall(fitting_columns(b, g, ny, s->rows_at_once, &s->fitting));
  if (!s->fitting) s->rows_at_once = ny + 2 * HgRowBuffersMargin(p);
  if (!s->fitting) s->fitting = row_buffer_share(p) / (long)sizeof(double);
  wanted =
      s->fitting >= HG_NARROW_TILE ? (nx + s->fitting - 1) / s->fitting : (nx + WIDE / 2) / WIDE;
  wanted = PetscMax(1, PetscMin(nx / PetscMax(1, TIMES_DEPTH * g->depth), wanted));
  s->columns = p->tile_columns ? p->tile_columns : (int)((nx + wanted - 1) / wanted);
  s->columns = (s->columns + UNIT - 1) / UNIT * UNIT;
  while (!p->tile_rows && s->rows_at_once < ny && s->columns * s->rows_at_once < ENOUGH) {
    PetscCall(fitting_columns(b, g, ny, 2 * s->rows_at_once, &fitting));
    if (fitting < s->columns) break;
    s->rows_at_once *= 2;
  }
  wanted = (nx + s->columns - 1) / s->columns;
  s->strips = (int)PetscMax(1, PetscMin(wanted, nx / (g->depth + UNIT)));
  s->layers = PetscMax(1, PetscMin(p->threads, ny / (g->depth + 1)));
  const int widest = (nx + s->strips - 1) / s->strips;
  s->columns = PetscMin((widest + UNIT - 1) / UNIT * UNIT, nx);
  PetscCall(HgRowBuffersRows(b, g, ny, s->rows_at_once, &rows));
  s->bytes = (size_t)rows * (size_t)widest * sizeof(double);
  return 0;
}

static PetscErrorCode add_tile(HgBlock b, const HgStage *g, HgTiling *t, int i0, int i1, int j0,
                               int j1, int rows_at_once) {
  const HgPatch *patch = HgMeshGetPatch(b->program->mesh);
  if (i0 >= i1 || j0 >= j1) return 0;
  PetscCall(PetscRealloc(sizeof *t->tile * (size_t)(t->tiles + 1), &t->tile));
  HgTile *r = &t->tile[t->tiles++];
  *r = (HgTile){.i0 = i0,
                .i1 = i1,
                .j0 = j0,
                .j1 = j1,
                .west = patch->wall_west && i0 == 0,
                .east = patch->wall_east && i1 == patch->nx,
                .south = patch->wall_south && j0 == 0,
                .north = patch->wall_north && j1 == patch->ny,
                .rows_at_once =
                    PetscMin(rows_at_once, j1 - j0 + 2 * HgRowBuffersMargin(b->program))};
  return HgRowBuffersCreate(b, g, t, r);
}

/* Where piece k of `pieces` begins in [0, n), a multiple of `unit` but for the end. */
static int piece(int n, int k, int pieces, int unit) {
  const int at = (int)((long)n * k / pieces);
  return k == pieces ? n : at / unit * unit;
}

static PetscErrorCode add_skip(HgTiling *t, int i0, int i1, int j0, int j1) {
  if (i0 >= i1 || j0 >= j1) return 0;
  PetscCall(PetscRealloc(sizeof *t->skip * (size_t)(t->skips + 1), &t->skip));
  t->skip[t->skips++] = (HgSpan){i0, i1, j0, j1};
  return 0;
}

/* What of some cells tiles are to cover: all, or as far as anything is wet within reach, and in the west and east as far
   beside as calls read, so that they compute nothing beyond; but where tiles end south or north beside a wall, calls
   must not reach across it. */
static PetscErrorCode trim(HgBlock b, const HgStage *g, HgTiling *t, HgSpan *cells) {
  const HgPatch *patch = HgMeshGetPatch(b->program->mesh);
  const HgSpan all = *cells;
  if (!b->program->mask) return 0;
  *cells = HgMaskBox(b->program->mask, all);
  const int margin = (HgMaskRadius(b->program->mask) + UNIT - 1) / UNIT * UNIT;
  if (cells->i0 < cells->i1) {
    cells->i0 = PetscMax(all.i0, cells->i0 - margin);
    cells->i1 = PetscMin(all.i1, cells->i1 + margin);
  }
  if (patch->wall_south && cells->j0 < g->depth) cells->j0 = all.j0;
  if (patch->wall_north && cells->j1 > patch->ny - g->depth) cells->j1 = all.j1;
  PetscCall(add_skip(t, all.i0, all.i1, all.j0, cells->j0));
  PetscCall(add_skip(t, all.i0, cells->i0, cells->j0, cells->j1));
  PetscCall(add_skip(t, cells->i1, all.i1, cells->j0, cells->j1));
  return add_skip(t, all.i0, all.i1, cells->j1, all.j1);
}

/* [i0, i1) x [j0, j1) in tiles. */
static PetscErrorCode add_tiles(HgBlock b, const HgStage *g, HgTiling *t, int i0, int i1, int j0,
                                int j1) {
  const HgSpan all = {i0, i1, j0, j1};
  HgSpan cells = all;
  HgTileShape s;
  if (i0 >= i1 || j0 >= j1) return 0;
  PetscCall(trim(b, g, t, &cells));
  i0 = cells.i0, j0 = cells.j0;
  const int nx = cells.i1 - i0, ny = cells.j1 - j0;
  if (nx <= 0 || ny <= 0) return 0;
  PetscCall(HgStageShape(b, g, nx, ny, &s));
  for (int layer = 0; layer < s.layers; layer++)
    for (int k = 0; k < s.strips; k++)
      PetscCall(add_tile(b, g, t, i0 + piece(nx, k, s.strips, UNIT),
                         i0 + piece(nx, k + 1, s.strips, UNIT), j0 + piece(ny, layer, s.layers, 1),
                         j0 + piece(ny, layer + 1, s.layers, 1), s.rows_at_once));
  for (int k = 0; k < s.strips * s.layers; k++) {
    HgTile *r = &t->tile[t->tiles - s.strips * s.layers + k];
    r->dry_west = all.i0 < cells.i0 && r->i0 == cells.i0;
    r->dry_east = cells.i1 < all.i1 && r->i1 == cells.i1;
  }
  return 0;
}

static PetscErrorCode cut(HgBlock b, const HgStage *g, HgTilingKind kind, HgTiling *t) {
  const HgPatch *patch = HgMeshGetPatch(b->program->mesh);
  const int nx = patch->nx, ny = patch->ny, d = g->depth;
  const int i0 = patch->wall_west ? 0 : d, i1 = patch->wall_east ? nx : nx - d,
            j0 = patch->wall_south ? 0 : d, j1 = patch->wall_north ? ny : ny - d;
  switch (kind) {
  case HG_TILING_WHOLE: return add_tiles(b, g, t, 0, nx, 0, ny);
  case HG_TILING_INNER: return add_tiles(b, g, t, i0, i1, j0, j1);
  default:
    PetscCall(add_tiles(b, g, t, 0, nx, 0, j0));
    PetscCall(add_tiles(b, g, t, 0, i0, j0, j1));
    PetscCall(add_tiles(b, g, t, i1, nx, j0, j1));
    return add_tiles(b, g, t, 0, nx, j1, ny);
  }
}

PetscErrorCode HgStageTile(HgBlock b, HgStage *g, HgTilingKind kind) {
  HgTiling *t = &g->tiling[kind];
  if (t->made && t->mask == b->program->masks) return 0;
  HgTilingFree(t);
  t->made = true, t->mask = b->program->masks;
  PetscCall(cut(b, g, kind, t));
  const PetscErrorCode ierr =
      HgAgree(HgMeshComm(b->program->mesh), t->failed, "program '%s': no memory for %zu bytes",
              b->program->name, t->bytes);
  if (ierr) HgTilingFree(t); /* who asks again is refused again */
  return ierr;
}
