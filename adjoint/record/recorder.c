/* SPDX-License-Identifier: BSD-2-Clause */
#include "recorder_private.h"
#include <halograd/file_library.h>
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/real_library.h>
#include <halograd/state_library.h>
#include <halograd/version.h>
#include <math.h>
#include <string.h>

enum { OBSERVED = 256 };

/* ---- which steps ---- */
static long next_listed(const HgRecorder r, HgMode direction, long n) {
  long first = r->spec.like ? HgRecordingNext(r->spec.like, direction, n) : HG_NO_STEP;
  for (int k = 0; k < r->spec.steps; k++)
    if (r->spec.step[k] >= n) first = PetscMin(first, r->spec.step[k]);
  return first;
}

long HgRecorderNext(HgRecorder r, HgMode direction, long n) {
  const long steps = HgTrajectorySteps(r->trajectory);
  if (r->spec.like || r->spec.steps) return next_listed(r, direction, n);
  if (n > steps) return HG_NO_STEP;
  return PetscMin(HgStepMultiple(r->every, n), steps);
}

static long next_step(void *self, HgMode direction, long n) {
  const HgRecorder r = self;
  const bool sees = r->running && (direction == HG_PRIMAL || direction == r->run);
  return sees ? HgRecorderNext(r, direction, n) : HG_NO_STEP;
}

/* ---- the head ---- */
static void describe(HgState s, bool constant, const bool kept[], HgRecordHead *h) {
  for (int k = 0; k < HgStateCount(s); k++) {
    const HgVariable *v = HgStateVariable(s, k);
    if (kept && !kept[k]) continue;
    HgRecorded *e = &h->variable[h->variables++];
    *e = (HgRecorded){.kind = v->kind, .constant = constant, .surface = v->surface};
    e->size = HgIsField(v) ? 0 : v->size;
    snprintf(e->name, sizeof e->name, "%s", v->name);
    snprintf(e->unit, sizeof e->unit, "%s", v->unit);
  }
}

/* The steps that J reads, in at most OBSERVED sets; of more, every n-th. */
static PetscErrorCode observed(HgRecorder r, HgRecordHead *h) {
  const HgObjective J = HgTrajectoryObjective(r->trajectory);
  long count = 0, last = -1, (*all)[3] = NULL;
  for (long n = 0; (n = HgObjectiveNext(J, n)) <= h->steps; n++) {
    long *const set = count ? all[count - 1] : NULL;
    const bool second = set && set[0] == set[1];
    if (set && (second || n - last == set[2])) set[1] = n, set[2] = second ? n - last : set[2];
    else {
      PetscCall(PetscRealloc(sizeof *all * (size_t)(count + 1), &all));
      all[count][0] = all[count][1] = n, all[count++][2] = 1;
    }
    last = n;
  }
  const long every = (count + OBSERVED - 1) / OBSERVED;
  for (long k = 0; k < count; k += every) memmove(all[h->observed++], all[k], sizeof *all);
  h->observation = all;
  return 0;
}

/* Writes the digest of the input, which distinguishes gradients. */
static PetscErrorCode say_input(HgRecorder r, HgRecordHead *h) {
  if (r->run != HG_COTANGENT || r->spec.like) return 0;
  const HgTrajectoryStart began = HgTrajectoryBegan(r->trajectory);
  h->J_bar = began.J_bar;
  return HgStateDigest(began.x, NULL, h->input);
}

PetscErrorCode HgRecorderHead(HgRecorder r, HgState q, HgState constants, HgRecordHead *h) {
  *h = (HgRecordHead){.grid = *HgMeshGetSpec(HgProgramMesh(r->program)),
                      .dt = HgProgramTimeStep(r->program),
                      .steps = HgTrajectorySteps(r->trajectory),
                      .single = HG_REAL_SHIFT > 0,
                      .sweeps = r->run == HG_COTANGENT ? 2 : 1};
  snprintf(h->application, sizeof h->application, "%s", r->application);
  snprintf(h->stage, sizeof h->stage, "%s", r->spec.stage);
  snprintf(h->program, sizeof h->program, "%s", HgProgramName(r->program));
  snprintf(h->version, sizeof h->version, "%s", HALOGRAD_VERSION);
  snprintf(h->compiler, sizeof h->compiler, "%s", HALOGRAD_COMPILER);
  snprintf(h->flags, sizeof h->flags, "%s", HALOGRAD_FLAGS);
  PetscCall(PetscStrallocpy(r->options, &h->options));
  PetscCall(
      PetscCalloc1(HgStateCount(q) + (constants ? HgStateCount(constants) : 0), &h->variable));
  describe(q, false, NULL, h);
  if (r->constants) describe(constants, true, r->active, h);
  PetscCall(say_input(r, h));
  return observed(r, h);
}

static PetscErrorCode write_head(HgRecorder r, HgState q, HgState constants) {
  HgRecordHead h;
  PetscCall(HgRecorderHead(r, q, constants, &h));
  const PetscErrorCode ierr = HgRecordHeadWrite(r->comm, r->directory, &h);
  PetscCall(HgRecordHeadDestroy(&h));
  return ierr;
}

/* ---- a run ---- */

static PetscErrorCode drop_generations(HgRecorder r) {
  for (int k = 0; k < HG_MODES; k++) PetscCall(HgGenerationDestroy(&r->generation[k]));
  return HgGenerationDestroy(&r->constants_image);
}

/* Finds active constants: they may have changed since the recorder was created, or since the last
   run. */
static PetscErrorCode find_active(HgRecorder r, HgState constants) {
  const int count = constants ? HgStateCount(constants) : 0;
  bool *active, same = r->active != NULL;
  PetscCall(PetscCalloc1(PetscMax(1, count), &active));
  r->constants = HgProgramActiveConstants(r->program, constants, active);
  for (int k = 0; k < count; k++) same = same && active[k] == r->active[k];
  if (!same) PetscCall(drop_generations(r));
  PetscCall(PetscFree(r->active));
  r->active = active;
  return 0;
}

/* Creates generations and keeps them for later runs: laying out images costs as much as writing
   some. */
static PetscErrorCode make_generations(HgRecorder r, HgState q, HgState constants) {
  HgGenerationKind kind = HgRecordKind(HG_PRIMAL, false);
  if (!r->constants_image && constants) {
    const HgGenerationKind fixed = HgRecordKind(HG_NO_MODE, false);
    PetscCall(HgGenerationCreate(&fixed, &constants, &r->constants_image));
  }
  if (!r->generation[HG_PRIMAL])
    PetscCall(HgGenerationCreate(&kind, &q, &r->generation[HG_PRIMAL]));
  if (r->run == HG_PRIMAL || r->generation[r->run]) return 0;
  kind = HgRecordKind(r->run, r->constants);
  kind.kept[1] = r->active;
  const HgState pair[] = {q, constants};
  return HgGenerationCreate(&kind, pair, &r->generation[r->run]);
}

static PetscErrorCode open_new(HgRecorder r, HgState q, HgState constants) {
  char path[PETSC_MAX_PATH_LEN];
  if (r->valued || r->earlier) PetscCall(HgRecordingClear(r->comm, r->directory));
  if (*r->beside) PetscCall(HgRecordingClear(r->comm, r->beside));
  r->earlier = 0, r->beside[0] = 0;
  PetscCall(write_head(r, q, constants));
  snprintf(path, sizeof path, "%s/steps.csv", r->directory);
  return HgLedgerCreate(r->comm, path, r->spec.sync, &r->ledger);
}

/* A gradient resumed after a kill is recorded if its recording is resumed too. */
static PetscErrorCode open_recording(HgRecorder r, HgState q, HgState constants) {
  const bool goes_on = r->run == HG_COTANGENT && HgTrajectoryGoesOn(r->trajectory);
  PetscCall(find_active(r, constants));
  PetscCall(make_generations(r, q, constants));
  r->running = true;
  if (!goes_on) return open_new(r, q, constants);
  PetscCall(HgRecorderTakeUp(r, q, constants, &r->running));
  if (r->running) r->earlier = 0;
  return 0;
}

static PetscErrorCode begin_run(void *self, HgMode run) {
  HgRecorder r = self;
  HgState q, constants;
  r->running = false;
  if (!r->armed || run == HG_TANGENT) return 0;
  const bool may_go_on = r->spec.goes_on && r->earlier == 2; /* with an earlier gradient */
  if (run == HG_PRIMAL && (r->valued || may_go_on)) return 0;
  r->run = run, r->bytes = 0, r->constants_kept = false;
  PetscCall(HgProgramCreateCarried(r->program, &q));
  PetscCall(HgProgramCreateConstants(r->program, &constants));
  const PetscErrorCode ierr = open_recording(r, q, constants);
  PetscCall(HgStatesDestroy(&q, &constants));
  if (ierr) r->running = false;
  return ierr;
}

/* Written once per run: what a replay needs besides a state. */
static PetscErrorCode write_constants(HgRecorder r, HgState constants) {
  char stem[HG_GENERATION_STEM];
  r->constants_kept = true;
  if (!constants) return 0;
  HgRecordStem(r->directory, HG_NO_MODE, 0, stem);
  r->bytes += (double)HgGenerationBytes(r->constants_image);
  return HgGenerationWrite(r->constants_image, stem, "constants", 0, &constants, r->spec.sync,
                           NULL);
}

static PetscErrorCode write_step(HgRecorder r, const HgTrajectorySight *s,
                                 const HgMeasuring measuring[2]) {
  const HgGeneration g = r->generation[s->direction];
  const HgState states[] = {s->state, s->constants};
  char stem[HG_GENERATION_STEM], line[HG_GENERATION_LINE];
  if (!r->constants_kept) PetscCall(write_constants(r, s->constants));
  HgRecordStem(r->directory, s->direction, s->n, stem);
  snprintf(line, sizeof line, "%s %ld t %a J %a", HgSweepName(s->direction), s->n, s->t, s->J);
  r->bytes += (double)HgGenerationBytes(g);
  return HgGenerationWrite(g, stem, line, s->n, states, r->spec.sync, measuring);
}

/* A line in the ledger means that the states are on disk, so it is written after them. */
static PetscErrorCode record_step(void *self, const HgTrajectorySight *s) {
  HgRecorder r = self;
  HgMeasuring measuring[2] = {NULL};
  const bool constants = s->direction == HG_COTANGENT && r->constants;
  PetscCall(HgMeasuringBegin(s->state, NULL, true, &measuring[0]));
  if (constants) PetscCall(HgMeasuringBegin(s->constants, r->active, true, &measuring[1]));
  PetscErrorCode ierr = write_step(r, s, measuring);
  if (!ierr) ierr = HgLedgerAdd(r->ledger, s->direction, s->n, s->t, s->state, NULL, &measuring[0]);
  if (!ierr && constants)
    ierr = HgLedgerAdd(r->ledger, s->direction, s->n, s->t, s->constants, r->active, &measuring[1]);
  for (int k = 0; k < 2; k++) PetscCall(HgMeasuringDestroy(&measuring[k]));
  return ierr;
}

/* Ends a recorded run, or one that will not be recorded. */
static PetscErrorCode finish(HgRecorder r, bool waits) {
  r->running = false, r->armed = r->valued = waits;
  if (!waits) HgFileUnlock(&r->lock);
  return HgLedgerDestroy(&r->ledger);
}

static PetscErrorCode end_run(void *self, HgMode run, double J) {
  HgRecorder r = self;
  if (!r->running || run != r->run) return 0;
  const bool stopped = run != HG_PRIMAL && !isfinite(J); /* nothing was reversed */
  if (!stopped) PetscCall(HgLedgerEnd(r->ledger, J));
  return finish(r, run == HG_PRIMAL);
}

static void forget_trajectory(void *self) { ((HgRecorder)self)->trajectory = NULL; }

/* ---- a recorder ---- */
static PetscErrorCode check_spec(MPI_Comm comm, const HgRecorderSpec *s, long steps) {
  HgRequire(comm, !s->every || !(s->steps || s->like), HG_ERR_RECORDING_LACKS,
            "record: steps chosen in more than one way (every %ld, %d listed%s), expected one",
            s->every, s->steps, s->like ? ", like a recording" : "");
  HgRequire(comm, s->every >= 0 && s->steps >= 0 && s->steps <= HG_RECORD_STEPS,
            HG_ERR_RECORDING_LACKS,
            "record: every %ld, %d listed, expected numbers that are not negative, and at most %d "
            "listed",
            s->every, s->steps, (int)HG_RECORD_STEPS);
  for (int k = 0; k < s->steps; k++)
    HgRequire(comm, s->step[k] >= 0 && s->step[k] <= steps, HG_ERR_RECORDING_LACKS,
              "record: step %d asked for, expected 0 to %ld, the run's last step", s->step[k],
              steps);
  return 0;
}

PetscErrorCode HgRecorderCreate(HgTrajectory trajectory, const HgRecorderSpec *spec,
                                HgRecorder *recorder) {
  const HgProgram program = HgTrajectoryProgram(trajectory);
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  const long steps = HgTrajectorySteps(trajectory);
  HgRecorder r;
  PetscCall(check_spec(comm, spec, steps));
  PetscCall(PetscNew(&r));
  r->trajectory = trajectory, r->program = program, r->comm = comm, r->spec = *spec, r->lock = -1;
  r->every = spec->every ? spec->every : PetscMax(1L, steps / 10);
  PetscCall(PetscStrallocpy(spec->application ? spec->application : "", &r->application));
  PetscCall(PetscStrallocpy(spec->options ? spec->options : "", &r->options));
  *recorder = r;
  return HgTrajectoryAddObserver(trajectory, &(HgTrajectoryObserver){.next = next_step,
                                                                     .see = record_step,
                                                                     .begin = begin_run,
                                                                     .end = end_run,
                                                                     .leave = forget_trajectory,
                                                                     .without_q = true,
                                                                     .context = r});
}

PetscErrorCode HgRecorderDestroy(HgRecorder *recorder) {
  HgRecorder r = *recorder;
  *recorder = NULL;
  if (!r) return 0;
  if (r->trajectory) PetscCall(HgTrajectoryRemoveObserver(r->trajectory, r));
  PetscCall(finish(r, false));
  PetscCall(drop_generations(r));
  PetscCall(PetscFree(r->active));
  PetscCall(PetscFree(r->application));
  PetscCall(PetscFree(r->options));
  return PetscFree(r);
}

/* Error: an earlier recording is of another program, so it must not be removed. */
static PetscErrorCode require_own(HgRecorder r) {
  HgRecordHead h;
  bool found;
  r->earlier = 0;
  PetscCall(HgRecordFind(r->comm, r->directory, "recording.yaml", &found));
  if (!found) return HgRecordRequireEmpty(r->comm, r->directory);
  PetscCall(HgRecordHeadRead(r->comm, r->directory, &h));
  const bool same =
      !strcmp(h.application, r->application) && !strcmp(h.program, HgProgramName(r->program));
  const PetscErrorCode ierr =
      same ? 0
           : HgError(r->comm, HG_ERR_FILE_MISMATCH,
                     "record: '%s' has a recording of program '%s' of '%s', expected one of "
                     "'%s' of '%s', or an empty folder",
                     r->directory, h.program, h.application, HgProgramName(r->program),
                     r->application);
  r->earlier = PetscMax(1, h.sweeps);
  PetscCall(HgRecordHeadDestroy(&h));
  return ierr;
}

/* Locks the folder. Error: it has a recording of another program. */
static PetscErrorCode lock_recording(HgRecorder r, const char directory[]) {
  char path[PETSC_MAX_PATH_LEN], taken[PETSC_MAX_PATH_LEN + 64];
  HgRequire(r->comm, strlen(directory) < sizeof r->directory, HG_ERR_FILE_NAME,
            "record: the name of the folder has %zu bytes, expected less than %zu",
            strlen(directory), sizeof r->directory);
  PetscCall(finish(r, false));
  snprintf(r->directory, sizeof r->directory, "%s", directory);
  snprintf(path, sizeof path, "%s/lock", directory);
  snprintf(taken, sizeof taken, "record: another run is recording in '%s'", directory);
  PetscCall(HgDirectoryCreate(r->comm, directory));
  PetscCall(HgFileLock(r->comm, path, taken, &r->lock));
  return require_own(r);
}

PetscErrorCode HgRecorderReplaces(HgRecorder r, const char directory[]) {
  bool found;
  PetscCall(HgRecordFind(r->comm, directory, "recording.yaml", &found));
  if (!found) return 0;
  PetscCall(lock_recording(r, directory));
  PetscCall(PetscStrncpy(r->beside, directory, sizeof r->beside));
  return finish(r, false);
}

PetscErrorCode HgRecorderArm(HgRecorder r, const char directory[]) {
  PetscCall(lock_recording(r, directory));
  r->armed = true;
  return 0;
}

PetscErrorCode HgRecorderKeep(HgRecorder r) {
  HgRecording there;
  bool ledger;
  if (!r->armed || !r->earlier || !r->spec.goes_on) return 0;
  PetscCall(HgRecordFind(r->comm, r->directory, "steps.csv", &ledger));
  if (!ledger) return 0; /* of a run that came no further than its head */
  PetscCall(HgRecordingOpen(r->comm, r->directory, &there));
  const bool whole = there->ledger.whole;
  PetscCall(HgRecordingClose(&there));
  return whole ? finish(r, false) : 0;
}

bool HgRecorderArmed(HgRecorder r) { return r->armed && !r->valued; }

double HgRecorderBytes(HgRecorder r) { return r->bytes; }
