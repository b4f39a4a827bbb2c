/* Several steps as one: the stencils of a step, again and again, are a program too, and its plan needs
   no more than deeper ghosts. Intermediate states stay in the cache, and one exchange serves all. */
#include "program_private.h"
static PetscErrorCode repeat(HgProgram p, int steps, HgProgram *leap) {
  PetscCall(HgProgramCreate(p->mesh, p->name, p->dt, leap));
  (*leap)->leaping = true;
  for (int n = 0; n < steps; n++)
    for (int k = 0; k < p->terms; k++) {
      PetscCall(HgProgramAddStencil(*leap, p->term[k].stencil, p->term[k].params));
      (*leap)->term[(*leap)->terms - 1].substep = n;
    }
  for (int k = 0; k < p->variables; k++) {
    PetscCall(HgProgramSetBoundary(*leap, p->variable[k].name, p->variable[k].boundary));
    PetscCall(HgProgramSetUnit(*leap, p->variable[k].name, p->variable[k].unit));
  }
  PetscCall(HgProgramSetUp(*leap));
  return HgPassPlan(*leap, HG_PRIMAL);
}
PetscErrorCode HgLeapCreate(HgProgram p, int most) {
  for (int k = 0; k < p->terms; k++)
    if (p->term[k].part.op) return 0;
  if (most == 1 || !p->fuse) return 0;
  PetscCall(HgPassPlan(p, HG_PRIMAL));
  const HgPass *pass = &p->pass[HG_PRIMAL];
  const int depth = pass->group[0].depth;
  if (pass->groups > 1 || !depth) return 0;
  const int steps = PetscMin(most, HgProgramWidestHalo(p) / depth);
  if (steps < 2) return 0;
  PetscCall(repeat(p, steps, &p->leap));
  if (p->leap->pass[HG_PRIMAL].groups == 1) p->leap_steps = steps;
  else PetscCall(HgProgramDestroy(&p->leap));
  return 0;
}
long HgProgramStride(HgProgram p, long steps) {
  return p->leap && steps >= p->leap_steps ? p->leap_steps : 1;
}
PetscErrorCode HgProgramSteps(HgProgram p, long step, long count, HgState constants, HgState q,
                              HgState q_next) {
  if (count == 1) return HgProgramStep(p, step, constants, q, q_next);
  HgRequire(HgMeshComm(p->mesh), p->leap && count == p->leap_steps,
            "program '%s': %ld steps at once asked for, expected 1 or %d", p->name, count,
            PetscMax(1, p->leap_steps));
  const HgStage stage = {{{q, q_next, constants, p->leap->work[HG_PRIMAL]}}};
  return HgPassRun(p->leap, HG_PRIMAL, step, &stage);
}
