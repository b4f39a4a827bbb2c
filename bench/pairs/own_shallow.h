/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/own_shallow.h -- the published shallow-water case, stepped and differentiated by
   halograd, and given to the peer of peer_shallow.h. */
#ifndef HALOGRAD_OWN_SHALLOW_H
#define HALOGRAD_OWN_SHALLOW_H

#include "peer_shallow.h"
#include <shallow_case.h>

typedef struct {
  ShallowCase shallow;
  HgState constants, q, q_next;
  long step;
  int steps; /* of one OwnShallowRun() */
} OwnShallow;

/* -nx -ny -rounds of the benchmark `name`; what is set before is the default.
   Collective. */
PetscErrorCode OwnShallowOptions(const char name[], const char text[], int *nx, int *ny,
                                 int *rounds);

/* nx x ny cells at t = 0 of `physics`; NULL: hg_shallow_water_physics. Collective. */
PetscErrorCode OwnShallowCreate(int nx, int ny, const HgPhysics *physics, int steps,
                                OwnShallow *own);
PetscErrorCode OwnShallowDestroy(OwnShallow *own);

/* q advances by `steps` steps, several at once where it can; a BenchFn of bench.h. Collective. */
PetscErrorCode OwnShallowRun(void *own);

/* The same problem for the peer. Errors: its strips are not our patches. Collective. */
PetscErrorCode OwnShallowPeer(const OwnShallow *own, bool uniform, PeerShallow *peer);

/* Error unless all carried fields are equal to rounding after the same number of steps: the largest
   difference is at most 1e-12 of the largest value, that of a tendency times dt likewise of its
   variable. Collective. */
PetscErrorCode OwnShallowSame(const OwnShallow *own, const PeerShallow *peer);

typedef struct {
  ShallowCase shallow;
  HgState flat, x_bar;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  double J;
} OwnShallowGradient;

/* J = 1/2 ||h(T) - D||^2 over `steps` steps, checkpoints in `slots` slots in memory; `constants`:
   with respect to b, f and nu too. Collective. */
PetscErrorCode OwnShallowGradientCreate(int nx, int ny, long steps, int slots, bool constants,
                                        OwnShallowGradient *own);
PetscErrorCode OwnShallowGradientDestroy(OwnShallowGradient *own);

/* J alone, J and x_bar; BenchFns of bench.h. Collective. */
PetscErrorCode OwnShallowForward(void *own);
PetscErrorCode OwnShallowGradientRun(void *own);

#endif
