/* SPDX-License-Identifier: BSD-2-Clause */
/* The weights of the prior under which the readings are most probable. For tohoku_inverse. */
#ifndef EXACT_EVIDENCE_H
#define EXACT_EVIDENCE_H
#include "exact_box.h"
#include "exact_readings.h"

/* *h1 and *tikhonov: where

     log evidence = -d^T M^-1 d / 2 - log det M / 2 - count/2 log(2 pi),   M = G P^-1 G^T + S

   is largest. P is h1 times what their quotient says, so one spectrum of S^-1/2 G P^-1 G^T S^-1/2
   serves for all h1 of a quotient: a search along the quotient is all. Rank 0 computes. Collective.
   Error: it is largest at an end of what is searched. */
PetscErrorCode ExactEvidenceMaximise(const ExactBox *box, const ExactReadings *readings,
                                     const double G[], double *h1, double *tikhonov);

#endif
