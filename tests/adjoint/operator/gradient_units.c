/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the gradient of a functional is in units of J over units of the variable, in pictures and
   files. */
#include "claim.h"
#include <halograd/operator.h>
#include <halograd/picture.h>
#include <halograd/state_library.h>

enum { VARIABLES = 5 };

static PetscErrorCode units(const char J_unit[], const char *const expected[VARIABLES]) {
  static const HgVariable variables[VARIABLES] = {{"u", "K", HG_FIELD, 0},
                                                  {"kappa", "m^2/s", HG_FIELD, 0},
                                                  {"c", "1", HG_REPLICATED, 3},
                                                  {"d", "kg m", HG_FIELD, 0},
                                                  {"e", NULL, HG_LOCAL, 2}};
  const HgMeshSpec spec = {.nx = 12, .ny = 9, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  HgState x, J, gradient;
  HgOperator op;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, VARIABLES, variables, &x));
  PetscCall(HgStateCreate(mesh, 1, &(HgVariable){"J", J_unit, HG_REPLICATED, 1}, &J));
  PetscCall(HgOperatorCreate("functional", x, J, &(HgOperatorTable){0}, NULL, &op));
  PetscCall(HgOperatorCreateGradient(op, &gradient));
  claim_that(HgStateSame(gradient, x), "a gradient has the variables of the input");
  for (int k = 0; k < VARIABLES; k++) {
    const char *const unit = HgStateVariable(gradient, k)->unit;
    claim_that(!strcmp(unit, expected[k]), "[%s] / [%s] is [%s], expected [%s]", J_unit,
               variables[k].unit ? variables[k].unit : "1", unit, expected[k]);
  }
  return DESTROY(&gradient, &x, &J, &op, &mesh);
}

/* The first bytes that differ between two files; 0: none. Rank 0. */
static int differ(const char a[], const char b[]) {
  FILE *const files[] = {fopen(a, "rb"), fopen(b, "rb")};
  int at = 0, c[2] = {0, 0};
  claim_that(files[0] && files[1], "pictures are there");
  while (files[0] && files[1] && c[0] == c[1] && c[0] != EOF)
    c[0] = fgetc(files[0]), c[1] = fgetc(files[1]), at++;
  for (int k = 0; k < 2; k++)
    if (files[k]) fclose(files[k]);
  return c[0] == c[1] ? 0 : at;
}

/* A panel's own unit stands where the field's would. */
static PetscErrorCode picture(void) {
  static const char *const field_units[] = {"K", "1/K", "K"}, *const panel_units[] = {NULL, NULL,
                                                                                      "1/K"};
  static const char *const names[] = {"own", "other", "told"};
  const HgMeshSpec spec = {.nx = 12, .ny = 9, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  HgState x;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  for (int k = 0; k < 3; k++) {
    PetscCall(HgStateCreate(mesh, 1, &(HgVariable){"u", field_units[k], HG_FIELD, 0}, &x));
    PetscCall(HgStateRandom(x, 1));
    const HgPanel panel = {.title = "u", .state = x, .field = "u", .unit = panel_units[k]};
    PetscCall(HgPictureWrite(PETSC_COMM_WORLD, ".", names[k], 1, &panel));
    PetscCall(HgStateDestroy(&x));
  }
  if (!claim.rank) {
    claim_that(differ("own.png", "other.png") > 0, "another unit gives another picture");
    claim_that(differ("told.png", "other.png") == 0, "a panel's unit is drawn as the field's");
  }
  return HgMeshDestroy(&mesh);
}

int main(int argc, char **argv) {
  static const char *const one[] = {"1/K", "1/(m^2/s)", "1", "1/(kg m)", "1"}, *const joule[] = {
                                                                                   "J/K",
                                                                                   "J/(m^2/s)", "J",
                                                                                   "J/(kg m)", "J"};
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a gradient is in units of J over those of the variable", 0);
  if (!ierr) ierr = units("1", one);
  if (!ierr) ierr = units("J", joule);
  if (!ierr) ierr = picture();
  return claim_end(ierr);
}
