/* SPDX-License-Identifier: BSD-2-Clause */
/* Which constants are asked for changes no bit of the other cotangents, and those of the rest are
   0: one program, asked in turn for every selection of b, f and nu. */
#include "shallow_case.h"
#include "trajectory_claims.h"

static const char *const constants[] = {"b", "f", "nu"};

enum { CONSTANTS = 3, ALL = 7 };

static PetscErrorCode gradient_of(ShallowCase *c, unsigned asked, HgState x_bar) {
  double J;
  for (int k = 0; k < CONSTANTS; k++)
    PetscCall(HgProgramSetActive(c->program, constants[k], asked >> k & 1));
  PetscCall(HgStateZero(x_bar));
  return HgTrajectoryGradient(c->trajectory, c->x, 1, &J, x_bar);
}

static bool asked_for(unsigned asked, const char name[]) {
  for (int k = 0; k < CONSTANTS; k++)
    if (!strcmp(name, constants[k])) return asked >> k & 1;
  return true;
}

static PetscErrorCode expect_same(HgState x_bar, HgState expected, unsigned asked, int kind) {
  HgState zero;
  PetscCall(HgStateDuplicate(x_bar, &zero));
  for (int k = 0; k < HgStateCount(x_bar); k++) {
    const char *name = HgStateVariable(x_bar, k)->name;
    char got[17], wanted[17];
    PetscCall(HgStateDigest(x_bar, name, got));
    PetscCall(HgStateDigest(asked_for(asked, name) ? expected : zero, name, wanted));
    claim_that(!strcmp(got, wanted), "kind %d, asked %u: the cotangent of %s is %s, expected %s",
               kind, asked, name, got, wanted);
  }
  return HgStateDestroy(&zero);
}

static PetscErrorCode test(int kind) {
  const ShallowSpec spec = {.nx = 27,
                            .ny = 26,
                            .steps = 5,
                            .periodic_x = kind & 1,
                            .published = kind & 2,
                            .ghost = kind & 4 ? 6 : 1,
                            .slots = 2};
  ShallowCase c;
  HgState x_bar, expected;
  PetscCall(shallow_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgProgramCreateInput(c.program, &x_bar));
  PetscCall(HgProgramCreateInput(c.program, &expected));
  PetscCall(gradient_of(&c, ALL, expected));
  for (unsigned asked = 0; asked <= ALL; asked++) {
    PetscCall(gradient_of(&c, asked, x_bar));
    PetscCall(expect_same(x_bar, expected, asked, kind));
  }
  PetscCall(HgStatesDestroy(&expected, &x_bar));
  return shallow_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("which constants are asked for changes no bit of the other cotangents", 0);
  for (int kind = 0; kind < 8 && !ierr; kind++) ierr = test(kind);
  return claim_end(ierr);
}
