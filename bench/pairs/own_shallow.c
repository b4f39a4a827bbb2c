/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_shallow.h"
#include "bench.h"
#include <halograd/options.h>
#include <halograd/program_library.h>
#include <math.h>

static const char *const names[PEER_FIELDS] = {"h", "u", "v", "h_t", "u_t", "v_t", "b", "f", "nu"};

static PetscErrorCode create_case(int nx, int ny, const HgPhysics *physics, ShallowCase *s) {
  *s = (ShallowCase){.depth = 100, .physics = physics};
  return ShallowCreate(nx, ny, 0, 0, ShallowTimeStep(s), s);
}

PetscErrorCode OwnShallowOptions(const char name[], const char text[], int *nx, int *ny,
                                 int *rounds) {
  HgOptions options;
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, name, text, &options));
  PetscCall(HgOptionsInt(options, "-nx", "cells along x", "", 16, 32768, nx));
  PetscCall(HgOptionsInt(options, "-ny", "cells along y", "", 16, 32768, ny));
  PetscCall(HgOptionsInt(options, "-rounds", "repeats", "", 1, BENCH_ROUNDS_MOST, rounds));
  return HgOptionsEnd(options);
}

PetscErrorCode OwnShallowCreate(int nx, int ny, const HgPhysics *physics, int steps,
                                OwnShallow *o) {
  *o = (OwnShallow){.steps = steps};
  PetscCall(create_case(nx, ny, physics, &o->shallow));
  PetscCall(HgProgramCreateCarried(o->shallow.program, &o->q));
  PetscCall(HgProgramCreateCarried(o->shallow.program, &o->q_next));
  PetscCall(HgProgramCreateConstants(o->shallow.program, &o->constants));
  return HgProgramSplit(o->shallow.program, o->shallow.x, o->q, o->constants);
}

PetscErrorCode OwnShallowDestroy(OwnShallow *o) {
  PetscCall(HgStateDestroy(&o->constants));
  PetscCall(HgStateDestroy(&o->q));
  PetscCall(HgStateDestroy(&o->q_next));
  return ShallowDestroy(&o->shallow);
}

PetscErrorCode OwnShallowRun(void *self) {
  OwnShallow *o = self;
  for (long n = 0, stride; n < o->steps; n += stride, o->step += stride) {
    stride = HgProgramStride(o->shallow.program, o->steps - n);
    PetscCall(HgProgramSteps(o->shallow.program, o->step, stride, o->constants, o->q, NULL,
                             HG_SAVE_ALL, o->q_next));
    const HgState used = o->q;
    o->q = o->q_next, o->q_next = used;
  }
  return 0;
}

PetscErrorCode OwnShallowPeer(const OwnShallow *o, bool uniform, PeerShallow *p) {
  const MPI_Comm comm = HgMeshComm(o->shallow.mesh);
  const HgMeshSpec *m = HgMeshGetSpec(o->shallow.mesh);
  const HgPatch *patch = HgMeshGetPatch(o->shallow.mesh);
  PetscCall(PeerShallowCreate(comm, m->nx, m->ny, p));
  PetscCall(HgAgree(comm, patch->nx != p->nx || patch->ny != p->ny, HG_ERR_CHECK_FAILED,
                    "bench: our patch is %d x %d cells, the peer's %d x %d: expected the same",
                    patch->nx, patch->ny, p->nx, p->ny));
  p->dx = m->dx, p->dy = m->dy, p->dt = HgProgramTimeStep(o->shallow.program);
  p->gravity = o->shallow.params.gravity, p->epsilon = o->shallow.params.scheme.epsilon;
  p->uniform = uniform, p->steps = o->steps;
  for (int k = 0; k < PEER_FIELDS; k++) {
    HgReal *const *from = HgStateRows(o->shallow.x, HgStateFind(o->shallow.x, names[k]));
    for (int j = 0; j < p->ny; j++) PetscCall(PetscArraycpy(p->field[k][j], from[j], p->nx));
  }
  return PeerShallowFill(p);
}

PetscErrorCode OwnShallowSame(const OwnShallow *o, const PeerShallow *p) {
  const MPI_Comm comm = HgMeshComm(o->shallow.mesh);
  HgRequire(comm, o->step == p->step, HG_ERR_CHECK_FAILED,
            "bench: we are at step %ld, the peer at step %ld", o->step, p->step);
  double value[PEER_CARRIED] = {0}, difference[PEER_CARRIED] = {0}; /* the largest */
  for (int k = 0; k < PEER_CARRIED; k++) {
    HgReal *const *ours = HgStateRows(o->q, HgStateFind(o->q, names[k]));
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        difference[k] = fmax(difference[k], fabs(ours[j][i] - p->field[k][j][i]));
        value[k] = fmax(value[k], fabs(ours[j][i]));
      }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, PEER_CARRIED, MPI_DOUBLE, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, difference, PEER_CARRIED, MPI_DOUBLE, MPI_MAX, comm));
  for (int k = 0; k < PEER_CARRIED; k++) {
    const double scale = k < PEER_H_T ? value[k] : value[k - PEER_H_T] / p->dt;
    HgRequire(comm, value[k] > 0 && difference[k] <= 1e-12 * scale, HG_ERR_CHECK_FAILED,
              "bench: '%s' differs from the peer's by %g after %ld steps, expected at most 1e-12 "
              "of %g",
              names[k], difference[k], o->step, scale);
  }
  return 0;
}

PetscErrorCode OwnShallowGradientCreate(int nx, int ny, long steps, int slots, bool constants,
                                        OwnShallowGradient *o) {
  *o = (OwnShallowGradient){0};
  PetscCall(create_case(nx, ny, NULL, &o->shallow));
  for (int k = PEER_B; k < PEER_FIELDS; k++)
    PetscCall(HgProgramSetActive(o->shallow.program, names[k], constants));
  PetscCall(HgProgramCreateCarried(o->shallow.program, &o->flat));
  PetscCall(HgStateSetConstant(o->flat, "h", o->shallow.depth));
  PetscCall(HgObjectiveCreate(o->shallow.program, steps, &o->objective));
  PetscCall(HgObjectiveAddSnapshot(o->objective, "h", steps, o->flat, 1));
  PetscCall(HgStoreCreateMemory(o->flat, slots, &o->store));
  PetscCall(HgTrajectoryCreate(o->shallow.program, steps, o->objective, o->store, &o->trajectory));
  return HgProgramCreateInput(o->shallow.program, &o->x_bar);
}

PetscErrorCode OwnShallowGradientDestroy(OwnShallowGradient *o) {
  PetscCall(HgTrajectoryDestroy(&o->trajectory));
  PetscCall(HgStoreDestroy(&o->store));
  PetscCall(HgObjectiveDestroy(&o->objective));
  PetscCall(HgStateDestroy(&o->flat));
  PetscCall(HgStateDestroy(&o->x_bar));
  return ShallowDestroy(&o->shallow);
}

PetscErrorCode OwnShallowForward(void *self) {
  OwnShallowGradient *o = self;
  return HgTrajectoryValue(o->trajectory, o->shallow.x, &o->J);
}

PetscErrorCode OwnShallowGradientRun(void *self) {
  OwnShallowGradient *o = self;
  PetscCall(HgStateZero(o->x_bar));
  return HgTrajectoryGradient(o->trajectory, o->shallow.x, 1, &o->J, o->x_bar);
}
