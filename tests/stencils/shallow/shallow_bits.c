/* SPDX-License-Identifier: BSD-2-Clause */
/* Shallow water: J, gradient and final state have the same bits on every decomposition, with any
   walls; 20 slots over 500 steps, in memory or in files, give those of store-all. */
#include "same_bits.h"
#include "shallow_case.h"
#include "trajectory_claims.h"

static ShallowSpec spec;

static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  (void)seed;
  ShallowCase c;
  spec.px = layout.px, spec.py = layout.py;
  PetscCall(shallow_create(comm, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  return shallow_destroy(&c);
}

static PetscErrorCode on_layouts(void) {
  for (int walls = 0; walls < 4; walls++)
    for (int published = 0; published < 2; published++) {
      spec = (ShallowSpec){.nx = 21,
                           .ny = 18,
                           .steps = 24,
                           .periodic_x = walls & 1,
                           .periodic_y = walls & 2,
                           .published = published,
                           .slots = 5};
      PetscCall(expect_same_on_layouts("shallow water", run, 10 * walls + published));
    }
  return 0;
}

/* Schedules and stores know nothing of the number of ranks: 1 and 4 show it. */
static PetscErrorCode on_schedules(void) {
  static const struct {
    int slots;
    bool in_files;
  } kinds[] = {{500, false}, {20, false}, {20, true}};

  char first[LAYOUT_TEXT] = "", text[LAYOUT_TEXT];
  const int size = claim.ranks;
  for (int k = 0; size <= 4 && k < 3; k++) {
    spec = (ShallowSpec){.nx = 16,
                         .ny = 16,
                         .steps = 500,
                         .periodic_x = true,
                         .in_files = kinds[k].in_files,
                         .slots = kinds[k].slots};
    PetscCall(run(PETSC_COMM_WORLD, (Layout){0, 0}, 0, text));
    if (k == 0) snprintf(first, sizeof first, "%s", text);
    claim_that(!strcmp(text, first), "%d slots %s: '%s', but store-all gives '%s'", kinds[k].slots,
               kinds[k].in_files ? "in files" : "in memory", text, first);
  }
  return 0;
}

CLAIM("shallow water has the same bits on every decomposition, schedule and store", 0, on_layouts,
      on_schedules)
