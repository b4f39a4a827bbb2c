/* SPDX-License-Identifier: BSD-2-Clause */
/* Data for the exercise from a solver that shares nothing with halograd's: Crank-Nicolson of
   PETSc's TS, sparse LU, a finer grid.

     u_t = kappa lap(u) + exp(-t) exp(-50 ((x - 1/2)^2 + (y - 1/2)^2)),  kappa = 1.5 + x + 2 y,  u =
     0 on the walls and at t = 0

   on N x N inner nodes of the unit square, K steps to t = 1. The sensors (0.2, 0.2) and (0.8, 0.8)
   are nodes, the times are steps.
   usage: exercise_implicit FILE (one rank) */
#include <halograd/observations.h>
#include <math.h>
#include <petscdmda.h>
#include <petscts.h>

enum { N = 99, K = 1000, SENSORS = 2 };

static const double h = 1.0 / (N + 1);

typedef struct {
  Mat A;      /* kappa times the five-point Laplacian */
  Vec source; /* without exp(-t) */
  HgObservations *observations;
} Plate;

static PetscErrorCode rhs(TS ts, PetscReal t, Vec u, Vec f, void *context) {
  const Plate *p = context;
  (void)ts;
  PetscCall(MatMult(p->A, u, f));
  return VecAXPY(f, exp(-t), p->source);
}

static PetscErrorCode measure(TS ts, PetscInt step, PetscReal t, Vec u, void *context) {
  const Plate *p = context;
  HgObservations *o = p->observations;
  const PetscScalar *values;
  (void)ts;
  if (step < 1 || step > K) return 0;
  PetscCall(VecGetArrayRead(u, &values));
  o->time[step - 1] = t;
  for (int k = 0; k < SENSORS; k++) { /* one rank: natural order; node i lies at (i + 1) h */
    const int i = (int)lround(o->x[k] / h) - 1, j = (int)lround(o->y[k] / h) - 1;
    o->value[(step - 1) * SENSORS + k] = values[j * N + i];
  }
  return VecRestoreArrayRead(u, &values);
}

static PetscErrorCode assemble(DM da, Plate *p) {
  DMDALocalInfo info;
  PetscScalar **source;
  PetscCall(DMCreateMatrix(da, &p->A));
  PetscCall(DMCreateGlobalVector(da, &p->source));
  PetscCall(DMDAGetLocalInfo(da, &info));
  PetscCall(DMDAVecGetArray(da, p->source, &source));
  for (PetscInt j = info.ys; j < info.ys + info.ym; j++)
    for (PetscInt i = info.xs; i < info.xs + info.xm; i++) {
      const double x = (i + 1) * h, y = (j + 1) * h, w = (1.5 + x + 2 * y) / (h * h);
      const MatStencil row = {.i = i, .j = j}, all[5] = {{.i = i, .j = j},
                                                         {.i = i - 1, .j = j},
                                                         {.i = i + 1, .j = j},
                                                         {.i = i, .j = j - 1},
                                                         {.i = i, .j = j + 1}};
      MatStencil inner[5];
      PetscScalar weight[5];
      PetscInt n = 0;
      for (int k = 0; k < 5; k++)
        if (all[k].i >= 0 && all[k].i < N && all[k].j >= 0 && all[k].j < N)
          inner[n] = all[k], weight[n++] = k ? w : -4 * w;
      PetscCall(MatSetValuesStencil(p->A, 1, &row, n, inner, weight, INSERT_VALUES));
      source[j][i] = exp(-50 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)));
    }
  PetscCall(DMDAVecRestoreArray(da, p->source, &source));
  PetscCall(MatAssemblyBegin(p->A, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(p->A, MAT_FINAL_ASSEMBLY);
}

/* The matrix 1/dt - A/2 never changes: it is factored once. */
static PetscErrorCode solve_directly(TS ts) {
  SNES snes;
  KSP ksp;
  PC pc;
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESSetType(snes, SNESKSPONLY));
  PetscCall(SNESSetLagJacobian(snes, -2));
  PetscCall(SNESSetLagJacobianPersists(snes, PETSC_TRUE));
  PetscCall(SNESSetLagPreconditioner(snes, -2));
  PetscCall(SNESSetLagPreconditionerPersists(snes, PETSC_TRUE));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  return PCSetType(pc, PCLU);
}

static PetscErrorCode solve(Plate *p) {
  DM da;
  TS ts;
  Vec u;
  Mat jacobian;
  PetscCall(DMDACreate2d(PETSC_COMM_SELF, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, N,
                         N, 1, 1, 1, 1, NULL, NULL, &da));
  PetscCall(DMSetUp(da));
  PetscCall(assemble(da, p));
  PetscCall(MatDuplicate(p->A, MAT_COPY_VALUES, &jacobian));
  PetscCall(DMCreateGlobalVector(da, &u));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSCN));
  PetscCall(TSSetProblemType(ts, TS_LINEAR));
  PetscCall(TSSetRHSFunction(ts, NULL, rhs, p));
  PetscCall(TSSetRHSJacobian(ts, jacobian, jacobian, TSComputeRHSJacobianConstant, NULL));
  PetscCall(solve_directly(ts));
  PetscCall(TSSetTimeStep(ts, 1.0 / K));
  PetscCall(TSSetMaxSteps(ts, K));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorSet(ts, measure, p, NULL));
  PetscCall(TSSolve(ts, u));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&p->source));
  PetscCall(MatDestroy(&jacobian));
  PetscCall(MatDestroy(&p->A));
  return DMDestroy(&da);
}

static PetscErrorCode run(const char path[]) {
  Plate plate;
  double largest = 0;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "u", "K", K, SENSORS, &plate.observations));
  HgObservations *o = plate.observations;
  for (int k = 0; k < SENSORS; k++) o->x[k] = o->y[k] = 0.2 + 0.6 * k;
  PetscCall(solve(&plate));
  for (int k = 0; k < K * SENSORS; k++) largest = fmax(largest, fabs(o->value[k]));
  for (int k = 0; k < K * SENSORS; k++) o->sigma[k] = 0.01 * largest;
  PetscCall(HgObservationsWrite(
      PETSC_COMM_WORLD, path, o,
      (HgNote[]){{"solver", "Crank-Nicolson, 99 x 99 nodes, 1000 steps"}, {NULL, NULL}}));
  return HgObservationsDestroy(&plate.observations);
}

int main(int argc, char **argv) {
  int ranks;
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (ierr) return HgFinalize(ierr);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (ranks != 1 || argc < 2)
    ierr = HgError(PETSC_COMM_WORLD, HG_ERR_CHECK_FAILED,
                   "usage: exercise_implicit FILE, on one rank");
  else ierr = run(argv[1]);
  return HgFinalize(ierr);
}
