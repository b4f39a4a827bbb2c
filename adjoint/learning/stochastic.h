/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/stochastic.h -- descent along gradients of mini-batches, by one group or by a server
   with workers.

     momentum   v' = mu v + g                    m' = m - rate v'        (Polyak 1964; mu 0: plain)
     Adam       v' = b1 v + (1 - b1) g           m' = m - rate (v' / (1 - b1^n))
                s' = b2 s + (1 - b2) g^2                     / (sqrt(s' / (1 - b2^n)) + eps)
   in step n = 1, 2, ..., with rate = rate_1 / (1 + decay (n - 1)). g is the L2 gradient: dJ/dm over
   the cell area for fields, dJ/dm for arrays, so that rates do not depend on the grid. A step that
   leaves the bounds ends on them. Nothing communicates: ranks, or groups of ranks, that hold the
   same numbers and take the same steps keep the same bits. Source of Adam: Kingma & Ba, ICLR 2015.
   */
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
  const char *control; /* lower <= control <= upper; NULL: no bounds */
  double lower, upper;
} HgStochasticSpec;

/* A stochastic descent with its memory of earlier steps. */
typedef struct HgStochastic_s *HgStochastic;

/* Creates a descent for controls like `m` (a pattern). Collective. Errors: numbers out of range; an
   unknown control, lower > upper, NaN. */
PetscErrorCode HgStochasticCreate(HgState m, const HgStochasticSpec *spec,
                                  HgStochastic *stochastic);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgStochasticDestroy(HgStochastic *stochastic);

/* Takes one step; gradient = dJ/dm as adjoints give it. Collective. Errors, which leave m
   unchanged: states of another pattern; a gradient, or a step, that is not finite. */
PetscErrorCode HgStochasticStep(HgStochastic stochastic, HgState gradient, HgState m);

/* Asynchronous steps: one group keeps the controls, the others bring gradients.

   Group 0 of HgExperiments is the server, the other groups are workers. Every rank of the server
   keeps its own patch of the controls m and talks to the ranks that hold the same patch; no rank
   holds all of m. A worker says hello and gets a ticket (the number of a mini-batch) and m. It
   brings the gradient there and gets the next ticket. The server serves one worker at a time, in
   turn. A gradient that was computed at version v of m and is applied as update V + 1 has the
   staleness V - v. `max_staleness` bounds it without throwing gradients away: the server gives out
   a ticket, or applies a gradient, only if all outstanding gradients can still be applied in time.

   The server waits for slow workers. It gives up a worker that is silent for longer than
   `patience`, and names it at once; the others do its work, and the job ends with an error. If the
   worker comes back, it waits for that end. Workers wait for the server without a limit: `update`
   may take its time. */

typedef struct {
  long updates;       /* gradients to apply, >= 1 */
  long max_staleness; /* largest staleness; HG_UNBOUNDED: any */
  double patience;    /* [s], > 0 */
} HgServerSpec;

enum { HG_UNBOUNDED = -1 };

typedef struct {
  long number;    /* of this update, from 1 */
  long ticket;    /* which mini-batch */
  int worker;     /* group that computed the gradient */
  long staleness; /* updates since the worker got m */
  double J;       /* of the mini-batch, at the m that the worker got */
  double seconds; /* since the start */
} HgUpdate;

typedef struct {
  /* workers: *J and gradient (zero on entry) of mini-batch `ticket` at m, by this group alone */
  PetscErrorCode (*work)(long ticket, HgState m, double *J, HgState gradient, void *context);
  /* server: changes m by the gradient */
  PetscErrorCode (*update)(const HgUpdate *update, HgState gradient, HgState m, void *context);
  /* server: `workers` workers were given up, and MPI cannot continue without them. Save m here,
     over the server's own group; then the job ends, including dead ranks, with exit status 1 */
  PetscErrorCode (*lost)(int workers, HgState m, void *context);
  void *context;
} HgServerTable;

typedef struct {
  long staleness; /* the largest */
  double seconds;
} HgServerReport;

/* Runs until all updates have been applied. m is the start on entry, and the end on return, on
   every group. Collective over all groups. Errors: fewer than two groups; numbers out of range;
   those of `work` and `update`, after all workers have stopped. If some are still busy after the
   patience of groups (error.h), the job is ended. */
PetscErrorCode HgServerRun(HgExperiments experiments, const HgServerSpec *spec,
                           const HgServerTable *table, HgState m, HgServerReport *report);

#endif
