/* SPDX-License-Identifier: BSD-2-Clause */
/* The peak memory of a gradient is that of its fields and slots, as computed from sizes, within 10
   %. */
#include "claim.h"
#include "heat_case.h"
#include <halograd/state_library.h>
#include <sys/resource.h>

static double peak_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss;
}

static PetscErrorCode test(void) {
  enum { SLOTS = 12 };

  const HeatSpec spec = {.nx = 1500, .ny = 1500, .steps = 40, .walls = WALLS_FIXED, .slots = SLOTS};
  const double before = peak_bytes();
  HeatCase c;
  HgState gradient;
  double J;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgOperatorCreateInput(c.op, &gradient));
  PetscCall(HgOperatorGradient(c.op, c.x, &J, gradient));
  /* u, kappa, f three times over: x, its gradient; constants and their cotangents lack u. Carried:
     slots, 2 live, the last, 2 adjoints, the data. */
  const double field = (double)HgStateBytes(c.data), fields = 3 + 3 + 2 + 2 + SLOTS + 2 + 1 + 2 + 1;
  const double used = peak_bytes() - before;
  claim_at_most(used, 1.1 * fields * field, "bytes of %g fields of %g bytes", fields, field);
  claim_at_most(0.8 * SLOTS * field, used, "what the slots alone need at least");
  PetscCall(HgStateDestroy(&gradient));
  return heat_destroy(&c);
}

CLAIM("peak memory is that of fields and slots within 10 %", 0, test)
