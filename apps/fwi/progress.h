/* SPDX-License-Identifier: BSD-2-Clause */
/* How far fwi has come between two iterates: shots done, and when the rest will be. */
#ifndef PROGRESS_H
#define PROGRESS_H
#include <halograd/trajectory.h>

typedef struct {
  double every; /* [s] a line at most so often */
  const char *what;
  int shots, groups, own; /* of an evaluation of J and its gradient; those of this group */
  int evaluations;        /* that are expected, about */
  long done;              /* gradients of this group's shots */
  double start, told;     /* [s] */
} Progress;

/* An inversion begins; `what`: "shots". */
void ProgressBegin(const char what[], int shots, int groups, int evaluations, Progress *progress);

/* Gradients of this trajectory, of one shot, count. As of HgTrajectoryAddObserver(). */
PetscErrorCode ProgressWatch(HgTrajectory trajectory, Progress *progress);

#endif
