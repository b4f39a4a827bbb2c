/* SPDX-License-Identifier: BSD-2-Clause */
/* Ways to make one and the same second derivative: schedule, store, ghosts, how steps are reversed,
   directions in one sweep. Each physics gives in all of them what it gives in the first. */
#ifndef HALOGRAD_TEST_HESSIAN_WAYS_H
#define HALOGRAD_TEST_HESSIAN_WAYS_H

#include "heat_case.h"
#include "same_bits.h"
#include "shallow_case.h"

typedef struct {
  int slots, ghost;
  bool in_files;
  const char *reverse, *directions; /* -hg_reverse, -hg_directions; NULL: the default */
} Way;

/* What the test makes, as text. */
typedef PetscErrorCode WayText(HgTrajectory t, HgState x, char text[LAYOUT_TEXT]);

enum { WAY_HEAT, WAY_HEAT_CONSERVATIVE, WAY_SHALLOW, WAY_PHYSICS };

static inline PetscErrorCode way_heat(MPI_Comm comm, Layout layout, const Way *w, long steps,
                                      bool conservative, WayText *describe,
                                      char text[LAYOUT_TEXT]) {
  const HeatSpec spec = {.nx = 22,
                         .ny = 19,
                         .px = layout.px,
                         .py = layout.py,
                         .steps = steps,
                         .walls = conservative ? WALLS_MIXED : WALLS_FROZEN,
                         .conservative = conservative,
                         .snapshot = conservative,
                         .slots = w->slots,
                         .ghost = w->ghost,
                         .in_files = w->in_files};
  HeatCase c;
  PetscCall(heat_create(comm, &spec, &c));
  PetscCall(describe(c.trajectory, c.x, text));
  return heat_destroy(&c);
}

static inline PetscErrorCode way_shallow(MPI_Comm comm, Layout layout, const Way *w, long steps,
                                         WayText *describe, char text[LAYOUT_TEXT]) {
  const ShallowSpec spec = {.nx = 22,
                            .ny = 19,
                            .px = layout.px,
                            .py = layout.py,
                            .steps = steps,
                            .periodic_x = true,
                            .slots = w->slots,
                            .ghost = w->ghost,
                            .in_files = w->in_files};
  ShallowCase c;
  PetscCall(shallow_create(comm, &spec, &c));
  PetscCall(describe(c.trajectory, c.x, text));
  return shallow_destroy(&c);
}

static inline PetscErrorCode way_run(MPI_Comm comm, Layout layout, const Way *w, long steps,
                                     long physics, WayText *describe, char text[LAYOUT_TEXT]) {
  PetscCall(PetscOptionsSetValue(NULL, "-hg_reverse", w->reverse));
  if (w->directions) PetscCall(PetscOptionsSetValue(NULL, "-hg_directions", w->directions));
  if (physics == WAY_SHALLOW) PetscCall(way_shallow(comm, layout, w, steps, describe, text));
  else
    PetscCall(way_heat(comm, layout, w, steps, physics == WAY_HEAT_CONSERVATIVE, describe, text));
  PetscCall(PetscOptionsClearValue(NULL, "-hg_directions"));
  return PetscOptionsClearValue(NULL, "-hg_reverse");
}

static inline PetscErrorCode ways_agree(MPI_Comm comm, Layout layout, const Way ways[], int count,
                                        long steps, long physics, WayText *describe,
                                        char text[LAYOUT_TEXT]) {
  char other[LAYOUT_TEXT];
  PetscCall(way_run(comm, layout, &ways[0], steps, physics, describe, text));
  for (int k = 1; k < count; k++) {
    PetscCall(way_run(comm, layout, &ways[k], steps, physics, describe, other));
    claim_that(!strcmp(text, other), "physics %ld, way %d: '%s', in the first '%s'", physics, k,
               other, text);
  }
  return 0;
}

#endif
