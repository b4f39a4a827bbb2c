/* Claim: the check of a stencil passes where right derivatives have kinks between affine pieces
   (abs, max, upwind values), and where values are small; a jump and a wrong side of a kink are
   found. */
#include "claim.h"
#include "draws.h"
#include <halograd/check_library.h>
#include <math.h>

enum { CHECKS = 20 };

/* What is wrong with `pieces`. */
static enum { RIGHT, JUMP, WRONG_SIDE } fault;

/* ---- upwind: c' = c - k (max(u, 0) (c - c_W) + min(u, 0) (c_E - c)) ---- */
static const double k = 0.1;

static void upwind_apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double *c = x[0][j], u = x[1][j][i];
      y[0][j][i] = c[i] - k * u * (u > 0 ? c[i] - c[i - 1] : c[i + 1] - c[i]);
    }
}

static void upwind_tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                           const HgRowsOut dy[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double *c = x[0][j], *dc = dx[0][j], u = x[1][j][i], du = dx[1][j][i];
      dy[0][j][i] = dc[i] - k * (u * (u > 0 ? dc[i] - dc[i - 1] : dc[i + 1] - dc[i]) +
                                 du * (u > 0 ? c[i] - c[i - 1] : c[i + 1] - c[i]));
    }
}

static void upwind_adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                           const HgRowsOut x_bar[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++) {
    const double *c = x[0][j], *u = x[1][j], *w = y_bar[0][j];
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

/* ---- pieces: u' = u / 2 where u <= 1/2, else u - 1/4; of a jump u ---- */
static double slope(double u) { return u > 0.5 && fault != WRONG_SIDE ? 1 : 0.5; }

static void apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double u = x[0][j][i];
      y[0][j][i] = u > 0.5 ? u - (fault == JUMP ? 0 : 0.25) : 0.5 * u;
    }
}

static void tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) dy[0][j][i] = slope(x[0][j][i]) * dx[0][j][i];
}

static void adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; x_bar[0] && i < b->i1; i++)
      x_bar[0][j][i] += slope(x[0][j][i]) * y_bar[0][j][i];
}

/* Its second derivatives are 0, but in the kink. */
static void second(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                   const HgRows y_bar[], const HgRows dy_bar[], const HgRowsOut dx_bar[]) {
  (void)dx, (void)y_bar;
  adjoint(b, none, x, dy_bar, dx_bar);
}

static const HgStencil pieces = {.name = "pieces",
                                 .reads = (const HgRead[]){{"u", 0, 0}, {NULL, 0, 0}},
                                 .writes = (const char *const[]){"u", NULL},
                                 .apply = apply,
                                 .tangent = tangent,
                                 .adjoint = adjoint,
                                 .second = second};

/* In how many default checks of values in [low, high) is the Taylor order found wrong? */
static PetscErrorCode found(const HgStencil *s, double low, double high, int *count) {
  const HgCheckRange ranges[] = {{low, high}, {low, high}};
  HgFindings r;
  *count = 0;
  for (int n = 0; n < DRAWS_OF(CHECKS); n++) {
    const HgCheckStencilOptions options = {.seed = 1 + 24 * (uint64_t)n};
    PetscCall(HgExamineStencil(s, NULL, ranges, &options, &r));
    bool taylor = false;
    for (int l = 0; l < r.findings; l++) taylor = taylor || r.finding[l].check == HG_CHECK_TAYLOR;
    *count += taylor;
    claim_that(!r.findings || taylor, "'%s' fails, but not for its Taylor order", s->name);
  }
  return 0;
}

static PetscErrorCode test(void) {
  static const double lows[] = {-1, 0}, highs[] = {1, 1e-5};
  int count;
  for (int n = 0; n < 2; n++) {
    PetscCall(found(&upwind, lows[n], highs[n], &count));
    claim_that(!count, "upwind in [%g, %g) fails in %d checks", lows[n], highs[n], count);
  }
  for (fault = RIGHT; fault <= WRONG_SIDE; fault++) {
    PetscCall(found(&pieces, 0, 1, &count));
    claim_that(fault ? count == DRAWS_OF(CHECKS) : !count, "fault %d is found in %d checks", fault,
               count);
  }
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("kinks between affine pieces pass, jumps do not", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
