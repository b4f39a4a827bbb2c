#include "recording_private.h"
#include "trajectory_private.h"
#include <halograd/recorder.h>
#include <halograd/replay.h>
#include <math.h>
#include <string.h>

typedef struct {
  HgTrajectory t;
  HgProgram program;
  HgObjective objective;
  HgRecording r;
  long from, to;    /* the window */
  long first, last; /* of what is run: q from `first`, lambda from `last` */
  bool reverse, tangent;
  uint64_t seed;                    /* of a tangent that nobody has recorded */
  bool moved;                       /* the tangent was recorded in `first`, where it goes on */
  HgState constants, constants_bar; /* NULL: there are none */
  HgState q, next, bar[2];          /* bar: dq_n of a tangent, and constants_bar its dc */
  HgStore store;                    /* q_n in slot n - first; NULL: not kept */
} Replay;

/* ---- what is recorded, and where to start ---- */
static PetscErrorCode require_alike(const Replay *w, const char directory[]) {
  const HgRecordHead *h = &w->r->head;
  const HgMeshSpec *m = HgMeshGetSpec(HgProgramMesh(w->program));
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(w->program));
  HgRequire(comm, !strcmp(h->program, HgProgramName(w->program)),
            "replay of '%s': it is a recording of program '%s', expected '%s'", directory,
            h->program, HgProgramName(w->program));
  HgRequire(comm, h->nx == m->nx && h->ny == m->ny && h->dx == m->dx && h->dy == m->dy,
            "replay of '%s': recorded on %d x %d cells of %g x %g m, expected %d x %d of %g x %g m",
            directory, h->nx, h->ny, h->dx, h->dy, m->nx, m->ny, m->dx, m->dy);
  HgRequire(comm, h->steps == HgTrajectorySteps(w->t) && h->dt == HgProgramTimeStep(w->program),
            "replay of '%s': recorded with %ld steps of %.17g s, expected %ld of %.17g s",
            directory, h->steps, h->dt, HgTrajectorySteps(w->t), HgProgramTimeStep(w->program));
  HgRequire(comm, h->states, "replay of '%s': its ledger alone was kept, expected states",
            directory);
  HgRequire(comm, 0 <= w->from && w->from < w->to && w->to <= h->steps,
            "replay of '%s': window %ld:%ld, expected steps a:b with 0 <= a < b <= %ld", directory,
            w->from, w->to, h->steps);
  return 0;
}

/* Where dq_n and q_n were both recorded, the nearest step up to the window. */
static PetscErrorCode find_tangent(Replay *w) {
  long n, beside;
  PetscCall(HgRecordingNearest(w->r, HG_TANGENT, w->from, &n));
  if (n < 0) return 0;
  PetscCall(HgRecordingNearest(w->r, HG_PRIMAL, n, &beside));
  w->moved = n == beside;
  if (w->moved) w->first = n;
  return 0;
}

static PetscErrorCode find_ends(Replay *w, const char directory[]) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(w->program));
  const long start = w->reverse ? PetscMax(w->from - 1, 0) : w->from;
  char steps[HG_RECORD_STEPS_TEXT];
  PetscCall(HgRecordingNearest(w->r, HG_PRIMAL, start, &w->first));
  HgRecordingSteps(w->r, HG_PRIMAL, start, sizeof steps, steps);
  HgRequire(comm, w->first >= 0,
            "replay of '%s': no state of the first sweep up to step %ld, of which it has %s",
            directory, start, steps);
  w->last = w->to;
  if (w->tangent) PetscCall(find_tangent(w));
  if (!w->reverse) return 0;
  PetscCall(HgRecordingNearest(w->r, HG_COTANGENT, w->to, &w->last));
  HgRecordingSteps(w->r, HG_COTANGENT, w->to, sizeof steps, steps);
  HgRequire(comm, w->last >= 0,
            "replay of '%s': no state of the reverse sweep from step %ld on, of which it has %s",
            directory, w->to, steps);
  return 0;
}

/* Does anybody look at that step of the window? */
static bool wanted(const Replay *w, HgMode direction, long n) {
  return w->from <= n && n <= w->to && HgTrajectoryNextSeen(w->t, direction, n) == n;
}

static PetscErrorCode show(Replay *w, HgMode direction, long n, HgState state, HgState q) {
  const bool plain = direction == HG_PRIMAL, back = direction == HG_COTANGENT;
  const HgTrajectorySight s = {.direction = direction,
                               .n = n,
                               .t = (double)n * HgProgramTimeStep(w->program),
                               .state = state,
                               .q = q,
                               .constants = plain ? w->constants : w->constants_bar,
                               .J = back ? w->r->ledger.J : NAN};
  return wanted(w, direction, n) ? HgTrajectoryShow(w->t, &s) : 0;
}

/* ---- the sweeps ---- */

/* Does anybody look at q_n, or is it kept? */
static bool stops_at(const Replay *w, long n) {
  return w->reverse || HgObjectiveNeeds(w->objective, n) || wanted(w, HG_PRIMAL, n);
}

static PetscErrorCode arrive(Replay *w, long n) {
  if (HgObjectiveNeeds(w->objective, n)) PetscCall(HgObjectiveObserve(w->objective, n, w->q, NULL));
  if (w->store) PetscCall(HgStorePut(w->store, (int)(n - w->first), n, w->q));
  return show(w, HG_PRIMAL, n, w->q, w->q);
}

static PetscErrorCode forward(Replay *w) {
  PetscCall(HgRecordingReadTo(w->r, HG_PRIMAL, w->first, false, w->q));
  if (w->constants) PetscCall(HgRecordingReadConstants(w->r, w->constants));
  PetscCall(HgObjectiveStart(w->objective));
  PetscCall(arrive(w, w->first));
  for (long n = w->first, count; n < w->last; n += count) {
    const long most = HgProgramStride(w->program, w->last - n);
    for (count = 1; count < most && !stops_at(w, n + count);) count++;
    PetscCall(HgProgramSteps(w->program, n, count, w->constants, w->q, NULL, HG_SAVE_ALL, w->next));
    HgStateSwap(w->q, w->next);
    PetscCall(arrive(w, n + count));
  }
  return 0;
}

/* The cotangents, or tangents, of active constants as they were at step n, ghosts outside walls
   included; those of the others are 0, or not looked at. */
static PetscErrorCode read_constants_bar(Replay *w, HgMode direction, long n) {
  const HgRecordHead *h = &w->r->head;
  HgVariable *list;
  HgState kept;
  int count = 0;
  if (direction == HG_TANGENT) PetscCall(HgStateZero(w->constants_bar));
  else PetscCall(HgProgramZeroConstantsBar(w->program, w->constants_bar));
  PetscCall(PetscMalloc1(h->variables, &list));
  for (int k = 0; k < h->variables; k++) {
    const HgRecorded *v = &h->variable[k];
    if (v->constant) list[count++] = (HgVariable){v->name, v->unit, v->kind, v->size};
  }
  PetscErrorCode ierr = 0;
  if (count) {
    PetscCall(HgStateCreate(HgProgramMesh(w->program), count, list, &kept));
    ierr = HgRecordingReadTo(w->r, direction, n, true, kept);
    for (int k = 0; !ierr && k < count; k++)
      ierr = HgStateCopyVariable(kept, k, w->constants_bar,
                                 HgStateFind(w->constants_bar, list[k].name));
    PetscCall(HgStateDestroy(&kept));
  }
  PetscCall(PetscFree(list));
  return ierr;
}

static PetscErrorCode back(Replay *w) {
  HgState q;
  PetscCall(HgRecordingReadTo(w->r, HG_COTANGENT, w->last, false, w->bar[0]));
  if (w->constants_bar) PetscCall(read_constants_bar(w, HG_COTANGENT, w->last));
  for (long n = w->last - 1; n >= w->from; n--) {
    PetscCall(HgStoreGet(w->store, (int)(n - w->first), n, w->q, &q));
    PetscCall(HgProgramStepAdjoint(w->program, n, w->constants, q, w->next, w->bar[0], w->bar[1],
                                   w->constants_bar));
    PetscCall(HgObjectiveGradient(w->objective, n, q, 1, w->bar[1]));
    PetscCall(HgProgramBoundaryAdjoint(w->program, w->bar[1]));
    HgStateSwap(w->bar[0], w->bar[1]);
    PetscCall(show(w, HG_COTANGENT, n, w->bar[0], q));
  }
  return 0;
}

/* dq_n in bar[0], dc in constants_bar. */
static PetscErrorCode start_tangent(Replay *w, long n) {
  if (w->moved) {
    PetscCall(HgRecordingReadTo(w->r, HG_TANGENT, n, false, w->bar[0]));
    return w->constants_bar ? read_constants_bar(w, HG_TANGENT, n) : 0;
  }
  HgState x;
  PetscCall(HgProgramCreateInput(w->program, &x));
  PetscCall(HgStateRandom(x, w->seed));
  for (int k = 0; k < HgStateCount(x); k++)
    if (!HgProgramActive(w->program, k)) PetscCall(HgStateZeroVariable(x, k));
  PetscCall(HgProgramSplit(w->program, x, w->bar[0], w->constants_bar));
  return HgStateDestroy(&x);
}

static PetscErrorCode forward_tangent(Replay *w) {
  PetscCall(HgRecordingReadTo(w->r, HG_PRIMAL, w->first, false, w->q));
  if (w->constants) PetscCall(HgRecordingReadConstants(w->r, w->constants));
  const long start = w->moved ? w->first : w->from;
  for (long n = w->first; n <= w->to; n++) {
    if (n == start) PetscCall(start_tangent(w, n));
    PetscCall(show(w, HG_PRIMAL, n, w->q, w->q));
    if (n >= start) PetscCall(show(w, HG_TANGENT, n, w->bar[0], w->q));
    if (n == w->to) break;
    if (n < start) PetscCall(HgProgramStep(w->program, n, w->constants, w->q, w->next));
    else
      PetscCall(HgProgramStepTangent(w->program, n, w->constants, w->constants_bar, w->q, w->bar[0],
                                     w->next, w->bar[1]));
    HgStateSwap(w->q, w->next);
    if (n >= start) HgStateSwap(w->bar[0], w->bar[1]);
  }
  return 0;
}

/* ---- the whole ---- */
static PetscErrorCode create(Replay *w) {
  HgState *const carried[] = {&w->q, &w->next, &w->bar[0], &w->bar[1]};
  for (int k = 0; k < 4; k++) PetscCall(HgProgramCreateCarried(w->program, carried[k]));
  PetscCall(HgProgramCreateConstants(w->program, &w->constants));
  PetscCall(HgProgramCreateConstants(w->program, &w->constants_bar));
  if (!w->reverse) return 0;
  return HgStoreCreateMemory(w->q, (int)(w->last - w->first + 1), &w->store);
}

static PetscErrorCode destroy(Replay *w) {
  HgState *const all[] = {&w->q,      &w->next,      &w->bar[0],
                          &w->bar[1], &w->constants, &w->constants_bar};
  for (int k = 0; k < 6; k++) PetscCall(HgStateDestroy(all[k]));
  PetscCall(HgStoreDestroy(&w->store));
  return HgRecordingClose(&w->r);
}

static PetscErrorCode run(Replay *w, const char replayed[]) {
  const HgRecorderSpec spec = {.like = w->r,
                               .steps = 2,
                               .step = {(int)w->from, (int)w->to},
                               .tangent = w->tangent,
                               .application = w->r->head.application};
  const HgMode run = w->tangent ? HG_TANGENT : HG_COTANGENT;
  HgRecorder recorder;
  PetscCall(HgRecorderCreate(w->t, &spec, &recorder));
  PetscErrorCode ierr = HgRecorderArm(recorder, replayed);
  if (!ierr) ierr = HgTrajectoryBegin(w->t, run);
  if (!ierr) ierr = w->tangent ? forward_tangent(w) : forward(w);
  if (!ierr && w->reverse) ierr = back(w);
  if (!ierr) ierr = HgTrajectoryEnd(w->t, run, NAN); /* a part is not whole */
  PetscCall(HgRecorderDestroy(&recorder));
  return ierr;
}

static PetscErrorCode replay(const Replay *asked, const char directory[], const char replayed[]) {
  Replay w = *asked;
  w.program = HgTrajectoryProgram(w.t), w.objective = HgTrajectoryObjective(w.t);
  PetscCall(HgRecordingOpen(HgMeshComm(HgProgramMesh(w.program)), directory, &w.r));
  w.reverse = w.reverse && w.r->head.sweeps == 2;
  PetscErrorCode ierr = require_alike(&w, directory);
  if (!ierr) ierr = find_ends(&w, directory);
  if (!ierr) ierr = create(&w);
  if (!ierr) ierr = run(&w, replayed);
  PetscCall(destroy(&w));
  return ierr;
}

PetscErrorCode HgReplay(HgTrajectory t, const char directory[], long from, long to, bool reverse,
                        const char replayed[]) {
  return replay(&(Replay){.t = t, .from = from, .to = to, .reverse = reverse}, directory, replayed);
}

PetscErrorCode HgReplayTangent(HgTrajectory t, const char directory[], long from, long to,
                               uint64_t seed, const char replayed[]) {
  return replay(&(Replay){.t = t, .from = from, .to = to, .tangent = true, .seed = seed}, directory,
                replayed);
}
