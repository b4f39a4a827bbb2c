/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/file.h>
#include <halograd/program_library.h>
#include <halograd/real_library.h>
#include <halograd/recorder_library.h>
#include <halograd/recording_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>
#include <math.h>
#include <string.h>

typedef struct {
  HgTrajectory t;
  HgProgram program;
  HgRecording r;
  long from, to;    /* the window */
  long first, last; /* of what is run: q from `first`, lambda from `last` */
  bool reverse;
  HgState q, constants; /* what was recorded; constants NULL: there are none */
  HgState x, x_bar;     /* (q_n, c); (lambda_n, c_bar) */
} Replay;

/* ---- what is recorded, and where to start ---- */
PetscErrorCode HgReplayFits(HgTrajectory t, HgRecording r) {
  const HgProgram program = HgTrajectoryProgram(t);
  const HgRecordHead *h = &r->head;
  const HgMeshSpec *m = HgMeshGetSpec(HgProgramMesh(program)), *g = &h->grid;
  HgRequire(r->comm, !strcmp(h->program, HgProgramName(program)), HG_ERR_FILE_MISMATCH,
            "replay of '%s': it is a recording of program '%s', expected '%s'", r->directory,
            h->program, HgProgramName(program));
  HgRequire(
      r->comm, h->single == (HG_REAL_SHIFT > 0), HG_ERR_FILE_MISMATCH,
      "replay of '%s': it was written in %s precision, expected the program of that precision",
      r->directory, h->single ? "single" : "double");
  HgRequire(
      r->comm, HgSameGrid(g, m), HG_ERR_FILE_MISMATCH,
      "replay of '%s': recorded on %d x %d cells of %g x %g m, expected %d x %d of %g x %g m; "
      "levels: %d, expected %d",
      r->directory, g->nx, g->ny, g->dx, g->dy, m->nx, m->ny, m->dx, m->dy, g->nz, m->nz);
  HgRequire(r->comm, h->steps == HgTrajectorySteps(t) && h->dt == HgProgramTimeStep(program),
            HG_ERR_FILE_MISMATCH,
            "replay of '%s': recorded with %ld steps of %.17g s, expected %ld of %.17g s",
            r->directory, h->steps, h->dt, HgTrajectorySteps(t), HgProgramTimeStep(program));
  return 0;
}

static PetscErrorCode require_window(const Replay *w) {
  const long last = PetscMin(w->r->head.steps, INT_MAX); /* HgRecorderSpec lists no later ones */
  HgRequire(w->r->comm, 0 <= w->from && w->from < w->to && w->to <= last, HG_ERR_RECORDING_LACKS,
            "replay of '%s': window %ld:%ld, expected steps a:b with 0 <= a < b <= %ld",
            w->r->directory, w->from, w->to, last);
  return 0;
}

static PetscErrorCode find_ends(Replay *w, const char directory[]) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(w->program));
  const long start = w->reverse ? PetscMax(w->from - 1, 0) : w->from;
  char steps[HG_RECORD_STEPS_TEXT];
  PetscCall(HgRecordingNearest(w->r, HG_PRIMAL, start, &w->first));
  HgRecordingSteps(w->r, HG_PRIMAL, start, sizeof steps, steps);
  HgRequire(comm, w->first >= 0, HG_ERR_RECORDING_LACKS,
            "replay of '%s': no state of the first sweep up to step %ld, of which it has %s",
            directory, start, steps);
  w->last = w->to;
  if (!w->reverse) return 0;
  PetscCall(HgRecordingNearest(w->r, HG_COTANGENT, w->to, &w->last));
  HgRecordingSteps(w->r, HG_COTANGENT, w->to, sizeof steps, steps);
  HgRequire(comm, w->last >= 0, HG_ERR_RECORDING_LACKS,
            "replay of '%s': no state of the reverse sweep from step %ld on, of which it has %s",
            directory, w->to, steps);
  return 0;
}

/* A reversed window starts before step a, so q_a is computed by a step, as in the recorded run. */
static PetscErrorCode say_start(const Replay *w) {
  char back[64] = "";
  if (w->reverse) snprintf(back, sizeof back, ", and back from lambda of step %ld", w->last);
  return PetscPrintf(w->r->comm, "replay of '%s': from q of step %ld%s\n", w->r->directory,
                     w->first, back);
}

/* ---- what it starts from ---- */

/* (q_first, c) in x. */
static PetscErrorCode read_state(Replay *w) {
  PetscCall(HgRecordingReadTo(w->r, HG_PRIMAL, w->first, false, w->q));
  PetscCall(HgStateCopyShared(w->q, w->x));
  if (!w->constants) return 0;
  PetscCall(HgRecordingReadConstants(w->r, w->constants));
  return HgStateCopyShared(w->constants, w->x);
}

/* Reads lambda_last and c_bar with ghosts outside walls; 0 for constants that were not active. */
static PetscErrorCode read_cotangents(Replay *w) {
  HgState kept;
  PetscCall(HgStateZero(w->q)); /* between patches no image has ghosts */
  PetscCall(HgRecordingReadTo(w->r, HG_COTANGENT, w->last, false, w->q));
  PetscCall(HgStateCopyShared(w->q, w->x_bar));
  PetscCall(HgRecordingCreateState(w->r, HgProgramMesh(w->program), true, &kept));
  if (!kept) return 0;
  PetscErrorCode ierr = HgRecordingReadTo(w->r, HG_COTANGENT, w->last, true, kept);
  if (!ierr) ierr = HgStateCopyShared(kept, w->x_bar);
  PetscCall(HgStateDestroy(&kept));
  return ierr;
}

/* ---- the trajectory's sweeps ---- */

/* From q_first to q_n. */
static PetscErrorCode forward(Replay *w, long n) {
  PetscCall(HgTrajectoryWindowValue(w->t, &(HgTrajectoryWindow){.from = w->first, .to = n}, w->x));
  return HgStateCopyShared(HgTrajectoryFinal(w->t), w->x);
}

/* Repeats the steps up to `last` and reverses them down to the window's first. */
static PetscErrorCode gradient(Replay *w) {
  const HgRecordHead *h = &w->r->head;
  const bool before = w->first < w->from;
  const HgTrajectoryWindow window = {
      .from = w->from, .to = w->last, .goes_on = before, .J = w->r->ledger.J};
  if (before) PetscCall(forward(w, w->from));
  PetscCall(read_cotangents(w));
  return HgTrajectoryWindowGradient(w->t, &window, w->x, *h->input ? h->J_bar : 1, w->x_bar);
}

static PetscErrorCode sweep(Replay *w) {
  PetscCall(read_state(w));
  HgTrajectoryShowOnly(w->t, w->from, w->to);
  const PetscErrorCode ierr = w->reverse ? gradient(w) : forward(w, w->to);
  HgTrajectoryShowOnly(w->t, 0, HG_NO_STEP);
  return ierr;
}

/* ---- the whole ---- */
static PetscErrorCode create(Replay *w) {
  PetscCall(HgProgramCreateCarried(w->program, &w->q));
  PetscCall(HgProgramCreateConstants(w->program, &w->constants));
  PetscCall(HgProgramCreateInput(w->program, &w->x));
  return HgProgramCreateInput(w->program, &w->x_bar);
}

/* Error: the same folder. The recording is read while the replay is written. */
static PetscErrorCode require_other(const Replay *w, const char replayed[]) {
  int rank;
  PetscCallMPI(MPI_Comm_rank(w->r->comm, &rank));
  return HgAgree(w->r->comm, !rank && HgFileSame(w->r->directory, replayed), HG_ERR_RECORDING_LACKS,
                 "replay of '%s': what comes out is to be recorded in '%s', which is the same "
                 "folder, expected another one",
                 w->r->directory, replayed);
}

static PetscErrorCode run(Replay *w, const char replayed[]) {
  const HgRecorderSpec spec = {.like = w->r,
                               .steps = 2,
                               .step = {(int)w->from, (int)w->to},
                               .application = w->r->head.application};
  HgRecorder recorder;
  PetscCall(HgRecorderCreate(w->t, &spec, &recorder));
  PetscErrorCode ierr = HgRecorderArm(recorder, replayed);
  if (!ierr) ierr = HgTrajectoryBegin(w->t, HG_COTANGENT);
  if (!ierr) ierr = sweep(w);
  if (!ierr) ierr = HgTrajectoryEnd(w->t, HG_COTANGENT, NAN); /* a window is not whole */
  PetscCall(HgRecorderDestroy(&recorder));
  return ierr;
}

PetscErrorCode HgReplay(HgTrajectory t, const char directory[], long from, long to,
                        const char replayed[]) {
  Replay w = {.t = t, .program = HgTrajectoryProgram(t), .from = from, .to = to};
  PetscCall(HgRecordingOpen(HgMeshComm(HgProgramMesh(w.program)), directory, &w.r));
  w.reverse = w.r->head.sweeps == 2;
  PetscErrorCode ierr = HgReplayFits(t, w.r);
  if (!ierr) ierr = require_window(&w);
  if (!ierr) ierr = require_other(&w, replayed);
  if (!ierr) ierr = find_ends(&w, directory);
  if (!ierr) ierr = say_start(&w);
  if (!ierr) ierr = create(&w);
  if (!ierr) ierr = run(&w, replayed);
  PetscCall(HgStatesDestroy(&w.q, &w.constants, &w.x, &w.x_bar));
  PetscCall(HgRecordingClose(&w.r));
  return ierr;
}
