/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/own_heat.h -- the problems of peer_heat.h and peer_gradient.h, solved by halograd. */
#ifndef HALOGRAD_OWN_HEAT_H
#define HALOGRAD_OWN_HEAT_H

#include "peer_heat.h"
#include <halograd/heat.h>
#include <halograd/trajectory.h>

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState constants, q, q_next;
  int steps; /* of one OwnHeatRun() */
} OwnHeat;

/* Arguments as for PeerHeatCreate(); ghost 1: one step at a time, 0: as many at once as
   -hg_time_block allows. Collective. */
PetscErrorCode OwnHeatCreate(MPI_Comm comm, int n, int ghost, double dt, int steps,
                             PeerField *kappa, OwnHeat *own);
PetscErrorCode OwnHeatDestroy(OwnHeat *own);

/* q advances by `steps` steps; a BenchFn of bench.h for an OwnHeat. Collective. */
PetscErrorCode OwnHeatRun(void *own);

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgState data, x, x_bar; /* x = (u_0, kappa) */
  double J;
} OwnGradient;

/* J = 1/2 ||u(T) - d||^2 over `steps` steps, checkpoints in `slots` slots in memory; ghost as
   above. Collective. */
PetscErrorCode OwnGradientCreate(MPI_Comm comm, int n, int ghost, double dt, long steps, int slots,
                                 PeerField *kappa, PeerField *initial, PeerField *data,
                                 OwnGradient *own);
PetscErrorCode OwnGradientDestroy(OwnGradient *own);

/* J alone, J and x_bar; BenchFns of bench.h for an OwnGradient. Collective. */
PetscErrorCode OwnGradientForward(void *own);
PetscErrorCode OwnGradientRun(void *own);

/* Error unless the field `name` of `state` and `vec` on `dm` are equal to rounding: largest
   difference at most 1e-12 of the largest value. Collective. */
PetscErrorCode OwnHeatSame(HgState state, const char name[], DM dm, Vec vec);

/* Test problem: 0.5 <= kappa <= 1.5, a smooth u_0, smooth data. */
double OwnHeatKappa(double x, double y, void *unused);
double OwnHeatInitial(double x, double y, void *unused);
double OwnHeatData(double x, double y, void *unused);

/* 0.8 of the largest stable step for that kappa on n x n cells [s]. */
double OwnHeatTimeStep(int n);

#endif
