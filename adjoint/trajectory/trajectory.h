/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/trajectory.h -- many steps of a program as one function: x = (q_0, constants) -> J. A
   trajectory is an operator, too.

     forward   q_{n+1}  = F(q_n; c)                                n = 0 .. N-1
               J        = sum_n J_n(q_n)                           n = 0 .. N
     reverse   lambda_N = dJ_N/dq_N
               lambda_n = dF/dq^T lambda_{n+1} + dJ_n/dq_n         n = N-1 .. 0
               c_bar   += dF/dc^T lambda_{n+1}

   The schedule decides which states are stored and which are recomputed. This changes no bit of the
   gradient. */
#ifndef HALOGRAD_TRAJECTORY_H
#define HALOGRAD_TRAJECTORY_H

#include <halograd/objective.h>
#include <halograd/schedule.h>
#include <halograd/store.h>

/* A program, its objective and its checkpoint store. */
typedef struct HgTrajectory_s *HgTrajectory;

/* Steps between two agreements of the ranks on limits; one agreement costs as much as a step of a
   small grid. */
enum { HG_LIMITS_EVERY = 100 };

typedef struct {
  long steps;              /* N of the last run */
  long advances;           /* steps of the last gradient, including its forward sweep */
  long made_again;         /* steps recomputed in the cache while their block was reversed */
  int slots;               /* used by the last gradient */
  double recompute_factor; /* advances / steps */
  /* forward sweep of the last gradient, including the checkpoints it stores; else the last value */
  double forward_seconds;
  double gradient_seconds; /* the last gradient, or since it was resumed */
  /* NAN for a resumed gradient, as are recompute_factor and forward_seconds */
  double gradient_over_forward;
  /* if checkpoints are floats: the larger of the relative errors |x - exact| / |exact| of lambda
     and c_bar after the first block that the last gradient reversed; NAN without floats, or if the
     error is 0 */
  double rounded;
  size_t memory_bytes, file_bytes; /* checkpoints, on this rank */
} HgTrajectoryCost;

/* What a gradient will cost, according to its schedule. */
typedef struct {
  const char *policy;      /* "store-all", "revolve", "store-start" or "multistage" */
  long units;              /* that the schedule counts: steps, or blocks of steps */
  bool blocks;             /* the units are blocks of steps */
  int slots[HG_TIERS];     /* used */
  bool rounded;            /* checkpoints in memory are floats */
  double bytes[HG_TIERS];  /* of all slots of the store, on all ranks together */
  double live_bytes;       /* of the other states of both sweeps, on all ranks together */
  double recompute_factor; /* HgTrajectoryCost; NAN: more than can be counted */
  double seconds;          /* predicted from earlier measurements; NAN: there are none */
} HgTrajectoryPlan;

/* Creates J(x) = sum_n J_n(q_n), q_{n+1} = F(q_n; c), x = (q_0, c). The trajectory does not take
   ownership of `program`, `objective` or `store`. All three must outlive it. Call HgProgramSetUp()
   before. Pass store = NULL if you only need values and tangents. The checkpoint schedule is chosen
   when a gradient begins: the cheapest one that fits the store. If some slots are files, it is the
   fastest one, judged by the times of steps, writes and reads in the gradient before. Collective.
   Error: `steps` differs from the objective's. */
PetscErrorCode HgTrajectoryCreate(HgProgram program, long steps, HgObjective objective,
                                  HgStore store, HgTrajectory *trajectory);

/* Frees the trajectory, sets NULL; program, objective and store stay. Collective. */
PetscErrorCode HgTrajectoryDestroy(HgTrajectory *trajectory);

/* *J = J(x), with x as HgProgramCreateInput() makes it. Stores no states. Collective. Errors: J or
   q_N is not finite; it then repeats the steps and names the first one after which a state is not
   finite, with variable, cell and value. A state breaks a limit of the program
   (HgProgramRequireAbove()); limits are examined every HG_LIMITS_EVERY steps and at the end. */
PetscErrorCode HgTrajectoryValue(HgTrajectory trajectory, HgState x, double *J);

/* *J and dJ[v] = J'(x) dx[v], in forward sweeps on dual numbers. -hg_directions sets the largest
   number of directions in one sweep; more directions take several sweeps of nearly equal size. dJ
   of a direction has the same bits alone and among others. A variable that J is not differentiated
   by counts as dx = 0. The first call creates a trajectory on dual numbers; a sweep with another
   number of directions than the one before creates a new one. Collective. Errors: as
   HgTrajectoryValue(); fewer than one direction. */
PetscErrorCode HgTrajectoryTangents(HgTrajectory trajectory, HgState x, int directions,
                                    const HgState dx[], double *J, double dJ[]);

/* *J and x_bar += J_bar J'(x)^T, owned cells. If J is not finite, nothing is reversed and x_bar
   stays as it was: an inversion then tries a closer point. Collective. Errors: no store; J is
   finite and x_bar is not. The gradient is then computed once more, and the sentence names the
   first lambda_n, in reverse order, that is not finite, with variable and cell, and the stencil or
   operator that made it. */
PetscErrorCode HgTrajectoryGradient(HgTrajectory trajectory, HgState x, double J_bar, double *J,
                                    HgState x_bar);

/* dJ[v] = J'(x) dx[v], x_bar += J'(x)^T (NULL: not wanted) and h[v] += J''(x) dx[v], exact, owned
   cells. Directions as in HgTrajectoryTangents(). This is the exact derivative of the gradient
   under the same schedule: a trajectory on dual numbers has a store like this one, with slots 1 + V
   times as large, whose checkpoints hold (q, dq_1 .. dq_V). It computes q and lambda once a sweep,
   for any number of directions. With HgObjectiveSetGaussNewton() there is no such store, x_bar
   stays, and after the tangents each direction takes a gradient. HgObjectivePredicted() then
   returns the predictions at x. Observers see none of it. Collective. Errors: as
   HgTrajectoryGradient(); fewer than one direction; a stencil or operator without second
   derivatives, unless Gauss-Newton is set; dJ is not finite. */
PetscErrorCode HgTrajectoryHessians(HgTrajectory trajectory, HgState x, int directions,
                                    const HgState dx[], double dJ[], HgState x_bar,
                                    const HgState h[]);

/* ---- observers ----

   An observer sees the steps that it asks for:
     HG_PRIMAL      q_n when it is first computed, n = 0 .. N, in runs of values and tangents and
                    in the forward sweep of gradients
     HG_TANGENT     dq_n, after q_n, in runs of tangents; of several directions, the first
     HG_COTANGENT   lambda_n = dJ/dq_n, n = N .. 0, of gradients: with the contribution of time n,
                    and with ghosts outside walls added to the cells that filled them

   The engine makes, and reverses, several steps at once where no observer asks for one. */
typedef struct {
  HgMode direction;
  long n;
  double t; /* n dt [s] */
  /* q_n, dq_n or lambda_n; read only except for ghosts. In HgTrajectoryValue() an observer may
     change q_n: J and the later steps then use what it leaves there. */
  HgState state;
  HgState q; /* q_n; HG_COTANGENT: restored or recomputed by this sweep */
  /* the constants c or their tangents dc; HG_COTANGENT: the cotangents of active ones, the sum of
     dF/dc^T lambda_{k+1} over k = n .. N-1, in which ghosts outside walls have not been added to
     the cells yet. NULL: none */
  HgState constants;
  double J; /* HG_COTANGENT; else NAN, as it is not known yet */
} HgTrajectorySight;

typedef struct {
  /* Returns the first step from n on that the observer wants to see; HG_NO_STEP: none. The same on
     all ranks. Called often. */
  long (*next)(void *context, HgMode direction, long n);
  PetscErrorCode (*see)(void *context, const HgTrajectorySight *sight); /* collective */
  /* A run begins: HG_PRIMAL a value, HG_TANGENT a tangent, HG_COTANGENT a gradient. A run has ended
     with J, which is not finite if nothing was reversed. NULL: nothing to do. */
  PetscErrorCode (*begin)(void *context, HgMode run);
  PetscErrorCode (*end)(void *context, HgMode run, double J);
  /* After `begin` of a gradient: what it will cost. Collective. NULL: nothing to do. */
  PetscErrorCode (*planned)(void *context, const HgTrajectoryPlan *plan);
  void (*leave)(void *context); /* the trajectory is being destroyed; NULL: nothing to do */
  void *context;
  /* The observer does not read q beside lambda_n. Then q is NULL if the reverse sweep needs no
     states, and the observer costs no recomputation. */
  bool without_q;
} HgTrajectoryObserver;

/* `observer` is copied. Observers see a step in the order in which they were added, and the end of
   a run in reverse order, so that the first one may then start other runs. If `begin` of one
   observer adds another, the new one is told of that run, too. Not collective, but the same on all
   ranks. Error: more than HG_OBSERVERS. */
enum { HG_OBSERVERS = 16 };

/* Adds an observer, at most HG_OBSERVERS (above). */
PetscErrorCode HgTrajectoryAddObserver(HgTrajectory trajectory,
                                       const HgTrajectoryObserver *observer);

/* Removes the observers with this context. */
PetscErrorCode HgTrajectoryRemoveObserver(HgTrajectory trajectory, void *context);

/* HgTrajectoryValue(), with `watch` called on q_n at t = n dt for n = 0, every, 2 every, ... and n
   = steps. The engine makes the steps between several at once. Collective. Errors also: every < 1;
   those of `watch`. */
typedef PetscErrorCode HgWatchFn(long n, double t, HgState q, void *context);
PetscErrorCode HgTrajectoryWatch(HgTrajectory trajectory, HgState x, long every, HgWatchFn *watch,
                                 void *context, double *J);

/* q_N of the last run; borrowed, read only. */
HgState HgTrajectoryFinal(HgTrajectory trajectory);

/* *cost: the cost of the last run. Not collective. */
void HgTrajectoryGetCost(HgTrajectory trajectory, HgTrajectoryCost *cost);

/* The trajectory as a functional x -> J. The trajectory must outlive it. Collective. */
PetscErrorCode HgTrajectoryOperator(HgTrajectory trajectory, HgOperator *op);

#endif
