/* SPDX-License-Identifier: BSD-2-Clause */
/* The fastest schedule for slots of two tiers, memory and files, with given costs. Plain C,
   integers only.

   O_k(m, n) is the least time to reverse n steps from a live state with m slots of tier k and all
   slots of the tiers below; P_k(m, n) if that state is already stored in one of these m slots:

     O_k(m, 1) = P_k(m, 1) = R
     O_k(0, n) = O_(k-1)(all, n),                          infinite below tier 0
     P_k(m, n) = min( O_(k-1)(all, n),
                      min over 0 < i < n of  i F + O_k(m - 1, n - i) + r_k + P_k(m, i) )
     O_k(m, n) = min( O_(k-1)(all, n), w_k + P_k(m, n) )

   F: a step forward; R: a step reversed; w_k, r_k: a state written and read in tier k (0 memory, 1
   files). Source: Herrmann & Pallez, H-Revolve, ACM TOMS 46 (2020), where l = n - 1. */
#ifndef HALOGRAD_MULTISTAGE_PRIVATE_H
#define HALOGRAD_MULTISTAGE_PRIVATE_H

#include <halograd/schedule.h>

typedef struct HgMultistage_s *HgMultistage;

/* Finds the splits i of all (k, m, n), 4 bytes each, in (files + memory) steps^2 / 2 trials. NULL:
   no memory, more than HG_MULTISTAGE_TRIALS, or a time above 2^60 ns. */
#define HG_MULTISTAGE_TRIALS 2000000000L
HgMultistage HgMultistageCreate(long steps, int files, int memory, const HgScheduleCosts *costs);
void HgMultistageDestroy(HgMultistage *multistage);

/* Starts again, for steps from .. to - 1; at most as many as Create was given. */
void HgMultistageWindow(HgMultistage multistage, long from, long to);
HgAction HgMultistageNext(HgMultistage multistage);

#endif
