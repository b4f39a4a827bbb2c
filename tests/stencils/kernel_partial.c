/* An adjoint adds to x_bar, and leaving out any x_bar (NULL) changes no bit of the others. */
#include "kernel_harness.h"

static int partial(Draw *d, uint64_t seed) {
  Field start[READS_MAX], some[READS_MAX];
  int status = 0;
  for (int k = 0; k < d->reads; k++) {
    start[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    some[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    field_random(&start[k], -1, 1);
  }
  run_adjoint(d, &d->box, ~0u, d->x_bar); /* from zero: what each cell is owed */
  for (unsigned asked = 0; asked < 1u << d->reads; asked++) {
    int cells = 0;
    for (int k = 0; k < d->reads; k++) field_copy(&start[k], &some[k]);
    run_adjoint(d, &d->box, asked, some);
    for (int k = 0; k < d->reads; k++)
      for (size_t n = 0; n < field_size(&some[k]); n++) {
        const double owed = asked >> k & 1 ? d->x_bar[k].data[n] : 0;
        cells += some[k].data[n] != start[k].data[n] + owed;
      }
    if (cells)
      status = failed("cells of x_bar that depend on which are asked for", d->stencil->name, cells,
                      0, seed);
  }
  for (int k = 0; k < d->reads; k++) field_free(&start[k]), field_free(&some[k]);
  return status;
}

int main(void) { return for_each_draw(11, partial); }
