/* SPDX-License-Identifier: BSD-2-Clause */
/* Closed sides: a face on a closed wall is 0 in all that a program writes and reads, its cotangent
   is masked, as in a program that masks by stencils of its own; a mask without its transpose is
   caught; walls are the mesh's. */
#include "refusal.h"
#include "shallow_case.h"
#include "wrong_adjoint.h"
#include <halograd/mesh_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

/* ---- two toys and a mask ---- */
enum { U, W };

/* w = u u_E + 0.3 u_N */
static void product_apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      y[0][j][i] = x[0][j][i] * x[0][j][i + 1] + 0.3 * x[0][j + 1][i];
}

static void product_tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                            const HgRowsOut dy[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      dy[0][j][i] =
          (dx[0][j][i] * x[0][j][i + 1] + x[0][j][i] * dx[0][j][i + 1]) + 0.3 * dx[0][j + 1][i];
}

static void product_adjoint(const HgBox *b, const void *none, const HgRows x[],
                            const HgRows y_bar[], const HgRowsOut x_bar[]) {
  const HgRows w = y_bar[0];
  (void)none;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      x_bar[0][j][i] +=
          (w[j][i] * x[0][j][i + 1] + w[j][i - 1] * x[0][j][i - 1]) + 0.3 * w[j - 1][i];
}

/* u' = u + 0.1 (w + w_W - w_S) */
static void update_apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      y[0][j][i] = x[U][j][i] + 0.1 * ((x[W][j][i] + x[W][j][i - 1]) - x[W][j - 1][i]);
}

static void update_tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  (void)x; /* linear */
  update_apply(b, none, dx, dy);
}

static void update_adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                           const HgRowsOut x_bar[]) {
  const HgRows u = y_bar[0];
  (void)none, (void)x;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      if (x_bar[U]) x_bar[U][j][i] += u[j][i];
      if (x_bar[W]) x_bar[W][j][i] += 0.1 * ((u[j][i] + u[j][i + 1]) - u[j + 1][i]);
    }
}

static const HgStencil product = {.name = "product",
                                  .reads = (const HgRead[]){{"u", 1, 1}, {NULL, 0, 0}},
                                  .writes = (const char *const[]){"w", NULL},
                                  .apply = product_apply,
                                  .tangent = product_tangent,
                                  .adjoint = product_adjoint};
static const HgStencil update = {
    .name = "update",
    .reads =
        (const HgRead[]){{"u", 0, HG_ADJOINT_UNUSED}, {"w", 1, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
    .writes = (const char *const[]){"u", NULL},
    .apply = update_apply,
    .tangent = update_tangent,
    .adjoint = update_adjoint};

/* y = M x by global index; M: is the last column 0, is the last row? */
typedef struct {
  bool east, north;
} Closed;

static double mask(const HgBox *b, const Closed *c, int i, int j, double x) {
  const bool east = c->east && b->i_global + i == b->nx_global - 1,
             north = c->north && b->j_global + j == b->ny_global - 1;
  return east || north ? 0 : x;
}

static void mask_apply(const HgBox *b, const void *closed, const HgRows x[], const HgRowsOut y[]) {
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = mask(b, closed, i, j, x[0][j][i]);
}

static void mask_tangent(const HgBox *b, const void *closed, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)x;
  mask_apply(b, closed, dx, dy);
}

static void mask_adjoint(const HgBox *b, const void *closed, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  (void)x;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] += mask(b, closed, i, j, y_bar[0][j][i]);
}

static const HgStencil mask_of_u = {.name = "mask of u",
                                    .reads =
                                        (const HgRead[]){{"u", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
                                    .writes = (const char *const[]){"u", NULL},
                                    .params_size = sizeof(Closed),
                                    .apply = mask_apply,
                                    .tangent = mask_tangent,
                                    .adjoint = mask_adjoint};
static const HgStencil mask_of_w = {.name = "mask of w",
                                    .reads =
                                        (const HgRead[]){{"w", 0, HG_ADJOINT_UNUSED}, {NULL, 0, 0}},
                                    .writes = (const char *const[]){"w", NULL},
                                    .params_size = sizeof(Closed),
                                    .apply = mask_apply,
                                    .tangent = mask_tangent,
                                    .adjoint = mask_adjoint};

/* ---- closed by the engine, and by hand ---- */
enum { STEPS = 7, WEST = 1, EAST = 2, SOUTH = 4, NORTH = 8 };

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState x, data;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
  Closed of_u, of_w;
} Toy;

/* u on x faces, w on corners. Sides that are not closed copy, but hold 0 where the other program is
   closed. */
static PetscErrorCode toy_walls(HgProgram p, int sides, bool by_hand) {
  const HgSide copy = {HG_COPY, 0}, closed = {by_hand ? HG_FIXED : HG_CLOSED, 0};
  const HgBoundary w = {sides & WEST ? closed : copy, sides & EAST ? closed : copy,
                        sides & SOUTH ? closed : copy, sides & NORTH ? closed : copy};
  const HgBoundary u = {w.west, w.east, copy, copy};
  PetscCall(HgProgramSetBoundary(p, "u", u));
  PetscCall(HgProgramSetBoundary(p, "w", w));
  if (by_hand) return 0;
  PetscCall(HgProgramSetLocation(p, "u", HG_X_FACE));
  return HgProgramSetLocation(p, "w", HG_CORNER);
}

static PetscErrorCode toy_program(HgMesh mesh, int sides, bool by_hand, Toy *t, HgProgram *p) {
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  t->of_w = (Closed){sides & EAST && !m->periodic_x, sides & NORTH && !m->periodic_y};
  t->of_u = (Closed){t->of_w.east, false};
  PetscCall(HgProgramCreate(mesh, by_hand ? "by hand" : "closed", 0.1, p));
  if (by_hand) PetscCall(HgProgramAddStencil(*p, &mask_of_u, &t->of_u));
  PetscCall(HgProgramAddStencil(*p, &product, NULL));
  if (by_hand) PetscCall(HgProgramAddStencil(*p, &mask_of_w, &t->of_w));
  PetscCall(HgProgramAddStencil(*p, &update, NULL));
  if (by_hand) PetscCall(HgProgramAddStencil(*p, &mask_of_u, &t->of_u));
  PetscCall(toy_walls(*p, sides, by_hand));
  return HgProgramSetUp(*p);
}

static PetscErrorCode toy_create(HgMesh mesh, int sides, bool by_hand, Toy *t) {
  t->mesh = mesh;
  PetscCall(HgMeshReference(mesh));
  PetscCall(toy_program(t->mesh, sides, by_hand, t, &t->program));
  PetscCall(HgProgramCreateCarried(t->program, &t->data));
  PetscCall(HgObjectiveCreate(t->program, STEPS, &t->objective));
  PetscCall(HgObjectiveAddSnapshot(t->objective, "u", 3, t->data, 0.3));
  PetscCall(HgObjectiveAddSnapshot(t->objective, "u", STEPS, t->data, 0.2));
  PetscCall(make_trajectory(t->program, t->objective, t->data, STEPS, STEPS, false, &t->store,
                            &t->trajectory, &t->op));
  PetscCall(HgProgramCreateInput(t->program, &t->x));
  return HgStateRandom(t->x, 5);
}

static PetscErrorCode toy_destroy(Toy *t) {
  return DESTROY(&t->op, &t->trajectory, &t->store, &t->objective, &t->data, &t->x, &t->program,
                 &t->mesh);
}

/* The largest of what owned cells of the last column, or row, of the domain hold. */
static PetscErrorCode largest_at(HgState x, int index, bool east, double *most) {
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(x));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  *most = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      if (east ? p->i_global + i == m->nx - 1 : p->j_global + j == m->ny - 1)
        *most = fmax(*most, fabs(HgStateRows(x, index)[j][i]));
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_DOUBLE, MPI_MAX, HgMeshComm(HgStateMesh(x))));
  return 0;
}

/* The last state, same bits; the gradient, whose contributions are added in another order, up to
   rounding. */
static PetscErrorCode as_by_hand(const HgMeshSpec *spec, int sides) {
  enum { TOYS = 2 };

  Toy t[TOYS];
  HgState gradient[TOYS];
  char state[TOYS][17];
  double J[TOYS], value, slope, distance;
  HgMesh mesh;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, spec, &mesh));
  for (int k = 0; k < TOYS; k++) {
    PetscCall(toy_create(mesh, sides, k == 1, &t[k]));
    PetscCall(HgStateDuplicate(t[k].x, &gradient[k]));
    PetscCall(HgOperatorGradient(t[k].op, t[k].x, &J[k], gradient[k]));
    PetscCall(HgStateDigest(HgTrajectoryFinal(t[k].trajectory), NULL, state[k]));
  }
  PetscCall(largest_at(HgTrajectoryFinal(t[0].trajectory), 0, true, &value));
  PetscCall(largest_at(gradient[0], 0, true, &slope));
  claim_that(t[0].of_u.east == (value == 0) && t[0].of_u.east == (slope == 0),
             "closed sides %d: u is %g on the last column, its gradient %g", sides, value, slope);
  claim_that(J[0] == J[1] && !strcmp(state[0], state[1]),
             "%d x %d cells, ghosts %d, closed sides %d: J %a, by hand %a, state %s, by hand %s",
             spec->nx, spec->ny, spec->ghost, sides, J[0], J[1], state[0], state[1]);
  PetscCall(HgStateRelativeError(gradient[0], gradient[1], "u", &distance));
  claim_at_most(distance, 1e-14 * HG_ROUNDING,
                "%d x %d cells, ghosts %d, closed sides %d: gradient by hand", spec->nx, spec->ny,
                spec->ghost, sides);
  PetscCall(claim_checks("closed", t[0].op, t[0].x, 1e-12, 7 + (uint64_t)sides));
  for (int k = 0; k < TOYS; k++) {
    PetscCall(HgStateDestroy(&gradient[k]));
    PetscCall(toy_destroy(&t[k]));
  }
  return HgMeshDestroy(&mesh);
}

/* Every choice of closed sides, one step at a time and several, on patches of one cell, and wide
   ones. */
static PetscErrorCode closed_as_by_hand(void) {
  const int size = claim.ranks;
  for (int sides = 0; sides < 16; sides++)
    for (int shape = 0; shape < 4; shape++) {
      const HgMeshSpec spec = {.nx = shape == 1 ? PetscMax(2, size) : 9 * size,
                               .ny = shape == 2 ? 1 : 14,
                               .px = size,
                               .py = 1,
                               .dx = 1,
                               .dy = 1,
                               .periodic_x = shape == 3 && sides & 4,
                               .periodic_y = shape == 3 && sides & 2,
                               .ghost = shape == 1 || shape == 2 ? 1 : 9};
      PetscCall(as_by_hand(&spec, sides));
    }
  return 0;
}

/* ---- a mask whose transpose lets cotangents pass ---- */
static PetscErrorCode mask_without_transpose(int sides, bool caught) {
  const HgMeshSpec spec = {.nx = 16, .ny = 16, .dx = 1, .dy = 1, .ghost = 1};
  HgOperator right, wrong;
  HgProgram open;
  HgMesh mesh;
  Toy t;
  char what[48];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(toy_create(mesh, sides, false, &t));
  PetscCall(HgProgramCreate(t.mesh, "open", 0.1, &open));
  PetscCall(HgProgramAddStencil(open, &product, NULL));
  PetscCall(HgProgramAddStencil(open, &update, NULL));
  PetscCall(toy_walls(open, sides, true)); /* the same ghosts, and no mask */
  PetscCall(HgProgramSetUp(open));
  PetscCall(HgProgramOperator(t.program, 0, &right));
  PetscCall(HgProgramOperator(open, 0, &wrong));
  snprintf(what, sizeof what, "closed sides %d, the mask without its transpose", sides);
  PetscCall(claim_caught(what, right, wrong, t.x, caught));
  PetscCall(DESTROY(&right, &wrong, &open));
  PetscCall(toy_destroy(&t));
  return HgMeshDestroy(&mesh);
}

/* ---- walls are the mesh's ---- */

/* Shallow water between walls where the mesh has them, across the seam where it is periodic,
   whatever its parameters. */
static PetscErrorCode walls_of_the_mesh(bool periodic_x, bool periodic_y) {
  const ShallowSpec spec = {.nx = 16,
                            .ny = 16,
                            .steps = 5,
                            .periodic_x = periodic_x,
                            .periodic_y = periodic_y,
                            .slots = 5};
  ShallowCase c;
  double J, u, v;
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgTrajectoryValue(c.trajectory, c.x, &J));
  const HgState q = HgTrajectoryFinal(c.trajectory);
  PetscCall(largest_at(q, HgStateFind(q, "u"), true, &u));
  PetscCall(largest_at(q, HgStateFind(q, "v"), false, &v));
  claim_that((u > 0) == periodic_x && (v > 0) == periodic_y,
             "periodic %d %d: u is %g on the last column, v %g on the last row", periodic_x,
             periodic_y, u, v);
  return shallow_destroy(&c);
}

static PetscErrorCode try_location(HgMesh mesh, HgLocation location, HgBoundary boundary) {
  HgProgram p;
  PetscCall(HgProgramCreate(mesh, "trial", 0.1, &p));
  PetscCall(HgProgramAddStencil(p, &product, NULL));
  PetscCall(HgProgramAddStencil(p, &update, NULL));
  PetscCall(HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetBoundary(p, "w", boundary));
  PetscErrorCode ierr = HgProgramSetLocation(p, "w", location);
  if (!ierr) ierr = HgProgramSetUp(p);
  PetscCall(HgProgramDestroy(&p));
  return ierr;
}

static PetscErrorCode refusals(void) {
  const HgBoundary all = HgBoundaryAll(HG_CLOSED, 0), none = HgBoundaryAll(HG_COPY, 0);
  const HgBoundary west = {{HG_CLOSED, 0}, none.east, none.south, none.north};
  const HgBoundary north = {none.west, none.east, none.south, {HG_CLOSED, 0}};
  HgMeshSpec spec = {.nx = 16, .ny = 16, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  Toy t;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  REFUSED(try_location(mesh, HG_CENTRE, all), "'w'", "west or east", "at the centre has no face");
  REFUSED(try_location(mesh, HG_Y_FACE, west), "'w'", "west or east", "at the y face has no face");
  REFUSED(try_location(mesh, HG_X_FACE, north), "'w'", "south or north", "expected a y face");
  PetscCall(try_location(mesh, HG_CORNER, all));
  PetscCall(HgMeshDestroy(&mesh));
  spec.periodic_x = spec.periodic_y = true; /* no walls, nothing to close */
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(try_location(mesh, HG_CENTRE, all));
  PetscCall(toy_create(mesh, 0, false, &t));
  REFUSED(HgProgramSetLocation(t.program, "u", HG_CORNER), "location of 'u' set after");
  PetscCall(toy_destroy(&t));
  return HgMeshDestroy(&mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("closed faces are 0, and so are their cotangents", 0);
  if (!ierr) ierr = closed_as_by_hand();
  for (int sides = 0; sides < 16 && !ierr; sides++)
    ierr = mask_without_transpose(sides, sides & (EAST | NORTH));
  for (int k = 0; k < 4 && !ierr; k++) ierr = walls_of_the_mesh(k & 1, k & 2);
  if (!ierr) ierr = refusals();
  return claim_end(ierr);
}
