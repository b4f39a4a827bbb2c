/* SPDX-License-Identifier: BSD-2-Clause */
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

/* A program repeated, with its objective and its store. */
typedef struct HgTrajectory_s *HgTrajectory;

/* Ranks agree so often whether limits were kept: it costs as much as a step of a small grid. */
enum { HG_LIMITS_EVERY = 100 };

typedef struct {
  long steps;              /* N of the last run */
  long advances;           /* steps run by the last gradient, first sweep included */
  long made_again;         /* steps made once more, in the cache, as their block was reversed */
  int slots;               /* of the store, used by the last gradient */
  double recompute_factor; /* advances / steps */
  /* the first sweep of the last gradient, with what it stores; else the last value */
  double forward_seconds;
  double gradient_seconds; /* the whole of the last gradient, or since it went on (restart.h) */
  /* of one that went on this, recompute_factor and forward_seconds are NAN */
  double gradient_over_forward;
  /* |x - exact| / |exact| of lambda, or of c_bar if that is more, after the first block of the last
     gradient that was reversed, if checkpoints are floats and it is not 0; else NAN */
  double rounded;
  size_t memory_bytes, file_bytes; /* checkpoints, on this rank */
} HgTrajectoryCost;

/* What a gradient is going to take, as its schedule says. */
typedef struct {
  const char *policy;      /* "store-all", "revolve", "store-start" or "multistage" */
  long units;              /* that the schedule counts */
  bool blocks;             /* they are blocks of steps, else steps */
  int slots[HG_TIERS];     /* used */
  bool rounded;            /* those in memory are floats */
  double bytes[HG_TIERS];  /* of all slots of the store, on all ranks together */
  double live_bytes;       /* of the states of both sweeps besides, likewise */
  double recompute_factor; /* HgTrajectoryCost; NAN: more than can be counted */
  double seconds;          /* by what was measured before; NAN: nothing yet */
} HgTrajectoryPlan;

/* Creates J(x) = sum_n J_n(q_n), q_{n+1} = F(q_n; c), x = (q_0, c).
   The trajectory does not take ownership of `program`, `objective` or `store`: all three must
   outlive it, and the first two be set up. Pass store = NULL if you only need values and tangents.
   The checkpoint schedule is chosen when a gradient begins: the cheapest one that fits the store.
   If some slots are files, it is the one of least time, by what steps, writes and reads took in the
   gradient before. Collective. Error: `steps` differs from the objective's. */
PetscErrorCode HgTrajectoryCreate(HgProgram program, long steps, HgObjective objective,
                                  HgStore store, HgTrajectory *trajectory);

/* Frees, sets NULL; program, objective and store stay. Collective. */
PetscErrorCode HgTrajectoryDestroy(HgTrajectory *trajectory);

/* *J = J(x) with x as HgProgramCreateInput() makes it; nothing is stored. Collective. Errors: J or
   q_N is not finite; the sentence names the first step after which a state is not, with variable,
   cell and value, for which the steps are made once more; a state does not keep a limit of the
   program (HgProgramRequireAbove()), which is looked at every HG_LIMITS_EVERY steps and at the end.
   */
PetscErrorCode HgTrajectoryValue(HgTrajectory trajectory, HgState x, double *J);

/* *J and dJ[v] = J'(x) dx[v] in forward sweeps on dual numbers (program_dual.h), of as many
   directions at once as -hg_directions says; of more there are several sweeps, as equal as can be.
   A direction's dJ has the same bits alone and among others; dx of what J is not differentiated by
   counts as 0. Its trajectory is made when this is first called, and anew when a sweep has another
   number of directions than the one before. Collective. Errors: as HgTrajectoryValue(); fewer than
   one direction. */
PetscErrorCode HgTrajectoryTangents(HgTrajectory trajectory, HgState x, int directions,
                                    const HgState dx[], double *J, double dJ[]);

/* *J and x_bar += J_bar J'(x)^T, owned cells. Where J is not finite nothing is reversed and x_bar
   stays as it was: an inversion then tries a point nearer by; a caller with no other point calls
   HgTrajectoryRequireFinite(). Collective. Errors: no store; J is finite and x_bar is not: the
   sentence names the first lambda_n, in reverse order, that is not, with variable and cell, and the
   stencil or operator of the step that made it, for which the gradient is computed once more. */
PetscErrorCode HgTrajectoryGradient(HgTrajectory trajectory, HgState x, double J_bar, double *J,
                                    HgState x_bar);

/* dJ[v] = J'(x) dx[v], x_bar += J'(x)^T, NULL: not wanted, and h[v] += J''(x) dx[v], exact, owned
   cells; directions as of HgTrajectoryTangents(). It is the derivative of the gradient under the
   schedule of this trajectory, in a trajectory on dual numbers with a store like this one whose
   slots are 1 + V times as large: checkpoints hold (q, dq_1 .. dq_V). q and lambda are made once a
   sweep, whatever the number of directions. What sensors predict (HgObjectivePredicted()) is that
   of x. Observers see nothing of it. Collective. Errors: as HgTrajectoryGradient(); fewer than one
   direction; a stencil or operator without second derivatives (HgProgramDualReverse()); a dJ not
   finite. */
PetscErrorCode HgTrajectoryHessians(HgTrajectory trajectory, HgState x, int directions,
                                    const HgState dx[], double dJ[], HgState x_bar,
                                    const HgState h[]);

/* ---- observers ----

   An observer sees, of the steps that it asks for,
     HG_PRIMAL      q_n as it comes by for the first time, n = 0 .. N, in value runs, tangent runs
                    and the first sweep of gradients
     HG_TANGENT     dq_n, after q_n, in tangent runs: of several directions, the first
     HG_COTANGENT   lambda_n = dJ/dq_n, n = N .. 0, of gradients: the contribution of time n is in
                    it, and those of ghosts outside walls are back in the cells that filled them

   Steps that no observer asks for are made, and reversed, several at once. */
typedef struct {
  HgMode direction;
  long n;
  double t; /* n dt [s] */
  /* q_n, dq_n or lambda_n: read only, but for ghosts. In a run of HgTrajectoryValue() the observer
     may change q_n: J and the steps that follow are of what it leaves there. */
  HgState state;
  HgState q; /* q_n; HG_COTANGENT: as this sweep has it, restored or recomputed */
  /* the constants c, their tangents dc; or their cotangents, the sum of dF/dc^T lambda_{k+1} over k
     = n .. N-1: those of active ones, of which those of ghosts outside walls are not in the cells
     yet. NULL: none */
  HgState constants;
  double J; /* HG_COTANGENT; NAN before, when it is not known yet */
} HgTrajectorySight;

typedef struct {
  /* The first step from n on that it is to see; HG_NO_STEP: none. The same on all ranks. Called
     often. */
  long (*next)(void *context, HgMode direction, long n);
  PetscErrorCode (*see)(void *context, const HgTrajectorySight *sight); /* collective */
  /* A run begins: HG_PRIMAL a value, HG_TANGENT a tangent, HG_COTANGENT a gradient; it has ended
     with J, which is not finite if nothing was reversed. NULL: nothing to do. */
  PetscErrorCode (*begin)(void *context, HgMode run);
  PetscErrorCode (*end)(void *context, HgMode run, double J);
  /* After `begin` of a gradient: what it is going to take. Collective. NULL: nothing to do. */
  PetscErrorCode (*planned)(void *context, const HgTrajectoryPlan *plan);
  void (*leave)(void *context); /* the trajectory is destroyed; NULL: nothing to do */
  void *context;
  /* Of lambda_n it does not look at q, which is NULL where the reverse sweep needs no states: so it
     costs none. */
  bool without_q;
} HgTrajectoryObserver;

/* `observer` is copied; several see a step in the order in which they were added, and are told that
   a run ends in the reverse order: the first one may then start other runs. One that is added by
   the `begin` of another is told of that run. Not collective, but the same on all ranks. Error:
   more than HG_OBSERVERS. */
enum { HG_OBSERVERS = 16 };

/* Adds an observer, of which at most HG_OBSERVERS may be there (above). */
PetscErrorCode HgTrajectoryAddObserver(HgTrajectory trajectory,
                                       const HgTrajectoryObserver *observer);

/* The observers of that context are gone. */
PetscErrorCode HgTrajectoryRemoveObserver(HgTrajectory trajectory, void *context);

/* HgTrajectoryValue() of a run that `watch` sees: q_n at t = n dt, n = 0, every, 2 every, ... and
   n = steps; steps between are made several at once. Collective. Errors also: every < 1; those of
   `watch`. */
typedef PetscErrorCode HgWatchFn(long n, double t, HgState q, void *context);
PetscErrorCode HgTrajectoryWatch(HgTrajectory trajectory, HgState x, long every, HgWatchFn *watch,
                                 void *context, double *J);

/* q_N of the last run (borrowed, read only). */
HgState HgTrajectoryFinal(HgTrajectory trajectory);

/* *cost = what the last run took. Not collective. */
void HgTrajectoryGetCost(HgTrajectory trajectory, HgTrajectoryCost *cost);

/* The trajectory as a functional x -> J; it must not outlive it. Collective. */
PetscErrorCode HgTrajectoryOperator(HgTrajectory trajectory, HgOperator *op);

#endif
