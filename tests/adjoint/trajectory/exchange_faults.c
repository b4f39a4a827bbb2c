/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an exchange of ghosts that cannot start on one rank ends the job on all, in one sentence
   and without a hang. exchange_faults.py starts this program, one gradient, with -hg_fault
   exchange:N:RANK for each N that -hg_fault count prints. */
#include "heat_case.h"

static PetscErrorCode run(void) {
  const HeatSpec spec = {.nx = 8, .ny = 8, .steps = 3, .walls = WALLS_PERIODIC, .slots = 1};
  HeatCase heat;
  char text[256];
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &heat));
  PetscCall(fingerprint(heat.op, heat.x, heat.trajectory, text));
  return heat_destroy(&heat);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
