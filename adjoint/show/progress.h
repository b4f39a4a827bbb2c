/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/progress.h -- a bar with step, model time and the time that is left, on a terminal. */
#ifndef HALOGRAD_PROGRESS_H
#define HALOGRAD_PROGRESS_H

#include <halograd/trajectory.h>

/* A line that tells how far a run has come. */
typedef struct HgProgress_s *HgProgress;

/* From now until it is destroyed, forward sweeps of `trajectory` draw a bar if the first rank's
   output is a terminal; else nothing happens and nothing is spent. Either may be destroyed first.
   Collective. */
PetscErrorCode HgProgressCreate(HgTrajectory trajectory, HgProgress *bar);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgProgressDestroy(HgProgress *bar);

#endif
