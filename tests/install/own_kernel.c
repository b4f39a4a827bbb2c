/* A program outside the tree with a kernel of its own: u' = u + r u_xx, forward and back. */
#include <halograd/program.h>
#include <math.h>

static double lap(const double *u, int i) { return u[i + 1] - 2 * u[i] + u[i - 1]; }

static void apply(const HgBox *b, const void *p, const HgRows x[], const HgRowsOut y[]) {
  (void)p;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = x[0][j][i] + x[1][j][i] * lap(x[0][j], i);
}

static void tangent(const HgBox *b, const void *p, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)p;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      dy[0][j][i] = dx[0][j][i] + x[1][j][i] * lap(dx[0][j], i) + dx[1][j][i] * lap(x[0][j], i);
}

static void adjoint(const HgBox *b, const void *p, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)p;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double *r = x[1][j], *v = y_bar[0][j];
      if (x_bar[0])
        x_bar[0][j][i] += v[i] + r[i + 1] * v[i + 1] - 2 * r[i] * v[i] + r[i - 1] * v[i - 1];
      if (x_bar[1]) x_bar[1][j][i] += v[i] * lap(x[0][j], i);
    }
}

static double wave(double x, double y, void *unused) {
  return (void)unused, 0.2 + 0.1 * sin(7 * x + 3 * y);
}

static PetscErrorCode run(void) {
  static const HgRead reads[] = {{"u", 1, 1}, {"r", 0, 1}, {NULL, 0, 0}};
  static const char *const writes[] = {"u", NULL};
  static const HgStencil own = {.name = "own",
                                .reads = reads,
                                .writes = writes,
                                .apply = apply,
                                .tangent = tangent,
                                .adjoint = adjoint};
  const HgMeshSpec spec = {.nx = 50, .ny = 40, .dx = 0.03, .dy = 0.03, .ghost = 1};
  char digest[2][17];
  HgMesh mesh;
  HgProgram program;
  HgState x, y, x_bar;
  HgOperator step;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "own", 1, &program));
  PetscCall(HgProgramAddStencil(program, &own, NULL));
  PetscCall(HgProgramSetBoundary(program, "u", HgBoundaryAll(HG_COPY, 0)));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramOperator(program, 0, &step));
  PetscCall(HgOperatorCreateInput(step, &x));
  PetscCall(HgOperatorCreateInput(step, &x_bar));
  PetscCall(HgOperatorCreateOutput(step, &y));
  PetscCall(HgStateSetField(x, "u", wave, NULL));
  PetscCall(HgStateSetField(x, "r", wave, NULL));
  for (int n = 0; n < 20; n++) {
    PetscCall(HgOperatorApply(step, x, y));
    PetscCall(HgStateCopyVariable(y, 0, x, 0));
  }
  PetscCall(HgOperatorTranspose(step, x, y, x_bar));
  PetscCall(HgStateDigest(y, NULL, digest[0]));
  PetscCall(HgStateDigest(x_bar, NULL, digest[1]));
  return PetscPrintf(PETSC_COMM_WORLD, "digest %s%s\n", digest[0], digest[1]);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  return HgFinalize(ierr ? ierr : run());
}
