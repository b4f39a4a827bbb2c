/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/program.h -- an ordered list of stencils: one time step; itself an operator.

   From the kernels' `reads` and `writes` alone a program infers
     carried  variables: read before they are written, then written: the state that is checkpointed,
     constant variables: read, never written: any of them may be a control,
     work     variables: written before they are read: recomputed, never stored.
   Writing a variable makes a new version of it. Ghosts are exchanged only if they are not valid
   already, all fields of one exchange in one message per neighbour; walls are filled by the
   variable's boundary. As many stencils as the mesh's ghosts are wide enough for share one
   exchange: then each computes the cells beside the patch that the next one reads.

   The step is y = F(q, constants); the caller gives q_next, and the last version of every carried
   variable is written straight into it. */
#ifndef HALOGRAD_PROGRAM_H
#define HALOGRAD_PROGRAM_H

#include <halograd/boundary.h>
#include <halograd/kernel.h>
#include <halograd/mode.h>
#include <halograd/operator.h>
#include <halograd/physics.h>
#include <halograd/time_block.h>

/* An empty program on a mesh. Step n starts at t = n dt [s]. Collective. Errors: dt not positive
   and finite. */
PetscErrorCode HgProgramCreate(HgMesh mesh, const char name[], double dt, HgProgram *program);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgProgramDestroy(HgProgram *program);

/* The program of a physics: its variables with units, locations and boundaries, its stencils with
   `params`, of which a copy is kept (NULL if it takes none). `physics` is borrowed.
   Boundaries may be set otherwise and more terms may follow before HgProgramSetUp(), which refuses
   a variable that no stencil reads or writes. Collective. Errors: those of the calls below; params
   missing; a stencil that takes more params than the physics has, or with a variable that it does
   not state; *program is then NULL. */
PetscErrorCode HgProgramCreatePhysics(HgMesh mesh, const HgPhysics *physics, const void *params,
                                      double dt, HgProgram *program);

/* Appends a stencil, which is borrowed, with a copy of its `params`, params_size bytes; NULL if it
   takes none. Errors: after SetUp; reads neighbours on a sphere, of which it does not know; params
   missing or too many, or whose numbers differ between ranks; a kernel missing; the same read or
   written twice; more than 16 reads or writes; radius out of range. Collective. */
PetscErrorCode HgProgramAddStencil(HgProgram program, const HgStencil *stencil, const void *params);

/* The params of all terms whose stencil is called `stencil` or, NULL, of all stencils of the
   program's physics and of its largest step: from now on they are a copy of `params`. A program
   never sees what you change in your own struct later; call this instead, between runs. Ask
   HgProgramLargestStep() again, as the limit of dt may be another one. Collective. Errors: no such
   stencil; it takes none; the numbers in them differ between ranks. */
PetscErrorCode HgProgramSetParams(HgProgram program, const char stencil[], const void *params);

/* Appends an operator between states, such as a collective (operator.h), a
   parametrisation or a chain: its input variables are the program's `reads`, its output variables
   the program's `writes`, in order, both ended by NULL. Variables that it names may be arrays. The
   program is one of its owners. Errors: as for a stencil; numbers of names that are not the
   operator's; a variable of another kind or size than elsewhere; an operator on another mesh.
   Collective. */
PetscErrorCode HgProgramAddOperator(HgProgram program, HgOperator op, const char *const reads[],
                                    const char *const writes[]);

/* What the ghosts of `variable` hold outside the domain, all its versions alike. It must be
   stated where a stencil reads across a wall; periodic axes, and variables that stencils read at
   the cell itself, need none, and count as HG_COPY. Errors: unknown name; after SetUp; in SetUp:
   not stated. */
PetscErrorCode HgProgramSetBoundary(HgProgram program, const char variable[], HgBoundary boundary);

/* Every state is to have the carried `variable` > above in all cells, in its unit; a NaN is not.
   Steps note the first cell where it is not as they make it, at no cost to speak of. Errors:
   unknown name; after SetUp; in SetUp: it is not carried. */
PetscErrorCode HgProgramRequireAbove(HgProgram program, const char variable[], double above);

/* Have the steps since the run began, and its state q (carried or input) after `step` steps, kept
   the limits? q NULL: only what the steps noted. Collective. Error: a limit was not kept; it names
   the first step, variable, cell, rank and value. */
PetscErrorCode HgProgramCheckLimits(HgProgram program, long step, HgState q);

/* Infers, checks and plans; prints the plan with -hg_program_view. A mesh whose spec says no ghost
   width gets one here: as wide as makes -hg_time_block steps share an exchange, but no wider than
   half the thinnest patch, unless a kernel reads as far; states are made afterwards. Collective.
   Errors: no stencil; a halo deeper than the mesh's ghosts or a patch; a program that writes
   nothing it carries. */
PetscErrorCode HgProgramSetUp(HgProgram program);

/* dt of the program [s]. Not collective. */
double HgProgramTimeStep(HgProgram program);

/* *dt: the largest stable time step [s] of its physics for what `input` holds
   (HgProgramCreateInput()); INFINITY if the physics knows none. Collective. Errors: a program of no
   physics, or not set up; numbers that are not finite, or for which no step is stable. */
PetscErrorCode HgProgramLargestStep(HgProgram program, HgState input, double *dt);

/* Looks whether dt of the program is stable for what `input` holds; a trajectory does not look.
   Collective. Errors: dt is above HgProgramLargestStep(); those of that call; a constant that the
   physics says is positive is not. */
PetscErrorCode HgProgramRequireStable(HgProgram program, HgState input);

/* Fresh zero states: the carried variables; the constants (NULL if there are none); both together,
   carried first, or in the order of its physics: the input of a trajectory. */
PetscErrorCode HgProgramCreateCarried(HgProgram program, HgState *q);
PetscErrorCode HgProgramCreateConstants(HgProgram program, HgState *constants);
PetscErrorCode HgProgramCreateInput(HgProgram program, HgState *input);

/* Only part of the cells take part, such as water between land: those where the field `variable` of
   `state`, copied now, is not 0 are wet. With R the largest radius of the program's stencils, M = 1
   where something is wet within R (a square), else 0, and y = M F(x) for every stencil: what it
   writes is 0 where M is, and is not computed there; its derivatives are those of M F, M its own
   transpose. What a trajectory or the program's operator is given of carried variables counts as 0
   there, too. Constants stay as they are. A physics that leaves 0 where all within R is dry, in
   value, tangent and adjoint, as by fields that say what is closed (keep of apps/tsunami), gives
   the same bits with and without; -check looks whether it does. NULL: all cells take part again.
   May be set anew between runs. The same on any decomposition. -hg_program_view prints how much is
   skipped. Collective. Errors: before SetUp; unknown name; not a field on the program's mesh. */
PetscErrorCode HgProgramSetMask(HgProgram program, HgState state, const char variable[]);

/* Which constants' cotangents Adjoint computes; default: all. Errors: unknown name; no constant;
   before SetUp. */
PetscErrorCode HgProgramSetActive(HgProgram program, const char constant[], bool active);

/* One step as an operator: (carried, constants) -> carried, at step `step`. The program must
   outlive it. Collective. */
PetscErrorCode HgProgramOperator(HgProgram program, long step, HgOperator *op);

/* Messages and bytes this rank sent, and exchanges it took part in, since creation. */
void HgProgramTraffic(HgProgram program, long *exchanges, long *messages, double *bytes);

#endif
