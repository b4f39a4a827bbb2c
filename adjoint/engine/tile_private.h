/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage at work: exchanges, tiles, row buffers, sweep. For adjoint/engine only. */
#ifndef HALOGRAD_TILE_PRIVATE_H
#define HALOGRAD_TILE_PRIVATE_H

#include <halograd/boundary_library.h>
#include <halograd/engine_library.h>
#include <halograd/real_library.h>

/* A box of owned cells with all that it takes to compute it alone. The calls of a stage hand rows
   to each other in row buffers of the tile, so tiles may be computed in any order. */
typedef struct {
  int i0, i1, j0, j1;
  HgLevels levels;               /* of a field that is not a surface; flat: the mesh has none */
  bool west, east, south, north; /* walls that it touches */
  int rows_at_once;              /* computed at a time */
  void *memory;
  size_t bytes;         /* of memory */
  HgReal *const **rows; /* by value: its row buffer; NULL: it is in a state */
  const HgReal *zeros;  /* zeros[i] = 0, i in [i0 - margin, i1 + margin) */
  void *work;           /* by call: the HgWork of sweep.c */
  HgBreach breach;
} HgTile;

typedef struct {
  bool made, failed; /* failed: there was no memory */
  size_t bytes;
  int tiles;
  HgTile *tile;
  int masks; /* of the program, when it was made */
  int skips;
  HgSpan *skip; /* boxes without tiles, as nothing is wet within reach */
} HgTiling;

typedef enum { HG_TILING_WHOLE, HG_TILING_INNER, HG_TILING_FRAME, HG_TILINGS } HgTilingKind;

/* What runs of a stage keep. */
struct HgStageWork_s {
  bool *lacking;          /* by need: has no valid ghosts in the present run */
  HgReal *const **fields; /* room for the rows of all needs */
  int fills;
  HgFill *fill; /* one for each set of needs that has lacked valid ghosts */
  HgTiling tiling[HG_TILINGS];
};

/* ---- stage_work.c: creates the work of a stage, unless it is there ---- */
PetscErrorCode HgStageWorkCreate(HgStage *stage);

/* A tile with `walls` more layers outside its walls and `seams` more on its other sides. */
static inline HgSpan HgTileSpan(const HgTile *r, int walls, int seams) {
  return (HgSpan){r->i0 - (r->west ? walls : seams), r->i1 + (r->east ? walls : seams),
                  r->j0 - (r->south ? walls : seams), r->j1 + (r->north ? walls : seams)};
}

/* The levels of a variable in a tile, and `seams` more at each end that is no wall. */
static inline HgLevels HgTileLevels(const HgTile *r, bool surface, int seams) {
  HgLevels l = r->levels;
  if (surface || l.flat) return (HgLevels){.end = 1, .pitch = l.pitch, .flat = true};
  if (!l.round) l.first -= l.below ? 0 : seams, l.end += l.above ? 0 : seams;
  return l;
}

/* The end of the rows, of all that call c computes, that it has done after the turn of the sweep at
   row `base`. Rows near a southern or northern wall are done in one turn. In reverse, ghosts
   outside are added to the rows within `near_walls`; no call and no boundary reads these rows
   before. */
static inline int HgTileReached(HgBlock b, const HgTile *r, const HgCall *c, HgSpan all, int base) {
  const int to = base + r->rows_at_once + c->skew;
  if (r->south && to < PetscMin(r->j0 + b->near_walls, r->j1)) return all.j0;
  return r->north && to > r->j1 - b->near_walls ? all.j1 : PetscMin(to, all.j1);
}

/* ---- row_buffers.c: rows that calls hand on within a tile ---- */

/* Room around a tile in a row buffer, in cells, as in the fields of a state; and in levels. */
int HgRowBuffersMargin(HgProgram program);
int HgRowBuffersLevelMargin(HgBlock block, const HgStage *stage);

/* *rows: how many rows of memory all row buffers of an inland tile of ny rows need together. */
PetscErrorCode HgRowBuffersRows(HgBlock block, const HgStage *stage, int ny, int rows_at_once,
                                int *rows);

/* Allocates the row buffers of a tile; a failure is noted in `tiling`. */
PetscErrorCode HgRowBuffersCreate(HgBlock block, const HgStage *stage, HgTiling *tiling,
                                  HgTile *tile);

/* ---- tile.c ---- */

PetscErrorCode HgStageTile(HgBlock block, HgStage *stage, HgTilingKind kind);

void HgTilingFree(HgTiling *tiling);

/* ---- operator_term.c ---- */
PetscErrorCode HgOperatorTermRun(HgBlock block, const HgCall *call, const HgBinding *binding);

/* ---- mask.c ---- */

/* Sets the results of a stage to 0 where no tile computes them. */
void HgTilingSkip(HgBlock block, const HgStage *stage, const HgTiling *tiling,
                  const HgBinding *binding);

/* ---- sweep.c: computes a tile, some rows at a time ---- */
size_t HgSweepBytes(HgBlock block, const HgStage *stage); /* of HgTile.work */

void HgTileSweep(HgBlock block, const HgStage *stage, HgTile *tile, const HgBinding *binding,
                 const HgBox *patch, bool logged);

#endif
