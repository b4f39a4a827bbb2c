/* SPDX-License-Identifier: BSD-2-Clause */
/* The weights of the prior under which the readings are most probable. For tohoku_inverse. */
#ifndef EXACT_EVIDENCE_H
#define EXACT_EVIDENCE_H
#include "exact_readings.h"
#include "exact_source.h"

/* Maximises over *prior

     log evidence = -d^T M^-1 d / 2 - log det M / 2 - count/2 log(2 pi),  M = G P^-1 G^T + noise^2 S

   For a surface by h1 and tikhonov, with noise 1; for slip by tikhonov and noise. One spectrum of
   S^-1/2 G P^-1 G^T S^-1/2 serves for all scales of P and S, so a surface needs a search along
   tikhonov / h1 only. Rank 0 computes. Collective. Error: the maximum is at an end of the search.
   */
PetscErrorCode ExactEvidenceMaximise(const ExactSource *source, const ExactReadings *readings,
                                     const double G[], ExactPrior *prior);

#endif
