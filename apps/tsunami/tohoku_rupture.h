/* SPDX-License-Identifier: BSD-2-Clause */
/* Subfaults lift the sea one after another. For tohoku_inverse -onsets. */
#ifndef TOHOKU_RUPTURE_H
#define TOHOKU_RUPTURE_H
#include "tohoku_sea.h"
#include <halograd/operator.h>

typedef struct {
  double rise;            /* duration of slip of a subfault [s], above 0 */
  const double *earliest; /* [subfaults] earliest onset [s] */
  HgState units;          /* uplift by 1 m of slip: a field for each subfault */
} TohokuRuptureSpec;

/* The operator (slip [m], delay [s]) -> the input of the sea's program after `steps` steps from
   rest. Slip and delay are replicated arrays with one number per unit:
     q_0 = 0,   q_n = F(q_{n-1}) + sum_k slip_k (r_k(t_n) - r_k(t_{n-1})) units_k,   t_n = n dt
     r_k(t) = ramp((t - earliest_k - delay_k) / rise)
     ramp(a) = 10 a^3 - 15 a^4 + 6 a^5 between 0 and 1, 0 before, 1 after: twice differentiable
   F is a step of the program; units_k are added to eta. Constants are those of sea->x, which is
   copied. The adjoint recomputes all states and stores them. The same bits on any decomposition.
   The sea must outlive it. Collective. Errors: those of HgParametrisationBasis(); when applied, a
   state outside the limits of the program. */
PetscErrorCode TohokuRuptureCreate(const TohokuSea *sea, const TohokuRuptureSpec *spec, int steps,
                                   HgOperator *op);

#endif
