/* SPDX-License-Identifier: BSD-2-Clause */
/* What is claimed of any operator or trajectory, whatever its physics. */
#ifndef HALOGRAD_TEST_TRAJECTORY_CLAIMS_H
#define HALOGRAD_TEST_TRAJECTORY_CLAIMS_H

#include "claim.h"
#include "findings.h"
#include <halograd/trajectory.h>
#include <math.h>

/* The option `name` of what is made from now on. */
static inline PetscErrorCode set_option(const char name[], int value) {
  char text[16];
  snprintf(text, sizeof text, "%d", value);
  return PetscOptionsSetValue(NULL, name, text);
}

/* `op` passes every check around x, its dot product within `bound` (0: that of check.h). */
static inline PetscErrorCode claim_checks(const char what[], HgOperator op, HgState x, double bound,
                                          uint64_t seed) {
  const HgCheckOptions options = {.seed = seed, .dot_bound = bound};
  HgFindings report;
  PetscCall(HgExamineOperator(op, x, &options, &report));
  claim_that(!report.findings, "%s, seed %llu: %s", what, (unsigned long long)seed,
             first_finding(&report));
  return 0;
}

/* |J(x + e dx) - J(x) - e dJ| of a functional falls at order 1.9 or more where it is smallest and
   yet 10^4 times rounding; dx, random and at most `size`, moves the variable `name` alone. */
static inline PetscErrorCode claim_taylor(HgOperator functional, HgState x, const char name[],
                                          double size, uint64_t seed) {
  HgState dx, moved, J, dJ;
  double before = 0, order = 0;
  int index, orders = 0;
  PetscCall(HgStateDuplicate(x, &dx));
  PetscCall(HgStateDuplicate(x, &moved));
  PetscCall(HgOperatorCreateOutput(functional, &J));
  PetscCall(HgOperatorCreateOutput(functional, &dJ));
  PetscCall(HgStateIndex(x, name, &index));
  PetscCall(HgStateRandom(moved, seed));
  PetscCall(HgStateAXPYVariable(dx, index, size, moved, index));
  PetscCall(HgOperatorTangent(functional, x, dx, dJ));
  PetscCall(HgOperatorApply(functional, x, J));
  const double here = HgStateArray(J, 0)[0], slope = HgStateArray(dJ, 0)[0];
  for (double e = 1; e > 1e-5; e /= 2) {
    PetscCall(HgStateCopy(x, moved));
    PetscCall(HgStateAXPY(moved, e, dx));
    PetscCall(HgOperatorApply(functional, moved, J));
    const double now = fabs(HgStateArray(J, 0)[0] - here - e * slope);
    if (now < 1e4 * PETSC_MACHINE_EPSILON * here) break;
    if (before > 0) order = log2(before / now), orders++;
    before = now;
  }
  claim_that(orders >= 2, "control %s: %d orders could be measured, expected 2 or more", name,
             orders);
  claim_at_most(-order, -1.9, "control %s: minus the Taylor order", name);
  PetscCall(HgStatesDestroy(&dx, &moved, &J, &dJ));
  return 0;
}

/* J in hexadecimal, digests of gradient and final state of `trajectory`, whose operator is `op`. An
   error of the gradient leaves nothing behind. */
static inline PetscErrorCode fingerprint(HgOperator op, HgState x, HgTrajectory trajectory,
                                         char text[256]) {
  HgState gradient;
  double J;
  char g[17], q[17];
  PetscCall(HgOperatorCreateInput(op, &gradient));
  PetscErrorCode ierr = HgOperatorGradient(op, x, &J, gradient);
  if (!ierr) ierr = HgStateDigest(gradient, NULL, g);
  if (!ierr) ierr = HgStateDigest(HgTrajectoryFinal(trajectory), NULL, q);
  if (!ierr) snprintf(text, 256, "J %a gradient %s state %s", J, g, q);
  PetscCall(HgStateDestroy(&gradient));
  return ierr;
}

/* A trajectory with a store of its own, in memory or in files, and its operator. */
static inline PetscErrorCode make_trajectory(HgProgram program, HgObjective objective, HgState data,
                                             long steps, int slots, bool in_files, HgStore *store,
                                             HgTrajectory *trajectory, HgOperator *op) {
  if (in_files) PetscCall(HgStoreCreate(data, 0, slots, "test_slots", store));
  else PetscCall(HgStoreCreate(data, slots, 0, NULL, store));
  PetscCall(HgTrajectoryCreate(program, steps, objective, *store, trajectory));
  return HgTrajectoryOperator(*trajectory, op);
}

#endif
