/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/progress.h -- a bar with step, model time and the time that is left, on a terminal. */
#ifndef HALOGRAD_PROGRESS_H
#define HALOGRAD_PROGRESS_H

#include <halograd/trajectory.h>

/* The next run of `trajectory` draws a bar if the first rank's output is a terminal; else nothing
   happens and nothing is spent. Collective. */
PetscErrorCode HgProgressShow(HgTrajectory trajectory);

#endif
