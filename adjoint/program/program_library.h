/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/program_library.h -- what other rooms of the library need of program.h. */
#ifndef HG_PROGRAM_LIBRARY_H
#define HG_PROGRAM_LIBRARY_H

#include <halograd/program.h>

/* *boundary of `variable`. Error: unknown name. */
PetscErrorCode HgProgramGetBoundary(HgProgram program, const char variable[], HgBoundary *boundary);

/* Where in its cell `variable` lives (location.h), all its versions alike; default: the centre. It
   tells which faces lie on walls, so that sides can be closed, and where sensors see it. A closed
   face is 0 in all that the program writes, and the cotangent of what was computed there is masked;
   what a trajectory or the program's operator is given there counts as 0, too. Errors: unknown
   name; after SetUp. */
PetscErrorCode HgProgramSetLocation(HgProgram program, const char variable[], HgLocation location);

/* Unit of a variable, for files and pictures; default "1". Error: more than 31 bytes. */
PetscErrorCode HgProgramSetUnit(HgProgram program, const char variable[], const char unit[]);

/* Has a variable a limit? */
bool HgProgramLimited(HgProgram program);

/* Prints the plan: variables by role, their ghosts, what is outside walls; then, for one step and
   for the longest time block, forward and reversed, the exchanges and the calls between them, each
   with the cells that it computes beyond the patch and the rows that it is ahead (its skew), the
   tiles and the bytes of rows that the calls of a tile hand on. Collective. */
PetscErrorCode HgProgramView(HgProgram program, PetscViewer viewer);

HgMesh HgProgramMesh(HgProgram program);
const char *HgProgramName(HgProgram program);

/* Numbers a step that its physics has of `name`, 0: none; *along, unless NULL: along which axis. */
int HgProgramEachStep(HgProgram program, const char name[], char *along);

/* *index: where the field `name` is among the carried variables, of which alone a state after a
   step tells, so that they can be observed. Errors: unknown; a constant; work within a step; an
   array; before SetUp. */
PetscErrorCode HgProgramFindCarried(HgProgram program, const char name[], int *index);

/* Whether the mask is used, if the program has one (*has): else all cells are computed, until it is
   used again. Not collective, but the same on all ranks. */
PetscErrorCode HgProgramUseMask(HgProgram program, bool use, bool *has);

/* From now on so many threads of a rank share its rows; how many did before. The bits do not
   depend on it. Not collective, but the same on all ranks. */
int HgProgramUseThreads(HgProgram program, int threads);

/* Is variable k of the input differentiated by: carried, or an active constant? */
bool HgProgramActive(HgProgram program, int k);

/* What kernels are told of step `step`; the box is this rank's patch. */
HgBox HgProgramBox(HgProgram program, long step);

/* The k-th stencil of a step with its params (borrowed), in order; *stencil = NULL: that term is an
   operator. false: there is no k-th term. */
bool HgProgramTerm(HgProgram program, int k, const HgStencil **stencil, const void **params);

/* One term of a step alone: cotangents y_bar of what it wrote became those of what it read. */
typedef struct {
  int k;
  const char *name;
  HgOperator op;
  HgState at; /* its input in the step */
  HgState y_bar, x_bar;
} HgTermSight;

typedef PetscErrorCode HgTermFn(void *context, const HgTermSight *sight); /* collective */

/* Step `step` from q reversed term by term, each run alone, to find what is wrong with
   it: `see` is called for k falling to 0. The states are a stencil's under the program's names,
   an operator's under its own. q_next_bar stays as it is. Slow. Collective. */
PetscErrorCode HgProgramTermsAdjoint(HgProgram program, long step, HgState constants, HgState q,
                                     HgState q_next_bar, HgTermFn *see, void *context);

/* HgProgramStep() term by term, each run alone: the same bits, but for what is wrong with how
   terms are run together. Slow. Collective. */
PetscErrorCode HgProgramTermsStep(HgProgram program, long step, HgState constants, HgState q,
                                  HgState q_next);

/* The terms of a step that write `variable`, or, HG_COTANGENT, that read it and make its
   cotangent: "'a', 'b'". */
void HgProgramTermsOf(HgProgram program, const char variable[], HgMode mode, size_t size,
                      char names[]);

/* q_next = q after `count` steps from `step` on, count at most what HgProgramStride() says: one
   exchange and one pass over memory for all of them, the bits of HgProgramStep(). between[k], NULL
   or count - 1 states: what `saving` says of q after k + 1 steps. Collective. */
PetscErrorCode HgProgramSteps(HgProgram program, long step, long count, HgState constants,
                              HgState q, const HgState between[], HgSaving saving, HgState q_next);

/* How many of the next `steps` steps HgProgramSteps() makes at once: more than one where the mesh's
   ghosts are wide enough for an exchange to serve several (-hg_time_block: at most). */
long HgProgramStride(HgProgram program, long steps);

/* dq_next = F'(q; constants)(dq, dconstants), q_next = F(q) along the way. Collective. */
PetscErrorCode HgProgramStepTangent(HgProgram program, long step, HgState constants,
                                    HgState dconstants, HgState q, HgState dq, HgState q_next,
                                    HgState dq_next);

/* q_bar = dF/dq^T q_next_bar (overwritten), constants_bar += dF/dconstants^T q_next_bar. q_next_bar
   is used up; q_next is scratch for intermediates. Cotangents of ghosts outside walls stay in q_bar
   and constants_bar until HgProgramBoundaryAdjoint(), which q_next_bar must have been through.
   Collective. */
PetscErrorCode HgProgramStepAdjoint(HgProgram program, long step, HgState constants, HgState q,
                                    HgState q_next, HgState q_next_bar, HgState q_bar,
                                    HgState constants_bar);

/* How steps are reversed, several at once. */
typedef struct {
  long steps;       /* at most */
  bool stored;      /* from the states before each of them; else from the first alone */
  bool reads_state; /* false: adjoints of the active variables read none, as of linear programs */
  double ahead;     /* numbers that pass caches and memory for a cell and a step made */
  double back;      /* for one reversed; INFINITY: -hg_reverse asks for another way */
} HgReversal;

/* The cheaper way, by the numbers that pass caches and memory for a step, storing included; `all`:
   the states before all steps can be stored. 1 step where there is no other way: ghosts too narrow,
   rows that no cache holds, terms that are operators. Option -hg_reverse start, stored or single
   says otherwise; stored only with `all`. Collective. */
PetscErrorCode HgProgramReversal(HgProgram program, bool all, HgReversal *way);

/* HgProgramStepAdjoint() for steps `step` + count - 1 down to `step`, count at most what
   HgProgramReversal() says, from q before them: with between[k], k = 0 .. count - 2, the state
   after k + 1 of them; NULL: made again on the way, in the cache. The same bits. Collective. */
PetscErrorCode HgProgramStepsAdjoint(HgProgram program, long step, long count, HgState constants,
                                     HgState q, const HgState between[], HgState q_next,
                                     HgState q_next_bar, HgState q_bar, HgState constants_bar);

/* Adds the cotangents of ghosts outside the walls of a carried or constants state to the cells that
   the boundaries filled these ghosts from, and zeroes them. Not collective. */
PetscErrorCode HgProgramBoundaryAdjoint(HgProgram program, HgState bar);

/* Fills the ghosts of variable `index` of a carried or constants state in the given mode to `depth`
   unless they are valid: exchange, then boundary. Collective. */
PetscErrorCode HgProgramFillGhosts(HgProgram program, HgMode mode, HgState state, int index,
                                   int depth);

/* HgProgramSplit() into constants that are only read until it is called again: rows of a constant
   that are alike on all ranks share memory (HgStateShareRows()). Collective. */
PetscErrorCode HgProgramSplitShared(HgProgram program, HgState input, HgState q, HgState constants);

/* Adds the cotangents of both parts, of active constants only, to that of the input (owned cells
   only, closed faces excepted), and uses them up. A part may be NULL where a program has none. */
PetscErrorCode HgProgramJoin(HgProgram program, HgState q_bar, HgState constants_bar,
                             HgState input_bar);

/* Zero where Adjoint adds to the cotangents of constants: those that are active. NULL where a
   program has no constants. */
PetscErrorCode HgProgramZeroConstantsBar(HgProgram program, HgState constants_bar);

/* q_next = F(q; constants) for step `step`. Owned cells of q and constants are read only; their
   ghosts are filled where not valid. Collective. Error: q_next is q, here and in the calls below.
   */
PetscErrorCode HgProgramStep(HgProgram program, long step, HgState constants, HgState q,
                             HgState q_next);

/* Splits an input into its carried and constant part (ghosts included), 0 on closed faces. A part
   may be NULL where a program has none. */
PetscErrorCode HgProgramSplit(HgProgram program, HgState input, HgState q, HgState constants);

/* A run begins: what was noted is forgotten, and its first state q (carried or input) after `step`
   steps is looked at. Not collective. */
void HgProgramStartLimits(HgProgram program, long step, HgState q);

#endif
