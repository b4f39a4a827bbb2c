/* SPDX-License-Identifier: BSD-2-Clause */
/* When a gradient under way is written, and how a run is stopped: see restart.h. */
#include "restart_private.h"
#include <halograd/error_library.h>
#include <halograd/file_library.h>
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { MOST_PASSES = 1 << 20 };

static const double often = 0.02, seldom = 0.2; /* [s] between two rounds */

/* ---- what all ranks agree on: each contributes its own, the largest counts ---- */
enum { SIGNAL, UNWRITTEN /* [s] */, ROUND /* [s] */ };

static void own_view(HgRestart r) {
  const double now = MPI_Wtime();
  r->view[SIGNAL] = HgStopAsked();
  r->view[UNWRITTEN] = now - r->written_at, r->view[ROUND] = now - r->round_at;
  r->round_at = now;
}

static PetscErrorCode begin_round(HgRestart r) {
  own_view(r);
  r->passes = r->spacing;
  PetscCallMPI(MPI_Iallreduce(MPI_IN_PLACE, r->view, 3, MPI_DOUBLE, MPI_MAX, r->comm, &r->request));
  return 0;
}

static PetscErrorCode end_round(HgRestart r) {
  PetscCallMPI(MPI_Wait(&r->request, MPI_STATUS_IGNORE));
  if (r->view[ROUND] < often) r->spacing = PetscMin(2 * r->spacing, MOST_PASSES);
  if (r->view[ROUND] > seldom) r->spacing = PetscMax(r->spacing / 2, 1);
  return 0;
}

/* Without an interval, ranks wait for each other each time. */
static PetscErrorCode agree_now(HgRestart r) {
  own_view(r);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, r->view, 3, MPI_DOUBLE, MPI_MAX, r->comm));
  return 0;
}

/* ---- writing ---- */
static PetscErrorCode write_generation(HgRestart r, const HgTrajectoryPlace *p) {
  const HgGenerationKind kind = HgRestartKind(p->sweep, r->constants ? r->active : NULL);
  const HgState state[] = {p->state, r->observed, p->final, p->constants_bar};
  char stem[HG_GENERATION_STEM], line[HG_GENERATION_LINE];
  bool found;
  if (!*r->key) PetscCall(HgRestartKey(r));
  if (!r->generation[p->sweep])
    PetscCall(HgGenerationCreate(&kind, state, &r->generation[p->sweep]));
  PetscCall(HgFileFind(r->comm, r->directory, &found));
  if (!found) PetscCall(HgDirectoryCreate(r->comm, r->directory));
  PetscCall(HgObjectiveKeep(r->objective, HgStateArray(r->observed, 0)));
  HgRestartStem(r->directory, r->key, ++r->number, stem);
  snprintf(line, sizeof line, "%s %s %ld J %a", r->key, HgRestartSweep(p->sweep), p->n, p->J);
  PetscCall(HgGenerationWrite(r->generation[p->sweep], stem, line, p->n, state, r->sync, NULL));
  r->sweep = p->sweep, r->n = p->n, r->written++;
  PetscCall(HgRestartRemove(r->comm, r->directory, r->key, r->number - 1));
  r->written_at = MPI_Wtime(); /* the next one is due after as long a time of work */
  return 0;
}

/* ---- stopping ---- */
static void act(HgRestart r) {
  HgStopAct();
  HgErrorSetStatus(HG_STOP_STATUS);
  r->view[SIGNAL] = 0;
}

static PetscErrorCode stop_before(HgRestart r, int signal) {
  act(r);
  return HgError(r->comm, HG_ERR_STOPPED,
                 "%s: stopped before a gradient of '%s'; the same command goes on from here",
                 HgStopName(signal), HgProgramName(r->program));
}

static PetscErrorCode stop(HgRestart r, int signal) {
  if (r->sweep == HG_NO_MODE) return stop_before(r, signal);
  act(r);
  return HgError(r->comm, HG_ERR_STOPPED,
                 "%s: stopped at step %ld of %ld in the %s sweep of a gradient of '%s', which is "
                 "kept in '%s'; the same command goes on from there",
                 HgStopName(signal), r->n, HgTrajectorySteps(r->trajectory),
                 HgRestartSweep(r->sweep), HgProgramName(r->program), r->directory);
}

/* ---- a gradient ---- */
static PetscErrorCode begin_gradient(void *self, HgState x, double J_bar,
                                     HgTrajectoryPlace *place) {
  HgRestart r = self;
  r->running = r->possible;
  if (!r->running) return 0;
  PetscCallMPI(MPI_Wait(&r->request, MPI_STATUS_IGNORE)); /* of one that ended in an error */
  PetscCall(HgRestartForget(r));
  PetscCall(HgRestartOpen(r, x, J_bar));
  PetscCall(agree_now(r));
  if (r->view[SIGNAL] > 0) return stop(r, (int)r->view[SIGNAL]);
  r->written_at = MPI_Wtime();
  PetscCall(HgRestartFind(r, place));
  return r->interval > 0 ? begin_round(r) : 0;
}

/* Checks for signals in runs that are not kept. A round may be under way between these and
   gradients. */
static PetscErrorCode check_stop(void *self) {
  HgRestart r = self;
  if (!r->possible || (r->interval > 0 && --r->passes > 0)) return 0;
  PetscCall((r->interval > 0 ? end_round : agree_now)(r));
  if (r->view[SIGNAL] > 0) return stop_before(r, (int)r->view[SIGNAL]);
  return r->interval > 0 ? begin_round(r) : 0;
}

static PetscErrorCode pass(void *self, const HgTrajectoryPlace *p) {
  HgRestart r = self;
  if (!r->running) return check_stop(r);
  if (r->interval > 0 && --r->passes > 0) return 0;
  PetscCall((r->interval > 0 ? end_round : agree_now)(r));
  const int signal = (int)r->view[SIGNAL];
  const bool news = p->sweep != r->sweep || p->n != r->n;
  if (news && (signal || r->view[UNWRITTEN] >= r->interval)) PetscCall(write_generation(r, p));
  if (signal) return stop(r, signal);
  return r->interval > 0 ? begin_round(r) : 0;
}

static PetscErrorCode end_gradient(void *self) {
  HgRestart r = self;
  if (r->running) r->through = true;
  r->running = false;
  PetscCallMPI(MPI_Wait(&r->request, MPI_STATUS_IGNORE));
  return 0;
}

static void forget_trajectory(void *self) { ((HgRestart)self)->trajectory = NULL; }

/* ---- a restart ---- */

/* Finds local numbers, which cannot move to other ranks. */
static PetscErrorCode find_local(HgRestart r) {
  HgState x;
  PetscCall(HgProgramCreateInput(r->program, &x));
  r->possible = true;
  for (int k = 0; k < HgStateCount(x); k++)
    if (HgStateVariable(x, k)->kind == HG_LOCAL) r->possible = false;
  return HgStateDestroy(&x);
}

PetscErrorCode HgRestartCreate(HgTrajectory trajectory, const HgRestartSpec *spec,
                               HgRestart *restart) {
  const HgProgram program = HgTrajectoryProgram(trajectory);
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  HgRestart r;
  HgRequire(comm, isfinite(spec->interval) && spec->interval >= 0, HG_ERR_ARGUMENT,
            "restart: %g s between two generations, expected a finite number, not negative",
            spec->interval);
  HgRequire(comm, strlen(spec->directory) < HG_RESTART_FOLDER, HG_ERR_FILE_NAME,
            "restart: the name of its folder has %zu bytes, expected less than %d",
            strlen(spec->directory), HG_RESTART_FOLDER);
  PetscCall(PetscNew(&r));
  r->trajectory = trajectory, r->program = program;
  r->objective = HgTrajectoryObjective(trajectory);
  r->interval = spec->interval, r->sync = !spec->unsynced;
  r->went_on.sweep = HG_NO_MODE;
  r->spacing = 1, r->request = MPI_REQUEST_NULL, r->sweep = HG_NO_MODE;
  snprintf(r->directory, sizeof r->directory, "%s", spec->directory);
  PetscCallMPI(MPI_Comm_dup(comm, &r->comm));
  PetscCall(find_local(r));
  HgTrajectorySetKeeper(trajectory, &(HgTrajectoryKeeper){.begin = begin_gradient,
                                                          .restore = HgRestartRestore,
                                                          .pass = pass,
                                                          .end = end_gradient,
                                                          .ask = check_stop,
                                                          .leave = forget_trajectory,
                                                          .context = r});
  if (r->possible) HgStopCatch();
  *restart = r;
  return 0;
}

PetscErrorCode HgRestartDestroy(HgRestart *restart) {
  HgRestart r = *restart;
  *restart = NULL;
  if (!r) return 0;
  if (r->possible) HgStopRelease();
  if (r->trajectory) HgTrajectorySetKeeper(r->trajectory, NULL);
  PetscCallMPI(MPI_Wait(&r->request, MPI_STATUS_IGNORE));
  PetscCall(HgRestartForget(r));
  for (int k = 0; k < HG_MODES; k++) PetscCall(HgGenerationDestroy(&r->generation[k]));
  PetscCall(HgManifestDestroy(&r->manifest));
  PetscCall(HgStateDestroy(&r->observed));
  PetscCall(PetscFree(r->active));
  PetscCallMPI(MPI_Comm_free(&r->comm));
  return PetscFree(r);
}

PetscErrorCode HgRestartClear(HgRestart r) {
  int rank;
  r->through = false, r->sweep = HG_NO_MODE;
  PetscCall(HgRestartRemove(r->comm, r->directory, NULL, LONG_MAX));
  PetscCallMPI(MPI_Comm_rank(r->comm, &rank));
  if (!rank) rmdir(r->directory);
  return 0;
}

void HgRestartWentOn(HgRestart r, HgMode *sweep, long *n) {
  *sweep = r->went_on.sweep, *n = r->went_on.n;
}

long HgRestartWritten(HgRestart r) { return r->written; }
