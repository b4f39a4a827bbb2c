/* SPDX-License-Identifier: BSD-2-Clause */
/* The control of fwi: a field c [1] without bounds, m = phi(weight c). phi increases from SLOWEST^2
   to FASTEST^2, so m stays between these, and phi(0) = WATER^2. In the sea the weight is 0 and m is
   that of water, whatever c is. */
#ifndef CONTROL_H
#define CONTROL_H
#include "earth.h"

/* The operator from "c" [1] to "m" [m^2/s^2] with the field "weight" of `weights`. Collective. */
PetscErrorCode ControlCreate(HgState weights, HgOperator *m_of_c);

/* Sets c so that m(c) is the "m" of x. Collective. Errors: x has no m. */
PetscErrorCode ControlGuess(HgState x, HgState weights, HgState c);

/* Variable k of `deviation` = the standard deviation of the speed, to first order, if d is that of
   c. *mean: its root mean square over the cells that have one. c and d may have more variables.
   Collective. */
PetscErrorCode ControlDeviation(HgOperator m_of_c, HgState c, HgState d, HgState deviation, int k,
                                double *mean);

/* The only field of `speed` = sqrt("m" of x). Collective. Errors: x has no m. */
PetscErrorCode ControlSpeed(HgState x, HgState speed);

#endif
