/* SPDX-License-Identifier: BSD-2-Clause */
/* The recording of a gradient that was killed goes on with it. */
#include "recorder_private.h"
#include <halograd/file.h>
#include <string.h>

/* Whether they are of one gradient. Ranks, patches and other options may differ. */
static bool of_one_gradient(const HgRecordHead *a, const HgRecordHead *b) {
  const bool run = !strcmp(a->application, b->application) && !strcmp(a->program, b->program) &&
                   a->steps == b->steps && a->dt == b->dt && a->sweeps == b->sweeps &&
                   HgSameGrid(&a->grid, &b->grid);
  const bool input = *a->input && !strcmp(a->input, b->input) && a->J_bar == b->J_bar;
  char has[2][96];
  return run && input && HgRecordedAlike(a, b, sizeof *has, has[0], has[1]);
}

/* The number of steps of a sweep to record up to step `at` of `sweep`, or `most` of them. */
static long expected(HgRecorder r, HgMode direction, HgMode sweep, long at, long most) {
  const long steps = HgTrajectorySteps(r->trajectory);
  const bool back = direction == HG_COTANGENT;
  long count = 0, n = back && sweep == direction ? at : 0;
  for (; (n = HgRecorderNext(r, direction, n)) <= steps && count < most; n++) {
    if (!HgSweepReached(sweep, at, direction, n)) break;
    count++;
  }
  return count;
}

/* Whether it has all steps to record up to there, and no others. Lines of a step are adjacent. */
static PetscErrorCode comes_up_to(HgRecorder r, HgRecording there, HgMode sweep, long at,
                                  bool *all) {
  const HgRecordHead *h = &there->head;
  long carried = 0, lines = 0;
  *all = true;
  for (int k = 0; k < h->variables; k++) carried += !h->variable[k].constant;
  for (int k = 0; k < there->ledger.lines && *all; k++) {
    const HgLedgerLine *l = &there->ledger.line[k];
    bool found = true;
    if (!HgSweepReached(sweep, at, l->direction, l->n)) continue;
    if (!k || l[-1].n != l->n || l[-1].direction != l->direction)
      PetscCall(HgRecordingFind(there, l->direction, l->n, &found));
    *all = found && HgRecorderNext(r, l->direction, l->n) == l->n;
    lines++;
  }
  const long forward = expected(r, HG_PRIMAL, sweep, at, lines + 1),
             back = sweep == HG_PRIMAL ? 0 : expected(r, HG_COTANGENT, sweep, at, lines + 1);
  *all = *all && lines == forward * carried + back * h->variables;
  return 0;
}

static PetscErrorCode is_of_it(HgRecorder r, HgRecording there, HgState q, HgState constants,
                               bool *is) {
  const HgTrajectoryStart began = HgTrajectoryBegan(r->trajectory);
  HgRecordHead h;
  PetscCall(HgRecorderHead(r, q, constants, &h));
  *is = !there->ledger.whole && of_one_gradient(&h, &there->head);
  PetscCall(HgRecordHeadDestroy(&h));
  return *is ? comes_up_to(r, there, began.sweep, began.n, is) : 0;
}

PetscErrorCode HgRecorderTakeUp(HgRecorder r, HgState q, HgState constants, bool *taken) {
  const HgTrajectoryStart began = HgTrajectoryBegan(r->trajectory);
  char path[PETSC_MAX_PATH_LEN];
  HgRecording there;
  bool head, ledger;
  *taken = false;
  snprintf(path, sizeof path, "%s/steps.csv", r->directory);
  PetscCall(HgRecordFind(r->comm, r->directory, "recording.yaml", &head));
  PetscCall(HgRecordFind(r->comm, r->directory, "steps.csv", &ledger));
  if (head && ledger) {
    PetscCall(HgRecordingOpen(r->comm, r->directory, &there));
    const PetscErrorCode ierr = is_of_it(r, there, q, constants, taken);
    PetscCall(HgRecordingClose(&there));
    if (ierr) return ierr;
  }
  if (!*taken)
    return PetscPrintf(r->comm,
                       "record: the gradient that goes on has no recording up to there in '%s': "
                       "the next one is recorded\n",
                       r->directory);
  char stem[HG_GENERATION_STEM];
  HgRecordStem(r->directory, HG_NO_MODE, 0, stem);
  PetscCall(HgManifestFind(r->comm, stem, &r->constants_kept));
  PetscCall(HgRecordShorten(r->comm, r->directory, began.sweep, began.n));
  return HgLedgerGoOn(r->comm, path, r->spec.sync, began.sweep, began.n, &r->ledger);
}
