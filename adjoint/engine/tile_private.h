/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage at work: its exchanges, its tiles, their row buffers and their sweep. For adjoint/engine
   only. */
#ifndef HALOGRAD_TILE_PRIVATE_H
#define HALOGRAD_TILE_PRIVATE_H

#include <halograd/boundary_library.h>
#include <halograd/engine_library.h>
#include <halograd/real_library.h>

/* A box of owned cells and all that it takes to compute it alone: what the calls of a stage hand
   to each other lies in row buffers of its own, so tiles may be computed in any order. */
typedef struct {
  int i0, i1, j0, j1;
  HgLevels levels;               /* of a field that is no surface; flat: all there are */
  bool west, east, south, north; /* walls that it touches */
  int rows_at_once;              /* rows at a time */
  void *memory;
  size_t bytes;         /* of memory */
  HgReal *const **rows; /* by value; NULL: the rows of a state */
  const HgReal *zeros;  /* zeros[i] = 0, i in [i0 - margin, i1 + margin) */
  void *work;           /* by call: what sweep.c makes of it */
  HgBreach breach;
} HgTile;

typedef struct {
  bool made, failed; /* failed: there was no memory */
  size_t bytes;
  int tiles;
  HgTile *tile;
  int mask; /* the program's when it was made */
  int skips;
  HgSpan *skip; /* what no tile covers, as nothing is wet within reach */
} HgTiling;

typedef enum { HG_TILING_WHOLE, HG_TILING_INNER, HG_TILING_FRAME, HG_TILINGS } HgTilingKind;

/* What runs of a stage keep. */
struct HgStageWork_s {
  bool *lacking;          /* of the run under way: which needs have no valid ghosts */
  HgReal *const **fields; /* room for the rows of all needs */
  int fills;
  HgFill *fill; /* used whenever exactly these needs lack valid ghosts */
  HgTiling tiling[HG_TILINGS];
};

/* ---- stage_work.c: makes it, unless it is there ---- */
PetscErrorCode HgStageWorkCreate(HgStage *stage);

/* A tile with so many layers more outside its walls, and on its other sides. */
static inline HgSpan HgTileSpan(const HgTile *r, int walls, int seams) {
  return (HgSpan){r->i0 - (r->west ? walls : seams), r->i1 + (r->east ? walls : seams),
                  r->j0 - (r->south ? walls : seams), r->j1 + (r->north ? walls : seams)};
}

/* The levels of a variable in a tile, and so many more where no wall is. */
static inline HgLevels HgTileLevels(const HgTile *r, bool surface, int seams) {
  HgLevels l = r->levels;
  if (surface || l.flat) return (HgLevels){.end = 1, .pitch = l.pitch, .flat = true};
  if (!l.round) l.first -= l.below ? 0 : seams, l.end += l.above ? 0 : seams;
  return l;
}

/* How far a call, which computes `all`, has come once all calls have done their rows of the block
   at `base`. The rows near a southern wall are done at once, so are those near a northern one:
   reversed, ghosts outside are added to the rows within `near_walls`, which no call and no wall
   reads before that. */
static inline int HgTileReached(HgBlock b, const HgTile *r, const HgCall *c, HgSpan all, int base) {
  const int to = base + r->rows_at_once + c->skew;
  if (r->south && to < PetscMin(r->j0 + b->near_walls, r->j1)) return all.j0;
  return r->north && to > r->j1 - b->near_walls ? all.j1 : PetscMin(to, all.j1);
}

/* ---- row_buffers.c: what calls hand on within a tile ---- */

/* Cells around a tile that a row has room for, as the fields of a state do; and levels. */
int HgRowBuffersMargin(HgProgram program);
int HgRowBuffersLevelMargin(HgBlock block, const HgStage *stage);

/* Rows of memory that all row buffers of an inland tile of ny rows need together. */
PetscErrorCode HgRowBuffersRows(HgBlock block, const HgStage *stage, int ny, int rows_at_once,
                                int *rows);

/* The memory of a tile of that tiling, whose failure is noted in `tiling`. */
PetscErrorCode HgRowBuffersCreate(HgBlock block, const HgStage *stage, HgTiling *tiling,
                                  HgTile *tile);

/* ---- tile.c: what the engine cuts ---- */

PetscErrorCode HgStageTile(HgBlock block, HgStage *stage, HgTilingKind kind);

void HgTilingFree(HgTiling *tiling);

/* ---- operator_term.c ---- */
PetscErrorCode HgOperatorTermRun(HgBlock block, const HgCall *call, const HgBinding *binding);

/* ---- mask.c ---- */

/* The results of a stage become 0 where no tile computes them. */
void HgTilingSkip(HgBlock block, const HgStage *stage, const HgTiling *tiling,
                  const HgBinding *binding);

/* ---- sweep.c: a tile, some rows at a time ---- */
size_t HgSweepBytes(HgBlock block, const HgStage *stage); /* of HgTile.work */

void HgTileSweep(HgBlock block, const HgStage *stage, HgTile *tile, const HgBinding *binding,
                 const HgBox *patch, bool logged);

#endif
