/* SPDX-License-Identifier: BSD-2-Clause */
#include "seas.h"
#include "wind.h"
#include <halograd/shallow_water.h>
#include <math.h>

static const double length = 4e5, depth = 100, coriolis = 1e-4; /* [m], [m], [1/s] */
static const HgShallowWaterParams params = {{0.1}, 0.1};

/* ---- eddies and wind ---- */

typedef struct {
  double x, y, height, radius; /* [m] */
} Eddy;

static const Eddy hidden[] = {{1.3e5, 1.5e5, 18, 3.5e4},
                              {2.6e5, 2.6e5, -15, 4e4},
                              {2.7e5, 1.2e5, 12, 3e4}},
                  supposed[] = {
                      {1.6e5, 1.3e5, 14, 4e4}, {2.3e5, 2.8e5, -11, 4e4}, {2.5e5, 1.5e5, 8, 3e4}};

enum { EDDIES = sizeof hidden / sizeof *hidden };

static double bump(const Eddy *e, double x, double y) {
  return e->height * exp(-pow(hypot(x - e->x, y - e->y) / e->radius, 2) / 2);
}

/* The pressure balances the Earth's rotation: f (-v, u) = -g grad h. */
static double at(const Eddy *eddies, char what, double x, double y) {
  double sum = what == 'h' ? depth : 0;
  for (const Eddy *e = eddies; e < eddies + EDDIES; e++) {
    const double h = bump(e, x, y), r2 = e->radius * e->radius;
    if (what == 'h') sum += h;
    if (what == 'u') sum += params.gravity / coriolis * h * (y - e->y) / r2;
    if (what == 'v') sum -= params.gravity / coriolis * h * (x - e->x) / r2;
  }
  return sum;
}

typedef struct {
  const Eddy *eddies;
  char what;
} Field;

static double field(double x, double y, void *context) {
  const Field *f = context;
  return at(f->eddies, f->what, x, y);
}

static double blowing(double x, double y, void *strength) {
  (void)x;
  return -*(const double *)strength * cos(PETSC_PI * y / length);
}

static PetscErrorCode fill(HgState x, const Eddy *eddies, double wind) {
  for (const char *what = "huv"; *what; what++)
    PetscCall(HgStateSetField(x, (char[]){*what, 0}, field, &(Field){eddies, *what}));
  PetscCall(HgStateSetField(x, "wx", blowing, &wind));
  PetscCall(HgStateSetConstant(x, "f", coriolis));
  return HgStateSetConstant(x, "nu", 50);
}

/* ---- the model ---- */

PetscErrorCode SeasCreate(HgRun run, HgCommon *common, double wind, Seas *s) {
  const double dx = length / common->nx, dy = length / common->ny;
  const HgMeshSpec square = {.nx = common->nx,
                             .ny = common->ny,
                             .px = common->px,
                             .py = common->py,
                             .x0 = dx / 2,
                             .y0 = dy / 2,
                             .dx = dx,
                             .dy = dy};
  static const HgVariable depths[] = {{.name = "h_hidden", .unit = "m"},
                                      {.name = "h_free", .unit = "m"},
                                      {.name = "h", .unit = "m"}};
  const double day = 86400;
  PetscCall(HgRunTimeStep(
      run, day,
      HgShallowWaterLargestStep(params.gravity, params.scheme.epsilon, 1.2 * depth, 0.5, dx, dy),
      common));
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &square, &s->mesh));
  PetscCall(HgReportSetMesh(HgRunReport(run), s->mesh));
  PetscCall(
      HgProgramCreatePhysics(s->mesh, &hg_shallow_water_physics, &params, common->dt, &s->program));
  PetscCall(HgProgramAddStencil(s->program, &assimilate_wind, NULL));
  PetscCall(HgProgramSetUp(s->program));
  for (int k = 0; k < SEAS; k++) {
    const bool true_one = k == SEAS_HIDDEN;
    PetscCall(HgProgramCreateInput(s->program, &s->sea[k]));
    PetscCall(fill(s->sea[k], true_one ? hidden : supposed, true_one ? wind : 0));
  }
  return HgStateCreate(s->mesh, SEAS, depths, &s->depths);
}

PetscErrorCode SeasDestroy(Seas *s) {
  for (int k = 0; k < SEAS; k++) PetscCall(HgStateDestroy(&s->sea[k]));
  PetscCall(HgStateDestroy(&s->depths));
  PetscCall(HgProgramDestroy(&s->program));
  return HgMeshDestroy(&s->mesh);
}

/* ---- as time passes ---- */

PetscErrorCode SeasGoOn(HgState final, HgState x) {
  for (int k = 0, l; k < HgStateCount(final); k++) {
    PetscCall(HgStateIndex(x, HgStateVariable(final, k)->name, &l));
    PetscCall(HgStateCopyVariable(final, k, x, l));
  }
  return 0;
}

PetscErrorCode SeasForecast(const Seas *s, long steps, HgState x) {
  HgObjective nothing;
  HgTrajectory run;
  double J;
  PetscCall(HgObjectiveCreate(s->program, steps, &nothing));
  PetscCall(HgTrajectoryCreate(s->program, steps, nothing, NULL, &run));
  PetscErrorCode ierr = HgTrajectoryValue(run, x, &J);
  if (!ierr) ierr = SeasGoOn(HgTrajectoryFinal(run), x);
  PetscCall(HgTrajectoryDestroy(&run));
  PetscCall(HgObjectiveDestroy(&nothing));
  return ierr;
}

PetscErrorCode SeasLook(const Seas *s, const HgCommon *common, int n, int times, double sigma,
                        uint64_t seed, HgObservations **seen) {
  HgObservations *o;
  const int count = n * n;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "h", "m", times, count, &o));
  for (int k = 0; k < count; k++) {
    o->x[k] = (k % n + 0.5) * length / n;
    o->y[k] = ((double)(k / n) + 0.5) * length / n;
  }
  for (int k = 0; k < times; k++) o->time[k] = common->dt * (double)common->steps * (k + 1) / times;
  for (int k = 0; k < times * count; k++) o->sigma[k] = sigma;
  PetscCall(HgTwinObserve(s->program, common->steps, s->sea[SEAS_HIDDEN], o));
  HgObservationsAddNoise(o, sigma, seed);
  *seen = o;
  return 0;
}

PetscErrorCode SeasCompare(Seas *s, double off[2]) {
  const HgMeshSpec *const mesh = HgMeshGetSpec(s->mesh);
  HgState difference;
  PetscCall(HgStateDuplicate(s->depths, &difference));
  for (int k = 0, h; k < SEAS; k++) {
    PetscCall(HgStateIndex(s->sea[k], "h", &h));
    PetscCall(HgStateCopyVariable(s->sea[k], h, s->depths, k));
  }
  for (int k = SEAS_FREE; k <= SEAS_FOUND; k++) {
    double squares;
    PetscCall(HgStateZero(difference));
    PetscCall(HgStateAXPYVariable(difference, 0, 1, s->depths, k));
    PetscCall(HgStateAXPYVariable(difference, 0, -1, s->depths, SEAS_HIDDEN));
    PetscCall(HgStateDot(difference, difference, &squares));
    off[k - SEAS_FREE] = sqrt(squares / ((double)mesh->nx * mesh->ny));
  }
  return HgStateDestroy(&difference);
}
