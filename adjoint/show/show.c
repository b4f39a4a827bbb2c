/* SPDX-License-Identifier: BSD-2-Clause */
#include "show_private.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>
#include <math.h>

enum { RATE = 8 }; /* frames of a film per second */

struct HgShow_s {
  HgTrajectory trajectory; /* NULL: it is gone */
  HgProgram program;
  MPI_Comm comm;
  char *directory;
  HgShowList list;
  bool running, done; /* done: a gradient was shown */
};

/* ---- which steps ---- */
static long next_of(HgShow s, const HgShowItem *item, HgMode direction, long n) {
  if (HgShowSweep(item->kind) != direction) return HG_NO_STEP;
  if (item->step == HG_SHOW_FILM) return HgShowFrame(n, HgTrajectorySteps(s->trajectory));
  return n <= item->step ? item->step : HG_NO_STEP;
}

static long next_step(void *self, HgMode direction, long n) {
  const HgShow s = self;
  long first = HG_NO_STEP;
  for (int k = 0; s->running && k < s->list.count; k++)
    first = PetscMin(first, next_of(s, &s->list.item[k], direction, n));
  return first;
}

/* ---- a run ---- */

/* Cotangents c_bar of the active constants as in the gradient: cotangents of ghosts outside walls
   are added to their source cells, closed faces are masked. */
static PetscErrorCode constants_so_far(HgShow s, const HgShowTime *at, HgState constants_bar,
                                       HgState *fields) {
  HgState input, q_bar, c_bar;
  bool *kept;
  PetscCall(HgProgramCreateInput(s->program, &input));
  PetscCall(HgProgramCreateCarried(s->program, &q_bar));
  PetscCall(HgProgramCreateConstants(s->program, &c_bar));
  PetscCall(PetscCalloc1(HgStateCount(input), &kept));
  PetscErrorCode ierr =
      HgProgramActiveConstants(s->program, input, kept)
          ? 0
          : HgError(s->comm, HG_ERR_NO_DERIVATIVE,
                    "show: gradient@%ld asked for, but program '%s' has no active constant: J is "
                    "differentiated by q_0 alone, which is lambda@0",
                    at->n, HgProgramName(s->program));
  if (!ierr) ierr = HgStateCopy(constants_bar, c_bar);
  if (!ierr) ierr = HgProgramBoundaryAdjoint(s->program, c_bar);
  if (!ierr) ierr = HgProgramJoin(s->program, q_bar, c_bar, input);
  if (!ierr) ierr = HgShowFields(at, input, kept, fields);
  PetscCall(PetscFree(kept));
  PetscCall(HgStatesDestroy(&input, &q_bar, &c_bar));
  return ierr;
}

static PetscErrorCode show_item(HgShow s, const HgTrajectorySight *sight, HgShowItem *item) {
  const HgShowTime at = {item->kind, sight->n, sight->t};
  HgState fields;
  if (item->kind == HG_SHOW_GRADIENT)
    PetscCall(constants_so_far(s, &at, sight->constants, &fields));
  else PetscCall(HgShowFields(&at, sight->state, NULL, &fields));
  item->seen = true;
  return HgShowPut(s->comm, &at, &fields, s->directory, item);
}

static PetscErrorCode show_step(void *self, const HgTrajectorySight *sight) {
  HgShow s = self;
  for (int k = 0; k < s->list.count; k++)
    if (next_of(s, &s->list.item[k], sight->direction, sight->n) == sight->n)
      PetscCall(show_item(s, sight, &s->list.item[k]));
  return 0;
}

static PetscErrorCode close_films(HgShow s) {
  for (int k = 0; k < s->list.count; k++) PetscCall(HgAnimationClose(&s->list.item[k].film, RATE));
  return 0;
}

/* Shows a value only if nothing was shown before. */
static PetscErrorCode begin_run(void *self, HgMode run) {
  HgShow s = self;
  bool seen = false;
  for (int k = 0; k < s->list.count; k++) seen = seen || s->list.item[k].seen;
  s->running = false;
  if (run == HG_COTANGENT && HgTrajectoryGoesOn(s->trajectory)) return 0; /* the next one, then */
  s->running = !s->done && run != HG_TANGENT && (run == HG_COTANGENT || !seen);
  return 0;
}

static PetscErrorCode end_run(void *self, HgMode run, double J) {
  HgShow s = self;
  if (!s->running) return 0;
  s->running = false, s->done = run == HG_COTANGENT && isfinite(J); /* else nothing was reversed */
  return close_films(s);
}

static void forget_trajectory(void *self) { ((HgShow)self)->trajectory = NULL; }

/* ---- a show ---- */
static PetscErrorCode require_possible(HgTrajectory t, const HgShowList *list) {
  const HgProgram program = HgTrajectoryProgram(t);
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  for (int k = 0; k < list->count; k++) {
    const HgShowItem *const i = &list->item[k];
    const char *const kind = hg_show_kinds[i->kind];
    HgRequire(comm, i->step <= HgTrajectorySteps(t), HG_ERR_RECORDING_LACKS,
              "show: %s@%ld asked for, expected a step from 0 to %ld, the run's last", kind,
              i->step, HgTrajectorySteps(t));
    HgRequire(comm, HgShowSweep(i->kind) == HG_PRIMAL || HgTrajectoryReverses(t),
              HG_ERR_OPTION_CONFLICT,
              "show: '%s' asked for, but this run of program '%s' makes values only, expected one "
              "that makes a gradient",
              kind, HgProgramName(program));
  }
  return 0;
}

PetscErrorCode HgShowCreate(HgTrajectory trajectory, const char what[], const char directory[],
                            HgShow *show) {
  const HgProgram program = HgTrajectoryProgram(trajectory);
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  HgShowList list;
  HgShow s;
  PetscCall(HgShowParse(comm, what, &list));
  PetscCall(require_possible(trajectory, &list));
  PetscCall(PetscNew(&s));
  s->trajectory = trajectory, s->program = program, s->comm = comm, s->list = list;
  PetscCall(PetscStrallocpy(directory, &s->directory));
  *show = s;
  return HgTrajectoryAddObserver(trajectory, &(HgTrajectoryObserver){.next = next_step,
                                                                     .see = show_step,
                                                                     .begin = begin_run,
                                                                     .end = end_run,
                                                                     .leave = forget_trajectory,
                                                                     .without_q = true,
                                                                     .context = s});
}

PetscErrorCode HgShowDestroy(HgShow *show) {
  HgShow s = *show;
  *show = NULL;
  if (!s) return 0;
  if (s->trajectory) PetscCall(HgTrajectoryRemoveObserver(s->trajectory, s));
  PetscCall(close_films(s));
  PetscCall(PetscFree(s->directory));
  return PetscFree(s);
}

PetscErrorCode HgShowEnd(HgShow s, bool *gradient) {
  *gradient = s->done;
  for (int k = 0; k < s->list.count; k++) {
    const HgShowItem *const i = &s->list.item[k];
    char step[32] = "film";
    if (i->step != HG_SHOW_FILM) snprintf(step, sizeof step, "%ld", i->step);
    HgRequire(s->comm, i->seen, HG_ERR_OPTION_CONFLICT,
              "show: '%s@%s' asked for, but this run of program '%s' made no %s that came by there",
              hg_show_kinds[i->kind], step, HgProgramName(s->program),
              HgShowSweep(i->kind) == HG_PRIMAL ? "value or gradient" : "gradient");
  }
  return 0;
}
