/* SPDX-License-Identifier: BSD-2-Clause */
/* Cutting a patch into tiles: rectangles of owned cells, each of which is computed on its own. */
#include "tile_private.h"
#include <halograd/memory_library.h>
#include <halograd/mesh_library.h>

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

/* The share of the cache for row buffers; the rest is for rows of states that calls read. */
static long row_buffer_share(HgProgram p) { return p->cache / 3; }

/* *numbers: the row length at which so many rows of what calls pass on fit into that share; 0: they
   pass on nothing. */
static PetscErrorCode fitting_numbers(HgBlock b, const HgStage *g, int ny, int rows_at_once,
                                      long *numbers) {
  int rows;
  PetscCall(HgRowBuffersRows(b, g, ny, rows_at_once, &rows));
  *numbers = rows ? row_buffer_share(b->program) / (rows * (long)sizeof(HgReal)) : 0;
  return 0;
}

/* Levels of a tile, including its margin. */
static long levels_with_margin(HgBlock b, const HgStage *g, int levels) {
  return levels + 2L * HgRowBuffersLevelMargin(b, g);
}

/* The least number of rows at a time. A call with a large radius recomputes parts of its inputs for
   each group of rows. */
static int fewest_rows(HgBlock b, const HgStage *g) {
  int rows = 4;
  if (HgMeshGetSpec(b->program->mesh)->nz) return 1;
  for (int c = g->first; c < g->last; c++)
    rows = PetscMax(rows, (b->call[c].mode == HG_COTANGENT ? 4 : 2) *
                              b->program->term[b->call[c].term].radius);
  return rows;
}

enum { UNIT = 8 };

/* How far call c of a stage reads a value of a state around a row; -1: not, or an earlier call
   reads it, too. */
static int first_reach(HgBlock b, const HgStage *g, int c, int value) {
  int reach = -1;
  if (b->value[value].buffered) return -1;
  for (int d = g->first; d < g->last; d++)
    for (int u = 0; u < b->call[d].uses; u++) {
      if (b->call[d].use[u].value != value) continue;
      if (d < c) return -1;
      reach = PetscMax(reach, b->call[d].use[u].radius);
    }
  return reach;
}

/* Rows of states that the calls of a stage read or write for one row of the sweep. */
static int rows_of_states(HgBlock b, const HgStage *g) {
  int rows = 0;
  for (int c = g->first; c < g->last; c++) {
    const HgCall *call = &b->call[c];
    for (int u = 0; u < call->uses; u++) {
      const int reach = first_reach(b, g, c, call->use[u].value);
      if (reach >= 0) rows += 2 * reach + 1;
    }
    for (int k = 0; k < call->outs; k++) rows += !b->value[call->out[k]].buffered;
  }
  return rows;
}

/* Cuts levels if calls pass on rows, so that these fit into their share of the cache, and with the
   rows of states that calls read into two thirds of it; but not so low that computing cells beside
   the pieces costs more than it saves. Does not cut levels if there are surfaces, sums of columns
   or periodic levels. */
static void choose_levels(HgBlock b, const HgStage *g, long numbers, HgTileShape *s) {
  enum { TIMES_DEPTH = 4 };

  const HgProgram p = b->program;
  const HgMeshSpec *m = HgMeshGetSpec(p->mesh);
  const int nz = HgMeshLevels(p->mesh);
  const int lowest = p->tile_levels ? g->depth + 1 : PetscMax(1, TIMES_DEPTH * g->depth);
  bool whole = !m->nz || m->periodic_z;
  for (int k = 0; k < p->variables; k++) whole = whole || p->variable[k].surface;
  for (int c = g->first; c < g->last; c++)
    whole = whole || p->term[b->call[c].term].stencil->columns;
  const long pitch = HgMeshGetPatch(p->mesh)->pitch, margin = levels_with_margin(b, g, 0);
  long levels = whole || !numbers ? nz : numbers / pitch - margin;
  if (!whole) { /* bytes of all rows, for each number of one */
    const long handed_on = numbers ? row_buffer_share(p) / numbers : 0,
               bytes = handed_on + rows_of_states(b, g) * (long)sizeof(HgReal);
    levels = PetscMin(levels, 2 * p->cache / 3 / bytes / pitch - margin);
  }
  if (!whole && p->tile_levels) levels = p->tile_levels;
  levels = PetscMax(levels, lowest);
  s->decks = (int)PetscMax(1, PetscMin((nz + levels - 1) / levels, nz / lowest));
  s->levels = (nz + s->decks - 1) / s->decks;
}

/* What calls pass on within a block of rows should fit into its share of the cache. If that makes
   strips so narrow that overlap and short rows cost more, it uses the next cache. A call takes as
   long to start for few cells, so narrow tiles process more rows at a time while they fit. Each
   tile is at least as wide as its calls reach beyond it, so none reaches across a wall; threads
   have as many layers of rows. */
PetscErrorCode HgStageShape(HgBlock b, const HgStage *g, int nx, int ny, HgTileShape *s) {
  enum { WIDE = 600, TIMES_DEPTH = 32, ENOUGH = 2048 };

  const HgProgram p = b->program;
  int rows;
  long numbers = 0, wanted;
  *s = (HgTileShape){.rows_at_once = p->tile_rows ? p->tile_rows : fewest_rows(b, g)};
  PetscCall(fitting_numbers(b, g, ny, s->rows_at_once, &numbers));
  choose_levels(b, g, numbers, s);
  s->fitting = numbers ? PetscMax(1, numbers / levels_with_margin(b, g, s->levels)) : 0;
  if (!s->fitting) s->rows_at_once = ny + 2 * HgRowBuffersMargin(p);
  if (!s->fitting) s->fitting = row_buffer_share(p) / (long)sizeof(HgReal);
  wanted =
      s->fitting >= HG_NARROW_TILE ? (nx + s->fitting - 1) / s->fitting : (nx + WIDE / 2) / WIDE;
  wanted = PetscMax(1, PetscMin(nx / PetscMax(1, TIMES_DEPTH * g->depth), wanted));
  s->columns = p->tile_columns ? p->tile_columns : (int)((nx + wanted - 1) / wanted);
  s->columns = (s->columns + UNIT - 1) / UNIT * UNIT;
  while (!p->tile_rows && s->rows_at_once < ny &&
         (long)s->columns * s->levels * s->rows_at_once < ENOUGH) {
    PetscCall(fitting_numbers(b, g, ny, 2 * s->rows_at_once, &numbers));
    if (numbers / levels_with_margin(b, g, s->levels) < s->columns) break;
    s->rows_at_once *= 2;
  }
  if (HgMeshGetSpec(p->mesh)->nz) s->columns = nx; /* short rows take far longer than they save */
  wanted = (nx + s->columns - 1) / s->columns;
  s->strips = (int)PetscMax(1, PetscMin(wanted, nx / (g->depth + UNIT)));
  s->layers = PetscMax(1, PetscMin(p->threads, ny / (g->depth + 1)));
  const int widest = (nx + s->strips - 1) / s->strips;
  s->columns = PetscMin((widest + UNIT - 1) / UNIT * UNIT, nx);
  PetscCall(HgRowBuffersRows(b, g, ny, s->rows_at_once, &rows));
  s->bytes = (size_t)rows * (size_t)(widest * levels_with_margin(b, g, s->levels)) * sizeof(HgReal);
  return 0;
}

PetscErrorCode HgBlockFits(HgBlock block, int columns, bool *yes) {
  const HgMesh mesh = block->program->mesh;
  const HgPatch *patch = HgMeshGetPatch(mesh);
  HgTileShape shape;
  PetscCall(HgStageShape(block, &block->stage[0], patch->nx, patch->ny, &shape));
  *yes = shape.fitting >= (HgMeshGetSpec(mesh)->nz ? patch->nx : columns);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, yes, 1, MPI_C_BOOL, MPI_LAND, HgMeshComm(mesh)));
  return 0;
}

static PetscErrorCode add_tile(HgBlock b, const HgStage *g, HgTiling *t, HgSpan s, HgLevels levels,
                               int rows_at_once) {
  const HgPatch *patch = HgMeshGetPatch(b->program->mesh);
  if (s.i0 >= s.i1 || s.j0 >= s.j1) return 0;
  PetscCall(PetscRealloc(sizeof *t->tile * (size_t)(t->tiles + 1), &t->tile));
  HgTile *r = &t->tile[t->tiles++];
  *r = (HgTile){.i0 = s.i0, .i1 = s.i1, .j0 = s.j0, .j1 = s.j1, .levels = levels};
  r->west = patch->wall_west && s.i0 == 0, r->east = patch->wall_east && s.i1 == patch->nx;
  r->south = patch->wall_south && s.j0 == 0, r->north = patch->wall_north && s.j1 == patch->ny;
  r->rows_at_once = PetscMin(rows_at_once, s.j1 - s.j0 + 2 * HgRowBuffersMargin(b->program));
  return HgRowBuffersCreate(b, g, t, r);
}

/* The start of piece k of `pieces` in [0, n): a multiple of `unit` except at the end. */
static int piece(int n, int k, int pieces, int unit) {
  const int at = (int)((long)n * k / pieces);
  return k == pieces ? n : at / unit * unit;
}

/* The parts of `all` south, west, east and north of a part of it. */
enum { RING = 4 };

static void around(HgSpan all, HgSpan part, HgSpan ring[RING]) {
  ring[0] = (HgSpan){all.i0, all.i1, all.j0, part.j0};
  ring[1] = (HgSpan){all.i0, part.i0, part.j0, part.j1};
  ring[2] = (HgSpan){part.i1, all.i1, part.j0, part.j1};
  ring[3] = (HgSpan){all.i0, all.i1, part.j1, all.j1};
}

/* Restricts tiles to cells with a wet cell within reach. Near a wall it keeps all cells up to the
   wall, so that calls do not reach across it. */
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
  for (int n = 0; n < s.layers * s.strips * s.decks; n++) {
    const int k = n % s.strips, layer = n / s.strips % s.layers, deck = n / s.strips / s.layers;
    const HgSpan tile = {i0 + piece(nx, k, s.strips, UNIT), i0 + piece(nx, k + 1, s.strips, UNIT),
                         j0 + piece(ny, layer, s.layers, 1),
                         j0 + piece(ny, layer + 1, s.layers, 1)};
    HgLevels levels = HgLevelsOf(b->program->mesh, false);
    levels.below = levels.below && deck == 0, levels.above = levels.above && deck == s.decks - 1;
    levels.first = piece(levels.end, deck, s.decks, 1);
    levels.end = piece(levels.end, deck + 1, s.decks, 1);
    PetscCall(add_tile(b, g, t, tile, levels, s.rows_at_once));
  }
  return 0;
}

/* Cuts the whole patch, the part that needs nothing across seams, or the rest. */
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
  if (t->made && t->masks == b->program->masks) return 0;
  HgTilingFree(t);
  t->made = true, t->masks = b->program->masks;
  PetscCall(cut(b, g, kind, t));
  const PetscErrorCode ierr =
      HgAgree(HgMeshComm(b->program->mesh), t->failed, HG_ERR_MEMORY,
              "program '%s': no memory for %zu bytes", b->program->name, t->bytes);
  if (ierr) HgTilingFree(t); /* so that the next call is refused too */
  return ierr;
}
