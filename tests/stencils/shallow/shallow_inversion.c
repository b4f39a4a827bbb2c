/* SPDX-License-Identifier: BSD-2-Clause */
/* TAO finds Coriolis and friction numbers of shallow water from sensors to 1e-6, and every iterate,
   of the surface at the start too, has the same bits on any decomposition. */
#include "iterates.h"
#include "same_bits.h"
#include "shallow_twin.h"

static PetscErrorCode iterate(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  ShallowTwin t;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  Iterates all = iterates_begin();
  (void)seed;
  PetscCall(twin_create(comm, layout.px, layout.py, 16, true, &t));
  PetscCall(twin_guess(&t));
  PetscCall(HgInversionCreate(t.J, &inversion));
  PetscCall(HgInversionSetBounds(inversion, "h", 0.1, INFINITY, 1));
  PetscCall(HgInversionSetMonitor(inversion, iterates_watch, &all));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-9, .iterations = 8, .evaluations = 100}));
  PetscCall(HgInversionSolve(inversion, t.m, &last, &reason));
  snprintf(text, LAYOUT_TEXT, "%d iterates, hash %016llx; %s; %s", all.count,
           (unsigned long long)all.hash, reason, all.last);
  claim_at_most(8, all.count, "iterates compared");
  PetscCall(HgInversionDestroy(&inversion));
  return twin_destroy(&t);
}

/* The arithmetic is the same on any number of ranks: the crowded are spared. */
static PetscErrorCode recover(void) {
  const int size = claim.ranks;
  if (size > 4) return 0;
  ShallowTwin t;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  PetscCall(twin_create(PETSC_COMM_WORLD, 0, 0, 150, false, &t));
  PetscCall(twin_guess(&t));
  PetscCall(HgInversionCreate(t.J, &inversion));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-10, .iterations = 200, .evaluations = 1000}));
  PetscCall(HgInversionSolve(inversion, t.m, &last, &reason));
  const double *abc = HgStateArray(t.m, HgStateFind(t.m, "abc")),
               nu = exp(HgStateArray(t.m, HgStateFind(t.m, "log_nu"))[0]);
  for (int k = 0; k < 3; k++)
    claim_at_most(fabs(abc[k] - twin_abc[k]), 1e-6, "f = a + b x + c y: error of %c after %d",
                  "abc"[k], last.iteration);
  claim_at_most(fabs(nu / twin_nu - 1), 1e-6, "relative error of nu after %d", last.iteration);
  PetscCall(HgInversionDestroy(&inversion));
  return twin_destroy(&t);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("TAO finds shallow water's numbers, with the same bits on any decomposition", 0);
  if (!ierr) ierr = expect_same_on_layouts("iterates", iterate, 0);
  if (!ierr) ierr = recover();
  return claim_end(ierr);
}
