/* kernel_checks.h -- dot product, Taylor and linearity of one draw: each returns the value to
   bound. */
#ifndef KERNEL_CHECKS_H
#define KERNEL_CHECKS_H
#include "kernel_harness.h"

/* |<F'dx, y_bar> - <dx, F'^T y_bar>| / max(|F'dx| |y_bar|, |dx| |F'^T y_bar|) on the unbounded
   domain:
   y_bar is zero outside the box, and the adjoint runs on the box grown by the radius, where it
   collects all that the box owes. Overwrites y_bar outside the box, dy and x_bar. */
static inline double draw_dot_error(Draw *d) {
  const HgBox grown = box_grown(d->box, d->radius);
  long double left = 0, right = 0, dxdx = 0, dydy = 0, barbar = 0, wbar = 0;
  for (int k = 0; k < d->writes; k++) {
    field_fill_outside(&d->y_bar[k], &d->box, 0, 0);
    field_fill(&d->dy[k], 0);
  }
  for (int k = 0; k < d->reads; k++) field_fill(&d->x_bar[k], 0);
  run_tangent(d, &d->box, d->dx, d->dy);
  run_adjoint(d, &grown, ~0u, d->x_bar);
  for (int k = 0; k < d->writes; k++) {
    left += field_dot(&d->dy[k], &d->y_bar[k], &d->box, 0);
    dydy += field_dot(&d->dy[k], &d->dy[k], &d->box, 0);
    wbar += field_dot(&d->y_bar[k], &d->y_bar[k], &d->box, 0);
  }
  for (int k = 0; k < d->reads; k++) {
    right += field_dot(&d->dx[k], &d->x_bar[k], &d->box, d->radius);
    dxdx += field_dot(&d->dx[k], &d->dx[k], &d->box, d->radius);
    barbar += field_dot(&d->x_bar[k], &d->x_bar[k], &d->box, d->radius);
  }
  const long double scale = fmaxl(sqrtl(dydy * wbar), sqrtl(dxdx * barbar));
  return scale > 0 ? (double)(fabsl(left - right) / scale) : 0;
}

/* |F(x + e dx) - F(x) - e F'dx| relative to |F(x)| + |F'dx| */
static inline double remainder_at(Draw *d, double e) {
  Field moved[READS_MAX], y[READS_MAX];
  long double squares = 0, scale = 0;
  for (int k = 0; k < d->reads; k++) {
    moved[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    for (size_t n = 0; n < field_size(&moved[k]); n++)
      moved[k].data[n] = d->x[k].data[n] + e * d->dx[k].data[n];
  }
  for (int k = 0; k < d->writes; k++) y[k] = field_new(d->box.i1, d->box.j1, d->ghost);
  run_apply(d, &d->box, moved, y);
  for (int k = 0; k < d->writes; k++) {
    for (size_t n = 0; n < field_size(&y[k]); n++) {
      const long double r =
          (long double)y[k].data[n] - d->y[k].data[n] - (long double)e * d->dy[k].data[n];
      squares += r * r;
    }
    scale +=
        field_dot(&d->y[k], &d->y[k], &d->box, 0) + field_dot(&d->dy[k], &d->dy[k], &d->box, 0);
    field_free(&y[k]);
  }
  for (int k = 0; k < d->reads; k++) field_free(&moved[k]);
  return squares == 0 ? 0 : (double)sqrtl(squares / scale);
}

/* Halves e from 1/4 on while the remainder is well above rounding: every order seen must be 2. An
   affine F has no remainder at all: INFINITY. A wrong tangent has order 1. */
static inline double taylor_order(Draw *d) {
  double worst = INFINITY;
  run_apply(d, &d->box, d->x, d->y);
  run_tangent(d, &d->box, d->dx, d->dy);
  double before = remainder_at(d, 0.25);
  for (double e = 0.125; e > 1e-4; e /= 2) {
    const double now = remainder_at(d, e);
    if (now < 1e-12) break;
    const double order = log2(before / now);
    if (!(order >= worst)) worst = order;
    before = now;
  }
  return worst;
}

/* |F'(a p + b q) - a F'p - b F'q| relative */
static inline double linearity_error(Draw *d, double a, double b) {
  Field q[READS_MAX], sum[READS_MAX], dq[READS_MAX], dsum[READS_MAX];
  long double squares = 0, scale = 0;
  for (int k = 0; k < d->reads; k++) {
    q[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    sum[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    field_random(&q[k], -1, 1);
    for (size_t n = 0; n < field_size(&q[k]); n++)
      sum[k].data[n] = a * d->dx[k].data[n] + b * q[k].data[n];
  }
  for (int k = 0; k < d->writes; k++) {
    dq[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    dsum[k] = field_new(d->box.i1, d->box.j1, d->ghost);
  }
  run_tangent(d, &d->box, d->dx, d->dy);
  run_tangent(d, &d->box, q, dq);
  run_tangent(d, &d->box, sum, dsum);
  for (int k = 0; k < d->writes; k++) {
    for (size_t n = 0; n < field_size(&dq[k]); n++) {
      const long double p = (long double)a * d->dy[k].data[n], r = (long double)b * dq[k].data[n];
      const long double e = dsum[k].data[n] - p - r;
      squares += e * e;
      scale += p * p + r * r;
    }
    field_free(&dq[k]), field_free(&dsum[k]);
  }
  for (int k = 0; k < d->reads; k++) field_free(&q[k]), field_free(&sum[k]);
  return squares == 0 ? 0 : (double)sqrtl(squares / scale);
}

/* Only read k moves: dx is random there and zero elsewhere. */
static inline void draw_only(Draw *d, int k) {
  for (int l = 0; l < d->reads; l++) {
    if (l == k) field_random(&d->dx[l], -1, 1);
    else field_fill(&d->dx[l], 0);
  }
}

#endif
