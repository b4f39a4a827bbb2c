/* A tile at work: its row buffers and its sweep. For adjoint/engine only, and what -hg_program_view
   prints of it. */
#ifndef HALOGRAD_TILE_PRIVATE_H
#define HALOGRAD_TILE_PRIVATE_H

#include "block_private.h"

enum {
  HG_SEGMENT = 2048, /* numbers of a result made in the cache before they stream to memory */
  HG_ZEROS = 1024    /* columns that are zeroed at a time just before they are summed into */
};

/* A rectangle of owned cells and all that it takes to compute it alone: what the calls of a stage
   hand to each other lies in row buffers of its own, so tiles may be computed in any order. */
struct HgTile_s {
  int i0, i1, j0, j1;
  bool west, east, south, north; /* walls that it touches */
  bool dry_west, dry_east;       /* nothing is wet within reach of what lies beyond */
  int rows_at_once;              /* rows at a time */
  void *memory;
  size_t bytes;         /* of memory */
  double *const **rows; /* by value; NULL: the rows of a state */
  double *segments;     /* results on their way past the cache, see HG_SEGMENT */
  const double *zeros;  /* zeros[i] = 0, i in [i0 - margin, i1 + margin) */
  void *work;           /* by call: what sweep.c makes of it */
  HgBreach breach;
};

/* A tile with so many layers more outside its walls, and on its other sides. */
static inline HgSpan HgTileSpan(const HgTile *r, int walls, int seams) {
  return (HgSpan){r->i0 - (r->west       ? walls
                           : r->dry_west ? 0
                                         : seams),
                  r->i1 + (r->east       ? walls
                           : r->dry_east ? 0
                                         : seams),
                  r->j0 - (r->south ? walls : seams), r->j1 + (r->north ? walls : seams)};
}

/* How far a call, which computes `all`, has come once all calls have done their rows of the block at `base`. The rows
   near a southern wall are done at once, so are those near a northern one: reversed, ghosts outside are added
   to the rows within `near_walls`, which nobody reads before that, nor what a wall reads of them. */
static inline int HgTileReached(HgBlock b, const HgTile *r, const HgCall *c, HgSpan all, int base) {
  const int to = base + r->rows_at_once + c->skew;
  if (r->south && to < PetscMin(r->j0 + b->near_walls, r->j1)) return all.j0;
  return r->north && to > r->j1 - b->near_walls ? all.j1 : PetscMin(to, all.j1);
}

/* Rows and columns of a value on its closed faces become 0. */
static inline void HgValueMask(HgBlock b, int value, HgSpan s, double *const *rows) {
  HgClosedFacesMask(HgValueVariable(b, value)->closed, s.i0, s.i1, s.j0, s.j1, rows);
}

/* ---- row_buffers.c: what calls hand on within a tile ---- */

/* Cells around a tile that a row has room for, as the fields of a state do. */
int HgRowBuffersMargin(HgProgram program);

/* Rows of memory that all row buffers of an inland tile of ny rows need together. */
PetscErrorCode HgRowBuffersRows(HgBlock block, const HgStage *stage, int ny, int rows_at_once,
                                int *rows);

/* The memory of a tile of that tiling, whose failure is noted in `tiling`. */
PetscErrorCode HgRowBuffersCreate(HgBlock block, const HgStage *stage, HgTiling *tiling,
                                  HgTile *tile);

/* ---- tile.c: what the engine cuts ---- */

/* Does what the calls of a stage hand to each other about fit into the cache, in tiles so wide? The
   same on all ranks only if their patches and caches are. */
PetscErrorCode HgStageFits(HgBlock block, const HgStage *stage, int columns, bool *fits);
PetscErrorCode HgStageTile(HgBlock block, HgStage *stage, HgTilingKind kind);

/* How a whole patch is cut: so many tiles of at most `columns`, computed so many rows at a time,
   with so many bytes of rows that the calls of a tile hand on. */
typedef struct {
  int tiles, columns, rows_at_once;
  size_t bytes;
} HgTileShape;

PetscErrorCode HgStageShape(HgBlock block, const HgStage *stage, HgTileShape *shape);
void HgTilingFree(HgTiling *tiling);

/* ---- prefetch.c ---- */

/* What the next turn of a tile's sweep will read of states comes into the second-level cache while
   this one is computed; or not, where the machine does better by itself. */
enum { HG_FETCHED = 256 /* states' variables at most */ };

typedef struct {
  const HgTile *tile;
  int incomings, lines; /* cache lines of a row */
  long done;            /* of this turn */

  struct {
    double *const *rows;
    int skew;
  } incoming[HG_FETCHED];
} HgPrefetch;

enum { HG_FETCHING_TURN = 2 }; /* streams take turns of 1 */

void HgPrefetchStart(HgBlock block, const HgStage *stage, const HgTile *tile,
                     const HgBinding *binding, HgPrefetch *prefetch);

/* Once `part` of `parts` of the turn that begins at row `base` have been computed. */
void HgPrefetchRows(HgPrefetch *prefetch, int base, int part, int parts);

/* ---- mask.c ---- */

/* The results of a stage become 0 where no tile computes them. */
void HgTilingSkip(HgBlock block, const HgStage *stage, const HgTiling *tiling,
                  const HgBinding *binding);

/* ---- sweep.c: a tile, some rows at a time ---- */
size_t HgSweepBytes(HgBlock block, const HgStage *stage); /* of HgTile.work */

/* Do the call's results go past the cache in this run? */
bool HgCallStreams(HgProgram program, const HgCall *call);
void HgTileSweep(HgBlock block, const HgStage *stage, HgTile *tile, const HgBinding *binding,
                 const HgBox *patch, bool timed);

/* to[i] = from[i], i in [i0, i1), past the cache; `to` is 64-byte aligned at i = 0. HgStreamFence()
   orders it before later stores. */
void HgStreamRow(int i0, int i1, const double *from, double *to);
void HgStreamFence(void);

#endif
