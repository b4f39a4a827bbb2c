/* halograd/trajectory.h -- a program repeated under a schedule: x = (q_0, constants) -> J. Itself
   an operator.

     forward   q_{n+1}  = F(q_n; c)                                n = 0 .. N-1
               J        = sum_n J_n(q_n)                           n = 0 .. N
     reverse   lambda_N = dJ_N/dq_N
               lambda_n = dF/dq^T lambda_{n+1} + dJ_n/dq_n         n = N-1 .. 0
               c_bar   += dF/dc^T lambda_{n+1}

   Which states are stored and which are recomputed is the schedule's affair and changes no bit of
   the gradient. */
#ifndef HALOGRAD_TRAJECTORY_H
#define HALOGRAD_TRAJECTORY_H

#include <halograd/objective.h>
#include <halograd/schedule.h>
#include <halograd/store.h>

typedef struct HgTrajectory_s *HgTrajectory;

typedef struct {
  long steps;
  long advances;           /* steps run by the last gradient, first sweep included */
  double recompute_factor; /* advances / steps */
  /* the first sweep of the last gradient, with what it stores; else the last value */
  double forward_seconds;
  double gradient_seconds; /* the whole of the last gradient */
  double gradient_over_forward;
  size_t memory_bytes, file_bytes; /* checkpoints, on this rank */
  size_t state_bytes;              /* one carried state, on this rank */
} HgTrajectoryCost;

/* All parts are borrowed. The program and the objective are set up; the store has the slots of the
   schedule; NULL: values and tangents only. Options: none. Collective.
   Errors: steps unequal to the objective's; a store too small for the policy. */
PetscErrorCode HgTrajectoryCreate(HgProgram program, long steps, HgObjective objective,
                                  HgSchedulePolicy policy, HgStore store, HgTrajectory *trajectory);
PetscErrorCode HgTrajectoryDestroy(HgTrajectory *trajectory);

/* *J = J(x) with x as HgProgramCreateInput() makes it; nothing is stored. Collective. Errors: J or
   q_N is not finite; the sentence names the first step after which a state is not, with variable,
   cell and value, for which the steps are made once more. */
PetscErrorCode HgTrajectoryValue(HgTrajectory trajectory, HgState x, double *J);

/* *J and *dJ = J'(x) dx in one forward sweep. Collective. */
PetscErrorCode HgTrajectoryTangent(HgTrajectory trajectory, HgState x, HgState dx, double *J,
                                   double *dJ);

/* *J and x_bar += J_bar J'(x)^T, owned cells. Where J is not finite nothing is reversed and x_bar
   stays as it was: an inversion then tries a point nearer by; who has no other point calls
   HgTrajectoryRequireFinite(). Collective. Errors: no store. */
PetscErrorCode HgTrajectoryGradient(HgTrajectory trajectory, HgState x, double J_bar, double *J,
                                    HgState x_bar);

/* An error as of HgTrajectoryValue() if the J of the last gradient is not finite. Collective. */
PetscErrorCode HgTrajectoryRequireFinite(HgTrajectory trajectory, double J);

/* Called after every step of value runs and first sweeps with q_n, n = 0 .. steps: output,
   progress. NULL: nobody. */
typedef PetscErrorCode HgWatchFn(long n, double t, HgState q, void *context);
PetscErrorCode HgTrajectorySetWatch(HgTrajectory trajectory, HgWatchFn *watch, void *context);

/* q_N of the last run (borrowed, read only). */
HgState HgTrajectoryFinal(HgTrajectory trajectory);
void HgTrajectoryGetCost(HgTrajectory trajectory, HgTrajectoryCost *cost);

/* Prints one line: recompute factor, checkpoint bytes over all ranks, gradient / forward.
   Collective. */
PetscErrorCode HgTrajectoryView(HgTrajectory trajectory, PetscViewer viewer);

/* The trajectory as a functional x -> J; it must not outlive it. Collective. */
PetscErrorCode HgTrajectoryOperator(HgTrajectory trajectory, HgOperator *op);

#endif
