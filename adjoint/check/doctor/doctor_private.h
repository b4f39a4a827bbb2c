/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of the doctor; for adjoint/check/doctor only. */
#ifndef HALOGRAD_DOCTOR_PRIVATE_H
#define HALOGRAD_DOCTOR_PRIVATE_H

#include <halograd/doctor_library.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/trajectory_library.h>

/* Examines a trajectory at x; `near`: at x_k (1 - r_k / 1000) with random 0 <= r_k < 1. Examines
   the parts of the wrong step, or of the third if none is wrong. Collective. */
PetscErrorCode HgDoctorTrajectory(HgTrajectory trajectory, HgState x, bool near,
                                  const HgCheckOptions *options, HgFindings *report);

/* ---- doctor_steps.c: a tangent run and a gradient, step by step ---- */
typedef struct {
  HgState constants;
  /* the first step n -> n + 1 of the reverse sweep that does not keep the pairing; -1: none */
  long step;
  HgState q, lambda, lambda_next; /* q_n from which it was reversed; lambda_n - g_n; lambda_{n+1} */
  long altered;                   /* first n with another q_n than the tangent run; -1: none */
  double J, objective;            /* J of the gradient; sum of <g_n, dq_n> */
  char digest[17];                /* of the gradient */
} HgDoctorSeen;

/* Fills the report's numbers, and `seen`, whose states the caller destroys. Collective. */
PetscErrorCode HgDoctorSteps(HgTrajectory trajectory, HgState x, HgState dx,
                             const HgCheckOptions *options, HgFindings *report, HgDoctorSeen *seen);

/* ---- doctor_values.c: values against the tangent, step by step ---- */

/* *step: the first step from x whose value and tangent disagree, for random directions and dx of
   the constants; q = q_n before it. -1: none, and q does not change. Collective. */
PetscErrorCode HgDoctorValues(HgTrajectory trajectory, HgState x, HgState dx,
                              const HgCheckOptions *options, HgState q, long *step);

/* ---- doctor_parts.c: the parts of a step ---- */

/* Finds what is wrong with the parts of step `step` at its input `x`. `contract`: also what
   stencils must never do, such as use local indices, keep memory of their own, or read beyond their
   radii; without `options` nothing else. Collective. */
PetscErrorCode HgDoctorParts(HgProgram program, HgOperator step_operator, long step, HgState x,
                             bool contract, const HgCheckOptions *options, HgFindings *report);

/* Finds what is wrong with an operator alone. Collective. */
PetscErrorCode HgDoctorOperator(HgOperator op, HgState x, const HgCheckOptions *options,
                                HgFindings *report);

/* ---- doctor_objective.c: terms of the objective and their times ---- */
PetscErrorCode HgDoctorObjective(HgTrajectory trajectory, HgState x, const HgCheckOptions *options,
                                 HgFindings *report);

/* ---- doctor_sum.c: sums and chains against their parts ---- */

/* Adds a finding if the parts of `op` are right and `op` at x is not their sum or chain.
   Collective, on all groups that share the parts. */
PetscErrorCode HgDoctorSum(HgOperator op, HgState x, const HgCheckOptions *options,
                           HgFindings *report);

/* ---- doctor_controls.c ---- */

/* Finds what is wrong with, or remarkable about, the controls of a functional at m. Collective. */
PetscErrorCode HgDoctorControls(HgOperator functional, HgState m, const HgCheckOptions *options,
                                HgFindings *report);

/* *slope = (J(x + e dx) - J(x - e dx)) / 2e; *size = |J(x + e dx)| + |J(x - e dx)|; `moved` and `y`
   are overwritten. Collective. */
PetscErrorCode HgDoctorSlope(HgOperator functional, HgState x, double e, HgState dx, HgState moved,
                             HgState y, double *slope, double *size);

/* ---- doctor_cells.c: where ---- */

/* Finds where <F' dx, y_bar> and <dx, x_bar> differ most; dx and y_bar have a single variable that
   is not 0, and x_bar = F'(x)^T y_bar. Sets place, i, j, rank; for an array i. Collective. */
PetscErrorCode HgDoctorCell(HgOperator part, HgState x, int read, HgState dx, HgState y_bar,
                            HgState x_bar, double bound, HgFinding *finding);

/* Finds where variable k of a and b differ most: sets i, j, rank, was (a), is (b), and place for a
   variable of a program on that mesh. *largest: the difference; 0: none. Collective. */
PetscErrorCode HgDoctorDifference(HgState a, HgState b, int k, double *largest, HgFinding *finding);

/* Adds a finding for the first variable in which `was` and `is` differ, with the place of the
   largest difference. Collective. */
PetscErrorCode HgDoctorAltered(HgState was, HgState is, HgCheckId check, long step,
                               const char part[], HgFindings *report);

#endif
