/* SPDX-License-Identifier: BSD-2-Clause */
/* A program outside the tree with a kernel of its own, u' = u + 0.2 u_xx, forward and back. */
#include <halograd/program.h>

static double diffused(HgRows u, int i, int j) {
  return u[j][i] + 0.2 * (u[j][i + 1] - 2 * u[j][i] + u[j][i - 1]);
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = diffused(x[0], i, j);
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)x; /* linear */
  apply(b, params, dx, dy);
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)params, (void)x; /* symmetric */
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] += diffused(y_bar[0], i, j);
}

static const HgStencil own = {.name = "own",
                              .reads = (const HgRead[]){{"u", 1, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
                              .writes = (const char *const[]){"u", NULL},
                              .apply = apply,
                              .tangent = tangent,
                              .adjoint = adjoint};

static PetscErrorCode run(void) {
  const HgMeshSpec spec = {.nx = 50, .ny = 40, .dx = 0.03, .dy = 0.03};
  char digest[2][17];
  HgMesh mesh;
  HgProgram program;
  HgOperator step;
  HgState x, y, x_bar;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "own", 1, &program));
  PetscCall(HgProgramAddStencil(program, &own, NULL));
  PetscCall(HgProgramSetBoundary(program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramOperator(program, 0, &step));
  PetscCall(HgOperatorCreateInput(step, &x));
  PetscCall(HgOperatorCreateInput(step, &x_bar));
  PetscCall(HgOperatorCreateOutput(step, &y));
  PetscCall(HgStateRandom(x, 1));
  PetscCall(HgOperatorApply(step, x, y));
  PetscCall(HgOperatorTranspose(step, x, y, x_bar));
  PetscCall(HgStateDigest(y, NULL, digest[0]));
  PetscCall(HgStateDigest(x_bar, NULL, digest[1]));
  return PetscPrintf(PETSC_COMM_WORLD, "digest %s%s\n", digest[0], digest[1]);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  return HgFinalize(ierr ? ierr : run());
}
