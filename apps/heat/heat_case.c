/* SPDX-License-Identifier: BSD-2-Clause */
#include "heat_case.h"
#include <math.h>

static double bump(double x, double y, double x0, double y0, double radius) {
  return exp(-((x - x0) * (x - x0) + (y - y0) * (y - y0)) / (radius * radius));
}

static double plate_kappa(double x, double y, void *context) {
  (void)context; /* two inclusions: one conducts better, one worse */
  return 1 + 1.0 * bump(x, y, 0.32, 0.66, 0.16) - 0.5 * bump(x, y, 0.68, 0.34, 0.18);
}

static double plate_source(double x, double y, void *context) {
  (void)context; /* nine lamps */
  double f = 0;
  for (int k = 0; k < 9; k++) f += 400 * bump(x, y, 0.2 + 0.3 * (k % 3), 0.2 + 0.3 * (k / 3), 0.1);
  return f;
}

static double exercise_kappa(double x, double y, void *context) {
  (void)context;
  return 1.5 + 1.0 * x + 2.0 * y;
}

static double exercise_source(double x, double y, void *context) {
  (void)context;
  return exp(-50 * ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)));
}

static const HeatCase cases[] = {{"plate",
                                  "a plate with two hidden inclusions under nine lamps",
                                  0.05,
                                  10,
                                  plate_kappa,
                                  plate_source,
                                  1.0,
                                  0.2,
                                  2.5,
                                  {1, 0, 0},
                                  12,
                                  25},
                                 {"exercise",
                                  "kappa = a + b x + c y from two sensors (ADCME's exercise)",
                                  1.0,
                                  1,
                                  exercise_kappa,
                                  exercise_source,
                                  1.0,
                                  0.1,
                                  4.5,
                                  {1, 0, 1},
                                  2,
                                  1000}};

enum { CASES = sizeof cases / sizeof *cases };

PetscErrorCode HeatOptions(HgRun run, Heat *heat) {
  static const char *const forms[] = {"default", "conservative"}, *const walls[] = {"fixed",
                                                                                    "insulated"};
  const char *names[CASES];
  for (int k = 0; k < CASES; k++) names[k] = cases[k].name;
  int which = 0, form = 0, wall = 0;
  PetscCall(HgOptionsGroup(HgRunOptions(run), "Heat"));
  PetscCall(
      HgOptionsChoice(HgRunOptions(run), "-case",
                      "what is heated: a plate, or the square of an exercise with two sensors",
                      CASES, names, &which));
  PetscCall(HgOptionsChoice(HgRunOptions(run), "-form",
                            "diffusion: kappa lap(u) (default) or div(kappa grad u) (conservative)",
                            2, forms, &form));
  PetscCall(HgOptionsChoice(HgRunOptions(run), "-walls",
                            "walls: u = 0 (fixed) or no flux (insulated)", 2, walls, &wall));
  *heat = (Heat){.which = &cases[which], .conservative = form == 1, .insulated = wall == 1};
  return 0;
}

PetscErrorCode HeatCreate(HgRun run, HgCommon *c, Heat *h) {
  const double dx = 1.0 / (c->nx + !h->insulated), dy = 1.0 / (c->ny + !h->insulated);
  PetscCall(
      HgRunTimeStep(run, h->which->final_time, HgHeatLargestStep(h->which->highest, dx, dy), c));
  PetscCall(HeatMake(HgRunComm(run), c, h));
  return HgReportSetMesh(HgRunReport(run), h->mesh);
}

PetscErrorCode HeatMake(MPI_Comm comm, const HgCommon *c, Heat *h) {
  const double dx = 1.0 / (c->nx + !h->insulated), dy = 1.0 / (c->ny + !h->insulated);
  const double first = h->insulated ? 0.5 : 1.0;
  PetscCall(HgMeshCreate(comm,
                         &(HgMeshSpec){.nx = c->nx,
                                       .ny = c->ny,
                                       .px = c->px,
                                       .py = c->py,
                                       .x0 = first * dx,
                                       .y0 = first * dy,
                                       .dx = dx,
                                       .dy = dy},
                         &h->mesh));
  const HgHeatParams params = {.decay = h->which->decay};
  PetscCall(HgProgramCreatePhysics(
      h->mesh, h->conservative ? &hg_heat_conservative_forced_physics : &hg_heat_forced_physics,
      &params, c->dt, &h->program));
  if (h->insulated) PetscCall(HgProgramSetBoundary(h->program, "u", HgBoundaryAll(HG_MIRROR, 1)));
  PetscCall(HgProgramSetUp(h->program));
  PetscCall(HgProgramCreateInput(h->program, &h->x));
  PetscCall(HgStateSetConstant(h->x, "kappa", h->which->guess));
  return HgStateSetField(h->x, "f", h->which->source, NULL);
}

PetscErrorCode HeatDestroy(Heat *h) {
  PetscCall(HgStateDestroy(&h->x));
  PetscCall(HgProgramDestroy(&h->program));
  return HgMeshDestroy(&h->mesh);
}

PetscErrorCode HeatSensors(const Heat *h, double final_time, int side,
                           HgObservations **observations) {
  const HeatCase *c = h->which;
  const bool two = !side && c->kappa == exercise_kappa;
  if (!side) side = c->sensors;
  const int count = two ? 2 : side * side;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "u", "K", c->times, count, observations));
  for (int k = 0; k < count; k++) {
    (*observations)->x[k] = two ? 0.2 + 0.6 * k : (k % side + 0.5) / side;
    (*observations)->y[k] = two ? 0.2 + 0.6 * k : (k / side + 0.5) / side;
  }
  for (int n = 0; n < c->times; n++) (*observations)->time[n] = final_time * (n + 1) / c->times;
  return 0;
}
