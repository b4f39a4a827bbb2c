/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a run that goes on from a time of its own results, on any decomposition, ends with the
   bits of the run that never stopped; another dt, or steps that do not go on counting, are refused;
   what is asked of a file in vain is said in one sentence. */
#include "refusal.h"
#include "shallow_case.h"
#include <halograd/program_library.h>
#include <halograd/results.h>
#include <halograd/state_library.h>

enum { NX = 19, NY = 17, STEPS = 9, EVERY = 2 };

static const ShallowSpec spec = {
    .nx = NX, .ny = NY, .steps = STEPS, .periodic_x = true, .slots = 1};

/* Steps from q on, the first being number `from`; what is left is in q. */
static PetscErrorCode go_on(const ShallowCase *c, long from, HgState q, HgResults results) {
  HgState next, constants, unused;
  PetscCall(HgProgramCreateCarried(c->program, &next));
  PetscCall(HgProgramCreateCarried(c->program, &unused));
  PetscCall(HgProgramCreateConstants(c->program, &constants));
  PetscCall(HgProgramSplit(c->program, c->x, unused, constants));
  for (long n = from; n < STEPS; n++) {
    if (results && n % EVERY == 0)
      PetscCall(HgResultsWrite(results, (double)n * HgProgramTimeStep(c->program), q, NULL));
    PetscCall(HgProgramStep(c->program, n, constants, q, next));
    HgStateSwap(q, next);
  }
  return HgStatesDestroy(&constants, &unused, &next);
}

/* From the initial state, whose ghosts outside walls are in no file. */
static PetscErrorCode start(const ShallowCase *c, HgState *q) {
  HgState constants;
  PetscCall(HgProgramCreateCarried(c->program, q));
  PetscCall(HgProgramCreateConstants(c->program, &constants));
  PetscCall(HgProgramSplit(c->program, c->x, *q, constants));
  return HgStateDestroy(&constants);
}

static PetscErrorCode run_whole(const ShallowCase *c, char digest[17]) {
  HgResults results;
  HgState q;
  PetscCall(start(c, &q));
  PetscCall(HgResultsCreate(c->mesh, "out", "restart", "a test", &results));
  PetscCall(go_on(c, 0, q, results));
  PetscCall(HgResultsClose(&results));
  PetscCall(HgStateDigest(q, NULL, digest));
  return HgStateDestroy(&q);
}

static PetscErrorCode restarted(int px, int py, long index, long step, const char whole[]) {
  ShallowSpec s = spec;
  ShallowCase c;
  HgState q;
  double time = -1;
  char digest[17];
  s.px = px, s.py = py;
  PetscCall(shallow_create(PETSC_COMM_WORLD, &s, &c));
  PetscCall(start(&c, &q));
  PetscCall(HgResultsRead(q, "out/restart.h5", index, &time));
  claim_same(time, (double)step * HgProgramTimeStep(c.program), "time at index %ld", index);
  PetscCall(go_on(&c, step, q, NULL));
  PetscCall(HgStateDigest(q, NULL, digest));
  claim_that(!strcmp(digest, whole), "from step %ld, %d x %d patches: %s, expected %s", step, px,
             py, digest, whole);
  PetscCall(HgStateDestroy(&q));
  return shallow_destroy(&c);
}

/* A step of so many dt from the last time; `refused`, unless it goes on as the run would have. */
static PetscErrorCode step_from(const ShallowCase *c, double factor, long step, bool refused) {
  HgShallowWaterParams params = c->params;
  HgProgram program;
  HgState q, copy, next, constants;
  PetscCall(
      shallow_program(c->mesh, &spec, factor * HgProgramTimeStep(c->program), &params, &program));
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateCarried(program, &copy));
  PetscCall(HgProgramCreateCarried(program, &next));
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(HgProgramSplit(program, c->x, q, constants));
  PetscCall(HgResultsRead(q, "out/restart.h5", -1, NULL));
  PetscCall(HgStateCopy(q, copy));
  for (int k = 0; k < 2; k++)
    if (refused)
      REFUSED(HgProgramStep(program, step, constants, k ? copy : q, next), HgProgramName(program),
              "results that were read of a run after 8 steps of", "expected step 8 of");
    else PetscCall(HgProgramStep(program, step, constants, k ? copy : q, next));
  PetscCall(HgFieldReadAt(next, "h", "out/restart.h5", "h", -1, NULL));
  PetscCall(HgProgramStep(program, step, constants, next, q)); /* a field is no run */
  return DESTROY(&q, &copy, &next, &constants, &program);
}

/* Times that are not those of its steps, or of two runs with another dt: the file says of none. */
static PetscErrorCode other_times(const ShallowCase *c) {
  const double dt = HgProgramTimeStep(c->program);
  HgState q, next, constants;
  HgResults results;
  PetscCall(start(c, &q));
  PetscCall(HgProgramCreateCarried(c->program, &next));
  PetscCall(HgProgramCreateConstants(c->program, &constants));
  PetscCall(HgProgramSplit(c->program, c->x, q, constants));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgProgramStep(c->program, 0, constants, q, next));
    PetscCall(HgResultsCreate(c->mesh, "out", "other", "a test", &results));
    PetscCall(HgResultsWrite(results, k ? dt : 1000, next, NULL));
    PetscCall(HgProgramStep(c->program, 1, constants, next, q));
    PetscCall(HgResultsWrite(results, 2000, q, NULL));
    PetscCall(HgResultsClose(&results));
    PetscCall(HgResultsRead(next, "out/other.h5", 0, NULL));
    PetscCall(HgProgramStep(c->program, 5, constants, next, q));
  }
  PetscCall(HgStatesDestroy(&q, &next, &constants));
  return 0;
}

/* One field of its own, and what does not fit. */
static PetscErrorCode single_field(const ShallowCase *c) {
  static const char path[] = "out/restart.h5";
  const HgVariable others[] = {{"h", "m", HG_FIELD, 0}, {"l", "1", HG_LOCAL, 2}};
  char before[17], after[17];
  HgState q, other;
  double time;
  PetscCall(start(c, &q));
  PetscCall(HgStateCreate(c->mesh, 2, others, &other));
  PetscCall(HgFieldReadAt(q, "h", path, "h", 0, &time));
  PetscCall(HgStateDigest(q, "h", before));
  PetscCall(HgStateDigest(c->x, "h", after));
  claim_that(time == 0 && !strcmp(before, after), "h at index 0 is that of the start");
  PetscCall(HgFieldReadAt(q, "u", path, "u", -5, NULL));
  PetscCall(HgStateDigest(q, NULL, before));
  REFUSED(HgFieldReadAt(q, "h", path, "h", 5, &time), "time index 5", "it has 5 times");
  REFUSED(HgFieldReadAt(q, "h", path, "h", -6, NULL), "time index -6", "-1 is the last");
  REFUSED(HgFieldReadAt(q, "h", path, "w", 0, NULL), path, "'w'");
  REFUSED(HgFieldReadAt(q, "h", path, "x", 0, NULL), "'x' has the shape 19",
          "expected (time, y, x) = any x 17 x 19");
  REFUSED(HgFieldRead(q, "h", path, "h"), "'h' has the shape 5 x 17 x 19",
          "expected (y, x) = 17 x 19", "write one alone");
  REFUSED(HgResultsRead(other, path, 0, &time), path, "'l'");
  PetscCall(HgStateDigest(q, NULL, after));
  claim_that(!strcmp(before, after), "a refusal changes nothing");
  return HgStatesDestroy(&other, &q);
}

static PetscErrorCode test(void) {
  ShallowCase c;
  char whole[17];
  const int size = claim.ranks;
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(run_whole(&c, whole));
  for (int k = 0; k < 2; k++) { /* 5 times: steps 0, 2, 4, 6, 8 */
    PetscCall(restarted(k ? 1 : size, k ? size : 1, 0, 0, whole));
    PetscCall(restarted(k ? 1 : size, k ? size : 1, 2, 4, whole));
    PetscCall(restarted(k ? 1 : size, k ? size : 1, -1, 8, whole));
  }
  PetscCall(single_field(&c));
  PetscCall(step_from(&c, 1, 8, false));
  PetscCall(step_from(&c, 1, 0, true));
  PetscCall(step_from(&c, 1, 9, true));
  PetscCall(step_from(&c, 0.5, 8, true));
  PetscCall(step_from(&c, 0.5, 16, true));
  PetscCall(other_times(&c));
  return shallow_destroy(&c);
}

CLAIM("a run goes on from its own results with the same bits", 0, test)
