/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/progress.h -- step, model time and the time that is left of a run. */
#ifndef HALOGRAD_PROGRESS_H
#define HALOGRAD_PROGRESS_H

#include <halograd/trajectory.h>

/* The next run of `trajectory` draws a bar if the first rank's output is a terminal, else, if it
   may take minutes, prints a line each minute. Collective. */
PetscErrorCode HgProgressShow(HgTrajectory trajectory);

#endif
