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
  size_t memory_bytes, file_bytes; /* checkpoints, on this rank */
  size_t state_bytes;              /* one carried state, on this rank */
} HgTrajectoryCost;

/* What a gradient is going to take, as its schedule says. */
typedef struct {
  const char *policy;      /* "store-all", "revolve", "store-start", "multistage" or "online" */
  long units;              /* that the schedule counts; online: at most */
  bool blocks;             /* they are blocks of steps, else steps */
  int slots[HG_TIERS];     /* used; online: of the store */
  double bytes[HG_TIERS];  /* of all slots of the store, on all ranks together */
  double live_bytes;       /* of the states of both sweeps besides, likewise */
  double recompute_factor; /* HgTrajectoryCost; NAN: online, or more than can be counted */
  double seconds;          /* by what was measured before; NAN: nothing yet, or online */
} HgTrajectoryPlan;

/* Creates J(x) = sum_n J_n(q_n), q_{n+1} = F(q_n; c), x = (q_0, c).
   The trajectory does not take ownership of `program`, `objective` or `store`: all three must
   outlive it, and the first two be set up. Pass store = NULL if you only need values and tangents.
   The checkpoint schedule is chosen when a gradient begins: the cheapest one that fits the store.
   If some slots are files, it is the one of least time, by what steps, writes and reads took in the
   gradient before. Collective. Error: `steps` differs from the objective's. */
PetscErrorCode HgTrajectoryCreate(HgProgram program, long steps, HgObjective objective,
                                  HgStore store, HgTrajectory *trajectory);
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

/* That of one direction. */
PetscErrorCode HgTrajectoryHessian(HgTrajectory trajectory, HgState x, HgState dx, double *dJ,
                                   HgState x_bar, HgState h);

/* ---- observers ----

   An observer sees, of the steps that it asks for,
     HG_PRIMAL      q_n as it comes by for the first time, n = 0 .. N, in value runs, tangent runs
                    and the first sweep of gradients
     HG_TANGENT     dq_n, after q_n, in tangent runs: of several directions, the first
     HG_COTANGENT   lambda_n = dJ/dq_n, n = N .. 0, of gradients: the contribution of time n is in
                    it, and those of ghosts outside walls are back in the cells they were filled from
   Steps that no observer asks for are made, and reversed, several at once. */
typedef struct {
  HgMode direction;
  long n;
  double t;      /* n dt [s] */
  HgState state; /* q_n, dq_n or lambda_n: read only, but for ghosts */
  HgState q;     /* q_n; HG_COTANGENT: as this sweep has it, restored or recomputed */
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

PetscErrorCode HgTrajectoryAddObserver(HgTrajectory trajectory,
                                       const HgTrajectoryObserver *observer);

/* The observers of that context are gone. */
PetscErrorCode HgTrajectoryRemoveObserver(HgTrajectory trajectory, void *context);

/* The observer of output, of which there is one: called with q_n, n = 0, every, 2 every, ... and
   n = steps; steps between are made several at once. NULL: no observer. Error: every < 1. */
typedef PetscErrorCode HgWatchFn(long n, double t, HgState q, void *context);
PetscErrorCode HgTrajectorySetWatch(HgTrajectory trajectory, long every, HgWatchFn *watch,
                                    void *context);

/* ---- a run that ends by itself ----

   Is q_n, the state after n steps, at time t [s], the last one of this run? A function of what it
   is handed, with the same answer on all ranks. Collective. */
typedef PetscErrorCode HgStopFn(void *context, long n, double t, HgState q, bool *stop);

/* From now on values, tangents and gradients end after the first n = every, 2 every, ... steps for
   which `stop` says so, after all steps of the trajectory at the latest: N is n then, and J sums
   over n = 0 .. N. q is read only, but for ghosts. Steps between are made several at once. In
   gradients the schedule is the online one. NULL: never again. Collective. Errors: every < 1; in
   runs: answers that differ between ranks; an objective that looks at states after q_N (but
   HG_LAST_STEP); a gradient that is to be kept on disk, to go on after a kill. */
PetscErrorCode HgTrajectorySetStop(HgTrajectory trajectory, long every, HgStopFn *stop,
                                   void *context);

/* ---- a part of a run ----

   Steps from .. to - 1 alone, from a state that is given, 0 <= from < to <= N, all steps:

     value     q_{n+1}  = F(q_n; c)                                n = from .. to-1
     tangent   dq_{n+1} = dF/dq dq_n + dF/dc dc                    n = from .. to-1
     gradient  lambda_n = dF/dq^T lambda_{n+1} + dJ_n/dq_n         n = to-1 .. from
               c_bar   += dF/dc^T lambda_{n+1}

   made by the sweeps of whole runs, with the schedule, the store and the blocks of this trajectory.
   The parts of a run one after the other, and those of its reverse sweep from the last to the
   first, have the bits of the unbroken run, also if each is another trajectory's, on other patches:

     HgTrajectoryPart first = {0, m, seen, false}, last = {m, N, seen, false},
                      back = {0, m, seen, true};
     HgTrajectoryPartValue(t, &first, x, &J);                     x = (q_0, c) becomes (q_m, c)
     HgTrajectoryPartGradient(t, &last, x, 1, &J, x_bar);         J, and x_bar = (lambda_m, c_bar)
     HgTrajectoryPartGradient(t, &back, x_0, 1, &J, x_bar);       x_0 = (q_0, c), x_bar = J'(x_0)^T

   Observers see the steps of the part that they want; they are not told that a run begins or ends.
   A run that ends by itself (HgTrajectorySetStop()) is not asked whether it does. */
typedef struct {
  long from, to;
  /* What J has observed: HgObjectiveKept() numbers, in tangents twice as many, the same on all
     ranks. On entry of q_0 .. q_from, if from > 0; afterwards of q_0 .. q_to. NULL: J begins with
     q_from; what a sensor measures between q_(from-1) and q_from is half seen then. */
  double *observed;
  /* Of a gradient: lambda_to is given, and J has observed all states, so none of this part again.
     False: to = N, and lambda_N = dJ_N/dq_N. */
  bool back;
} HgTrajectoryPart;

/* x = (q_from, c), as HgProgramCreateInput() makes it, becomes (q_to, c); *J: of all that J has
   observed by then. q_to is HgTrajectoryFinal(), too. Collective. Errors, after which x is as it
   was: steps that the trajectory has not got; those of HgTrajectoryValue(). */
PetscErrorCode HgTrajectoryPartValue(HgTrajectory trajectory, const HgTrajectoryPart *part,
                                     HgState x, double *J);

/* The same, and dx = (dq_from, dc) becomes (dq_to, dc); of constants that J is not differentiated
   by dc counts as 0. *dJ: of all that J has observed. Collective. Errors: as above; dx with other
   variables than x. */
PetscErrorCode HgTrajectoryPartTangent(HgTrajectory trajectory, const HgTrajectoryPart *part,
                                       HgState x, HgState dx, double *J, double *dJ);

/* x = (q_from, c) stays; x_bar = (lambda_to, c_bar of the steps from `to` on), ghosts included as
   the part after this one has left them, becomes (lambda_from, c_bar of the steps from `from` on),
   with c_bar of active constants; unless `back` what it holds before does not matter. Cotangents
   that c_bar has in ghosts outside walls are handed in at from = 0: then x_bar is J_bar J'(x)^T.
   *J: of all that J has observed; where it is to seed lambda_N and is not finite nothing is
   reversed, and x_bar stays. Whether x_bar is finite is not looked at. Collective. Errors: as
   above; no store; lambda_to is not given and to < N, or is given without what J has observed. */
PetscErrorCode HgTrajectoryPartGradient(HgTrajectory trajectory, const HgTrajectoryPart *part,
                                        HgState x, double J_bar, double *J, HgState x_bar);

long HgTrajectorySteps(HgTrajectory trajectory); /* at most */

/* q_N of the last run, or q_to of a part that is not `back` (borrowed, read only). */
HgState HgTrajectoryFinal(HgTrajectory trajectory);
void HgTrajectoryGetCost(HgTrajectory trajectory, HgTrajectoryCost *cost);

/* The trajectory as a functional x -> J; it must not outlive it. Collective. */
PetscErrorCode HgTrajectoryOperator(HgTrajectory trajectory, HgOperator *op);

#endif
