/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: numbers that every rank holds are regularised by alpha/2 sum (m - m_0)^2 and beta/2 sum
   (m_k+1 - m_k)^2, with derivatives that pass all checks, first and second, and the same bits on
   every rank; with a spacing and a deviation as a field on a line of as many cells; of several side
   by side R is the sum of each one's; factors, and a deviation without spacing, are refused. */
#include "claim.h"
#include "findings.h"
#include "refusal.h"
#include <halograd/control.h>
#include <math.h>

enum { SIZE = 5 };

static PetscErrorCode check(HgState m) {
  const HgRegularisation weights = {.control = "slip", .alpha = 0.3, .beta = 0.7, .reference = 0.2};
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-13};
  HgFindings report;
  HgOperator R;
  HgState J;
  double expected = 0;
  PetscCall(HgRegularisationCreate(m, &weights, &R));
  PetscCall(HgOperatorCreateOutput(R, &J));
  PetscCall(HgStateRandom(m, 7));
  PetscCall(HgOperatorApply(R, m, J));
  const double *const u = HgStateArray(m, 1);
  for (int k = 0; k < SIZE; k++) expected += 0.15 * pow(u[k] - 0.2, 2);
  for (int k = 1; k < SIZE; k++) expected += 0.35 * pow(u[k] - u[k - 1], 2);
  claim_at_most(fabs(HgStateArray(J, 0)[0] - expected), 1e-15, "R");
  PetscCall(HgExamineOperator(R, m, &options, &report));
  claim_that(!report.findings, "%s", first_finding(&report));
  claim_at_most(fabs(report.worst[HG_CHECK_TAYLOR] - 2), 0.1, "Taylor order");
  double first = HgStateArray(J, 0)[0];
  PetscCallMPI(MPI_Bcast(&first, 1, MPI_DOUBLE, 0, PETSC_COMM_WORLD));
  claim_same(HgStateArray(J, 0)[0], first, "R on two ranks");
  return DESTROY(&J, &R);
}

/* alpha dm, and beta (2 dm_k - dm_k-1 - dm_k+1) where one number moves. */
static PetscErrorCode hessian(HgState m) {
  const HgRegularisation weights = {.control = "slip", .alpha = 3, .beta = 5, .reference = 1};
  HgOperator R;
  HgState dm, h;
  PetscCall(HgRegularisationCreate(m, &weights, &R));
  PetscCall(HgStateDuplicate(m, &dm));
  PetscCall(HgStateDuplicate(m, &h));
  PetscCall(HgStateSetConstant(dm, "slip", 2));
  PetscCall(HgOperatorHessian(R, m, dm, h));
  for (int k = 0; k < SIZE; k++) claim_same(HgStateArray(h, 1)[k], 6, "alpha dm");
  HgStateArray(dm, 1)[2] = 3;
  PetscCall(HgOperatorHessian(R, m, dm, h));
  for (int k = 0; k < SIZE; k++)
    claim_same(HgStateArray(h, 1)[k],
               k == 2             ? 9 + 10
               : k == 1 || k == 3 ? 6 - 5
                                  : 6,
               "alpha dm + beta of differences");
  return DESTROY(&dm, &h, &R);
}

enum { LONG = 23 };

/* R of both, the gradient there and R'' times that. */
static PetscErrorCode line(void) {
  const HgMeshSpec spec = {.nx = LONG, .ny = 1, .px = claim.ranks, .py = 1, .dx = 1.1, .dy = 1};
  const HgVariable variables[] = {{"u", "K", HG_FIELD, 0}, {"q", "K", HG_REPLICATED, LONG}};
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-12};
  HgRegularisation of = {.control = "u", .reference = 0.2, .deviation = 0.7, .length = 4.5};
  HgMesh mesh;
  HgState m, d[2][2];
  HgOperator R[2];
  HgFindings report;
  double J[2], worst = 0, largest = 0;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &m));
  PetscCall(HgRegularisationCreate(m, &of, &R[0]));
  of.control = "q", of.spacing = 1.1;
  PetscCall(HgRegularisationCreate(m, &of, &R[1]));
  const int first = HgMeshGetPatch(mesh)->i_global, cells = HgMeshGetPatch(mesh)->nx;
  for (int k = 0; k < LONG; k++) HgStateArray(m, 1)[k] = sin(k * k);
  for (int i = 0; i < cells; i++) HgStateRow(m, 0, 0)[i] = sin((first + i) * (first + i));
  for (int k = 0; k < 2; k++) {
    for (int l = 0; l < 2; l++) PetscCall(HgStateDuplicate(m, &d[k][l]));
    PetscCall(HgOperatorGradient(R[k], m, &J[k], d[k][0]));
    PetscCall(HgOperatorHessian(R[k], m, d[k][0], d[k][1]));
  }
  for (int l = 0; l < 2; l++)
    for (int i = 0; i < cells; i++) {
      const double of_line = HgStateRow(d[0][l], 0, 0)[i];
      worst = fmax(worst, fabs(HgStateArray(d[1][l], 1)[first + i] - of_line));
      largest = fmax(largest, fabs(of_line));
    }
  claim_at_most(fabs(J[1] / J[0] - 1), 1e-13, "R of a series and of a line");
  claim_at_most(worst, 1e-12 * largest, "its derivatives");
  PetscCall(HgExamineOperator(R[1], m, &options, &report));
  claim_that(!report.findings, "a series: %s", first_finding(&report));
  of.length = 2.1;
  REFUSED(HgRegularisationCreate(m, &of, &R[1]), "'q'", "length 2.1,", "two cells or steps, 2.2");
  of.each = LONG;
  REFUSED(HgRegularisationCreate(m, &of, &R[1]), "'q'", "one cell or step has no correlation");
  for (int k = 0; k < 2; k++) PetscCall(HgOperatorDestroy(&R[k]));
  for (int k = 0; k < 2; k++) PetscCall(HgStatesDestroy(&d[k][0], &d[k][1]));
  return DESTROY(&m, &mesh);
}

enum { EACH = 3, TIMES = 11 };

/* Across three series side by side it is what H1 of each step's three numbers is. */
static PetscErrorCode across(HgMesh mesh) {
  const HgVariable variables[] = {{"all", "K", HG_REPLICATED, EACH * TIMES},
                                  {"one", "K", HG_REPLICATED, EACH}};
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-13};
  HgRegularisation of = {.control = "all", .reference = 0.2, .each = EACH, .across = 0.7};
  HgFindings report;
  HgOperator R[2];
  HgState m, g[2];
  double J[2], sum = 0;
  PetscCall(HgStateCreate(mesh, 2, variables, &m));
  PetscCall(HgStateRandom(m, 5));
  for (int k = 0; k < 2; k++) PetscCall(HgStateDuplicate(m, &g[k]));
  PetscCall(HgRegularisationCreate(m, &of, &R[0]));
  of = (HgRegularisation){.control = "one", .reference = 0.2, .beta = 0.7};
  PetscCall(HgRegularisationCreate(m, &of, &R[1]));
  PetscCall(HgOperatorGradient(R[0], m, &J[0], g[0]));
  for (int n = 0; n < TIMES; n++) {
    PetscCall(PetscArraycpy(HgStateArray(m, 1), HgStateArray(m, 0) + EACH * n, EACH));
    PetscCall(HgOperatorGradient(R[1], m, &J[1], g[1]));
    sum += J[1];
    for (int s = 0; s < EACH; s++)
      claim_same(HgStateArray(g[0], 0)[EACH * n + s], HgStateArray(g[1], 1)[s], "derivative");
  }
  claim_at_most(fabs(J[0] / sum - 1), 1e-14, "R across");
  of.each = 1, of.across = 0.7;
  REFUSED(HgRegularisationCreate(m, &of, &R[0]), "'one'", "weight 0.7 of differences side by side",
          "1 numbers each");
  for (int k = 0; k < 2; k++) PetscCall(HgOperatorDestroy(&R[k]));
  of = (HgRegularisation){.control = "all",
                          .deviation = 0.6,
                          .length = 4,
                          .spacing = 1.3,
                          .reference = 0.2,
                          .each = EACH,
                          .across = 3};
  PetscCall(HgRegularisationCreate(m, &of, &R[0]));
  PetscCall(HgExamineOperator(R[0], m, &options, &report));
  claim_that(!report.findings, "across and in time: %s", first_finding(&report));
  PetscCall(HgOperatorDestroy(&R[0]));
  return HgStatesDestroy(&m, &g[0], &g[1]);
}

/* Three series side by side, and each of them alone. */
static PetscErrorCode side_by_side(HgMesh mesh) {
  static const HgRegularisation kinds[] = {
      {.alpha = 0.3, .beta = 0.7, .tv = 0.4, .epsilon = 0.1, .reference = 0.2, .spacing = 1.3},
      {.deviation = 0.6, .length = 4, .reference = 0.2, .spacing = 1.3}};
  const HgVariable variables[] = {{"all", "K", HG_REPLICATED, EACH * TIMES},
                                  {"one", "K", HG_REPLICATED, TIMES}};
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-13};
  HgFindings report;
  HgOperator R[2];
  HgState m, g[2];
  double J[2], sum;
  PetscCall(HgStateCreate(mesh, 2, variables, &m));
  PetscCall(HgStateRandom(m, 5));
  for (int k = 0; k < 2; k++) PetscCall(HgStateDuplicate(m, &g[k]));
  for (int kind = 0; kind < 2; kind++) {
    HgRegularisation of = kinds[kind];
    of.control = "one";
    PetscCall(HgRegularisationCreate(m, &of, &R[1]));
    of.control = "all", of.each = EACH;
    PetscCall(HgRegularisationCreate(m, &of, &R[0]));
    PetscCall(HgOperatorGradient(R[0], m, &J[0], g[0]));
    sum = 0;
    for (int s = 0; s < EACH; s++) {
      for (int n = 0; n < TIMES; n++) HgStateArray(m, 1)[n] = HgStateArray(m, 0)[EACH * n + s];
      PetscCall(HgOperatorGradient(R[1], m, &J[1], g[1]));
      sum += J[1];
      for (int n = 0; n < TIMES; n++)
        claim_same(HgStateArray(g[0], 0)[EACH * n + s], HgStateArray(g[1], 1)[n], "derivative");
    }
    claim_at_most(fabs(J[0] / sum - 1), 1e-14, "R of several side by side");
    PetscCall(HgExamineOperator(R[0], m, &options, &report));
    claim_that(!report.findings, "side by side: %s", first_finding(&report));
    for (int k = 0; k < 2; k++) PetscCall(HgOperatorDestroy(&R[k]));
  }
  return HgStatesDestroy(&m, &g[0], &g[1]);
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = 8, .ny = 6, .dx = 1, .dy = 1};
  const HgVariable variables[] = {{"u", "m", HG_FIELD, 0}, {"slip", "m", HG_REPLICATED, SIZE}};
  HgMesh mesh;
  HgState m, factors;
  HgOperator R;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &m));
  PetscCall(check(m));
  PetscCall(hessian(m));
  PetscCall(HgStateDuplicate(m, &factors));
  REFUSED(HgRegularisationCreate(m, &(HgRegularisation){"slip", 1, 0, 0, factors}, &R),
          "factors of cells");
  REFUSED(HgRegularisationCreate(m, &(HgRegularisation){"slip", -1, 0, 0, NULL}, &R), "weights -1");
  PetscCall(HgStatesDestroy(&factors, &m));
  PetscCall(side_by_side(mesh));
  PetscCall(across(mesh));
  PetscCall(HgMeshDestroy(&mesh));
  return line();
}

CLAIM("numbers are regularised", 7, test)
