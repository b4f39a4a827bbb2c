/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of an objective: its kinds of misfit, and how a trajectory runs it. */
#ifndef HG_OBJECTIVE_LIBRARY_H
#define HG_OBJECTIVE_LIBRARY_H

#include <halograd/objective.h>

/* Where a misfit finds q_n and dq_n of each direction: dq_n is in a state of its own or, for a
   program on dual numbers, in q. */
typedef struct {
  HgProgram program;
  HgState q, dq; /* dq NULL: none */
  int directions, shift;
} HgMisfitSight;

/* The variable of q that is dq of variable k, direction v from 0. */
static inline int HgMisfitDot(const HgMisfitSight *s, int k, int v) {
  return k + (v + 1) * s->shift;
}

/* A kind of misfit: the sum of squares of residuals r = (H q - d) / sigma, or twice a goal. */
typedef struct {
  PetscErrorCode (*start)(void *self, int directions);
  long (*next)(const void *self, long n); /* the first state from q_n on that it reads */
  PetscErrorCode (*observe)(void *self, long n, const HgMisfitSight *sight);
  /* squares += r r, products[v] += r dr_v. Collective */
  PetscErrorCode (*value)(void *self, HgSum *squares, HgSum products[]);
  PetscErrorCode (*gradient)(void *self, long n, HgState q, double J_bar,
                             HgState q_bar); /* q_bar += J_bar dJ/dq_n */
  /* dq_bar += J_bar d^2J/dq_n^2 dq_n for direction v from 0. dq_n is in q, dq_bar in q_bar:
     variable k + (v + 1) shift belongs to variable k. With shift 0, J^T J dq_n by the dq_n that was
     observed, added to q_bar itself */
  PetscErrorCode (*second)(void *self, long n, HgState q, int v, int shift, double J_bar,
                           HgState q_bar);
  bool reads_state; /* its gradient reads q, not only what it kept of it */
  PetscErrorCode (*predicted)(void *self, double value[]); /* sensors only, else NULL */
  /* numbers that hold what it has observed of q so far; call `restore` after `start` */
  size_t (*kept)(const void *self);
  PetscErrorCode (*keep)(void *self, double value[]);
  void (*restore)(void *self, const double value[]);
  PetscErrorCode (*digest)(void *self, uint64_t *digest); /* of the data; chained */
  /* for HgObjectiveDisturb(); NULL: not possible */
  PetscErrorCode (*disturb)(void *self, uint64_t seed, bool yes);
  PetscErrorCode (*destroy)(void *self);
  void (*text)(const void *self, size_t size, char text[]); /* "sensors of 'u'" */
} HgMisfitTable;

PetscErrorCode HgObjectiveAdd(HgObjective objective, const HgMisfitTable *table, void *self,
                              double count);

/* Whether J is always 0: there is no reading except gaps, and no goal. Not collective. */
bool HgObjectiveIsEmpty(HgObjective objective);

/* Declares that a term couples states: its gradient at one state needs what was observed of others,
   so that a window cannot be reversed alone. HgObjectiveCoupled(): there is such a term. */
void HgObjectiveCouple(HgObjective objective);
bool HgObjectiveCoupled(HgObjective objective);

/* Creates the objective on dual numbers, for the dual of its program, with the misfits that count
   now (HgObjectiveSelect()): J and dJ_v = J'(q) dq_v; in reverse J' and J''(q) dq_v. It has no data
   of its own and must not outlive `objective`. Its J is that of q, or a dJ_v if that is not
   finite. */
PetscErrorCode HgObjectiveCreateDual(HgObjective objective, HgProgram dual, HgObjective *J);

bool HgObjectiveIsGaussNewton(HgObjective objective);

/* After a run of tangents, with Gauss-Newton: from now on gradients are J^T J dq of direction v,
   from 0, of what was observed, which no run changes; -1: gradients again. */
void HgObjectiveTurn(HgObjective objective, int v);

/* Adds or subtracts one standard deviation to each residual, by a coin that depends on `seed` and
   not on the decomposition, as if the data had so much more noise; `yes` false: undoes this. What
   was observed stays. Collective. Errors: a measurement not by sensors, or as shapes or envelopes,
   or robust. */
PetscErrorCode HgObjectiveDisturb(HgObjective objective, uint64_t seed, bool yes);

/* The first state from q_n on that the gradient of a misfit reads; HG_NO_STEP: none. */
long HgObjectiveNextRead(HgObjective objective, long n);
HgProgram HgObjectiveProgram(HgObjective objective);
long HgObjectiveSteps(HgObjective objective);

/* Only term k counts from now on, in order of the public calls; -1: all. The same k on all ranks.
   Error: no such term. */
PetscErrorCode HgObjectiveSelect(HgObjective objective, int k);

/* The XXH3 digest of all measurements with places and times, and of which terms count: the same on
   any decomposition. Collective. */
PetscErrorCode HgObjectiveDigest(HgObjective objective, uint64_t *digest);

/* What has been observed so far: HgObjectiveKept() numbers, the same on every rank and any
   decomposition. Another objective with the same data that restores them is as if it had seen the
   states itself. Collective. */
size_t HgObjectiveKept(HgObjective objective);
PetscErrorCode HgObjectiveKeep(HgObjective objective, double value[]);
PetscErrorCode HgObjectiveRestore(HgObjective objective, const double value[]);

/* The first state from q_n on that the objective reads; HG_NO_STEP: none. */
long HgObjectiveNext(HgObjective objective, long n);

/* q_bar += J_bar dJ/dq_n, also in the ring outside walls, from which HgProgramBoundaryAdjoint()
   adds it inside. */
PetscErrorCode HgObjectiveGradient(HgObjective objective, long n, HgState q, double J_bar,
                                   HgState q_bar);

/* ---- for trajectories ----

   Starts a run. */
PetscErrorCode HgObjectiveStart(HgObjective objective);

/* Whether the objective reads q_n. */
bool HgObjectiveNeeds(HgObjective objective, long n);

/* Passes q_n, n = 0 .. steps, to the objective: at least the states that it needs, each once and in
   order. dq: dq_n; NULL: none, or it is in q (dual numbers). Fills the ghosts it needs. */
PetscErrorCode HgObjectiveObserve(HgObjective objective, long n, HgState q, HgState dq);

/* *J and dJ[] (may be NULL), of one direction or all directions of dual numbers, after all states
   were passed. One reduction, and one for each integral. Collective. */
PetscErrorCode HgObjectiveValue(HgObjective objective, double *J, double dJ[]);

#endif
