/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/doctor.h -- finds what is wrong with a gradient, without being told where to look.

   Step. The tangent carries a direction (dq_0, dc) forward. With the lambda_n of the gradient,

     <dq_n, lambda_n - g_n> + <dc, c_bar_n>  =  <dq_{n+1}, lambda_{n+1}> + <dc, c_bar_{n+1}>

   holds in every step, with g_n = dJ_n/dq_n and c_bar_n the cotangent of the constants from the
   steps n .. N-1. Sums are exact, so only the rounding of one step is left. The first step of the
   reverse sweep that leaves more is wrong; no bisection is needed.

   Value. If a value is wrong but its tangent and adjoint agree, the identity still holds. So each
   step also runs from q_n + e dq and q_n - e dq: the first step whose differences are not its
   tangent is wrong.

   Part. Inside that step, each stencil or operator runs alone, on the run's values: the dot product
   for each pair of a read and a written variable, and differences of values against the tangent.
   Stencils are also checked on boxes of random numbers (check.h).

   Cell. Directions are restricted to the inside, to seams, walls and corners, and then to quarters
   of the domain, down to a cell.

   The doctor also finds what is not a kernel: a state that differs when it is computed again,
   threads, a term of the objective and its time, a parametrisation, a sum over experiments and its
   weights, a control that J is not differentiated by. */
#ifndef HALOGRAD_DOCTOR_H
#define HALOGRAD_DOCTOR_H

#include <halograd/check.h>

/* Examines the gradient of a functional at m. If it is sound there, it examines it beside m, too,
   with each number moved by up to a hundredth within its bounds, since many errors do not show
   where fields are uniform or equal. It examines trajectories as above; parametrisations,
   regularisation and the experiments of a sum by dot products for each pair and by differences;
   sums and chains against their parts; and each control by differences of J. Groups of ranks that
   share the parts work side by side. Prints "doctor <name>: <N> steps, <dq, lambda> kept to 1e-16
   in each, gradient to 1e-15: sound", or one line per finding and the command that finds it again.
   *sound: only remarks were found. A trajectory costs four tangent runs, four gradients and 14
   values, and a wrong step some more; it keeps N + 1 states (HgCheckOptions.memory). `options` may
   be NULL. Collective, on all groups. Errors: a trajectory without a store; J is not finite; states
   of so many steps that 100 000 files do not hold them. */
PetscErrorCode HgCheckGradient(HgOperator functional, HgState m, const HgCheckOptions *options,
                               bool *sound);

#endif
