/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of an objective, for adjoint/trajectory/objective*.c; its steps, for trajectory.c. */
#ifndef HG_OBJECTIVE_LIBRARY_H
#define HG_OBJECTIVE_LIBRARY_H

#include <halograd/objective.h>

/* Where a misfit finds q_n, and where q moves dq_n of each direction: in a state of its own, or, of
   a program on dual numbers, in q. */
typedef struct {
  HgProgram program;
  HgState q, dq; /* dq NULL: none */
  int directions, shift;
} HgMisfitSight;

/* Where dq of variable k of q is, direction v from 0. */
static inline int HgMisfitDot(const HgMisfitSight *s, int k, int v) {
  return k + (v + 1) * s->shift;
}

/* A kind of misfit: sum of squares of residuals r = (H q - d) / sigma, or twice a goal. */
typedef struct {
  PetscErrorCode (*start)(void *self, int directions);
  long (*next)(const void *self, long n); /* the first state from q_n on that it looks at */
  PetscErrorCode (*observe)(void *self, long n, const HgMisfitSight *sight);
  /* squares += r r, products[v] += r dr_v. Collective */
  PetscErrorCode (*value)(void *self, HgSum *squares, HgSum products[]);
  PetscErrorCode (*gradient)(void *self, long n, HgState q, double J_bar,
                             HgState q_bar); /* q_bar += J_bar dJ/dq_n */
  /* dq_bar += J_bar d^2J/dq_n^2 dq_n of direction v from 0; the dq_n are in q, the dq_bar in q_bar:
     those of variable k are variable k + (v + 1) shift */
  PetscErrorCode (*second)(void *self, long n, HgState q, int v, int shift, double J_bar,
                           HgState q_bar);
  bool reads_state; /* does its gradient read q, or only what it has kept of it? */
  PetscErrorCode (*predicted)(void *self, double value[]); /* sensors only, else NULL */
  /* numbers that say what has been observed of q so far. They are restored after `start` */
  size_t (*kept)(const void *self);
  PetscErrorCode (*keep)(void *self, double value[]);
  void (*restore)(void *self, const double value[]);
  PetscErrorCode (*digest)(void *self, uint64_t *digest); /* of the data; chained */
  /* HgObjectiveDisturb(); NULL: it cannot */
  PetscErrorCode (*disturb)(void *self, uint64_t seed, bool yes);
  PetscErrorCode (*destroy)(void *self);
  void (*text)(const void *self, size_t size,
               char text[]); /* what it is, such as "sensors of 'u'" */
} HgMisfitTable;

PetscErrorCode HgObjectiveAdd(HgObjective objective, const HgMisfitTable *table, void *self,
                              double count);

/* Is J 0 whatever happens: no reading that is not a gap, no goal? Not collective. */
bool HgObjectiveIsEmpty(HgObjective objective);

/* A term couples states: its gradient at one of them needs what was observed of others, so that the
   gradient of a window alone cannot be had. Is there such a term? */
void HgObjectiveCouple(HgObjective objective);
bool HgObjectiveCoupled(HgObjective objective);

/* The objective on dual numbers, for the dual of its program: J, dJ_v = J'(q) dq_v, and in reverse
   J' beside J''(q) dq_v; of the misfits that count now (HgObjectiveSelect()). It has no data of its
   own, and must not outlive `objective`. Its J is that of q, or, where a dJ_v is not finite, that.
   */
PetscErrorCode HgObjectiveCreateDual(HgObjective objective, HgProgram dual, HgObjective *J);

bool HgObjectiveIsGaussNewton(HgObjective objective);

/* From now on each residual counts one standard deviation less or more, by a coin that falls alike
   on any decomposition and otherwise for each `seed`, as if the data had so much more noise; `yes`
   false: as they are. What was observed stays. Collective. Errors: a term that was measured, but
   not by sensors, or as shapes or envelopes, or robustly. */
PetscErrorCode HgObjectiveDisturb(HgObjective objective, uint64_t seed, bool yes);

/* The first state from q_n on that the gradient of a misfit reads; HG_NO_STEP: none. */
long HgObjectiveNextRead(HgObjective objective, long n);
HgProgram HgObjectiveProgram(HgObjective objective);
long HgObjectiveSteps(HgObjective objective);

/* From now on only term k counts, in order of the calls above; -1: all. The same k on all ranks.
   Error: no such term. */
PetscErrorCode HgObjectiveSelect(HgObjective objective, int k);

/* 64 bits of XXH3 over all that was measured, and where and when, and which terms count: the same
   on any decomposition. Collective. */
PetscErrorCode HgObjectiveDigest(HgObjective objective, uint64_t *digest);

/* What has been observed so far, as HgObjectiveKept() numbers, the same on every rank and any
   decomposition: handed to another objective of the same data, as if it had seen these states
   itself. Collective. */
size_t HgObjectiveKept(HgObjective objective);
PetscErrorCode HgObjectiveKeep(HgObjective objective, double value[]);
PetscErrorCode HgObjectiveRestore(HgObjective objective, const double value[]);

/* The first state from q_n on that it looks at; HG_NO_STEP: none. */
long HgObjectiveNext(HgObjective objective, long n);

/* q_bar += J_bar dJ/dq_n, ring outside walls included (HgProgramBoundaryAdjoint() hands it in). */
PetscErrorCode HgObjectiveGradient(HgObjective objective, long n, HgState q, double J_bar,
                                   HgState q_bar);

/* ---- for trajectories ----

   A run begins. */
PetscErrorCode HgObjectiveStart(HgObjective objective);

/* Does it look at q_n? */
bool HgObjectiveNeeds(HgObjective objective, long n);

/* q_n comes by (dq_n too, or NULL: none, or in q_n, of a program on dual numbers), n = 0 .. steps,
   at least those it needs, each once and in order. Fills the ghosts it needs. */
PetscErrorCode HgObjectiveObserve(HgObjective objective, long n, HgState q, HgState dq);

/* *J, and dJ if not NULL, of one direction, or of all of a program on dual numbers, once all states
   came by. One reduction, and one of each integral. Collective. */
PetscErrorCode HgObjectiveValue(HgObjective objective, double *J, double dJ[]);

#endif
