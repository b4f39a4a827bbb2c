/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_program.h"
#include <halograd/program_library.h>

PetscErrorCode OwnForwardCreate(HgProgram program, HgState x, int steps, OwnForward *o) {
  *o = (OwnForward){.program = program, .steps = steps};
  PetscCall(HgProgramCreateCarried(program, &o->q));
  PetscCall(HgProgramCreateCarried(program, &o->q_next));
  PetscCall(HgProgramCreateConstants(program, &o->constants));
  return HgProgramSplitShared(program, x, o->q, o->constants);
}

PetscErrorCode OwnForwardDestroy(OwnForward *o) {
  PetscCall(HgStateDestroy(&o->constants));
  PetscCall(HgStateDestroy(&o->q));
  return HgStateDestroy(&o->q_next);
}

PetscErrorCode OwnForwardRun(void *self) {
  OwnForward *o = self;
  for (long n = 0, stride; n < o->steps; n += stride, o->step += stride) {
    stride = o->single ? 1 : HgProgramStride(o->program, o->steps - n);
    PetscCall(HgProgramSteps(o->program, o->step, stride, o->constants, o->q, NULL, HG_SAVE_ALL,
                             o->q_next));
    const HgState used = o->q;
    o->q = o->q_next, o->q_next = used;
  }
  return 0;
}

PetscErrorCode OwnTrajectoryCreate(HgProgram program, HgState x, const char variable[], long steps,
                                   int slots, OwnTrajectory *o) {
  *o = (OwnTrajectory){.x = x};
  PetscCall(HgProgramCreateCarried(program, &o->data));
  PetscCall(HgObjectiveCreate(program, steps, &o->objective));
  PetscCall(HgObjectiveAddSnapshot(o->objective, variable, steps, o->data, 1));
  PetscCall(HgStoreCreate(o->data, slots, 0, NULL, &o->store));
  PetscCall(HgTrajectoryCreate(program, steps, o->objective, o->store, &o->trajectory));
  return HgProgramCreateInput(program, &o->x_bar);
}

PetscErrorCode OwnTrajectoryDestroy(OwnTrajectory *o) {
  PetscCall(HgTrajectoryDestroy(&o->trajectory));
  PetscCall(HgStoreDestroy(&o->store));
  PetscCall(HgObjectiveDestroy(&o->objective));
  PetscCall(HgStateDestroy(&o->data));
  return HgStateDestroy(&o->x_bar);
}

PetscErrorCode OwnTrajectoryValue(void *self) {
  OwnTrajectory *o = self;
  return HgTrajectoryValue(o->trajectory, o->x, &o->J);
}

PetscErrorCode OwnTrajectoryGradient(void *self) {
  OwnTrajectory *o = self;
  PetscCall(HgStateZero(o->x_bar));
  return HgTrajectoryGradient(o->trajectory, o->x, 1, &o->J, o->x_bar);
}
