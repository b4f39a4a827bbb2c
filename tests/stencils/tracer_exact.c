/* SPDX-License-Identifier: BSD-2-Clause */
/* Advection-diffusion is exact, to the last bit, on quadratic c with any velocity and diffusivity.
   */
#include "kernel_harness.h"

int main(void) {
  for (uint64_t seed = 1; seed <= DRAWS; seed++) {
    const Subject subject = {&tracer, draw_nothing, -1, 1, false};
    harness_state = seed * 13;
    Draw d = draw_new(&subject, 12);
    d.box.dt = 0.125;
    const double dx = d.box.dx = ldexp(1, -random_int(0, 3));
    const double dy = d.box.dy = ldexp(1, -random_int(0, 3));
    double q[6];
    for (int k = 0; k < 6; k++) q[k] = random_int(-9, 9);
    for (int j = -d.ghost; j < d.box.j1 + d.ghost; j++)
      for (int i = -d.ghost; i < d.box.i1 + d.ghost; i++) {
        const double x = i * dx, y = j * dy;
        d.x[0].rows[j][i] = q[0] + q[1] * x + q[2] * y + q[3] * x * x + q[4] * x * y + q[5] * y * y;
        for (int k = 1; k < 4; k++) d.x[k].rows[j][i] = random_int(-9, 9);
      }
    run_apply(&d, &d.box, d.x, d.y);
    for (int j = 0; j < d.box.j1; j++)
      for (int i = 0; i < d.box.i1; i++) {
        const double x = i * dx, y = j * dy;
        const double c_x = q[1] + 2 * q[3] * x + q[4] * y, c_y = q[2] + q[4] * x + 2 * q[5] * y;
        const double rate = d.x[3].rows[j][i] * (2 * q[3] + 2 * q[5]) - d.x[1].rows[j][i] * c_x -
                            d.x[2].rows[j][i] * c_y;
        const double error = d.y[0].rows[j][i] - (d.x[0].rows[j][i] + d.box.dt * rate);
        if (error != 0)
          return failed("exact on polynomials", subject.stencil->name, error, 0, seed);
      }
    draw_free(&d);
  }
  return 0;
}
