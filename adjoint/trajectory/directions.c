/* SPDX-License-Identifier: BSD-2-Clause */
/* Directions, several in one sweep: J'(x) dx_v forward, J''(x) dx_v by the way back, in a
   trajectory on dual numbers whose states hold (q, dq_1 .. dq_V) and whose reverse sweep carries
   (lambda, dlambda_1 .. dlambda_V). Gauss-Newton needs its forward sweep alone, and then gradients
   of the trajectory itself. */
#include "gradient_private.h"
#include <halograd/options_library.h>
#include <halograd/program_dual_library.h>
#include <math.h>
#include <string.h>

enum { HG_DIRECTIONS = 8 }; /* in one sweep, unless -hg_directions says otherwise */

struct HgDirections_s {
  HgTrajectory of;
  int count; /* of one sweep */
  HgProgram program;
  HgObjective objective;
  HgStore store; /* NULL: nothing has been reversed yet */
  HgTrajectory trajectory;
  HgState input, input_bar;
  bool shown; /* the sweep under way to the observers of `of` */
  HgState dq, dconstants;
  HgTrajectoryCost reversed; /* by the last exact Hessian */
};

PetscErrorCode HgDirectionsRead(MPI_Comm comm, int *most) {
  *most = HG_DIRECTIONS;
  return HgOptionReadInt(comm, "-hg_directions", 1, HG_DIRECTIONS_MOST, most);
}

PetscErrorCode HgDirectionsDestroy(HgDirections *directions) {
  HgDirections d = *directions;
  *directions = NULL;
  if (!d) return 0;
  PetscCall(HgTrajectoryDestroy(&d->trajectory));
  PetscCall(HgStoreDestroy(&d->store));
  PetscCall(HgObjectiveDestroy(&d->objective));
  PetscCall(HgStatesDestroy(&d->input, &d->input_bar, &d->dq, &d->dconstants));
  PetscCall(HgProgramDestroy(&d->program));
  return PetscFree(d);
}

/* ---- observers of q_n, and of dq_n of the first direction ---- */

static long next_step(void *self, HgMode direction, long n) {
  const HgDirections d = self;
  if (direction != HG_PRIMAL || !d->shown) return HG_NO_STEP;
  return PetscMin(HgTrajectoryNextSeen(d->of, HG_PRIMAL, n),
                  HgTrajectoryNextSeen(d->of, HG_TANGENT, n));
}

static PetscErrorCode show_step(void *self, const HgTrajectorySight *s) {
  const HgDirections d = self;
  const HgTrajectory t = d->of;
  const HgState q = t->scratch[0];
  PetscCall(HgStateCopyShared(s->state, q));
  for (int k = 0; k < HgStateCount(d->dq); k++)
    PetscCall(HgStateCopyVariable(s->state, k + HgProgramDualShift(d->program), d->dq, k));
  PetscCall(HgTrajectoryShowState(t, HG_PRIMAL, s->n, q, q, t->constants));
  return HgTrajectoryShowState(t, HG_TANGENT, s->n, d->dq, q, d->dconstants);
}

/* The constants that go with it. */
static PetscErrorCode begin_showing(HgDirections d, HgState x, HgState dx) {
  const HgTrajectory t = d->of;
  d->shown = t->observers > 0;
  if (!d->shown) return 0;
  if (!d->dq) PetscCall(HgProgramCreateCarried(t->program, &d->dq));
  if (!d->dconstants) PetscCall(HgProgramCreateConstants(t->program, &d->dconstants));
  PetscCall(HgProgramSplitShared(t->program, x, t->scratch[0], t->constants));
  return HgProgramSplit(t->program, dx, d->dq, d->dconstants);
}

/* ---- the trajectory on dual numbers ---- */

static PetscErrorCode make(HgTrajectory t, int count, HgDirections d) {
  d->of = t, d->count = count;
  PetscCall(HgProgramCreateDual(t->program, count, &d->program));
  PetscCall(HgObjectiveCreateDual(t->objective, d->program, &d->objective));
  PetscCall(HgProgramCreateInput(d->program, &d->input));
  PetscCall(HgTrajectoryCreate(d->program, t->steps, d->objective, NULL, &d->trajectory));
  return HgTrajectoryAddObserver(
      d->trajectory, &(HgTrajectoryObserver){.next = next_step, .see = show_step, .context = d});
}

/* For so many directions in one sweep. */
static PetscErrorCode prepare(HgTrajectory t, int count) {
  HgDirections *const d = &t->directions;
  if (*d && ((*d)->count != count || !HgProgramDualFits((*d)->program)))
    PetscCall(HgDirectionsDestroy(d));
  if (!*d) {
    PetscCall(PetscNew(d));
    const PetscErrorCode ierr = make(t, count, *d);
    if (ierr) PetscCall(HgDirectionsDestroy(d));
    if (ierr) return ierr;
  }
  HgTrajectoryOnlyAsk((*d)->trajectory, &t->keeper);
  return 0;
}

/* A store like that of the trajectory. */
static PetscErrorCode make_store(HgDirections d) {
  HgState q;
  if (!d->input_bar) PetscCall(HgStateDuplicate(d->input, &d->input_bar));
  if (d->store) return 0;
  PetscCall(HgProgramCreateCarried(d->program, &q));
  const PetscErrorCode ierr = HgStoreCreateLike(d->of->store, q, &d->store);
  PetscCall(HgStateDestroy(&q));
  if (!ierr) d->trajectory->store = d->store;
  return ierr;
}

/* ---- sweeps: as equal as can be; the last direction is there again where it is one too few ----
   */

enum { HG_SWEEP = HG_DIRECTIONS_MOST };

static int per_sweep(HgTrajectory t, int directions) {
  const int sweeps = (directions + t->directions_most - 1) / t->directions_most;
  return (directions + sweeps - 1) / sweeps;
}

/* The input of the sweep from direction `first` on; *own: of how many directions. */
static PetscErrorCode join(HgTrajectory t, HgState x, int directions, const HgState dx[], int first,
                           int *own) {
  const HgDirections d = t->directions;
  HgState all[HG_SWEEP];
  *own = PetscMin(d->count, directions - first);
  for (int v = 0; v < d->count; v++) all[v] = dx[first + PetscMin(v, *own - 1)];
  return HgProgramDualJoin(d->program, x, all, d->input);
}

static PetscErrorCode start(HgTrajectory t, int directions) {
  HgRequire(HgTrajectoryComm(t), directions >= 1, HG_ERR_ARGUMENT,
            "trajectory of '%s': %d directions given, expected at least 1",
            HgProgramName(t->program), directions);
  return prepare(t, per_sweep(t, directions));
}

/* What a run of the trajectory on dual numbers leaves behind is left behind by the one that it is
   of. */
static PetscErrorCode leave_behind(HgDirections d) {
  const HgTrajectory t = d->of;
  PetscCall(HgStateCopyShared(d->trajectory->final, t->final));
  t->gradient.kept = 0;
  t->cost.steps = d->trajectory->cost.steps;
  return 0;
}

static PetscErrorCode end_showing(HgDirections d, double J) {
  if (d->shown) PetscCall(HgTrajectoryEnd(d->of, HG_TANGENT, J));
  d->shown = false;
  return leave_behind(d);
}

PetscErrorCode HgTrajectoryTangents(HgTrajectory t, HgState x, int directions, const HgState dx[],
                                    double *J, double dJ[]) {
  PetscCall(start(t, directions));
  const HgDirections d = t->directions;
  double all[HG_SWEEP];
  for (int v = 0; v < directions; v++) PetscCall(HgTrajectoryRequireAlike(t, x, dx[v], "dx"));
  PetscCall(HgTrajectoryBegin(t, HG_TANGENT));
  PetscCall(begin_showing(d, x, dx[0]));
  for (int first = 0, own; first < directions; first += own) {
    PetscCall(join(t, x, directions, dx, first, &own));
    const PetscErrorCode ierr = HgTrajectoryValue(d->trajectory, d->input, J);
    if (ierr) d->shown = false;
    if (ierr) return ierr;
    PetscCall(HgObjectiveValue(d->objective, J, all));
    PetscCall(PetscArraycpy(dJ + first, all, own));
    if (!first) PetscCall(end_showing(d, *J));
  }
  return 0;
}

PetscErrorCode HgTrajectoryTangent(HgTrajectory t, HgState x, HgState dx, double *J, double *dJ) {
  return HgTrajectoryTangents(t, x, 1, &dx, J, dJ);
}

/* ---- second derivatives ---- */

/* What the states that a gradient keeps depend on: x, the program, the steps that are looked at. */
static PetscErrorCode identify(HgTrajectory t, HgState x, size_t size, char text[]) {
  char digest[17];
  unsigned long looks = 0;
  for (long n = 0; (n = HgTrajectoryNextLook(t, HG_COTANGENT, n)) <= t->steps; n++)
    looks = looks * 1099511628211UL + (unsigned long)n + 1;
  PetscCall(HgStateDigest(x, NULL, digest));
  return PetscSNPrintf(text, size, "%s %lx %d", digest, looks, HgProgramChanges(t->program));
}

/* In turn for each direction of the last run of tangents. If all states are stored, only the first
   product at x makes the first sweep. */
static PetscErrorCode turn(HgTrajectory t, HgState x, int directions, const HgState h[]) {
  HgGradient *const g = &t->gradient;
  PetscErrorCode ierr = 0;
  double J;
  char now[sizeof g->kept_of];
  PetscCall(identify(t, x, sizeof now, now));
  for (int v = 0; v < directions && !ierr; v++) {
    HgObjectiveTurn(t->objective, v);
    g->again = !strcmp(g->kept_of, now);
    ierr = HgTrajectoryGradient(t, x, 1, &J, h[v]);
    PetscCall(PetscStrncpy(g->kept_of, ierr ? "" : now, sizeof now));
  }
  g->again = false;
  HgObjectiveTurn(t->objective, -1);
  return ierr;
}

/* J^T J dx_v: what all residuals change by, and a gradient that begins with that. */
static PetscErrorCode multiply_gauss_newton(HgTrajectory t, HgState x, int directions,
                                            const HgState dx[], double dJ[], const HgState h[]) {
  const HgDirections d = t->directions;
  const HgTrajectoryCost cost = t->cost;
  const HgTrajectorySuspended before = HgTrajectorySuspend(t);
  double J, all[HG_SWEEP];
  PetscErrorCode ierr = 0;
  for (int first = 0, own; first < directions && !ierr; first += own) {
    PetscCall(join(t, x, directions, dx, first, &own));
    ierr = HgTrajectoryValue(d->trajectory, d->input, &J);
    if (!ierr) ierr = HgObjectiveValue(d->objective, &J, all);
    if (ierr) break;
    PetscCall(PetscArraycpy(dJ + first, all, own));
    ierr = turn(t, x, own, h + first);
  }
  HgTrajectoryResume(t, &before);
  t->cost = cost;
  return ierr;
}

PetscErrorCode HgTrajectoryHessians(HgTrajectory t, HgState x, int directions, const HgState dx[],
                                    double dJ[], HgState x_bar, const HgState h[]) {
  HgRequire(HgTrajectoryComm(t), t->store, HG_ERR_NO_DERIVATIVE,
            "trajectory of '%s': a Hessian is asked for, but it was made without a store, which "
            "gives values only; expected one (-slots, or HgCommon.slots, above 0)",
            HgProgramName(t->program));
  PetscCall(start(t, directions));
  const HgDirections d = t->directions;
  double J, all[HG_SWEEP];
  for (int v = 0; v < directions; v++) {
    PetscCall(HgTrajectoryRequireAlike(t, x, dx[v], "dx"));
    PetscCall(HgTrajectoryRequireAlike(t, x, h[v], "the product with the Hessian"));
  }
  if (x_bar) PetscCall(HgTrajectoryRequireAlike(t, x, x_bar, "x_bar"));
  if (HgObjectiveIsGaussNewton(t->objective))
    return multiply_gauss_newton(t, x, directions, dx, dJ, h);
  PetscCall(make_store(d));
  PetscCall(HgProgramDualReverse(d->program, x_bar != NULL));
  for (int first = 0, own; first < directions; first += own) {
    PetscCall(join(t, x, directions, dx, first, &own));
    PetscCall(HgStateZero(d->input_bar));
    PetscCall(HgTrajectoryGradient(d->trajectory, d->input, 1, &J, d->input_bar));
    PetscCall(HgTrajectoryRequireFinite(d->trajectory, J));
    PetscCall(HgObjectiveValue(d->objective, &J, all));
    PetscCall(PetscArraycpy(dJ + first, all, own));
    if (x_bar && !first) PetscCall(HgProgramDualAdd(d->program, d->input_bar, 0, x_bar));
    for (int v = 0; v < own; v++)
      PetscCall(HgProgramDualAdd(d->program, d->input_bar, 1 + v, h[first + v]));
  }
  HgTrajectoryGetCost(d->trajectory, &d->reversed);
  return 0;
}

void HgTrajectoryHessianCost(HgTrajectory t, HgTrajectoryCost *cost) {
  *cost = t->directions ? t->directions->reversed : (HgTrajectoryCost){0};
}
