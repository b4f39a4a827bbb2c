/* Several steps as one: the stencils of a step, again and again, are a program too, and its plan
   needs no more than deeper ghosts. Intermediate states stay in the cache, and one exchange serves
   all; states between that are to be saved are handed out as their rows come by.

   Reversed, the states between the steps are given, as a trajectory that stores them has them; the
   cotangents between stay in the cache. */
#include "program_private.h"

/* The last values of a step's carried variables but for those of the last step. */
static void mark_saved(HgProgram block) {
  for (int k = 0; k < block->versions; k++) {
    HgVersion *v = &block->version[k];
    if (v->writer < 0 || v->place != HG_AT_WORK || block->variable[v->variable].role != HG_CARRIED)
      continue;
    const int substep = block->term[v->writer].substep;
    bool last = true;
    for (int l = k + 1; l < block->versions; l++)
      last = last && (block->version[l].variable != v->variable ||
                      block->term[block->version[l].writer].substep != substep);
    if (last) v->saved = substep + 1;
  }
}

static PetscErrorCode repeat(HgProgram p, int steps, HgProgram *block) {
  PetscCall(HgProgramCreate(p->mesh, p->name, p->dt, block));
  (*block)->inner = true, (*block)->ghost = p->ghost;
  if (p->physics) PetscCall(HgProgramDeclare(*block, p->physics));
  for (int n = 0; n < steps; n++)
    for (int k = 0; k < p->terms; k++) {
      PetscCall(HgProgramAddStencil(*block, p->term[k].stencil, p->term[k].params));
      (*block)->term[(*block)->terms - 1].substep = n;
    }
  for (int k = 0; k < p->variables; k++) {
    PetscCall(HgProgramSetBoundary(*block, p->variable[k].name, p->variable[k].boundary));
    PetscCall(HgProgramSetLocation(*block, p->variable[k].name, p->variable[k].location));
    PetscCall(HgProgramSetUnit(*block, p->variable[k].name, p->variable[k].unit));
    if (p->variable[k].limited)
      PetscCall(HgProgramRequireAbove(*block, p->variable[k].name, p->variable[k].above));
  }
  PetscCall(HgProgramSetUp(*block));
  for (int k = 0; k < p->variables; k++) (*block)->variable[k].active = p->variable[k].active;
  mark_saved(*block);
  return 0;
}

PetscErrorCode HgTimeBlockCreate(HgProgram p) {
  for (int k = 0; k < p->terms; k++)
    if (p->term[k].part.op) return 0;
  if (p->block_most == 1 || !p->fuse) return 0;
  PetscCall(HgPassPlan(p, HG_PRIMAL));
  const HgPass *pass = &p->pass[HG_PRIMAL];
  const int depth = pass->stage[0].depth;
  if (pass->stages > 1 || !depth) return 0;
  const int steps = PetscMin(p->block_most, HgProgramWidestHalo(p) / depth);
  if (steps < 2) return 0;
  HgProgram *const longest = &p->block[steps];
  PetscCall(repeat(p, steps, longest));
  PetscCall(HgPassPlan(*longest, HG_PRIMAL));
  if ((*longest)->pass[HG_PRIMAL].stages == 1) p->block_steps = steps;
  else PetscCall(HgProgramDestroy(longest));
  return 0;
}

/* One stage, in which no state that is given is computed again? */
static bool reversible(const HgProgram back) {
  const HgPass *pass = &back->pass[HG_COTANGENT];
  for (int c = 0; c < pass->calls; c++)
    for (int k = 0; k < pass->call[c].outs && pass->call[c].mode == HG_PRIMAL; k++)
      if (HgValueVersion(back, pass->call[c].out[k])->saved) return false;
  return pass->stages == 1;
}

/* Does what they hand on stay in every rank's second-level cache? */
static PetscErrorCode fits(const HgProgram back, bool *yes) {
  PetscCall(HgStageFits(back, HG_COTANGENT, &back->pass[HG_COTANGENT].stage[0], yes));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, yes, 1, MPI_C_BOOL, MPI_LAND, HgMeshComm(back->mesh)));
  return 0;
}

static PetscErrorCode plan_back(HgProgram p, int steps, HgProgram *back) {
  PetscCall(repeat(p, steps, back));
  (*back)->states_given = true;
  return HgPassPlan(*back, HG_COTANGENT);
}

/* As many steps at once as fit; where not even two of them do, as many as can be. */
static PetscErrorCode create_back(HgProgram p) {
  int most = 1;
  p->reverse_steps = 1;
  for (int steps = PetscMin(HG_REVERSE_BLOCK_STEPS, p->block_steps); steps >= 2; steps--) {
    bool good = false;
    PetscCall(plan_back(p, steps, &p->back));
    if (reversible(p->back)) {
      most = PetscMax(most, steps);
      PetscCall(fits(p->back, &good));
    }
    if (good) {
      p->reverse_steps = steps;
      return 0;
    }
    PetscCall(HgProgramDestroy(&p->back));
  }
  p->reverse_steps = most;
  return most > 1 ? plan_back(p, most, &p->back) : 0;
}

PetscErrorCode HgTimeBlockForgetReverse(HgProgram p) {
  p->reverse_steps = 0;
  return HgProgramDestroy(&p->back);
}

PetscErrorCode HgTimeBlockDestroy(HgProgram p) {
  for (int n = 0; n <= p->block_steps; n++) PetscCall(HgProgramDestroy(&p->block[n]));
  return HgTimeBlockForgetReverse(p);
}

long HgProgramStride(HgProgram p, long steps) {
  return PetscMax(1, PetscMin(steps, p->block_steps));
}

/* Which carried variables at the start of a step its adjoint reads; time blocks have the same
   variables. What is made again on the way holds outside frozen walls what the start does: that
   counts, too. */
static PetscErrorCode mark_reversed(HgProgram p, HgProgram block) {
  PetscCall(HgPassPlan(p, HG_COTANGENT));
  const HgPass *pass = &p->pass[HG_COTANGENT];
  for (int k = 0; k < p->variables; k++) {
    const int start = HgValueOf(p, HG_PRIMAL, p->variable[k].first);
    block->variable[k].reversed = pass->value[start].last_use >= 0;
  }
  for (int s = HgValueOf(p, HG_PRIMAL, 0); s < HgValueOf(p, HG_PRIMAL, p->versions); s++)
    if (pass->value[s].last_out >= 0)
      block->variable[HgValueVersion(p, s)->variable].reversed = true;
  return 0;
}

PetscErrorCode HgProgramSteps(HgProgram p, long step, long count, HgState constants, HgState q,
                              const HgState between[], HgSaving saving, HgState q_next) {
  if (count == 1) return HgProgramStep(p, step, constants, q, q_next);
  HgRequire(HgMeshComm(p->mesh), count > 1 && count <= p->block_steps,
            "program '%s': %ld steps at once asked for, expected 1 to %d", p->name, count,
            PetscMax(1, p->block_steps));
  HgProgram *const block = &p->block[count];
  for (long k = 0; between && k < count - 1; k++) PetscCall(HgProgramRequireGhosts(p, between[k]));
  if (!*block) PetscCall(repeat(p, (int)count, block));
  if (between && saving == HG_SAVE_FOR_ADJOINT) PetscCall(mark_reversed(p, *block));
  const HgBinding binding = {.of = {{.start = q, .end = q_next, .constants = constants}},
                             .saved = between,
                             .saving = saving};
  PetscCall(HgPassRun(*block, HG_PRIMAL, step, &binding));
  HgBreachNote(&(*block)->breach, &p->breach);
  (*block)->breach.found = false;
  return 0;
}

PetscErrorCode HgProgramReverseStride(HgProgram p, long steps, long *stride) {
  if (!p->reverse_steps) PetscCall(create_back(p));
  *stride = steps >= p->reverse_steps ? p->reverse_steps : 1;
  return 0;
}

PetscErrorCode HgProgramStepsAdjoint(HgProgram p, long step, long count, HgState constants,
                                     const HgState q[], HgState q_next, HgState q_next_bar,
                                     HgState q_bar, HgState constants_bar) {
  if (count == 1)
    return HgProgramStepAdjoint(p, step, constants, q[0], q_next, q_next_bar, q_bar, constants_bar);
  HgRequire(HgMeshComm(p->mesh), p->back && count == p->reverse_steps,
            "program '%s': %ld steps to be reversed at once, expected 1 or %d", p->name, count,
            PetscMax(1, p->reverse_steps));
  for (long k = 1; k < count; k++) PetscCall(HgProgramRequireGhosts(p, q[k]));
  const HgBinding binding = {
      .of = {[HG_PRIMAL] = {.start = q[0], .end = q_next, .constants = constants},
             [HG_COTANGENT] = {.start = q_bar, .end = q_next_bar, .constants = constants_bar}},
      .saved = q + 1};
  return HgPassRun(p->back, HG_COTANGENT, step, &binding);
}
