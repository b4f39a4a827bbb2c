/* SPDX-License-Identifier: BSD-2-Clause */
/* Running blocks: ghosts, tiles, limits. For adjoint/engine and adjoint/program only. */
#ifndef HG_ENGINE_LIBRARY_H
#define HG_ENGINE_LIBRARY_H

#include <halograd/block_library.h>

/* ---- executor.c ---- */

/* The whole patch at the start of step `step`. */
HgBox HgPatchBox(HgProgram program, long step);

/* Runs steps `step` ... of the block. Collective. Errors: a state with too few ghosts; no memory.
   */
PetscErrorCode HgBlockRun(HgBlock block, long step, const HgBinding *binding);

/* ---- measure.c ---- */

/* Where a step's numbers fit into the caches, calls that each sweep the patch may be faster than
   calls that hand rows to each other, for `steps` steps at once: both are timed on states of zeros,
   and p->fuse and the ghosts become those of the faster one. `alone_ghost`: what the first way
   needs. Before the program's first run. Collective. */
PetscErrorCode HgPlanMeasure(HgProgram program, int steps, int alone_ghost);

/* ---- tile.c ---- */
enum { HG_NARROW_TILE = 256 /* columns */ };

/* How cells are cut: strips side by side, in layers, in decks one above the other, of at most so
   many columns and levels, computed so many rows at a time, with so many bytes of rows that the
   calls of a tile hand on. */
typedef struct {
  int strips, layers, decks, columns, levels, rows_at_once;
  long fitting; /* columns of which these rows stay in their share of the cache */
  size_t bytes;
} HgTileShape;

/* Of nx x ny cells. The same on all ranks only if their patches and caches are. */
PetscErrorCode HgStageShape(HgBlock block, const HgStage *stage, int nx, int ny,
                            HgTileShape *shape);

/* Does what the calls of its first stage hand on stay in every rank's cache, in tiles so wide?
   Those of levels are as wide as the patch. Collective. */
PetscErrorCode HgBlockFits(HgBlock block, int columns, bool *yes);

/* ---- ghosts.c ---- */

/* Do so many layers of ghosts hold what owners and the variable's boundary give them in this mode?
   Afterwards: they do. */
bool HgGhostsValid(const HgProgramVariable *variable, HgMode mode, HgState state, int index,
                   int depth);
void HgGhostsFilled(const HgProgramVariable *variable, HgMode mode, HgState state, int index,
                    int depth);

/* The exchange of what a stage lacks of valid ghosts begins, *fill NULL: of nothing, and what runs
   of the stage keep is made first; it ends, and walls hold what they hold. In between,
   HgStageBoundaries() fills what lies outside walls beside cells that need no message. */
PetscErrorCode HgStageFillBegin(HgBlock block, HgStage *stage, const HgBinding *binding,
                                HgFill **fill);
void HgStageBoundaries(HgBlock block, const HgStage *stage, const HgBinding *binding);
PetscErrorCode HgStageFillEnd(HgBlock block, const HgStage *stage, const HgBinding *binding,
                              const HgFill *fill);

/* Has a state as many ghosts as the program needs? NULL has. Collective. */
PetscErrorCode HgProgramRequireGhosts(HgProgram program, HgState state);

/* Layers of a variable's ghosts outside frozen walls that ranks get from the patch beside them. */
int HgFrozenLayers(HgProgram program, const HgProgramVariable *v, HgMode mode);

/* Ghosts outside walls, `layers` deep and `along` beyond seams, of rows in a mode: filled; a
   cotangent's stay. */
void HgVariableBoundary(HgProgram program, const HgProgramVariable *v, HgMode mode, int layers,
                        int along, HgReal *const *rows);

/* Constants whose rows are alike on all ranks keep the memory of one (HgStateShareRows()).
   Collective. */
PetscErrorCode HgProgramShareRows(HgProgram program, HgState constants);

/* Variable `index` of a state is 0 on the closed faces of variable v, in ghosts too. */
void HgProgramClose(HgProgram program, const HgProgramVariable *v, HgState state, int index);

/* So it is, and where nothing is wet within reach, unless v is constant. */
void HgProgramMask(HgProgram program, const HgProgramVariable *v, HgState state, int index);

/* One exchange more has been used. */
void HgProgramCount(HgProgram program, const HgFill *fill);

/* ---- limits.c ---- */

/* *first becomes `one` if that comes before it. */
void HgBreachNote(const HgBreach *one, HgBreach *first);

/* Notes the first number of a box of rows that does not keep the limit of a variable, but for those
   that the mask makes 0. */
void HgRowsLook(HgProgram program, const HgBox *box, int variable, long step, HgReal *const *rows,
                HgBreach *first);

#endif
