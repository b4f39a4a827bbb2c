/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/scale/scale_model.h -- what a rank does in a step of a stencil code cut into patches, by
   formula: cells, messages, bytes, and the time they take on a network of given latency and
   bandwidth.

   T steps share an exchange: ghosts d = T r deep, r the stencil's radius, one message to each
   neighbour, corners included. Patches have nx x ny cells; a rank away from walls has sx = 2
   neighbours along x and sy = 2 along y (1 or 0 where there are fewer patches). In T steps

     messages  sx + sy + sx sy
     bytes     8 (sx d ny + sy d nx + sx sy d^2)
     cells     sum over k = 0 .. T-1 of (nx + sx k r)(ny + sy k r)      seams are computed twice

     seconds   cells c + max(0, messages l + bytes / b - hidden)
     hidden    inner cells (nx - 2 d)(ny - 2 d) T c where the engine computes them while messages
               fly, on patches at least 256 d wide and high (T = 1: 4 d, and 64); else 0

   c: seconds of a cell on one core with all cores busy; l: latency [s]; b: bandwidth of a rank
   [B/s]. All ranks are as slow as the busiest; there is no reduction in a step. */
#ifndef HALOGRAD_BENCH_SCALE_MODEL_H
#define HALOGRAD_BENCH_SCALE_MODEL_H

typedef struct {
  int px, py, nx, ny; /* patches; cells of the largest */
  int steps, radius;  /* T, r */
} ScalePatch;

typedef struct {
  double cell, latency, bandwidth; /* c, l, b */
} ScaleMachine;

typedef struct {
  double messages, bytes, cells, seconds; /* of one step */
} ScaleStep;

ScaleStep ScaleModel(const ScalePatch *patch, const ScaleMachine *machine);

/* One of `ranks` patches as square as can be of n x n cells,, T steps at a time. */
ScalePatch ScaleSquare(int ranks, long n, int steps, int radius);

#endif
