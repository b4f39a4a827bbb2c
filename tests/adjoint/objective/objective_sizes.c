/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the integral of 1 over a box is the box's size, wherever the variable lives, across the
   seam of a periodic axis, with levels and on a sphere; a snapshot with levels counts all cells;
   the same bits of J and its gradient on any decomposition. */
#include "same_bits.h"
#include "trajectory_claims.h"
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { STEPS = 2, NX = 21, NY = 17, NZ = 5 };

/* u' = u, level by level */
static void keep_apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int k = b->k0; k < b->k1; k++)
      for (int i = b->i0; i < b->i1; i++) y[0][j][k * b->pitch + i] = x[0][j][k * b->pitch + i];
}

static void keep_tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)x;
  keep_apply(b, none, dx, dy);
}

static void keep_adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  (void)none, (void)x;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int k = b->k0; k < b->k1; k++)
      for (int i = b->i0; i < b->i1; i++)
        x_bar[0][j][k * b->pitch + i] += y_bar[0][j][k * b->pitch + i];
}

static HgStencil keep = {.name = "keep",
                         .reads = (const HgRead[]){{"u", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
                         .writes = (const char *const[]){"u", NULL},
                         .apply = keep_apply,
                         .tangent = keep_tangent,
                         .adjoint = keep_adjoint};

/* A grid, a box in it, and its size by hand. */
typedef struct {
  const char *what;
  HgLocation at;
  HgMeshSpec mesh;
  HgIntegral of;
  double size;
} Box;

#define PLANE .nx = NX, .ny = NY, .x0 = 0.25, .y0 = 2, .dx = 0.5, .dy = 2
#define GLOBE .nx = NX, .ny = NY, .x0 = 5, .y0 = -8, .dx = 1, .dy = 1, .radius = 180 / PETSC_PI

/* A degree of the globe is 1 m long; its cosine is that of the middle of the rows. */
static double cosines(double first, int rows) {
  double sum = 0;
  for (int j = 0; j < rows; j++) sum += cos((first + j) * PETSC_PI / 180);
  return sum;
}

/* The domain is 0 to 10.5 m by 1 to 35 m. */
static int boxes(Box box[]) {
  const HgIntegral whole = {"u", .step = STEPS, .weight = 1};
  HgIntegral part = whole, seam = whole, slab = whole, rows = whole;
  part.west = 0.7, part.east = 4.1, part.south = 3.5, part.north = 30;
  seam.west = 9, seam.east = 12.25;
  slab.below = 0.3, slab.above = 1.1;
  rows.south = -2.5, rows.north = 3.5;
  const Box all[] = {
      {"centres", HG_CENTRE, {PLANE}, whole, 10.5 * 34},
      {"part, centres", HG_CENTRE, {PLANE}, part, 3.4 * 26.5},
      {"part, x faces", HG_X_FACE, {PLANE}, part, 3.4 * 26.5},
      {"part, y faces", HG_Y_FACE, {PLANE}, part, 3.4 * 26.5},
      {"part, corners", HG_CORNER, {PLANE}, part, 3.4 * 26.5},
      {"x faces but those on the western wall", HG_X_FACE, {PLANE}, whole, 10.25 * 34},
      {"x faces around", HG_X_FACE, {PLANE, .periodic_x = true}, whole, 10.5 * 34},
      {"across the seam", HG_CENTRE, {PLANE, .periodic_x = true}, seam, 3.25 * 34},
      {"across the seam, faces", HG_X_FACE, {PLANE, .periodic_x = true}, seam, 3.25 * 34},
      {"levels", HG_CENTRE, {PLANE, .nz = NZ, .z0 = 0.2, .dz = 0.4}, whole, 10.5 * 34 * 2},
      {"some levels", HG_CENTRE, {PLANE, .nz = NZ, .z0 = 0.2, .dz = 0.4}, slab, 10.5 * 34 * 0.8},
      {"z faces", HG_Z_FACE, {PLANE, .nz = NZ, .z0 = 0.2, .dz = 0.4}, slab, 10.5 * 34 * 0.8},
      {"sphere", HG_CENTRE, {GLOBE}, rows, NX * cosines(-2, 6)},
      {"sphere, y faces",
       HG_Y_FACE,
       {GLOBE},
       rows,
       NX * (cosines(-1.5, 5) + 0.5 * cosines(-2.5, 1) + 0.5 * cosines(3.5, 1))},
      {"levels of a sphere", HG_CENTRE, {GLOBE, .nz = NZ, .dz = 3}, rows, NX * cosines(-2, 6) * 15},
  };
  const int count = sizeof all / sizeof *all;
  for (int k = 0; k < count; k++) box[k] = all[k];
  return count;
}

static PetscErrorCode run_box(MPI_Comm comm, Layout l, const Box *box, double *size,
                              char text[256]) {
  HgMeshSpec spec = box->mesh;
  const HgSide copy = {HG_COPY, 0};
  HgMesh mesh;
  HgProgram program;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
  HgState x, data;
  spec.px = l.px, spec.py = l.py;
  keep.levels = spec.nz > 0;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "keep", 1, &program));
  PetscCall(HgProgramAddStencil(program, &keep, NULL));
  PetscCall(HgProgramSetLocation(program, "u", box->at));
  PetscCall(HgProgramSetBoundary(program, "u", (HgBoundary){copy, copy, copy, copy, copy, copy}));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramCreateInput(program, &x));
  PetscCall(HgProgramCreateCarried(program, &data));
  PetscCall(HgStateSetConstant(x, "u", 1));
  PetscCall(HgObjectiveCreate(program, STEPS, &objective));
  PetscCall(HgObjectiveAddIntegral(objective, &box->of));
  PetscCall(
      make_trajectory(program, objective, data, STEPS, STEPS, false, &store, &trajectory, &op));
  PetscCall(HgTrajectoryValue(trajectory, x, size));
  PetscCall(HgStateRandom(x, 2));
  PetscCall(fingerprint(op, x, trajectory, text));
  if (comm == PETSC_COMM_WORLD) PetscCall(claim_checks(box->what, op, x, 1e-12, 7));
  PetscCall(HgObjectiveAddSnapshot(objective, "u", STEPS, data, 1));
  claim_same(HgObjectiveCount(objective), NX * NY * (spec.nz ? spec.nz : 1), "%s: cells",
             box->what);
  return DESTROY(&op, &trajectory, &store, &data, &x, &objective, &program, &mesh);
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  Box box[32];
  double size;
  boxes(box);
  PetscCall(run_box(comm, l, &box[seed], &size, text));
  claim_at_most(fabs(size / box[seed].size - 1), 1e-13, "%s: size %g, expected %g", box[seed].what,
                size, box[seed].size);
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  Box box[32];
  char text[LAYOUT_TEXT];
  claim_begin("the integral of 1 over a box is its size", 0);
  for (int k = 0; k < boxes(box) && !ierr; k++) {
    ierr = run_on(PETSC_COMM_WORLD, (Layout){0, 0}, k, text);
    if (!ierr) ierr = expect_same_on_layouts(box[k].what, run_on, k);
  }
  return claim_end(ierr);
}
