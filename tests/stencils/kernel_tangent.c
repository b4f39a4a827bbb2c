/* Every kernel's tangent is linear and is the derivative of its value: Taylor order 2 in all reads.
   */
#include "kernel_checks.h"

static int derivative(Draw *d, uint64_t seed) {
  const double order = taylor_order(d);
  if (!(order >= 1.9))
    return failed("Taylor order of all reads", d->stencil->name, order, 1.9, seed);
  const double error = linearity_error(d, random_between(-2, 2), random_between(-2, 2));
  if (!(error <= 1e-13)) return failed("linearity", d->stencil->name, error, 1e-13, seed);
  for (int k = 0; k < d->reads; k++) {
    draw_only(d, k);
    const double alone = taylor_order(d);
    if (!(alone >= 1.9))
      return failed(d->stencil->reads[k].name, d->stencil->name, alone, 1.9, seed);
  }
  for (int k = 0; k < d->reads; k++) field_fill(&d->dx[k], 0);
  run_tangent(d, &d->box, d->dx, d->dy);
  for (int k = 0; k < d->writes; k++) {
    const double norm = (double)field_dot(&d->dy[k], &d->dy[k], &d->box, 0);
    if (norm != 0) return failed("F'(x) 0 = 0", d->stencil->name, norm, 0, seed);
  }
  return 0;
}

int main(void) { return for_each_draw(17, derivative); }
