/* Cutting a patch into regions: rectangles of owned cells, each of which is computed on its own. */
#include "program_private.h"
#include <halograd/memory.h>

void HgTilingFree(HgTiling *t) {
  for (int k = 0; k < t->regions; k++) {
    HgFreeMemory(t->region[k].memory, t->region[k].bytes);
    (void)PetscFree(t->region[k].rows);
    (void)PetscFree(t->region[k].work);
  }
  (void)PetscFree(t->region);
  *t = (HgTiling){0};
}

/* ---- cutting ---- */

/* Rows and columns of a tile, and the bytes of what its calls hand on. */
typedef struct {
  int strip, block;
  long bytes;
} TileSize;

/* Of the second-level cache: the rows of states that calls read want to be there, too. */
static long ring_share(HgProgram p) { return p->caches.l2 / 3; }

/* What the calls of a block of rows hand on should stay in its share of the cache. Where that would make
   strips too narrow, so that they lose more by what lies beside them, the next cache has to do. */
static PetscErrorCode tile_size(HgProgram p, HgForm form, const HgGroup *g, int nx, int ny,
                                TileSize *size) {
  enum { NARROWEST = 256, WIDE = 600 };

  int rows;
  size->block = p->block ? p->block : 4;
  PetscCall(HgRingsRows(p, form, g, ny, size->block, &rows));
  if (!rows) size->block = ny + 2 * HgRingsMargin(p);
  const long row = PetscMax(1, rows) * (long)sizeof(double);
  const long fitting = ring_share(p) / row;
  const int strips = (int)PetscMax(1, fitting >= NARROWEST ? nx / fitting : (nx + WIDE / 2) / WIDE);
  size->strip = p->strip ? p->strip : (nx + strips - 1) / strips;
  size->strip = (size->strip + 7) / 8 * 8;
  size->bytes = row * size->strip;
  return 0;
}

PetscErrorCode HgGroupFits(HgProgram p, HgForm form, const HgGroup *g, bool *fits) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  TileSize size = {0, 0, 0};
  PetscCall(tile_size(p, form, g, patch->nx, patch->ny, &size));
  *fits = size.bytes <= ring_share(p);
  return 0;
}

static PetscErrorCode add_region(HgProgram p, HgForm form, const HgGroup *g, HgTiling *t, int i0,
                                 int i1, int j0, int j1, int block) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  if (i0 >= i1 || j0 >= j1) return 0;
  PetscCall(PetscRealloc(sizeof *t->region * (size_t)(t->regions + 1), &t->region));
  HgRegion *r = &t->region[t->regions++];
  *r = (HgRegion){.i0 = i0,
                  .i1 = i1,
                  .j0 = j0,
                  .j1 = j1,
                  .west = patch->wall_west && i0 == 0,
                  .east = patch->wall_east && i1 == patch->nx,
                  .south = patch->wall_south && j0 == 0,
                  .north = patch->wall_north && j1 == patch->ny,
                  .block = PetscMin(block, j1 - j0 + 2 * HgRingsMargin(p))};
  return HgRingsCreate(p, form, g, t, r);
}

/* Where piece k of `pieces` begins in [0, n), a multiple of `unit` but for the end. */
static int piece(int n, int k, int pieces, int unit) {
  const int at = (int)((long)n * k / pieces);
  return k == pieces ? n : at / unit * unit;
}

enum { UNIT = 8 };

/* nx x ny cells in strips, and, for threads, in as many layers of rows: each at least as wide as its calls
   reach beyond it, so that they never reach across a wall. */
static void count_tiles(HgProgram p, const HgGroup *g, const TileSize *size, int nx, int ny,
                        int *strips, int *layers) {
  const int wanted = (nx + size->strip - 1) / size->strip;
  *strips = PetscMax(1, PetscMin(wanted, nx / (g->depth + UNIT)));
  *layers = PetscMax(1, PetscMin(p->threads, ny / (g->depth + 1)));
}

PetscErrorCode HgGroupShape(HgProgram p, HgForm form, const HgGroup *g, HgTileShape *shape) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  TileSize size;
  int strips, layers, rows;
  PetscCall(tile_size(p, form, g, patch->nx, patch->ny, &size));
  count_tiles(p, g, &size, patch->nx, patch->ny, &strips, &layers);
  PetscCall(HgRingsRows(p, form, g, patch->ny, size.block, &rows));
  const int widest = (patch->nx + strips - 1) / strips;
  *shape = (HgTileShape){.tiles = strips * layers,
                         .strip = PetscMin((widest + UNIT - 1) / UNIT * UNIT, patch->nx),
                         .block = PetscMin(size.block, patch->ny),
                         .bytes = (size_t)rows * (size_t)widest * sizeof(double)};
  return 0;
}

/* [i0, i1) x [j0, j1) in tiles. */
static PetscErrorCode add_tiles(HgProgram p, HgForm form, const HgGroup *g, HgTiling *t, int i0,
                                int i1, int j0, int j1) {
  const int nx = i1 - i0, ny = j1 - j0;
  TileSize size = {0, 0, 0};
  int strips, layers;
  if (nx <= 0 || ny <= 0) return 0;
  PetscCall(tile_size(p, form, g, nx, ny, &size));
  count_tiles(p, g, &size, nx, ny, &strips, &layers);
  for (int layer = 0; layer < layers; layer++)
    for (int k = 0; k < strips; k++)
      PetscCall(add_region(p, form, g, t, i0 + piece(nx, k, strips, UNIT),
                           i0 + piece(nx, k + 1, strips, UNIT), j0 + piece(ny, layer, layers, 1),
                           j0 + piece(ny, layer + 1, layers, 1), size.block));
  return 0;
}

static PetscErrorCode cut(HgProgram p, HgForm form, const HgGroup *g, HgTilingKind kind,
                          HgTiling *t) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  const int nx = patch->nx, ny = patch->ny, d = g->depth;
  const int i0 = patch->wall_west ? 0 : d, i1 = patch->wall_east ? nx : nx - d,
            j0 = patch->wall_south ? 0 : d, j1 = patch->wall_north ? ny : ny - d;
  switch (kind) {
  case HG_TILING_WHOLE: return add_tiles(p, form, g, t, 0, nx, 0, ny);
  case HG_TILING_INNER: return add_tiles(p, form, g, t, i0, i1, j0, j1);
  default:
    PetscCall(add_tiles(p, form, g, t, 0, nx, 0, j0));
    PetscCall(add_tiles(p, form, g, t, 0, i0, j0, j1));
    PetscCall(add_tiles(p, form, g, t, i1, nx, j0, j1));
    return add_tiles(p, form, g, t, 0, nx, j1, ny);
  }
}

PetscErrorCode HgGroupTile(HgProgram p, HgForm form, HgGroup *g, HgTilingKind kind) {
  HgTiling *t = &g->tiling[kind];
  if (t->made) return 0;
  t->made = true;
  PetscCall(cut(p, form, g, kind, t));
  const PetscErrorCode ierr = HgAgree(HgMeshComm(p->mesh), t->failed,
                                      "program '%s': no memory for %zu bytes", p->name, t->bytes);
  if (ierr) HgTilingFree(t); /* who asks again is refused again */
  return ierr;
}
