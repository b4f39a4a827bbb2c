/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/series_library.h -- numbers by step, as a term of a program. */
#ifndef HG_SERIES_LIBRARY_H
#define HG_SERIES_LIBRARY_H

#include <halograd/kernel.h>
#include <halograd/physics.h>
#include <halograd/state.h>

/* y = s[n step + index] in all cells, or s[n step + i], s[n step + j] in cell (i, j), 0 where s has
   no such number; s is the array series->name, of n numbers a step for as many steps as `params`
   say, the same on all ranks, y the field series->now, a surface if the mesh has levels. The
   cotangent of a number is the exact sum of y's over the cells that have it. */
typedef struct HgSeries_s *HgSeries;

/* Collective. Errors: no steps; more numbers than an int counts; an index beyond n. */
PetscErrorCode HgSeriesCreate(HgMesh mesh, const HgPhysics *physics, const HgPhysicsSeries *series,
                              const void *params, HgSeries *made);
PetscErrorCode HgSeriesDestroy(HgSeries *series);

/* Its kernels, whose `params` are the address of an HgSeries. */
const HgStencil *HgSeriesStencil(HgSeries series);

/* What s is like; its unit is that of y. */
HgVariable HgSeriesArray(HgSeries series);

/* Adjoints of `steps` steps from `first` on come, by so many threads, which add to cotangents of s,
   `most` or fewer: to each that HgSeriesInto() names by its rows, as of HgStateRows(), and to no
   other. HgSeriesEnd() adds their sums over all cells of the domain; in between s_bar stays. End is
   collective. */
PetscErrorCode HgSeriesBegin(HgSeries series, long first, int steps, int threads, int most);
void HgSeriesInto(HgSeries series, HgRowsOut bar);
PetscErrorCode HgSeriesEnd(HgSeries series);

/* n: the numbers of a step; *along, unless NULL: series->along. */
int HgSeriesEach(HgMesh mesh, const HgPhysicsSeries *s, char *along);

#endif
