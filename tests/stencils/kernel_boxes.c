/* Any cut of a box into boxes gives the same bits; nothing outside is written or read beyond
   radius. */
#include "kernel_box_checks.h"

static int independent(Draw *d, uint64_t seed) {
  const BoxReport r = draw_box_report(d, seed);

  const struct {
    const char *claim;
    int cells;
  } counts[] = {
      {"cells of y that depend on the cut", r.y_cut},
      {"cells of dy that depend on the cut", r.dy_cut},
      {"cells of x_bar that depend on the cut", r.x_bar_cut},
      {"cells written outside the box", r.outside},
      {"cells of the box not written", r.unwritten},
      {"cells that depend on values beyond the declared radius", r.beyond},
  };

  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    if (counts[k].cells) return failed(counts[k].claim, d->stencil->name, counts[k].cells, 0, seed);
  return 0;
}

int main(void) { return for_each_draw(41, independent); }
