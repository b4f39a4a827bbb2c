/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_shallow.h"
#include "bench.h"
#include <halograd/options.h>
#include <halograd/program_library.h>
#include <math.h>

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
  return HgProgramSplitShared(o->shallow.program, o->shallow.x, o->q, o->constants);
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

PetscErrorCode OwnShallowGradientCreate(int nx, int ny, long steps, int slots, bool constants,
                                        OwnShallowGradient *o) {
  *o = (OwnShallowGradient){0};
  PetscCall(create_case(nx, ny, NULL, &o->shallow));
  PetscCall(HgProgramSetActive(o->shallow.program, "b", constants));
  PetscCall(HgProgramSetActive(o->shallow.program, "f", constants));
  PetscCall(HgProgramSetActive(o->shallow.program, "nu", constants));
  PetscCall(HgProgramCreateCarried(o->shallow.program, &o->flat));
  PetscCall(HgStateSetConstant(o->flat, "h", o->shallow.depth));
  PetscCall(HgObjectiveCreate(o->shallow.program, steps, &o->objective));
  PetscCall(HgObjectiveAddSnapshot(o->objective, "h", steps, o->flat, 1));
  PetscCall(HgStoreCreate(o->flat, slots, 0, NULL, &o->store));
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
