/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_gradient.h"
#include <petscdmda.h>

/* dF/du: row (i, j) is kappa_ij times the five-point Laplacian. */
static PetscErrorCode jacobian(TS ts, PetscReal t, Vec u, Mat A, Mat P, void *context) {
  PeerHeat *p = context;
  DMDALocalInfo d;
  const double **kappa, r = 1 / (p->h * p->h);
  (void)ts, (void)t, (void)u, (void)A;
  PetscCall(DMDAGetLocalInfo(p->dm, &d));
  PetscCall(DMDAVecGetArrayRead(p->dm, p->kappa, (void *)&kappa));
  for (int j = d.ys; j < d.ys + d.ym; j++)
    for (int i = d.xs; i < d.xs + d.xm; i++) {
      const double k = kappa[j][i] * r;
      const MatStencil row = {.i = i, .j = j};
      const int around[4][2] = {{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}};
      MatStencil column[5] = {row};
      double value[5] = {-4 * k};
      int n = 1;
      for (int l = 0; l < 4; l++) {
        if (around[l][0] < 0 || around[l][0] >= d.mx || around[l][1] < 0 || around[l][1] >= d.my)
          continue;
        column[n] = (MatStencil){.i = around[l][0], .j = around[l][1]};
        value[n++] = k;
      }
      PetscCall(MatSetValuesStencil(P, 1, &row, n, column, value, INSERT_VALUES));
    }
  PetscCall(DMDAVecRestoreArrayRead(p->dm, p->kappa, (void *)&kappa));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY);
}

/* dF/dkappa: diagonal, lap u. */
static PetscErrorCode jacobian_kappa(TS ts, PetscReal t, Vec u_global, Mat A, void *context) {
  PeerHeat *p = context;
  DMDALocalInfo d;
  const double **u, r = 1 / (p->h * p->h);
  double **f;
  Vec diagonal;
  (void)ts, (void)t;
  PetscCall(DMGetGlobalVector(p->dm, &diagonal));
  PetscCall(DMGlobalToLocal(p->dm, u_global, INSERT_VALUES, p->local));
  PetscCall(DMDAGetLocalInfo(p->dm, &d));
  PetscCall(DMDAVecGetArrayRead(p->dm, p->local, (void *)&u));
  PetscCall(DMDAVecGetArrayWrite(p->dm, diagonal, (void *)&f));
  for (int j = d.ys; j < d.ys + d.ym; j++)
    for (int i = d.xs; i < d.xs + d.xm; i++)
      f[j][i] = r * ((u[j][i - 1] + u[j][i + 1]) - 2 * u[j][i]) +
                r * ((u[j - 1][i] + u[j + 1][i]) - 2 * u[j][i]);
  PetscCall(DMDAVecRestoreArrayWrite(p->dm, diagonal, (void *)&f));
  PetscCall(DMDAVecRestoreArrayRead(p->dm, p->local, (void *)&u));
  PetscCall(MatDiagonalSet(A, diagonal, INSERT_VALUES));
  return DMRestoreGlobalVector(p->dm, &diagonal);
}

PetscErrorCode PeerGradientCreate(MPI_Comm comm, int n, double dt, int steps, PeerField *kappa,
                                  PeerField *initial, PeerField *data, PeerGradient *p) {
  PeerHeat *h = &p->heat;
  int owned;
  PetscCall(PeerHeatCreate(comm, n, dt, steps, kappa, h));
  PetscCall(VecDuplicate(h->u, &p->initial));
  PetscCall(VecDuplicate(h->u, &p->data));
  PetscCall(VecDuplicate(h->u, &p->lambda));
  PetscCall(VecDuplicate(h->u, &p->mu));
  PetscCall(PeerHeatSetField(h, p->initial, initial));
  PetscCall(PeerHeatSetField(h, p->data, data));
  PetscCall(DMCreateMatrix(h->dm, &p->jacobian));
  PetscCall(VecGetLocalSize(h->u, &owned));
  PetscCall(MatCreateAIJ(comm, owned, owned, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL,
                         &p->jacobian_kappa));
  PetscCall(TSSetType(h->ts, TSRK));
  PetscCall(TSRKSetType(h->ts, TSRK1FE));
  TSAdapt adapt;
  PetscCall(TSGetAdapt(h->ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetRHSJacobian(h->ts, p->jacobian, p->jacobian, jacobian, h));
  PetscCall(TSSetRHSJacobianP(h->ts, p->jacobian_kappa, jacobian_kappa, h));
  PetscCall(TSSetSaveTrajectory(h->ts));
  TSTrajectory trajectory;
  PetscCall(TSGetTrajectory(h->ts, &trajectory));
  PetscCall(TSTrajectorySetType(trajectory, h->ts, TSTRAJECTORYMEMORY));
  PetscCall(TSTrajectorySetSolutionOnly(trajectory, PETSC_TRUE));
  return TSSetCostGradients(h->ts, 1, &p->lambda, &p->mu);
}

PetscErrorCode PeerGradientDestroy(PeerGradient *p) {
  PetscCall(MatDestroy(&p->jacobian));
  PetscCall(MatDestroy(&p->jacobian_kappa));
  Vec *const all[] = {&p->initial, &p->data, &p->lambda, &p->mu};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) PetscCall(VecDestroy(all[k]));
  return PeerHeatDestroy(&p->heat);
}

PetscErrorCode PeerGradientRun(void *self) {
  PeerGradient *p = self;
  PeerHeat *h = &p->heat;
  double norm;
  PetscCall(VecCopy(p->initial, h->u));
  PetscCall(TSSetTimeStep(h->ts, h->dt));
  PetscCall(PeerHeatRun(h));
  PetscCall(VecWAXPY(p->lambda, -1, p->data, h->u));
  PetscCall(VecNorm(p->lambda, NORM_2, &norm));
  p->J = norm * norm / 2;
  PetscCall(VecZeroEntries(p->mu));
  return TSAdjointSolve(h->ts);
}
