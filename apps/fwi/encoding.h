/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of all shots with random signs, for fwi. Waves add up, so sum k has the sources s_k1 q_1 +
   ... + s_kE q_E, the data d_k = s_k1 d_1 + ... + s_kE d_E, and the misfit

     J_k(m) = 1/2 sum ((p_k - d_k) / sigma_k)^2,   sigma_k^2 = K (sigma_1^2 + ... + sigma_E^2) / E

   If all shots have the same sigma, the expectation of J_1 + ... + J_K over the signs is the misfit
   of all shots. Source: Krebs et al., Geophysics 74 (2009). */
#ifndef ENCODING_H
#define ENCODING_H
#include "shots.h"

/* Error: the shots differ in wavelet or receivers. If they are `recorded`, the files have the
   receivers. Collective. */
PetscErrorCode EncodingCheck(const Survey *survey, bool recorded);

/* The sign, 1 or -1, of shot e in sum k, at the n-th draw. */
int EncodingSign(const Shots *shots, int n, int k, int e);

/* Creates d_k from the data of all shots. Collective on a group. */
PetscErrorCode EncodingData(const Shots *shots, int n, int k, HgObservations **sum);

#endif
