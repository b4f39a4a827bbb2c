/* SPDX-License-Identifier: BSD-2-Clause */
/* What a check has found, for tests. */
#ifndef HALOGRAD_TEST_FINDINGS_H
#define HALOGRAD_TEST_FINDINGS_H

#include <halograd/check_library.h>
#include <halograd/doctor_library.h>
#include <halograd/trajectory.h>

/* The first finding as a sentence; "nothing" if there is none. */
static inline const char *first_finding(const HgFindings *r) {
  static char text[1024];
  (void)snprintf(text, sizeof text, "nothing");
  if (r->findings) HgFindingText(&r->finding[0], sizeof text, text);
  return text;
}

/* Is there a finding of that check? */
static inline bool has_found(const HgFindings *r, HgCheckId check) {
  for (int k = 0; k < r->findings; k++)
    if (r->finding[k].check == check) return true;
  return false;
}

/* The doctor's report on a trajectory. */
static inline PetscErrorCode examine_trajectory(HgTrajectory trajectory, HgState x, HgFindings *r) {
  HgOperator J;
  PetscCall(HgTrajectoryOperator(trajectory, &J));
  PetscCall(HgExamineGradient(J, x, NULL, r));
  return HgOperatorDestroy(&J);
}

#endif
