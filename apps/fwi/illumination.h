/* SPDX-License-Identifier: BSD-2-Clause */
/* The illumination of the ground by the shots, for fwi. */
#ifndef ILLUMINATION_H
#define ILLUMINATION_H
#include "shots.h"

/* w = w / sqrt(1 + I / mean I) for the only field w of `weights`, with I = sum_e integral p_e^2 dt
   over the shots in the ground of `x`. The mean is over cells with w > 0. Overwrites `x` except m.
   The second derivatives of J by m are roughly proportional to I, so this makes m change less with
   c where shots are loud. Collective. */
PetscErrorCode Illuminate(const HgCommon *common, HgState x, Shots *shots, HgState weights);

#endif
