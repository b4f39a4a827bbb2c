/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: where a replay parts since a stencil has changed, in its value or adjoint, the
   sentence names step, variable and, among the operators that make it, that stencil; and if only
   steps made several at once are others than they were, it says so. */
#include "claim.h"
#include "planted_case.h"
#include "recorded.h"
#include "refusal.h"
#include <halograd/heat.h>
#include <halograd/recorder_library.h>
#include <halograd/shallow_water.h>

enum { STEPS = 9, STEP = 5 };

static const HgStencil *original;
static int
    changed; /* HgMode; HG_NO_MODE: nothing has; TOGETHER: cells beyond the patch, which steps made
                       several at once compute */

enum { TOGETHER = HG_NO_MODE + 1 };

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const bool beyond = b->i0 < 0 || b->j0 < 0;
  original->apply(b, params, x, y);
  if (!(changed == TOGETHER && beyond) && !(changed == HG_PRIMAL && b->step == STEP)) return;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] *= 1 + 1e-9;
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  original->adjoint(b, params, x, y_bar, x_bar);
  if (changed != HG_COTANGENT || b->step != STEP || !x_bar[0]) return;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[0][j][i] *= 1 + 1e-9;
}

/* The sentences of both. */
static PetscErrorCode claim_named(HgTrajectory t, const char recorded[], const char made[2][80]) {
  static const char *const steps[] = {"in the forward sweep at step 6,",
                                      "in the reverse sweep at step 5,"};
  char replayed[80];
  snprintf(replayed, sizeof replayed, "%s-replayed", recorded);
  for (int k = 0; k < 2; k++) {
    changed = k ? HG_COTANGENT : HG_PRIMAL;
    PetscCall(HgReplay(t, recorded, 0, STEPS, replayed));
    REFUSED(HgReplayCompare(t, recorded, replayed), steps[k], made[k], original->name);
  }
  changed = HG_NO_MODE;
  return 0;
}

/* A kernel that is right in the patch alone. */
static PetscErrorCode together(void) {
  PlantedCase c;
  char text[256];
  original = hg_heat_physics.stencils[0];
  HgStencil spoilt = *original;
  spoilt.apply = apply;
  changed = HG_NO_MODE;
  PetscCall(planted_create(&hg_heat_physics, NULL, original, &spoilt, STEPS, &c));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "together", text));
  changed = TOGETHER;
  PetscCall(HgReplay(c.trajectory, "together", 0, STEPS, "together-replayed"));
  REFUSED(HgReplayCompare(c.trajectory, "together", "together-replayed"),
          "'u' is written by 'heat'; what lies between steps 0 and 3 was not recorded",
          "run one by one they make what was recorded: it is how they are run together");
  changed = HG_NO_MODE;
  return planted_destroy(&c);
}

static PetscErrorCode physics(const HgPhysics *physics, const void *params, int stencil,
                              const char made[2][80]) {
  PlantedCase c;
  char text[256], recorded[64];
  snprintf(recorded, sizeof recorded, "%s", physics->stencils[stencil]->name);
  original = physics->stencils[stencil];
  HgStencil spoilt = *original;
  spoilt.apply = apply, spoilt.adjoint = adjoint;
  changed = HG_NO_MODE;
  PetscCall(planted_create(physics, params, original, &spoilt, STEPS, &c));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 1}, recorded, text));
  PetscCall(claim_named(c.trajectory, recorded, made));
  return planted_destroy(&c);
}

int main(int argc, char **argv) {
  static const HgShallowWaterParams shallow = {.gravity = 1, .scheme.epsilon = 0.1};
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("where a replay parts, the operators that make the variable are named", 0);
  if (!ierr)
    ierr = physics(&hg_heat_physics, NULL, 0,
                   (const char[2][80]){"'u' is written by 'heat'",
                                       "lambda of 'u' is made by the adjoints of 'heat'"});
  if (!ierr)
    ierr = physics(&hg_shallow_water_physics, &shallow, 1,
                   (const char[2][80]){"'u' is written by 'shallow_dynamics'",
                                       "lambda of 'h' is made by the adjoints of "});
  if (!ierr) ierr = together();
  return claim_end(ierr);
}
