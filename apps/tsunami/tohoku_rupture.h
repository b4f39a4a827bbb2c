/* SPDX-License-Identifier: BSD-2-Clause */
/* A sea that subfaults lift one after another. For tohoku_inverse -onsets. */
#ifndef TOHOKU_RUPTURE_H
#define TOHOKU_RUPTURE_H
#include "tohoku_sea.h"
#include <halograd/operator.h>

typedef struct {
  double rise;            /* how long a subfault slips [s], above 0 */
  const double *earliest; /* [subfaults] when it may begin [s] */
  HgState units;          /* what 1 m of slip lifts: a field for each of them */
} TohokuRuptureSpec;

/* The operator (slip [m], delay [s]) -> the input of the sea's program after `steps` steps from
   rest, numbers of which every rank holds as many as there are units:
     q_0 = 0,   q_n = F(q_{n-1}) + sum_k slip_k (r_k(t_n) - r_k(t_{n-1})) units_k,   t_n = n dt
     r_k(t) = ramp((t - earliest_k - delay_k) / rise)
     ramp(a) = 10 a^3 - 15 a^4 + 6 a^5 between 0 and 1, 0 before, 1 after: twice differentiable
   with F a step of the program and eta what is lifted. Constants are those of sea->x, which is
   copied. Its adjoint makes the states again and keeps all of them. The same bits on any
   decomposition. The sea must outlive it. Collective. Errors: those of HgParametrisationBasis();
   when applied, a limit of the program that a state does not keep. */
PetscErrorCode TohokuRuptureCreate(const TohokuSea *sea, const TohokuRuptureSpec *spec, int steps,
                                   HgOperator *op);

#endif
