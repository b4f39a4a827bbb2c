/* Cutting a patch into regions, and the memory in which the calls of a group hand rows to each other
   within one region. */
#include "program_private.h"
#include <halograd/memory.h>
#include <stdlib.h>
#include <unistd.h>
/* Cells around a region that a row must have room for, as the fields of a state do. */
static int margin(HgProgram p) { return 2 * HgMeshGetSpec(p->mesh)->ghost; }
static int slots_of(HgProgram p) { return HG_FORMS * p->versions; }
static int depth_of(HgProgram p, int slot) { return HgSlotVariable(p, slot)->depth; }
static bool written_here(const HgPass *pass, const HgGroup *g, int slot) {
  const HgSlot *s = &pass->slot[slot];
  return s->ring && s->first_out >= g->first && s->first_out < g->last;
}
static int rings_of(HgProgram p, const HgPass *pass, const HgGroup *g) {
  int rings = 0;
  for (int s = 0; s < slots_of(p); s++) rings += written_here(pass, g, s);
  return rings;
}
/* ---- memory ---- */
/* A ring has rows for the domain; rows outside walls are memory of their own, so that what they hold
   stays: `depth` of them, and one for those farther out, of which nobody asks anything. */
static int ring_rows(const HgRegion *r, const HgSlot *s, int margin) {
  return PetscMin(r->block + s->span, r->j1 - r->j0 + 2 * margin);
}
static int wall_rows(const HgRegion *r, int depth) { return (r->south + r->north) * (depth + 1); }
static double **fill_table(const HgRegion *r, int rows, int depth, int margin, size_t pitch,
                           double *first, double **table) {
  double **row = table + margin - r->j0; /* row[j], j in [j0 - margin, j1 + margin) */
  double *const south = first + (size_t)rows * pitch;
  double *const north = south + (size_t)(r->south * (depth + 1)) * pitch;
  const int from = r->j0 - margin;
  for (int j = from; j < r->j1 + margin; j++) {
    double *memory = first + (size_t)((j - from) % rows) * pitch;
    if (r->south && j < r->j0) memory = south + (size_t)PetscMin(depth, r->j0 - 1 - j) * pitch;
    if (r->north && j >= r->j1) memory = north + (size_t)PetscMin(depth, j - r->j1) * pitch;
    row[j] = memory + (margin + 7) / 8 * 8 - r->i0; /* aligned as the fields are where i0 is */
  }
  return row;
}
/* Outputs of the call with the most of them, if any call may stream. */
static size_t streaming_outs(const HgPass *pass, const HgGroup *g) {
  int outs = 0;
  for (int c = g->first; c < g->last; c++)
    for (int k = 0; k < pass->call[c].outs; k++)
      if (pass->call[c].stream[k]) outs = PetscMax(outs, pass->call[c].outs);
  return (size_t)outs;
}
static PetscErrorCode allocate(HgProgram p, HgForm form, const HgGroup *g, HgTiling *t,
                               HgRegion *r) {
  const HgPass *pass = &p->pass[form];
  const int m = margin(p), tall = r->j1 - r->j0 + 2 * m;
  size_t pitch = (size_t)((r->i1 - r->i0 + m + (m + 7) / 8 * 8 + 15) / 8 * 8);
  if (pitch * sizeof(double) % 4096 == 0) pitch += 8;
  const size_t segments = streaming_outs(pass, g) * (HG_SEGMENT + 8);
  size_t doubles = segments + HG_MAX_READS * pitch;
  for (int s = 0; s < slots_of(p); s++)
    if (written_here(pass, g, s))
      doubles += pitch * (size_t)(ring_rows(r, &pass->slot[s], m) + wall_rows(r, depth_of(p, s)));
  const size_t tables = (size_t)(rings_of(p, pass, g) + HG_MAX_READS) * (size_t)tall;
  const size_t bytes = doubles * sizeof(double) + tables * sizeof(double *) + 64;
  PetscCall(PetscCalloc1(slots_of(p) + HG_MAX_READS, &r->rows));
  PetscCall(PetscCalloc1(g->last - g->first, &r->frontier));
  PetscCall(PetscMalloc(HgSweepBytes(g), &r->work));
  t->bytes += bytes;
  r->memory = HgZeroedMemory(bytes);
  t->failed = t->failed || !r->memory;
  if (!r->memory) return 0; /* HgGroupTile() tells all ranks */
  r->segments = r->memory;
  double *next = r->segments + segments;
  double **table = (double **)(r->segments + doubles);
  const HgRegion inland = {.i0 = r->i0, .i1 = r->i1, .j0 = r->j0, .j1 = r->j1};
  for (int k = 0; k < HG_MAX_READS; k++, next += pitch, table += tall) /* for what nobody reads */
    r->rows[slots_of(p) + k] = (double *const *)fill_table(&inland, 1, 0, m, pitch, next, table);
  for (int s = 0; s < slots_of(p); s++) {
    if (!written_here(pass, g, s)) continue;
    const int rows = ring_rows(r, &pass->slot[s], m);
    r->rows[s] = (double *const *)fill_table(r, rows, depth_of(p, s), m, pitch, next, table);
    next += pitch * (size_t)(rows + wall_rows(r, depth_of(p, s)));
    table += tall;
  }
  return 0;
}
void HgTilingFree(HgTiling *t) {
  for (int k = 0; k < t->regions; k++) {
    free(t->region[k].memory);
    (void)PetscFree(t->region[k].rows);
    (void)PetscFree(t->region[k].frontier);
    (void)PetscFree(t->region[k].work);
  }
  (void)PetscFree(t->region);
  *t = (HgTiling){0};
}
/* ---- cutting ---- */
/* Bytes that the rings of a region may fill: a rank's share of the last-level cache, but no more than
   four times the second-level one, for a virtual machine may see the cache of cores it does not
   have. */
static long cache_share(void) {
  const long second = PetscMax(1L << 18, sysconf(_SC_LEVEL2_CACHE_SIZE)),
             last = PetscMax(0, sysconf(_SC_LEVEL3_CACHE_SIZE));
  return PetscMax(second * 3 / 4, PetscMin(last / 8, 4 * second));
}
/* Rows of all rings of a region. */
static long all_rows(HgProgram p, const HgPass *pass, const HgGroup *g, int block) {
  long rows = 0;
  for (int s = 0; s < slots_of(p); s++)
    if (written_here(pass, g, s)) rows += pass->slot[s].span + block;
  return rows;
}
/* Rows and columns of a tile: what the calls of a block of rows hand on should stay in the cache.
   Long rows stream best, so strips are cut only if the rings would not fit. */
static void tile_size(HgProgram p, HgForm form, const HgGroup *g, int nx, int ny, int *strip,
                      int *block) {
  enum { SHORTEST = 1024 };
  const HgPass *pass = &p->pass[form];
  *strip = nx, *block = ny + 2 * margin(p);
  if (rings_of(p, pass, g)) {
    *block = p->block ? p->block : 4;
    const long columns = cache_share() / (long)sizeof(double) / all_rows(p, pass, g, *block);
    const int strips = (int)PetscMax(1, nx / PetscMax(SHORTEST, columns));
    *strip = (nx + strips - 1) / strips;
  }
  if (p->strip) *strip = p->strip;
  *strip = (*strip + 7) / 8 * 8;
}
bool HgGroupFits(HgProgram p, HgForm form, const HgGroup *g) {
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  int strip, block;
  tile_size(p, form, g, patch->nx, patch->ny, &strip, &block);
  const long bytes = all_rows(p, &p->pass[form], g, block) * strip * (long)sizeof(double);
  return bytes <= cache_share() * 3 / 2; /* so it was measured, with 0.5 and with 1 MiB of L2 */
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
                  .block = PetscMin(block, j1 - j0 + 2 * margin(p))};
  return allocate(p, form, g, t, r);
}
/* Where piece k of `pieces` begins in [0, n), a multiple of `unit` but for the end. */
static int piece(int n, int k, int pieces, int unit) {
  const int at = (int)((long)n * k / pieces);
  return k == pieces ? n : at / unit * unit;
}
/* [i0, i1) x [j0, j1) in strips, and, for threads, in as many layers of rows: each at least as wide
   as its calls reach beyond it, so that they never reach across a wall. */
static PetscErrorCode add_tiles(HgProgram p, HgForm form, const HgGroup *g, HgTiling *t, int i0,
                                int i1, int j0, int j1) {
  enum { UNIT = 8 };
  const int nx = i1 - i0, ny = j1 - j0;
  int strip, block;
  if (nx <= 0 || ny <= 0) return 0;
  tile_size(p, form, g, nx, ny, &strip, &block);
  const int strips = PetscMax(1, PetscMin((nx + strip - 1) / strip, nx / (g->depth + UNIT))),
            layers = PetscMax(1, PetscMin(p->threads, ny / (g->depth + 1)));
  for (int layer = 0; layer < layers; layer++)
    for (int k = 0; k < strips; k++)
      PetscCall(add_region(p, form, g, t, i0 + piece(nx, k, strips, UNIT),
                           i0 + piece(nx, k + 1, strips, UNIT), j0 + piece(ny, layer, layers, 1),
                           j0 + piece(ny, layer + 1, layers, 1), block));
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
  return HgAgree(HgMeshComm(p->mesh), t->failed, "program '%s': no memory for %zu bytes", p->name,
                 t->bytes);
}
