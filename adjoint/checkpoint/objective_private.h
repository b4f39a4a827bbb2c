/* The inside of an objective, for adjoint/checkpoint/objective*.c; its steps, for trajectory.c. */
#ifndef HALOGRAD_OBJECTIVE_PRIVATE_H
#define HALOGRAD_OBJECTIVE_PRIVATE_H

#include <halograd/objective.h>

/* Where a misfit finds q_n, and in runs of tangents dq_n. Variable k of q is variable k + dot of dq: of a
   program on dual numbers, dq is q. */
typedef struct {
  HgProgram program;
  HgState q, dq; /* dq NULL: none */
  int dot;
} HgMisfitSight;

/* A kind of misfit: sum of squares of residuals r = (H q - d) / sigma. */
typedef struct {
  PetscErrorCode (*start)(void *self);
  void (*end)(void *self, long n); /* q_n is the last state of the run; NULL: it does not matter */
  bool (*needs)(const void *self, long n);
  PetscErrorCode (*observe)(void *self, long n, const HgMisfitSight *sight);
  void (*value)(void *self, HgSum *squares, HgSum *products); /* squares += r r, products += r dr */
  /* q_bar += J_bar dJ/dq_n; variable k of q is k + dot of q_bar */
  PetscErrorCode (*gradient)(void *self, long n, HgState q, double J_bar, HgState q_bar, int dot);
  /* q_bar += J_bar d^2J/dq_n^2 dq_n: where q and dq are both in q, `dot` apart */
  PetscErrorCode (*second)(void *self, long n, HgState q, int dot, double J_bar, HgState q_bar);
  bool reads_state; /* does its gradient read q, or only what it has kept of it? */
  PetscErrorCode (*predicted)(void *self, double value[]); /* sensors only, else NULL */
  size_t (*kept)(const void *self); /* numbers that say what has been observed so far */
  PetscErrorCode (*keep)(void *self, double value[]);
  PetscErrorCode (*restore)(void *self, const double value[]);
  PetscErrorCode (*digest)(void *self, uint64_t *digest); /* of the data; chained */
  PetscErrorCode (*destroy)(void *self);
  void (*text)(const void *self, size_t size,
               char text[]); /* what it is, such as "sensors of 'u'" */
} HgMisfitTable;

PetscErrorCode HgObjectiveAdd(HgObjective objective, const HgMisfitTable *table, void *self,
                              double count);

/* The objective dJ = J'(q) dq of the dual of its program, with the misfits that count now (HgObjectiveSelect());
   it has no data of its own, and must not outlive `objective`. */
PetscErrorCode HgObjectiveCreateDual(HgObjective objective, HgProgram dual, HgObjective *dJ);

/* Does the gradient of a misfit read the state after n steps? */
bool HgObjectiveReadsState(HgObjective objective, long n);
HgProgram HgObjectiveProgram(HgObjective objective);
long HgObjectiveSteps(HgObjective objective);

#endif
