/* SPDX-License-Identifier: BSD-2-Clause */
/* What was replayed beside what was recorded, and which operators are to be looked at where they
   part. */
#include <halograd/error_library.h>
#include <halograd/program_library.h>
#include <halograd/recorder_library.h>
#include <halograd/recording_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>
#include <string.h>

enum { WORDS = 2048 };

/* Names the operators that write the variable. */
static void say_operators(HgProgram program, const HgRecordingDifference *d, char words[WORDS]) {
  const char *const what = d->direction == HG_PRIMAL
                               ? "'%s' is written by %s"
                               : "lambda of '%s' is made by the adjoints of %s";
  char names[WORDS / 2];
  HgProgramTermsOf(program, d->variable, d->direction, sizeof names, names);
  HgSentenceAdd(WORDS, words, "; ");
  HgSentenceAdd(WORDS, words, what, d->variable, *names ? names : "nothing");
  const long apart = d->n > d->before ? d->n - d->before : d->before - d->n;
  if (d->before < 0) HgSentenceAdd(WORDS, words, "; no step before it was compared");
  else if (apart > 1)
    HgSentenceAdd(WORDS, words, "; what lies between steps %ld and %ld was not recorded", d->before,
                  d->n);
}

/* *same: variable `name` of q_n equals the recorded one if all operators of the steps from `before`
   on run one by one. */
static PetscErrorCode one_by_one(HgProgram program, HgRecording r, const HgRecordingDifference *d,
                                 bool *same) {
  HgState constants, q, next;
  char was[17], is[17];
  PetscCall(HgProgramCreateConstants(program, &constants));
  PetscCall(HgProgramCreateCarried(program, &q));
  PetscCall(HgProgramCreateCarried(program, &next));
  PetscErrorCode ierr = constants ? HgRecordingReadConstants(r, constants) : 0;
  if (!ierr) ierr = HgRecordingReadTo(r, HG_PRIMAL, d->before, false, q);
  for (long n = d->before; !ierr && n < d->n; n++) {
    ierr = HgProgramTermsStep(program, n, constants, q, next);
    HgStateSwap(q, next);
  }
  if (!ierr) ierr = HgStateDigest(q, d->variable, is);
  if (!ierr) ierr = HgRecordingReadTo(r, HG_PRIMAL, d->n, false, next);
  if (!ierr) ierr = HgStateDigest(next, d->variable, was);
  *same = !ierr && !strcmp(was, is);
  PetscCall(HgStatesDestroy(&constants, &q, &next));
  return ierr;
}

/* Reports other compilers, flags or versions, which may be why they differ. */
static void say_builds(const HgRecordHead *a, const HgRecordHead *b, char words[WORDS]) {
  if (strcmp(a->compiler, b->compiler) || strcmp(a->flags, b->flags) ||
      strcmp(a->version, b->version))
    HgSentenceAdd(WORDS, words, "; built by %s %s (halograd %s) and by %s %s (halograd %s)",
                  a->compiler, a->flags, a->version, b->compiler, b->flags, b->version);
}

static PetscErrorCode compare(HgProgram program, HgRecording a, HgRecording b, int *compared,
                              char words[WORDS]) {
  HgRecordingDifference d;
  bool same = false;
  *words = 0;
  PetscCall(HgRecordingCompare(a, b, &d));
  *compared = d.compared;
  if (!d.differ) return 0;
  HgRecordingTell(&d, WORDS, words);
  say_builds(&a->head, &b->head, words);
  if (!program || d.direction == HG_NO_MODE) return 0;
  say_operators(program, &d, words);
  if (d.direction != HG_PRIMAL || d.before < 0 || !d.states) return 0;
  PetscCall(one_by_one(program, a, &d, &same));
  if (same)
    HgSentenceAdd(WORDS, words,
                  "; run one by one they make what was recorded: it is how they are run together");
  return 0;
}

PetscErrorCode HgRecordingsCompareTwo(MPI_Comm comm, HgProgram program, const char recorded[],
                                      const char replayed[]) {
  HgRecording a, b;
  char words[WORDS];
  int compared = 0;
  PetscCall(HgRecordingOpen(comm, recorded, &a));
  PetscErrorCode ierr = HgRecordingOpen(comm, replayed, &b);
  if (!ierr) {
    ierr = compare(program, a, b, &compared, words);
    if (!ierr && !*words && !program) ierr = HgRecordingVerify(a);
    if (!ierr && !*words && !program) ierr = HgRecordingVerify(b);
    PetscCall(HgRecordingClose(&b));
  }
  PetscCall(HgRecordingClose(&a));
  if (ierr) return ierr;
  HgRequire(comm, !*words, HG_ERR_CHECK_FAILED, "recordings '%s' and '%s': %s", recorded, replayed,
            words);
  return PetscPrintf(comm, "recordings '%s' and '%s': same bits in %d steps of their sweeps\n",
                     recorded, replayed, compared);
}

PetscErrorCode HgReplayCompare(HgTrajectory t, const char recorded[], const char replayed[]) {
  const HgProgram program = HgTrajectoryProgram(t);
  return HgRecordingsCompareTwo(HgMeshComm(HgProgramMesh(program)), program, recorded, replayed);
}
