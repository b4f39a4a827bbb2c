/* SPDX-License-Identifier: BSD-2-Clause */
/* Two applications as a user writes them by hand, from the docs alone: what bench/doctor/campaign
   plants errors in, and doctor_mutant.c asks the doctor about. */
#ifndef HALOGRAD_TEST_STRANGERS_H
#define HALOGRAD_TEST_STRANGERS_H

#include <halograd/operator.h>

/* Calls examine(J, m, context) of the functional and the first guess. */
typedef PetscErrorCode StrangerFn(HgOperator J, HgState m);

/* Gray and Scott's reaction; sought: the feed, of which a prior knows a mean, and u at the start.
   */
PetscErrorCode stranger_gray_scott(StrangerFn *examine);

/* Sound of three shots; sought: the squared speed, around a prior mean, where the guess is. */
PetscErrorCode stranger_wave(StrangerFn *examine);

#endif
