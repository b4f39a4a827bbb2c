/* SPDX-License-Identifier: BSD-2-Clause */
/* How the observers of a trajectory are told of runs, and how a gradient goes on, for rooms that
   stand inside this one. */
#ifndef HG_TRAJECTORY_LIBRARY_H
#define HG_TRAJECTORY_LIBRARY_H

#include <halograd/trajectory.h>

/* A gradient at x that `observer` alone sees, and no error if it is not finite. Collective. */
PetscErrorCode HgTrajectoryGradientSeen(HgTrajectory trajectory,
                                        const HgTrajectoryObserver *observer, HgState x,
                                        double J_bar);

/* The gradient x_bar at x, with a finite J, is finite. Collective. Error: it is not; the first
   lambda_n in reverse order that is not is named, with variable and cell, and the term of the
   step whose adjoint made it, for which the gradient is computed once more. */
PetscErrorCode HgTrajectoryRequireGradient(HgTrajectory trajectory, HgState x, double J_bar,
                                           double J, HgState x_bar);

/* The first step from n on that an observer is to see; HG_NO_STEP: none. */
long HgTrajectoryNextSeen(HgTrajectory trajectory, HgMode direction, long n);

/* A run begins; it has ended. Collective. */
PetscErrorCode HgTrajectoryBegin(HgTrajectory trajectory, HgMode run);
PetscErrorCode HgTrajectoryEnd(HgTrajectory trajectory, HgMode run, double J);

/* From now on observers see steps from .. to alone; 0, HG_NO_STEP: all again. */
void HgTrajectoryShowOnly(HgTrajectory trajectory, long from, long to);

/* ---- steps from .. to - 1 alone; the caller tells observers that a run begins and ends ---- */
typedef struct {
  long from, to;
  bool goes_on; /* J and observers have seen q_from already */
  double J;     /* that observers of a reverse sweep are told */
} HgTrajectoryWindow;

/* From x = (q_from, c), which stays: q_to is the last state of the trajectory. A
   gradient makes of x_bar = (lambda_to, c_bar) the same of step `from`, c_bar with ghosts. What is
   not finite is no error. Collective. Error: a gradient without a store. */
PetscErrorCode HgTrajectoryWindowValue(HgTrajectory trajectory, const HgTrajectoryWindow *window,
                                       HgState x);
PetscErrorCode HgTrajectoryWindowGradient(HgTrajectory trajectory, const HgTrajectoryWindow *window,
                                          HgState x, double J_bar, HgState x_bar);

/* ---- a gradient goes on ----

   A gradient is two sweeps over a window of steps [a, b]: from q_a forward, from lambda_b back. The
   whole one is [0, N]. One that has come to q_s in its first sweep is [s, N] from there, and then
   [0, s]; one that has come to lambda_s in the reverse sweep is [0, s]. */

/* How far a gradient has come. Its objective has seen q_0 .. q_n, or all states. */
typedef struct {
  HgMode sweep; /* HG_PRIMAL: to q_n; HG_COTANGENT: to lambda_n; HG_NO_MODE: nowhere yet */
  long n;
  HgState state;         /* q_n, or lambda_n after HgProgramBoundaryAdjoint() */
  HgState constants_bar; /* HG_COTANGENT: so far, of active ones; NULL: there are none */
  HgState final;         /* HG_COTANGENT: q_N */
  double J;              /* HG_COTANGENT */
} HgTrajectoryPlace;

/* Keeps that place on disk. All are collective; an error that they return ends the gradient. */
typedef struct {
  /* A gradient at x, times J_bar, begins: sweep and n of the place to go on from, HG_NO_MODE: none.
     */
  PetscErrorCode (*begin)(void *context, HgState x, double J_bar, HgTrajectoryPlace *place);
  /* Fills the states of that place, of which ghosts outside walls are set as at the start, the
     objective, which has been started, and J. */
  PetscErrorCode (*restore)(void *context, HgTrajectoryPlace *place);
  /* It has come to a place. Where steps are made several at once only what comes between is seen.
     Called often, also several times at one place. */
  PetscErrorCode (*pass)(void *context, const HgTrajectoryPlace *place);
  PetscErrorCode (*end)(void *context);
  /* A run of which no place is kept - a value, a tangent, a Hessian, a window - is between two
     steps, or begins. NULL: nothing to do. */
  PetscErrorCode (*ask)(void *context);
  void (*leave)(void *context); /* the trajectory is destroyed */
  void *context;
} HgTrajectoryKeeper;

/* `keeper` is copied; NULL: none. */
void HgTrajectorySetKeeper(HgTrajectory trajectory, const HgTrajectoryKeeper *keeper);

/* Until HgTrajectoryResume() hands it back, the observers of now are told of no run, and of the
   keeper `ask` alone is called: for runs of checks. Observers that are added since are told. */
typedef struct {
  int awake;
  HgTrajectoryKeeper keeper;
} HgTrajectorySuspended;

HgTrajectorySuspended HgTrajectorySuspend(HgTrajectory trajectory);
void HgTrajectoryResume(HgTrajectory trajectory, const HgTrajectorySuspended *before);

/* Calls `ask`. */
PetscErrorCode HgTrajectoryAsk(HgTrajectory trajectory);

/* Where the gradient under way began, or what part of one is under way of. Elsewhere than at q_0,
   observers see only what comes after. Between gradients x is NULL and sweep HG_NO_MODE. */
typedef struct {
  HgState x; /* borrowed */
  double J_bar;
  HgMode sweep; /* it goes on at step n of it; HG_NO_MODE: it began at q_0 */
  long n;
} HgTrajectoryStart;

HgTrajectoryStart HgTrajectoryBegan(HgTrajectory trajectory);
bool HgTrajectoryGoesOn(HgTrajectory trajectory);

/* What tells this trajectory's steps from others: digests of q after two steps from x, and of what
   the adjoint of the last of them makes of q. Between runs. Collective. */
PetscErrorCode HgTrajectoryProbe(HgTrajectory trajectory, HgState x, char q[17], char bar[17]);

/* That of one direction. */
PetscErrorCode HgTrajectoryTangent(HgTrajectory trajectory, HgState x, HgState dx, double *J,
                                   double *dJ);

/* What the last sweep of Hessians has taken, as HgTrajectoryGetCost(); a step is one of dual
   numbers. Zeros before the first. */
void HgTrajectoryHessianCost(HgTrajectory trajectory, HgTrajectoryCost *cost);

/* An error as of HgTrajectoryValue() if the J of the last gradient is not finite. Collective. */
PetscErrorCode HgTrajectoryRequireFinite(HgTrajectory trajectory, double J);

/* For `next`: the first of the steps 0, every, 2 every, ... from n >= 0 on. */
static inline long HgStepMultiple(long every, long n) {
  const long over = n % every;
  return !over ? n : n > LONG_MAX - every ? HG_NO_STEP : n + (every - over);
}

HgProgram HgTrajectoryProgram(HgTrajectory trajectory);
HgObjective HgTrajectoryObjective(HgTrajectory trajectory);

/* Was it made with a store, and gives gradients? */
bool HgTrajectoryReverses(HgTrajectory trajectory);

/* What the last gradient was going to take. */
void HgTrajectoryGetPlan(HgTrajectory trajectory, HgTrajectoryPlan *plan);

/* Prints one line: recompute factor, checkpoint bytes over all ranks, gradient / forward, time of a
   gradient. Collective. */
PetscErrorCode HgTrajectoryView(HgTrajectory trajectory, PetscViewer viewer);

/* The trajectory that such an operator is of; NULL: it is another operator. */
HgTrajectory HgTrajectoryOf(HgOperator op);

/* N, the number of steps. Not collective. */
long HgTrajectorySteps(HgTrajectory trajectory);

#endif
