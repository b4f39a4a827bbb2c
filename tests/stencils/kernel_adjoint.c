/* Every kernel's adjoint is the transpose of its tangent, for all reads together and for each
   alone. */
#include "kernel_checks.h"

static int transposed(Draw *d, uint64_t seed) {
  const double bound = 1e-13;
  const double together = draw_dot_error(d);
  if (!(together <= bound))
    return failed("<F'dx, y_bar> = <dx, F'^T y_bar>", d->stencil->name, together, bound, seed);
  for (int k = 0; k < d->reads; k++) {
    draw_only(d, k);
    const double alone = draw_dot_error(d);
    if (!(alone <= bound))
      return failed(d->stencil->reads[k].name, d->stencil->name, alone, bound, seed);
  }
  return 0;
}

int main(void) { return for_each_draw(23, transposed); }
