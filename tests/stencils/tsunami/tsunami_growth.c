/* SPDX-License-Identifier: BSD-2-Clause */
/* At the largest stable step no plane wave over still water grows, in the linear tsunami and in the
   nonlinear one, and 2 % beyond it one does. Over currents and on a planet that turns nonlinear
   waves, Euler steps of both, grow, but no faster than tsunami_nonlinear.stencil says. */
#include "stencils/kernel_harness.h"
#include <complex.h>

enum { ETA, U, V, STATE, WIDTH = 5, WAVES = SANITIZED ? 3 : 8, CURRENTS = DRAWS_OF(20) };

/* Water of one depth that moves alike everywhere, a box of one cell, and the phases of a wave from
   cell to cell. */
typedef struct {
  const HgStencil *const *stencils;
  TsunamiParams params;
  HgBox box;
  double depth, u, v;
  double complex east, north;
} Flow;

static HgLatitude latitudes[WIDTH];

static double at_rest(const Flow *f, const char *name) {
  if (!strcmp(name, "u")) return f->u;
  if (!strcmp(name, "v")) return f->v;
  if (!strcmp(name, "eta")) return 0;
  return name[0] == 'h' ? f->depth : 1;
}

/* -1: a constant */
static int variable(const char *name) {
  return !strcmp(name, "eta") ? ETA : !strcmp(name, "u") ? U : !strcmp(name, "v") ? V : -1;
}

/* amplitude of what a stencil writes <- that of the tangent of the wave amplitude[k] east^i north^j
   */
static void moved(const Flow *f, const HgStencil *s, double complex amplitude[STATE]) {
  Field x[READS_MAX], dx[READS_MAX], dy[READS_MAX];
  HgRows in[READS_MAX], din[READS_MAX];
  HgRowsOut out[READS_MAX];
  const int reads = stencil_reads(s), writes = stencil_writes(s);
  double complex next[STATE] = {0};
  for (int k = 0; k < reads; k++) {
    x[k] = field_new(1, 1, 2), dx[k] = field_new(1, 1, 2);
    field_fill(&x[k], at_rest(f, s->reads[k].name));
  }
  for (int k = 0; k < writes; k++) dy[k] = field_new(1, 1, 2);
  for (int part = 0; part < 2; part++) {
    for (int k = 0; k < reads; k++)
      for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
          const int which = variable(s->reads[k].name);
          const double complex wave =
              which < 0 ? 0 : amplitude[which] * cpow(f->east, i) * cpow(f->north, j);
          dx[k].rows[j][i] = part ? cimag(wave) : creal(wave);
        }
    rows_of(reads, x, in), rows_of(reads, dx, din), rows_out(writes, dy, out);
    s->tangent(&f->box, &f->params, in, din, out);
    for (int k = 0; k < writes; k++)
      next[variable(s->writes[k])] += (part ? I : 1) * dy[k].rows[0][0];
  }
  for (int k = 0; k < writes; k++) amplitude[variable(s->writes[k])] = next[variable(s->writes[k])];
  for (int k = 0; k < reads; k++) field_free(&x[k]), field_free(&dx[k]);
  for (int k = 0; k < writes; k++) field_free(&dy[k]);
}

/* The largest |root| of x^3 + c[2] x^2 + c[1] x + c[0], all three at once (Durand and Kerner). */
static double largest_root(const double complex c[STATE]) {
  double complex root[STATE] = {1, 0.4 + 0.9 * I, -0.65 + 0.72 * I};
  double largest = 0;
  for (int round = 0; round < 200; round++)
    for (int k = 0; k < STATE; k++) {
      const double complex x = root[k], a = root[(k + 1) % STATE], b = root[(k + 2) % STATE];
      const double complex apart = (x - a) * (x - b);
      if (cabs(apart) > 1e-300) root[k] = x - (((x + c[2]) * x + c[1]) * x + c[0]) / apart;
    }
  for (int k = 0; k < STATE; k++) largest = fmax(largest, cabs(root[k]));
  return largest;
}

/* The largest |eigenvalue| of a step. */
static double radius(const Flow *f) {
  double complex a[STATE][STATE], minors = 0, trace = 0, det = 0;
  for (int k = 0; k < STATE; k++) {
    double complex column[STATE] = {0};
    column[k] = 1;
    for (int s = 0; f->stencils[s]; s++) moved(f, f->stencils[s], column);
    for (int l = 0; l < STATE; l++) a[l][k] = column[l];
  }
  for (int k = 0; k < STATE; k++) {
    const int l = (k + 1) % STATE, m = (k + 2) % STATE;
    trace += a[k][k];
    minors += a[k][k] * a[l][l] - a[k][l] * a[l][k];
    det += a[0][k] * (a[1][l] * a[2][m] - a[1][m] * a[2][l]);
  }
  return largest_root((const double complex[STATE]){-det, minors, -trace});
}

static double largest_step(const Flow *f, const HgPhysics *physics) {
  HgRange range[8] = {{0, 0}};
  for (int k = 6; k < 8; k++) range[k] = (HgRange){f->depth, f->depth}; /* h, or h_u and h_v */
  return physics->largest_step(&f->params, f->box.dx, f->box.dy, f->box.dz, range);
}

static double largest_growth(Flow *f) {
  double worst = 0;
  for (int m = 0; m <= WAVES; m++)
    for (int n = -WAVES; n <= WAVES; n++) {
      f->east = cexp(I * (m * acos(-1) / WAVES)), f->north = cexp(I * (n * acos(-1) / WAVES));
      worst = fmax(worst, radius(f));
    }
  return worst;
}

/* Still or not, of random depth, cells, currents and rotation, and a step of `part` of the largest
   one. */
static Flow flow(const HgPhysics *physics, bool still, double part) {
  Flow f = {.stencils = physics->stencils,
            .params = {9.81, still ? 0 : random_between(-1.4e-4, 1.4e-4) / 2},
            .depth = pow(10, random_between(1.5, 3.8))};
  const double speed = still ? 0 : pow(10, random_between(-2, 0.7));
  f.u = random_between(-speed, speed), f.v = random_between(-speed, speed);
  f.box = (HgBox){.i1 = 1,
                  .j1 = 1,
                  .j_global = WIDTH / 2,
                  .nx_global = WIDTH,
                  .ny_global = WIDTH,
                  .dx = random_between(3e3, 1e4),
                  .dy = random_between(3e3, 1e4),
                  .latitude = latitudes};
  f.box.dt = part * largest_step(&f, physics);
  return f;
}

static int still_water(const HgPhysics *physics, uint64_t seed) {
  for (int beyond = 0; beyond < 2; beyond++) {
    harness_state = seed * 71;
    Flow f = flow(physics, true, beyond ? 1.02 : 1);
    const double growth = largest_growth(&f);
    /* at the limit -1 is a double eigenvalue, which rounding moves by its root */
    if (!beyond && !(growth <= 1 + 1e-6))
      return failed("growth at the limit", physics->name, growth - 1, 1e-6, seed);
    if (beyond && !(growth > 1.01))
      return failed("growth beyond it", physics->name, growth, 1.01, seed);
  }
  return 0;
}

static int currents(uint64_t seed) {
  harness_state = seed * 1013;
  Flow f = flow(&tsunami_nonlinear_physics, false, random_between(0.05, 0.9));
  const double r = f.box.dt / largest_step(&f, &tsunami_nonlinear_physics),
               drift = fabs(f.u) / f.box.dx + fabs(f.v) / f.box.dy,
               turn = 2 * fabs(f.params.rotation), both = drift + turn,
               bound = drift * r / sqrt(1 - r * r) + both * both * f.box.dt / 2,
               rate = log(largest_growth(&f)) / f.box.dt;
  return rate <= bound ? 0 : failed("growth a second", "nonlinear", rate, bound, seed);
}

int main(void) {
  int status = 0;
  for (int j = 0; j < WIDTH; j++) latitudes[j] = (HgLatitude){1, 1, 1, 1};
  for (uint64_t seed = 1; seed <= 4 && !status; seed++) {
    status = still_water(&tsunami_physics, seed);
    if (!status) status = still_water(&tsunami_nonlinear_physics, seed);
  }
  for (uint64_t seed = 1; seed <= CURRENTS && !status; seed++) status = currents(seed);
  return status;
}
