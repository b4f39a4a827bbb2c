/* SPDX-License-Identifier: BSD-2-Clause */
/* Shallow water of tendencies and stock integrators has the bits of the fused kernels: J, its
   tangent, its gradient and the final state, with any walls, on every decomposition. */
#include "shallow_case.h"
#include "trajectory_claims.h"
#include <halograd/trajectory_library.h>

enum { TEXT = 512 };

/* Of every variable that both have: the reference has further work variables, no further input. */
static PetscErrorCode run(MPI_Comm comm, const ShallowSpec *spec, char text[TEXT]) {
  ShallowCase c;
  HgState dx;
  double J, dJ;
  char bits[256];
  PetscCall(shallow_create(comm, spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, bits));
  PetscCall(HgStateDuplicate(c.x, &dx));
  PetscCall(HgStateRandom(dx, 5));
  PetscCall(HgTrajectoryTangent(c.trajectory, c.x, dx, &J, &dJ));
  snprintf(text, TEXT, "%s tangent %a", bits, dJ);
  PetscCall(HgStateDestroy(&dx));
  return shallow_destroy(&c);
}

static PetscErrorCode test(void) {
  for (int walls = 0; walls < 5; walls++) {
    ShallowSpec spec = {.nx = 21,
                        .ny = 18,
                        .steps = 24,
                        .periodic_x = walls & 1,
                        .periodic_y = walls & 2,
                        .reflecting = walls == 4,
                        .slots = 5};
    char fused[TEXT], reference[TEXT];
    PetscCall(run(PETSC_COMM_WORLD, &spec, fused));
    spec.reference = true;
    PetscCall(run(PETSC_COMM_WORLD, &spec, reference));
    claim_that(!strcmp(fused, reference), "walls %d: fused '%s', of tendencies '%s'", walls, fused,
               reference);
  }
  return 0;
}

CLAIM("fused kernels have the bits of tendencies and stock integrators", 5, test)
