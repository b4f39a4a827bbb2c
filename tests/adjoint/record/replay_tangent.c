/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a tangent replayed in two halves, from what the first has left, on other patches, has
   the bits of the whole and of a recorded tangent run. */
#include "recorded.h"
#include "shallow_case.h"
#include <halograd/recorder_library.h>
#include <halograd/trajectory_library.h>

enum { STEPS = 23, EVERY = 4 };

static const ShallowSpec spec = {
    .nx = 30, .ny = 27, .steps = STEPS, .reflecting = true, .ghost = 4, .slots = 12};

static PetscErrorCode create(int px, int py, ShallowCase *c) {
  ShallowSpec own = spec;
  own.px = px, own.py = py;
  return shallow_create(PETSC_COMM_WORLD, &own, c);
}

/* A gradient, and a tangent run of the same with a direction of its own. */
static PetscErrorCode record(void) {
  ShallowCase c;
  HgRecorder recorder;
  HgState dx;
  double J, dJ;
  char text[256];
  PetscCall(create(0, 0, &c));
  PetscCall(record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = EVERY}, "gradient",
                            text));
  PetscCall(HgStateDuplicate(c.x, &dx));
  PetscCall(HgStateRandom(dx, 5));
  PetscCall(HgRecorderCreate(c.trajectory, &(HgRecorderSpec){.every = EVERY, .tangent = true},
                             &recorder));
  PetscCall(HgRecorderArm(recorder, "tangent"));
  PetscCall(HgTrajectoryValue(c.trajectory, c.x, &J)); /* is not recorded */
  PetscCall(HgTrajectoryTangent(c.trajectory, c.x, dx, &J, &dJ));
  PetscCall(HgRecorderDestroy(&recorder));
  PetscCall(HgStateDestroy(&dx));
  return shallow_destroy(&c);
}

static PetscErrorCode replay(int px, int py, const char from[], long a, long b, const char to[]) {
  ShallowCase c;
  PetscCall(create(px, py, &c));
  PetscCall(HgReplayTangent(c.trajectory, from, a, b, 7, to));
  return shallow_destroy(&c);
}

/* They have so many q_n and dq_n in common, with the same bits. */
static PetscErrorCode claim_alike(const char a[], const char b[], int steps) {
  HgRecording r[2];
  HgRecordingDifference d;
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, a, &r[0]));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, b, &r[1]));
  PetscCall(HgRecordingCompare(r[0], r[1], &d));
  claim_that(!d.differ && d.compared == steps,
             "'%s' and '%s': %d steps compared of %d, part at %ld", a, b, d.compared, steps, d.n);
  PetscCall(HgRecordingClose(&r[0]));
  return HgRecordingClose(&r[1]);
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  PetscCall(record());
  /* steps 0, 4, .. 20, 23: q_n and dq_n of each */
  PetscCall(replay(0, 0, "gradient", 0, STEPS, "whole"));
  PetscCall(claim_alike("gradient", "whole", 7)); /* its dq_n are nobody's */
  PetscCall(replay(1, ranks, "whole", 0, 10, "half"));
  PetscCall(claim_alike("whole", "half", 6));
  PetscCall(replay(ranks, 1, "half", 10, STEPS, "rest"));
  PetscCall(claim_alike("whole", "rest", 2)); /* step 23 */
  PetscCall(replay(ranks, 1, "tangent", 3, 21, "again"));
  return claim_alike("tangent", "again", 10);
}

CLAIM("a tangent in two halves has the bits of the whole", 0, test)
