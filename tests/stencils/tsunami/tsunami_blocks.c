/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a step of the tsunami, linear or not, whose new currents its later terms read, has the
   bits of terms run alone, in narrow tiles and where several are made at once, as linear ones are;
   tangents likewise. */
#include "claim.h"
#include "tsunami_case.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { STEPS = 8, DIGESTS = 4, DIGEST = 18 };

/* Of STEPS steps several at once, and of their last one term by term; of the state and of the
   tangent after one step more. */
static PetscErrorCode fingerprints(const TsunamiCase *c, char text[DIGESTS][DIGEST]) {
  const HgProgram p = c->program;
  HgState constants, dconstants, q[4];
  PetscCall(HgProgramCreateConstants(p, &constants));
  PetscCall(HgStateDuplicate(constants, &dconstants));
  for (int k = 0; k < 4; k++) PetscCall(HgProgramCreateCarried(p, &q[k]));
  PetscCall(HgProgramSplit(p, c->x, q[0], constants));
  PetscCall(HgStateRandom(dconstants, 3));
  PetscCall(HgStateRandom(q[2], 4));

  PetscCall(HgStateCopy(q[0], q[3]));
  for (long n = 0, stride; n < STEPS; n += stride) {
    stride = HgProgramStride(p, STEPS - n);
    PetscCall(HgProgramSteps(p, n, stride, constants, q[0], NULL, HG_SAVE_ALL, q[1]));
    HgStateSwap(q[0], q[1]);
  }
  PetscCall(HgStateDigest(q[0], NULL, text[0]));
  for (long n = 0; n < STEPS; n++) {
    PetscCall(HgProgramTermsStep(p, n, constants, q[3], q[1]));
    HgStateSwap(q[3], q[1]);
  }
  PetscCall(HgStateDigest(q[3], NULL, text[1]));
  PetscCall(HgProgramStepTangent(p, STEPS, constants, dconstants, q[0], q[2], q[1], q[3]));
  PetscCall(HgStateDigest(q[1], NULL, text[2]));
  PetscCall(HgStateDigest(q[3], NULL, text[3]));

  for (int k = 0; k < 4; k++) PetscCall(HgStateDestroy(&q[k]));
  return HgStatesDestroy(&dconstants, &constants);
}

static PetscErrorCode run(const HgPhysics *physics, bool fuse, char text[DIGESTS][DIGEST]) {
  const TsunamiSpec spec = {.sponge = 5, .steps = STEPS, .physics = physics};
  TsunamiCase c;
  PetscCall(set_option("-hg_fuse", fuse));
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  const long stride = HgProgramStride(c.program, STEPS);
  if (!fuse) claim_that(stride == 1, "%ld steps at once without -hg_fuse, expected 1", stride);
  else if (physics == &tsunami_physics)
    claim_that(stride > 1, "%ld step at once, expected several", stride);
  PetscCall(fingerprints(&c, text));
  return tsunami_destroy(&c);
}

static PetscErrorCode test(const HgPhysics *physics) {
  char together[DIGESTS][DIGEST], apart[DIGESTS][DIGEST];
  PetscCall(run(physics, true, together));
  PetscCall(run(physics, false, apart));
  claim_that(!strcmp(together[0], together[1]), "%s: '%s', of terms alone '%s'", physics->name,
             together[0], together[1]);
  for (int k = 0; k < DIGESTS; k++)
    claim_that(!strcmp(together[k], apart[k]), "%s: '%s', with -hg_fuse 0 '%s' (%d)", physics->name,
               together[k], apart[k], k);
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("steps of the tsunami have the same bits together as term by term", 0);
  if (!ierr) ierr = set_option("-hg_time_block", 3);
  if (!ierr) ierr = set_option("-hg_tile_columns", 16);
  if (!ierr) ierr = set_option("-hg_tile_rows", 3);
  if (!ierr) ierr = test(&tsunami_physics);
  if (!ierr) ierr = test(&tsunami_nonlinear_physics);
  return claim_end(ierr);
}
