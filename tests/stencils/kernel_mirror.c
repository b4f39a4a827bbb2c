/* Mirrored data give mirrored bits, in value, tangent and adjoint, along x and along y; kernels of
   staggered grids, where mirroring a cell mirrors other faces, are left out. */
#include "kernel_harness.h"

static void mirror(Field *f, bool along_x, double sign) {
  for (int j = -f->ghost; j < f->ny + f->ghost; j++)
    for (int i = -f->ghost; i < f->nx + f->ghost; i++) {
      const int p = along_x ? f->nx - 1 - i : i, q = along_x ? j : f->ny - 1 - j;
      if (along_x ? p < i : q < j) continue;
      const double here = f->rows[j][i];
      f->rows[j][i] = sign * f->rows[q][p];
      if (p != i || q != j) f->rows[q][p] = sign * here;
    }
}

static int mirrored(Draw *d, uint64_t seed) {
  if (d->staggered) return 0;
  for (int axis = 0; axis < 2; axis++) {
    const bool along_x = axis == 0;
    double sign[READS_MAX];
    Field y[READS_MAX], dy[READS_MAX], x_bar[READS_MAX];
    int cells = 0;
    for (int k = 0; k < d->reads; k++) /* the component of a velocity along the axis turns round */
      sign[k] = strcmp(d->stencil->reads[k].name, along_x ? "vx" : "vy") == 0 ? -1 : 1;
    for (int k = 0; k < d->writes; k++) {
      y[k] = field_new(d->box.i1, d->box.j1, d->ghost);
      dy[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    }
    for (int k = 0; k < d->reads; k++) {
      x_bar[k] = field_new(d->box.i1, d->box.j1, d->ghost);
      field_fill(&d->x_bar[k], 0);
    }
    run_apply(d, &d->box, d->x, d->y);
    run_tangent(d, &d->box, d->dx, d->dy);
    run_adjoint(d, &d->box, ~0u, d->x_bar);
    for (int k = 0; k < d->reads; k++)
      mirror(&d->x[k], along_x, sign[k]), mirror(&d->dx[k], along_x, sign[k]);
    for (int k = 0; k < d->writes; k++) mirror(&d->y_bar[k], along_x, 1);
    run_apply(d, &d->box, d->x, y);
    run_tangent(d, &d->box, d->dx, dy);
    run_adjoint(d, &d->box, ~0u, x_bar);
    for (int k = 0; k < d->writes; k++) {
      mirror(&y[k], along_x, 1), mirror(&dy[k], along_x, 1);
      for (size_t n = 0; n < field_size(&y[k]); n++)
        cells += y[k].data[n] != d->y[k].data[n] || dy[k].data[n] != d->dy[k].data[n];
      field_free(&y[k]), field_free(&dy[k]);
    }
    for (int k = 0; k < d->reads; k++) {
      mirror(&x_bar[k], along_x, sign[k]);
      for (size_t n = 0; n < field_size(&x_bar[k]); n++)
        cells += x_bar[k].data[n] != d->x_bar[k].data[n];
      field_free(&x_bar[k]);
    }
    if (cells)
      return failed(along_x ? "cells that differ, mirrored along x"
                            : "cells that differ, mirrored along y",
                    d->stencil->name, cells, 0, seed);
  }
  return 0;
}

int main(void) { return for_each_draw(15, mirrored); }
