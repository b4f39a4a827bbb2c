/* What the examinations of the doctor share; for adjoint/doctor only. */
#ifndef HALOGRAD_DOCTOR_PRIVATE_H
#define HALOGRAD_DOCTOR_PRIVATE_H

#include <halograd/doctor.h>
#include <halograd/finding_library.h>
#include <math.h>

/* x = (q, constants), the input of a step. */
PetscErrorCode HgDoctorJoin(HgState q, HgState constants, HgState x);

/* The options that count where `options`, or a field of them, says nothing. */
HgDoctorOptions HgDoctorDefaults(const HgDoctorOptions *options);

/* HgDoctorTrajectory() at x alone or, `near`, near it alone. Collective. */
PetscErrorCode HgDoctorTrajectoryAt(HgTrajectory trajectory, HgState x, bool near,
                                    const HgDoctorOptions *options, HgDoctorReport *report);

/* q_n by steps from q_0, and the constants of x. */
PetscErrorCode HgDoctorAgain(HgProgram program, HgState x, HgState constants, long n, HgState q);

/* ---- doctor_steps.c: a tangent run and a gradient, step by step ---- */

/* The first step of the reverse sweep that does not keep the pairing. */
typedef struct {
  long step;                      /* n -> n + 1; -1: none */
  HgState q, lambda, lambda_next; /* q_n as it was reversed from; lambda_n - g_n; lambda_{n+1} */
  HgState c_bar, c_bar_next;      /* NULL: no constants */
} HgGuiltyStep;

/* States that were not those of the tangent run. */
typedef struct {
  long first; /* q_n with the smallest such n; -1: none */
  long back;  /* of the reverse sweep the largest one; -1: none */
  long at,
      as;    /* the first that was seen, q_at, was q_as of the tangent run; as = -1: none of them */
  HgState q; /* as it was in the reverse sweep */
} HgAlteredState;

/* A step that was not reversed when it should have been. */
typedef struct {
  long due, came; /* lambda_due; lambda_came was there instead; -1: none was lost; nothing came */
} HgLostStep;

typedef struct {
  HgState constants;
  HgGuiltyStep guilty;
  HgAlteredState altered;
  HgLostStep lost;
  long tangent;        /* dq_n came back from its store otherwise; -1: none */
  double J, objective; /* of the gradient; sum of <g_n, dq_n> */
  char digest[17];     /* likewise */
} HgDoctorSeen;

/* Fills the report's numbers, and `seen`, which the caller destroys. Collective. */
PetscErrorCode HgDoctorSteps(HgTrajectory trajectory, HgState x, HgState dx,
                             const HgDoctorOptions *options, HgDoctorReport *report,
                             HgDoctorSeen *seen);
PetscErrorCode HgDoctorSeenDestroy(HgDoctorSeen *seen);

/* ---- doctor_values.c: values against the tangent, step by step ---- */

/* The first step from x whose value and tangent part, for random directions and, of the constants,
   dx; q = q_n before it. *step = -1: none, and q stays as it is. Collective. */
PetscErrorCode HgDoctorValues(HgTrajectory trajectory, HgState x, HgState dx,
                              const HgDoctorOptions *options, HgState q, long *step);

/* ---- doctor_states.c: states that are not the same twice ---- */

/* Findings of states and of the order of steps. Collective. */
PetscErrorCode HgDoctorStates(HgProgram program, HgState x, const HgDoctorSeen *seen,
                              HgDoctorReport *report);

/* A finding of the first variable in which `was` and `is` differ by more than `bound` of the number
   that differs most, and where that is. Collective. */
PetscErrorCode HgDoctorAltered(HgState was, HgState is, double bound, HgDoctorKind kind, long step,
                               HgDoctorReport *report);

/* ---- doctor_parts.c: the parts of a step ---- */

/* Findings of the parts of step `step` at its input `x`; contract: as HgDoctorContract(), too.
   Collective. */
PetscErrorCode HgDoctorParts(HgProgram program, HgOperator step_operator, long step, HgState x,
                             bool contract, const HgDoctorOptions *options, HgDoctorReport *report);

/* Findings of what stencils may not do anywhere, such as local indices or memory of their own, with
   values of step `step` at its input `x`. Collective. */
PetscErrorCode HgDoctorContract(HgProgram program, HgOperator step_operator, long step, HgState x,
                                HgDoctorReport *report);

/* Findings of an operator alone, which is called `name`. Collective. */
PetscErrorCode HgDoctorOperator(HgOperator op, const char name[], HgState x,
                                const HgDoctorOptions *options, HgDoctorReport *report);

/* ---- doctor_kernel.c: kernels without program, exchange and boundary ---- */

/* A stencil of a program, and a step in which it is run. */
typedef struct {
  HgProgram program;
  const HgStencil *stencil;
  const void *params;
  long step;
  HgOperator op; /* the term alone; NULL: all cotangents are wanted, else those it is active in */
} HgDoctorTerm;

/* *off: by how much the adjoint of its kernels alone, on this rank's patch, is not the transpose
   of their tangent, for the pair of `read` and `write`; the largest of all ranks. Collective. */
PetscErrorCode HgDoctorKernel(const HgDoctorTerm *term, HgState at, const char read[],
                              const char write[], uint64_t seed, double *off);

/* A finding if its kernels read further than they declare. Collective. */
PetscErrorCode HgDoctorReach(const HgDoctorTerm *term, HgState at, HgDoctorReport *report);

/* ---- doctor_ghosts.c: exchange and boundaries ---- */

/* Findings of ghosts: what they hold, which are not filled, what is handed back; at (q, constants)
   before step `step`. Collective. */
PetscErrorCode HgDoctorGhosts(HgProgram program, long step, HgState q, HgState constants,
                              HgDoctorReport *report);

/* ---- doctor_objective.c: terms of the objective and their times ---- */
PetscErrorCode HgDoctorObjective(HgTrajectory trajectory, HgState x, const HgDoctorOptions *options,
                                 HgDoctorReport *report);

/* ---- doctor_sum.c: sums and chains against their parts ---- */

/* A finding if `op` at x is not the sum of its parts, or not their chain, which are right.
   Collective, on all groups that share the parts. */
PetscErrorCode HgDoctorSum(HgOperator op, HgState x, const HgDoctorOptions *options,
                           HgDoctorReport *report);

/* ---- doctor_controls.c ---- */

/* Findings and remarks of the controls of a functional at m. Collective. */
PetscErrorCode HgDoctorControls(HgOperator functional, HgState m, const HgDoctorOptions *options,
                                HgDoctorReport *report);

/* *J = J(x + e dx), a functional; `moved` and `y` are overwritten. Collective. */
PetscErrorCode HgDoctorValueAt(HgOperator functional, HgState x, double e, HgState dx,
                               HgState moved, HgState y, double *J);

#endif
