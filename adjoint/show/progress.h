/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/progress.h -- step, model time and remaining time of a run. */
#ifndef HALOGRAD_PROGRESS_H
#define HALOGRAD_PROGRESS_H

#include <halograd/trajectory.h>

/* Shows the progress of the next run of `trajectory`: a bar if the first rank's output is a
   terminal, otherwise one line a minute if the run may take minutes. Collective. */
PetscErrorCode HgProgressShow(HgTrajectory trajectory);

#endif
