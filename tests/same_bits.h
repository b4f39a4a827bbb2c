/* SPDX-License-Identifier: BSD-2-Clause */
/* The same computation on many decompositions within one run: each on the first px x py ranks, all
   compared with the first one. */
#ifndef HALOGRAD_TEST_SAME_BITS_H
#define HALOGRAD_TEST_SAME_BITS_H

#include "claim.h"

typedef struct {
  int px, py;
} Layout;

static const Layout all_layouts[] = {{1, 1}, {1, 4}, {4, 1}, {3, 2}, {5, 3}, {1, 16}, {4, 4}};

enum { LAYOUTS = sizeof all_layouts / sizeof *all_layouts, LAYOUT_TEXT = 320 };

/* `run` describes its result (digests, hexadecimal numbers) in `text`; those of all layouts that
   fit into the ranks at hand must be equal to the letter. A test that calls this runs on 4 ranks
   and on more: 6 leave to 4, and more than 6 to 4 and 6, what would keep most ranks waiting. */
typedef PetscErrorCode LayoutRun(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]);

static inline PetscErrorCode expect_same_on_layouts(const char what[], LayoutRun *run, long seed) {
  int rank, size;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  char first[LAYOUT_TEXT] = "";
  for (int k = 0; k < LAYOUTS; k++) {
    const Layout l = all_layouts[k];
    const bool seen = k > 0 && l.px * l.py <= (size > 6 ? 6 : size > 4 ? 4 : 0);
    if (l.px * l.py > size || seen) continue;
    MPI_Comm comm;
    PetscCallMPI(
        MPI_Comm_split(PETSC_COMM_WORLD, rank < l.px * l.py ? 0 : MPI_UNDEFINED, rank, &comm));
    if (comm == MPI_COMM_NULL) continue;
    char text[LAYOUT_TEXT] = "";
    PetscCall(run(comm, l, seed, text));
    if (rank == 0 && k == 0) snprintf(first, sizeof first, "%s", text);
    if (rank == 0)
      claim_that(!strcmp(text, first), "%s, seed %ld, %d x %d patches: '%s', expected '%s'", what,
                 seed, l.px, l.py, text, first);
    PetscCallMPI(MPI_Comm_free(&comm));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  return 0;
}

#endif
