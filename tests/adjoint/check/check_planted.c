/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: each planted fault is caught by the check that is meant for it, and by no check that
   has nothing to do with it. */
#include "claim.h"
#include "findings.h"
#include "patches.h"
#include "toy_operators.h"

/* Z zero, L linearity, D dot product, T Taylor, U untouched: which checks must fail. */
static const struct {
  const char *name, *fails;
} expected[FAULTS] = {
    [RIGHT] = {"no fault", ""},
    [TANGENT_SIGN] = {"a sign in the tangent", "DT"},
    [TANGENT_FACTOR_2] = {"a factor 2 in the tangent", "DT"},
    [ADJOINT_SIGN] = {"a sign in the adjoint", "D"},
    [ADJOINT_FACTOR_2] = {"a factor 2 in the adjoint", "D"},
    [ADJOINT_EAST] = {"i + 1 in the adjoint", "D"},
    [ADJOINT_WEST] = {"i - 1 in the adjoint", "D"},
    [ADJOINT_NORTH] = {"j + 1 in the adjoint", "D"},
    [ADJOINT_FORGETS_V] = {"a term forgotten in the adjoint", "D"},
    [ADJOINT_FORGETS_RING] = {"ghosts forgotten in the adjoint", "D"},
    [ADJOINT_FORGETS_CORNER] = {"a corner forgotten in the adjoint", "D"},
    [ADJOINT_SUMS_LOCALLY] = {"a sum over one rank in the adjoint", "D"},
    [ADJOINT_OVERWRITES_U] = {"an adjoint that overwrites a field", "U"},
    [ADJOINT_OVERWRITES_THETA] = {"an adjoint that overwrites an array", "U"},
    [FORGET_V] = {"a term forgotten in tangent and adjoint", "T"},
    [OF_ANOTHER_POINT] = {"tangent and adjoint of another point", "T"},
    [SLIGHTLY_WRONG] = {"tangent and adjoint wrong by 1e-6", "T"},
    [TANGENT_AFFINE] = {"a tangent with a constant", "ZLDT"},
    [TANGENT_UNWRITTEN] = {"a tangent that leaves a cell unwritten", "ZLDT"},
    [TANGENT_NONLINEAR] = {"a tangent that is not linear", "LDT"},
    [ADJOINT_AFFINE] = {"an adjoint with a constant", "ZD"},
    [APPLY_UNWRITTEN] = {"a value that leaves a cell unwritten", "T"},
    [APPLY_CHANGES_X] = {"a value that changes x", "U"},
    [TANGENT_CHANGES_X] = {"a tangent that changes x", "U"},
    [TANGENT_CHANGES_DX] = {"a tangent that changes dx", "U"},
    [ADJOINT_CHANGES_THETA] = {"an adjoint that changes x", "U"},
    [ADJOINT_CHANGES_Y_BAR] = {"an adjoint that changes y_bar", "U"},
    [TRANSPOSE_ADDS] = {"a transpose that adds", "ZDU"},
    [TANGENT_NAN] = {"NaN in the tangent", "ZLDT"},
    [APPLY_NOT_REPEATABLE] = {"a value that is not the same twice", "T"},
    [APPLY_NAN] = {"NaN in the value", "T"},
};

static const struct {
  char letter;
  HgCheckId check;
} checks[] = {{'Z', HG_CHECK_ZERO},   {'L', HG_CHECK_LINEARITY}, {'D', HG_CHECK_DOT},
              {'T', HG_CHECK_TAYLOR}, {'U', HG_CHECK_INPUTS},    {'U', HG_CHECK_ADDS}};

static PetscErrorCode try_fault(HgMesh mesh, Fault fault, uint64_t seed) {
  const HgCheckOptions options = {.seed = seed};
  Toy toy;
  HgOperator op;
  HgState x;
  HgFindings report;
  char before[17], after[17], failed[7] = "";
  int count = 0;
  PetscCall(toy_create(mesh, &toy, fault, &op, &x));
  PetscCall(HgStateDigest(x, NULL, before));
  PetscCall(HgExamineOperator(op, x, &options, &report));
  PetscCall(HgStateDigest(x, NULL, after));
  for (size_t k = 0; k < sizeof checks / sizeof *checks; k++)
    if (has_found(&report, checks[k].check) && (!count || failed[count - 1] != checks[k].letter))
      failed[count++] = checks[k].letter;
  claim_that(!strcmp(failed, expected[fault].fails),
             "%s, seed %llu: failed '%s', expected '%s': %s", expected[fault].name,
             (unsigned long long)seed, failed, expected[fault].fails, first_finding(&report));
  claim_that(!report.findings == !*expected[fault].fails, "%s: passed is %d", expected[fault].name,
             !report.findings);
  claim_that(!strcmp(before, after), "%s: x was %s, is %s", expected[fault].name, before, after);
  if (fault == RIGHT)
    claim_that(report.worst[HG_CHECK_TAYLOR] < 2.1 && report.worst[HG_CHECK_TAYLOR] > 1.9,
               "Taylor order %g", report.worst[HG_CHECK_TAYLOR]);
  return DESTROY(&x, &op);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  for (int k = 0; k < (size > 6 ? 1 : 2); k++) {
    HgMesh mesh;
    const int thin =
        k          ? 4
        : size > 1 ? 1
                   : 2; /* patches one cell wide, but more than one cell for the faults to sit in */
    PetscCall(patches_mesh(PETSC_COMM_WORLD, size % 2 ? size : size / 2, thin, 2, thin == 1, false,
                           &mesh));
    for (int fault = 0; fault < FAULTS; fault++)
      if (size > 1 || fault != ADJOINT_SUMS_LOCALLY)
        PetscCall(try_fault(mesh, (Fault)fault, (uint64_t)(100 * thin + fault)));
    for (uint64_t seed = 1; seed <= (size > 6 ? 2 : 20); seed++)
      PetscCall(try_fault(mesh, RIGHT, seed));
    PetscCall(HgMeshDestroy(&mesh));
  }
  return 0;
}

CLAIM("each planted fault is caught by the check that is meant for it", 0, test)
