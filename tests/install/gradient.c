/* SPDX-License-Identifier: BSD-2-Clause */
/* A program outside the tree that makes a gradient: the derivative of a final temperature's misfit
   by the temperature and the diffusivity at the start. It knows HgRun and no more: that gives it
   -doctor. */
#include <halograd/heat.h>
#include <halograd/run.h>

static double bump(double x, double y, void *unused) {
  (void)unused;
  return 1 + x * (1 - x) * y;
}

static PetscErrorCode gradient(HgRun run, const HgCommon *common) {
  const HgMeshSpec spec = {
      .nx = common->nx, .ny = common->ny, .dx = 1.0 / common->nx, .dy = 1.0 / common->ny};
  HgMesh mesh;
  HgProgram program;
  HgState x, x_bar, data;
  HgObjective objective;
  HgTrajectory trajectory;
  double J;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreatePhysics(mesh, &hg_heat_physics, NULL, common->dt, &program));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramCreateInput(program, &x));
  PetscCall(HgProgramCreateInput(program, &x_bar));
  PetscCall(HgProgramCreateCarried(program, &data));
  PetscCall(HgStateSetField(x, "u", bump, NULL));
  PetscCall(HgStateSetField(x, "kappa", bump, NULL));
  PetscCall(HgObjectiveCreate(program, common->steps, &objective));
  PetscCall(HgObjectiveAddSnapshot(objective, "u", common->steps, data, 1));
  PetscCall(HgRunTrajectory(run, program, objective, common, &trajectory));
  PetscCall(HgTrajectoryGradient(trajectory, x, 1, &J, x_bar));
  PetscCall(HgRunDigest(run, J, x_bar, HgTrajectoryFinal(trajectory), true));
  PetscCall(HgRunFinish(run, common, "completed"));
  PetscCall(HgTrajectoryDestroy(&trajectory));
  PetscCall(HgObjectiveDestroy(&objective));
  HgState *const states[] = {&x, &x_bar, &data};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(states[k]));
  PetscCall(HgProgramDestroy(&program));
  return HgMeshDestroy(&mesh);
}

static PetscErrorCode outside(void) {
  HgRun run;
  HgCommon common = {
      .nx = 16, .ny = 12, .steps = 10, .dt = 1e-4, .slots = 3, .output = "output/gradient"};
  PetscCall(HgRunCreate("gradient", "a gradient, outside the tree", &run));
  PetscCall(HgRunCommon(run, &common));
  PetscCall(gradient(run, &common));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "A gradient outside the tree.\n");
  return HgFinalize(ierr ? ierr : outside());
}
