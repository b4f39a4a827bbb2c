/* SPDX-License-Identifier: BSD-2-Clause */
/* Coriolis and friction of shallow water from four numbers, beside the surface at the start: J
   passes zero, linearity, dot product and Taylor, each control alone Taylor, and value and gradient
   have the same bits on every decomposition. */
#include "same_bits.h"
#include "shallow_twin.h"
#include "trajectory_claims.h"

static PetscErrorCode bits(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  ShallowTwin t;
  (void)seed;
  PetscCall(twin_create(comm, layout.px, layout.py, 20, true, &t));
  PetscCall(twin_guess(&t));
  PetscCall(fingerprint(t.J, t.m, t.trajectory, text));
  return twin_destroy(&t);
}

static PetscErrorCode test(void) {
  static const char *const controls[] = {"h", "abc", "log_nu"};
  ShallowTwin t;
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size); /* crowded ranks take their time */
  PetscCall(twin_create(PETSC_COMM_WORLD, 0, 0, size > 4 ? 20 : 60, true, &t));
  PetscCall(twin_guess(&t));
  PetscCall(claim_checks("the controls", t.controls, t.m, 1e-13, 2));
  PetscCall(claim_checks("J of the controls", t.J, t.m, 1e-12, 3));
  for (int k = 0; k < 3 && size <= 4; k++) /* one number, with the same bits on any ranks */
    PetscCall(claim_taylor(t.J, t.m, controls[k], k == 2 ? 1 : 0.1, 4 + (uint64_t)k));
  PetscCall(twin_destroy(&t));
  return expect_same_on_layouts("J and gradient", bits, 0);
}

CLAIM("shallow water can be differentiated by Coriolis and friction numbers", 0, test)
