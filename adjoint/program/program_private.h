/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a program, for adjoint/program only; what blocks and the engine see of it is in
   step_library.h. */
#ifndef HALOGRAD_PROGRAM_PRIVATE_H
#define HALOGRAD_PROGRAM_PRIVATE_H

#include <halograd/engine_library.h>
#include <halograd/program_library.h>

/* Appends a term; `part` is NULL for a stencil, else it becomes the program's. */
PetscErrorCode HgProgramAddTerm(HgProgram program, const HgStencil *stencil, const void *params,
                                const HgOperatorTerm *part);

PetscErrorCode HgOperatorTermDestroy(HgOperatorTerm *part);

/* A field that is not known yet. */
PetscErrorCode HgProgramDeclareField(HgProgram program, const char reader[], const char name[],
                                     const char unit[], bool surface);

/* *index: the variable called `name`, of the kind, size and unit of `like`, made if new. */
PetscErrorCode HgProgramDeclareVariable(HgProgram program, const char reader[], const char name[],
                                        const HgVariable *like, int *index);

/* The variables of a physics, in its order. */
PetscErrorCode HgProgramDeclare(HgProgram program, const HgPhysics *physics);

/* ---- program_options.c ---- */
PetscErrorCode HgProgramReadOptions(HgProgram program);

/* ---- program_block.c ---- */
enum {
  HG_STORED_BLOCK_STEPS = 4,     /* steps reversed at once from stored states, at most */
  HG_TIME_BLOCK_STEPS = 6,       /* steps made at once, at most */
  HG_LONG_TIME_BLOCK_STEPS = 16, /* where their rows leave wide tiles in the cache, at most */
  HG_VOLUME_BLOCK_STEPS = 4,     /* of levels, where slabs of tiles leave them in the cache; or 2 */
  HG_WIDE_TILE = 512,            /* columns */
  HG_THICK_PATCH = 32, /* times the ghosts of such a block, at least: seams are computed twice */
  HG_THICK_VOLUME = 12 /* the same of levels */
};

/* How blocks are reversed: as is cheaper; from their first states; from stored ones; step by step.
   */
typedef enum {
  HG_REVERSE_CHEAPER,
  HG_REVERSE_START,
  HG_REVERSE_STORED,
  HG_REVERSE_SINGLE
} HgReverse;

struct HgTimeBlocks_s {
  int steps;       /* T at most, as the ghosts allow; 0: steps are made one by one */
  int most;        /* T at most */
  int back_most;   /* likewise, reversed from the first state alone */
  bool given;      /* do these two come from -hg_time_block? */
  int ghost_alone; /* what steps by calls that sweep the patch one after the other need */
  bool open;       /* neither -hg_time_block nor -hg_fuse says how: HgTimeBlockMeasure() */
  HgReverse reverse;
  int back_steps[2];   /* [stored]: T at most, reversed; 0: not looked for yet */
  double back_cost[2]; /* of a step, HgBlockCost() */
  double ahead_cost;   /* of a step ahead */
  bool back_reads;     /* does the first alone matter, or not even that? */
};

/* How many steps are made at once at most, of which one needs ghosts `depth` deep: more than
   HG_TIME_BLOCK_STEPS where their rows stay in the cache and patches are thick; nothing where
   -hg_time_block has said so. Collective. */
PetscErrorCode HgTimeBlockChoose(HgProgram program, int depth);

/* How many steps one block has at most; 0 or 1: steps are made one by one. Collective. */
PetscErrorCode HgTimeBlockFind(HgProgram program);

/* Steps are fused or not as is faster (HgPlanMeasure()), where no option says how. Collective. */
PetscErrorCode HgTimeBlockMeasure(HgProgram program);

/* The ghosts that reversing several steps from the first state alone needs, as many steps as fit
   into the cache; 0: not even two do. */
PetscErrorCode HgTimeBlockReverseDepth(HgProgram program, int *depth);

/* Blocks that reverse are planned anew when they are next wanted. */
PetscErrorCode HgTimeBlockForgetReverse(HgProgram program);

/* ---- program_term.c ---- */

/* Term `term`, a stencil, at step `step`: its reads and what it only writes -> its writes. The
   program must outlive its use, but not it. Collective. */
PetscErrorCode HgTermOperator(HgProgram program, int term, long step, HgOperator *op);

/* ---- program_terms.c ---- */
typedef struct HgTerms_s *HgTerms;
PetscErrorCode HgTermsCreate(HgProgram program, long step, HgTerms *terms);
PetscErrorCode HgTermsDestroy(HgTerms *terms);

/* As HgOperatorPart(), of a step at x; k counts up from 0. */
PetscErrorCode HgTermsPart(HgTerms terms, HgState x, int k, HgOperator *part, HgState *at);

/* ---- program_width.c ---- */

/* As wide ghosts as the plan asks for, of the mesh. */
PetscErrorCode HgProgramAskGhosts(HgProgram program);

/* ---- program_add_operator.c ---- */

/* Error: what operators read or write has other ghosts than the mesh now, as part of the value. */
PetscErrorCode HgProgramCheckOperators(HgProgram program);

/* ---- program_mask.c ---- */

/* The mask of another program on the same cells, or NULL; it has one owner more. */
PetscErrorCode HgProgramShareMask(HgProgram program, HgMask mask);

/* A line about the mask, if there is one. Collective. */
PetscErrorCode HgProgramViewMask(HgProgram program, PetscViewer viewer);

/* ---- program_view.c ---- */
/* What -hg_program_view prints, of equal groups of ranks once (comm.h). */
PetscErrorCode HgProgramViewOnce(HgProgram program);

/* ---- program_dual.c ---- */
PetscErrorCode HgDualDestroy(HgDual *dual);

/* The ghosts that states of the program have which it is the dual of. */
int HgDualGhosts(HgDual dual);

/* The name that part v, 0 .. V, of a variable of the program has in its dual. */
const char *HgDualName(HgDual dual, int v, const char name[]);

/* ---- program_dual_stencil.c: kernels on dual numbers ---- */
typedef struct {
  HgStencil stencil;
  void *params;
  int *dot; /* dot[v reads + k]: where among its reads that of read k is, direction v from 0 */
} HgDualStencil;

/* That of a stencil of the program with its params, of which the pointers are borrowed. */
PetscErrorCode HgDualStencilCreate(HgDual dual, int directions, const HgTerm *term,
                                   HgDualStencil *stencil);
PetscErrorCode HgDualStencilFree(HgDualStencil *stencil);

#endif
