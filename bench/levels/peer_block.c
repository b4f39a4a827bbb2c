/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_block.h"
#include <math.h>
#include <petscdmda.h>
#include <string.h>

PetscErrorCode PeerBlockSet(PeerBlock *p, Vec vec, PeerVolume *field) {
  DMDALocalInfo d;
  double ***v;
  PetscCall(DMDAGetLocalInfo(p->dm, &d));
  PetscCall(DMDAVecGetArray(p->dm, vec, &v));
  for (int k = d.zs; k < d.zs + d.zm; k++)
    for (int j = d.ys; j < d.ys + d.ym; j++)
      for (int i = d.xs; i < d.xs + d.xm; i++)
        v[k][j][i] = field((i + 0.5) * p->h, (j + 0.5) * p->h, (k + 0.5) * p->h, NULL);
  return DMDAVecRestoreArray(p->dm, vec, &v);
}

static PetscErrorCode fill_ghosts(PeerBlock *p, const DMDALocalInfo *d, Vec u_global) {
  double ***u;
  const size_t bytes = (size_t)d->xm * sizeof(double);
  PetscCall(DMGlobalToLocal(p->dm, u_global, INSERT_VALUES, p->local));
  PetscCall(DMDAVecGetArray(p->dm, p->local, &u));
  for (int j = d->ys; j < d->ys + d->ym; j++) {
    if (d->zs == 0) memcpy(&u[-1][j][d->xs], &u[0][j][d->xs], bytes);
    if (d->zs + d->zm == d->mz) memcpy(&u[d->mz][j][d->xs], &u[d->mz - 1][j][d->xs], bytes);
  }
  return DMDAVecRestoreArray(p->dm, p->local, &u);
}

static PetscErrorCode rhs(TS ts, PetscReal t, Vec u_global, Vec rate_global, void *context) {
  PeerBlock *p = context;
  DMDALocalInfo d;
  const double ***u, ***kappa, ***f, r = 1 / (p->h * p->h), fades = exp(-(p->decay * t));
  double ***rate;
  (void)ts;
  PetscCall(DMDAGetLocalInfo(p->dm, &d));
  PetscCall(fill_ghosts(p, &d, u_global));
  PetscCall(DMDAVecGetArrayRead(p->dm, p->local, (void *)&u));
  PetscCall(DMDAVecGetArrayRead(p->dm, p->kappa, (void *)&kappa));
  PetscCall(DMDAVecGetArrayRead(p->dm, p->f, (void *)&f));
  PetscCall(DMDAVecGetArrayWrite(p->dm, rate_global, (void *)&rate));
  for (int k = d.zs; k < d.zs + d.zm; k++)
    for (int j = d.ys; j < d.ys + d.ym; j++)
      for (int i = d.xs; i < d.xs + d.xm; i++)
        rate[k][j][i] =
            kappa[k][j][i] * (r * ((u[k][j][i - 1] + u[k][j][i + 1]) - 2 * u[k][j][i]) +
                              r * ((u[k][j - 1][i] + u[k][j + 1][i]) - 2 * u[k][j][i]) +
                              r * ((u[k - 1][j][i] + u[k + 1][j][i]) - 2 * u[k][j][i])) +
            fades * f[k][j][i];
  PetscCall(DMDAVecRestoreArrayWrite(p->dm, rate_global, (void *)&rate));
  PetscCall(DMDAVecRestoreArrayRead(p->dm, p->f, (void *)&f));
  PetscCall(DMDAVecRestoreArrayRead(p->dm, p->kappa, (void *)&kappa));
  return DMDAVecRestoreArrayRead(p->dm, p->local, (void *)&u);
}

PetscErrorCode PeerBlockCreate(MPI_Comm comm, int n, int px, int py, double dt, double decay,
                               int steps, PeerBlock *p) {
  const DMBoundaryType ghosted = DM_BOUNDARY_GHOSTED;
  *p = (PeerBlock){.h = 1.0 / n, .dt = dt, .decay = decay, .steps = steps};
  PetscCall(DMDACreate3d(comm, ghosted, ghosted, ghosted, DMDA_STENCIL_STAR, n, n, n, px, py, 1, 1,
                         1, NULL, NULL, NULL, &p->dm));
  PetscCall(DMSetUp(p->dm));
  PetscCall(DMCreateGlobalVector(p->dm, &p->u));
  PetscCall(VecDuplicate(p->u, &p->kappa));
  PetscCall(VecDuplicate(p->u, &p->f));
  PetscCall(DMCreateLocalVector(p->dm, &p->local));
  PetscCall(TSCreate(comm, &p->ts));
  PetscCall(TSSetDM(p->ts, p->dm));
  PetscCall(TSSetType(p->ts, TSEULER));
  PetscCall(TSSetRHSFunction(p->ts, NULL, rhs, p));
  PetscCall(TSSetTimeStep(p->ts, dt));
  PetscCall(TSSetMaxTime(p->ts, 1e9 * dt));
  return TSSetExactFinalTime(p->ts, TS_EXACTFINALTIME_STEPOVER);
}

PetscErrorCode PeerBlockDestroy(PeerBlock *p) {
  Vec *const all[] = {&p->u, &p->kappa, &p->f, &p->local};
  PetscCall(TSDestroy(&p->ts));
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) PetscCall(VecDestroy(all[k]));
  return DMDestroy(&p->dm);
}

PetscErrorCode PeerBlockRun(void *self) {
  PeerBlock *p = self;
  PetscInt made;
  PetscCall(TSGetStepNumber(p->ts, &made));
  PetscCall(TSSetMaxSteps(p->ts, made + p->steps));
  return TSSolve(p->ts, p->u);
}
