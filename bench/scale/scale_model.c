/* SPDX-License-Identifier: BSD-2-Clause */
#include "scale_model.h"
#include <math.h>

static int neighbours(int patches) { return patches > 2 ? 2 : patches - 1; }

/* As adjoint/engine/executor.c has it. */
static int overlaps(const ScalePatch *p, int depth) {
  const int wide = p->steps > 1 ? 256 * depth : depth > 16 ? 4 * depth : 64;
  return p->nx >= wide && p->ny >= wide;
}

ScaleStep ScaleModel(const ScalePatch *p, const ScaleMachine *m) {
  const double sx = neighbours(p->px), sy = neighbours(p->py), nx = p->nx, ny = p->ny;
  const double d = (double)p->steps * p->radius;
  ScaleStep all = {.messages = sx + sy + sx * sy,
                   .bytes = 8 * (sx * d * ny + sy * d * nx + sx * sy * d * d)};
  for (int k = 0; k < p->steps; k++)
    all.cells += (nx + sx * k * p->radius) * (ny + sy * k * p->radius);
  const double inner = fmax(0, nx - 2 * d) * fmax(0, ny - 2 * d) * p->steps;
  const double hidden = overlaps(p, p->steps * p->radius) ? inner * m->cell : 0;
  all.seconds =
      all.cells * m->cell + fmax(0, all.messages * m->latency + all.bytes / m->bandwidth - hidden);
  return (ScaleStep){all.messages / p->steps, all.bytes / p->steps, all.cells / p->steps,
                     all.seconds / p->steps};
}

ScalePatch ScaleSquare(int ranks, long n, int steps, int radius) {
  int px = (int)sqrt((double)ranks);
  while (ranks % px) px--;
  const int py = ranks / px;
  return (ScalePatch){.px = px,
                      .py = py,
                      .nx = (int)((n + px - 1) / px),
                      .ny = (int)((n + py - 1) / py),
                      .steps = steps,
                      .radius = radius};
}
