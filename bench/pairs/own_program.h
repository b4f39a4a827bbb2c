/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/own_program.h -- any program of ours at work: forward, and its gradient. */
#ifndef HALOGRAD_OWN_PROGRAM_H
#define HALOGRAD_OWN_PROGRAM_H

#include <halograd/trajectory.h>

typedef struct {
  HgProgram program; /* borrowed */
  HgState constants, q, q_next;
  int steps;   /* of one OwnForwardRun() */
  long step;   /* made so far */
  bool single; /* one by one */
} OwnForward;

/* From the input x (HgProgramCreateInput()), which is copied. Collective. */
PetscErrorCode OwnForwardCreate(HgProgram program, HgState x, int steps, OwnForward *own);
PetscErrorCode OwnForwardDestroy(OwnForward *own);

/* q advances by `steps` steps, one by one or as many at once as the program takes; a BenchFn of
   bench.h for an OwnForward. Collective. */
PetscErrorCode OwnForwardRun(void *own);

typedef struct {
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgState data, x, x_bar; /* x is borrowed */
  double J;
} OwnTrajectory;

/* J = 1/2 ||v(T) - d||^2 of the input x over `steps` steps, v the variable of that name,
   checkpoints in `slots` slots in memory. data: all zero so far, to be set by the caller.
   Collective. */
PetscErrorCode OwnTrajectoryCreate(HgProgram program, HgState x, const char variable[], long steps,
                                   int slots, OwnTrajectory *own);
PetscErrorCode OwnTrajectoryDestroy(OwnTrajectory *own);

/* J alone, J and x_bar; BenchFns of bench.h for an OwnTrajectory. Collective. */
PetscErrorCode OwnTrajectoryValue(void *own);
PetscErrorCode OwnTrajectoryGradient(void *own);

#endif
