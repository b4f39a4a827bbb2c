/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: of two recordings, whoever made them, the comparison names the first step, variable, cell
   and distance where they part, in either sweep or in J, and nothing where they do not; what has
   other variables or another grid is not compared. */
#include "heat_case.h"
#include "recorded.h"
#include "refusal.h"
#include "shallow_case.h"
#include <math.h>

enum { STEPS = 14 };

/* Changes one number of a state that comes by, by one unit in the last place. */
typedef struct {
  HgMode direction;
  long n;
  int cell[2];
  const char *variable;
} Plant;

static long plant_next(void *self, HgMode direction, long n) {
  const Plant *p = self;
  return direction == p->direction && n <= p->n ? p->n : HG_NO_STEP;
}

static PetscErrorCode plant_sees(void *self, const HgTrajectorySight *s) {
  const Plant *p = self;
  const HgPatch *own = HgMeshGetPatch(HgStateMesh(s->state));
  const int k = HgStateFind(s->state, p->variable), i = p->cell[0] - own->i_global,
            j = p->cell[1] - own->j_global;
  if (i < 0 || i >= own->nx || j < 0 || j >= own->ny) return 0;
  HgReal *const x = &HgStateRows(s->state, k)[j][i];
  *x = nextafter(*x, INFINITY);
  return 0;
}

static const ShallowSpec spec = {
    .nx = 24, .ny = 26, .steps = STEPS, .published = true, .ghost = 2, .slots = 5};

static PetscErrorCode record(MPI_Comm comm, const Plant *plant, bool other_data, long every,
                             const char directory[]) {
  ShallowCase c;
  char text[256];
  PetscCall(shallow_create(comm, &spec, &c));
  if (plant)
    PetscCall(HgTrajectoryAddObserver(
        c.trajectory, &(HgTrajectoryObserver){.next = plant_next,
                                              .see = plant_sees,
                                              .context = (void *)(uintptr_t)plant}));
  if (other_data) PetscCall(HgStateSetConstant(c.data, "h", 0.91));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = every}, directory, text));
  return shallow_destroy(&c);
}

static PetscErrorCode compare(const char a[], const char b[], HgRecordingDifference *d) {
  HgRecording r[2];
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, a, &r[0]));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, b, &r[1]));
  PetscCall(HgRecordingCompare(r[0], r[1], d));
  PetscCall(HgRecordingClose(&r[0]));
  return HgRecordingClose(&r[1]);
}

/* The planted number is the first one that differs: in the first sweep those around it follow one
   step later. */
static PetscErrorCode try_plant(const Plant *p) {
  HgRecordingDifference d;
  PetscCall(record(PETSC_COMM_WORLD, p, false, 1, "planted"));
  PetscCall(compare("sound", "planted", &d));
  const char *const what = p->direction == HG_PRIMAL ? "forward" : "reverse";
  claim_that(d.differ && d.direction == p->direction && d.n == p->n &&
                 !strcmp(d.variable, p->variable),
             "%s, step %ld, '%s' planted; differ %d, direction %d, step %ld, '%s' found", what,
             p->n, p->variable, d.differ, d.direction, d.n, d.variable);
  claim_that(d.states && d.cell[0] == p->cell[0] && d.cell[1] == p->cell[1],
             "%s, step %ld, cell (%d, %d) planted, (%d, %d) found", what, p->n, p->cell[0],
             p->cell[1], d.cell[0], d.cell[1]);
  claim_that(d.ulps == 1 && d.cells == 1 && d.of == spec.nx * spec.ny,
             "%s, step %ld: %llu ulps, %g numbers of %g, expected 1, 1 and %d", what, p->n,
             (unsigned long long)d.ulps, d.cells, d.of, spec.nx * spec.ny);
  claim_same(d.value[1], nextafter(d.value[0], INFINITY), "%s, step %ld: value", what, p->n);
  /* what is recorded less often parts later in the first sweep */
  PetscCall(record(PETSC_COMM_WORLD, p, false, 5, "planted_fifth"));
  PetscCall(compare("sound", "planted_fifth", &d));
  const long later = p->direction == HG_PRIMAL ? PetscMin((p->n + 4) / 5 * 5, STEPS)
                     : p->n == STEPS           ? STEPS
                                               : p->n / 5 * 5;
  claim_that(d.differ && d.direction == p->direction && d.n == later,
             "%s, step %ld, every fifth: step %ld, expected %ld", what, p->n, d.n, later);
  return 0;
}

/* ---- of other kinds ---- */

/* Heat on a square of side 1 / nx m; kappa is active or not. */
static PetscErrorCode record_heat(bool kappa, double side, double x0, const char directory[]) {
  const HgMeshSpec grid = {.nx = 9, .ny = 8, .dx = side, .dy = side, .x0 = x0};
  static const HgHeatParams params = {.decay = 3};
  HeatCase c = {0};
  char text[256];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &grid, &c.mesh));
  PetscCall(HgProgramCreatePhysics(c.mesh, &hg_heat_forced_physics, &params, 1e-5, &c.program));
  PetscCall(HgProgramSetUp(c.program));
  PetscCall(HgProgramSetActive(c.program, "kappa", kappa));
  PetscCall(HgObjectiveCreate(c.program, 3, &c.objective));
  PetscCall(HgProgramCreateCarried(c.program, &c.data));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "u", 3, c.data, 1));
  PetscCall(
      make_trajectory(c.program, c.objective, c.data, 3, 2, false, &c.store, &c.trajectory, &c.op));
  PetscCall(HgProgramCreateInput(c.program, &c.x));
  PetscCall(HgStateSetField(c.x, "u", wave, NULL));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 1}, directory, text));
  return heat_destroy(&c);
}

static PetscErrorCode others(void) {
  PetscCall(record_heat(true, 0.01, 0, "kappa"));
  PetscCall(record_heat(false, 0.01, 0, "no_kappa"));
  PetscCall(record_heat(true, 0.02, 0, "wide"));
  PetscCall(record_heat(true, 0.01, 1, "shifted"));
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "kappa", "no_kappa"), "'kappa' and 'no_kappa'",
          "constant 'kappa' (field, 0) and constant 'f' (field, 0)");
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "no_kappa", "kappa"),
          "constant 'f' (field, 0) and constant 'kappa' (field, 0)");
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "kappa", "wide"), "0.01 x 0.01 m", "0.02 x 0.02 m");
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "kappa", "shifted"), "(0, 0)", "(1, 0)");
  return 0;
}

static PetscErrorCode test(void) {
  static const Plant plants[] = {{HG_PRIMAL, 0, {3, 4}, "h"},
                                 {HG_PRIMAL, 9, {23, 0}, "v"},
                                 {HG_COTANGENT, 14, {0, 25}, "h"},
                                 {HG_COTANGENT, 6, {12, 13}, "u"}};
  HgRecordingDifference d;
  MPI_Comm self;
  PetscCall(others());
  PetscCall(record(PETSC_COMM_WORLD, NULL, false, 1, "sound"));
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, claim.rank ? MPI_UNDEFINED : 0, 0, &self));
  if (!claim.rank) {
    PetscCall(record(self, NULL, false, 3, "alone"));
    PetscCallMPI(MPI_Comm_free(&self));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(compare("sound", "alone", &d));
  claim_that(!d.differ && d.compared == 12, "one rank and all: differ %d, compared %d, expected 12",
             d.differ, d.compared);
  for (size_t k = 0; k < sizeof plants / sizeof *plants; k++) PetscCall(try_plant(&plants[k]));
  PetscCall(record(PETSC_COMM_WORLD, NULL, true, 1, "other_data"));
  PetscCall(compare("sound", "other_data", &d));
  claim_that(d.differ && d.direction == HG_NO_MODE && d.value[0] != d.value[1],
             "other data: differ %d, direction %d, expected in J", d.differ, d.direction);
  return 0;
}

CLAIM("recordings part first where one was changed", 0, test)
