/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps, one or several at once: the caller's states are bound to the values of a block, and the
   engine runs it. */
#include "program_private.h"
#include <halograd/state_library.h>
#include <halograd/time_block.h>

HgBox HgProgramBox(HgProgram p, long step) {
  HgBox box = HgPatchBox(p, step);
  box.t = (double)step * p->dt;
  return box;
}

/* Marks the carried variables at the start of a step that its adjoint reads. This includes
   recomputed variables: outside frozen walls they hold the ghosts of the start. */
static PetscErrorCode mark_reversed(HgProgram p) {
  HgBlock back;
  PetscCall(HgProgramBlock(p, HG_COTANGENT, 1, false, &back));
  for (int k = 0; k < p->variables; k++) {
    const int start = HgValueOf(back, HG_PRIMAL, p->variable[k].first);
    p->variable[k].reversed = back->value[start].last_use >= 0;
  }
  for (int s = HgValueOf(back, HG_PRIMAL, 0); s < HgValueOf(back, HG_PRIMAL, back->versions); s++)
    if (back->value[s].last_out >= 0) HgValueVariable(back, s)->reversed = true;
  return 0;
}

/* Whether copies are wanted in the states between steps. A block does not write them to states that
   nobody reads. */
static bool saves_copies(HgProgram p, const HgBinding *binding) {
  for (int k = 0; binding->saved && k < p->terms; k++) {
    const HgTerm *t = &p->term[k];
    for (int l = t->writes - t->copies; l < t->writes; l++)
      if (binding->saving == HG_SAVE_ALL || HgVersionVariable(p, t->write[l])->reversed)
        return true;
  }
  return false;
}

/* Error: q was read from a run at another step or dt. What a scheme carries depends on both; step 0
   may compute it anew. */
static PetscErrorCode require_next(HgProgram p, long step, HgState q) {
  const HgStateClock made = HgStateGetClock(q);
  HgRequire(HgMeshComm(p->mesh), !made.read || (made.dt == p->dt && made.step == step),
            HG_ERR_FILE_MISMATCH,
            "program '%s': step %ld of %.17g s starts from results that were read of a run after "
            "%ld steps of %.17g s, expected step %ld of %.17g s, which goes on from there "
            "(HgFieldReadAt() reads fields for a new start)",
            p->name, step, p->dt, made.step, made.dt, made.step, made.dt);
  return 0;
}

static PetscErrorCode run(HgProgram p, HgMode mode, long step, long count,
                          const HgBinding *binding) {
  const HgState q = binding->of[HG_PRIMAL].start, q_next = binding->of[HG_PRIMAL].end;
  HgBlock block;
  if (q && q_next) PetscCall(require_next(p, step, q));
  for (int k = 0; k < HG_MODES; k++)
    HgRequire(HgMeshComm(p->mesh),
              !binding->of[k].start || binding->of[k].start != binding->of[k].end, HG_ERR_ARGUMENT,
              "program '%s': a step from a state into itself, expected two states", p->name);
  const bool stored = mode == HG_COTANGENT ? binding->saved != NULL : saves_copies(p, binding);
  for (long k = 0; binding->saved && k < count - 1; k++)
    PetscCall(HgProgramRequireGhosts(p, binding->saved[k]));
  PetscCall(HgProgramBlock(p, mode, (int)count, stored, &block));
  if (q_next) HgStateSetClock(q_next, (HgStateClock){.dt = p->dt, .step = step + count});
  return HgBlockRun(block, step, binding);
}

PetscErrorCode HgProgramStep(HgProgram p, long step, HgState constants, HgState q, HgState q_next) {
  const HgBinding binding = {.of = {{.start = q, .end = q_next, .constants = constants}}};
  return run(p, HG_PRIMAL, step, 1, &binding);
}

PetscErrorCode HgProgramStepTangent(HgProgram p, long step, HgState constants, HgState dconstants,
                                    HgState q, HgState dq, HgState q_next, HgState dq_next) {
  const HgBinding binding = {.of = {{.start = q, .end = q_next, .constants = constants},
                                    {.start = dq, .end = dq_next, .constants = dconstants}}};
  return run(p, HG_TANGENT, step, 1, &binding);
}

PetscErrorCode HgProgramStepAdjoint(HgProgram p, long step, HgState constants, HgState q,
                                    HgState q_next, HgState q_next_bar, HgState q_bar,
                                    HgState constants_bar) {
  const HgBinding binding = {
      .of = {[HG_PRIMAL] = {.start = q, .end = q_next, .constants = constants},
             [HG_COTANGENT] = {.start = q_bar, .end = q_next_bar, .constants = constants_bar}}};
  return run(p, HG_COTANGENT, step, 1, &binding);
}

PetscErrorCode HgProgramSteps(HgProgram p, long step, long count, HgState constants, HgState q,
                              const HgState between[], HgSaving saving, HgState q_next) {
  if (count == 1) return HgProgramStep(p, step, constants, q, q_next);
  HgRequire(HgMeshComm(p->mesh), count > 1 && count <= p->blocks->steps, HG_ERR_ARGUMENT,
            "program '%s': %ld steps at once asked for, expected 1 to %d", p->name, count,
            PetscMax(1, p->blocks->steps));
  if (between && saving == HG_SAVE_FOR_ADJOINT) PetscCall(mark_reversed(p));
  const HgBinding binding = {.of = {{.start = q, .end = q_next, .constants = constants}},
                             .saved = between,
                             .saving = saving};
  return run(p, HG_PRIMAL, step, count, &binding);
}

PetscErrorCode HgProgramStepsAdjoint(HgProgram p, long step, long count, HgState constants,
                                     HgState q, const HgState between[], HgState q_next,
                                     HgState q_next_bar, HgState q_bar, HgState constants_bar) {
  if (count == 1)
    return HgProgramStepAdjoint(p, step, constants, q, q_next, q_next_bar, q_bar, constants_bar);
  const int most = p->blocks->back_steps[between != NULL];
  HgRequire(HgMeshComm(p->mesh), count > 1 && count <= most, HG_ERR_ARGUMENT,
            "program '%s': %ld steps to be reversed at once, expected 1 to %d", p->name, count,
            PetscMax(1, most));
  const HgBinding binding = {
      .of = {[HG_PRIMAL] = {.start = q, .end = q_next, .constants = constants},
             [HG_COTANGENT] = {.start = q_bar, .end = q_next_bar, .constants = constants_bar}},
      .saved = between};
  return run(p, HG_COTANGENT, step, count, &binding);
}

int HgProgramUseThreads(HgProgram p, int threads) {
  const int before = p->threads;
  p->threads = threads;
  return before;
}
