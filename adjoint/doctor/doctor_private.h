/* What the examinations of the doctor share; for adjoint/doctor only. */
#ifndef HALOGRAD_DOCTOR_PRIVATE_H
#define HALOGRAD_DOCTOR_PRIVATE_H

#include <halograd/doctor.h>

/* The next finding of a report, filled with what is known of all; NULL: the report is full. */
HgDoctorFinding *HgDoctorFind(HgDoctorReport *report, HgDoctorKind kind, long step);

/* ---- doctor_steps.c: a tangent run and a gradient, step by step ---- */

/* What the gradient had at one step n -> n + 1. */
typedef struct {
  long step; /* n; -1: none */
  HgState q; /* q_n as the step was reversed from */
  HgState constants;
  HgState lambda, lambda_next; /* less g_n; of n + 1 */
  long altered;                /* q_n that was not always the same, the first such n; -1: none */
  long altered_back;           /* the last such n of the reverse sweep; -1: none */
  HgState q_back;              /* as it was there */
} HgGuilty;

/* Fills the report's numbers, and `guilty`, which the caller destroys. `objective`: the sum of
   <g_n, dq_n>. Collective. */
PetscErrorCode HgDoctorSteps(HgTrajectory trajectory, HgState x, HgState dx,
                             const HgDoctorOptions *options, HgDoctorReport *report,
                             double *objective, HgGuilty *guilty);
PetscErrorCode HgGuiltyDestroy(HgGuilty *guilty);

/* ---- doctor_parts.c: the parts of a step ---- */

/* Findings of the parts of step `step` at its input `x`. Collective. */
PetscErrorCode HgDoctorParts(HgProgram program, HgOperator step_operator, long step, HgState x,
                             const HgDoctorOptions *options, HgDoctorReport *report);

/* ---- doctor_cells.c: where ---- */

/* Where <F' dx, y_bar> and <dx, x_bar> differ most; both have a single variable that is not 0, and
   x_bar = F'(x)^T y_bar. Sets place, i, j, rank. Collective. */
PetscErrorCode HgDoctorCell(HgOperator part, HgState x, int read, HgState dx, HgState y_bar,
                            HgState x_bar, double bound, HgDoctorFinding *finding);

/* Where variable k of a and b differ most: sets i, j, rank, was (a), is (b), and place for a
   variable of a program on that mesh; *largest: by how much, 0: nowhere. Collective. */
PetscErrorCode HgDoctorDifference(HgState a, HgState b, int k, double *largest,
                                  HgDoctorFinding *finding);

#endif
