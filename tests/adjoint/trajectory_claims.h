/* What is claimed of any operator or trajectory, whatever its physics. */
#ifndef HALOGRAD_TEST_TRAJECTORY_CLAIMS_H
#define HALOGRAD_TEST_TRAJECTORY_CLAIMS_H
#include "claim.h"
#include <halograd/check.h>
#include <halograd/trajectory.h>
/* `op` passes every check around x, its dot product within `bound` (0: that of check.h). */
static inline PetscErrorCode claim_checks(const char what[], HgOperator op, HgState x, double bound,
                                          uint64_t seed) {
  const HgCheckOptions options = {.seed = seed, .dot_bound = bound};
  HgCheckReport report;
  char line[256];
  bool passed;
  PetscCall(HgCheckOperator(op, x, &options, &report));
  PetscCall(HgCheckVerdict(&report, &options, line, sizeof line, &passed));
  claim_that(passed, "%s, seed %llu: %s", what, (unsigned long long)seed, line);
  return 0;
}
/* J in hexadecimal, digests of gradient and final state of `trajectory`, whose operator is `op`. */
static inline PetscErrorCode fingerprint(HgOperator op, HgState x, HgTrajectory trajectory,
                                         char text[256]) {
  HgState gradient;
  double J;
  char g[17], q[17];
  PetscCall(HgOperatorCreateInput(op, &gradient));
  PetscCall(HgOperatorGradient(op, x, &J, gradient));
  PetscCall(HgStateDigest(gradient, NULL, g));
  PetscCall(HgStateDigest(HgTrajectoryFinal(trajectory), NULL, q));
  snprintf(text, 256, "J %a gradient %s state %s", J, g, q);
  return HgStateDestroy(&gradient);
}
#endif
