/* SPDX-License-Identifier: BSD-2-Clause */
/* How wide ghosts a program asks for. Ghosts as deep as a step reaches let one exchange serve all
   its stencils, T times as deep those of T steps; but cells beside a seam are then computed on both
   sides of it, T depth / 2 layers of them on average. Hence the rule: as many steps as
   -hg_time_block allows, as long as the ghosts are no deeper than half the thinnest patch (all of
   it where patches are small), and never fewer ghosts than a kernel reads. Steps that are reversed
   at once from the first state alone need about twice as deep ones, if their rows fit into the
   cache. One rank whose patch stays in a small cache saves neither messages nor passes over memory:
   one step. All ranks come to the same width, and every width gives the same bits. */
#include "program_private.h"
#include <halograd/mesh_library.h>
#include <halograd/program_dual_library.h>

enum {
  HG_SMALL_PATCH = 256,   /* cells, computed in less time than a message takes */
  HG_SMALL_STEP = 1 << 20 /* bytes that a step may touch and stay in a second-level cache */
};

/* Raises *depth to the deepest ghosts that a stage of one step needs. */
static PetscErrorCode deepest(HgProgram p, HgMode mode, int *depth) {
  HgBlock one;
  PetscCall(HgBlockCreate(p, mode, 1, false, &one));
  for (int g = 0; g < one->stages; g++) *depth = PetscMax(*depth, one->stage[g].depth);
  return HgBlockDestroy(&one);
}

/* *depth: of ghosts for several steps at once; 0 if that is impossible or saves nothing. */
static PetscErrorCode several_steps(HgProgram p, int *depth) {
  const HgMeshSpec *m = HgMeshGetSpec(p->mesh);
  int reversed;
  *depth = 0;
  if (!p->fuse || (m->px * m->py == 1 && HgProgramStepBytes(p) <= HG_SMALL_STEP) ||
      HgProgramHasOperators(p))
    return 0;
  HgBlock block;
  PetscCall(HgBlockCreate(p, HG_PRIMAL, 1, false, &block));
  const int one = block->stages == 1 ? block->stage[0].depth : 0;
  PetscCall(HgBlockDestroy(&block));
  if (!one) return 0;
  PetscCall(HgTimeBlockChoose(p, one));
  *depth = one * PetscMin(p->blocks->most, p->ghost / one);
  PetscCall(HgTimeBlockReverseDepth(p, &reversed));
  *depth = PetscMax(*depth, reversed);
  return 0;
}

PetscErrorCode HgProgramAskGhosts(HgProgram p) {
  int nx, ny, steps, width = 1;
  for (int k = 0; k < p->variables && HgMeshGetSpec(p->mesh)->nz; k++)
    p->ghost_levels = PetscMax(p->ghost_levels, p->variable[k].depth);
  HgMeshRequireLevels(p->mesh, p->ghost_levels);
  p->ghost = p->dual ? HgDualGhosts(p->dual) : HgMeshGetSpec(p->mesh)->ghost;
  if (p->dual || !HgMeshHasAutomaticGhosts(p->mesh)) return 0;
  for (int k = 0; k < p->variables; k++) width = PetscMax(width, p->variable[k].depth);
  p->blocks->ghost_alone = PetscMax(width, p->ghost); /* others on the mesh may have asked */
  HgMeshThinnest(p->mesh, &nx, &ny);
  p->ghost = PetscMax(width, PetscMin(nx, ny) /
                                 ((long)nx * ny < HG_SMALL_PATCH ? 1 : 2)); /* to plan with */
  PetscCall(several_steps(p, &steps));
  width = PetscMax(width, steps);
  for (HgMode mode = HG_PRIMAL; mode < HG_MODES; mode++) PetscCall(deepest(p, mode, &width));
  p->ghost = width;
  return HgMeshRequireGhosts(p->mesh, width);
}
