/* SPDX-License-Identifier: BSD-2-Clause */
/* A lake, an island of one cell and a strait of one cell: waves pass the strait, go round the
   island and never reach the lake, which keeps a level of its own to the bit; the volume stays; the
   step passes zero, linearity, dot product and Taylor, linear or not. */
#include "tsunami_case.h"

enum { NX = 36, NY = 28, WALL = 20, STRAIT = 13, STEPS = 40 };

/* Rings of land round the lake, a wall across the sea. */
static bool is_lake(int i, int j) { return i >= 26 && i <= 29 && j >= 4 && j <= 8; }

static bool is_land(int i, int j) {
  const bool shore = i >= 25 && i <= 30 && j >= 3 && j <= 9 && !is_lake(i, j);
  const bool wall = i == WALL && j != STRAIT, island = i == 9 && j == 17;
  return shore || wall || island;
}

static int cell(double place, double first, double size) {
  return (int)floor((place - first) / size + 0.5);
}

static const double west = 140, south = 30, size = 0.1;

static double floor_at(double x, double y, void *context) {
  (void)context;
  return is_land(cell(x, west, size), cell(y, south, size)) ? 100 : -2000 - 10 * (x - west);
}

/* West of the wall a hump, in the lake a level. */
static double surface_at(double x, double y, void *context) {
  const int i = cell(x, west, size), j = cell(y, south, size);
  (void)context;
  if (is_land(i, j)) return 0;
  return is_lake(i, j) ? 0.7
         : i < WALL    ? exp(-0.1 * ((i - 12) * (i - 12) + (j - 15) * (j - 15)))
                       : 0;
}

static PetscErrorCode create(const HgPhysics *physics, TsunamiCase *c) {
  static const HgVariable fields[] = {{"b", "m", HG_FIELD, 0}, {"h", "m", HG_FIELD, 0}};
  const HgSea sea = {.shore = 10, .shallowest = 50};
  const HgMeshSpec spec = {.nx = NX,
                           .ny = NY,
                           .x0 = west,
                           .y0 = south,
                           .dx = size,
                           .dy = size,
                           .ghost = 1,
                           .radius = 6371e3};
  *c = tsunami_case(physics);
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c->mesh));
  PetscCall(HgProgramCreatePhysics(c->mesh, c->physics, &c->params, 12, &c->program));
  PetscCall(HgProgramSetUp(c->program));
  PetscCall(HgStateCreate(c->mesh, 2, fields, &c->floor));
  PetscCall(HgProgramCreateInput(c->program, &c->x));
  PetscCall(HgStateSetField(c->floor, "b", floor_at, NULL));
  PetscCall(HgSeaFill(c->floor, &sea, 12, c->x));
  return HgStateSetField(c->x, "eta", surface_at, NULL);
}

/* Where has the water moved after STEPS steps? */
static PetscErrorCode waves(TsunamiCase *c) {
  const HgPatch *p = HgMeshGetPatch(c->mesh);
  double before, after, beyond = 0;
  HgState q;
  PetscCall(tsunami_steps(c->program, c->x, STEPS, &q));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int x = p->i_global + i, y = p->j_global + j;
      const double eta = HgStateRows(q, 0)[j][i], moved = fabs(HgStateRows(q, 1)[j][i]);
      if (is_land(x, y)) claim_that(eta == 0 && moved == 0, "land (%d, %d) has water", x, y);
      if (is_lake(x, y)) {
        claim_same(eta, 0.7, "lake (%d, %d)", x, y);
        claim_that(moved == 0, "the lake moves at (%d, %d)", x, y);
      } else if (x > WALL) beyond = fmax(beyond, fabs(eta));
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &beyond, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  claim_that(beyond > 1e-6, "%g m beyond the strait, expected waves", beyond);
  PetscCall(tsunami_volume(c->mesh, c->x, &before));
  PetscCall(tsunami_volume(c->mesh, q, &after));
  claim_at_most(fabs(after / before - 1), 1e-15, "volume %.17g m^3 becomes %.17g: relative change",
                before, after);
  return HgStateDestroy(&q);
}

static PetscErrorCode test(const HgPhysics *physics, unsigned draw) {
  TsunamiCase c;
  HgOperator step;
  PetscCall(create(physics, &c));
  PetscCall(waves(&c));
  PetscCall(tsunami_constants(&c, true));
  PetscCall(HgProgramOperator(c.program, 0, &step));
  PetscCall(claim_checks("a step by all it reads", step, c.x, 1e-13, draw));
  PetscCall(HgOperatorDestroy(&step));
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("lake, island and strait: waves go where water is, and so do cotangents", 0);
  if (!ierr) ierr = test(&tsunami_physics, 1);
  if (!ierr) ierr = test(&tsunami_nonlinear_physics, 2);
  return claim_end(ierr);
}
