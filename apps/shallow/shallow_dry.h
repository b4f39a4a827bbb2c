/* Where water runs dry: shared by the shallow-water applications. */
#ifndef SHALLOW_DRY_H
#define SHALLOW_DRY_H
#include <halograd/state.h>

/* Where the water of a rank was first not deeper than 0 m. Zeroed: nowhere yet. */
typedef struct {
  bool found;
  long step;
  int i, j; /* global */
  double h; /* [m] */
} ShallowDry;

/* Notes the first such cell of `q`, the state after `step` steps, unless one was found before; a
   depth that is not a number counts as such. Not collective. */
void ShallowFindDry(long step, HgState q, ShallowDry *dry);

/* An error that names thickness, cell, rank and step if a rank has found one: the earliest.
   Collective. */
PetscErrorCode ShallowRequireWet(HgMesh mesh, const ShallowDry *dry);

#endif
