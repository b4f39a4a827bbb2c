/* Several steps as one: the stencils of a step, again and again, are a program too, and its plan needs
   no more than deeper ghosts. Intermediate states stay in the cache, and one exchange serves all; who
   wants to keep them gets them as their rows come by.

   Reversed, the states between the steps are given, as a trajectory that stores them has them; the
   cotangents between stay in the cache. */
#include "program_private.h"

/* The last values of a step's carried variables but for those of the last step. */
static void mark_kept(HgProgram leap) {
  for (int k = 0; k < leap->versions; k++) {
    HgVersion *v = &leap->version[k];
    if (v->writer < 0 || v->place != HG_AT_WORK || leap->variable[v->variable].role != HG_CARRIED)
      continue;
    const int substep = leap->term[v->writer].substep;
    bool last = true;
    for (int l = k + 1; l < leap->versions; l++)
      last = last && (leap->version[l].variable != v->variable ||
                      leap->term[leap->version[l].writer].substep != substep);
    if (last) v->kept = substep + 1;
  }
}

static PetscErrorCode repeat(HgProgram p, int steps, HgProgram *leap) {
  PetscCall(HgProgramCreate(p->mesh, p->name, p->dt, leap));
  (*leap)->inner = true, (*leap)->ghost = p->ghost;
  for (int n = 0; n < steps; n++)
    for (int k = 0; k < p->terms; k++) {
      PetscCall(HgProgramAddStencil(*leap, p->term[k].stencil, p->term[k].params));
      (*leap)->term[(*leap)->terms - 1].substep = n;
    }
  for (int k = 0; k < p->variables; k++) {
    PetscCall(HgProgramSetBoundary(*leap, p->variable[k].name, p->variable[k].boundary));
    PetscCall(HgProgramSetLocation(*leap, p->variable[k].name, p->variable[k].location));
    PetscCall(HgProgramSetUnit(*leap, p->variable[k].name, p->variable[k].unit));
  }
  PetscCall(HgProgramSetUp(*leap));
  for (int k = 0; k < p->variables; k++) (*leap)->variable[k].active = p->variable[k].active;
  mark_kept(*leap);
  return 0;
}

PetscErrorCode HgLeapCreate(HgProgram p) {
  for (int k = 0; k < p->terms; k++)
    if (p->term[k].part.op) return 0;
  if (p->leap_most == 1 || !p->fuse) return 0;
  PetscCall(HgPassPlan(p, HG_PRIMAL));
  const HgPass *pass = &p->pass[HG_PRIMAL];
  const int depth = pass->group[0].depth;
  if (pass->groups > 1 || !depth) return 0;
  const int steps = PetscMin(p->leap_most, HgProgramWidestHalo(p) / depth);
  if (steps < 2) return 0;
  HgProgram *const longest = &p->leap[steps];
  PetscCall(repeat(p, steps, longest));
  PetscCall(HgPassPlan(*longest, HG_PRIMAL));
  if ((*longest)->pass[HG_PRIMAL].groups == 1) p->leap_steps = steps;
  else PetscCall(HgProgramDestroy(longest));
  return 0;
}

/* One group, in which no state that is given is computed again? */
static bool reversible(const HgProgram back) {
  const HgPass *pass = &back->pass[HG_BAR];
  for (int c = 0; c < pass->calls; c++)
    for (int k = 0; k < pass->call[c].outs && pass->call[c].form == HG_PRIMAL; k++)
      if (HgSlotVersion(back, pass->call[c].out[k])->kept) return false;
  return pass->groups == 1;
}

/* Does what they hand on stay in every rank's second-level cache? */
static PetscErrorCode fits(const HgProgram back, bool *yes) {
  PetscCall(HgGroupFits(back, HG_BAR, &back->pass[HG_BAR].group[0], yes));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, yes, 1, MPI_C_BOOL, MPI_LAND, HgMeshComm(back->mesh)));
  return 0;
}

static PetscErrorCode plan_back(HgProgram p, int steps, HgProgram *back) {
  PetscCall(repeat(p, steps, back));
  (*back)->keeps = true;
  return HgPassPlan(*back, HG_BAR);
}

/* As many steps at once as fit; where not even two of them do, as many as can be. */
static PetscErrorCode create_back(HgProgram p) {
  int most = 1;
  p->back_steps = 1;
  for (int steps = PetscMin(HG_BACK_STEPS, p->leap_steps); steps >= 2; steps--) {
    bool good = false;
    PetscCall(plan_back(p, steps, &p->back));
    if (reversible(p->back)) {
      most = PetscMax(most, steps);
      PetscCall(fits(p->back, &good));
    }
    if (good) {
      p->back_steps = steps;
      return 0;
    }
    PetscCall(HgProgramDestroy(&p->back));
  }
  p->back_steps = most;
  return most > 1 ? plan_back(p, most, &p->back) : 0;
}

PetscErrorCode HgLeapForgetBack(HgProgram p) {
  p->back_steps = 0;
  return HgProgramDestroy(&p->back);
}

PetscErrorCode HgLeapDestroy(HgProgram p) {
  for (int n = 0; n <= p->leap_steps; n++) PetscCall(HgProgramDestroy(&p->leap[n]));
  return HgLeapForgetBack(p);
}

long HgProgramStride(HgProgram p, long steps) {
  return PetscMax(1, PetscMin(steps, p->leap_steps));
}

/* Which carried variables at the start of a step its adjoint reads; leaps have the same variables. What is
   made again on the way holds outside frozen walls what the start does: that counts, too. */
static PetscErrorCode mark_reversed(HgProgram p, HgProgram leap) {
  PetscCall(HgPassPlan(p, HG_BAR));
  const HgPass *pass = &p->pass[HG_BAR];
  for (int k = 0; k < p->variables; k++) {
    const int start = HgSlotOf(p, HG_PRIMAL, p->variable[k].first);
    leap->variable[k].reversed = pass->slot[start].last_use >= 0;
  }
  for (int s = HgSlotOf(p, HG_PRIMAL, 0); s < HgSlotOf(p, HG_PRIMAL, p->versions); s++)
    if (pass->slot[s].last_out >= 0) leap->variable[HgSlotVersion(p, s)->variable].reversed = true;
  return 0;
}

PetscErrorCode HgProgramSteps(HgProgram p, long step, long count, HgState constants, HgState q,
                              const HgState between[], HgKeep keep, HgState q_next) {
  if (count == 1) return HgProgramStep(p, step, constants, q, q_next);
  HgRequire(HgMeshComm(p->mesh), count > 1 && count <= p->leap_steps,
            "program '%s': %ld steps at once asked for, expected 1 to %d", p->name, count,
            PetscMax(1, p->leap_steps));
  HgProgram *const leap = &p->leap[count];
  for (long k = 0; between && k < count - 1; k++) PetscCall(HgProgramRequireGhosts(p, between[k]));
  if (!*leap) PetscCall(repeat(p, (int)count, leap));
  if (between && keep == HG_KEEP_FOR_ADJOINT) PetscCall(mark_reversed(p, *leap));
  const HgStage stage = {
      .of = {{.start = q, .end = q_next, .constants = constants}}, .kept = between, .keep = keep};
  return HgPassRun(*leap, HG_PRIMAL, step, &stage);
}

PetscErrorCode HgProgramReverseStride(HgProgram p, long steps, long *stride) {
  if (!p->back_steps) PetscCall(create_back(p));
  *stride = steps >= p->back_steps ? p->back_steps : 1;
  return 0;
}

PetscErrorCode HgProgramStepsAdjoint(HgProgram p, long step, long count, HgState constants,
                                     const HgState q[], HgState q_next, HgState q_next_bar,
                                     HgState q_bar, HgState constants_bar) {
  if (count == 1)
    return HgProgramStepAdjoint(p, step, constants, q[0], q_next, q_next_bar, q_bar, constants_bar);
  HgRequire(HgMeshComm(p->mesh), p->back && count == p->back_steps,
            "program '%s': %ld steps to be reversed at once, expected 1 or %d", p->name, count,
            PetscMax(1, p->back_steps));
  for (long k = 1; k < count; k++) PetscCall(HgProgramRequireGhosts(p, q[k]));
  const HgStage stage = {
      .of = {[HG_PRIMAL] = {.start = q[0], .end = q_next, .constants = constants},
             [HG_BAR] = {.start = q_bar, .end = q_next_bar, .constants = constants_bar}},
      .kept = q + 1};
  return HgPassRun(p->back, HG_BAR, step, &stage);
}
