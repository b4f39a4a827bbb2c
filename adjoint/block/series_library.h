/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/series_library.h -- numbers by step, as a term of a program. */
#ifndef HG_SERIES_LIBRARY_H
#define HG_SERIES_LIBRARY_H

#include <halograd/operator.h>
#include <halograd/physics.h>

/* y = s[n step + index] in all cells, or s[n step + i], s[n step + j] in cell (i, j), 0 where s has
   no such number; s is the array series->name, of n numbers a step for as many steps as `params`
   say, the same on all ranks, y the field series->now, a surface if the mesh has levels. The
   cotangent of a number is the exact sum of y's over the cells that have it. Collective. Errors: no
   steps; more numbers than an int counts; an index beyond n. */
PetscErrorCode HgSeriesCreate(HgMesh mesh, const HgPhysics *physics, const HgPhysicsSeries *series,
                              const void *params, HgOperator *op);

/* n: the numbers of a step; *along, unless NULL: series->along. */
int HgSeriesEach(HgMesh mesh, const HgPhysicsSeries *series, char *along);

#endif
