/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a program, for adjoint/program only. What blocks and the engine see is in
   step_library.h. */
#ifndef HALOGRAD_PROGRAM_PRIVATE_H
#define HALOGRAD_PROGRAM_PRIVATE_H

#include <halograd/engine_library.h>
#include <halograd/program_library.h>

/* Appends a term. `part`: NULL for a stencil; else it becomes the program's. */
PetscErrorCode HgProgramAddTerm(HgProgram program, const HgStencil *stencil, const void *params,
                                const HgOperatorTerm *part);

PetscErrorCode HgOperatorTermDestroy(HgOperatorTerm *part);

/* Declares a field that `reader` names, unless it is known. */
PetscErrorCode HgProgramDeclareField(HgProgram program, const char reader[], const char name[],
                                     const char unit[], bool surface);

/* *index: the variable `name`, of the kind, size and unit of `like`; created if new. */
PetscErrorCode HgProgramDeclareVariable(HgProgram program, const char reader[], const char name[],
                                        const HgVariable *like, int *index);

/* Declares the variables of a physics, in its order. */
PetscErrorCode HgProgramDeclare(HgProgram program, const HgPhysics *physics);

/* ---- program_options.c ---- */
PetscErrorCode HgProgramReadOptions(HgProgram program);

/* ---- program_block.c ---- */
enum {
  HG_STORED_BLOCK_STEPS = 4,     /* most steps reversed at once from stored states */
  HG_TIME_BLOCK_STEPS = 6,       /* most steps made at once */
  HG_LONG_TIME_BLOCK_STEPS = 16, /* most, if wide tiles of their rows fit into the cache */
  HG_VOLUME_BLOCK_STEPS = 4,     /* most with levels, if slabs of tiles fit; else 2 */
  HG_WIDE_TILE = 512,            /* columns */
  HG_THICK_PATCH = 32,           /* least patch width over its ghosts: seams cost double */
  HG_THICK_VOLUME = 12           /* the same with levels */
};

/* How blocks are reversed: the cheaper way; from first states; from stored states; step by step. */
typedef enum {
  HG_REVERSE_CHEAPER,
  HG_REVERSE_START,
  HG_REVERSE_STORED,
  HG_REVERSE_SINGLE
} HgReverse;

struct HgTimeBlocks_s {
  int steps;       /* largest T that the ghosts allow; 0: single steps */
  int most;        /* largest T */
  int back_most;   /* largest T reversed from the first state only */
  bool given;      /* both come from -hg_time_block */
  int ghost_alone; /* ghosts for steps by calls that each sweep the whole patch */
  bool open;       /* no option decides: HgTimeBlockMeasure() */
  HgReverse reverse;
  int back_steps[2];   /* [stored]: largest T in reverse; 0: not looked for yet */
  double back_cost[2]; /* per step: HgBlockCost() */
  double ahead_cost;   /* per step forward */
  bool back_reads;     /* HgBlockReadsState() of the reversal from the first state */
};

/* Chooses the largest number of steps made at once, where one step needs ghosts `depth` deep: more
   than HG_TIME_BLOCK_STEPS if their rows stay in the cache and patches are thick. Does nothing if
   -hg_time_block is given. Collective. */
PetscErrorCode HgTimeBlockChoose(HgProgram program, int depth);

/* Finds the largest number of steps of a block; 0 or 1: single steps. Collective. */
PetscErrorCode HgTimeBlockFind(HgProgram program);

/* Decides by HgPlanMeasure() whether steps are fused, unless an option does. Collective. */
PetscErrorCode HgTimeBlockMeasure(HgProgram program);

/* *depth: the ghosts needed to reverse as many steps from the first state as fit into the cache; 0:
   not even two fit. */
PetscErrorCode HgTimeBlockReverseDepth(HgProgram program, int *depth);

/* Forgets the plans of reverse blocks. */
PetscErrorCode HgTimeBlockForgetReverse(HgProgram program);

/* ---- program_term.c ---- */

/* Term `term`, which is a stencil, at step `step` as an operator: its reads and what it only writes
   -> its writes. The program must outlive its use. Collective. */
PetscErrorCode HgTermOperator(HgProgram program, int term, long step, HgOperator *op);

/* ---- program_terms.c ---- */
typedef struct HgTerms_s *HgTerms;
PetscErrorCode HgTermsCreate(HgProgram program, long step, HgTerms *terms);
PetscErrorCode HgTermsDestroy(HgTerms *terms);

/* HgOperatorPart() for a step at x; k counts up from 0. */
PetscErrorCode HgTermsPart(HgTerms terms, HgState x, int k, HgOperator *part, HgState *at);

/* ---- program_width.c ---- */

/* Gives the mesh ghosts as wide as the plan needs. */
PetscErrorCode HgProgramAskGhosts(HgProgram program);

/* ---- program_add_operator.c ---- */

/* Error: a variable of an operator has ghosts as part of its value (HG_GHOSTED), and another number
   of them than the mesh now. */
PetscErrorCode HgProgramCheckOperators(HgProgram program);

/* ---- program_mask.c ---- */

/* Sets the mask of another program on the same cells, or NULL; becomes an owner of it. */
PetscErrorCode HgProgramShareMask(HgProgram program, HgMask mask);

/* Prints a line about the mask, if there is one. Collective. */
PetscErrorCode HgProgramViewMask(HgProgram program, PetscViewer viewer);

/* ---- program_view.c ---- */
/* Prints what -hg_program_view asks for, once for equal groups of ranks (HgCommSay()). */
PetscErrorCode HgProgramViewOnce(HgProgram program);

/* ---- program_dual.c ---- */
PetscErrorCode HgDualDestroy(HgDual *dual);

/* The ghosts of states of the program that this is the dual of. */
int HgDualGhosts(HgDual dual);

/* The name in the dual of part v, 0 .. V, of a variable. */
const char *HgDualName(HgDual dual, int v, const char name[]);

/* ---- program_dual_stencil.c: kernels on dual numbers ---- */
typedef struct {
  HgStencil stencil;
  void *params;
  int *dot; /* dot[v reads + k]: index among its reads of direction v (from 0) of read k */
} HgDualStencil;

/* Creates the dual of a stencil term; the params that its pointers name are borrowed. */
PetscErrorCode HgDualStencilCreate(HgDual dual, int directions, const HgTerm *term,
                                   HgDualStencil *stencil);
PetscErrorCode HgDualStencilFree(HgDualStencil *stencil);

#endif
