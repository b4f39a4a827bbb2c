/* SPDX-License-Identifier: BSD-2-Clause */
/* All shots at once, with random signs, for fwi. Sum k has the sources s_k1 q_1 + ... + s_kE q_E,
   hears d_k = s_k1 d_1 + ... + s_kE d_E, as waves add up, and has the misfit

     J_k(m) = 1/2 sum ((p_k - d_k) / sigma_k)^2,   sigma_k^2 = K (sigma_1^2 + ... + sigma_E^2) / E

   so that over all signs the mean of J_1 + ... + J_K is the misfit of all shots, where these have
   one sigma. Source: Krebs et al., Geophysics 74 (2009). */
#ifndef ENCODING_H
#define ENCODING_H
#include "shots.h"

/* Error: shots that have not all the same wavelet, or not the same receivers; files say where these
   are of shots that are `recorded`. Collective. */
PetscErrorCode EncodingCheck(const Survey *survey, bool recorded);

/* The sign of shot e in sum k of the signs that are drawn for the n-th time, 1 or -1. */
int EncodingSign(const Shots *shots, int n, int k, int e);

/* d_k of the data of all shots. Collective on a group. */
PetscErrorCode EncodingData(const Shots *shots, int n, int k, HgObservations **sum);

#endif
