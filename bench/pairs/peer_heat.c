/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_heat.h"
#include <petscdmda.h>

PetscErrorCode PeerHeatSetField(PeerHeat *p, Vec vec, PeerField *field) {
  DMDALocalInfo d;
  double **v;
  PetscCall(DMDAGetLocalInfo(p->dm, &d));
  PetscCall(DMDAVecGetArray(p->dm, vec, &v));
  for (int j = d.ys; j < d.ys + d.ym; j++)
    for (int i = d.xs; i < d.xs + d.xm; i++)
      v[j][i] = field((i + 0.5) * p->h, (j + 0.5) * p->h, NULL);
  return DMDAVecRestoreArray(p->dm, vec, &v);
}

PetscErrorCode PeerHeatRHS(TS ts, PetscReal t, Vec u_global, Vec f_global, void *context) {
  PeerHeat *p = context;
  DMDALocalInfo d;
  const double **u, **kappa, r = 1 / (p->h * p->h);
  double **f;
  (void)ts, (void)t;
  PetscCall(DMGlobalToLocal(p->dm, u_global, INSERT_VALUES, p->local));
  PetscCall(DMDAGetLocalInfo(p->dm, &d));
  PetscCall(DMDAVecGetArrayRead(p->dm, p->local, (void *)&u));
  PetscCall(DMDAVecGetArrayRead(p->dm, p->kappa, (void *)&kappa));
  PetscCall(DMDAVecGetArrayWrite(p->dm, f_global, (void *)&f));
  for (int j = d.ys; j < d.ys + d.ym; j++)
    for (int i = d.xs; i < d.xs + d.xm; i++)
      f[j][i] = kappa[j][i] * (r * ((u[j][i - 1] + u[j][i + 1]) - 2 * u[j][i]) +
                               r * ((u[j - 1][i] + u[j + 1][i]) - 2 * u[j][i]));
  PetscCall(DMDAVecRestoreArrayWrite(p->dm, f_global, (void *)&f));
  PetscCall(DMDAVecRestoreArrayRead(p->dm, p->kappa, (void *)&kappa));
  return DMDAVecRestoreArrayRead(p->dm, p->local, (void *)&u);
}

PetscErrorCode PeerHeatCreate(MPI_Comm comm, int n, double dt, int steps, PeerField *kappa,
                              PeerHeat *p) {
  *p = (PeerHeat){.h = 1.0 / n, .dt = dt, .steps = steps};
  PetscCall(DMDACreate2d(comm, DM_BOUNDARY_GHOSTED, DM_BOUNDARY_GHOSTED, DMDA_STENCIL_STAR, n, n,
                         PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &p->dm));
  PetscCall(DMSetFromOptions(p->dm));
  PetscCall(DMSetUp(p->dm));
  PetscCall(DMCreateGlobalVector(p->dm, &p->u));
  PetscCall(VecDuplicate(p->u, &p->kappa));
  PetscCall(DMCreateLocalVector(p->dm, &p->local));
  PetscCall(PeerHeatSetField(p, p->kappa, kappa));
  PetscCall(TSCreate(comm, &p->ts));
  PetscCall(TSSetDM(p->ts, p->dm));
  PetscCall(TSSetType(p->ts, TSEULER));
  PetscCall(TSSetRHSFunction(p->ts, NULL, PeerHeatRHS, p));
  PetscCall(TSSetTimeStep(p->ts, dt));
  PetscCall(TSSetMaxTime(p->ts, 1e9 * dt));
  PetscCall(TSSetMaxSteps(p->ts, steps));
  PetscCall(TSSetExactFinalTime(p->ts, TS_EXACTFINALTIME_STEPOVER));
  return 0;
}

PetscErrorCode PeerHeatDestroy(PeerHeat *p) {
  PetscCall(TSDestroy(&p->ts));
  PetscCall(VecDestroy(&p->u));
  PetscCall(VecDestroy(&p->kappa));
  PetscCall(VecDestroy(&p->local));
  return DMDestroy(&p->dm);
}

PetscErrorCode PeerHeatRun(void *self) {
  PeerHeat *p = self;
  PetscCall(TSSetTime(p->ts, 0));
  PetscCall(TSSetStepNumber(p->ts, 0));
  return TSSolve(p->ts, p->u);
}
