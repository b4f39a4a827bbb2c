/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/schedule_library.h>

__extension__ typedef __int128 Wide; /* products of steps and blocks */

static PetscErrorCode add(HgCuts *c, long step) {
  if (c->cuts == c->room) {
    c->room = 2 * c->room + 16;
    PetscCall(PetscRealloc(sizeof *c->cut * (size_t)c->room, &c->cut));
  }
  HgCut cut = {step, 0};
  if (c->cuts) {
    const HgCut *const last = &c->cut[c->cuts - 1];
    cut.block = last->block + (step - last->step + c->longest - 1) / c->longest;
  }
  c->cut[c->cuts++] = cut;
  return 0;
}

PetscErrorCode HgCutsMake(HgCuts *c, long from, long to, long longest, HgCutFn *next,
                          void *context) {
  c->longest = longest, c->cuts = 0;
  PetscCall(add(c, from));
  for (long n = from; (n = next(context, n + 1)) < to && c->cuts <= HG_CUTS;) PetscCall(add(c, n));
  if (c->cuts > HG_CUTS) c->longest = c->cuts = 1;
  return to > from ? add(c, to) : 0;
}

PetscErrorCode HgCutsFree(HgCuts *c) {
  PetscCall(PetscFree(c->cut));
  *c = (HgCuts){0};
  return 0;
}

long HgCutsBlocks(const HgCuts *c) { return c->cut[c->cuts - 1].block; }

/* n steps in m blocks: block k begins at floor(n k / m). */
long HgCutsStep(const HgCuts *c, long block) {
  long low = 0, high = c->cuts - 1; /* cut[low].block <= block, but for the last cut */
  while (high - low > 1) {
    const long middle = (low + high) / 2;
    if (c->cut[middle].block <= block) low = middle;
    else high = middle;
  }
  const HgCut *const a = &c->cut[low], *const b = &c->cut[high];
  if (block >= b->block) return b->step;
  return a->step + (long)((Wide)(b->step - a->step) * (block - a->block) / (b->block - a->block));
}
