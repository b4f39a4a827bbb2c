/* -record, -replay, -compare, -show, -adjoint_monitor: declared once for all applications. */
#include "run_private.h"
#include <halograd/adjoint_monitor.h>
#include <halograd/file.h>
#include <halograd/growth.h>
#include <halograd/norms.h>
#include <halograd/recorder.h>
#include <halograd/recording.h>
#include <halograd/replay.h>
#include <halograd/show.h>
#include <string.h>

enum { MOST_STEPS = 1000000000, OFF = -1, SEED = 1 /* of tangents */ };

/* One trajectory of the run, and its observers; all but the monitor are made once it is chosen. */
typedef struct Watched_s {
  HgRunRecord record;
  HgTrajectory trajectory; /* NULL: it is gone */
  bool goes_on;            /* what an earlier run has recorded of it may go on */
  HgRecorder recorder;
  HgAdjointMonitor monitor;
  bool reversed; /* it has made a gradient */
  HgShow show;
  HgGrowth growth;
  struct Watched_s *before;
} Watched;

struct HgRunRecord_s {
  const char *application;
  char record[HG_PATH_SIZE], replay[HG_PATH_SIZE], compare[2 * HG_PATH_SIZE];
  char window[48], show[HG_PATH_SIZE], output[HG_PATH_SIZE];
  long from, to;         /* of the window */
  bool reverse, tangent; /* and back; or of the tangent */
  bool replaying;        /* it is under way */
  int found;             /* evaluations of the first inversion; -1: none has begun */
  HgShowWants shown;     /* what -show lists */
  HgRecorderSpec spec;
  bool growth;
  long monitor; /* OFF; 0: every so many that there are about 20 lines */
  int paused;
  HgRunValues values;
  Watched *watched;    /* the last one */
  Watched *chosen;     /* what is recorded, shown, looked at; NULL: no run has begun */
  bool differentiated; /* by its gradient: for good */
  bool last;           /* the next gradient is that of what was found */
  int parts;           /* trajectories whose gradients were made */
};

static MPI_Comm world(void) { return PETSC_COMM_WORLD; }

PetscErrorCode HgRunRecordCreate(const char application[], HgRunRecord *record) {
  PetscCall(PetscNew(record));
  (*record)->application = application, (*record)->monitor = OFF, (*record)->found = -1;
  return 0;
}

static PetscErrorCode stop_watching(Watched *w) {
  PetscCall(HgRecorderDestroy(&w->recorder));
  PetscCall(HgShowDestroy(&w->show));
  return HgGrowthDestroy(&w->growth);
}

PetscErrorCode HgRunRecordDestroy(HgRunRecord *record) {
  HgRunRecord r = *record;
  *record = NULL;
  if (!r) return 0;
  for (Watched *w = r->watched, *before; w; w = before) {
    before = w->before;
    if (w->trajectory) PetscCall(HgTrajectoryForget(w->trajectory, w));
    PetscCall(stop_watching(w));
    PetscCall(HgAdjointMonitorDestroy(&w->monitor));
    PetscCall(PetscFree(w));
  }
  return PetscFree(r);
}

/* ---- options ---- */
PetscErrorCode HgRunRecordDeclare(HgRunRecord r, HgOptions o) {
  static const char *const directions[] = {"both", "forward", "tangent"};
  bool states = true, sync = true;
  int direction = 0;
  PetscCall(HgOptionsGroup(o, "Recording and replay"));
  PetscCall(HgOptionsPath(o, "-record", "folder of a recording: states, cotangents, ledger",
                          sizeof r->record, r->record));
  PetscCall(HgOptionsLong(o, "-record_every", "steps recorded, and the last (0: a tenth of them)",
                          "", 0, MOST_STEPS, &r->spec.every));
  PetscCall(HgOptionsInts(o, "-record_steps", "or these", 0, MOST_STEPS, 1, HG_RECORD_STEPS,
                          &r->spec.steps, r->spec.step));
  PetscCall(HgOptionsBytes(o, "-record_bytes", "or as many as fit, spread over both sweeps", 0,
                           1L << 50, &r->spec.bytes));
  PetscCall(HgOptionsFlag(o, "-record_states", "states, too, not the ledger alone", &states));
  PetscCall(HgOptionsFlag(o, "-record_sync", "a power cut leaves what a kill leaves", &sync));
  PetscCall(HgOptionsPath(o, "-replay", "lists the recording in this folder; runs nothing",
                          sizeof r->replay, r->replay));
  PetscCall(HgOptionsString(o, "-window", "a:b: replays steps a to b of it instead, and compares",
                            sizeof r->window, r->window));
  PetscCall(
      HgOptionsChoice(o, "-direction", "the sweeps of the window", 3, directions, &direction));
  PetscCall(HgOptionsString(o, "-show",
                            "steps as files: q@120,lambda@120,gradient@120,lambda@film; norms",
                            sizeof r->show, r->show));
  PetscCall(HgOptionsString(o, "-compare", "DIR1,DIR2: where two recordings part; runs nothing",
                            sizeof r->compare, r->compare));
  PetscCall(HgOptionsBareLong(o, "-adjoint_monitor",
                              "prints how dJ/dq_n grows, every so many steps (alone: 20 "
                              "times; -1: not)",
                              "", OFF, MOST_STEPS, 0, &r->monitor));
  PetscCall(HgOptionsFlag(o, "-adjoint_growth",
                          "ends with a sentence where dJ/dq_n grows faster than the tangent allows",
                          &r->growth));
  r->spec.ledger_alone = !states, r->spec.sync = sync, r->reverse = direction != 1,
  r->tangent = direction == 2;
  return 0;
}

/* What wants more than runs: `whole` a run to its end, NULL: nothing does. */
static PetscErrorCode check_run(HgRunRecord r, const char whole[], bool digest) {
  const char *const reverse = r->growth           ? "-adjoint_growth"
                              : r->monitor != OFF ? "-adjoint_monitor"
                                                  : NULL,
                    *const any = whole     ? whole
                                 : reverse ? reverse
                                 : digest  ? "-digest"
                                           : NULL;
  if (*r->window) {
    HgRequire(world(), !whole,
              "option %s: given with -window, which runs a part of what was recorded and nothing "
              "else, expected one of them",
              whole);
    HgRequire(world(), !reverse || (r->reverse && !r->tangent),
              "option %s: given with -direction %s, which reverses nothing, expected -direction "
              "both",
              reverse, r->tangent ? "tangent" : "forward");
    return 0;
  }
  HgRequire(world(), !any || (!*r->replay && !*r->compare),
            "option %s: given with %s, which runs nothing, expected one of them%s", any,
            *r->replay ? "-replay" : "-compare",
            *r->replay && !whole && reverse ? ", or -window with both" : "");
  return 0;
}

static PetscErrorCode check_steps(const HgRecorderSpec *spec) {
  for (int k = 0; k < spec->steps; k++)
    for (int l = 0; l < k; l++)
      HgRequire(world(), spec->step[l] != spec->step[k],
                "option -record_steps: step %d is listed twice, expected each step once",
                spec->step[k]);
  return 0;
}

static PetscErrorCode check_options(HgRunRecord r, HgOptions o) {
  static const char *const ways[] = {"-record_every", "-record_steps", "-record_bytes"};
  static const char *const all[] = {"-record_every", "-record_steps", "-record_bytes",
                                    "-record_states", "-record_sync"};
  static const char *const alone[] = {"-replay", "-compare"};
  const char *way = NULL;
  for (int k = 0; k < 5; k++)
    HgRequire(world(), !HgOptionsGiven(o, all[k]) || *r->record,
              "option %s: given without -record, expected the folder to record in", all[k]);
  for (int k = 0; k < 3; k++) {
    if (!HgOptionsGiven(o, ways[k])) continue;
    HgRequire(world(), !way, "option %s: given with %s, expected one way to choose steps", ways[k],
              way);
    way = ways[k];
  }
  PetscCall(check_steps(&r->spec));
  HgRequire(world(), !HgOptionsGiven(o, "-direction") || *r->window,
            "option -direction: given without -window, expected the steps to replay");
  HgRequire(world(), !r->spec.bytes || !r->spec.ledger_alone,
            "option -record_bytes: given with -record_states false, expected states to count");
  HgRequire(world(), !HgOptionsGiven(o, "-record_bytes") || r->spec.bytes,
            "option -record_bytes: 0 given, expected room for two steps at least");
  for (int k = 0; k < 2; k++)
    HgRequire(world(), !HgOptionsGiven(o, alone[k]) || !*r->record,
              "option %s: given with -record, expected it alone, as it runs nothing", alone[k]);
  HgRequire(world(), !*r->replay || !*r->compare,
            "option -compare: given with -replay, expected one of them");
  HgRequire(world(), !*r->show || !*r->compare,
            "option -show: given with -compare, expected one of them");
  if (*r->show) PetscCall(HgShowCheck(world(), r->show, &r->shown));
  HgRequire(world(), !r->shown.norms || *r->record || *r->replay,
            "option -show: norms are those of a recording, expected -record or -replay with it");
  return 0;
}

/* Lists, shows or compares instead of a run. */
static PetscErrorCode look(HgRunRecord r) {
  if (*r->show) {
    PetscCall(HgShowRecording(world(), r->replay, r->show, r->output));
    return r->shown.fields
               ? PetscPrintf(world(), "%s: what -show lists is in %s, of recording '%s'\n",
                             r->application, r->output, r->replay)
               : 0;
  }
  if (*r->replay) return HgRecordingsList(world(), r->replay);
  char *const comma = strchr(r->compare, ',');
  HgRequire(world(), comma && comma > r->compare && comma[1] && !strchr(comma + 1, ','),
            "option -compare: expected two folders with a comma between, got '%s'", r->compare);
  *comma = 0;
  return HgRecordingsCompare(world(), r->compare, comma + 1);
}

static PetscErrorCode read_window(HgRunRecord r) {
  char rest;
  HgRequire(world(), *r->replay, "option -window: given without -replay, expected the recording");
  HgRequire(world(), sscanf(r->window, "%ld:%ld%c", &r->from, &r->to, &rest) == 2,
            "option -window: expected a:b, the first and the last step, got '%s'", r->window);
  return 0;
}

/* -replay of a folder with a recording.yaml shows that recording, not those in folders below it. */
static PetscErrorCode require_no_recording(HgRunRecord r) {
  char head[HG_PATH_SIZE + 32];
  bool found = false;
  snprintf(head, sizeof head, "%s/recording.yaml", r->record);
  if (*r->record) PetscCall(HgFileFind(world(), head, &found));
  HgRequire(world(), !found,
            "option -record: '%s' is one recording by itself, expected the folder around it, or "
            "another one",
            r->record);
  return 0;
}

PetscErrorCode HgRunRecordBegin(HgRunRecord r, HgOptions o, const char whole[], bool digest,
                                const char output[], bool *stop) {
  PetscCall(check_options(r, o));
  PetscCall(check_run(r, whole, digest));
  PetscCall(require_no_recording(r));
  PetscCall(PetscStrncpy(r->output, output, sizeof r->output));
  if (*r->record) PetscCall(HgDirectoryCreate(world(), r->record));
  if (*r->window) return read_window(r);
  *stop = *r->replay || *r->compare;
  return *stop ? look(r) : 0;
}

/* ---- trajectories ---- */
static PetscErrorCode make_recorder(HgRunRecord r, Watched *w) {
  char *given;
  HgRecorderSpec spec = r->spec;
  PetscCall(PetscOptionsGetAll(NULL, &given));
  spec.application = r->application, spec.options = given;
  const PetscErrorCode ierr = HgRecorderCreate(w->trajectory, &spec, &w->recorder);
  PetscCall(PetscFree(given));
  return ierr;
}

static PetscErrorCode arm(HgRunRecord r, HgRecorder recorder, const char which[]) {
  char path[HG_PATH_SIZE + 16];
  snprintf(path, sizeof path, "%s/%s", r->record, which);
  return HgRecorderArm(recorder, path);
}

/* An earlier run's recording of its last gradient would seem to be this run's. */
static PetscErrorCode replace_last(HgRunRecord r, HgRecorder recorder) {
  char last[HG_PATH_SIZE + 16];
  snprintf(last, sizeof last, "%s/last", r->record);
  return HgRecorderReplaces(recorder, last);
}

/* ---- which run: the first gradient, or the first value of a run that makes no gradient ---- */

/* Do the steps exist that were asked for, and the sweep? */
static bool fits(HgRunRecord r, HgTrajectory trajectory) {
  const long steps = HgTrajectorySteps(trajectory);
  for (int k = 0; k < r->spec.steps; k++)
    if (r->spec.step[k] > steps) return false;
  return r->shown.last <= steps && (!r->shown.reverse || HgTrajectoryReverses(trajectory));
}

/* A value may be that of a twin: it counts until a gradient comes, unless one is sure to come. */
static bool value_counts(HgRunRecord r, HgTrajectory trajectory) {
  if (r->chosen || r->values == HG_RUN_VALUES_NEVER) return false;
  return r->values == HG_RUN_VALUES_ONLY || fits(r, trajectory);
}

/* Its value was recorded, or shown; now a gradient of another trajectory begins. */
static PetscErrorCode give_up(HgRunRecord r, Watched *w, HgTrajectory other) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(HgTrajectoryProgram(other)));
  const bool recorded = w->recorder != NULL;
  char first[HG_PATH_SIZE + 16];
  snprintf(first, sizeof first, "%s/first", r->record);
  PetscCall(stop_watching(w));
  return recorded ? HgRecordingClear(comm, first) : 0;
}

/* "first": of an inversion that goes on it may have been recorded before. */
static PetscErrorCode arm_first(HgRunRecord r, Watched *w) {
  r->spec.goes_on = w->goes_on;
  if (!w->recorder) PetscCall(make_recorder(r, w));
  if (!w->goes_on || !r->found) PetscCall(replace_last(r, w->recorder));
  PetscCall(arm(r, w->recorder, "first"));
  return w->goes_on && r->found > 0 ? HgRecorderKeep(w->recorder) : 0;
}

static PetscErrorCode choose(HgRunRecord r, Watched *w, bool gradient) {
  if (r->chosen && r->chosen != w) PetscCall(give_up(r, r->chosen, w->trajectory));
  r->chosen = w, r->differentiated = gradient;
  if (r->growth && gradient && !w->growth) PetscCall(HgGrowthCreate(w->trajectory, &w->growth));
  if (r->shown.fields && !w->show)
    PetscCall(HgShowCreate(w->trajectory, r->show, r->output, &w->show));
  return *r->record ? arm_first(r, w) : 0;
}

/* Where the window is of a gradient, the trajectory of the first gradient replays it: a value
   before may be a twin's. */
static PetscErrorCode replay_instead(HgRunRecord r, Watched *w, bool gradient) {
  bool reverses = false;
  if (!gradient) PetscCall(HgRunRecordReverses(r, &reverses));
  return reverses ? 0 : HgRunReplay(r, w->trajectory, r->output);
}

/* Observers that are made here are told of the run that begins, too. */
static PetscErrorCode begin(void *self, HgMode run) {
  Watched *const w = self;
  const HgRunRecord r = w->record;
  const bool gradient = run == HG_COTANGENT;
  if (r->paused || (run == HG_TANGENT && !*r->window)) return 0;
  if (gradient && !w->reversed) w->reversed = true, r->parts++;
  if (*r->window && !r->replaying) return replay_instead(r, w, gradient);
  if (gradient ? !r->differentiated : value_counts(r, w->trajectory) || r->replaying)
    PetscCall(choose(r, w, gradient));
  if (!gradient || !r->last || (w->recorder && HgRecorderArmed(w->recorder))) return 0;
  r->last = false;
  if (!w->recorder) PetscCall(make_recorder(r, w));
  return arm(r, w->recorder, "last");
}

static long no_step(void *self, HgMode direction, long n) {
  (void)self, (void)direction, (void)n;
  return HG_NO_STEP;
}

static void leave(void *self) { ((Watched *)self)->trajectory = NULL; }

bool HgRunRecordWatches(HgRunRecord r) {
  return *r->record || *r->window || r->shown.fields || r->growth || r->monitor != OFF;
}

PetscErrorCode HgRunRecordAttach(HgRunRecord r, HgTrajectory trajectory, bool goes_on) {
  Watched *w = r->watched;
  if (!HgRunRecordWatches(r)) return 0;
  while (w && w->trajectory != trajectory) w = w->before;
  if (w) return 0;
  PetscCall(PetscNew(&w));
  *w = (Watched){.record = r, .trajectory = trajectory, .goes_on = goes_on, .before = r->watched};
  r->watched = w;
  if (r->monitor != OFF && HgTrajectoryReverses(trajectory)) {
    PetscCall(HgAdjointMonitorCreate(trajectory, r->monitor, &w->monitor));
    for (int k = 0; k < r->paused; k++) HgAdjointMonitorPause(w->monitor, true);
  }
  return HgTrajectoryObserve(
      trajectory,
      &(HgTrajectoryObserver){.next = no_step, .begin = begin, .leave = leave, .context = w});
}

void HgRunRecordValues(HgRunRecord r, HgRunValues values) { r->values = values; }

PetscErrorCode HgRunRecordNoGradient(HgRunRecord r) {
  const char *const reverse = r->growth           ? "-adjoint_growth"
                              : r->monitor != OFF ? "-adjoint_monitor"
                              : r->shown.reverse  ? "-show"
                                                  : NULL;
  HgRequire(world(), !reverse,
            "option %s: this run of '%s' makes values only, expected one that makes gradients",
            reverse, r->application);
  return 0;
}

void HgRunRecordResume(HgRunRecord r, int found) {
  if (r->found < 0) r->found = found;
}

void HgRunRecordLast(HgRunRecord r, bool next) { r->last = next && *r->record; }

bool HgRunRecordLasts(HgRunRecord r) { return r->last; }

void HgRunRecordPause(HgRunRecord r, bool pause) {
  r->paused += pause ? 1 : -1;
  for (Watched *w = r->watched; w; w = w->before) {
    if (w->recorder) HgRecorderPause(w->recorder, pause);
    if (w->monitor) HgAdjointMonitorPause(w->monitor, pause);
    if (w->show) HgShowPause(w->show, pause);
    if (w->growth) HgGrowthPause(w->growth, pause);
  }
}

/* The first group's is that of the run. */
static PetscErrorCode require_made(HgRunRecord r, long made, const char option[],
                                   const char what[]) {
  PetscCallMPI(MPI_Bcast(&made, 1, MPI_LONG, 0, world()));
  HgRequire(world(), made, "option %s: this run of '%s' made no %s", option, r->application, what);
  return 0;
}

/* What the first gradient was like. */
static PetscErrorCode end_growth(HgRunRecord r) {
  HgGrowthReport g = {.steps = 0};
  if (!r->growth) return 0;
  if (r->chosen && r->chosen->growth) g = HgGrowthGet(r->chosen->growth);
  PetscCall(require_made(r, g.steps, "-adjoint_growth", "gradient"));
  return PetscPrintf(
      world(),
      "growth of lambda: in %ld of %ld steps, by %.6g at most (to step %ld), nowhere "
      "faster than the tangent allows\n",
      g.growing, g.steps, g.most, g.at);
}

static PetscErrorCode end_monitor(HgRunRecord r) {
  int printed = 0;
  if (r->monitor == OFF) return 0;
  for (const Watched *w = r->watched; w; w = w->before)
    printed |= w->monitor && HgAdjointMonitorPrinted(w->monitor);
  PetscCallMPI(MPI_Bcast(&printed, 1, MPI_INT, 0, world()));
  if (!printed && *r->window)
    return PetscPrintf(world(), "adjoint monitor: none of its steps lies in the window %ld:%ld\n",
                       r->from, r->to);
  return require_made(r, printed, "-adjoint_monitor", "gradient");
}

/* " of the first gradient" may be a part of J's. */
static void say_part(HgRunRecord r, char text[96]) {
  *text = 0;
  if (r->differentiated && r->parts > 1)
    snprintf(text, 96, ": that of one of %d trajectories, a part of J's", r->parts);
}

static PetscErrorCode end_show(HgRunRecord r) {
  const HgShow show = r->chosen ? r->chosen->show : NULL;
  bool gradient = false;
  char part[96];
  if (!r->shown.fields) return 0;
  PetscCall(require_made(r, show != NULL, "-show",
                         "value or gradient of a trajectory that has what it lists"));
  if (show) PetscCall(HgShowEnd(show, &gradient));
  say_part(r, part);
  return PetscPrintf(world(), "%s: what -show lists is in %s, of %s%s\n", r->application, r->output,
                     *r->window ? "the window"
                     : gradient ? "the first gradient"
                                : "the first run",
                     part);
}

/* *compares: some step was recorded that comes out of the window. Options that only look on need
   none. */
static PetscErrorCode look_for_steps(HgRunRecord r, bool *compares) {
  const bool looks = r->shown.fields || r->growth || r->monitor != OFF;
  char forward[HG_RECORD_STEPS_TEXT], reverse[HG_RECORD_STEPS_TEXT];
  HgRecording there;
  PetscCall(HgRecordingOpen(world(), r->replay, &there));
  *compares = r->from >= r->to || HgRecordingNext(there, HG_PRIMAL, r->from) <= r->to ||
              (r->reverse && HgRecordingNext(there, HG_COTANGENT, r->from) <= r->to);
  HgRecordingSteps(there, HG_PRIMAL, r->from, sizeof forward, forward);
  HgRecordingSteps(there, HG_COTANGENT, r->from, sizeof reverse, reverse);
  PetscCall(HgRecordingClose(&there));
  if (*compares) return 0;
  HgRequire(world(), looks,
            "replay of '%s': no recorded step lies in the window %ld:%ld, so there is nothing to "
            "compare; it has of the forward sweep %s, of the reverse sweep %s",
            r->replay, r->from, r->to, forward, reverse);
  return PetscPrintf(world(),
                     "replay of '%s': no recorded step lies in the window %ld:%ld, nothing is "
                     "compared\n",
                     r->replay, r->from, r->to);
}

PetscErrorCode HgRunRecordReverses(HgRunRecord r, bool *reverses) {
  HgRecording there;
  *reverses = false;
  if (!*r->window || !r->reverse) return 0;
  PetscCall(HgRecordingsRequireOne(world(), sizeof r->replay, r->replay));
  PetscCall(HgRecordingOpen(world(), r->replay, &there));
  *reverses = HgRecordingNext(there, HG_COTANGENT, 0) < HG_NO_STEP;
  return HgRecordingClose(&there);
}

PetscErrorCode HgRunReplay(HgRunRecord r, HgTrajectory trajectory, const char output[]) {
  char replayed[HG_PATH_SIZE + 16];
  bool compares = true;
  if (!*r->window) return 0;
  r->replaying = true; /* for good: the run ends with it */
  PetscCall(HgRecordingsRequireOne(world(), sizeof r->replay, r->replay));
  PetscCall(look_for_steps(r, &compares));
  snprintf(replayed, sizeof replayed, "%s/replay", output);
  if (r->tangent) PetscCall(HgReplayTangent(trajectory, r->replay, r->from, r->to, SEED, replayed));
  else PetscCall(HgReplay(trajectory, r->replay, r->from, r->to, r->reverse, replayed));
  PetscCall(end_show(r));
  PetscCall(end_growth(r));
  PetscCall(end_monitor(r));
  if (r->shown.norms) PetscCall(HgNormsDraw(world(), replayed, NULL));
  if (compares) PetscCall(HgReplayCompare(trajectory, r->replay, replayed));
  return HG_ENDED;
}

bool HgRunReplays(HgRunRecord r) { return *r->window; }

PetscErrorCode HgRunRecordEnd(HgRunRecord r, int experiments) {
  char part[96];
  r->parts = PetscMax(r->parts, experiments);
  HgRequire(world(), !*r->window,
            "option -window: this run of '%s' made no value or gradient of a trajectory",
            r->application);
  PetscCall(end_show(r));
  PetscCall(end_growth(r));
  PetscCall(end_monitor(r));
  if (!*r->record) return 0;
  const HgRecorder first = r->chosen ? r->chosen->recorder : NULL; /* by the first group */
  int recorded = first && !HgRecorderArmed(first);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &recorded, 1, MPI_INT, MPI_MAX, world()));
  HgRequire(world(), recorded,
            "option -record: '%s' has nothing: this run of '%s' made no value or gradient of a "
            "trajectory",
            r->record, r->application);
  PetscCall(HgNormsDraw(world(), r->record, NULL));
  say_part(r, part);
  return PetscPrintf(world(), "%s: its recording is in %s%s%s\n", r->application, r->record,
                     *part ? ", of its first gradient" : "", part);
}
