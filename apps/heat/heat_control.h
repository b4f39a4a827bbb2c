/* SPDX-License-Identifier: BSD-2-Clause */
/* What heat_inverse may look for instead of kappa cell by cell: kappa = P(m). */
#ifndef HEAT_CONTROL_H
#define HEAT_CONTROL_H
#include "heat_case.h"
#include <halograd/control.h>
#include <halograd/problem.h>

/* kappa = exp(m), m itself, a + b x + c y, numbers on a coarse grid, net(x, y; theta) */
typedef enum { HEAT_LOG, HEAT_FIELD, HEAT_AFFINE, HEAT_COARSE, HEAT_NET } HeatWay;

typedef struct {
  HeatWay way;
  int coarse[2]; /* nodes along x and y */
  HgNetSpec net; /* hidden layers */
  int seed;      /* of the net's first guess */
} HeatControlSpec;

/* Options -parametrise -coarse -net -net_seed; `spec` has their defaults. Errors: as options.h;
   -coarse, -net or -net_seed for another parametrisation. */
PetscErrorCode HeatControlOptions(HgRun run, HeatControlSpec *spec);

/* Adds the control kappa = P(m) with bounds and R(m) to `problem`, sets it up, and sets the first
   guess of m, for which kappa is the case's guess. R is of m for a field, of kappa for a coarse
   grid or net; affine has none, because it has three numbers. Errors: those of the parametrisation.
   */
PetscErrorCode HeatControl(const Heat *heat, const HeatControlSpec *spec, const HgInverse *inverse,
                           HgProblem problem);

/* Name and bounds of the control; infinite bounds for affine and net. */
const char *HeatControlName(const HeatControlSpec *spec);
void HeatControlBounds(const Heat *heat, const HeatControlSpec *spec, double *lowest,
                       double *highest);

/* Prints and reports the numbers of an affine kappa; else does nothing. */
PetscErrorCode HeatControlReport(const HeatControlSpec *spec, HgState m, HgRun run);

#endif
