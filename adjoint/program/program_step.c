/* One step: the caller's states are bound to the values of the plan, and the engine runs it. */
#include "program_private.h"

HgBox HgProgramBox(HgProgram p, long step) {
  HgBox box = HgPatchBox(p, step);
  box.t = (double)step * p->dt;
  return box;
}

PetscErrorCode HgProgramStep(HgProgram p, long step, HgState constants, HgState q, HgState q_next) {
  const HgBinding binding = {.of = {{.start = q, .end = q_next, .constants = constants}}};
  return HgPassRun(p, HG_PRIMAL, step, &binding);
}

PetscErrorCode HgProgramStepTangent(HgProgram p, long step, HgState constants, HgState dconstants,
                                    HgState q, HgState dq, HgState q_next, HgState dq_next) {
  const HgBinding binding = {.of = {{.start = q, .end = q_next, .constants = constants},
                                    {.start = dq, .end = dq_next, .constants = dconstants}}};
  return HgPassRun(p, HG_TANGENT, step, &binding);
}

PetscErrorCode HgProgramStepAdjoint(HgProgram p, long step, HgState constants, HgState q,
                                    HgState q_next, HgState q_next_bar, HgState q_bar,
                                    HgState constants_bar) {
  const HgBinding binding = {
      .of = {[HG_PRIMAL] = {.start = q, .end = q_next, .constants = constants},
             [HG_COTANGENT] = {.start = q_bar, .end = q_next_bar, .constants = constants_bar}}};
  return HgPassRun(p, HG_COTANGENT, step, &binding);
}
