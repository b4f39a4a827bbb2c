/* SPDX-License-Identifier: BSD-2-Clause */
/* What the examinations of the doctor share; for adjoint/check/doctor only. */
#ifndef HALOGRAD_DOCTOR_PRIVATE_H
#define HALOGRAD_DOCTOR_PRIVATE_H

#include <halograd/doctor_library.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/trajectory_library.h>

/* A trajectory at x or, `near`, near it, at x_k (1 - r_k / 1000) with 0 <= r_k < 1 drawn. Parts are
   examined in the guilty step or, if none is, in the third. Collective. */
PetscErrorCode HgDoctorTrajectory(HgTrajectory trajectory, HgState x, bool near,
                                  const HgCheckOptions *options, HgFindings *report);

/* ---- doctor_steps.c: a tangent run and a gradient, step by step ---- */
typedef struct {
  HgState constants;
  /* the first step of the reverse sweep that does not keep the pairing: n -> n + 1; -1: none */
  long step;
  HgState q, lambda, lambda_next; /* q_n as it was reversed from; lambda_n - g_n; lambda_{n+1} */
  long altered;                   /* q_n was not that of the tangent run, the first n; -1: none */
  double J, objective;            /* of the gradient; sum of <g_n, dq_n> */
  char digest[17];                /* likewise */
} HgDoctorSeen;

/* Fills the report's numbers, and `seen`, which the caller destroys. Collective. */
PetscErrorCode HgDoctorSteps(HgTrajectory trajectory, HgState x, HgState dx,
                             const HgCheckOptions *options, HgFindings *report, HgDoctorSeen *seen);
PetscErrorCode HgDoctorSeenDestroy(HgDoctorSeen *seen);

/* ---- doctor_values.c: values against the tangent, step by step ---- */

/* The first step from x whose value and tangent part, for random directions and, of the constants,
   dx; q = q_n before it. *step = -1: none, and q stays as it is. Collective. */
PetscErrorCode HgDoctorValues(HgTrajectory trajectory, HgState x, HgState dx,
                              const HgCheckOptions *options, HgState q, long *step);

/* ---- doctor_parts.c: the parts of a step ---- */

/* Findings of the parts of step `step` at its input `x`; contract: as HgDoctorContract(), too.
   Collective. */
PetscErrorCode HgDoctorParts(HgProgram program, HgOperator step_operator, long step, HgState x,
                             bool contract, const HgCheckOptions *options, HgFindings *report);

/* Findings of what stencils may not do anywhere, such as local indices, memory of their own, reads
   beyond their radii, with values of step `step` at its input `x`. Collective. */
PetscErrorCode HgDoctorContract(HgProgram program, HgOperator step_operator, long step, HgState x,
                                HgFindings *report);

/* Findings of an operator alone. Collective. */
PetscErrorCode HgDoctorOperator(HgOperator op, HgState x, const HgCheckOptions *options,
                                HgFindings *report);

/* ---- doctor_objective.c: terms of the objective and their times ---- */
PetscErrorCode HgDoctorObjective(HgTrajectory trajectory, HgState x, const HgCheckOptions *options,
                                 HgFindings *report);

/* ---- doctor_sum.c: sums and chains against their parts ---- */

/* A finding if `op` at x is not the sum of its parts, or not their chain, which are right.
   Collective, on all groups that share the parts. */
PetscErrorCode HgDoctorSum(HgOperator op, HgState x, const HgCheckOptions *options,
                           HgFindings *report);

/* ---- doctor_controls.c ---- */

/* Findings and remarks of the controls of a functional at m. Collective. */
PetscErrorCode HgDoctorControls(HgOperator functional, HgState m, const HgCheckOptions *options,
                                HgFindings *report);

/* *slope = (J(x + e dx) - J(x - e dx)) / 2e; *size = |J(x + e dx)| + |J(x - e dx)|; `moved` and `y`
   are overwritten. Collective. */
PetscErrorCode HgDoctorSlope(HgOperator functional, HgState x, double e, HgState dx, HgState moved,
                             HgState y, double *slope, double *size);

/* ---- doctor_cells.c: where ---- */

/* Where <F' dx, y_bar> and <dx, x_bar> differ most; both have a single variable that is not 0, and
   x_bar = F'(x)^T y_bar. Sets place, i, j, rank; of an array i. Collective. */
PetscErrorCode HgDoctorCell(HgOperator part, HgState x, int read, HgState dx, HgState y_bar,
                            HgState x_bar, double bound, HgFinding *finding);

/* Where variable k of a and b differ most: sets i, j, rank, was (a), is (b), and place for a
   variable of a program on that mesh; *largest: by how much, 0: nowhere. Collective. */
PetscErrorCode HgDoctorDifference(HgState a, HgState b, int k, double *largest, HgFinding *finding);

/* A finding of the first variable in which `was` and `is` differ, and where they differ most.
   Collective. */
PetscErrorCode HgDoctorAltered(HgState was, HgState is, HgCheckId check, long step,
                               const char part[], HgFindings *report);

#endif
