/* SPDX-License-Identifier: BSD-2-Clause */
/* Progress of fwi between two iterates: shots done, and time left. */
#ifndef PROGRESS_H
#define PROGRESS_H
#include <halograd/trajectory.h>

typedef struct {
  double every; /* [s] least time between lines */
  const char *what;
  int shots, groups, own; /* for an evaluation of J and its gradient; shots of this group */
  int evaluations;        /* expected, roughly */
  long done;              /* gradients of this group's shots */
  double start, told;     /* [s] */
} Progress;

/* Call it when an inversion begins; `what`: "shots". */
void ProgressBegin(const char what[], int shots, int groups, int evaluations, Progress *progress);

/* Counts the gradients of this trajectory, which is one shot's. Errors: those of
   HgTrajectoryAddObserver(). */
PetscErrorCode ProgressWatch(HgTrajectory trajectory, Progress *progress);

#endif
