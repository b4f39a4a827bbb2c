/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/parameter_server.h -- asynchronous steps: one group keeps the controls, the others bring
   gradients.

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
#ifndef HALOGRAD_PARAMETER_SERVER_H
#define HALOGRAD_PARAMETER_SERVER_H

#include <halograd/experiments.h>

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
  void *context;
} HgServerTable;

typedef struct {
  long staleness; /* the largest */
  double seconds;
  int lost;                  /* workers given up */
  struct HgServer_s *server; /* if any were: for HgServerAbandon() */
} HgServerReport;

/* Runs until all updates have been applied. m: in, the start, on every group; out, the end, on
   every group. If workers were given up, it returns on the server only, with report->lost > 0: MPI
   cannot go on without them; the server may still write what was found, over its own group, and
   then calls HgServerAbandon(). Collective over all groups. Errors: fewer than two groups; numbers
   out of range; those of `work` and `update`, after all workers have been stopped; if some are
   still at work a patience (HgErrorPatience()) later, the job is ended. */
PetscErrorCode HgServerRun(HgExperiments experiments, const HgServerSpec *spec,
                           const HgServerTable *table, HgState m, HgServerReport *report);

/* Ends the job, dead ranks and all, with exit status 1. Collective over the server. */
PetscErrorCode HgServerAbandon(HgExperiments experiments, HgServerReport *report);

#endif
