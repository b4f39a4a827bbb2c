/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/series_library.h -- a number for each step, as a term of a program. */
#ifndef HG_SERIES_LIBRARY_H
#define HG_SERIES_LIBRARY_H

#include <halograd/operator.h>
#include <halograd/physics.h>

/* y = s[step] in all cells, 0 where s has no such number; s is the array series->name, of as many
   numbers as `params` say, the same on all ranks, y the field series->now, a surface if the mesh
   has levels. The cotangent of s[step] is the exact sum of y's over all cells. Collective. Error:
   no numbers. */
PetscErrorCode HgSeriesCreate(HgMesh mesh, const HgPhysics *physics, const HgPhysicsSeries *series,
                              const void *params, HgOperator *op);

#endif
