/* kernel_box_checks.h -- how many cells depend on the cut, lie outside, or are read beyond radius.
   */
#ifndef KERNEL_BOX_CHECKS_H
#define KERNEL_BOX_CHECKS_H
#include "kernel_harness.h"

typedef struct {
  Field y[READS_MAX], dy[READS_MAX], x_bar[READS_MAX];
} Outputs;

static const double canary = 0x1.badcafep+77;

static inline Outputs outputs_new(const Draw *d, uint64_t seed) {
  Outputs o;
  harness_state = seed; /* what x_bar holds before is the same for all */
  for (int k = 0; k < d->writes; k++) {
    o.y[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    o.dy[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    field_fill(&o.y[k], canary), field_fill(&o.dy[k], canary);
  }
  for (int k = 0; k < d->reads; k++) {
    o.x_bar[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    field_random(&o.x_bar[k], -1, 1);
  }
  return o;
}

static inline void outputs_free(const Draw *d, Outputs *o) {
  for (int k = 0; k < d->writes; k++) field_free(&o->y[k]), field_free(&o->dy[k]);
  for (int k = 0; k < d->reads; k++) field_free(&o->x_bar[k]);
}

static inline void run_on(const Draw *d, const HgBox *b, const Outputs *o) {
  run_apply(d, b, d->x, o->y);
  run_tangent(d, b, d->dx, o->dy);
  run_adjoint(d, b, ~0u, o->x_bar);
}

/* Cuts the box at random, down to single cells now and then, and runs the parts in random order. */
static inline void run_in_parts(const Draw *d, HgBox b, const Outputs *o) {
  const int nx = b.i1 - b.i0, ny = b.j1 - b.j0;
  if ((nx == 1 && ny == 1) || random_int(0, 4) == 0) {
    run_on(d, &b, o);
    return;
  }
  HgBox first = b, second = b;
  if (ny == 1 || (nx > 1 && random_int(0, 1))) first.i1 = second.i0 = b.i0 + random_int(1, nx - 1);
  else first.j1 = second.j0 = b.j0 + random_int(1, ny - 1);
  const bool swap = random_int(0, 1);
  run_in_parts(d, swap ? second : first, o);
  run_in_parts(d, swap ? first : second, o);
}

static inline int differing(int count, const Field a[], const Field b[]) {
  int cells = 0;
  for (int k = 0; k < count; k++)
    for (size_t n = 0; n < field_size(&a[k]); n++) cells += !same_bits(a[k].data[n], b[k].data[n]);
  return cells;
}

/* Outside the box `a` holds what `untouched` holds, bit for bit. */
static inline int touched(const HgBox *box, int count, const Field a[], const Field untouched[]) {
  int cells = 0;
  for (int k = 0; k < count; k++)
    for (int j = -a[k].ghost; j < a[k].ny + a[k].ghost; j++)
      for (int i = -a[k].ghost; i < a[k].nx + a[k].ghost; i++)
        cells += !inside(box, 0, i, j) && !same_bits(a[k].rows[j][i], untouched[k].rows[j][i]);
  return cells;
}

static inline int unwritten(const HgBox *box, int count, const Field a[]) {
  int cells = 0;
  for (int k = 0; k < count; k++)
    for (int j = box->j0; j < box->j1; j++)
      for (int i = box->i0; i < box->i1; i++) cells += same_bits(a[k].rows[j][i], canary);
  return cells;
}

/* What lies beyond the declared radii becomes NaN: bits must not change. */
static inline int beyond_radius(Draw *d, const Outputs *whole, uint64_t seed) {
  Outputs o = outputs_new(d, seed);
  Field x[READS_MAX];
  int cells = 0;
  for (int k = 0; k < d->reads; k++) {
    x[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    field_copy(&d->x[k], &x[k]);
    field_fill_outside(&d->x[k], &d->box, d->stencil->reads[k].radius, NAN);
    field_fill_outside(&d->dx[k], &d->box, d->stencil->reads[k].radius, NAN);
  }
  run_apply(d, &d->box, d->x, o.y);
  run_tangent(d, &d->box, d->dx, o.dy);
  for (int k = 0; k < d->reads; k++) {
    field_copy(&x[k], &d->x[k]);
    field_fill_outside(&d->x[k], &d->box, d->stencil->reads[k].adjoint_radius, NAN);
  }
  for (int k = 0; k < d->writes; k++) field_fill_outside(&d->y_bar[k], &d->box, d->radius, NAN);
  run_adjoint(d, &d->box, ~0u, o.x_bar);
  cells += differing(d->writes, o.y, whole->y) + differing(d->writes, o.dy, whole->dy) +
           differing(d->reads, o.x_bar, whole->x_bar);
  for (int k = 0; k < d->reads; k++) field_free(&x[k]);
  outputs_free(d, &o);
  return cells;
}

/* Numbers of offending cells: all 0 for a kernel that keeps the contract. */
typedef struct {
  int y_cut, dy_cut, x_bar_cut; /* that depend on how the box is cut */
  int outside, unwritten;       /* written though outside the box; of the box, but not written */
  int beyond;                   /* that depend on values beyond the declared radii */
} BoxReport;

static inline BoxReport draw_box_report(Draw *d, uint64_t seed) {
  Outputs before = outputs_new(d, seed), whole = outputs_new(d, seed), parts = outputs_new(d, seed);
  run_on(d, &d->box, &whole);
  run_in_parts(d, d->box, &parts);
  const BoxReport report = {
      .y_cut = differing(d->writes, parts.y, whole.y),
      .dy_cut = differing(d->writes, parts.dy, whole.dy),
      .x_bar_cut = differing(d->reads, parts.x_bar, whole.x_bar),
      .outside = touched(&d->box, d->writes, whole.y, before.y) +
                 touched(&d->box, d->writes, whole.dy, before.dy) +
                 touched(&d->box, d->reads, whole.x_bar, before.x_bar),
      .unwritten = unwritten(&d->box, d->writes, whole.y) + unwritten(&d->box, d->writes, whole.dy),
      .beyond = beyond_radius(d, &whole, seed),
  };
  outputs_free(d, &before), outputs_free(d, &whole), outputs_free(d, &parts);
  return report;
}

#endif
