/* SPDX-License-Identifier: BSD-2-Clause */
/* Every collective's adjoint is the transpose of its tangent, <C'dx, y_bar> = <dx, C'^T y_bar> to
   1e-14, and adds; its transpose sets the same numbers, whatever was there, also in place; the
   tangent is the limit of the difference quotient. */
#include "collective_cases.h"
#include <halograd/collective_library.h>

typedef struct {
  int n, m;
  double *x, *dx, *x_bar, *more, *y, *dy, *y_bar, *beside;
} Arrays;

static PetscErrorCode arrays_create(const Case *c, HgCollective op, Arrays *a) {
  HgCollectiveSizes(op, &a->n, &a->m);
  PetscCall(PetscCalloc4(a->n, &a->x, a->n, &a->dx, a->n, &a->x_bar, a->n + 1, &a->more));
  PetscCall(PetscCalloc4(a->m, &a->y, a->m, &a->dy, a->m, &a->y_bar, a->m, &a->beside));
  const uint64_t in = c->seed + (c->what == SPREAD ? 0 : 1 + (uint64_t)c->rank),
                 out = c->seed + (c->once ? 0 : 1 + (uint64_t)c->rank);
  for (int i = 0; i < a->n; i++) {
    a->x[i] = number(c, c->rank, i);
    a->dx[i] = HgRandom(in + 100000, (uint64_t)i);
    a->more[i] = HgRandom(in + 200000, (uint64_t)i);
  }
  for (int i = 0; i < a->m; i++) a->y_bar[i] = HgRandom(out + 300000, (uint64_t)i);
  return 0;
}

static PetscErrorCode arrays_destroy(Arrays *a) {
  PetscCall(PetscFree4(a->x, a->dx, a->x_bar, a->more));
  return PetscFree4(a->y, a->dy, a->y_bar, a->beside);
}

/* sums[k] = <a, b>, counted on rank 0 only if `once` */
static void product(const Case *c, bool once, int n, const double a[], const double b[],
                    HgSum *sum) {
  HgSumReset(sum);
  if (!once || c->rank == 0) HgSumAddProducts(sum, (size_t)n, a, b);
}

static PetscErrorCode dot(const Case *c, const Arrays *a) {
  const bool in = c->what == SPREAD;
  HgSum sums[6];
  double p[6];
  product(c, c->once, a->m, a->dy, a->y_bar, &sums[0]);
  product(c, in, a->n, a->dx, a->x_bar, &sums[1]);
  product(c, c->once, a->m, a->dy, a->dy, &sums[2]);
  product(c, c->once, a->m, a->y_bar, a->y_bar, &sums[3]);
  product(c, in, a->n, a->dx, a->dx, &sums[4]);
  product(c, in, a->n, a->x_bar, a->x_bar, &sums[5]);
  PetscCall(HgSumReduce(c->comm, 6, sums, p));
  const double scale = fmax(sqrt(p[2] * p[3]), sqrt(p[4] * p[5]));
  claim_at_most(fabs(p[0] - p[1]), 1e-14 * scale, "%s: dot product", case_name(c));
  if (c->n && c->what != BARRIER && (c->ranks > 1 || c->what != SENDRECV || c->n > 1))
    claim_that(p[3] == 0 || p[5] > 0, "%s: the adjoint is not zero", case_name(c));
  return 0;
}

/* dy = (C(x + h dx) - C(x - h dx)) / 2 h + O(h^2) */
static PetscErrorCode quotient(const Case *c, HgCollective op, Arrays *a) {
  const double h = 1e-5;
  for (int i = 0; i < a->n; i++) a->x[i] += h * a->dx[i];
  PetscCall(HgCollectiveApply(op, a->x, a->y));
  for (int i = 0; i < a->n; i++) a->x[i] = number(c, c->rank, i) - h * a->dx[i];
  PetscCall(HgCollectiveApply(op, a->x, a->beside));
  for (int i = 0; i < a->n; i++) a->x[i] = number(c, c->rank, i);
  for (int i = 0; i < a->m; i++)
    claim_at_most(fabs((a->y[i] - a->beside[i]) / (2 * h) - a->dy[i]),
                  1e-7 * (1 + c->ranks * fabs(a->y[i])), "%s: difference quotient %d", case_name(c),
                  i);
  return 0;
}

/* y_bar and x_bar may be one array on this rank. */
static bool works_in_place(const Case *c) {
  const bool once = c->once && (c->what == ALLREDUCE || c->what == BROADCAST);
  return (c->what == REDUCE || once) && (c->what == ALLREDUCE || c->rank == c->root);
}

/* x_bar = C'^T y_bar where NaN was; the bits of the adjoint added to 0, but for the sign of 0. */
static PetscErrorCode transpose(const Case *c, HgCollective op, Arrays *a) {
  for (int i = 0; i < a->n; i++) a->more[i] = NAN;
  a->more[a->n] = -7;
  PetscCall(HgCollectiveTranspose(op, a->x, a->y_bar, a->more));
  for (int i = 0; i < a->n; i++)
    claim_same(a->more[i] + 0, a->x_bar[i], "%s: sets x_bar[%d]", case_name(c), i);
  claim_that(a->more[a->n] == -7, "%s: x_bar has an end", case_name(c));
  const bool in_place = works_in_place(c);
  double *const x_bar = in_place ? a->beside : a->more;
  for (int i = 0; i < a->m; i++) a->beside[i] = a->y_bar[i];
  for (int i = 0; i < a->n && !in_place; i++) x_bar[i] = NAN;
  PetscCall(HgCollectiveTranspose(op, a->x, a->beside, x_bar));
  for (int i = 0; i < a->n; i++)
    claim_same(x_bar[i] + 0, a->x_bar[i], "%s: sets x_bar[%d] in place", case_name(c), i);
  return 0;
}

static PetscErrorCode adjoint(const Case *c) {
  HgCollective op;
  Arrays a;
  PetscCall(case_create(c, &op));
  PetscCall(arrays_create(c, op, &a));
  PetscCall(HgCollectiveTangent(op, a.x, a.dx, a.dy));
  PetscCall(HgCollectiveAdjoint(op, a.x, a.y_bar, a.x_bar));
  PetscCall(dot(c, &a));
  if (!HgCollectiveLinear(op)) PetscCall(quotient(c, op, &a));
  double *before;
  PetscCall(PetscMalloc1(a.n, &before));
  for (int i = 0; i < a.n; i++) before[i] = a.more[i];
  PetscCall(HgCollectiveAdjoint(op, a.x, a.y_bar, a.more));
  for (int i = 0; i < a.n; i++)
    claim_same(a.more[i], before[i] + a.x_bar[i], "%s: adds to x_bar[%d]", case_name(c), i);
  PetscCall(PetscFree(before));
  PetscCall(transpose(c, op, &a));
  PetscCall(arrays_destroy(&a));
  return HgCollectiveDestroy(&op);
}

/* Ties belong to the lowest rank; a factor 0 does no harm; a NaN is the smallest and the
   largest. */
static PetscErrorCode rules(void) {
  const int rank = claim.rank, ranks = claim.ranks;
  for (int op = HG_REDUCE_PRODUCT; op <= HG_REDUCE_MAX; op++) {
    HgCollective c;
    PetscCall(HgCollectiveCreate(
        MPI_COMM_WORLD,
        &(HgCollectiveSpec){HG_ALLREDUCE, .n = 3, .reduction = (HgReduction)op, .once = true}, &c));
    /* all tie; ranks from 1 on tie for the largest, rank 0 is the smallest; the last is NaN */
    const bool last = rank == ranks - 1;
    const double x[3] = {2, rank ? 5 : -5, last ? NAN : 1}, y_bar[3] = {1, 1, 1},
                 dx[3] = {rank + 1, rank + 1, rank + 1};
    double y[3], dy[3], x_bar[3] = {0};
    PetscCall(HgCollectiveApply(c, x, y));
    PetscCall(HgCollectiveTangent(c, x, dx, dy));
    PetscCall(HgCollectiveAdjoint(c, x, y_bar, x_bar));
    PetscCall(HgCollectiveDestroy(&c));
    claim_that(isnan(y[2]), "reduction %d: NaN is seen", op);
    if (op == HG_REDUCE_PRODUCT) continue;
    const int winner = op == HG_REDUCE_MAX && ranks > 1 ? 1 : 0;
    claim_same(y[0], 2, "reduction %d: a tie's value", op);
    claim_same(dy[0], 1, "reduction %d: a tie's tangent", op);
    claim_same(x_bar[0], rank == 0, "reduction %d: a tie's adjoint", op);
    claim_same(dy[1], winner + 1, "reduction %d: tangent of the lowest winner", op);
    claim_same(x_bar[1], rank == winner, "reduction %d: adjoint of the lowest winner", op);
    claim_same(x_bar[2], last, "reduction %d: adjoint of the NaN", op);
  }
  HgCollective product;
  PetscCall(HgCollectiveCreate(
      MPI_COMM_WORLD,
      &(HgCollectiveSpec){HG_ALLREDUCE, .n = 2, .reduction = HG_REDUCE_PRODUCT, .once = true},
      &product));
  /* one factor 0 on the last rank; two factors 0, on the first and the last */
  const double ends = rank == 0 || rank == ranks - 1 ? 0 : 2,
               x[2] = {rank == ranks - 1 ? 0 : 2, ends}, y_bar[2] = {1, 1};
  double x_bar[2] = {0};
  PetscCall(HgCollectiveAdjoint(product, x, y_bar, x_bar));
  claim_same(x_bar[0], rank == ranks - 1 ? ldexp(1, ranks - 1) : 0, "one factor 0");
  claim_same(x_bar[1], ranks == 1, "two factors 0");
  return HgCollectiveDestroy(&product);
}

static PetscErrorCode test(void) {
  const int few[] = {0, 1, 2, 5, 40, 700}, many[] = {3000, (1 << 15) * 4 + 5};
  const int ranks = claim.ranks;
  PetscCall(for_all_cases(MPI_COMM_WORLD, 4, 6, few, adjoint));
  if (ranks <= 4) /* in several segments on 4 ranks only */
    PetscCall(for_all_cases(MPI_COMM_WORLD, 5, ranks == 4 ? 2 : 1, many, adjoint));
  return rules();
}

CLAIM("a collective's adjoint is the transpose of its tangent", 4, test)
