/* SPDX-License-Identifier: BSD-2-Clause */
/* Both heat kernels are exact, to the last bit, on quadratic u (conservative: and linear kappa). */
#include "stencils/kernel_harness.h"

/* Small integers over dyadic spacings: no operation of the kernel rounds, so == is the right bound.
   */
typedef struct {
  double c, x, y, xx, xy, yy;
} Quadratic;

static double value(const Quadratic *q, double x, double y) {
  return q->c + q->x * x + q->y * y + q->xx * x * x + q->xy * x * y + q->yy * y * y;
}

static Quadratic random_quadratic(bool linear) {
  Quadratic q = {random_int(-9, 9), random_int(-9, 9), random_int(-9, 9), 0, 0, 0};
  if (!linear) q.xx = random_int(-9, 9), q.xy = random_int(-9, 9), q.yy = random_int(-9, 9);
  return q;
}

static void fill(Field *f, const HgBox *b, const Quadratic *q) {
  for (int j = -f->ghost; j < f->ny + f->ghost; j++)
    for (int i = -f->ghost; i < f->nx + f->ghost; i++)
      f->rows[j][i] = value(q, i * b->dx, j * b->dy);
}

int main(void) {
  for (uint64_t seed = 1; seed <= DRAWS; seed++)
    for (int s = 0; s < SUBJECTS; s++) {
      const HgStencil *stencil = subjects[s].stencil;
      const bool conservative =
          stencil == &hg_heat_conservative || stencil == &hg_heat_conservative_forced;
      if (!conservative && stencil != &hg_heat && stencil != &hg_heat_forced) continue;
      harness_state = seed * 31;
      Draw d = draw_new(&subjects[s], 12);
      const HgHeatParams steady = {0};
      memcpy(d.params, &steady, sizeof steady);
      d.box.dt = 0.125;
      d.box.dx = ldexp(1, -random_int(0, 3)), d.box.dy = ldexp(1, -random_int(0, 3));
      Quadratic q[3] = {random_quadratic(false), random_quadratic(true), random_quadratic(true)};
      for (int k = 0; k < d.reads; k++) fill(&d.x[k], &d.box, &q[k]);
      run_apply(&d, &d.box, d.x, d.y);
      for (int j = 0; j < d.box.j1; j++)
        for (int i = 0; i < d.box.i1; i++) {
          const double x = i * d.box.dx, y = j * d.box.dy;
          double rate = value(&q[1], x, y) * (2 * q[0].xx + 2 * q[0].yy);
          if (conservative)
            rate += q[1].x * (q[0].x + 2 * q[0].xx * x + q[0].xy * y) +
                    q[1].y * (q[0].y + q[0].xy * x + 2 * q[0].yy * y);
          if (d.reads == 3) rate += value(&q[2], x, y);
          const double error = d.y[0].rows[j][i] - (value(&q[0], x, y) + d.box.dt * rate);
          if (error != 0) return failed("exact on polynomials", stencil->name, error, 0, seed);
        }
      draw_free(&d);
    }
  return 0;
}
