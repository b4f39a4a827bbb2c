/* Reductions: reduce, allreduce, scan, and the sum of all numbers.

   Every rank's numbers are worked on in segments, so that buffers stay in the cache and their size
   does not depend on that of the arrays. A short segment, or one of two ranks, goes to everybody who
   needs the result (one MPI call). Of a longer one every rank gets a block from all ranks
   (MPI_Alltoallv), reduces it, and hands the result on (MPI_Allgatherv, MPI_Gatherv): what each rank
   sends and receives is that of the segment, twice, as in MPI's own algorithms for long arrays.
   Both ways give the same bits: the kernels see the ranks' numbers in the order of ranks. */
#include "collective_private.h"
#include <halograd/sum.h>
#include <string.h>
enum { DIRECT = 1 << 11 /* numbers of all ranks together up to which a segment is short */ };
static bool direct(HgCollective c, int64_t n) { return c->ranks <= 2 || n * c->ranks <= DIRECT; }
/* Numbers of each rank in a segment. */
static int64_t segment_of(HgCollective c, int64_t n) {
  const int64_t most = direct(c, n) ? HG_BLOCK : (int64_t)HG_BLOCK * c->ranks;
  return PetscMin(n, most);
}
size_t HgCollectiveRoom(HgCollective c, int64_t n) {
  const int64_t segment = segment_of(c, n);
  const size_t room = (size_t)(direct(c, n) ? segment * c->ranks : segment + c->ranks * c->ranks);
  return PetscMax(room, HgStreamRoom(n));
}
/* ---- blocks: rank s works on part[0][s] numbers of a segment from part[1][s] on ---- */
static int cut(HgCollective c, int length) {
  const int even = length / c->ranks, more = length % c->ranks;
  for (int s = 0; s < c->ranks; s++) {
    c->part[0][s] = even + (s < more);
    c->part[1][s] = s * even + PetscMin(s, more);
  }
  const int mine = c->part[0][c->rank];
  for (int s = 0; s < c->ranks; s++) c->part[2][s] = mine, c->part[3][s] = s * mine;
  return mine;
}
/* Everybody's numbers of my block; and back. */
static PetscErrorCode deal(HgCollective c, const double x[], double rows[]) {
  PetscCallMPI(MPI_Alltoallv(x, c->part[0], c->part[1], MPI_DOUBLE, rows, c->part[2], c->part[3],
                             MPI_DOUBLE, c->comm));
  return 0;
}
static PetscErrorCode deal_back(HgCollective c, const double rows[], double x[]) {
  PetscCallMPI(MPI_Alltoallv(rows, c->part[2], c->part[3], MPI_DOUBLE, x, c->part[0], c->part[1],
                             MPI_DOUBLE, c->comm));
  return 0;
}
/* Results of all blocks to those who want them. */
static PetscErrorCode collect(HgCollective c, HgShape shape, const double block[], double y[]) {
  const int mine = c->part[0][c->rank];
  if (shape == HG_TO_ROOT)
    PetscCallMPI(MPI_Gatherv(block, mine, MPI_DOUBLE, y, c->part[0], c->part[1], MPI_DOUBLE,
                             c->root, c->comm));
  else
    PetscCallMPI(
        MPI_Allgatherv(block, mine, MPI_DOUBLE, y, c->part[0], c->part[1], MPI_DOUBLE, c->comm));
  return 0;
}
/* row[s] = what rank s gave, `wide` numbers each. */
static void point(HgCollective c, HgShape shape, const double rows[], size_t wide,
                  const double *row[]) {
  for (int s = 0; s < c->ranks; s++)
    row[shape == HG_SCAN_BACK ? c->ranks - 1 - s : s] = rows + (size_t)s * wide;
}
/* Where the results go: the last row's, or, scanning, every row's. */
static void point_out(HgCollective c, HgShape shape, double y[], size_t wide) {
  const bool scan = shape == HG_SCAN || shape == HG_SCAN_BACK;
  for (int s = 0; s < c->ranks; s++)
    c->out_row[shape == HG_SCAN_BACK ? c->ranks - 1 - s : s] = scan ? y + (size_t)s * wide : NULL;
  if (!scan) c->out_row[c->ranks - 1] = y;
}
static bool wanted(HgCollective c, HgShape shape) {
  return shape != HG_TO_ROOT || c->rank == c->root;
}
/* ---- segments ---- */
/* row[s] = what rank s gave. */
static PetscErrorCode receive_rows(HgCollective c, HgShape shape, const double x[], int length,
                                   double rows[], const double *row[]) {
  for (int s = 0; s < c->ranks; s++) row[s] = rows + (size_t)s * (size_t)length;
  if (c->ranks == 1) row[0] = x;
  else if (shape == HG_TO_ROOT)
    PetscCallMPI(MPI_Gather(x, length, MPI_DOUBLE, rows, length, MPI_DOUBLE, c->root, c->comm));
  else PetscCallMPI(MPI_Allgather(x, length, MPI_DOUBLE, rows, length, MPI_DOUBLE, c->comm));
  return 0;
}
/* With dx the tangent, which is not added. */
static PetscErrorCode combine_directly(HgCollective c, HgShape shape, HgReduction reduction,
                                       const double x[], const double dx[], int length, bool add,
                                       double y[]) {
  PetscCall(receive_rows(c, shape, x, length, c->work[0], c->row));
  if (dx) PetscCall(receive_rows(c, shape, dx, length, c->work[1], c->row2));
  if (!wanted(c, shape)) return 0;
  const int first = shape == HG_SCAN_BACK ? c->rank : 0,
            last = shape == HG_SCAN ? c->rank : c->ranks - 1;
  for (int s = first; s < last; s++) c->out_row[s] = NULL;
  c->out_row[last] = y;
  const int rows = last - first + 1;
  const double *const *const row = c->row + first, *const *const row2 = c->row2 + first;
  if (dx) HgFoldTangent(reduction, rows, (size_t)length, row, row2, c->out_row + first);
  else HgFoldValue(reduction, rows, (size_t)length, row, add, c->out_row + first);
  return 0;
}
static PetscErrorCode combine_blocks(HgCollective c, HgShape shape, HgReduction reduction,
                                     const double x[], const double dx[], int length, bool add,
                                     double y[]) {
  const size_t wide = (size_t)cut(c, length);
  PetscCall(deal(c, x, c->work[0]));
  if (dx) PetscCall(deal(c, dx, c->work[1]));
  point(c, shape, c->work[0], wide, c->row);
  point(c, shape, c->work[1], wide, c->row2);
  double *const results = c->work[2], *const target = add ? c->work[0] : y;
  point_out(c, shape, results, wide);
  if (dx) HgFoldTangent(reduction, c->ranks, wide, c->row, c->row2, c->out_row);
  else HgFoldValue(reduction, c->ranks, wide, c->row, false, c->out_row);
  if (shape == HG_SCAN || shape == HG_SCAN_BACK) PetscCall(deal_back(c, results, target));
  else PetscCall(collect(c, shape, results, target));
  if (add && wanted(c, shape)) HgCollectiveAdd((size_t)length, target, y);
  return 0;
}
static PetscErrorCode combine(HgCollective c, HgShape shape, HgReduction reduction,
                              const double x[], const double dx[], int64_t n, bool add,
                              double y[]) {
  const int64_t segment = segment_of(c, n);
  for (int64_t lo = 0; lo < n; lo += segment) {
    const size_t at = (size_t)lo;
    const int length = (int)PetscMin(segment, n - lo);
    PetscCall((direct(c, n) ? combine_directly : combine_blocks)(
        c, shape, reduction, x + at, HgAtConst(dx, at), length, add, HgAt(y, at)));
  }
  return 0;
}
/* ---- two ranks: each sends its numbers, if the other needs them, and reduces what comes ---- */
static bool needs_other(HgCollective c, HgShape shape, int rank) {
  switch (shape) {
  case HG_TO_ROOT: return rank == c->root;
  case HG_SCAN: return rank == 1;
  case HG_SCAN_BACK: return rank == 0;
  default: return true;
  }
}
typedef struct {
  HgReduction reduction;
  bool add;
  int rank;
  const double *x;
  double *y;
} Pair;
static void combine_pair(void *context, size_t at, size_t length, const double numbers[]) {
  const Pair *p = context;
  const double *row[2];
  double *const y[2] = {NULL, p->y + at};
  row[p->rank] = p->x + at, row[1 - p->rank] = numbers;
  HgFoldValue(p->reduction, 2, length, row, p->add, y);
}
/* Who needs nothing of the other: the end of a scan. */
static void combine_own(void *context, size_t at, size_t length, const double numbers[]) {
  const Pair *p = context;
  const double *const row = p->x + at;
  double *const y = p->y + at;
  (void)numbers;
  HgFoldValue(p->reduction, 1, length, &row, p->add, &y);
}
static PetscErrorCode combine_pairs(HgCollective c, HgShape shape, HgReduction reduction,
                                    const double x[], int n, bool add, double y[]) {
  Pair pair = {reduction, add, c->rank, x, y};
  const int other = 1 - c->rank, sent = needs_other(c, shape, other) ? n : 0;
  const bool mine = needs_other(c, shape, c->rank);
  const HgStream stream = {.to = other,
                           .from = other,
                           .out = x,
                           .sent = &sent,
                           .received = mine ? n : 0,
                           .given = !mine && wanted(c, shape) ? combine_own : NULL,
                           .taken = combine_pair,
                           .context = &pair};
  return HgStreamRun(c, &stream);
}
PetscErrorCode HgCollectiveCombine(HgCollective c, HgShape shape, HgReduction reduction,
                                   const double x[], int64_t n, bool add, double y[]) {
  if (c->ranks == 2) return combine_pairs(c, shape, reduction, x, (int)n, add, y);
  return combine(c, shape, reduction, x, NULL, n, add, y);
}
/* ---- adjoints ---- */
typedef struct {
  const double *y_bar;
  double *x_bar;
} Adding;
static void add_given(void *context, size_t at, size_t length, const double numbers[]) {
  const Adding *a = context;
  HgCollectiveAdd(length, numbers ? numbers : a->y_bar + at, a->x_bar + at);
}
/* x_bar += y_bar of the root. */
static PetscErrorCode add_from_root(HgCollective c, const double y_bar[], double x_bar[]) {
  if (c->ranks == 2) {
    Adding adding = {y_bar, x_bar};
    const bool root = c->rank == c->root;
    const int sent = root ? c->n : 0;
    const HgStream stream = {.to = 1 - c->rank,
                             .from = 1 - c->rank,
                             .out = y_bar,
                             .sent = &sent,
                             .received = root ? 0 : c->n,
                             .given = add_given,
                             .taken = add_given,
                             .context = &adding};
    return HgStreamRun(c, &stream);
  }
  for (int64_t lo = 0; lo < c->n; lo += HG_BLOCK) {
    const int length = (int)PetscMin(HG_BLOCK, c->n - lo);
    double *const numbers = c->rank == c->root ? (double *)y_bar + lo : c->work[0];
    PetscCallMPI(MPI_Bcast(numbers, length, MPI_DOUBLE, c->root, c->comm));
    HgCollectiveAdd((size_t)length, numbers, x_bar + lo);
  }
  return 0;
}
static PetscErrorCode sum_adjoint(HgCollective c, HgShape shape, const double y_bar[],
                                  double x_bar[]) {
  if (shape == HG_TO_ROOT) return add_from_root(c, y_bar, x_bar);
  if (shape == HG_SCAN)
    return HgCollectiveCombine(c, HG_SCAN_BACK, HG_REDUCE_SUM, y_bar, c->n, true, x_bar);
  if (!c->once) return HgCollectiveCombine(c, shape, HG_REDUCE_SUM, y_bar, c->n, true, x_bar);
  HgCollectiveAdd((size_t)c->n, y_bar, x_bar);
  return 0;
}
/* The cotangents of my block's results: c->row2, NULL where there is none. */
static PetscErrorCode deal_cotangents(HgCollective c, HgShape shape, const double y_bar[],
                                      size_t wide) {
  const double *last = c->work[2];
  if (shape == HG_TO_ROOT) {
    PetscCallMPI(MPI_Scatterv(y_bar, c->part[0], c->part[1], MPI_DOUBLE, c->work[2], (int)wide,
                              MPI_DOUBLE, c->root, c->comm));
  } else if (c->once) {
    last = y_bar + c->part[1][c->rank];
  } else {
    double *const rows = shape == HG_SCAN ? c->work[2] : c->work[1];
    PetscCall(deal(c, y_bar, rows));
    point(c, shape, rows, wide, c->row2);
    if (shape == HG_SCAN) return 0;
    point_out(c, HG_TO_ALL, c->work[2], wide);
    HgFoldValue(HG_REDUCE_SUM, c->ranks, wide, c->row2, false, c->out_row);
  }
  for (int s = 0; s < c->ranks; s++) c->row2[s] = NULL;
  c->row2[c->ranks - 1] = last;
  return 0;
}
static PetscErrorCode fold_adjoint(HgCollective c, HgShape shape, const double x[],
                                   const double y_bar[], int length, double x_bar[]) {
  const size_t wide = (size_t)cut(c, length);
  PetscCall(deal(c, x, c->work[0]));
  point(c, shape, c->work[0], wide, c->row);
  PetscCall(deal_cotangents(c, shape, y_bar, wide));
  for (int s = 0; s < c->ranks; s++) c->out_row[s] = c->work[1] + (size_t)s * wide;
  HgFoldAdjoint(c->reduction, c->ranks, wide, c->row, c->row2, c->out_row);
  PetscCall(deal_back(c, c->work[1], c->work[0]));
  HgCollectiveAdd((size_t)length, c->work[0], x_bar);
  return 0;
}
static PetscErrorCode adjoint(HgCollective c, HgShape shape, const double x[], const double y_bar[],
                              double x_bar[]) {
  if (c->reduction == HG_REDUCE_SUM) return sum_adjoint(c, shape, y_bar, x_bar);
  const int64_t segment = segment_of(c, c->n);
  for (int64_t lo = 0; lo < c->n; lo += segment)
    PetscCall(fold_adjoint(c, shape, x + lo, HgAtConst(y_bar, (size_t)lo),
                           (int)PetscMin(segment, c->n - lo), x_bar + lo));
  return 0;
}
/* ---- the operators ---- */
static PetscErrorCode reduce_set_up(HgCollective c, const HgCall calls[]) {
  (void)calls;
  c->m = c->kind->rooted && c->rank != c->root ? 0 : c->n;
  c->room = HgCollectiveRoom(c, c->n);
  return 0;
}
static PetscErrorCode reduce_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, HG_TO_ROOT, c->reduction, x, c->n, false, y);
}
static PetscErrorCode reduce_tangent(HgCollective c, const double x[], const double dx[],
                                     double dy[]) {
  return combine(c, HG_TO_ROOT, c->reduction, x, dx, c->n, false, dy);
}
static PetscErrorCode reduce_adjoint(HgCollective c, const double x[], const double y_bar[],
                                     double x_bar[]) {
  return adjoint(c, HG_TO_ROOT, x, y_bar, x_bar);
}
PetscErrorCode HgCollectiveReduce(MPI_Comm comm, HgReduction reduction, int root, int64_t n,
                                  HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "reduce",
                                        .rooted = true,
                                        .alike = true,
                                        .set_up = reduce_set_up,
                                        .apply = reduce_apply,
                                        .tangent = reduce_tangent,
                                        .adjoint = reduce_adjoint};
  return HgCollectiveCreate(
      comm, &kind, &(HgCall){.reduction = (int64_t)reduction, .root = root, .in = n}, collective);
}
static PetscErrorCode allreduce_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, HG_TO_ALL, c->reduction, x, c->n, false, y);
}
static PetscErrorCode allreduce_tangent(HgCollective c, const double x[], const double dx[],
                                        double dy[]) {
  return combine(c, HG_TO_ALL, c->reduction, x, dx, c->n, false, dy);
}
static PetscErrorCode allreduce_adjoint(HgCollective c, const double x[], const double y_bar[],
                                        double x_bar[]) {
  return adjoint(c, HG_TO_ALL, x, y_bar, x_bar);
}
PetscErrorCode HgCollectiveAllreduce(MPI_Comm comm, HgReduction reduction, int64_t n,
                                     HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "allreduce",
                                        .alike = true,
                                        .equal = true,
                                        .set_up = reduce_set_up,
                                        .apply = allreduce_apply,
                                        .tangent = allreduce_tangent,
                                        .adjoint = allreduce_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.reduction = (int64_t)reduction, .in = n},
                            collective);
}
static PetscErrorCode scan_apply(HgCollective c, const double x[], double y[]) {
  return HgCollectiveCombine(c, HG_SCAN, c->reduction, x, c->n, false, y);
}
static PetscErrorCode scan_tangent(HgCollective c, const double x[], const double dx[],
                                   double dy[]) {
  return combine(c, HG_SCAN, c->reduction, x, dx, c->n, false, dy);
}
static PetscErrorCode scan_adjoint(HgCollective c, const double x[], const double y_bar[],
                                   double x_bar[]) {
  return adjoint(c, HG_SCAN, x, y_bar, x_bar);
}
PetscErrorCode HgCollectiveScan(MPI_Comm comm, HgReduction reduction, int64_t n,
                                HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "scan",
                                        .alike = true,
                                        .set_up = reduce_set_up,
                                        .apply = scan_apply,
                                        .tangent = scan_tangent,
                                        .adjoint = scan_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.reduction = (int64_t)reduction, .in = n},
                            collective);
}
/* ---- the sum of all numbers ---- */
static PetscErrorCode total_set_up(HgCollective c, const HgCall calls[]) {
  (void)calls;
  c->m = 1;
  return 0;
}
static PetscErrorCode total(HgCollective c, size_t n, const double x[], double *y) {
  HgSum sum;
  HgSumReset(&sum);
  HgSumAdd(&sum, n, x);
  return HgSumReduce(c->comm, 1, &sum, y);
}
static PetscErrorCode total_apply(HgCollective c, const double x[], double y[]) {
  return total(c, (size_t)c->n, x, y);
}
static PetscErrorCode total_adjoint(HgCollective c, const double x[], const double y_bar[],
                                    double x_bar[]) {
  double owed = y_bar[0];
  (void)x;
  if (!c->once) PetscCall(total(c, 1, y_bar, &owed));
  for (int i = 0; i < c->n; i++) x_bar[i] += owed;
  return 0;
}
PetscErrorCode HgCollectiveSum(MPI_Comm comm, int64_t n, HgCollective *collective) {
  static const HgCollectiveKind kind = {.name = "sum",
                                        .equal = true,
                                        .set_up = total_set_up,
                                        .apply = total_apply,
                                        .adjoint = total_adjoint};
  return HgCollectiveCreate(comm, &kind, &(HgCall){.in = n}, collective);
}
