/* SPDX-License-Identifier: BSD-2-Clause */
/* How many steps of a program are one block, forward and reversed. Intermediate states stay in the
   cache, and one exchange serves all; states between that are to be saved are handed out as their
   rows come by.

   Reversed, the states between the steps are given, as a trajectory that stores them has them, or
   made again from the first one; in either case the cotangents between stay in the cache, and what
   is made again does, too. */
#include "program_private.h"
#include <halograd/mesh_library.h>
#include <limits.h>
#include <math.h>

PetscErrorCode HgTimeBlockChoose(HgProgram p, int depth) {
  const bool volume = HgMeshGetSpec(p->mesh)->nz > 0;
  const int least = volume ? 1 : HG_TIME_BLOCK_STEPS;
  int nx, ny, steps = volume ? HG_VOLUME_BLOCK_STEPS : HG_LONG_TIME_BLOCK_STEPS;
  HgMeshThinnest(p->mesh, &nx, &ny);
  const int widest = PetscMin(HgProgramWidestHalo(p),
                              PetscMin(nx, ny) / (volume ? HG_THICK_VOLUME : HG_THICK_PATCH));
  if (p->blocks->given) return 0;
  for (bool good = false; steps > least; steps = PetscMax(least, steps - 2)) {
    HgBlock block;
    if (steps * depth > widest) continue;
    PetscCall(HgBlockCreate(p, HG_PRIMAL, steps, false, &block));
    if (block->stages == 1) PetscCall(HgBlockFits(block, HG_WIDE_TILE, &good));
    PetscCall(HgBlockDestroy(&block));
    if (good) break;
  }
  p->blocks->most = steps, p->blocks->back_most = volume ? steps : HG_LONG_TIME_BLOCK_STEPS;
  return 0;
}

PetscErrorCode HgTimeBlockFind(HgProgram p) {
  HgBlock one, longest;
  if (p->blocks->most == 1 || !p->fuse || HgProgramHasOperators(p)) return 0;
  PetscCall(HgProgramBlock(p, HG_PRIMAL, 1, false, &one));
  const int depth = one->stage[0].depth;
  if (one->stages > 1 || !depth) return 0;
  if (!HgMeshHasAutomaticGhosts(p->mesh)) PetscCall(HgTimeBlockChoose(p, depth));
  const int steps = PetscMin(p->blocks->most, HgProgramWidestHalo(p) / depth);
  if (steps < 2) return 0;
  PetscCall(HgProgramBlock(p, HG_PRIMAL, steps, false, &longest));
  if (longest->stages == 1) p->blocks->steps = steps;
  else PetscCall(HgBlockDestroy(&p->block[HG_PRIMAL][false][steps]));
  return 0;
}

static PetscErrorCode forget(HgProgram p, HgMode mode) {
  for (int stored = 0; stored < 2; stored++)
    for (int n = 0; n <= HG_TIME_BLOCK_MOST; n++)
      PetscCall(HgBlockDestroy(&p->block[mode][stored][n]));
  return 0;
}

PetscErrorCode HgTimeBlockMeasure(HgProgram p) {
  const HgTimeBlocks b = p->blocks;
  if (!b->open || p->dual || !HgMeshHasAutomaticGhosts(p->mesh)) return 0;
  PetscCall(HgPlanMeasure(p, PetscMax(1, b->steps), b->ghost_alone));
  if (p->fuse) return 0;
  b->steps = 0;
  return forget(p, HG_PRIMAL);
}

/* ---- reversed ---- */

/* The largest numbers of steps up to `most` that can be reversed at once, or 1: *wide and *narrow
   in tiles of that width, *planned in any tiles. More steps need more rows, so the search ends at
   the first that do not fit. */
static PetscErrorCode longest(HgProgram p, int most, bool stored, int *wide, int *narrow,
                              int *planned) {
  *wide = *narrow = *planned = 1;
  for (int steps = 2; steps <= most; steps++) {
    HgBlock block;
    bool good[2] = {false, false};
    PetscCall(HgBlockCreate(p, HG_COTANGENT, steps, stored, &block));
    const bool possible = HgBlockReversible(block);
    if (possible) PetscCall(HgBlockFits(block, HG_NARROW_TILE, &good[0]));
    if (good[0]) PetscCall(HgBlockFits(block, HG_WIDE_TILE, &good[1]));
    PetscCall(HgBlockDestroy(&block));
    if (!possible || (!stored && !good[0])) return 0;
    *planned = steps;
    if (good[0]) *narrow = steps;
    if (good[1]) *wide = steps;
    if (!stored && !good[1] && *wide > 1) return 0;
  }
  return 0;
}

/* Recomputation pays only in wide tiles, if these fit. Stored states are reversed in any tiles. */
static PetscErrorCode longest_reverse(HgProgram p, int most, bool stored, int *steps) {
  int wide, narrow, planned;
  PetscCall(longest(p, most, stored, &wide, &narrow, &planned));
  if (stored) *steps = narrow > 1 ? narrow : planned;
  else *steps = wide > 1 ? wide : narrow;
  return 0;
}

PetscErrorCode HgTimeBlockReverseDepth(HgProgram p, int *depth) {
  int steps;
  HgBlock block;
  *depth = 0;
  PetscCall(longest_reverse(p, p->blocks->back_most, false, &steps));
  if (steps < 2) return 0;
  PetscCall(HgBlockCreate(p, HG_COTANGENT, steps, false, &block));
  *depth = block->stage[0].depth;
  return HgBlockDestroy(&block);
}

/* Finds how many steps to reverse at once, at most, and the cost of each. They are reversed one by
   one if they cannot be advanced at once (HgTimeBlockFind()). */
static PetscErrorCode find_reverse(HgProgram p, bool stored) {
  const int most =
      stored ? PetscMin(HG_STORED_BLOCK_STEPS, p->blocks->steps) : p->blocks->back_most;
  int *const steps = &p->blocks->back_steps[stored];
  HgBlock block;
  PetscCall(longest_reverse(p, p->blocks->steps > 1 ? most : 1, stored, steps));
  PetscCall(HgBlockCreate(p, HG_COTANGENT, *steps, stored, &block));
  p->blocks->back_cost[stored] = HgBlockCost(block);
  return HgBlockDestroy(&block);
}

PetscErrorCode HgTimeBlockForgetReverse(HgProgram p) {
  p->blocks->back_steps[0] = p->blocks->back_steps[1] = 0;
  return forget(p, HG_COTANGENT);
}

long HgProgramStride(HgProgram p, long steps) {
  return PetscMax(1, PetscMin(steps, p->blocks->steps));
}

/* Finds the cost of advancing a step, and whether reversing one reads a state. */
static PetscErrorCode find_ahead(HgProgram p) {
  HgBlock ahead, back;
  PetscCall(HgProgramBlock(p, HG_PRIMAL, (int)HgProgramStride(p, LONG_MAX), false, &ahead));
  PetscCall(HgProgramBlock(p, HG_COTANGENT, 1, false, &back));
  p->blocks->ahead_cost = HgBlockCost(ahead);
  p->blocks->back_reads = HgBlockReadsState(back);
  return 0;
}

PetscErrorCode HgProgramReversal(HgProgram p, bool all, HgReversal *way) {
  const HgTimeBlocks b = p->blocks;
  if (!b->back_steps[0]) PetscCall(find_ahead(p));
  for (int stored = 0; stored < 2; stored++)
    if (!b->back_steps[stored]) PetscCall(find_reverse(p, stored));
  *way = (HgReversal){1, false, b->back_reads, b->ahead_cost, b->back_cost[0]};
  if (b->reverse == HG_REVERSE_SINGLE) return 0;
  way->stored = all && b->back_reads &&
                (b->reverse == HG_REVERSE_STORED ||
                 (b->reverse == HG_REVERSE_CHEAPER && b->back_cost[1] <= b->back_cost[0]));
  way->steps = b->back_steps[way->stored];
  way->back =
      b->reverse == HG_REVERSE_STORED && !way->stored ? INFINITY : b->back_cost[way->stored];
  way->stored = way->stored && way->steps > 1;
  return 0;
}
