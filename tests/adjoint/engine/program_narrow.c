/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: where some patches are wide enough to hide messages and others, a cell narrower, are not,
   no rank waits for ever, and the bits are those of one rank. */
#include "heat_case.h"
#include "same_bits.h"

/* 64 and 63 cells: the first wide enough. */
static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  const HeatSpec spec = {.nx = 190,
                         .ny = 253,
                         .px = layout.px,
                         .py = layout.py,
                         .steps = 3,
                         .walls = (Walls)seed,
                         .slots = 3,
                         .ghost = 1};
  HeatCase c;
  char found[256];
  PetscCall(heat_create(comm, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, found));
  snprintf(text, LAYOUT_TEXT, "%s", found);
  return heat_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("patches of which some are wide enough to hide messages give the same bits", 0);
  if (!ierr) ierr = set_option("-hg_time_block", 1);
  for (long walls = 0; !ierr && walls < 2; walls++)
    ierr = expect_same_on_layouts("narrow patches", run, walls);
  if (!ierr) ierr = PetscOptionsClearValue(NULL, "-hg_time_block");
  return claim_end(ierr);
}
