/* SPDX-License-Identifier: BSD-2-Clause */
/* The conservative heat kernel keeps the sum of u exactly: on an unbounded and an insulated domain.
   */
#include "stencils/kernel_harness.h"

/* Integer u and kappa, dyadic dt / h^2: all sums are exact, so what leaves one cell enters the
   next. */
static double change_of_sum(Draw *d, bool insulated) {
  const int nx = d->box.i1, ny = d->box.j1, margin = insulated ? 0 : 1;
  Field *u = &d->x[0];
  for (size_t n = 0; n < field_size(u); n++) {
    u->data[n] = random_int(-999, 999);
    d->x[1].data[n] = random_int(0, 999);
  }
  for (int j = -u->ghost; j < ny + u->ghost; j++)
    for (int i = -u->ghost; i < nx + u->ghost; i++) {
      const int p = i < 0 ? 0 : i >= nx ? nx - 1 : i, q = j < 0 ? 0 : j >= ny ? ny - 1 : j;
      if (!inside(&d->box, 0, i, j)) u->rows[j][i] = insulated ? u->rows[q][p] : 0;
    }
  const HgBox reach = box_grown(d->box, margin);
  run_apply(d, &reach, d->x, d->y);
  double change = 0;
  for (int j = -margin; j < ny + margin; j++)
    for (int i = -margin; i < nx + margin; i++) change += d->y[0].rows[j][i] - u->rows[j][i];
  return change;
}

int main(void) {
  const Subject subject = {&hg_heat_conservative, draw_heat, -1, 1, false};
  for (uint64_t seed = 1; seed <= DRAWS; seed++) {
    harness_state = seed * 17;
    Draw d = draw_new(&subject, 20);
    d.box.dt = 0.03125;
    d.box.dx = ldexp(1, -random_int(0, 3)), d.box.dy = ldexp(1, -random_int(0, 3));
    const double unbounded = change_of_sum(&d, false), insulated = change_of_sum(&d, true);
    draw_free(&d);
    if (unbounded != 0) return failed("sum, unbounded", subject.stencil->name, unbounded, 0, seed);
    if (insulated != 0) return failed("sum, insulated", subject.stencil->name, insulated, 0, seed);
  }
  return 0;
}
