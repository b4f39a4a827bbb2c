/* SPDX-License-Identifier: BSD-2-Clause */
/* Value, tangent and adjoint of x_0 o x_1 o ...: a segment's numbers travel to the rank that
   reduces them, are reduced as those of the next travel, and the results travel back. Sums of two
   ranks are streams: each sends its numbers, if the other needs them, and reduces what comes. */
#include "collective_private.h"

typedef struct {
  HgDestination shape;
  HgReduction reduction;
  bool add;
  const double *x, *dx, *y_bar;
  double *y, *x_bar;
} Combination;

static bool wanted(HgCollective c, HgDestination shape) {
  return shape != HG_TO_ROOT || c->rank == c->root;
}

/* ---- value and tangent ---- */
static PetscErrorCode distribute(HgCollective c, HgSegment *s, void *context) {
  const Combination *p = context;
  HgBlocksCut(c, p->shape, s);
  PetscCall(HgBlocksDeal(c, p->shape, s, false, p->x + s->at, s->work[0]));
  return p->dx ? HgBlocksDeal(c, p->shape, s, false, p->dx + s->at, s->work[1]) : 0;
}

/* Results to be added are stored where x was. */
static double *target(const Combination *p, const HgSegment *s) {
  return p->add ? s->work[0] : HgAt(p->y, s->at);
}

static PetscErrorCode work(HgCollective c, HgSegment *s, void *context) {
  const Combination *p = context;
  const size_t wide = (size_t)s->part[0][c->rank];
  HgBlocksRows(c, p->shape, s, s->work[0], c->row);
  HgBlocksRows(c, p->shape, s, s->work[1], c->row2);
  HgBlocksResults(c, p->shape, s, s->work[2]);
  if (p->dx) HgFoldTangent(p->reduction, c->ranks, wide, c->row, c->row2, c->out_row);
  else HgFoldValue(p->reduction, c->ranks, wide, c->row, false, c->out_row);
  if (p->shape == HG_TO_LATER || p->shape == HG_TO_EARLIER)
    return HgBlocksDeal(c, p->shape, s, true, s->work[2], target(p, s));
  return HgBlocksCollect(c, p->shape, s, s->work[2], target(p, s));
}

static PetscErrorCode finish(HgCollective c, HgSegment *s, void *context) {
  const Combination *p = context;
  if (p->add && wanted(c, p->shape))
    HgCollectivePut((size_t)s->length, s->work[0], true, p->y + s->at);
  return 0;
}

static PetscErrorCode combine(HgCollective c, Combination *p, int64_t n) {
  static const HgSegmentSteps steps = {distribute, work, finish};
  return HgSegmentsRun(c, n, HgBlocksLength(c, n), &steps, p);
}

/* ---- two ranks ---- */
static bool needs_other(HgCollective c, HgDestination shape, int rank) {
  switch (shape) {
  case HG_TO_ROOT: return rank == c->root;
  case HG_TO_LATER: return rank == 1;
  case HG_TO_EARLIER: return rank == 0;
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

/* For a rank that needs nothing of another: the end of a scan. */
static void combine_own(void *context, size_t at, size_t length, const double numbers[]) {
  const Pair *p = context;
  const double *const row = p->x + at;
  double *const y = p->y + at;
  (void)numbers;
  HgFoldValue(p->reduction, 1, length, &row, p->add, &y);
}

static PetscErrorCode combine_pairs(HgCollective c, HgDestination shape, HgReduction reduction,
                                    const double x[], int n, bool add, double y[]) {
  Pair pair = {reduction, add, c->rank, x, y};
  const int other = 1 - c->rank, sent = needs_other(c, shape, other) ? n : 0;
  const bool mine = needs_other(c, shape, c->rank);
  const HgLongMessage stream = {.to = other,
                                .from = other,
                                .out = x,
                                .sent = &sent,
                                .received = mine ? n : 0,
                                .given = !mine && wanted(c, shape) ? combine_own : NULL,
                                .taken = combine_pair,
                                .context = &pair};
  return HgLongMessageRun(c, &stream);
}

PetscErrorCode HgCollectiveCombine(HgCollective c, HgDestination shape, HgReduction reduction,
                                   const double x[], int64_t n, bool add, double y[]) {
  Combination p = {.shape = shape, .reduction = reduction, .add = add, .x = x, .y = y};
  if (c->ranks == 2) return combine_pairs(c, shape, reduction, x, (int)n, add, y);
  return combine(c, &p, n);
}

PetscErrorCode HgCollectiveCombineTangent(HgCollective c, const double x[], const double dx[],
                                          double dy[]) {
  Combination p = {.shape = c->table->shape, .reduction = c->reduction, .x = x, .dx = dx, .y = dy};
  return combine(c, &p, c->n);
}

/* ---- adjoint: the numbers again, and the cotangents of my block's results ---- */
static PetscErrorCode begin_adjoint(HgCollective c, HgSegment *s, void *context) {
  const Combination *p = context;
  const double *const y_bar = HgAtConst(p->y_bar, s->at);
  HgBlocksCut(c, p->shape, s);
  PetscCall(HgBlocksDeal(c, p->shape, s, false, p->x + s->at, s->work[0]));
  if (p->shape == HG_TO_ROOT) return HgBlocksFromRoot(c, s, y_bar, s->work[2]);
  if (c->once) return 0;
  return HgBlocksDeal(c, p->shape, s, false, y_bar, s->work[p->shape == HG_TO_LATER ? 2 : 1]);
}

/* row2: the cotangents, NULL if there are none. */
static void point_at_cotangents(HgCollective c, const Combination *p, HgSegment *s, size_t wide) {
  const double *last = s->work[2];
  if (p->shape == HG_TO_LATER) {
    HgBlocksRows(c, p->shape, s, s->work[2], c->row2);
    return;
  }
  if (c->once) last = p->y_bar + s->at + s->part[1][c->rank];
  else if (p->shape != HG_TO_ROOT) {
    HgBlocksRows(c, p->shape, s, s->work[1], c->row2);
    HgBlocksResults(c, p->shape, s, s->work[2]);
    HgFoldValue(HG_REDUCE_SUM, c->ranks, wide, c->row2, false, c->out_row);
  }
  for (int r = 0; r < c->ranks; r++) c->row2[r] = NULL;
  c->row2[c->ranks - 1] = last;
}

static PetscErrorCode work_adjoint(HgCollective c, HgSegment *s, void *context) {
  const Combination *p = context;
  const size_t wide = (size_t)s->part[0][c->rank];
  HgBlocksRows(c, p->shape, s, s->work[0], c->row);
  point_at_cotangents(c, p, s, wide);
  for (int r = 0; r < c->ranks; r++) c->out_row[r] = s->work[1] + (size_t)r * wide;
  HgFoldAdjoint(p->reduction, c->ranks, wide, c->row, c->row2, c->out_row);
  return HgBlocksDeal(c, p->shape, s, true, s->work[1], p->add ? s->work[0] : p->x_bar + s->at);
}

static PetscErrorCode finish_adjoint(HgCollective c, HgSegment *s, void *context) {
  const Combination *p = context;
  (void)c;
  if (p->add) HgCollectivePut((size_t)s->length, s->work[0], true, p->x_bar + s->at);
  return 0;
}

PetscErrorCode HgCollectiveCombineAdjoint(HgCollective c, const double x[], const double y_bar[],
                                          bool add, double x_bar[]) {
  static const HgSegmentSteps steps = {begin_adjoint, work_adjoint, finish_adjoint};
  Combination p = {.shape = c->table->shape,
                   .reduction = c->reduction,
                   .add = add,
                   .x = x,
                   .y_bar = y_bar,
                   .x_bar = x_bar};
  return HgSegmentsRun(c, c->n, HgBlocksLength(c, c->n), &steps, &p);
}
