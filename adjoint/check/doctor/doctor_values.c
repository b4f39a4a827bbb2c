/* SPDX-License-Identifier: BSD-2-Clause */
/* Values against the tangent, step by step: where they part first; see doctor.h.

   A step whose tangent and adjoint belong to each other keeps the pairing, whatever its value is.
   So each step is run from q_n + e dq and q_n - e dq as well, dq random and as large as q_n. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/state_library.h>

typedef struct {
  HgProgram program;
  HgState q, c, next;        /* of the run: q_n, constants, q_{n+1} */
  HgState dx, dq, dc, dnext; /* a direction, its parts and its tangent */
  HgState q_moved, c_moved, plus, minus;
} Values;

static PetscErrorCode values_create(HgProgram program, HgState x, HgState dx, Values *v) {
  *v = (Values){.program = program};
  HgState *const carried[] = {&v->q, &v->next, &v->dq, &v->dnext, &v->q_moved, &v->plus, &v->minus};
  HgState *const constants[] = {&v->c, &v->dc, &v->c_moved};
  for (int k = 0; k < 7; k++) PetscCall(HgProgramCreateCarried(program, carried[k]));
  for (int k = 0; k < 3; k++) PetscCall(HgProgramCreateConstants(program, constants[k]));
  PetscCall(HgStateDuplicate(dx, &v->dx));
  PetscCall(HgProgramSplit(program, dx, v->dq, v->dc));
  return HgProgramSplit(program, x, v->q, v->c);
}

/* y = F(q_n + e dq, c + e dc) */
static PetscErrorCode moved_step(Values *v, long n, double e, HgState y) {
  PetscCall(HgStateCopy(v->q, v->q_moved));
  PetscCall(HgStateAXPY(v->q_moved, e, v->dq));
  if (v->c) PetscCall(HgStateCopy(v->c, v->c_moved));
  if (v->c) PetscCall(HgStateAXPY(v->c_moved, e, v->dc));
  return HgProgramStep(v->program, n, v->c_moved, v->q_moved, y);
}

/* *apart: in some variable the differences with this e are further from the tangent than their own
   error. Differences that are not finite do not count. */
static PetscErrorCode compare(Values *v, long n, double e, bool *apart) {
  const int count = HgStateCount(v->next);
  double *difference, *off, *value; /* the largest of each variable */
  *apart = false;
  PetscCall(moved_step(v, n, e, v->plus));
  PetscCall(moved_step(v, n, -e, v->minus));
  PetscCall(HgStateAXPY(v->plus, -1, v->minus));
  PetscCall(HgStateScale(v->plus, 1 / (2 * e)));
  PetscCall(PetscMalloc3(count, &difference, count, &off, count, &value));
  PetscCall(HgCheckLargest(v->plus, 0, count, difference));
  PetscCall(HgStateAXPY(v->plus, -1, v->dnext));
  PetscCall(HgCheckLargest(v->plus, 0, count, off));
  PetscCall(HgCheckLargest(v->next, 0, count, value));
  for (int k = 0; k < count; k++)
    *apart = *apart || off[k] > 1e-6 * difference[k] + 100 * DBL_EPSILON / e * value[k];
  return PetscFree3(difference, off, value);
}

/* dq is 0 on closed faces, as q is. Curvature decreases with e^2, the error of a wrong tangent does
   not. */
static PetscErrorCode step_parts(Values *v, long n, uint64_t seed, bool *apart) {
  const double e = cbrt(DBL_EPSILON);
  PetscCall(HgCheckRandomLike(v->q, -1, seed + (uint64_t)n, v->dq));
  PetscCall(HgCheckJoin(v->dq, v->dc, v->dx));
  PetscCall(HgProgramSplit(v->program, v->dx, v->dq, v->dc));
  PetscCall(HgProgramStepTangent(v->program, n, v->c, v->dc, v->q, v->dq, v->next, v->dnext));
  PetscCall(compare(v, n, e, apart));
  if (*apart) PetscCall(compare(v, n, e / 10, apart));
  return 0;
}

PetscErrorCode HgDoctorValues(HgTrajectory t, HgState x, HgState dx, const HgCheckOptions *o,
                              HgState q, long *step) {
  Values v;
  bool apart = false;
  PetscCall(values_create(HgTrajectoryProgram(t), x, dx, &v));
  for (*step = 0; *step < HgTrajectorySteps(t); ++*step) {
    PetscCall(step_parts(&v, *step, o->seed + 2000, &apart));
    if (apart) break;
    HgStateSwap(v.q, v.next);
  }
  if (!apart) *step = -1;
  else PetscCall(HgStateCopy(v.q, q));
  return HgStatesDestroy(&v.q, &v.next, &v.dx, &v.dq, &v.dnext, &v.c, &v.dc, &v.q_moved, &v.c_moved,
                         &v.plus, &v.minus);
}
