/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs, observers and resumed gradients of a trajectory, for other rooms of the library. */
#ifndef HG_TRAJECTORY_LIBRARY_H
#define HG_TRAJECTORY_LIBRARY_H

#include <halograd/trajectory.h>

/* Requires that the gradient x_bar at x, with a finite J, is finite. Collective. Error: it is not.
   The gradient is then computed once more, and the sentence names the first lambda_n, in reverse
   order, that is not finite, with variable and cell, and the term whose adjoint made it. */
PetscErrorCode HgTrajectoryRequireGradient(HgTrajectory trajectory, HgState x, double J_bar,
                                           double J, HgState x_bar);

/* The first step from n on that some observer wants to see; HG_NO_STEP: none. */
long HgTrajectoryNextSeen(HgTrajectory trajectory, HgMode direction, long n);

/* Tell the observers that a run begins or has ended. Collective. */
PetscErrorCode HgTrajectoryBegin(HgTrajectory trajectory, HgMode run);
PetscErrorCode HgTrajectoryEnd(HgTrajectory trajectory, HgMode run, double J);

/* Observers see only steps from .. to from now on; 0, HG_NO_STEP: all again. */
void HgTrajectoryShowOnly(HgTrajectory trajectory, long from, long to);

/* ---- part of the steps, from .. to - 1; the caller calls Begin and End for the observers ---- */
typedef struct {
  long from, to;
  bool goes_on; /* J and observers have already seen q_from */
  double J;     /* shown to observers of a reverse sweep */
} HgTrajectoryWindow;

/* Runs the window from x = (q_from, c), which does not change; q_to is then HgTrajectoryFinal().
   The gradient turns x_bar = (lambda_to, c_bar) into that of step `from`, with the ghosts of c_bar.
   Values that are not finite are no error. Collective. Error: a gradient without a store. */
PetscErrorCode HgTrajectoryWindowValue(HgTrajectory trajectory, const HgTrajectoryWindow *window,
                                       HgState x);
PetscErrorCode HgTrajectoryWindowGradient(HgTrajectory trajectory, const HgTrajectoryWindow *window,
                                          HgState x, double J_bar, HgState x_bar);

/* ---- a gradient that is resumed ----

   A gradient is two sweeps over a window of steps [a, b]: from q_a forward, then from lambda_b
   back. The whole gradient has the window [0, N]. If it was interrupted at q_s in the forward
   sweep, it resumes with [s, N] and then needs [0, s]; if at lambda_s in the reverse sweep, it
   needs [0, s]. */

/* How far a gradient has come. The objective has seen q_0 .. q_n, or all states. */
typedef struct {
  HgMode sweep; /* HG_PRIMAL: at q_n; HG_COTANGENT: at lambda_n; HG_NO_MODE: not started */
  long n;
  HgState state;         /* q_n, or lambda_n after HgProgramBoundaryAdjoint() */
  HgState constants_bar; /* HG_COTANGENT: the sum so far, of active ones; NULL: none */
  HgState final;         /* HG_COTANGENT: q_N */
  double J;              /* HG_COTANGENT */
} HgTrajectoryPlace;

/* Keeps this place on disk. All functions but `leave` are collective; an error that they return
   ends the gradient. */
typedef struct {
  /* A gradient at x, times J_bar, begins. Set sweep and n of the place to resume from; HG_NO_MODE:
     none. */
  PetscErrorCode (*begin)(void *context, HgState x, double J_bar, HgTrajectoryPlace *place);
  /* Fills in the states of that place (ghosts outside walls are set as at the start), the
     objective, which has been started, and J. */
  PetscErrorCode (*restore)(void *context, HgTrajectoryPlace *place);
  /* The gradient has reached a place. If several steps are made at once, only the places between
     are seen. Called often, also several times at one place. */
  PetscErrorCode (*pass)(void *context, const HgTrajectoryPlace *place);
  PetscErrorCode (*end)(void *context);
  /* Another run - a value, a tangent, a Hessian, a window - begins or is between two steps. NULL:
     nothing to do. */
  PetscErrorCode (*ask)(void *context);
  void (*leave)(void *context); /* the trajectory is destroyed */
  void *context;
} HgTrajectoryKeeper;

/* `keeper` is copied; NULL: none. */
void HgTrajectorySetKeeper(HgTrajectory trajectory, const HgTrajectoryKeeper *keeper);

/* For runs of checks. Until HgTrajectoryResume(), the present observers are told of no run, and
   only `ask` of the keeper is called. Observers that are added later are told. */
typedef struct {
  int awake;
  HgTrajectoryKeeper keeper;
} HgTrajectorySuspended;

HgTrajectorySuspended HgTrajectorySuspend(HgTrajectory trajectory);
void HgTrajectoryResume(HgTrajectory trajectory, const HgTrajectorySuspended *before);

/* Calls `ask` of the keeper. Collective. */
PetscErrorCode HgTrajectoryAsk(HgTrajectory trajectory);

/* Where the present gradient began, or the one that the present window is part of. If it was
   resumed, observers see only what comes after. Between gradients x is NULL and sweep
   HG_NO_MODE. */
typedef struct {
  HgState x; /* borrowed */
  double J_bar;
  HgMode sweep; /* it resumed at step n of this sweep; HG_NO_MODE: it began at q_0 */
  long n;
} HgTrajectoryStart;

HgTrajectoryStart HgTrajectoryBegan(HgTrajectory trajectory);
bool HgTrajectoryGoesOn(HgTrajectory trajectory);

/* Digests that identify the steps of this trajectory: `q` after two steps from x, and `bar` of what
   the adjoint of the second one makes of q. Call it between runs. Collective. */
PetscErrorCode HgTrajectoryProbe(HgTrajectory trajectory, HgState x, char q[17], char bar[17]);

/* HgTrajectoryTangents() for one direction. */
PetscErrorCode HgTrajectoryTangent(HgTrajectory trajectory, HgState x, HgState dx, double *J,
                                   double *dJ);

/* *cost: the cost of the last sweep of exact Hessians, where a step is one of dual numbers. Zeros
   before the first. */
void HgTrajectoryHessianCost(HgTrajectory trajectory, HgTrajectoryCost *cost);

/* Requires that the J of the last gradient is finite. Collective. Error: as HgTrajectoryValue(). */
PetscErrorCode HgTrajectoryRequireFinite(HgTrajectory trajectory, double J);

/* For `next` of observers: the first of the steps 0, every, 2 every, ... from n >= 0 on. */
static inline long HgStepMultiple(long every, long n) {
  const long over = n % every;
  return !over ? n : n > LONG_MAX - every ? HG_NO_STEP : n + (every - over);
}

HgProgram HgTrajectoryProgram(HgTrajectory trajectory);
HgObjective HgTrajectoryObjective(HgTrajectory trajectory);

/* Whether the trajectory has a store and gives gradients. */
bool HgTrajectoryReverses(HgTrajectory trajectory);

/* *plan: that of the last gradient. */
void HgTrajectoryGetPlan(HgTrajectory trajectory, HgTrajectoryPlan *plan);

/* Prints one line: recompute factor, checkpoint bytes over all ranks, gradient / forward, time of a
   gradient. Collective. */
PetscErrorCode HgTrajectoryView(HgTrajectory trajectory, PetscViewer viewer);

/* The trajectory of an HgTrajectoryOperator(); NULL: it is another operator. */
HgTrajectory HgTrajectoryOf(HgOperator op);

/* N, the number of steps. Not collective. */
long HgTrajectorySteps(HgTrajectory trajectory);

#endif
