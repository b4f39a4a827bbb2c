/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of the shots reaches a place, for fwi. */
#ifndef ILLUMINATION_H
#define ILLUMINATION_H
#include "shots.h"

/* The only field of `weights`, w, becomes w / sqrt(1 + I / mean I), I = sum_e integral p_e^2 dt of
   the shots over the ground of `x`, which is used up but for m; the mean is that where w > 0. So a
   change of c changes m less where shots are loud, as the second derivatives of J by m are about
   proportional to I. Collective. */
PetscErrorCode Illuminate(const HgCommon *common, HgState x, Shots *shots, HgState weights);

#endif
