/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: R'' is assembled from one product for each colour, not for each control, in doubles and in
   floats: 1 + 9 if cells see their neighbours alone, 25 more if they see theirs, too, however
   different the sizes of two controls are. */
#include "claim.h"
#include <halograd/control.h>
#include <halograd/posterior_library.h>
#include <halograd/state_library.h>
#include <math.h>

enum { N = 30 }; /* cells along an axis, of which 3 and 5 are divisors */

typedef struct {
  Mat R;
  int products;
} Counted;

static PetscErrorCode multiply(Mat A, Vec x, Vec y) {
  Counted *c;
  PetscCall(MatShellGetContext(A, &c));
  c->products++;
  return MatMult(c->R, x, y);
}

static PetscErrorCode create_vecs(Mat A, Vec *right, Vec *left) {
  Counted *c;
  PetscCall(MatShellGetContext(A, &c));
  return MatCreateVecs(c->R, right, left);
}

/* *products with R'' of controls like m that its prior takes. */
static PetscErrorCode count(HgOperator R, HgState m, int *products) {
  static const HgControlRange range[] = {{-INFINITY, INFINITY, 1}, {-INFINITY, INFINITY, 1}};
  const PetscInt own = HgControlsSize(m);
  Counted c = {0};
  HgPrior prior;
  Mat A;
  Vec z;
  PetscCall(HgExactVecCreate(PETSC_COMM_WORLD, own, &z));
  PetscCall(HgHessianCreate(R, range, z, m, &c.R));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, own, own, PETSC_DETERMINE, PETSC_DETERMINE, &c, &A));
  PetscCall(MatShellSetOperation(A, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(A, MATOP_CREATE_VECS, (void (*)(void))create_vecs));
  PetscCall(HgPriorCreate(m, A, NULL, &prior));
  *products = c.products;
  PetscCall(HgPriorDestroy(&prior));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&c.R));
  return VecDestroy(&z);
}

/* R'' of `controls` fields, of which the second is 1e4 times as large. */
static PetscErrorCode expect(int controls, HgRegularisation first, int expected,
                             const char what[]) {
  const HgVariable variable[] = {{"m", "1", HG_FIELD, 0}, {"n", "1", HG_FIELD, 0}};
  const HgRegularisation second = {.control = "n", .alpha = 1e-8, .beta = 1e-8};
  HgOperator parts[2], R;
  HgMesh mesh;
  HgState m;
  int products = -1;
  PetscCall(
      HgMeshCreate(PETSC_COMM_WORLD, &(HgMeshSpec){.nx = N, .ny = N, .dx = 1, .dy = 1}, &mesh));
  PetscCall(HgStateCreate(mesh, controls, variable, &m));
  PetscCall(HgRegularisationCreate(m, &first, &parts[0]));
  if (controls > 1) PetscCall(HgRegularisationCreate(m, &second, &parts[1]));
  PetscCall(HgOperatorSum("R", controls, parts, &R));
  PetscCall(count(R, m, &products));
  claim_same(products, expected, "%s: products", what);
  for (int k = 0; k < controls; k++) PetscCall(HgOperatorDestroy(&parts[k]));
  return DESTROY(&R, &m, &mesh);
}

static PetscErrorCode test(void) {
  const HgRegularisation h1 = {.control = "m", .alpha = 0.01, .beta = 1};
  HgRegularisation matern = {.control = "m", .deviation = 0.6, .length = 8};
  PetscCall(expect(1, h1, 1 + 9, "Tikhonov and H1"));
  PetscCall(expect(2, h1, 1 + 2 * 9, "two controls"));
  PetscCall(expect(1, matern, 1 + 9 + 25, "Matern"));
  matern.length = 2;
  PetscCall(expect(1, matern, 1 + 9 + 25, "Matern, two cells in the length"));
  matern.length = 8, matern.deviation = 1e4;
  return expect(2, matern, 1 + 2 * (9 + 25), "Matern of a large control, and a small one");
}

CLAIM("R'' is assembled by colours", 0, test)
