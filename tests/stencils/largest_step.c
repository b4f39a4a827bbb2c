/* SPDX-License-Identifier: BSD-2-Clause */
/* At the largest stable step no plane wave grows, and 2 % beyond it one does. */
#include "kernel_harness.h"

/* max over waves exp(i (theta i + phi j)) of |G|, G the factor that one step multiplies the wave
   by:
   the kernel's value at cell (0,0) of the cosine and of the sine are its real and imaginary part.
   */
static double largest_growth(Draw *d) {
  double worst = 0;
  for (int m = 0; m <= 96; m++)
    for (int n = -96; n <= 96; n++) {
      double part[2];
      for (int s = 0; s < 2; s++) {
        for (int j = -1; j <= 1; j++)
          for (int i = -1; i <= 1; i++) {
            const double phase = (m * i + n * j) * acos(-1) / 96;
            d->x[0].rows[j][i] = s == 0 ? cos(phase) : sin(phase);
          }
        run_apply(d, &d->box, d->x, d->y);
        part[s] = d->y[0].rows[0][0];
      }
      worst = fmax(worst, hypot(part[0], part[1]));
    }
  return worst;
}

static double limit(const Draw *d) {
  const HgPhysics *physics = d->stencil == &tracer ? &tracer_physics : &hg_heat_physics;
  HgRange range[4];
  for (int k = 0; k < d->reads; k++) range[k] = (HgRange){d->x[k].rows[0][0], d->x[k].rows[0][0]};
  return physics->largest_step(NULL, d->box.dx, d->box.dy, d->box.dz, range);
}

int main(void) {
  static const HgStencil *const unforced[] = {&hg_heat, &hg_heat_conservative, &tracer};
  for (int s = 0; s < 3; s++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      const Subject subject = {unforced[s], draw_heat, -1, 1, false};
      harness_state = seed * 71;
      Draw d = draw_new(&subject, 1);
      for (int k = 1; k < d.reads; k++) {
        const bool velocity = d.reads == 4 && k < 3;
        field_fill(&d.x[k], velocity ? random_between(-4, 4) : random_between(0.1, 5));
      }
      const double dt = limit(&d);
      d.box.dt = dt;
      const double at = largest_growth(&d);
      d.box.dt = 1.02 * dt;
      const double beyond = largest_growth(&d);
      draw_free(&d);
      if (!(at <= 1 + 1e-12))
        return failed("growth at the limit", unforced[s]->name, at, 1 + 1e-12, seed);
      if (!(beyond > 1 + 1e-9))
        return failed("growth beyond it", unforced[s]->name, beyond, 1 + 1e-9, seed);
    }
  return 0;
}
