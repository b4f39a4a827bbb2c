/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: every check gives what mathematics says, with the same bits on every layout. */
#include "claim.h"
#include "findings.h"
#include "same_bits.h"
#include <halograd/operator_library.h>
#include <math.h>

/* y = f(u) in every cell; x is drawn in [-1, 1) and scaled. */
typedef struct {
  const char *name;
  double (*f)(double u), (*derivative)(double u);
  double scale, order; /* of x; of the remainder, 0: no tangent */
} Toy;

static double third(double u) { return u * u * u / 3; }

static double square(double u) { return u * u; }

static double square_d(double u) { return 2 * u; }

static double cube(double u) { return u * u * u; }

static double cube_d(double u) { return 3 * u * u; }

static double linear(double u) { return 1e7 * u; }

static double linear_d(double u) { return 1e7 + 0 * u; }

static double affine(double u) { return 3 * u - 1e4; }

static double affine_d(double u) { return 3 + 0 * u; }

static double nothing(double u) { return 0 * u; }

static double constant(double u) { return 7 + 0 * u; }

static double constant_one(double u) { return 1 + 0 * u; }

static double almost(double u) { return u + 1e-8 * u * u; }

static double almost_d(double u) { return 1 + 2e-8 * u; }

static double offset(double u) { return 300 + 1e-3 * sin(u); } /* 300 K and a small signal */

static double offset_d(double u) { return 1e-3 * cos(u); }

/* A small number added to a large one: a tiny step vanishes, others are rounded. */
static double sunk(double u) { return square(u + 4e5 - (4e5 - 0.5)); }

static double sunk_d(double u) { return 2 * (u + 0.5); }

static double jump(double u) { return u > 0 ? 1 + u : u; }

static double shifted(double u) { return exp(u) - 1; }

static const Toy toys[] = {
    {"u^2", square, square_d, 1, 2},
    {"u^2, tiny u", square, square_d, 1e-20, 2},
    {"u^2, huge u", square, square_d, 1e20, 2},
    {"u^2 at 0", square, square_d, 0, 2},
    {"u^3", cube, cube_d, 1, 2},
    {"u^3 at 0", cube, cube_d, 0, 3},
    {"exp", exp, exp, 1, 2},
    {"exp(u) - 1 at 0", shifted, exp, 0, 2},
    {"exp, small u", exp, exp, 1e-5, INFINITY}, /* u^2 / 2 is less than rounding */
    {"1e7 u", linear, linear_d, 1, INFINITY},
    {"1e7 u at 0", linear, linear_d, 0, INFINITY},
    {"3 u - 1e4", affine, affine_d, 1, INFINITY},
    {"0", nothing, nothing, 1, INFINITY},
    {"7", constant, nothing, 1, INFINITY},
    {"u + 1e-8 u^2", almost, almost_d, 1, 2},
    {"u, with a jump at 0", jump, constant_one, 0, 0},
    {"300 + 1e-3 sin(u)", offset, offset_d, 1, 2},
};
static const Toy sums[] = {
    {"sum of u^3 / 3", third, square, 1, 2},
    {"sum of (u + 0.5)^2 at 0, rounded", sunk, sunk_d, 0, 2},
};

enum { TOYS = sizeof toys / sizeof *toys, SUMS = sizeof sums / sizeof *sums };

static PetscErrorCode apply(void *self, HgState x, HgState y) {
  const Toy *t = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) HgStateRows(y, 0)[j][i] = t->f(HgStateRows(x, 0)[j][i]);
  return 0;
}

static PetscErrorCode tangent(void *self, HgState x, HgState dx, HgState dy) {
  const Toy *t = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(dy, 0)[j][i] = t->derivative(HgStateRows(x, 0)[j][i]) * HgStateRows(dx, 0)[j][i];
  return 0;
}

static PetscErrorCode adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Toy *t = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(x_bar, 0)[j][i] +=
          t->derivative(HgStateRows(x, 0)[j][i]) * HgStateRows(y_bar, 0)[j][i];
  return 0;
}

/* J = sum of f(u), exactly summed. */
static PetscErrorCode sum_apply(void *self, HgState x, HgState y) {
  const Toy *t = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgSum sum;
  HgSumReset(&sum);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double term = t->f(HgStateRows(x, 0)[j][i]);
      HgSumAdd(&sum, 1, &term);
    }
  return HgSumReduce(HgMeshComm(HgStateMesh(x)), 1, &sum, HgStateArray(y, 0));
}

static PetscErrorCode sum_tangent(void *self, HgState x, HgState dx, HgState dy) {
  const Toy *t = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgSum sum;
  HgSumReset(&sum);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double term = t->derivative(HgStateRows(x, 0)[j][i]) * HgStateRows(dx, 0)[j][i];
      HgSumAdd(&sum, 1, &term);
    }
  return HgSumReduce(HgMeshComm(HgStateMesh(x)), 1, &sum, HgStateArray(dy, 0));
}

static PetscErrorCode sum_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Toy *t = self;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(x_bar, 0)[j][i] +=
          t->derivative(HgStateRows(x, 0)[j][i]) * HgStateArray(y_bar, 0)[0];
  return 0;
}

/* The report as text: zero, linearity, dot and Taylor in hexadecimal. */
static PetscErrorCode check(HgOperator op, HgState x, const char name[], double order, long seed,
                            char text[LAYOUT_TEXT]) {
  const HgCheckOptions options = {.seed = (uint64_t)seed};
  HgFindings r;
  PetscCall(HgExamineOperator(op, x, &options, &r));
  claim_that(!r.findings == (order > 0), "%s, seed %ld: %s", name, seed, first_finding(&r));
  claim_that(isinf(order) ? isinf(r.worst[HG_CHECK_TAYLOR])
                          : fabs(r.worst[HG_CHECK_TAYLOR] - order) < 0.1,
             "%s, seed %ld: order %g, expected %g", name, seed, r.worst[HG_CHECK_TAYLOR], order);
  snprintf(text, LAYOUT_TEXT, "%a %a %a %a %d", r.worst[HG_CHECK_ZERO], r.worst[HG_CHECK_LINEARITY],
           r.worst[HG_CHECK_DOT], r.worst[HG_CHECK_TAYLOR],
           !has_found(&r, HG_CHECK_INPUTS) && !has_found(&r, HG_CHECK_ADDS));
  return 0;
}

static int current; /* toy; from TOYS on: sum */

static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  static const HgOperatorTable table = {apply, tangent, adjoint, NULL, NULL},
                               sum_table = {sum_apply, sum_tangent, sum_adjoint, NULL, NULL};
  const HgMeshSpec spec = {
      .nx = 9, .ny = 16, .px = layout.px, .py = layout.py, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  const bool is_sum = current >= TOYS;
  const Toy *toy = is_sum ? &sums[current - TOYS] : &toys[current];
  HgMesh mesh;
  HgState x, y;
  HgOperator op;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &x));
  if (is_sum) PetscCall(HgFunctionalOutput(mesh, &y));
  else PetscCall(HgStateDuplicate(x, &y));
  PetscCall(HgStateRandom(x, 5));
  PetscCall(HgStateScale(x, toy->scale));
  PetscCall(HgOperatorCreate("toy", x, y, is_sum ? &sum_table : &table, (void *)toy, &op));
  PetscCall(check(op, x, toy->name, toy->order, seed, text));
  return DESTROY(&op, &x, &y, &mesh);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  for (current = 0; current<TOYS + SUMS; current += size> 6 ? 3 : 1)
    for (long seed = 1; seed <= (size > 1 ? 1 : 30); seed++)
      PetscCall(expect_same_on_layouts(
          current < TOYS ? toys[current].name : sums[current - TOYS].name, run, seed));
  return 0;
}

CLAIM("every check gives what mathematics says, with the same bits on every layout", 0, test)
