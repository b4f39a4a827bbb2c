/* The step of nonlinear shallow water as a program, shared by the shallow-water applications. */
#ifndef SHALLOW_PROGRAM_H
#define SHALLOW_PROGRAM_H
#include <halograd/program.h>
#include <halograd/shallow_water.h>

/* Locations of a program's variables, and boundaries at walls that are free of stress, as shallow_water.h has them. */
PetscErrorCode ShallowWalls(HgProgram program);

/* The stencils of `step` (NULL-terminated; hg_shallow_water or the published one), with `surface`
   eta = h + b as well, with ShallowWalls() and units; time step dt [s]; not set up yet. Collective. */
PetscErrorCode ShallowProgramCreate(HgMesh mesh, const HgStencil *const step[], bool surface,
                                    double dt, const HgShallowWaterParams *params,
                                    HgProgram *program);

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
