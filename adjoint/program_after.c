/* Operators at the end of a step: what is carried goes through them before the next step begins.

     q_{n+1} = G_k( ... G_1(S(q_n)))    S: the stencils, G: the operators */
#include "program_private.h"
#include <string.h>
enum { MOST = 8 };
struct HgAfter_s {
  int count;
  HgOperator op[MOST];
  HgState q[MOST], dq[MOST],
      bar[MOST]; /* inputs of the operators, in each form; dq, bar: when used */
};
PetscErrorCode HgProgramAddOperator(HgProgram p, HgOperator op) {
  const MPI_Comm comm = HgMeshComm(p->mesh);
  HgRequire(comm, p->ready,
            "program '%s': operator '%s' comes before HgProgramSetUp, which tells what is carried",
            p->name, HgOperatorName(op));
  HgRequire(comm, !p->after || p->after->count < MOST,
            "program '%s': operator '%s' is one more than the %d that there may be", p->name,
            HgOperatorName(op), MOST);
  HgState q, x, y;
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgOperatorCreateInput(op, &x));
  PetscCall(HgOperatorCreateOutput(op, &y));
  const bool fits = HgStateSame(x, q) && HgStateSame(y, q);
  PetscCall(HgStateDestroy(&x));
  PetscCall(HgStateDestroy(&y));
  if (!fits) {
    PetscCall(HgStateDestroy(&q));
    return HgError(comm,
                   "program '%s': operator '%s' has another input or output than what is carried "
                   "(HgProgramCreateCarried)",
                   p->name, HgOperatorName(op));
  }
  if (!p->after) PetscCall(PetscNew(&p->after));
  p->after->op[p->after->count] = op;
  p->after->q[p->after->count++] = q;
  return 0;
}
PetscErrorCode HgAfterDestroy(HgAfter *after) {
  HgAfter a = *after;
  *after = NULL;
  for (int k = 0; a && k < a->count; k++) {
    PetscCall(HgStateDestroy(&a->q[k]));
    PetscCall(HgStateDestroy(&a->dq[k]));
    PetscCall(HgStateDestroy(&a->bar[k]));
  }
  return PetscFree(a);
}
PetscErrorCode HgAfterView(HgProgram p, PetscViewer viewer) {
  for (int k = 0; p->after && k < p->after->count; k++)
    PetscCall(
        PetscViewerASCIIPrintf(viewer, " then operator '%s'\n", HgOperatorName(p->after->op[k])));
  return 0;
}
/* The states of a form that only a tangent or an adjoint needs. */
static PetscErrorCode make(HgAfter a, HgState states[]) {
  for (int k = 0; k < a->count; k++)
    if (!states[k]) PetscCall(HgStateDuplicate(a->q[k], &states[k]));
  return 0;
}
/* From q[0] on, the last one's output into q_next, unless that is NULL. */
static PetscErrorCode run_operators(HgAfter a, HgState q_next) {
  for (int k = 0; k < a->count; k++) {
    const HgState y = k + 1 < a->count ? a->q[k + 1] : q_next;
    if (y) PetscCall(HgOperatorApply(a->op[k], a->q[k], y));
  }
  return 0;
}
PetscErrorCode HgProgramStep(HgProgram p, long step, HgState constants, HgState q, HgState q_next) {
  const HgAfter a = p->after;
  PetscCall(HgStencilsStep(p, step, constants, q, a ? a->q[0] : q_next));
  return a ? run_operators(a, q_next) : 0;
}
PetscErrorCode HgProgramStepTangent(HgProgram p, long step, HgState constants, HgState dconstants,
                                    HgState q, HgState dq, HgState q_next, HgState dq_next) {
  const HgAfter a = p->after;
  if (!a) return HgStencilsTangent(p, step, constants, dconstants, q, dq, q_next, dq_next);
  PetscCall(make(a, a->dq));
  PetscCall(HgStencilsTangent(p, step, constants, dconstants, q, dq, a->q[0], a->dq[0]));
  PetscCall(run_operators(a, q_next));
  for (int k = 0; k < a->count; k++)
    PetscCall(
        HgOperatorTangent(a->op[k], a->q[k], a->dq[k], k + 1 < a->count ? a->dq[k + 1] : dq_next));
  return 0;
}
/* The operators' inputs are made again: one step forward for each that is reversed. */
PetscErrorCode HgProgramStepAdjoint(HgProgram p, long step, HgState constants, HgState q,
                                    HgState q_next, HgState q_next_bar, HgState q_bar,
                                    HgState constants_bar) {
  const HgAfter a = p->after;
  if (!a) return HgStencilsAdjoint(p, step, constants, q, q_next, q_next_bar, q_bar, constants_bar);
  PetscCall(make(a, a->bar));
  PetscCall(HgStencilsStep(p, step, constants, q, a->q[0]));
  PetscCall(run_operators(a, NULL));
  for (int k = a->count - 1; k >= 0; k--) {
    PetscCall(HgStateZero(a->bar[k]));
    PetscCall(HgOperatorAdjoint(a->op[k], a->q[k], k + 1 < a->count ? a->bar[k + 1] : q_next_bar,
                                a->bar[k]));
  }
  return HgStencilsAdjoint(p, step, constants, q, q_next, a->bar[0], q_bar, constants_bar);
}
