/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the check of a stencil passes right derivatives with kinks between affine pieces (abs,
   max, upwind values), of small values, and of steep functions, whose second and third derivatives
   all but cancel in the few cells that matter; a jump, a wrong side of a kink and a derivative that
   is wrong by a millionth are found in each default check. */
#include "claim.h"
#include "draws.h"
#include "findings.h"

enum { CHECKS = 20 };

/* ---- upwind: c' = c - k (max(u, 0) (c - c_W) + min(u, 0) (c_E - c)) ---- */
static const double k = 0.1;

static void upwind_apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal *c = x[0][j], u = x[1][j][i];
      y[0][j][i] = c[i] - k * u * (u > 0 ? c[i] - c[i - 1] : c[i + 1] - c[i]);
    }
}

static void upwind_tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const HgReal *c = x[0][j], *dc = dx[0][j], u = x[1][j][i], du = dx[1][j][i];
      dy[0][j][i] = dc[i] - k * (u * (u > 0 ? dc[i] - dc[i - 1] : dc[i + 1] - dc[i]) +
                                 du * (u > 0 ? c[i] - c[i - 1] : c[i + 1] - c[i]));
    }
}

static void upwind_adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                           const HgRowsOut x_bar[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++) {
    const HgReal *c = x[0][j], *u = x[1][j], *w = y_bar[0][j];
    for (int i = b->i0; i < b->i1; i++) {
      const double west = u[i - 1] < 0 ? u[i - 1] * w[i - 1] : 0,
                   east = u[i + 1] > 0 ? u[i + 1] * w[i + 1] : 0;
      if (x_bar[0]) x_bar[0][j][i] += w[i] - k * (fabs(u[i]) * w[i] + west - east);
      if (x_bar[1]) x_bar[1][j][i] += -k * (u[i] > 0 ? c[i] - c[i - 1] : c[i + 1] - c[i]) * w[i];
    }
  }
}

static const HgStencil upwind = {.name = "upwind",
                                 .reads = (const HgRead[]){{"c", 1, 1}, {"u", 0, 1}, {NULL, 0, 0}},
                                 .writes = (const char *const[]){"c", NULL},
                                 .apply = upwind_apply,
                                 .tangent = upwind_tangent,
                                 .adjoint = upwind_adjoint};

/* ---- u' = f(u, h) in each cell ---- */
typedef struct {
  double (*value)(double u, double h), (*by_u)(double u, double h), (*by_h)(double u, double h);
} Curve;

static const Curve *curve;

/* What is wrong with `pieces`; what is added to the derivative of `steep`, relative. */
static enum { RIGHT, JUMP, WRONG_SIDE } fault;

static double wrong;

/* u / 2 where u <= 1/2, else u - 1/4; of a jump u */
static double pieces(double u, double h) {
  return 0 * h + (u > 0.5 ? u - (fault == JUMP ? 0 : 0.25) : 0.5 * u);
}

static double pieces_by_u(double u, double h) {
  return 0 * h + (u > 0.5 && fault != WRONG_SIDE ? 1 : 0.5);
}

static double nothing(double u, double h) { return 0 * u * h; }

/* u + exp(-(9 h u)^2) / 5 */
static double hill(double u, double h) { return 0.2 * exp(-81 * h * h * u * u); }

static double steep(double u, double h) { return u + hill(u, h); }

static double steep_by_u(double u, double h) {
  return 1 - (1 + wrong) * 162 * h * h * u * hill(u, h);
}

static double steep_by_h(double u, double h) { return -(1 + wrong) * 162 * h * u * u * hill(u, h); }

static void apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = curve->value(x[0][j][i], x[1][j][i]);
}

static void tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double u = x[0][j][i], h = x[1][j][i];
      dy[0][j][i] = curve->by_u(u, h) * dx[0][j][i] + curve->by_h(u, h) * dx[1][j][i];
    }
}

static void adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double u = x[0][j][i], h = x[1][j][i];
      if (x_bar[0]) x_bar[0][j][i] += curve->by_u(u, h) * y_bar[0][j][i];
      if (x_bar[1]) x_bar[1][j][i] += curve->by_h(u, h) * y_bar[0][j][i];
    }
}

/* Of pieces: their second derivatives are 0, but in the kink. */
static void second(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                   const HgRows y_bar[], const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  (void)dx, (void)y_bar;
  adjoint(b, none, x, dy_bar, dx_bar);
}

/* In how many default checks of values in [low, high) is the Taylor order found wrong? */
static PetscErrorCode expect(const HgStencil *s, HgCheckRange u, HgCheckRange h, bool found) {
  const HgCheckRange ranges[] = {u, h};
  int count = 0;
  for (int n = 0; n < DRAWS_OF(CHECKS); n++) {
    const HgCheckStencilOptions options = {.seed = 1 + 24 * (uint64_t)n};
    HgFindings r;
    PetscCall(HgExamineStencil(s, NULL, ranges, &options, &r));
    const bool taylor = has_found(&r, HG_CHECK_TAYLOR);
    count += taylor;
    claim_that(!r.findings || taylor, "'%s' fails, but not for its Taylor order", s->name);
  }
  claim_that(count == (found ? DRAWS_OF(CHECKS) : 0), "'%s' in [%g, %g): fault %d, %g in %d checks",
             s->name, u.low, u.high, fault, wrong, count);
  return 0;
}

static PetscErrorCode test(void) {
  static const Curve broken = {pieces, pieces_by_u, nothing},
                     smooth = {steep, steep_by_u, steep_by_h};
  const HgCheckRange wide = {-1, 1}, small = {0, 1e-5}, positive = {0, 1}, scale = {0.5, 2};
  HgStencil s = {.name = "pieces",
                 .reads = (const HgRead[]){{"u", 0, 0}, {"h", 0, 0}, {NULL, 0, 0}},
                 .writes = (const char *const[]){"u", NULL},
                 .apply = apply,
                 .tangent = tangent,
                 .adjoint = adjoint,
                 .second = second};
  PetscCall(expect(&upwind, wide, wide, false));
  PetscCall(expect(&upwind, small, small, false));
  curve = &broken;
  for (fault = RIGHT; fault <= WRONG_SIDE; fault++)
    PetscCall(expect(&s, positive, positive, fault != RIGHT));
  curve = &smooth, s.name = "steep", s.second = NULL;
  PetscCall(expect(&s, wide, scale, false));
  wrong = 1e-6;
  return expect(&s, wide, scale, true);
}

CLAIM("kinks and steep functions pass, jumps and wrong derivatives do not", 0, test)
