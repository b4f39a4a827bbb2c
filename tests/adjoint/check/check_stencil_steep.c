/* Claim: the check of a stencil passes steep functions, whose second and third derivatives all but
   cancel in the few cells that matter, so that the order looks less than 2 at the smallest steps
   that rounding allows; a derivative that is wrong by a millionth is found all the same. */
#include "claim.h"
#include "draws.h"
#include <halograd/check_library.h>
#include <math.h>

enum { CHECKS = 40 };

/* Of what is added to the derivative, relative. */
static double wrong;

/* ---- steep: u' = u + exp(-(9 h u)^2) / 5 ---- */
static double hill(double u, double h) { return 0.2 * exp(-81 * h * h * u * u); }

static double by_u(double u, double h) { return 1 - (1 + wrong) * 162 * h * h * u * hill(u, h); }

static double by_h(double u, double h) { return -(1 + wrong) * 162 * h * u * u * hill(u, h); }

static void apply(const HgBox *b, const void *none, const HgRows x[], const HgRowsOut y[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = x[0][j][i] + hill(x[0][j][i], x[1][j][i]);
}

static void tangent(const HgBox *b, const void *none, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double u = x[0][j][i], h = x[1][j][i];
      dy[0][j][i] = by_u(u, h) * dx[0][j][i] + by_h(u, h) * dx[1][j][i];
    }
}

static void adjoint(const HgBox *b, const void *none, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)none;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double u = x[0][j][i], h = x[1][j][i];
      if (x_bar[0]) x_bar[0][j][i] += by_u(u, h) * y_bar[0][j][i];
      if (x_bar[1]) x_bar[1][j][i] += by_h(u, h) * y_bar[0][j][i];
    }
}

static const HgStencil steep = {.name = "steep",
                                .reads = (const HgRead[]){{"u", 0, 0}, {"h", 0, 0}, {NULL, 0, 0}},
                                .writes = (const char *const[]){"u", NULL},
                                .apply = apply,
                                .tangent = tangent,
                                .adjoint = adjoint};

/* In how many checks is the Taylor order found wrong? */
static PetscErrorCode found(int *count) {
  const HgCheckRange ranges[] = {{-1, 1}, {0.5, 2}};
  *count = 0;
  for (int n = 0; n < DRAWS_OF(CHECKS); n++) {
    const HgCheckStencilOptions options = {.seed = 1 + 24 * (uint64_t)n};
    HgFindings r;
    bool taylor = false;
    PetscCall(HgExamineStencil(&steep, NULL, ranges, &options, &r));
    for (int l = 0; l < r.findings; l++) taylor = taylor || r.finding[l].check == HG_CHECK_TAYLOR;
    *count += taylor;
    claim_that(!r.findings || taylor, "'steep' fails, but not for its Taylor order");
  }
  return 0;
}

static PetscErrorCode test(void) {
  int count;
  PetscCall(found(&count));
  claim_that(!count, "a right derivative fails in %d checks of %d", count, DRAWS_OF(CHECKS));
  wrong = 1e-6;
  PetscCall(found(&count));
  claim_that(count == DRAWS_OF(CHECKS), "a wrong one is found in %d checks of %d", count,
             DRAWS_OF(CHECKS));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("steep functions pass, wrong derivatives of them do not", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
