/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: R'' is assembled from one product for each colour, not for each control, in doubles and in
   floats: 1 + 9 if cells see their neighbours alone, 25 more if they see theirs, too, however
   different the sizes of two controls are; of numbers one more, and then as many of some as of ten
   times as many, side by side or not; and what it makes of R'' x is x. */
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

/* R''^-1 R'' x is x. */
static PetscErrorCode expect_inverse(HgPrior prior, Mat A) {
  Vec x, b;
  double size, off;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(VecNorm(x, NORM_2, &size));
  PetscCall(MatMult(A, x, b));
  PetscCall(HgPriorSolve(prior, b, b));
  PetscCall(VecAXPY(b, -1, x));
  PetscCall(VecNorm(b, NORM_2, &off));
  claim_at_most(off, 1e-9 * size, "R''^-1 R'' x - x");
  PetscCall(VecDestroy(&x));
  return VecDestroy(&b);
}

/* *products with R'' of controls like m that its prior takes. */
static PetscErrorCode count(HgOperator R, HgState m, bool inverse, int *products) {
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
  PetscCall(MatShellSetOperation(A, MATOP_CREATE_VECS, (void (*)(void))HgExactVecsOf));
  PetscCall(HgPriorCreate(m, A, NULL, &prior));
  *products = c.products;
  if (inverse) PetscCall(expect_inverse(prior, A));
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
  PetscCall(count(R, m, false, &products));
  claim_same(products, expected, "%s: products", what);
  for (int k = 0; k < controls; k++) PetscCall(HgOperatorDestroy(&parts[k]));
  return DESTROY(&R, &m, &mesh);
}

/* R'' of `rows` rows of numbers, so many side by side as the regularisation says. */
static PetscErrorCode expect_numbers(int rows, HgRegularisation r, int expected,
                                     const char what[]) {
  const HgVariable numbers = {"m", "1", HG_REPLICATED, rows * PetscMax(r.each, 1)};
  HgOperator R;
  HgMesh mesh;
  HgState m;
  int products = -1;
  PetscCall(
      HgMeshCreate(PETSC_COMM_WORLD, &(HgMeshSpec){.nx = N, .ny = N, .dx = 1, .dy = 1}, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &numbers, &m));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(HgRegularisationCreate(m, &r, &R));
  PetscCall(count(R, m, true, &products));
  claim_same(products, expected, "%d numbers of %s: products", numbers.size, what);
  PetscCall(HgOperatorDestroy(&R));
  PetscCall(HgStateDestroy(&m));
  return HgMeshDestroy(&mesh);
}

static PetscErrorCode test_numbers(void) {
  HgRegularisation h1 = {.control = "m", .alpha = 0.01, .beta = 1, .spacing = 1},
                   variation = {.control = "m", .alpha = 0.1, .tv = 1, .epsilon = 1, .spacing = 1},
                   matern = {.control = "m", .deviation = 0.6, .length = 8, .spacing = 1};
  for (int rows = N; rows <= 10 * N; rows *= 10) {
    h1.each = variation.each = matern.each = 1;
    PetscCall(expect_numbers(rows, h1, 2 + 3, "Tikhonov and H1"));
    PetscCall(expect_numbers(rows, variation, 2 + 3, "the variation"));
    PetscCall(expect_numbers(rows, matern, 2 + 3 + 5, "Matern"));
    h1.each = variation.each = matern.each = 15;
    PetscCall(expect_numbers(rows, h1, 2 + 9, "Tikhonov and H1, 15 side by side"));
    PetscCall(expect_numbers(rows, variation, 2 + 9, "the variation, 15 side by side"));
    PetscCall(expect_numbers(rows, matern, 2 + 9 + 25, "Matern, 15 side by side"));
    h1.across = 2;
    PetscCall(expect_numbers(rows, h1, 2 + 9, "Tikhonov and H1 in time and side by side"));
    matern.across = 2;
    PetscCall(expect_numbers(rows, matern, 2 + 9 + 25, "Matern in time, H1 side by side"));
    h1.across = matern.across = 0;
    h1.beta = 0;
    PetscCall(expect_numbers(rows, h1, 2 + 3, "Tikhonov"));
    h1.beta = 1;
  }
  return expect_numbers(3, h1, 2 + 9, "three rows");
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
  PetscCall(expect(2, matern, 1 + 2 * (9 + 25), "Matern of a large control, and a small one"));
  return test_numbers();
}

CLAIM("R'' is assembled by colours", 0, test)
