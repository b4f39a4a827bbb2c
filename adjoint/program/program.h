/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/program.h -- an ordered list of stencils that makes one time step; an operator, too.

   From the `reads` and `writes` of its kernels, a program infers three roles:
     carried  variables: read before they are written, then written: the state, checkpointed
     constant variables: read and never written: any of them may be a control
     work     variables: written before they are read: recomputed, never stored
   Each write makes a new version of a variable. Ghosts are exchanged only if they are not valid
   already, with one message per neighbour for all fields; the variable's boundary fills ghosts
   outside walls. Stencils share one exchange as far as the mesh's ghosts are wide enough: each also
   computes the cells beside the patch that the next one reads.

   The step is y = F(q, constants). You pass q_next, and the last version of every carried variable
   is written straight into it. */
#ifndef HALOGRAD_PROGRAM_H
#define HALOGRAD_PROGRAM_H

#include <halograd/boundary.h>
#include <halograd/kernel.h>
#include <halograd/mode.h>
#include <halograd/operator.h>
#include <halograd/physics.h>
#include <halograd/time_block.h>

/* Creates an empty program on a mesh. Step n starts at t = n dt [s]. Collective. Errors: dt not
   positive and finite. */
PetscErrorCode HgProgramCreate(HgMesh mesh, const char name[], double dt, HgProgram *program);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgProgramDestroy(HgProgram *program);

/* Creates the program of a physics: its variables with units, locations and boundaries, and its
   stencils with a copy of `params` (NULL if it takes none). `physics` is borrowed. You may set
   other boundaries and add more terms before HgProgramSetUp(), which refuses a variable that no
   stencil reads or writes. Collective. Errors, after which *program is NULL: those of the calls
   below; params missing; a stencil that takes more params than the physics has, or has a variable
   that the physics does not state. */
PetscErrorCode HgProgramCreatePhysics(HgMesh mesh, const HgPhysics *physics, const void *params,
                                      double dt, HgProgram *program);

/* Appends a stencil (borrowed) with a copy of its `params`, params_size bytes; NULL if it takes
   none. Collective. Errors: after HgProgramSetUp(); a stencil that reads neighbours on a sphere
   without using its metric; params missing or too many, or different between ranks; a kernel
   missing; the same variable read or written twice; more than 16 reads or writes; a radius out of
   range. */
PetscErrorCode HgProgramAddStencil(HgProgram program, const HgStencil *stencil, const void *params);

/* Replaces the params of all terms whose stencil is called `stencil`, by a copy; NULL: of all
   stencils of the program's physics, and of its largest step. A program never sees what you change
   in your own struct later: call this instead, between runs. Then ask HgProgramLargestStep() again,
   as the limit of dt may change. Collective. Errors: no such stencil; it takes none; numbers that
   differ between ranks. */
PetscErrorCode HgProgramSetParams(HgProgram program, const char stencil[], const void *params);

/* Appends an operator between states, such as a collective (operator.h), a parametrisation or a
   chain, of which the program becomes an owner. Its input variables are the program's `reads` and
   its output variables the program's `writes`, in order; both lists end with NULL. They may be
   arrays. Collective. Errors: as for a stencil; lists not as long as the operator's; a variable of
   another kind or size than elsewhere; an operator on another mesh. */
PetscErrorCode HgProgramAddOperator(HgProgram program, HgOperator op, const char *const reads[],
                                    const char *const writes[]);

/* Sets what the ghosts of `variable` hold outside the domain, in all its versions. You must state
   it if a stencil reads across a wall; otherwise, and on periodic axes, it counts as HG_COPY.
   Errors: unknown name; after HgProgramSetUp(). HgProgramSetUp() refuses a boundary that is needed
   and not stated. */
PetscErrorCode HgProgramSetBoundary(HgProgram program, const char variable[], HgBoundary boundary);

/* Requires the carried `variable` > above, in its unit, in all cells of every state; NaN fails.
   Steps note the first cell that fails while they compute it, at hardly any cost. Errors: unknown
   name; after HgProgramSetUp(). HgProgramSetUp() refuses a variable that is not carried. */
PetscErrorCode HgProgramRequireAbove(HgProgram program, const char variable[], double above);

/* Checks the limits: of the steps since the run began and of its state q (carried or input) after
   `step` steps; q NULL: only of the steps. Collective. Error: a limit was broken; the sentence
   names the first step, variable, cell, rank and value. */
PetscErrorCode HgProgramCheckLimits(HgProgram program, long step, HgState q);

/* Infers the roles, checks and plans; prints the plan with -hg_program_view. If the mesh's spec
   sets no ghost width, it chooses one: wide enough for -hg_time_block steps to share an exchange,
   but no wider than half the thinnest patch unless a kernel reads as far. Create states afterwards.
   Collective. Errors: no stencil; a halo deeper than the mesh's ghosts or a patch; nothing is
   carried. */
PetscErrorCode HgProgramSetUp(HgProgram program);

/* The time step of the program [s]. Not collective. */
double HgProgramTimeStep(HgProgram program);

/* *dt: the largest stable time step [s] of the physics for the values in `input`
   (HgProgramCreateInput()); INFINITY if the physics states none. Collective. Errors: a program
   without a physics, or not set up; numbers that are not finite, or for which no step is stable. */
PetscErrorCode HgProgramLargestStep(HgProgram program, HgState input, double *dt);

/* Requires that the program's dt is stable for the values in `input`; a trajectory does not check
   it. Collective. Errors: dt is above HgProgramLargestStep(); those of that call; a constant that
   the physics declares positive is not. */
PetscErrorCode HgProgramRequireStable(HgProgram program, HgState input);

/* Creates zero states: of the carried variables; of the constants (NULL if there are none); of
   both, which is the input of a trajectory, in the order of the physics, else carried first. */
PetscErrorCode HgProgramCreateCarried(HgProgram program, HgState *q);
PetscErrorCode HgProgramCreateConstants(HgProgram program, HgState *constants);
PetscErrorCode HgProgramCreateInput(HgProgram program, HgState *input);

/* Restricts the program to part of the cells, such as water between land: those where the field
   `variable` of `state` (copied) is not 0 are wet. With R the largest radius of the stencils, let M
   = 1 in cells that have a wet cell within R (in a square), else 0. Every stencil becomes y = M
   F(x): where M is 0, its results are 0 and not computed. Its derivatives are those of M F, with M
   = M^T. Carried variables that you pass in count as 0 there, too; constants stay as they are. The
   bits do not change if the physics leaves 0 where all cells within R are dry, in value, tangent
   and adjoint, for example by fields that close faces (keep of apps/tsunami); -check tests this.
   NULL: all cells again. You may change the mask between runs. -hg_program_view prints how much is
   skipped. Collective. Errors: before HgProgramSetUp(); unknown name; not a field on the program's
   mesh. */
PetscErrorCode HgProgramSetMask(HgProgram program, HgState state, const char variable[]);

/* Sets whether adjoints compute the cotangent of a constant; default: of all. Errors: unknown name;
   no constant; before HgProgramSetUp(). */
PetscErrorCode HgProgramSetActive(HgProgram program, const char constant[], bool active);

/* Step `step` as an operator: (carried, constants) -> carried. The program must outlive it.
   Collective. */
PetscErrorCode HgProgramOperator(HgProgram program, long step, HgOperator *op);

/* Messages and bytes that this rank has sent, and exchanges it took part in, since creation. */
void HgProgramTraffic(HgProgram program, long *exchanges, long *messages, double *bytes);

#endif
