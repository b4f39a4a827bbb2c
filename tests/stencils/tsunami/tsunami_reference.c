/* SPDX-License-Identifier: BSD-2-Clause */
/* The tsunami off Japan has the numbers of other programs to 1e-9: gauges, norms and volume, of two
   the linear one and of one the nonlinear one; the linear one's J and its gradient. */
#include "spots.h"
#include "tsunami_case.h"
#include <halograd/state.h>

enum { GAUGES = 2 };

static const double lon[GAUGES] = {142.5838, 148.694}, lat[GAUGES] = {38.634, 38.711};

enum { READINGS = 5 };

static const struct {
  long step;
  int gauge;
} seen[READINGS] = {{10, 0}, {50, 0}, {100, 0}, {100, 1}, {150, 1}};

/* What other programs say of a run: eta of the readings and the volume after 150 steps; the norms
   of eta, u and v. */
typedef struct {
  const HgPhysics *physics;
  double eta[READINGS], l2[3], volume; /* [m], [m^3] */
} Numbers;

static const Numbers linear = {&tsunami_physics,
                               {0.8923256501898856, 1.7135151064520175, -0.7831671952904763,
                                0.0033698606185663615, 0.8513182972435619},
                               {32.65631874152399, 4.340945518976323, 1.4057664562640608},
                               93085664052.42809};

static const Numbers nonlinear = {&tsunami_nonlinear_physics,
                                  {0.8923955210631659, 1.7123839426316025, -0.7831301488834044,
                                   0.0033731668141605167, 0.8527588627928445},
                                  {32.66877929111584, 4.325198374824997, 1.4038650064258544},
                                  93067041820.15633};

static void relative(double value, double expected, const char what[]) {
  claim_at_most(fabs(value / expected - 1), 1e-9, "%s is %.17g, expected %.17g: relative distance",
                what, value, expected);
}

static PetscErrorCode watch(long n, double t, HgState q, void *context) {
  const Numbers *expected = context;
  double eta[GAUGES];
  (void)t;
  PetscCall(read_spots(q, "eta", GAUGES, lon, lat, eta));
  for (int k = 0; k < READINGS; k++)
    if (seen[k].step == n) relative(eta[seen[k].gauge], expected->eta[k], "a gauge");
  return 0;
}

static PetscErrorCode norm(HgState x, const char name[], double *l2) {
  int index;
  HgState one;
  PetscCall(HgStateIndex(x, name, &index));
  PetscCall(HgStateDuplicate(x, &one));
  PetscCall(HgStateCopyVariable(x, index, one, index));
  PetscCall(HgStateDot(one, one, l2));
  *l2 = sqrt(*l2);
  return HgStateDestroy(&one);
}

/* Wet cells, open eastern and northern faces. */
static PetscErrorCode count(const TsunamiCase *c, int counts[3]) {
  static const char *const kept[3] = {"keep", "keep_u", "keep_v"};
  const HgPatch *p = HgMeshGetPatch(c->mesh);
  for (int k = 0; k < 3; k++) {
    HgReal *const *keep = HgStateRows(c->x, HgStateFind(c->x, kept[k]));
    counts[k] = 0;
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) counts[k] += keep[j][i] > 0;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, counts, 3, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  return 0;
}

/* The value of field 0 at global cell (i, j). */
static PetscErrorCode at(HgState x, int i, int j, double *value) {
  const double lon_ij = 140 + 0.1 * i, lat_ij = 33 + 0.1 * j;
  return read_spots(x, "eta", 1, &lon_ij, &lat_ij, value);
}

static PetscErrorCode gradient_of(const TsunamiCase *c) {
  HgState gradient;
  double value, J;
  PetscCall(HgOperatorCreateInput(c->op, &gradient));
  PetscCall(HgOperatorGradient(c->op, c->x, &J, gradient));
  relative(J, 15.19852223346196, "J");
  PetscCall(norm(gradient, "eta", &value));
  relative(value, 1.661371999898448, "the gradient");
  PetscCall(at(gradient, 35, 50, &value));
  relative(value, 0.05847446589390867, "the gradient in cell (35, 50)");
  PetscCall(at(gradient, 60, 55, &value));
  relative(value, -0.009740968401381597, "the gradient in cell (60, 55)");
  return HgStateDestroy(&gradient);
}

static PetscErrorCode test(const Numbers *expected) {
  const TsunamiSpec spec = {.sponge = 15, .steps = 150, .physics = expected->physics};
  TsunamiCase c;
  double value, J;
  int counts[3];
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(count(&c, counts));
  claim_that(counts[0] == 11162 && counts[1] == 11012 && counts[2] == 10987,
             "%d wet cells, %d and %d open faces, expected 11162, 11012, 10987", counts[0],
             counts[1], counts[2]);
  PetscCall(tsunami_volume(c.mesh, c.x, &value));
  relative(value, 117474593765.44547, "the volume at the start");

  PetscCall(HgTrajectoryWatch(c.trajectory, c.x, 10, watch, (void *)expected, &J));
  const HgState q = HgTrajectoryFinal(c.trajectory);
  PetscCall(tsunami_volume(c.mesh, q, &value));
  relative(value, expected->volume, "the volume after 150 steps");
  for (int k = 0; k < 3; k++) {
    PetscCall(norm(q, HgStateVariable(q, k)->name, &value));
    relative(value, expected->l2[k], HgStateVariable(q, k)->name);
  }
  if (expected == &linear) PetscCall(gradient_of(&c));
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the tsunami has the numbers of other programs", 0);
  if (!ierr) ierr = test(&linear);
  if (!ierr) ierr = test(&nonlinear);
  return claim_end(ierr);
}
