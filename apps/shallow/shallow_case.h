/* SPDX-License-Identifier: BSD-2-Clause */
/* The published shallow-water case: an unstable jet in a periodic channel (mpi4jax's
   examples/shallow_water.py); docs/shallow-water.md has its formulas and numbers. */
#ifndef SHALLOW_CASE_H
#define SHALLOW_CASE_H
#include <halograd/program.h>
#include <halograd/run.h>
#include <halograd/shallow_water.h>

typedef struct {
  bool published;           /* with the published program's friction */
  const HgPhysics *physics; /* NULL: as `published` says */
  bool benchmark;           /* 3600 x 1800 cells, 0.1 day, no results on the way */
  double depth;             /* D [m] */
  double swing;             /* the largest height of the surface that balances the jet [m] */
  HgShallowWaterParams params;
  HgMesh mesh;
  HgProgram program;
  HgState x; /* h, u, v at t = 0, tendencies 0; b = 0, f, nu */
} ShallowCase;

/* Means over all cells; rms are root mean squares. */
typedef struct {
  double mean_h, rms_h, mean_u, rms_u, rms_v; /* rms_h: of h - D */
} ShallowNumbers;

/* Options -depth -published -benchmark. The benchmark changes defaults in `common`. */
PetscErrorCode ShallowOptions(HgRun run, HgCommon *common, ShallowCase *shallow);

/* The published time step [s]: 1/8 of the time in which a gravity wave crosses one cell, or the
   largest stable one if that is less. */
double ShallowTimeStep(const ShallowCase *shallow);

/* Creates the case on nx x ny cells of 5 km in px x py patches (0: chosen) with the time step dt
   [s]. Set `depth` and `published` before, or `physics`. Collective. */
PetscErrorCode ShallowCreate(int nx, int ny, int px, int py, double dt, ShallowCase *shallow);

/* Creates the case from the options. By default dt is the published one; steps cover 10 days, 1
   plus a multiple of 10. Collective. */
PetscErrorCode ShallowCreateFromOptions(HgRun run, HgCommon *common, ShallowCase *shallow);
PetscErrorCode ShallowDestroy(ShallowCase *shallow);

/* Uses exact sums: the same bits on any decomposition. Collective. */
PetscErrorCode ShallowMeasure(const ShallowCase *shallow, HgState q, ShallowNumbers *numbers);

#endif
