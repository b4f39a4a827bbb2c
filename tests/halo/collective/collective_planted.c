/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrong adjoints of collectives are caught by the dot product: sums forgotten or doubled, the wrong
   rank, the wrong direction, the wrong rule, and transposes that add to what was there. */
#include "collective_cases.h"

enum { MOST = 64 };

typedef PetscErrorCode Fault(const Case *c, HgCollective op, const double x[], const double y_bar[],
                             double x_bar[]);

/* The broadcast's copies are not summed. */
static PetscErrorCode forgets_copies(const Case *c, HgCollective op, const double x[],
                                     const double y_bar[], double x_bar[]) {
  (void)x, (void)op;
  for (int i = 0; i < inputs(c, c->rank); i++) x_bar[i] += y_bar[i];
  return 0;
}

/* What counts once is taken for copies. */
static PetscErrorCode counts_each(const Case *c, HgCollective op, const double x[],
                                  const double y_bar[], double x_bar[]) {
  HgCollective other;
  Case each = *c;
  (void)op;
  each.once = false;
  PetscCall(case_create(&each, &other));
  PetscCall(HgCollectiveAdjoint(other, x, y_bar, x_bar));
  return HgCollectiveDestroy(&other);
}

/* The transpose in the direction of the value. */
static PetscErrorCode forwards(const Case *c, HgCollective op, const double x[],
                               const double y_bar[], double x_bar[]) {
  (void)x, (void)c;
  return HgCollectiveApply(op, y_bar, x_bar);
}

/* The next number's cotangent. */
static PetscErrorCode shifts(const Case *c, HgCollective op, const double x[], const double y_bar[],
                             double x_bar[]) {
  int n, m;
  double shifted[16 * MOST];
  (void)c;
  HgCollectiveSizes(op, &n, &m);
  for (int i = 0; i < m; i++) shifted[i] = y_bar[(i + 1) % m];
  return HgCollectiveAdjoint(op, x, shifted, x_bar);
}

/* The smallest's or largest's, the product's cotangent goes to every rank as if they were a sum. */
static PetscErrorCode like_a_sum(const Case *c, HgCollective op, const double x[],
                                 const double y_bar[], double x_bar[]) {
  HgCollective other;
  Case sum = *c;
  (void)op;
  sum.reduction = HG_REDUCE_SUM;
  PetscCall(case_create(&sum, &other));
  PetscCall(HgCollectiveAdjoint(other, x, y_bar, x_bar));
  return HgCollectiveDestroy(&other);
}

/* Around another point. */
static PetscErrorCode elsewhere(const Case *c, HgCollective op, const double x[],
                                const double y_bar[], double x_bar[]) {
  double moved[MOST];
  for (int i = 0; i < c->n; i++) moved[i] = 1.001 * x[i];
  return HgCollectiveAdjoint(op, moved, y_bar, x_bar);
}

/* The transpose over other numbers, right and as if it were the adjoint. */
static PetscErrorCode sets(const Case *c, HgCollective op, const double x[], const double y_bar[],
                           double x_bar[]) {
  for (int i = 0; i < inputs(c, c->rank); i++) x_bar[i] = 1 + i;
  return HgCollectiveTranspose(op, x, y_bar, x_bar);
}

static PetscErrorCode adds(const Case *c, HgCollective op, const double x[], const double y_bar[],
                           double x_bar[]) {
  for (int i = 0; i < inputs(c, c->rank); i++) x_bar[i] = 1 + i;
  return HgCollectiveAdjoint(op, x, y_bar, x_bar);
}

static PetscErrorCode nothing_wrong(const Case *c, HgCollective op, const double x[],
                                    const double y_bar[], double x_bar[]) {
  (void)c;
  return HgCollectiveAdjoint(op, x, y_bar, x_bar);
}

static const struct {
  const char *name;
  Fault *fault;
  Operator what;
  HgReduction reduction;
  bool once;
} plants[] = {{"copies forgotten", forgets_copies, BROADCAST, HG_REDUCE_SUM, false},
              {"copies counted", counts_each, ALLREDUCE, HG_REDUCE_SUM, true},
              {"copies counted", counts_each, BROADCAST, HG_REDUCE_SUM, true},
              {"copies counted", counts_each, ALLGATHER, HG_REDUCE_SUM, true},
              {"forwards", forwards, SCAN, HG_REDUCE_SUM, false},
              {"shifted", shifts, GATHER, HG_REDUCE_SUM, false},
              {"shifted", shifts, ALLGATHER, HG_REDUCE_SUM, false},
              {"shifted", shifts, ALLTOALL, HG_REDUCE_SUM, false},
              {"shifted", shifts, SENDRECV, HG_REDUCE_SUM, false},
              {"like a sum", like_a_sum, ALLREDUCE, HG_REDUCE_MAX, false},
              {"like a sum", like_a_sum, REDUCE, HG_REDUCE_MIN, false},
              {"like a sum", like_a_sum, SCAN, HG_REDUCE_PRODUCT, false},
              {"elsewhere", elsewhere, REDUCE, HG_REDUCE_PRODUCT, false},
              {"added", adds, REDUCE, HG_REDUCE_SUM, false},
              {"added", adds, ALLREDUCE, HG_REDUCE_SUM, true},
              {"added", adds, SCAN, HG_REDUCE_PRODUCT, false},
              {"added", adds, BROADCAST, HG_REDUCE_SUM, false},
              {"added", adds, GATHER, HG_REDUCE_SUM, false},
              {"added", adds, ALLGATHER, HG_REDUCE_SUM, false},
              {"added", adds, SCATTER, HG_REDUCE_SUM, false},
              {"added", adds, ALLTOALL, HG_REDUCE_SUM, false},
              {"added", adds, SENDRECV, HG_REDUCE_SUM, false}};

static PetscErrorCode error_of(const Case *c, Fault *fault, double *error) {
  HgCollective op;
  double x[16 * MOST] = {0}, dx[16 * MOST], x_bar[16 * MOST] = {0}, dy[16 * MOST], y_bar[16 * MOST],
                p[2];
  HgSum sums[2];
  PetscCall(case_create(c, &op));
  int n, m;
  HgCollectiveSizes(op, &n, &m);
  const uint64_t own = (uint64_t)c->rank;
  for (int i = 0; i < n; i++) x[i] = number(c, c->rank, i), dx[i] = HgRandom(20 + own, (uint64_t)i);
  for (int i = 0; i < m; i++) y_bar[i] = HgRandom(50 + (c->once ? 0 : own), (uint64_t)i);
  PetscCall(HgCollectiveTangent(op, x, dx, dy));
  PetscCall(fault(c, op, x, y_bar, x_bar));
  for (int k = 0; k < 2; k++) HgSumReset(&sums[k]);
  if (!c->once || !c->rank) HgSumAddProducts(&sums[0], (size_t)m, dy, y_bar);
  HgSumAddProducts(&sums[1], (size_t)n, dx, x_bar);
  PetscCall(HgSumReduce(c->comm, 2, sums, p));
  *error = fabs(p[0] - p[1]) / fabs(p[0]);
  return HgCollectiveDestroy(&op);
}

static PetscErrorCode test(void) {
  Case c = {.comm = PETSC_COMM_WORLD, .n = 7, .seed = 8};
  PetscCallMPI(MPI_Comm_rank(c.comm, &c.rank));
  PetscCallMPI(MPI_Comm_size(c.comm, &c.ranks));
  for (size_t k = 0; k < sizeof plants / sizeof *plants; k++) {
    double right, set, wrong;
    c.what = plants[k].what, c.reduction = plants[k].reduction, c.once = plants[k].once;
    PetscCall(error_of(&c, nothing_wrong, &right));
    PetscCall(error_of(&c, sets, &set));
    PetscCall(error_of(&c, plants[k].fault, &wrong));
    claim_at_most(right, 1e-12, "%s without a fault", case_name(&c));
    claim_at_most(set, 1e-12, "%s without a fault, set", case_name(&c));
    claim_that(wrong > 1e-6, "%s in %s: dot product off by %g", plants[k].name, case_name(&c),
               wrong);
  }
  return 0;
}

CLAIM("wrong adjoints of collectives are caught", 8, test)
