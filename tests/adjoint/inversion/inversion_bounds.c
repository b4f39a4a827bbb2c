/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: what an inversion returns lies within the bounds, on them where they are active, and is
   taken as a first guess again. */
#include "claim.h"
#include "valley.h"
#include <halograd/inversion.h>

/* To be multiplied by the root of the cell area and divided again: not all come back. */
static const double lowers[] = {0.1, 0.3, 0.7, -0.6, 1. / 3}, widths[] = {0.1, 0.2, 1e-3};

typedef struct {
  double lower, upper;
  int lowest, highest; /* cells on the bounds */
} Range;

/* Of the field a and the array c. */
static PetscErrorCode look(const HgIterate *iterate, HgState m, void *context) {
  Range *range = context;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  range->lowest = range->highest = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double a = HgStateRows(m, 0)[j][i];
      claim_that(range->lower <= a && a <= range->upper,
                 "iterate %d: a is %.17g, bounds are %.17g and %.17g", iterate->iteration, a,
                 range->lower, range->upper);
      range->lowest += a == range->lower, range->highest += a == range->upper;
    }
  for (int k = 0; k < 3; k++)
    claim_that(range->lower <= HgStateArray(m, 2)[k] && HgStateArray(m, 2)[k] <= range->upper,
               "iterate %d: c is %.17g, bounds are %.17g and %.17g", iterate->iteration,
               HgStateArray(m, 2)[k], range->lower, range->upper);
  return 0;
}

static PetscErrorCode invert(double lower, double upper) {
  HgMesh mesh;
  HgOperator valley;
  HgState m;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  Range range = {lower, upper, 0, 0};
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &mesh, &valley, &m));
  PetscCall(HgInversionCreate(valley, &inversion));
  PetscCall(HgStateSetConstant(m, "a", (lower + upper) / 2));
  PetscCall(HgStateSetConstant(m, "c", lower));
  PetscCall(HgInversionSetBounds(inversion, "a", lower, upper, 1));
  PetscCall(HgInversionSetBounds(inversion, "c", lower, upper, 1));
  PetscCall(HgInversionSetMonitor(inversion, look, &range));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-6, .iterations = 8, .evaluations = 40}));
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  PetscCall(look(&last, m, &range));
  int on[2] = {range.lowest, range.highest};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, on, 2, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  claim_at_most(1, on[0] + on[1], "cells on the bounds %.17g and %.17g", lower, upper);
  const double J = last.J;
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  claim_at_most(last.J, J * (1 + 1e-12), "J after a second run from where the first ended");
  PetscCall(HgInversionDestroy(&inversion));
  return valley_destroy(&mesh, &valley, &m);
}

static PetscErrorCode run(void) {
  for (size_t k = 0; k < sizeof lowers / sizeof *lowers; k++)
    for (size_t l = 0; l < sizeof widths / sizeof *widths; l++)
      PetscCall(invert(lowers[k], lowers[k] + widths[l]));
  return 0;
}

CLAIM("what an inversion returns lies within the bounds", 0, run)
