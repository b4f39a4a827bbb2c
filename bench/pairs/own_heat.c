/* SPDX-License-Identifier: BSD-2-Clause */
#include "own_heat.h"
#include <halograd/program_library.h>
#include <math.h>
#include <petscdmda.h>

double OwnHeatKappa(double x, double y, void *unused) {
  (void)unused;
  return 1 + 0.5 * sin(5 * x + 0.3) * cos(4 * y);
}

double OwnHeatInitial(double x, double y, void *unused) {
  (void)unused;
  return sin(M_PI * x) * sin(2 * M_PI * y) + x * (1 - y);
}

double OwnHeatData(double x, double y, void *unused) {
  (void)unused;
  return x * y + cos(3 * x);
}

double OwnHeatTimeStep(int n) { return 0.8 * HgHeatLargestStep(1.5, 1.0 / n, 1.0 / n); }

static PetscErrorCode create_program(MPI_Comm comm, int n, int ghost, double dt, HgMesh *mesh,
                                     HgProgram *program) {
  const double h = 1.0 / n;
  const HgMeshSpec spec = {
      .nx = n, .ny = n, .x0 = h / 2, .y0 = h / 2, .dx = h, .dy = h, .ghost = ghost};
  PetscCall(HgMeshCreate(comm, &spec, mesh));
  PetscCall(HgProgramCreate(*mesh, "heat", dt, program));
  PetscCall(HgProgramAddStencil(*program, &hg_heat, NULL));
  PetscCall(HgProgramSetBoundary(*program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(*program));
  return 0;
}

PetscErrorCode OwnHeatCreate(MPI_Comm comm, int n, int ghost, double dt, int steps,
                             PeerField *kappa, OwnHeat *o) {
  *o = (OwnHeat){.steps = steps};
  PetscCall(create_program(comm, n, ghost, dt, &o->mesh, &o->program));
  PetscCall(HgProgramCreateCarried(o->program, &o->q));
  PetscCall(HgProgramCreateCarried(o->program, &o->q_next));
  PetscCall(HgProgramCreateConstants(o->program, &o->constants));
  return HgStateSetField(o->constants, "kappa", kappa, NULL);
}

PetscErrorCode OwnHeatDestroy(OwnHeat *o) {
  PetscCall(HgStateDestroy(&o->constants));
  PetscCall(HgStateDestroy(&o->q));
  PetscCall(HgStateDestroy(&o->q_next));
  PetscCall(HgProgramDestroy(&o->program));
  return HgMeshDestroy(&o->mesh);
}

PetscErrorCode OwnHeatRun(void *self) {
  OwnHeat *o = self;
  for (long n = 0, stride; n < o->steps; n += stride) {
    stride = HgProgramStride(o->program, o->steps - n);
    PetscCall(
        HgProgramSteps(o->program, n, stride, o->constants, o->q, NULL, HG_SAVE_ALL, o->q_next));
    const HgState used = o->q;
    o->q = o->q_next, o->q_next = used;
  }
  return 0;
}

PetscErrorCode OwnGradientCreate(MPI_Comm comm, int n, int ghost, double dt, long steps, int slots,
                                 PeerField *kappa, PeerField *initial, PeerField *data,
                                 OwnGradient *o) {
  *o = (OwnGradient){0};
  PetscCall(create_program(comm, n, ghost, dt, &o->mesh, &o->program));
  PetscCall(HgProgramCreateCarried(o->program, &o->data));
  PetscCall(HgStateSetField(o->data, "u", data, NULL));
  PetscCall(HgObjectiveCreate(o->program, steps, &o->objective));
  PetscCall(HgObjectiveAddSnapshot(o->objective, "u", steps, o->data, 1));
  PetscCall(HgStoreCreate(o->data, slots, 0, NULL, &o->store));
  PetscCall(HgTrajectoryCreate(o->program, steps, o->objective, o->store, &o->trajectory));
  PetscCall(HgProgramCreateInput(o->program, &o->x));
  PetscCall(HgStateSetField(o->x, "u", initial, NULL));
  PetscCall(HgStateSetField(o->x, "kappa", kappa, NULL));
  return HgProgramCreateInput(o->program, &o->x_bar);
}

PetscErrorCode OwnGradientDestroy(OwnGradient *o) {
  PetscCall(HgTrajectoryDestroy(&o->trajectory));
  PetscCall(HgStoreDestroy(&o->store));
  PetscCall(HgObjectiveDestroy(&o->objective));
  HgState *const all[] = {&o->data, &o->x, &o->x_bar};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) PetscCall(HgStateDestroy(all[k]));
  PetscCall(HgProgramDestroy(&o->program));
  return HgMeshDestroy(&o->mesh);
}

PetscErrorCode OwnGradientForward(void *self) {
  OwnGradient *o = self;
  return HgTrajectoryValue(o->trajectory, o->x, &o->J);
}

PetscErrorCode OwnGradientRun(void *self) {
  OwnGradient *o = self;
  PetscCall(HgStateZero(o->x_bar));
  return HgTrajectoryGradient(o->trajectory, o->x, 1, &o->J, o->x_bar);
}

PetscErrorCode OwnHeatSame(HgState state, const char name[], DM dm, Vec vec) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(state));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(state));
  DMDALocalInfo d;
  const double **v;
  int index;
  double largest[2] = {0, 0}; /* difference, value */
  PetscCall(HgStateIndex(state, name, &index));
  PetscCall(DMDAGetLocalInfo(dm, &d));
  PetscCall(HgAgree(comm,
                    d.xs != p->i_global || d.ys != p->j_global || d.xm != p->nx || d.ym != p->ny,
                    HG_ERR_CHECK_FAILED,
                    "bench: PETSc's patch is %d x %d at (%d, %d), ours %d x %d at (%d, %d): "
                    "expected the same",
                    d.xm, d.ym, d.xs, d.ys, p->nx, p->ny, p->i_global, p->j_global));
  HgReal *const *u = HgStateRows(state, index);
  PetscCall(DMDAVecGetArrayRead(dm, vec, (void *)&v));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double theirs = v[d.ys + j][d.xs + i];
      largest[0] = fmax(largest[0], fabs(u[j][i] - theirs));
      largest[1] = fmax(largest[1], fabs(theirs));
    }
  PetscCall(DMDAVecRestoreArrayRead(dm, vec, (void *)&v));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, comm));
  HgRequire(comm, largest[1] > 0 && largest[0] <= 1e-12 * largest[1], HG_ERR_CHECK_FAILED,
            "bench: '%s' differs from PETSc's by %g of at most %g, expected 1e-12 of it", name,
            largest[0], largest[1]);
  return 0;
}
