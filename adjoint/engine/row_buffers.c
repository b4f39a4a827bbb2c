/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory in which the calls of a stage hand rows to each other within one tile. Each value has
   a row buffer: as many rows as lie between its first writer and its last reader. All row buffers
   draw on one pool: a row to come lies where any value's row has last been given up, so that what
   only the calls of one step need, while they do one block of rows, lies in the same few rows of
   memory for all steps.

   Which row lies where is found ahead by going through the sweep once without computing. */
#include "tile_private.h"
#include <halograd/memory_library.h>
#include <halograd/mesh_library.h>

int HgRowBuffersMargin(HgProgram p) { return 2 * p->ghost; }

static int values_of(HgBlock b) { return HG_MODES * b->versions; }

static bool written_here(HgBlock b, const HgStage *g, int value) {
  const HgValue *s = &b->value[value];
  return s->buffered && s->first_out >= g->first && s->first_out < g->last;
}

static int row_buffers_of(HgBlock b, const HgStage *g) {
  int buffers = 0;
  for (int s = 0; s < values_of(b); s++) buffers += written_here(b, g, s);
  return buffers;
}

/* ---- which row lies where ---- */

/* A row buffer during the sweep: rows [oldest, newest) have memory. */
typedef struct {
  const HgValue *value;
  int oldest, newest, end; /* rows [first, end) are written, outside walls not counted */
  int *place;              /* place[j] of row j */
} RowBuffer;

/* Rows of memory, by number. */
typedef struct {
  int made, unused;
  int *place; /* of the unused; the one given up last is taken first, as it is in the cache */
} Pool;

static void row_buffer_write(RowBuffer *buffer, int to, Pool *pool) {
  for (; buffer->newest < PetscMin(to, buffer->end); buffer->newest++)
    buffer->place[buffer->newest] = pool->unused ? pool->place[--pool->unused] : pool->made++;
}

static void row_buffer_give_up(RowBuffer *buffer, int to, Pool *pool) {
  for (; buffer->oldest < PetscMin(to, buffer->newest); buffer->oldest++)
    pool->place[pool->unused++] = buffer->place[buffer->oldest];
}

static HgSpan all_of(HgBlock b, const HgTile *r, int call) {
  return HgTileSpan(r, b->call[call].outside, b->call[call].overlap);
}

/* Runs a call's turn at the block of rows from `base`. What it writes first gets memory; of what it
   uses last, only rows that readers of the next block need keep theirs. */
static void take_turn(HgBlock b, const HgTile *r, int call, int base, RowBuffer buffer[],
                      int buffers, Pool *pool) {
  for (int k = 0; k < buffers; k++)
    if (call == buffer[k].value->first_out)
      row_buffer_write(&buffer[k], HgTileReached(b, r, &b->call[call], all_of(b, r, call), base),
                       pool);
  for (int k = 0; k < buffers; k++) {
    const HgValue *s = buffer[k].value;
    if (call != s->last_here) continue;
    const int next = base + r->rows_at_once + b->call[s->first_out].skew;
    const int from = r->north ? PetscMin(next, r->j1) : next; /* a wall reads the last rows */
    if (!r->south || from - s->span >= r->j0 + b->near_walls) /* its readers have begun */
      row_buffer_give_up(&buffer[k], from - s->span, pool);
  }
}

/* Rows outside walls have memory of their own, so they keep their values: `depth` rows, and one for
   all those further out, which are never read. */
static void place_outside(const HgTile *r, int margin, int depth, int *place, Pool *pool) {
  for (int l = 0; l < margin; l++) {
    if (r->south) place[r->j0 - 1 - l] = l > depth ? place[r->j0 - l] : pool->made++;
    if (r->north) place[r->j1 + l] = l > depth ? place[r->j1 + l - 1] : pool->made++;
  }
}

/* Finds the places of all rows of all row buffers, one buffer after another as in take_turn(), each
   for rows [j0 - margin, j1 + margin); 0: rows that no call writes. *rows: of memory needed. */
static PetscErrorCode place_rows(HgBlock b, const HgStage *g, const HgTile *r, int margin,
                                 int **places, int *rows) {
  const int tall = r->j1 - r->j0 + 2 * margin, buffers = row_buffers_of(b, g);
  const size_t all = (size_t)buffers * (size_t)tall;
  RowBuffer *buffer;
  Pool pool = {.made = 1};
  int base = r->j0, end = r->j0;
  PetscCall(PetscCalloc1(all, places));
  PetscCall(PetscMalloc2(buffers, &buffer, all, &pool.place));
  for (int s = 0, k = 0; s < values_of(b); s++) {
    if (!written_here(b, g, s)) continue;
    const HgValue *value = &b->value[s];
    const HgSpan span = HgTileSpan(r, 0, b->call[value->first_out].overlap);
    buffer[k] = (RowBuffer){value, span.j0, span.j0, span.j1, *places + k * tall + margin - r->j0};
    place_outside(r, margin, HgValueVariable(b, s)->depth, buffer[k++].place, &pool);
  }
  for (int c = g->first; c < g->last; c++) {
    const HgSpan span = all_of(b, r, c);
    base = PetscMin(base, span.j0 - b->call[c].skew);
    end = PetscMax(end, span.j1 - b->call[c].skew);
  }
  for (; base < end; base += r->rows_at_once)
    for (int c = g->first; c < g->last; c++) take_turn(b, r, c, base, buffer, buffers, &pool);
  *rows = pool.made;
  return PetscFree2(buffer, pool.place);
}

static int deepest_overlap(HgBlock b, const HgStage *g) {
  int overlap = 0;
  for (int c = g->first; c < g->last; c++) overlap = PetscMax(overlap, b->call[c].overlap);
  return overlap;
}

/* Cells outside a wall or beside the tile. */
int HgRowBuffersLevelMargin(HgBlock b, const HgStage *g) {
  const int ghosts = HgMeshGhostLevels(b->program->mesh);
  return HgMeshGetSpec(b->program->mesh)->nz ? deepest_overlap(b, g) + 2 * ghosts : 0;
}

/* A height of at most ny that needs as many rows of memory as ny: once all calls are running, each
   block of rows takes and frees equally much. */
static int telling_rows(HgBlock b, const HgStage *g, int ny, int rows_at_once) {
  int skew = 0, span = 0;
  for (int c = g->first; c < g->last; c++) skew = PetscMax(skew, b->call[c].skew);
  for (int s = 0; s < values_of(b); s++)
    if (written_here(b, g, s)) span = PetscMax(span, b->value[s].span);
  const long filled = 2L * deepest_overlap(b, g) + skew + span + 4L * rows_at_once;
  return ny - (int)(PetscMax(0, ny - filled) / rows_at_once * rows_at_once);
}

PetscErrorCode HgRowBuffersRows(HgBlock b, const HgStage *g, int ny, int rows_at_once, int *rows) {
  const HgTile tile = {.j1 = telling_rows(b, g, ny, rows_at_once), .rows_at_once = rows_at_once};
  int *places;
  PetscCall(place_rows(b, g, &tile, deepest_overlap(b, g), &places, rows));
  (*rows)--; /* place 0 is not written */
  return PetscFree(places);
}

static int whole_lines(int numbers) { return (numbers + HG_LINE - 1) / HG_LINE * HG_LINE; }

/* The address of column 0 of a row of memory. The row begins beside the tile, and is aligned as
   fields are at i0. With levels a row is as wide as the patch's. */
static HgReal *columns(HgProgram p, const HgTile *r, int margin, HgReal *row) {
  const int left = HgMeshMargin(p->mesh);
  return left ? row + left : row + whole_lines(margin) - r->i0;
}

/* Numbers in a level of a row. */
static size_t pitch_of(HgProgram p, const HgTile *r, int margin) {
  const size_t pitch = (size_t)whole_lines(r->i1 - r->i0 + margin + whole_lines(margin) + HG_LINE);
  if (HgMeshGetSpec(p->mesh)->nz) return (size_t)HgMeshGetPatch(p->mesh)->pitch;
  return pitch * sizeof(HgReal) % 4096 ? pitch : pitch + HG_LINE;
}

PetscErrorCode HgRowBuffersCreate(HgBlock b, const HgStage *g, HgTiling *t, HgTile *r) {
  const int margin = HgRowBuffersMargin(b->program), tall = r->j1 - r->j0 + 2 * margin;
  const HgProgram p = b->program;
  const int beside = HgRowBuffersLevelMargin(b, g);
  const size_t pitch = pitch_of(p, r, margin);
  const size_t slab = pitch * (size_t)(r->levels.end - r->levels.first + 2 * beside);
  const ptrdiff_t lowest = (beside - r->levels.first) * (ptrdiff_t)pitch; /* level 0 of a row */
  int *places, rows;
  PetscCall(place_rows(b, g, r, margin, &places, &rows));
  const size_t doubles = pitch + (size_t)rows * slab, /* and the zeros */
      tables = (size_t)row_buffers_of(b, g) * (size_t)tall;
  r->bytes = HgWholePages(doubles * sizeof(HgReal) + tables * sizeof(HgReal *) + 64);
  t->bytes += r->bytes;
  PetscCall(PetscCalloc1(values_of(b), &r->rows));
  PetscCall(PetscMalloc(HgSweepBytes(b, g), &r->work));
  r->memory = HgZeroedMemory(r->bytes);
  t->failed = t->failed || !r->memory;
  if (!r->memory) return PetscFree(places); /* HgStageTile() tells all ranks */
  HgReal *const zeros = r->memory, *const pool = zeros + pitch;
  HgReal **table = (HgReal **)(zeros + doubles);
  r->zeros = columns(p, r, margin, zeros);
  for (int s = 0, *place = places; s < values_of(b); s++) {
    if (!written_here(b, g, s)) continue;
    for (int j = 0; j < tall; j++)
      table[j] = columns(p, r, margin, pool + (size_t)place[j] * slab) + lowest;
    r->rows[s] = (HgReal *const *)table - (r->j0 - margin);
    table += tall, place += tall;
  }
  return PetscFree(places);
}
