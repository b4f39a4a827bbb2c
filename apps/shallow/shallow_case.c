/* SPDX-License-Identifier: BSD-2-Clause */
#include "shallow_case.h"
#include "shallow_published.h"
#include <math.h>

static const double gravity = 9.81, spacing = 5000, day = 86400;
static const double coriolis_south = 2e-4,
                    coriolis_slope = 2e-11; /* f = .. + .. y [1/s, 1/(m s)] */

PetscErrorCode ShallowOptions(HgRun run, HgCommon *c, ShallowCase *s) {
  *s = (ShallowCase){.depth = 100};
  PetscCall(HgOptionsGroup(HgRunOptions(run), "Shallow water"));
  PetscCall(HgOptionsReal(HgRunOptions(run), "-depth", "mean depth of the water", "m", "(0, inf)",
                          &s->depth));
  PetscCall(HgOptionsFlag(HgRunOptions(run), "-published",
                          "friction as in the published program, which uses u in place of v",
                          &s->published));
  PetscCall(HgOptionsFlag(HgRunOptions(run), "-benchmark",
                          "3600 x 1800 cells, 501 steps, no results on the way", &s->benchmark));
  if (s->benchmark) c->nx = 3600, c->ny = 1800;
  return 0;
}

static double largest_step(const ShallowCase *s) {
  return HgShallowWaterLargestStep(gravity, 0.1, s->depth, 10, spacing, spacing);
}

double ShallowTimeStep(const ShallowCase *s) {
  return fmin(0.125 * spacing / sqrt(gravity * s->depth), largest_step(s));
}

/* dt and steps, unless given. */
static PetscErrorCode choose_steps(HgRun run, HgCommon *c, const ShallowCase *s) {
  if (!c->dt) c->dt = ShallowTimeStep(s);
  const double tens = ceil((10 * day / c->dt - 1) / 10);
  if (!c->steps) c->steps = s->benchmark ? 501 : 1 + 10 * (long)fmin(tens, 1e8);
  return HgRunTimeStep(run, 0, largest_step(s), c);
}

static double coriolis(double x, double y, void *context) {
  (void)x, (void)context;
  return coriolis_south + coriolis_slope * y;
}

static double jet(const HgMeshSpec *m, double y) {
  const double middle = 0.5 * (m->ny - 1) * m->dy, width = 0.02 * (m->nx - 1) * m->dx;
  return 10 * exp(-(y - middle) * (y - middle) / (width * width));
}

/* The surface that balances the jet, S_j = sum_(k <= j) -dy u_k f_k / g from the southern ghost row
   on, less its mean over all rows; balance[j + 1] belongs to row j. The same on every rank. */
static void balance_jet(const HgMeshSpec *m, double balance[]) {
  double sum = 0, mean = 0;
  for (int j = -1; j <= m->ny; j++) {
    const double y = j * m->dy;
    sum -= m->dy * jet(m, y) * coriolis(0, y, NULL) / gravity;
    balance[j + 1] = sum;
    mean += sum / (m->ny + 2);
  }
  for (int j = 0; j < m->ny + 2; j++) balance[j] -= mean;
}

static PetscErrorCode set_initial(ShallowCase *s) {
  const HgMeshSpec *m = HgMeshGetSpec(s->mesh);
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  HgReal *const *h = HgStateRows(s->x, HgStateFind(s->x, "h"));
  HgReal *const *u = HgStateRows(s->x, HgStateFind(s->x, "u"));
  double *balance;
  PetscCall(PetscMalloc1(m->ny + 2, &balance));
  balance_jet(m, balance);
  s->swing = 0;
  for (int j = 0; j < m->ny + 2; j++) s->swing = fmax(s->swing, fabs(balance[j]));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int column = p->i_global + i, row = p->j_global + j;
      const double x = column * m->dx, y = row * m->dy;
      const double x_turns = 10 * PETSC_PI * x / ((m->nx - 1) * m->dx),
                   y_turns = 8 * PETSC_PI * y / ((m->ny - 1) * m->dy);
      h[j][i] = s->depth + balance[row + 1] + 0.2 * sin(x_turns) * cos(y_turns);
      u[j][i] = jet(m, y);
    }
  PetscCall(PetscFree(balance));
  PetscCall(HgStateSetField(s->x, "f", coriolis, NULL));
  return HgStateSetConstant(s->x, "nu", 1e-3 * coriolis_south * spacing * spacing);
}

PetscErrorCode ShallowCreate(int nx, int ny, int px, int py, double dt, ShallowCase *s) {
  HgRequire(PETSC_COMM_WORLD, nx >= 2 && ny >= 2, HG_ERR_OPTION_RANGE,
            "options -nx %d -ny %d: the jet needs at least 2 x 2 cells", nx, ny);
  const HgMeshSpec spec = {
      .nx = nx, .ny = ny, .px = px, .py = py, .dx = spacing, .dy = spacing, .periodic_x = true};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &s->mesh));
  s->params = (HgShallowWaterParams){.gravity = gravity, .scheme.epsilon = 0.1};
  if (!s->physics)
    s->physics = s->published ? &shallow_published_physics : &hg_shallow_water_physics;
  PetscCall(HgProgramCreatePhysics(s->mesh, s->physics, &s->params, dt, &s->program));
  PetscCall(ShallowPublishedWalls(s->program));
  PetscCall(HgProgramSetUp(s->program));
  PetscCall(HgProgramCreateInput(s->program, &s->x));
  return set_initial(s);
}

PetscErrorCode ShallowCreateFromOptions(HgRun run, HgCommon *c, ShallowCase *s) {
  PetscCall(choose_steps(run, c, s));
  PetscCall(ShallowCreate(c->nx, c->ny, c->px, c->py, c->dt, s));
  return HgReportSetMesh(HgRunReport(run), s->mesh);
}

PetscErrorCode ShallowDestroy(ShallowCase *s) {
  PetscCall(HgStateDestroy(&s->x));
  PetscCall(HgProgramDestroy(&s->program));
  return HgMeshDestroy(&s->mesh);
}

PetscErrorCode ShallowMeasure(const ShallowCase *s, HgState q, ShallowNumbers *numbers) {
  const HgMeshSpec *m = HgMeshGetSpec(s->mesh);
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  HgReal *const *h = HgStateRows(q, HgStateFind(q, "h")),
                *const *u = HgStateRows(q, HgStateFind(q, "u")),
                *const *v = HgStateRows(q, HgStateFind(q, "v"));
  const double cells = (double)m->nx * m->ny;
  const size_t width = (size_t)p->nx;
  HgSum sums[5];
  double total[5], *anomaly;
  PetscCall(PetscMalloc1(width, &anomaly));
  for (int k = 0; k < 5; k++) HgSumReset(&sums[k]);
  for (int j = 0; j < p->ny; j++) {
    for (int i = 0; i < p->nx; i++) anomaly[i] = h[j][i] - s->depth;
    HgSumAdd(&sums[0], width, h[j]);
    HgSumAddProducts(&sums[1], width, anomaly, anomaly);
    HgSumAdd(&sums[2], width, u[j]);
    HgSumAddProducts(&sums[3], width, u[j], u[j]);
    HgSumAddProducts(&sums[4], width, v[j], v[j]);
  }
  PetscCall(PetscFree(anomaly));
  PetscCall(HgSumReduce(HgMeshComm(s->mesh), 5, sums, total));
  *numbers = (ShallowNumbers){total[0] / cells, sqrt(total[1] / cells), total[2] / cells,
                              sqrt(total[3] / cells), sqrt(total[4] / cells)};
  return 0;
}
