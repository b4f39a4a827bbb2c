/* SPDX-License-Identifier: BSD-2-Clause */
/* Four numbers of shallow water to be found, with the surface at the start if asked: Coriolis
   f = a + b x + c y and friction nu = exp(log_nu), from what sensors of u saw of a hidden truth. */
#ifndef HALOGRAD_TEST_SHALLOW_TWIN_H
#define HALOGRAD_TEST_SHALLOW_TWIN_H

#include "shallow_case.h"
#include <halograd/control.h>
#include <halograd/control_library.h>
#include <halograd/inversion.h>

typedef struct {
  ShallowCase water;
  long steps;
  HgObservations *sensors;
  HgObjective misfit;
  HgTrajectory trajectory;
  HgOperator f, log_nu, positive, nu, controls, misfit_of_x, J;
  HgState m; /* h if asked, abc, log_nu; the truth at first */
} ShallowTwin;

static const double twin_abc[3] = {0.7, 0.05, 0.2}, twin_nu = 3e-3;

static inline PetscErrorCode twin_sensors(ShallowTwin *t) {
  const HgMeshSpec *s = HgMeshGetSpec(t->water.mesh);

  enum { TIMES = 12, ALONG = 3, SENSORS = ALONG * ALONG };

  PetscCall(
      HgObservationsCreate(HgMeshComm(t->water.mesh), "u", "m/s", TIMES, SENSORS, &t->sensors));
  for (int n = 0; n < TIMES; n++)
    t->sensors->time[n] = (n + 1) * (double)t->steps * HgProgramTimeStep(t->water.program) / TIMES;
  for (int k = 0; k < SENSORS; k++) {
    t->sensors->x[k] = (k % ALONG + 0.6) / ALONG * (s->nx - 1) * s->dx;
    t->sensors->y[k] = ((int)(k / ALONG) + 0.4) / ALONG * (s->ny - 1) * s->dy;
  }
  for (int k = 0; k < TIMES * SENSORS; k++) t->sensors->sigma[k] = 1e-2;
  return 0;
}

/* J(m): the misfit of what the sensors saw. */
static inline PetscErrorCode twin_functional(ShallowTwin *t) {
  PetscCall(HgObjectiveCreate(t->water.program, t->steps, &t->misfit));
  PetscCall(HgObjectiveAddSensors(t->misfit, t->sensors));
  PetscCall(
      HgTrajectoryCreate(t->water.program, t->steps, t->misfit, t->water.store, &t->trajectory));
  PetscCall(HgTrajectoryOperator(t->trajectory, &t->misfit_of_x));
  return HgOperatorChain("misfit of m", 2, (HgOperator[]){t->controls, t->misfit_of_x}, &t->J);
}

static inline PetscErrorCode twin_forget_functional(ShallowTwin *t) {
  return DESTROY(&t->J, &t->misfit_of_x, &t->trajectory, &t->misfit);
}

static inline PetscErrorCode twin_create(MPI_Comm comm, int px, int py, long steps, bool surface,
                                         ShallowTwin *t) {
  const ShallowSpec spec = {
      .nx = 13, .ny = 17, .px = px, .py = py, .steps = steps, .periodic_x = true, .slots = 10};
  *t = (ShallowTwin){.steps = steps};
  PetscCall(shallow_create(comm, &spec, &t->water));
  const HgMesh mesh = t->water.mesh;
  PetscCall(HgParametrisationAffine(mesh, "abc", "f", "1/s", &t->f));
  PetscCall(HgParametrisationUniform(mesh, "log_nu", "log_nu", "1", &t->log_nu));
  PetscCall(HgParametrisationLog(mesh, "log_nu", "nu", "m^2/s", &t->positive));
  PetscCall(HgOperatorChain("nu", 2, (HgOperator[]){t->log_nu, t->positive}, &t->nu));
  const HgControl controls[] = {{"h", NULL}, {"f", t->f}, {"nu", t->nu}};
  PetscCall(HgControlCreate(t->water.x, surface ? 3 : 2, surface ? controls : controls + 1,
                            &t->controls));
  PetscCall(HgOperatorCreateInput(t->controls, &t->m));
  if (surface) PetscCall(HgStateSetField(t->m, "h", thickness, NULL));
  for (int k = 0; k < 3; k++) HgStateArray(t->m, HgStateFind(t->m, "abc"))[k] = twin_abc[k];
  PetscCall(HgStateSetConstant(t->m, "log_nu", log(twin_nu)));
  /* what the sensors see of the truth */
  HgState J;
  PetscCall(twin_sensors(t));
  PetscCall(twin_functional(t));
  PetscCall(HgOperatorCreateOutput(t->J, &J));
  PetscCall(HgOperatorApply(t->J, t->m, J));
  PetscCall(HgObjectivePredicted(t->misfit, 0, t->sensors->value));
  PetscCall(HgStateDestroy(&J));
  PetscCall(twin_forget_functional(t));
  return twin_functional(t);
}

/* The first guess: no beta, a third of the friction. */
static inline PetscErrorCode twin_guess(ShallowTwin *t) {
  double *abc = HgStateArray(t->m, HgStateFind(t->m, "abc"));
  abc[0] = 0.5, abc[1] = 0, abc[2] = 0;
  return HgStateSetConstant(t->m, "log_nu", log(1e-3));
}

static inline PetscErrorCode twin_destroy(ShallowTwin *t) {
  PetscCall(twin_forget_functional(t));
  PetscCall(DESTROY(&t->controls, &t->nu, &t->positive, &t->log_nu, &t->f, &t->m, &t->sensors));
  return shallow_destroy(&t->water);
}

#endif
