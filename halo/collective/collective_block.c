/* SPDX-License-Identifier: BSD-2-Clause */
/* Which rank reduces which block: of a segment every rank gets a block from all ranks, reduces it,
   and hands the result on. What is sent and received is the segment, twice, as in MPI's own
   algorithms for long arrays. All blocks of a short segment are one rank's, the root's if there is
   one: as many messages as from all ranks to one and back, instead of from all to all. Both ways
   give the same bits: numbers are reduced in the order of ranks. */
#include "collective_private.h"

enum { SHORT = 1 << 12 /* numbers of all ranks together */ };

static bool is_short(HgCollective c, int64_t n) { return n * c->ranks <= SHORT; }

static int hub(HgCollective c, HgDestination shape) { return shape == HG_TO_ROOT ? c->root : 0; }

int64_t HgBlocksLength(HgCollective c, int64_t n) {
  return PetscMin(n, (int64_t)c->block * c->ranks);
}

void HgCollectiveSetRoom(HgCollective c, int64_t n) {
  const int64_t ranks = c->ranks, length = HgBlocksLength(c, n);
  c->room = (size_t)(is_short(c, n) ? n * ranks : length + ranks * ranks);
  c->window_room = c->ranks == 2 ? HgLongMessageRoom(n) : 0;
}

void HgBlocksCut(HgCollective c, HgDestination shape, HgSegment *s) {
  const bool one = is_short(c, s->length);
  const int even = s->length / c->ranks, more = s->length % c->ranks, work = hub(c, shape);
  for (int r = 0; r < c->ranks; r++) {
    s->part[0][r] = one ? (r == work ? s->length : 0) : even + (r < more);
    s->part[1][r] = one ? 0 : r * even + PetscMin(r, more);
  }
  const int mine = one ? s->length : s->part[0][c->rank];
  for (int r = 0; r < c->ranks; r++) s->part[2][r] = mine, s->part[3][r] = r * mine;
}

PetscErrorCode HgBlocksDeal(HgCollective c, HgDestination shape, HgSegment *s, bool back,
                            const double from[], double to[]) {
  int *const *const x = s->part, *const *const rows = s->part + 2,
                    *const *const given = back ? rows : x, *const *const got = back ? x : rows;
  const HgTransfer all = {.kind = HG_TRANSFER_ALLTOALL,
                          .x = from,
                          .y = to,
                          .count = given[0],
                          .first = given[1],
                          .count_y = got[0],
                          .first_y = got[1]},
                   one = {.kind = back ? HG_TRANSFER_SCATTER : HG_TRANSFER_GATHER,
                          .root = hub(c, shape),
                          .x = from,
                          .y = to,
                          .count = rows[0],
                          .first = rows[1]};
  return HgTransferBegin(c, is_short(c, s->length) ? &one : &all, &s->pending);
}

PetscErrorCode HgBlocksFromRoot(HgCollective c, HgSegment *s, const double x[], double block[]) {
  const HgTransfer t = {.kind = HG_TRANSFER_SCATTER,
                        .root = c->root,
                        .x = x,
                        .y = block,
                        .count = s->part[0],
                        .first = s->part[1]};
  if (!is_short(c, s->length)) return HgTransferBegin(c, &t, &s->pending);
  if (c->rank == c->root) HgCollectivePut((size_t)s->length, x, false, block);
  return 0;
}

PetscErrorCode HgBlocksCollect(HgCollective c, HgDestination shape, HgSegment *s,
                               const double block[], double y[]) {
  const bool one = is_short(c, s->length), root = shape == HG_TO_ROOT;
  const HgTransfer part = {.kind = root ? HG_TRANSFER_GATHER : HG_TRANSFER_ALLGATHER,
                           .root = c->root,
                           .x = block,
                           .y = y,
                           .count = s->part[0],
                           .first = s->part[1]},
                   same = {.kind = HG_TRANSFER_BROADCAST,
                           .root = hub(c, shape),
                           .y = y,
                           .count = &s->length};
  if (one && c->rank == hub(c, shape)) HgCollectivePut((size_t)s->length, block, false, y);
  if (one && root) return 0;
  return HgTransferBegin(c, one ? &same : &part, &s->pending);
}

void HgBlocksRows(HgCollective c, HgDestination shape, const HgSegment *s, const double rows[],
                  const double *row[]) {
  const size_t wide = (size_t)s->part[0][c->rank];
  for (int r = 0; r < c->ranks; r++)
    row[shape == HG_TO_EARLIER ? c->ranks - 1 - r : r] = rows + (size_t)r * wide;
}

void HgBlocksResults(HgCollective c, HgDestination shape, const HgSegment *s, double y[]) {
  const bool scan = shape == HG_TO_LATER || shape == HG_TO_EARLIER;
  const size_t wide = (size_t)s->part[0][c->rank];
  for (int r = 0; r < c->ranks; r++)
    c->out_row[shape == HG_TO_EARLIER ? c->ranks - 1 - r : r] = scan ? y + (size_t)r * wide : NULL;
  if (!scan) c->out_row[c->ranks - 1] = y;
}
