/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/stochastic.h -- steps along gradients of a part of the data, and which part.

     momentum   v' = mu v + g                    m' = m - rate v'        (Polyak 1964; mu 0: plain)
     Adam       v' = b1 v + (1 - b1) g           m' = m - rate (v' / (1 - b1^n))
                s' = b2 s + (1 - b2) g^2                     / (sqrt(s' / (1 - b2^n)) + eps)
   in step n = 1, 2, ..., with rate = rate_1 / (1 + decay (n - 1)) and g the L2 gradient: dJ/dm over
   the cell area for fields, dJ/dm for arrays, so that rates do not depend on the grid. What leaves
   the bounds is put back on them. Nothing communicates: ranks, or groups of ranks, that hold the
   same numbers and take the same steps keep the same bits.
   Source of Adam: Kingma & Ba, ICLR 2015. */
#ifndef HALOGRAD_STOCHASTIC_H
#define HALOGRAD_STOCHASTIC_H

#include <halograd/experiments.h>
#include <halograd/state.h>

typedef enum { HG_MOMENTUM, HG_ADAM } HgStochasticRule;

typedef struct {
  HgStochasticRule rule;
  double rate;  /* of the first step, > 0 */
  double decay; /* >= 0 */
  double first; /* mu or b1, in [0, 1) */
  /* b2 in [0, 1) and eps > 0, of Adam */
  double second, epsilon;
  const char *control; /* lower <= control <= upper; NULL: all are free */
  double lower, upper;
} HgStochasticSpec;

/* A stochastic descent and what it remembers. */
typedef struct HgStochastic_s *HgStochastic;

/* For controls like `m` (a pattern). Collective. Errors: numbers out of range; an unknown control,
   lower > upper, NaN. */
PetscErrorCode HgStochasticCreate(HgState m, const HgStochasticSpec *spec,
                                  HgStochastic *stochastic);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgStochasticDestroy(HgStochastic *stochastic);

/* One step; gradient = dJ/dm as adjoints give it. Collective. Errors: states of another pattern; a
   gradient, or a step, that is not finite: m is then as it was. */
PetscErrorCode HgStochasticStep(HgStochastic stochastic, HgState gradient, HgState m);

/* Asynchronous steps: one group keeps the controls, the others bring gradients.

   Group 0 of HgExperiments is the server, the other groups are workers. Every rank of the server
   keeps its own patch of the controls m and talks to the ranks that hold the same patch; no rank
   holds all of m. A worker says hello and is given a ticket (a number that says which mini-batch it
   is) and m; it brings the gradient there and is given the next. Workers are served one at a time,
   in turn. A gradient computed at version v of m and applied as update V + 1 has the staleness
   V - v. Staleness is bounded by `max_staleness` without a gradient being thrown away: a ticket is
   given, or a gradient applied, only if all that are still out can be applied in time.
   A worker that is slow is waited for. One that is silent for longer than `patience` is given up:
   it is named at once, the others do its work, and the job ends with an error; if it comes back it
   waits for that end. Workers wait for the server without a limit: `update` may take its time. */

typedef struct {
  long updates;       /* gradients to apply, >= 1 */
  long max_staleness; /* at most so stale; HG_UNBOUNDED: any */
  double patience;    /* [s], > 0 */
} HgServerSpec;

enum { HG_UNBOUNDED = -1 };

typedef struct {
  long number;    /* of this update, from 1 */
  long ticket;    /* which mini-batch */
  int worker;     /* group that computed the gradient */
  long staleness; /* updates between m being given and the gradient applied */
  double J;       /* of the mini-batch, at the m that was given */
  double seconds; /* since the start */
} HgUpdate;

typedef struct {
  /* workers: *J and gradient (zero on entry) of mini-batch `ticket` at m, by this group alone */
  PetscErrorCode (*work)(long ticket, HgState m, double *J, HgState gradient, void *context);
  /* server: changes m by the gradient */
  PetscErrorCode (*update)(const HgUpdate *update, HgState gradient, HgState m, void *context);
  /* server: so many workers were given up, and MPI cannot go on without them: keeps m, the end,
     over its own group; then the job ends, dead ranks and all, with exit status 1 */
  PetscErrorCode (*lost)(int workers, HgState m, void *context);
  void *context;
} HgServerTable;

typedef struct {
  long staleness; /* the largest */
  double seconds;
} HgServerReport;

/* Runs until all updates have been applied. m: in, the start, on every group; out, the end, on
   every group. Collective over all groups. Errors: fewer than two groups; numbers out of range;
   those of `work` and `update`, after all workers have been stopped; if some are still at work a
   patience (HgErrorPatience()) later, the job is ended. */
PetscErrorCode HgServerRun(HgExperiments experiments, const HgServerSpec *spec,
                           const HgServerTable *table, HgState m, HgServerReport *report);

#endif
