/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/doctor.h -- finds what is wrong with a gradient, without being told where to look.

   Step. A direction (dq_0, dc), carried forward by the tangent, meets the lambda_n of the gradient:

     <dq_n, lambda_n - g_n> + <dc, c_bar_n>  =  <dq_{n+1}, lambda_{n+1}> + <dc, c_bar_{n+1}>

   in every step, with g_n = dJ_n/dq_n and c_bar_n the cotangent of the constants from the steps n
   .. N-1. Sums are exact, so what is left is the rounding of one step: the first step of the
   reverse sweep that leaves more is wrong, and no bisection is needed.

   Value. A wrong value whose tangent and adjoint agree keeps that, so each step is also run from
   q_n + e dq and q_n - e dq: the first whose differences are not its tangent is wrong.

   Part. Inside that step each stencil or operator is run alone, where the run has it: the dot
   product for each pair of a variable that it reads and one that it writes, and differences of
   values against the tangent. Stencils are also tried on boxes of random numbers (check.h).

   Cell. Directions restricted to the inside, to seams, walls and corners, and then to quarters of
   the domain, down to a cell.

   And what is not a kernel: a state that is not the same when it is computed again, threads, a term
   of the objective and its time, a parametrisation, a sum over experiments and its weights, a
   control that is not differentiated by. */
#ifndef HALOGRAD_DOCTOR_H
#define HALOGRAD_DOCTOR_H

#include <halograd/check.h>

/* Examines the gradient of a functional at m and, if that is sound, beside m, each number moved by
   up to a hundredth within its bounds, as much does not show where fields are uniform or equal: its
   trajectories as above, its other parts (parametrisations, regularisation, the experiments of a
   sum) by the dot product for each pair and by differences, sums and chains against their parts,
   and each control by differences of J. Groups of ranks that share the parts examine them side by
   side. Prints "doctor <name>: <N> steps, <dq, lambda> kept to 1e-16 in each, gradient to 1e-15:
   sound", or the findings, a line each, and the command that finds them again; *sound: nothing was
   found but remarks. Costs, for a trajectory, four tangent runs, four gradients and 14 values, and
   of what is wrong some of a step; keeps N + 1 states (HgCheckOptions.memory). `options` may be
   NULL. Collective, on all groups. Errors: a trajectory without a store; J is not finite; states of
   so many steps that 100 000 files do not hold them. */
PetscErrorCode HgCheckGradient(HgOperator functional, HgState m, const HgCheckOptions *options,
                               bool *sound);

#endif
