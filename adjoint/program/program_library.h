/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/program_library.h -- what other rooms of the library need of program.h. */
#ifndef HG_PROGRAM_LIBRARY_H
#define HG_PROGRAM_LIBRARY_H

#include <halograd/program.h>

/* *boundary of `variable`. Error: unknown name. */
PetscErrorCode HgProgramGetBoundary(HgProgram program, const char variable[], HgBoundary *boundary);

/* Sets where in its cell `variable` lives (location.h), in all its versions; default: the centre.
   This decides which faces lie on walls, so that sides can be closed, and where sensors see it. A
   closed face is 0 in all that the program writes and in what a trajectory or the program's
   operator is given, and the cotangent of what was computed there is masked. Errors: unknown name;
   after HgProgramSetUp(). */
PetscErrorCode HgProgramSetLocation(HgProgram program, const char variable[], HgLocation location);

/* Sets the unit of a variable, for files and pictures; default "1". Error: more than 31 bytes. */
PetscErrorCode HgProgramSetUnit(HgProgram program, const char variable[], const char unit[]);

/* Whether some variable has a limit; how often mask, params or active constants have been set. */
bool HgProgramLimited(HgProgram program);
int HgProgramChanges(HgProgram program);

/* Prints the plan. First the variables by role, with their ghosts and boundaries. Then, for one
   step and for the longest time block, forward and reversed: the exchanges and the calls between
   them, each with the cells that it computes beyond the patch and its skew (rows that it is ahead);
   and the tiles with the bytes of their row buffers. Collective. */
PetscErrorCode HgProgramView(HgProgram program, PetscViewer viewer);

HgMesh HgProgramMesh(HgProgram program);
const char *HgProgramName(HgProgram program);

/* How many numbers by step called `name` the physics has for each step; 0: none. *along (may be
   NULL): along which axis. */
int HgProgramEachStep(HgProgram program, const char name[], char *along);

/* *index: the index of the field `name` among the carried variables, which alone can be observed.
   Errors: unknown name; a constant; work within a step; an array; before HgProgramSetUp(). */
PetscErrorCode HgProgramFindCarried(HgProgram program, const char name[], int *index);

/* Switches the program's mask on or off; without it all cells are computed. *has: the program has a
   mask. Not collective, but the same on all ranks. */
PetscErrorCode HgProgramUseMask(HgProgram program, bool use, bool *has);

/* Sets how many threads of a rank share its rows, and returns the number before. The bits do not
   depend on it. Not collective, but the same on all ranks. */
int HgProgramUseThreads(HgProgram program, int threads);

/* Whether J is differentiated by variable k of the input: carried, or an active constant. */
bool HgProgramActive(HgProgram program, int k);

/* active[k]: whether variable k of x, an input or the constants, is an active constant. Returns
   whether any is. x NULL: there are none. */
bool HgProgramActiveConstants(HgProgram program, HgState x, bool active[]);

/* The box that kernels get in step `step`, for this rank's whole patch. */
HgBox HgProgramBox(HgProgram program, long step);

/* The k-th term of a step: its stencil and params (borrowed); *stencil = NULL: an operator. false:
   there is no k-th term. */
bool HgProgramTerm(HgProgram program, int k, const HgStencil **stencil, const void **params);

/* One term of a step in reverse: the cotangents y_bar of what it wrote gave x_bar of what it
   read. */
typedef struct {
  int k;
  const char *name;
  HgOperator op;
  HgState at; /* input of the term in the step */
  HgState y_bar, x_bar;
} HgTermSight;

typedef PetscErrorCode HgTermFn(void *context, const HgTermSight *sight); /* collective */

/* Reverses step `step` from q term by term, each run alone, to find an error. Calls `see` for
   falling k. The states have the program's names for a stencil, the operator's own for an operator.
   q_next_bar does not change. Slow. Collective. */
PetscErrorCode HgProgramTermsAdjoint(HgProgram program, long step, HgState constants, HgState q,
                                     HgState q_next_bar, HgTermFn *see, void *context);

/* HgProgramStep() term by term, each run alone. The bits are the same unless running terms together
   is wrong. Slow. Collective. */
PetscErrorCode HgProgramTermsStep(HgProgram program, long step, HgState constants, HgState q,
                                  HgState q_next);

/* The terms of a step that write `variable`, as "'a', 'b'"; HG_COTANGENT: those that read it and
   add to its cotangent. */
void HgProgramTermsOf(HgProgram program, const char variable[], HgMode mode, size_t size,
                      char names[]);

/* q_next = q after `count` steps from `step` on, with one exchange and one pass over memory for
   all, and the bits of HgProgramStep(). count is at most HgProgramStride(). between[k] (NULL, or
   count - 1 states): the variables that `saving` names, after k + 1 steps. Collective. */
PetscErrorCode HgProgramSteps(HgProgram program, long step, long count, HgState constants,
                              HgState q, const HgState between[], HgSaving saving, HgState q_next);

/* How many of the next `steps` steps HgProgramSteps() makes at once. More than one if the mesh's
   ghosts are wide enough to share an exchange; -hg_time_block is the largest. */
long HgProgramStride(HgProgram program, long steps);

/* dq_next = F'(q; constants)(dq, dconstants); also q_next = F(q). Collective. */
PetscErrorCode HgProgramStepTangent(HgProgram program, long step, HgState constants,
                                    HgState dconstants, HgState q, HgState dq, HgState q_next,
                                    HgState dq_next);

/* q_bar = dF/dq^T q_next_bar (overwritten), constants_bar += dF/dconstants^T q_next_bar. Call
   HgProgramBoundaryAdjoint() on q_next_bar before; its contents are lost. q_next is scratch.
   Cotangents of ghosts outside walls stay in q_bar and constants_bar until
   HgProgramBoundaryAdjoint(). Collective. */
PetscErrorCode HgProgramStepAdjoint(HgProgram program, long step, HgState constants, HgState q,
                                    HgState q_next, HgState q_next_bar, HgState q_bar,
                                    HgState constants_bar);

/* How to reverse several steps at once. */
typedef struct {
  long steps;       /* at most */
  bool stored;      /* from the states before each step; else from the first state only */
  bool reads_state; /* false: adjoints of the active variables read none, as if linear */
  double ahead;     /* numbers moved through caches and memory per cell and step forward */
  double back;      /* the same per reversed step; INFINITY: -hg_reverse excludes this way */
} HgReversal;

/* *way: the cheaper way to reverse steps, by the numbers moved through caches and memory, including
   what is stored. `all`: the states before all steps can be stored. way->steps is 1 if nothing else
   is possible: ghosts too narrow, rows that no cache holds, terms that are operators. The option
   -hg_reverse start, stored or single overrides the choice; stored only with `all`. Collective. */
PetscErrorCode HgProgramReversal(HgProgram program, bool all, HgReversal *way);

/* HgProgramStepAdjoint() for steps `step` + count - 1 down to `step`; count is at most what
   HgProgramReversal() gave. q is the state before them, between[k] the state after k + 1 of them, k
   = 0 .. count - 2; between NULL: they are recomputed on the way, in the cache. The same bits.
   Collective. */
PetscErrorCode HgProgramStepsAdjoint(HgProgram program, long step, long count, HgState constants,
                                     HgState q, const HgState between[], HgState q_next,
                                     HgState q_next_bar, HgState q_bar, HgState constants_bar);

/* Adds the cotangents of ghosts outside walls of a carried or constants state to the cells that the
   boundaries filled these ghosts from, and zeroes them. Not collective. */
PetscErrorCode HgProgramBoundaryAdjoint(HgProgram program, HgState bar);

/* Fills the ghosts of variable `index` of a carried or constants state to `depth` in the given
   mode, unless they are valid: exchange, then boundary. Collective. */
PetscErrorCode HgProgramFillGhosts(HgProgram program, HgMode mode, HgState state, int index,
                                   int depth);

/* HgProgramSplit() for constants that are only read until the next call: rows of them that repeat
   the row before share its memory (HgStateShareRows()). Collective. */
PetscErrorCode HgProgramSplitShared(HgProgram program, HgState input, HgState q, HgState constants);

/* input_bar += both parts, of active constants only (owned cells, without closed faces), and uses
   the parts up. A part may be NULL if the program has none. */
PetscErrorCode HgProgramJoin(HgProgram program, HgState q_bar, HgState constants_bar,
                             HgState input_bar);

/* Sets the cotangents of active constants to zero. NULL if the program has no constants. */
PetscErrorCode HgProgramZeroConstantsBar(HgProgram program, HgState constants_bar);

/* q_next = F(q; constants) for step `step`. Owned cells of q and constants are only read; ghosts
   are filled if not valid. Collective. Error, also in the other steps: q_next is q. */
PetscErrorCode HgProgramStep(HgProgram program, long step, HgState constants, HgState q,
                             HgState q_next);

/* Splits an input into its carried and constant parts (with ghosts), 0 on closed faces. A part may
   be NULL if the program has none. */
PetscErrorCode HgProgramSplit(HgProgram program, HgState input, HgState q, HgState constants);

/* Starts a run: forgets broken limits of earlier runs, and checks its first state q (carried or
   input) after `step` steps. Not collective. */
void HgProgramStartLimits(HgProgram program, long step, HgState q);

#endif
