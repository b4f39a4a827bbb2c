/* SPDX-License-Identifier: BSD-2-Clause */
/* Recordings and replays of a run, and what else watches it: which trajectory, when, what is told.
   */
#include <halograd/program_library.h>
#include <halograd/recorder_library.h>
#include <halograd/recording_library.h>
#include <halograd/run_library.h>
#include <halograd/show_library.h>
#include <halograd/trajectory_library.h>
#include <string.h>

PetscErrorCode HgRunRecordForget(HgWatched *w) {
  PetscCall(HgRecorderDestroy(&w->recorder));
  return HgShowDestroy(&w->show);
}

static const char *stage_of(HgRun run) { return run->stage ? run->stage->name : ""; }

/* ---- trajectories ---- */
static PetscErrorCode make_recorder(HgRunRecord *r, HgWatched *w) {
  char *given;
  HgRecorderSpec spec = r->spec;
  PetscCall(PetscOptionsGetAll(NULL, &given));
  spec.application = r->application, spec.options = given;
  snprintf(spec.stage, sizeof spec.stage, "%s", stage_of(w->run));
  const PetscErrorCode ierr = HgRecorderCreate(w->trajectory, &spec, &w->recorder);
  PetscCall(PetscFree(given));
  return ierr;
}

static PetscErrorCode arm(HgRunRecord *r, HgRecorder recorder, const char which[]) {
  char path[HG_PATH_SIZE + 16];
  snprintf(path, sizeof path, "%s/%s", r->record, which);
  return HgRecorderArm(recorder, path);
}

/* ---- which run: the first gradient, or the first value of a run that makes no gradient ---- */

/* Whether the trajectory has the requested steps and sweep. */
static bool fits(HgRunRecord *r, HgTrajectory trajectory) {
  const long steps = HgTrajectorySteps(trajectory);
  for (int k = 0; k < r->spec.steps; k++)
    if (r->spec.step[k] > steps) return false;
  return r->shown.last <= steps && (!r->shown.reverse || HgTrajectoryReverses(trajectory));
}

/* Whether to record a value. It may be a twin's, so it counts only until there is a gradient, and
   not if a gradient is sure to come. */
static bool value_counts(HgRunRecord *r, HgTrajectory trajectory) {
  if (r->chosen || r->values == HG_RUN_VALUES_NEVER) return false;
  return r->values == HG_RUN_VALUES_ONLY || fits(r, trajectory);
}

/* Drops the recorded or shown value of a trajectory when a gradient of another one begins. */
static PetscErrorCode give_up(HgRunRecord *r, HgWatched *w, HgTrajectory other) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(HgTrajectoryProgram(other)));
  const bool recorded = w->recorder != NULL;
  char first[HG_PATH_SIZE + 16];
  snprintf(first, sizeof first, "%s/first", r->record);
  PetscCall(HgRunRecordForget(w));
  return recorded ? HgRecordingClear(comm, first) : 0;
}

/* Arms the recording "first". If an inversion is resumed, it may exist already. */
static PetscErrorCode arm_first(HgRunRecord *r, HgWatched *w) {
  char last[HG_PATH_SIZE + 16];
  snprintf(last, sizeof last, "%s/last", r->record);
  r->spec.goes_on = w->goes_on;
  if (!w->recorder) PetscCall(make_recorder(r, w));
  if (!w->goes_on || !r->found) /* an earlier run's last gradient would look like this run's */
    PetscCall(HgRecorderReplaces(w->recorder, last));
  PetscCall(arm(r, w->recorder, "first"));
  return w->goes_on && r->found > 0 ? HgRecorderKeep(w->recorder) : 0;
}

static PetscErrorCode choose(HgRunRecord *r, HgWatched *w, bool gradient) {
  if (r->chosen && r->chosen != w) PetscCall(give_up(r, r->chosen, w->trajectory));
  r->chosen = w, r->differentiated = gradient;
  if (r->shown.fields && !w->show)
    PetscCall(HgShowCreate(w->trajectory, r->show, r->output, &w->show));
  return *r->record ? arm_first(r, w) : 0;
}

/* Replays the window in the first value or, if it has a cotangent, in the first gradient: a value
   before it may be a twin's. */
static PetscErrorCode replay_instead(HgWatched *w, bool gradient) {
  bool reverses = false;
  if (!gradient) PetscCall(HgRunRecordReverses(&w->run->record, &reverses));
  return reverses ? 0 : HgRunReplay(w->run, w->trajectory);
}

/* Observers created here also see the run that begins. */
PetscErrorCode HgRunRecordBegins(HgWatched *w, HgMode run) {
  HgRunRecord *const r = &w->run->record;
  const bool gradient = run == HG_COTANGENT;
  if (!w->records || run == HG_TANGENT) return 0;
  if (gradient && !w->reversed) w->reversed = true, r->parts++;
  if (*r->window && !r->replaying) return replay_instead(w, gradient);
  if (gradient ? !r->differentiated : value_counts(r, w->trajectory) || r->replaying)
    PetscCall(choose(r, w, gradient));
  if (!gradient || !r->last || (w->recorder && HgRecorderArmed(w->recorder))) return 0;
  r->last = false;
  if (!w->recorder) PetscCall(make_recorder(r, w));
  return arm(r, w->recorder, "last");
}

bool HgRunRecordWatches(const HgRunRecord *r) {
  return *r->record || *r->window || r->shown.fields || r->monitor != HG_MONITOR_OFF;
}

PetscErrorCode HgRunRecordNoGradient(HgRunRecord *r) {
  const char *const reverse = r->monitor != HG_MONITOR_OFF ? "-adjoint_monitor"
                              : r->shown.reverse           ? "-show"
                                                           : NULL;
  HgRequire(PETSC_COMM_WORLD, !reverse, HG_ERR_OPTION_CONFLICT,
            "option %s: this run of '%s' makes values only, expected one that makes gradients",
            reverse, r->application);
  return 0;
}

/* Whether something was made: on rank 0, in the first group. */
static PetscErrorCode require_made(const HgRunRecord *r, long made, const char option[],
                                   const char what[]) {
  PetscCallMPI(MPI_Bcast(&made, 1, MPI_LONG, 0, PETSC_COMM_WORLD));
  HgRequire(PETSC_COMM_WORLD, made, HG_ERR_OPTION_CONFLICT,
            "option %s: this run of '%s' made no %s", option, r->application, what);
  return 0;
}

static PetscErrorCode end_monitor(HgRun run) {
  const HgRunRecord *r = &run->record;
  int printed = 0;
  if (r->monitor == HG_MONITOR_OFF) return 0;
  for (const HgWatched *w = run->watched; w; w = w->before)
    printed |= w->monitor && HgAdjointMonitorPrinted(w->monitor);
  PetscCallMPI(MPI_Bcast(&printed, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  if (!printed && *r->window)
    return PetscPrintf(PETSC_COMM_WORLD,
                       "adjoint monitor: none of its steps lies in the window %ld:%ld\n", r->from,
                       r->to);
  return require_made(r, printed, "-adjoint_monitor", "gradient");
}

/* Says if "the first gradient" is of one trajectory, a part of J. */
static void say_part(HgRunRecord *r, char text[96]) {
  *text = 0;
  if (r->differentiated && r->parts > 1)
    snprintf(text, 96, ": that of one of %d trajectories, a part of J's", r->parts);
}

static PetscErrorCode end_show(HgRunRecord *r) {
  const HgShow show = r->chosen ? r->chosen->show : NULL;
  bool gradient = false;
  char part[96];
  if (!r->shown.fields) return 0;
  PetscCall(require_made(r, show != NULL, "-show",
                         "value or gradient of a trajectory that has what it lists"));
  if (show) PetscCall(HgShowEnd(show, &gradient));
  say_part(r, part);
  return PetscPrintf(PETSC_COMM_WORLD, "%s: what -show lists is in %s, of %s%s\n", r->application,
                     r->output,
                     *r->window ? "the window"
                     : gradient ? "the first gradient"
                                : "the first run",
                     part);
}

/* *compares: a recorded step is in the window. Options that only show need none. */
static PetscErrorCode look_for_steps(HgRun run, HgTrajectory trajectory, bool *compares) {
  HgRunRecord *const r = &run->record;
  const char *const stage = stage_of(run);
  const bool looks = r->shown.fields || r->monitor != HG_MONITOR_OFF;
  char forward[HG_RECORD_STEPS_TEXT], reverse[HG_RECORD_STEPS_TEXT];
  HgRecording there;
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, r->replay, &there));
  *compares = r->from >= r->to || HgRecordingNext(there, HG_PRIMAL, r->from) <= r->to ||
              HgRecordingNext(there, HG_COTANGENT, r->from) <= r->to;
  HgRecordingSteps(there, HG_PRIMAL, r->from, sizeof forward, forward);
  HgRecordingSteps(there, HG_COTANGENT, r->from, sizeof reverse, reverse);
  const char *const recorded = there->head.stage;
  PetscErrorCode ierr = HgReplayFits(trajectory, there);
  if (!ierr && *recorded && *stage && strcmp(recorded, stage))
    ierr = HgError(PETSC_COMM_WORLD, HG_ERR_FILE_MISMATCH,
                   "replay of '%s': recorded in %s, expected a recording of %s, which this run "
                   "begins with",
                   r->replay, recorded, stage);
  PetscCall(HgRecordingClose(&there));
  if (ierr || *compares) return ierr;
  HgRequire(PETSC_COMM_WORLD, looks, HG_ERR_RECORDING_LACKS,
            "replay of '%s': no recorded step lies in the window %ld:%ld, so there is nothing to "
            "compare; it has of the forward sweep %s, of the reverse sweep %s",
            r->replay, r->from, r->to, forward, reverse);
  return PetscPrintf(PETSC_COMM_WORLD,
                     "replay of '%s': no recorded step lies in the window %ld:%ld, nothing is "
                     "compared\n",
                     r->replay, r->from, r->to);
}

PetscErrorCode HgRunRecordReverses(HgRunRecord *r, bool *reverses) {
  HgRecording there;
  *reverses = false;
  if (!*r->window) return 0;
  PetscCall(HgRecordingsRequireOne(PETSC_COMM_WORLD, sizeof r->replay, r->replay));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, r->replay, &there));
  *reverses = HgRecordingNext(there, HG_COTANGENT, 0) < HG_NO_STEP;
  return HgRecordingClose(&there);
}

PetscErrorCode HgRunReplay(HgRun run, HgTrajectory trajectory) {
  HgRunRecord *const r = &run->record;
  char replayed[HG_PATH_SIZE + 16];
  bool compares = true;
  if (!*r->window) return 0;
  r->replaying = true; /* for good: the run ends with it */
  PetscCall(HgRecordingsRequireOne(PETSC_COMM_WORLD, sizeof r->replay, r->replay));
  PetscCall(look_for_steps(run, trajectory, &compares));
  snprintf(replayed, sizeof replayed, "%s/replay", r->output);
  PetscCall(HgReplay(trajectory, r->replay, r->from, r->to, replayed));
  PetscCall(end_show(r));
  PetscCall(end_monitor(run));
  if (r->shown.norms) PetscCall(HgNormsDraw(PETSC_COMM_WORLD, replayed, NULL));
  if (compares) PetscCall(HgReplayCompare(trajectory, r->replay, replayed));
  return HG_ENDED;
}

PetscErrorCode HgRunRecordEnd(HgRun run) {
  HgRunRecord *const r = &run->record;
  char part[96];
  r->parts = PetscMax(r->parts, r->experiments);
  HgRequire(PETSC_COMM_WORLD, !*r->window, HG_ERR_OPTION_CONFLICT,
            "option -window: this run of '%s' made no value or gradient of a trajectory",
            r->application);
  PetscCall(end_show(r));
  PetscCall(end_monitor(run));
  if (!*r->record) return 0;
  const HgRecorder first = r->chosen ? r->chosen->recorder : NULL; /* by the first group */
  int recorded = first && !HgRecorderArmed(first);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &recorded, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  HgRequire(PETSC_COMM_WORLD, recorded, HG_ERR_OPTION_CONFLICT,
            "option -record: '%s' has nothing: this run of '%s' made no value or gradient of a "
            "trajectory",
            r->record, r->application);
  PetscCall(HgNormsDraw(PETSC_COMM_WORLD, r->record, NULL));
  say_part(r, part);
  return PetscPrintf(PETSC_COMM_WORLD, "%s: its recording is in %s%s%s\n", r->application,
                     r->record, *part ? ", of its first gradient" : "", part);
}
