/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: what is recorded is q_n, lambda_n = dJ/dq_n and the constants' cotangents so far, as a
   sweep by hand makes them, bit for bit, and any ranks read it. */
#include "recorded.h"
#include "shallow_case.h"
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { STEPS = 23, EVERY = 4 };

static const char folder[] = "recording";

/* q_0 .. q_N, and what the objective needs. */
static PetscErrorCode forward(ShallowCase *c, HgState constants, HgState q[]) {
  for (int n = 0; n <= STEPS; n++) PetscCall(HgProgramCreateCarried(c->program, &q[n]));
  PetscCall(HgProgramSplit(c->program, c->x, q[0], constants));
  PetscCall(HgObjectiveStart(c->objective));
  for (int n = 0; n < STEPS; n++) {
    PetscCall(HgObjectiveObserve(c->objective, n, q[n], NULL));
    PetscCall(HgProgramStep(c->program, n, constants, q[n], q[n + 1]));
  }
  return HgObjectiveObserve(c->objective, STEPS, q[STEPS], NULL);
}

static PetscErrorCode claim_recorded(HgRecording r, HgMode direction, long n, bool constants,
                                     HgState expected) {
  HgState read;
  char a[17], b[17];
  PetscCall(HgStateDuplicate(expected, &read));
  PetscCall(HgRecordingReadTo(r, direction, n, constants, read));
  PetscCall(HgStateDigest(expected, NULL, a));
  PetscCall(HgStateDigest(read, NULL, b));
  claim_that(!strcmp(a, b), "step %ld, direction %d, constants %d: digest %s, expected %s", n,
             direction, constants, b, a);
  return HgStateDestroy(&read);
}

/* lambda_n and constants_bar by single steps, compared where they were recorded. */
static PetscErrorCode reverse(ShallowCase *c, HgRecording r, HgState constants, HgState q[]) {
  HgState bar, next, scratch, constants_bar;
  PetscCall(HgProgramCreateCarried(c->program, &bar));
  PetscCall(HgProgramCreateCarried(c->program, &next));
  PetscCall(HgProgramCreateCarried(c->program, &scratch));
  PetscCall(HgProgramCreateConstants(c->program, &constants_bar));
  for (int n = STEPS; n >= 0; n--) {
    if (n < STEPS) {
      PetscCall(
          HgProgramStepAdjoint(c->program, n, constants, q[n], scratch, next, bar, constants_bar));
    }
    PetscCall(HgObjectiveGradient(c->objective, n, q[n], 1, bar));
    PetscCall(HgProgramBoundaryAdjoint(c->program, bar));
    if (n % EVERY == 0 || n == STEPS) {
      PetscCall(claim_recorded(r, HG_PRIMAL, n, false, q[n]));
      PetscCall(claim_recorded(r, HG_COTANGENT, n, false, bar));
      PetscCall(claim_recorded(r, HG_COTANGENT, n, true, constants_bar));
    }
    HgStateSwap(bar, next);
  }
  PetscCall(HgStatesDestroy(&bar, &next, &scratch, &constants_bar));
  return 0;
}

/* Every rank alone reads what all have written: the digest is that of the ledger. */
static PetscErrorCode read_alone(void) {
  HgRecording r;
  HgState q;
  char digest[17], line[64], *ledger;
  PetscCall(HgRecordingOpen(PETSC_COMM_SELF, folder, &r));
  claim_that(r->ledger.whole, "the recording is whole");
  PetscCall(HgRecordingRead(r, HG_COTANGENT, EVERY, false, &q));
  PetscCall(recorded_text(PETSC_COMM_SELF, folder, "steps.csv", &ledger));
  for (int k = 0; k < HgStateCount(q); k++) {
    const HgVariable *const v = HgStateVariable(q, k);
    PetscCall(HgStateDigest(q, v->name, digest));
    snprintf(line, sizeof line, "\nreverse,%d,", EVERY);
    const char *at = strstr(ledger, line);
    for (; at && strncmp(strchr(at + strlen(line), ',') + 1, v->name, strlen(v->name));)
      at = strstr(at + 1, line);
    claim_that(at && !strncmp(strchr(at + 1, '\n') - 16, digest, 16),
               "'%s' read alone has digest %s, which is not the ledger's", v->name, digest);
  }
  PetscCall(PetscFree(ledger));
  PetscCall(HgStateDestroy(&q));
  return HgRecordingClose(&r);
}

static PetscErrorCode test(void) {
  const ShallowSpec spec = {
      .nx = 30, .ny = 27, .steps = STEPS, .reflecting = true, .ghost = 4, .slots = 12};
  ShallowCase c;
  HgRecording r;
  HgState constants, q[STEPS + 1];
  char text[256];
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(record_gradient(c.trajectory, c.op, c.x,
                            &(HgRecorderSpec){.every = EVERY, .sync = true}, folder, text));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, folder, &r));
  PetscCall(HgProgramCreateConstants(c.program, &constants));
  PetscCall(forward(&c, constants, q));
  PetscCall(reverse(&c, r, constants, q));
  PetscCall(read_alone());
  PetscCall(HgRecordingClose(&r));
  for (int n = 0; n <= STEPS; n++) PetscCall(HgStateDestroy(&q[n]));
  PetscCall(HgStateDestroy(&constants));
  return shallow_destroy(&c);
}

CLAIM("what is recorded is what a sweep by hand makes", 0, test)
