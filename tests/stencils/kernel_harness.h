/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_harness.h -- the kernels of the tree with their parameters and ranges; rows with ghosts,
   random fills and random boxes, to run them by hand. */
#ifndef KERNEL_HARNESS_H
#define KERNEL_HARNESS_H
#include "draws.h"
#include <halograd/heat.h>
#include <halograd/heat_conservative_generated.h>
#include <halograd/heat_generated.h>
#include <halograd/integrator.h>
#include <halograd/kernel.h>
#include <halograd/shallow_diagnostics_generated.h>
#include <halograd/shallow_dynamics_generated.h>
#include <halograd/shallow_friction_generated.h>
#include <halograd/shallow_reference_generated.h>
#include <halograd/shallow_surface_generated.h>
#include <halograd/shallow_water.h>
#include <math.h>
#include <shallow_published.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tracer.h>
#include <tsunami.h>
#include <tsunami_nonlinear.h>

enum { READS_MAX = 16, DRAWS = DRAWS_OF(25) };

static uint64_t harness_state = 1;

static inline uint64_t random_bits(void) { /* splitmix64 */
  uint64_t z = (harness_state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static inline double random_between(double low, double high) {
  return low + (high - low) * ((double)(random_bits() >> 11) * 0x1p-53);
}

static inline int random_int(int low, int high) { /* both ends included */
  return low + (int)(random_bits() % (uint64_t)(high - low + 1));
}

/* A kernel under test: how to draw its parameters and its reads. */
typedef struct {
  const HgStencil *stencil;
  void (*draw)(double params[8]);
  double low, high; /* range of the reads' values */
  bool staggered;   /* some variables live on faces: a mirrored cell has other faces */
} Subject;

static inline void draw_heat(double params[8]) {
  const HgHeatParams p = {random_between(0, 3)};
  memcpy(params, &p, sizeof p);
}

static inline void draw_nothing(double params[8]) { (void)params; }

static inline void draw_shallow_water(double params[8]) {
  const HgShallowWaterParams p = {{random_between(0, 0.2)}, random_between(1, 10)};
  memcpy(params, &p, sizeof p);
}

static inline void draw_tsunami(double params[8]) {
  const TsunamiParams p = {random_between(1, 10), random_between(0.2, 1)};
  memcpy(params, &p, sizeof p);
}

static inline void draw_scheme(double params[8]) {
  const HgAdamsBashforth p = {random_between(0, 0.2)};
  memcpy(params, &p, sizeof p);
}

static const HgStencil euler = HG_EULER("x", "r"), ab2 = HG_AB2("x", "r", "old");

static const Subject subjects[] = {
    {&euler, draw_nothing, -1, 1, false},
    {&ab2, draw_scheme, -1, 1, false},
    {&hg_heat_tendency, draw_nothing, -1, 1, false},
    {&hg_heat, draw_heat, -1, 1, false},
    {&hg_heat_forced, draw_heat, -1, 1, false},
    {&hg_heat_conservative, draw_heat, -1, 1, false},
    {&hg_heat_conservative_forced, draw_heat, -1, 1, false},
    {&tracer, draw_nothing, -1, 1, false},
    {&hg_shallow_diagnostics, draw_shallow_water, 4, 8, true},
    {&hg_shallow_dynamics, draw_shallow_water, -1, 1, true},
    {&hg_shallow_friction, draw_shallow_water, -1, 1, true},
    {&shallow_published_friction_u, draw_shallow_water, -1, 1, true},
    {&shallow_published_friction_v, draw_shallow_water, -1, 1, true},
    {&hg_shallow_surface, draw_shallow_water, -1, 1, true},
    {&hg_heat_tendency_generated, draw_nothing, -1, 1, false},
    {&hg_heat_generated, draw_heat, -1, 1, false},
    {&hg_heat_forced_generated, draw_heat, -1, 1, false},
    {&hg_heat_conservative_generated, draw_heat, -1, 1, false},
    {&hg_heat_conservative_forced_generated, draw_heat, -1, 1, false},
    {&hg_shallow_diagnostics_generated, draw_shallow_water, 4, 8, true},
    {&hg_shallow_dynamics_generated, draw_shallow_water, -1, 1, true},
    {&hg_shallow_vorticity, draw_shallow_water, 4, 8, true},
    {&hg_shallow_energy, draw_shallow_water, -1, 1, true},
    {&hg_shallow_fluxes, draw_shallow_water, -1, 1, true},
    {&hg_shallow_acceleration, draw_shallow_water, -1, 1, true},
    {&hg_shallow_convergence, draw_shallow_water, -1, 1, true},
    {&hg_shallow_friction_generated, draw_shallow_water, -1, 1, true},
    {&hg_shallow_surface_generated, draw_shallow_water, -1, 1, true},
    {&tsunami_east, draw_tsunami, -1, 1, true},
    {&tsunami_north, draw_tsunami, -1, 1, true},
    {&tsunami_surface, draw_tsunami, -1, 1, true},
    {&tsunami_momentum, draw_tsunami, 4, 8, true},
    {&tsunami_mass, draw_tsunami, 4, 8, true},
};

enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* A field of nx x ny cells with `ghost` more all round; rows[j][i] from -ghost on. */
typedef struct {
  int nx, ny, ghost;
  HgReal *data, **first, **rows;
} Field;

static inline Field field_new(int nx, int ny, int ghost) {
  const int width = nx + 2 * ghost, height = ny + 2 * ghost;
  Field f = {nx,
             ny,
             ghost,
             calloc((size_t)width * height, sizeof(double)),
             malloc(height * sizeof(HgReal *)),
             NULL};
  for (int j = 0; j < height; j++) f.first[j] = f.data + (size_t)j * width + ghost;
  f.rows = f.first + ghost;
  return f;
}

static inline void field_free(Field *f) {
  free(f->data);
  free(f->first);
  *f = (Field){0};
}

static inline size_t field_size(const Field *f) {
  return (size_t)(f->nx + 2 * f->ghost) * (f->ny + 2 * f->ghost);
}

static inline void field_random(Field *f, double low, double high) {
  for (size_t k = 0; k < field_size(f); k++) f->data[k] = random_between(low, high);
}

static inline void field_fill(const Field *f, double value) {
  for (size_t k = 0; k < field_size(f); k++) f->data[k] = value;
}

static inline bool inside(const HgBox *b, int margin, int i, int j) {
  return i >= b->i0 - margin && i < b->i1 + margin && j >= b->j0 - margin && j < b->j1 + margin;
}

static inline HgBox box_grown(HgBox b, int by) {
  b.i0 -= by, b.j0 -= by, b.i1 += by, b.j1 += by;
  return b;
}

/* One random draw: a kernel, its parameters, a box of cells on a patch of just that size, and as
   many fields as the kernel has reads and writes: x, y. */
typedef struct {
  const HgStencil *stencil;
  int reads, writes, radius, ghost;
  double params[8];
  HgBox box;
  Field x[READS_MAX], y[READS_MAX];
} Draw;

static inline int stencil_reads(const HgStencil *s) {
  int n = 0;
  while (s->reads[n].name) n++;
  return n;
}

static inline int stencil_writes(const HgStencil *s) {
  int n = 0;
  while (s->writes[n]) n++;
  return n;
}

/* Rows of a sphere for global rows -24 to 87: a box has at most 40 from 9 on. */
static inline const HgLatitude *draw_sphere(void) {
  static HgLatitude rows[112];
  for (int j = 0; j < 112; j++) {
    const double at = random_between(0.2, 1.2), north = random_between(0.2, 1.2);
    rows[j] = (HgLatitude){cos(at), sin(at), cos(north), sin(north)};
  }
  return rows + 24;
}

/* Everything random but y, which is zero. Sizes from 1 x 1 to largest x largest. */
static inline Draw draw_new(const Subject *subject, int largest) {
  const HgStencil *s = subject->stencil;
  Draw d = {.stencil = s, .reads = stencil_reads(s), .writes = stencil_writes(s)};
  int deepest = 0;
  for (int k = 0; k < d.reads; k++) {
    if (s->reads[k].radius > d.radius) d.radius = s->reads[k].radius;
    if (s->reads[k].adjoint_radius > deepest) deepest = s->reads[k].adjoint_radius;
  }
  if (d.radius > deepest) deepest = d.radius;
  d.ghost = d.radius + deepest + 1; /* 1: wrong kernels reach further */
  subject->draw(d.params);
  const int nx = random_int(1, largest), ny = random_int(1, largest);
  d.box = (HgBox){.i1 = nx,
                  .j1 = ny,
                  .i_global = random_int(0, 9),
                  .j_global = random_int(0, 9),
                  .dx = random_between(0.3, 3),
                  .dy = random_between(0.3, 3),
                  .dt = random_between(1e-2, 0.5),
                  .t = random_between(0, 2),
                  .step = random_int(0, 99)};
  /* often the box ends where the domain ends, and often it is the first step */
  d.box.nx_global = nx + (d.box.i_global % 2 ? d.box.i_global : 20);
  d.box.ny_global = ny + (d.box.j_global % 2 ? d.box.j_global : 20);
  if (d.box.step % 4 == 0) d.box.step = 0;
  if (s->spherical) d.box.latitude = draw_sphere();
  for (int k = 0; k < d.reads; k++) {
    d.x[k] = field_new(nx, ny, d.ghost);
    field_random(&d.x[k], subject->low, subject->high);
  }
  for (int k = 0; k < d.writes; k++) d.y[k] = field_new(nx, ny, d.ghost);
  return d;
}

static inline void draw_free(Draw *d) {
  for (int k = 0; k < d->reads; k++) field_free(&d->x[k]);
  for (int k = 0; k < d->writes; k++) field_free(&d->y[k]);
}

static inline void rows_of(int count, const Field f[], HgRows rows[]) {
  for (int k = 0; k < count; k++) rows[k] = (HgRows)f[k].rows;
}

static inline void rows_out(int count, const Field f[], HgRowsOut rows[]) {
  for (int k = 0; k < count; k++) rows[k] = f[k].rows;
}

static inline void run_apply(const Draw *d, const HgBox *b, const Field x[], const Field y[]) {
  HgRows in[READS_MAX];
  HgRowsOut out[READS_MAX];
  rows_of(d->reads, x, in);
  rows_out(d->writes, y, out);
  d->stencil->apply(b, d->params, in, out);
}

/* Prints claim, value, bound, seed; returns the exit status of a failed test. */
static inline int failed(const char *claim, const char *kernel, double value, double bound,
                         uint64_t seed) {
  fprintf(stderr, "%s: %s: value %.3g, bound %.3g, seed %llu, rank 0\n", kernel, claim, value,
          bound, (unsigned long long)seed);
  return 1;
}

#endif
