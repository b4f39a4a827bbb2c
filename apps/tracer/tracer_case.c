#include "tracer_case.h"
#include <halograd/twin.h>
#include <math.h>

static const double diffusivity = 0.01, drift = 0.15, swirl = 0.35; /* [m^2/s], [m/s], [m/s] */

static double bump(double x, double y, double x0, double y0, double radius) {
  return exp(-((x - x0) * (x - x0) + (y - y0) * (y - y0)) / (radius * radius));
}

double TracerHidden(double x, double y, void *unused) {
  (void)unused;
  return bump(x, y, 0.3, 0.35, 0.11) + 0.7 * bump(x, y, 0.65, 0.7, 0.08);
}

/* Four eddies in a drift to the east: div v = 0. */
static double velocity_x(double x, double y, void *unused) {
  (void)unused;
  return drift - swirl * sin(2 * PETSC_PI * x) * cos(2 * PETSC_PI * y);
}

static double velocity_y(double x, double y, void *unused) {
  (void)unused;
  return swirl * cos(2 * PETSC_PI * x) * sin(2 * PETSC_PI * y);
}

double TracerLargestStep(int nx, int ny) {
  return HgAdvectionDiffusionLargestStep(diffusivity, diffusivity, drift + swirl, 1.0 / nx,
                                         1.0 / ny);
}

PetscErrorCode TracerCreate(const HgCommon *c, int finer, Tracer *t) {
  const int nx = finer * c->nx, ny = finer * c->ny;
  const double fewest = (drift + swirl) / (2 * diffusivity);
  HgRequire(PETSC_COMM_WORLD, PetscMin(nx, ny) >= fewest,
            "options -nx and -ny: %d x %d cells given, expected at least %g along each axis for "
            "cell Peclet numbers up to 2",
            nx, ny, ceil(fewest));
  const HgMeshSpec spec = {.nx = nx,
                           .ny = ny,
                           .px = c->px,
                           .py = c->py,
                           .x0 = 0.5 / nx,
                           .y0 = 0.5 / ny,
                           .dx = 1.0 / nx,
                           .dy = 1.0 / ny,
                           .periodic_x = true,
                           .periodic_y = true};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &t->mesh));
  PetscCall(HgProgramCreatePhysics(t->mesh, &hg_tracer_physics, NULL, c->dt / (finer * finer),
                                   &t->program));
  PetscCall(HgProgramSetUp(t->program));
  PetscCall(HgProgramCreateInput(t->program, &t->x));
  PetscCall(HgStateSetField(t->x, "vx", velocity_x, NULL));
  PetscCall(HgStateSetField(t->x, "vy", velocity_y, NULL));
  return HgStateSetConstant(t->x, "D", diffusivity);
}

PetscErrorCode TracerDestroy(Tracer *t) {
  PetscCall(HgStateDestroy(&t->x));
  PetscCall(HgProgramDestroy(&t->program));
  return HgMeshDestroy(&t->mesh);
}

PetscErrorCode TracerTwin(const HgCommon *c, double sigma, uint64_t seed, HgObservations **data) {
  Tracer twin;
  const int finer = 2;
  const long steps = finer * finer * c->steps;
  PetscCall(TracerCreate(c, finer, &twin));
  PetscCall(HgStateSetField(twin.x, "c", TracerHidden, NULL));
  const double end = (double)steps * HgProgramTimeStep(twin.program);
  const HgSensors sensors = {
      "c", 8, 8, 0, 1, 0, 1, .times = 8, .from = end / 2, .sigma = sigma, .seed = seed};
  PetscCall(HgTwinSense(twin.program, steps, twin.x, &sensors, data));
  return TracerDestroy(&twin);
}
