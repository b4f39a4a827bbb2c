/* SPDX-License-Identifier: BSD-2-Clause */
/* The exchange passes all checks as an operator: 100 draws of sizes and cuts, patches as thin as
   the halo. */
#include "claim.h"
#include "findings.h"
#include "toy_operators.h"
#include <halograd/operator_library.h>

enum { DRAWS = 100 };

/* An integer in [0, n), the same on every rank. */
static int draw(uint64_t seed, uint64_t k, int n) {
  return (int)(0.5 * (HgRandom(seed, k) + 1) * n);
}

static PetscErrorCode check(HgOperator op, uint64_t seed, const HgMeshSpec *s) {
  const HgCheckOptions options = {.seed = seed};
  HgFindings report;
  HgState x;
  PetscCall(HgOperatorCreateInput(op, &x));
  PetscCall(HgStateRandom(x, seed + 1000));
  PetscCall(HgExamineOperator(op, x, &options, &report));
  claim_that(!report.findings && report.worst[HG_CHECK_DOT] <= 1e-13,
             "%s, draw %llu, %d x %d cells, %d x %d patches: %s", HgOperatorName(op),
             (unsigned long long)seed, s->nx, s->ny, s->px, s->py, first_finding(&report));
  return HgStateDestroy(&x);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  const int draws = size > 6 ? DRAWS / 5 : DRAWS; /* crowded ranks take their time */
  for (uint64_t seed = 0; seed < (uint64_t)draws; seed++) {
    const int depth = 1 + draw(seed, 0, 3);
    int px = 1 + draw(seed, 1, size);
    while (size % px) px--;
    const int py = size / px;
    const HgMeshSpec s = {.nx = px * depth + draw(seed, 2, 7),
                          .ny = py * depth + draw(seed, 3, 7),
                          .px = px,
                          .py = py,
                          .dx = 1,
                          .dy = 2,
                          .ghost = depth,
                          .periodic_x = draw(seed, 4, 2),
                          .periodic_y = draw(seed, 5, 2)};
    HgMesh mesh;
    HgOperator op;
    PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &s, &mesh));
    PetscCall(exchange_operator(mesh, depth, &op));
    PetscCall(check(op, seed, &s));
    PetscCall(DESTROY(&op, &mesh));
  }
  return 0;
}

CLAIM("the exchange passes all checks as an operator", 0, test)
