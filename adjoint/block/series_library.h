/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/series_library.h -- a term of a program that reads numbers by step from an array. */
#ifndef HG_SERIES_LIBRARY_H
#define HG_SERIES_LIBRARY_H

#include <halograd/kernel.h>
#include <halograd/physics.h>
#include <halograd/state.h>

/* y = s[n step + index] in all cells; or s[n step + i], s[n step + j] in cell (i, j), and 0 where s
   has no such number.

   s is the array series->name, with n numbers for each of as many steps as `params` say, the same
   on all ranks. y is the field series->now, a surface if the mesh has levels. The cotangent of a
   number is the exact sum of y's cotangent over the cells that have it. */
typedef struct HgSeries_s *HgSeries;

/* Creates a series of a physics, with the number of steps in `params`. Collective. Errors: no
   steps; more numbers than an int counts; an index beyond n. */
PetscErrorCode HgSeriesCreate(HgMesh mesh, const HgPhysics *physics, const HgPhysicsSeries *series,
                              const void *params, HgSeries *made);
PetscErrorCode HgSeriesDestroy(HgSeries *series);

/* The stencil of a series; its params are the address of the HgSeries. */
const HgStencil *HgSeriesStencil(HgSeries series);

/* The variable s; its unit is that of y. */
HgVariable HgSeriesArray(HgSeries series);

/* Collects cotangents of s. Call Begin before the adjoints of `steps` steps from `first` on, which
   run on `threads` threads and add to at most `most` cotangents of s. Name each of these with Into
   by its rows (HgStateRows()). Until End s_bar does not change; End adds the sums over all cells of
   the domain. End is collective. */
PetscErrorCode HgSeriesBegin(HgSeries series, long first, int steps, int threads, int most);
void HgSeriesInto(HgSeries series, HgRowsOut bar);
PetscErrorCode HgSeriesEnd(HgSeries series);

/* How many numbers a step has; *along (may be NULL): series->along. */
int HgSeriesEach(HgMesh mesh, const HgPhysicsSeries *s, char *along);

#endif
