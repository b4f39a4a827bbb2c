/* A program outside the tree: 20 steps of the heat equation on whatever ranks it gets, then its
   stencil and the adjoint of one step checked by machine, and a stencil that reads further than it
   says found out. Prints the digest of the temperature, which is the same on any number of
   ranks. */
#include <halograd/check.h>
#include <halograd/check_stencil.h>
#include <halograd/heat.h>
#include <halograd/program.h>
#include <math.h>

static double hill(double x, double y, void *unused) {
  (void)unused;
  return exp(-20 * ((x - 0.4) * (x - 0.4) + (y - 0.6) * (y - 0.6)));
}

/* hg_heat passes; declared with a radius of u of 0, which is a lie, it does not, and u is named. */
static PetscErrorCode check_stencils(bool *passed) {
  const HgCheckRange ranges[] = {{-1, 1}, {0.5, 2}}; /* the values of u and kappa */
  const HgRead reads[] = {{"u", 0, 1}, {"kappa", 0, 1}, {NULL, 0, 0}};
  HgStencil liar = hg_heat;
  HgStencilReport report;
  liar.name = "liar", liar.reads = reads;
  PetscCall(HgCheckStencilPrint(PETSC_COMM_WORLD, &hg_heat, NULL, ranges, NULL, passed));
  PetscCall(HgCheckStencil(&liar, NULL, ranges, NULL, &report));
  *passed = *passed && !report.passed && report.finding[0].check == HG_STENCIL_RADIUS &&
            report.finding[0].value == 1 && report.finding[0].bound == 0;
  return 0;
}

static PetscErrorCode run(bool *passed) {
  bool stencils;
  const HgMeshSpec spec = {.nx = 32, .ny = 24, .dx = 1.0 / 32, .dy = 1.0 / 24};
  const double dt = 0.5 * HgHeatLargestStep(1, spec.dx, spec.dy);
  HgMesh mesh;
  HgProgram program;
  HgState q, q_next, constants, x;
  HgOperator step;
  char digest[17];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "heat", dt, &program));
  PetscCall(HgProgramAddStencil(program, &hg_heat, NULL));
  PetscCall(HgProgramSetBoundary(program, "u", HgBoundaryAll(HG_MIRROR, 1)));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateCarried(program, &q_next));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(HgStateSetField(q, "u", hill, NULL));
  PetscCall(HgStateSetConstant(constants, "kappa", 1));
  for (long n = 0; n < 20; n++) {
    PetscCall(HgProgramStep(program, n, constants, q, q_next));
    HgStateSwap(q, q_next);
  }
  PetscCall(HgStateDigest(q, "u", digest));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "digest %s\n", digest));
  PetscCall(HgProgramOperator(program, 0, &step));
  PetscCall(HgOperatorCreateInput(step, &x));
  PetscCall(HgStateRandom(x, 1));
  PetscCall(HgCheckPrint(step, x, NULL, passed));
  PetscCall(check_stencils(&stencils));
  *passed = *passed && stencils;
  PetscCall(HgStateDestroy(&x));
  PetscCall(HgStateDestroy(&constants));
  PetscCall(HgStateDestroy(&q_next));
  PetscCall(HgStateDestroy(&q));
  PetscCall(HgOperatorDestroy(&step));
  PetscCall(HgProgramDestroy(&program));
  PetscCall(HgMeshDestroy(&mesh));
  return 0;
}

int main(int argc, char **argv) {
  bool passed = false;
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "A program outside the tree.\n");
  if (!ierr) ierr = run(&passed);
  const int status = HgFinalize(ierr);
  return status ? status : !passed;
}
