/* halograd/doctor.h -- finds what is wrong with the gradient of a trajectory, without being told
   where to look.

   Step. A direction (dq_0, dc), carried forward by the tangent, meets the lambda_n of the gradient:

     <dq_n, lambda_n - g_n> + <dc, c_bar_n>  =  <dq_{n+1}, lambda_{n+1}> + <dc, c_bar_{n+1}>

   in every step, with g_n = dJ_n/dq_n and c_bar_n the cotangent of the constants from the steps n
   .. N-1. Sums are exact, so what is left is the rounding of one step: the first step of the
   reverse sweep that leaves more is wrong, and no bisection is needed.

   Value. A wrong value whose tangent and adjoint agree keeps that, so each step is also run from
   q_n + e dq and q_n - e dq: the first whose differences are not its tangent is wrong.

   Part. Inside that step each stencil or operator is run alone, where the run has it: the dot
   product for each pair of a variable that it reads and one that it writes, and differences of
   values against the tangent.

   Cell. Directions restricted to the inside, to seams, walls and corners, and then to quarters of
   the domain, down to a cell.

   And faults outside kernels: ghosts that nothing filled, sides of the domain, a state that the
   reverse sweep had otherwise than the first one, a step of another number, a step that the sweep
   reverses otherwise than alone, several steps at once, a term of the objective and its time, a
   parametrisation, a sum over experiments and its weights, a control that is not differentiated by.
   */
#ifndef HALOGRAD_DOCTOR_H
#define HALOGRAD_DOCTOR_H

#include <halograd/check.h>
#include <halograd/finding.h>
#include <halograd/operator.h>
#include <halograd/trajectory.h>

typedef struct {
  uint64_t seed;        /* of the directions */
  double bound;         /* of dot products; 0: 100 eps */
  size_t memory;        /* bytes of tangents kept in memory on this rank; 0: 1 GiB */
  char directory[1024]; /* where the others are kept; "": the current one */
  int bounds;           /* of controls */
  const HgCheckBound *of_control;
} HgDoctorOptions;

/* Examines the gradient at x and, if that is sound, near x, at x_k (1 - r_k / 1000) with 0 <= r_k <
   1 drawn: where fields are uniform or equal much that is wrong does not show. Costs four tangent
   runs, four gradients, 14 of the value and, of what is wrong, some of a step; keeps N + 1 states.
   Parts are examined in the guilty step or, if none is, in the third. `options` may be NULL. The
   report is the same on every rank. Collective. Errors: a trajectory without a store; J is not
   finite; states of so many steps that 100 000 files do not hold them. */
PetscErrorCode HgDoctorTrajectory(HgTrajectory trajectory, HgState x,
                                  const HgDoctorOptions *options, HgDoctorReport *report);

/* Examines the gradient of a functional at m and, if that is sound, beside m, each number moved by
   up to a hundredth within its bounds: its trajectories as above, its other parts
   (parametrisations, regularisation, the experiments of a sum) by the dot product for each pair and
   by differences, sums and chains against their parts, and each control by differences of J. Groups
   of ranks that share the parts examine them side by side. Collective, on all groups. Errors: as
   above. */
PetscErrorCode HgDoctorFunctional(HgOperator functional, HgState m, const HgDoctorOptions *options,
                                  HgDoctorReport *report);

/* HgDoctorFunctional(), printed as "doctor <name>: <N> steps, <dq, lambda> kept to 1e-16 in each,
   gradient to 1e-15: sound", or with the findings, a line each, and the command that finds
   them again; *sound on every rank: nothing was found but remarks. Collective. */
PetscErrorCode HgDoctorPrint(HgOperator functional, HgState m, const HgDoctorOptions *options,
                             bool *sound);

#endif
