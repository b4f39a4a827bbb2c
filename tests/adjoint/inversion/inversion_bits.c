/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: every iterate of an inversion, J, |g| and all controls, has the same bits on any
   decomposition, with and without bounds, for each method of TAO that is named here. */
#include "iterates.h"
#include "same_bits.h"
#include "valley.h"

static const struct {
  const char *type;
  bool bounded;
  int least; /* iterates */
} methods[] = {{NULL, false, 10},  {NULL, true, 10},    {"lmvm", false, 10}, {"cg", false, 10},
               {"bncg", true, 10}, {"bqnls", true, 10}, {"ntr", false, 4},   {"nls", false, 4},
               {"bntr", false, 4}, {"bntr", true, 4},   {"bnls", true, 4},   {"bntl", true, 4}};

enum { METHODS = sizeof methods / sizeof *methods };

static PetscErrorCode count_at_bounds(HgState m, double lower, double upper, int *count) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  *count = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      *count +=
          HgStateRows(m, 0)[j][i] == (HgReal)lower || HgStateRows(m, 0)[j][i] == (HgReal)upper;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 1, MPI_INT, MPI_SUM, HgMeshComm(HgStateMesh(m))));
  return 0;
}

/* `seed` is the number of the method. */
static PetscErrorCode invert(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  HgMesh mesh;
  HgOperator valley;
  HgState m;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  Iterates all = iterates_begin();
  int at_bounds;
  const bool bounded = methods[seed].bounded;
  const double lower = -0.5, upper = 0.8;
  PetscCall(valley_create(comm, layout.px, layout.py, &mesh, &valley, &m));
  PetscCall(HgInversionCreate(valley, &inversion));
  if (bounded) {
    for (int j = 0; j < HgMeshGetPatch(mesh)->ny; j++)
      for (int i = 0; i < HgMeshGetPatch(mesh)->nx; i++)
        HgStateRows(m, 0)[j][i] = fmin(upper, fmax(lower, HgStateRows(m, 0)[j][i]));
    PetscCall(HgInversionSetBounds(inversion, "a", lower, upper, 1));
    PetscCall(HgInversionSetBounds(inversion, "c", -INFINITY, 0.5, 1));
    for (int k = 0; k < 3; k++) HgStateArray(m, 2)[k] = fmin(0.25, HgStateArray(m, 2)[k]);
  }
  PetscCall(HgInversionSetMonitor(inversion, iterates_watch, &all));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-9, .iterations = 12, .evaluations = 100}));
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  PetscCall(count_at_bounds(m, lower, upper, &at_bounds));
  snprintf(text, LAYOUT_TEXT, "%d iterates, hash %016llx, %d cells at the bound, %s; %s", all.count,
           (unsigned long long)all.hash, at_bounds, reason, all.last);
  claim_at_most(methods[seed].least, all.count, "method %ld: iterates compared", seed);
  if (bounded) claim_at_most(3, at_bounds, "method %ld: cells at the bound", seed);
  PetscCall(HgInversionDestroy(&inversion));
  return valley_destroy(&mesh, &valley, &m);
}

static PetscErrorCode run(void) {
  const int size = claim.ranks;
  for (int k = 0; k < (size > 6 ? 2 : METHODS); k++) { /* many ranks on few cores are slow */
    const char *type = methods[k].type;
    if (type) PetscCall(PetscOptionsSetValue(NULL, "-tao_type", type));
    PetscCall(expect_same_on_layouts(type ? type : "default", invert, k));
    if (type) PetscCall(PetscOptionsClearValue(NULL, "-tao_type"));
  }
  return 0;
}

CLAIM("every iterate of an inversion has the same bits on any decomposition", 20260105, run)
