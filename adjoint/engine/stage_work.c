/* SPDX-License-Identifier: BSD-2-Clause */
/* What runs of a stage keep: made with its first run, destroyed with the stage. */
#include "tile_private.h"

static PetscErrorCode destroy(HgStageWork *work) {
  HgStageWork w = *work;
  *work = NULL;
  for (int k = 0; k < w->fills; k++) {
    PetscCall(HgExchangeDestroy(&w->fill[k].exchange));
    PetscCall(PetscFree(w->fill[k].lacking));
  }
  for (int k = 0; k < HG_TILINGS; k++) HgTilingFree(&w->tiling[k]);
  PetscCall(PetscFree(w->fill));
  PetscCall(PetscFree2(w->lacking, w->fields));
  return PetscFree(w);
}

PetscErrorCode HgStageWorkCreate(HgStage *g) {
  if (g->work) return 0;
  PetscCall(PetscNew(&g->work));
  g->destroy_work = destroy;
  return PetscCalloc2(g->needs, &g->work->lacking, g->needs, &g->work->fields);
}
