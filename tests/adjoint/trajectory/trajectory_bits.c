/* SPDX-License-Identifier: BSD-2-Clause */
/* J, gradient and final state have the same bits on every decomposition, for every schedule, store
   and kind of wall. */
#include "heat_case.h"
#include "same_bits.h"
#include "trajectory_claims.h"

static HeatSpec spec;

static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  (void)seed;
  HeatCase c;
  spec.px = layout.px, spec.py = layout.py;
  PetscCall(heat_create(comm, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  return heat_destroy(&c);
}

/* The bits of store-all in memory are those of every other schedule and store. */
static char reference[LAYOUT_TEXT];

static PetscErrorCode run_against_reference(MPI_Comm comm, Layout layout, long seed,
                                            char text[LAYOUT_TEXT]) {
  PetscCall(run(comm, layout, seed, text));
  int rank;
  MPI_Comm_rank(comm, &rank);
  if (!rank)
    claim_that(!strcmp(text, reference), "seed %ld: '%s', but store-all in memory gives '%s'", seed,
               text, reference);
  return 0;
}

static PetscErrorCode test(void) {
  static const struct {
    int slots;
    bool in_files;
  } kinds[] = {{1, false}, {3, false}, {40, false}, {4, true}, {23, true}};

  for (int walls = 0; walls < WALLS; walls++)
    for (int conservative = 0; conservative < 2; conservative++) {
      const long seed = 10 * walls + conservative;
      spec = (HeatSpec){.nx = 22,
                        .ny = 19,
                        .steps = 23,
                        .walls = (Walls)walls,
                        .conservative = conservative,
                        .snapshot = true,
                        .slots = 23};
      PetscCall(expect_same_on_layouts("store-all", run, seed));
      PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
      MPI_Comm self;
      int rank;
      MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
      PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank ? MPI_UNDEFINED : 0, 0, &self));
      if (!rank) {
        PetscCall(run(self, (Layout){1, 1}, seed, reference));
        PetscCallMPI(MPI_Comm_free(&self));
      }
      spec.slots = kinds[seed % 5].slots, spec.in_files = kinds[seed % 5].in_files;
      if (conservative)
        spec.slots = kinds[(walls + 3) % 5].slots, spec.in_files = kinds[(walls + 3) % 5].in_files;
      PetscCall(expect_same_on_layouts("another schedule and store", run_against_reference, seed));
    }
  return 0;
}

CLAIM("J, gradient and final state have the same bits on every decomposition, schedule and store",
      0, test)
