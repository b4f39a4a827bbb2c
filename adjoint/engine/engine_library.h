/* SPDX-License-Identifier: BSD-2-Clause */
/* Running blocks: ghosts, tiles, limits. For adjoint/engine and adjoint/program only. */
#ifndef HG_ENGINE_LIBRARY_H
#define HG_ENGINE_LIBRARY_H

#include <halograd/block_library.h>

/* ---- executor.c ---- */

/* The whole patch at the start of step `step`. */
HgBox HgPatchBox(HgProgram program, long step);

/* Runs the block from step `step` on. Collective. Error: a state with too few ghosts. */
PetscErrorCode HgBlockRun(HgBlock block, long step, const HgBinding *binding);

/* ---- measure.c ---- */

/* Chooses between the two ways to make steps: fused, where calls hand rows to each other in tiles,
   `steps` steps at once; or alone, where each call sweeps the whole patch. If a step's numbers fit
   into the caches, the second may be faster. So it times both on states of zeros and sets p->fuse
   and the mesh's ghosts for the faster one. `alone_ghost`: ghosts that the second way needs. Call
   it before the program's first run. Collective. */
PetscErrorCode HgPlanMeasure(HgProgram program, int steps, int alone_ghost);

/* ---- tile.c ---- */
enum { HG_NARROW_TILE = 256 /* columns */ };

/* How a patch is cut into tiles: `strips` along x, `layers` along y and `decks` along z, each tile
   of at most `columns` columns and `levels` levels. A tile is computed `rows_at_once` rows at a
   time; its row buffers take `bytes`. */
typedef struct {
  int strips, layers, decks, columns, levels, rows_at_once;
  long fitting; /* how wide a tile may be for its row buffers to stay in their share of the cache */
  size_t bytes;
} HgTileShape;

/* The tiles of nx x ny cells. The same on all ranks only if their patches and caches are. */
PetscErrorCode HgStageShape(HgBlock block, const HgStage *stage, int nx, int ny,
                            HgTileShape *shape);

/* *yes: whether the row buffers of the block's first stage stay in the cache of every rank, in
   tiles `columns` wide; with levels, tiles are as wide as the patch. Collective. */
PetscErrorCode HgBlockFits(HgBlock block, int columns, bool *yes);

/* ---- ghosts.c ---- */

/* Whether `depth` layers of ghosts are valid: they hold what their owners and the variable's
   boundary give in this mode. HgGhostsFilled() declares them valid. */
bool HgGhostsValid(const HgProgramVariable *variable, HgMode mode, HgState state, int index,
                   int depth);
void HgGhostsFilled(const HgProgramVariable *variable, HgMode mode, HgState state, int index,
                    int depth);

/* Fills the ghosts that a stage needs and that are not valid. Begin starts the exchange; *fill =
   NULL: nothing is to be exchanged. The first call also creates what runs of the stage keep.
   HgStageBoundaries() may run in between: it fills ghosts outside walls beside cells that need no
   message. End completes the exchange and fills the rest outside walls. */
PetscErrorCode HgStageFillBegin(HgBlock block, HgStage *stage, const HgBinding *binding,
                                HgFill **fill);
void HgStageBoundaries(HgBlock block, const HgStage *stage, const HgBinding *binding);
PetscErrorCode HgStageFillEnd(HgBlock block, const HgStage *stage, const HgBinding *binding,
                              const HgFill *fill);

/* Requires that a state (may be NULL) has as many ghosts as the program needs. Collective. */
PetscErrorCode HgProgramRequireGhosts(HgProgram program, HgState state);

/* How many layers of a variable's ghosts outside frozen walls come from the patch beside them. */
int HgFrozenLayers(HgProgram program, const HgProgramVariable *v, HgMode mode);

/* Fills the ghosts of `rows` outside walls, `layers` deep and `along` beyond seams; of cotangents,
   only those of levels that are periodic. */
void HgVariableBoundary(HgProgram program, const HgProgramVariable *v, HgMode mode, int layers,
                        int along, HgReal *const *rows);

/* Lets rows of constants that repeat the row before share its memory (HgStateShareRows()).
   Collective. */
PetscErrorCode HgProgramShareRows(HgProgram program, HgState constants);

/* Sets variable `index` of a state to 0 on the closed faces of v, also in ghosts. */
void HgProgramClose(HgProgram program, const HgProgramVariable *v, HgState state, int index);

/* The same, and 0 where nothing is wet within reach, unless v is constant. */
void HgProgramMask(HgProgram program, const HgProgramVariable *v, HgState state, int index);

/* Counts one more exchange. */
void HgProgramCount(HgProgram program, const HgFill *fill);

/* ---- limits.c ---- */

/* *first = the earlier of the two. */
void HgBreachNote(const HgBreach *one, HgBreach *first);

/* Notes in *first the first number of a box of rows that breaks the limit of its variable; cells
   that the mask sets to 0 do not count. */
void HgRowsLook(HgProgram program, const HgBox *box, int variable, long step, HgReal *const *rows,
                HgBreach *first);

#endif
