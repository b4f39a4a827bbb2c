/* Several steps as one: the stencils of a step, again and again, are a program too, and its plan
   needs no more than deeper ghosts. Intermediate states stay in the cache, and one exchange serves
   all; states between that are to be saved are handed out as their rows come by.

   Reversed, the states between the steps are given, as a trajectory that stores them has them, or made
   again from the first one; in either case the cotangents between stay in the cache, and what is made
   again does, too. */
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

/* Does what they hand on stay in every rank's second-level cache, in tiles so wide? */
static PetscErrorCode fits(const HgProgram block, HgMode mode, int columns, bool *yes) {
  PetscCall(HgStageFits(block, mode, &block->pass[mode].stage[0], columns, yes));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, yes, 1, MPI_C_BOOL, MPI_LAND, HgMeshComm(block->mesh)));
  return 0;
}

PetscErrorCode HgTimeBlockChoose(HgProgram p, int depth) {
  int nx, ny;
  HgMeshThinnest(p->mesh, &nx, &ny);
  const int widest = PetscMin(HgProgramWidestHalo(p), PetscMin(nx, ny) / HG_THICK_PATCH);
  if (p->block_given) return 0;
  p->block_most = HG_TIME_BLOCK_STEPS, p->back_most = HG_LONG_TIME_BLOCK_STEPS;
  for (int steps = HG_LONG_TIME_BLOCK_STEPS; steps > HG_TIME_BLOCK_STEPS; steps -= 2) {
    HgProgram block;
    bool good = false;
    if (steps * depth > widest) continue;
    PetscCall(repeat(p, steps, &block));
    PetscCall(HgPassPlan(block, HG_PRIMAL));
    if (block->pass[HG_PRIMAL].stages == 1) PetscCall(fits(block, HG_PRIMAL, HG_WIDE_TILE, &good));
    PetscCall(HgProgramDestroy(&block));
    if (!good) continue;
    p->block_most = steps;
    return 0;
  }
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
  if (!HgMeshWidens(p->mesh)) PetscCall(HgTimeBlockChoose(p, depth));
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
static bool reversible(const HgProgram block) {
  const HgPass *pass = &block->pass[HG_COTANGENT];
  for (int c = 0; c < pass->calls; c++)
    for (int k = 0; k < pass->call[c].outs && pass->call[c].mode == HG_PRIMAL; k++)
      if (block->states_given && HgValueVersion(block, pass->call[c].out[k])->saved) return false;
  return pass->stages == 1;
}

/* `steps` steps as they are reversed: from the states between them, or from the first alone. */
static PetscErrorCode plan_reverse(HgProgram p, int steps, bool stored, HgProgram *block) {
  PetscCall(repeat(p, steps, block));
  (*block)->states_given = stored;
  return HgPassPlan(*block, HG_COTANGENT);
}

/* *wide, *narrow: the most steps, `most` at most, that can be reversed at once in tiles so wide, or 1;
   *planned: in whatever tiles. More steps have more rows, so that the first that do not fit end it. */
static PetscErrorCode longest(HgProgram p, int most, bool stored, int *wide, int *narrow,
                              int *planned) {
  *wide = *narrow = *planned = 1;
  for (int steps = 2; steps <= most; steps++) {
    HgProgram block;
    bool good[2] = {false, false};
    PetscCall(plan_reverse(p, steps, stored, &block));
    const bool possible = reversible(block);
    if (possible) PetscCall(fits(block, HG_COTANGENT, HG_NARROW_TILE, &good[0]));
    if (good[0]) PetscCall(fits(block, HG_COTANGENT, HG_WIDE_TILE, &good[1]));
    PetscCall(HgProgramDestroy(&block));
    if (!possible || (!stored && !good[0])) return 0;
    *planned = steps;
    if (good[0]) *narrow = steps;
    if (good[1]) *wide = steps;
    if (!stored && !good[1] && *wide > 1) return 0;
  }
  return 0;
}

/* Steps made again are worth having fewer of in wide tiles; where none fit, stored states are reversed
   all the same. */
static PetscErrorCode longest_reverse(HgProgram p, int most, bool stored, int *steps) {
  int wide, narrow, planned;
  PetscCall(longest(p, most, stored, &wide, &narrow, &planned));
  if (stored) *steps = narrow > 1 ? narrow : planned;
  else *steps = wide > 1 ? wide : narrow;
  return 0;
}

/* What a step costs that is reversed in such blocks, and stored on the way: numbers that pass the
   cache, those of memory HG_MEMORY_NUMBER times. */
static PetscErrorCode cost_of(HgProgram p, int steps, bool stored, double *cost) {
  HgProgram block = p;
  int carried = 0;
  if (steps > 1) PetscCall(plan_reverse(p, steps, stored, &block));
  else PetscCall(HgPassPlan(p, HG_COTANGENT));
  for (int k = 0; k < p->variables; k++) carried += p->variable[k].role == HG_CARRIED;
  *cost = 0;
  for (int g = 0; g < block->pass[HG_COTANGENT].stages; g++)
    *cost += HgStageCost(block, HG_COTANGENT, &block->pass[HG_COTANGENT].stage[g]);
  *cost += (stored ? steps : 1) * carried * HG_MEMORY_NUMBER;
  *cost /= steps;
  return steps > 1 ? HgProgramDestroy(&block) : 0;
}

PetscErrorCode HgTimeBlockReverseDepth(HgProgram p, int *depth) {
  int steps;
  HgProgram block;
  *depth = 0;
  PetscCall(longest_reverse(p, p->back_most, false, &steps));
  if (steps < 2) return 0;
  PetscCall(plan_reverse(p, steps, false, &block));
  *depth = block->pass[HG_COTANGENT].stage[0].depth;
  return HgProgramDestroy(&block);
}

/* Does reversing a step read a primal state, or make one again? */
static PetscErrorCode reads_state(HgProgram p, bool *reads) {
  PetscCall(HgPassPlan(p, HG_COTANGENT));
  const HgPass *pass = &p->pass[HG_COTANGENT];
  *reads = false;
  for (int c = 0; c < pass->calls; c++) {
    const HgCall *call = &pass->call[c];
    *reads = *reads || call->mode == HG_PRIMAL || p->term[call->term].part.op;
    for (int k = 0; k < call->uses; k++) {
      const int value = call->use[k].value;
      *reads = *reads || (HgValueMode(p, value) == HG_PRIMAL &&
                          HgValueVersion(p, value)->place != HG_AT_CONSTANTS);
    }
  }
  return 0;
}

/* Steps that cannot be made at once (HgTimeBlockCreate()) are not reversed at once. */
static PetscErrorCode find_reverse(HgProgram p, bool stored) {
  const int most = stored ? PetscMin(HG_STORED_BLOCK_STEPS, p->block_steps) : p->back_most;
  PetscCall(longest_reverse(p, p->block_steps > 1 ? most : 1, stored, &p->back_steps[stored]));
  return cost_of(p, p->back_steps[stored], stored, &p->back_cost[stored]);
}

PetscErrorCode HgTimeBlockPlanReverse(HgProgram p, HgReversal way) {
  HgProgram *const back = &p->back[way.stored][way.steps];
  return *back ? 0 : plan_reverse(p, (int)way.steps, way.stored, back);
}

PetscErrorCode HgTimeBlockForgetReverse(HgProgram p) {
  for (int stored = 0; stored < 2; stored++) {
    p->back_steps[stored] = 0;
    for (int n = 0; n <= HG_TIME_BLOCK_MOST; n++) PetscCall(HgProgramDestroy(&p->back[stored][n]));
  }
  return 0;
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

PetscErrorCode HgProgramReversal(HgProgram p, bool all, HgReversal *way) {
  if (!p->back_steps[0]) PetscCall(reads_state(p, &p->back_reads));
  for (int stored = 0; stored < 2; stored++)
    if (!p->back_steps[stored]) PetscCall(find_reverse(p, stored));
  *way = (HgReversal){.steps = 1, .reads_state = p->back_reads};
  if (p->reverse == HG_REVERSE_SINGLE) return 0;
  way->stored = all && p->back_reads &&
                (p->reverse == HG_REVERSE_STORED ||
                 (p->reverse == HG_REVERSE_CHEAPER && p->back_cost[1] <= p->back_cost[0]));
  way->steps = p->back_steps[way->stored];
  way->stored = way->stored && way->steps > 1;
  return 0;
}

PetscErrorCode HgProgramStepsAdjoint(HgProgram p, long step, long count, HgState constants,
                                     HgState q, const HgState between[], HgState q_next,
                                     HgState q_next_bar, HgState q_bar, HgState constants_bar) {
  if (count == 1)
    return HgProgramStepAdjoint(p, step, constants, q, q_next, q_next_bar, q_bar, constants_bar);
  const bool stored = between;
  HgRequire(HgMeshComm(p->mesh), count > 1 && count <= p->back_steps[stored],
            "program '%s': %ld steps to be reversed at once, expected 1 to %d", p->name, count,
            PetscMax(1, p->back_steps[stored]));
  for (long k = 0; stored && k < count - 1; k++) PetscCall(HgProgramRequireGhosts(p, between[k]));
  PetscCall(HgTimeBlockPlanReverse(p, (HgReversal){.steps = count, .stored = stored}));
  const HgBinding binding = {
      .of = {[HG_PRIMAL] = {.start = q, .end = q_next, .constants = constants},
             [HG_COTANGENT] = {.start = q_bar, .end = q_next_bar, .constants = constants_bar}},
      .saved = between};
  return HgPassRun(p->back[stored][count], HG_COTANGENT, step, &binding);
}
