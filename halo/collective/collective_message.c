/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages from one rank to another: send, recv and both. One operator on all ranks, matched when
   it is created; the adjoint sends what the value received and receives what it sent. */
#include "collective_private.h"
#include <halograd/collective_library.h>
#include <stdio.h>

static void name_peer(int64_t peer, size_t size, char text[]) {
  if (peer == HG_NOBODY) snprintf(text, size, "nobody");
  else snprintf(text, size, "rank %lld", (long long)peer);
}

/* Error: what rank r sends, or expects if !sends, has no counterpart. */
static PetscErrorCode check_side(HgCollective c, const HgCollectiveCall calls[], int r,
                                 bool sends) {
  const int64_t peer = sends ? calls[r].to : calls[r].from,
                numbers = sends ? calls[r].in : calls[r].out;
  const char *const verb = sends ? "sends to" : "receives from", *const converse =
                                                                     sends ? "receives from"
                                                                           : "sends to";
  char other[32];
  HgRequire(c->comm, peer == HG_NOBODY || (peer >= 0 && peer < c->ranks), HG_ERR_OPERATOR,
            "sendrecv: rank %d %s rank %lld, expected 0 to %d or HG_NOBODY", r, verb,
            (long long)peer, c->ranks - 1);
  HgRequire(c->comm, peer != HG_NOBODY || !numbers, HG_ERR_OPERATOR,
            "sendrecv: rank %d has %lld numbers but %s nobody, expected a peer or no numbers", r,
            (long long)numbers, verb);
  if (peer == HG_NOBODY) return 0;
  const int64_t back = sends ? calls[peer].from : calls[peer].to,
                there = sends ? calls[peer].out : calls[peer].in;
  name_peer(back, sizeof other, other);
  HgRequire(c->comm, back == r, HG_ERR_RANKS_DIFFER,
            "sendrecv: rank %d %s rank %lld, which %s %s in the same call; expected both ends of "
            "each message",
            r, verb, (long long)peer, converse, other);
  HgRequire(c->comm, numbers == there, HG_ERR_RANKS_DIFFER,
            "sendrecv: rank %d %s rank %lld %lld numbers, which %s it %lld; expected the same", r,
            verb, (long long)peer, (long long)numbers, converse, (long long)there);
  return 0;
}

static PetscErrorCode set_up(HgCollective c, const HgCollectiveCall calls[]) {
  for (int r = 0; r < c->ranks; r++) {
    PetscCall(check_side(c, calls, r, true));
    PetscCall(check_side(c, calls, r, false));
  }
  c->to = (int)calls[c->rank].to, c->from = (int)calls[c->rank].from;
  c->window_room = HgLongMessageRoom(c->n);
  return 0;
}

/* Sends n numbers of x to one rank, receives m of y from another. */
static PetscErrorCode message(HgCollective c, int to, int n, const double x[], int from, int m,
                              double y[]) {
  HgPending p = {0};
  if (from != HG_NOBODY)
    PetscCallMPI(MPI_Irecv(y, m, MPI_DOUBLE, from, c->tag, c->comm, &p.request[p.count++]));
  if (to != HG_NOBODY)
    PetscCallMPI(MPI_Isend(x, n, MPI_DOUBLE, to, c->tag, c->comm, &p.request[p.count++]));
  return HgPendingEnd(&p);
}

static PetscErrorCode apply(HgCollective c, const double x[], double y[]) {
  if (c->from != c->rank) return message(c, c->to, c->n, x, c->from, c->m, y);
  HgCollectivePut((size_t)c->m, x, false, y);
  return 0;
}

static PetscErrorCode adjoint(HgCollective c, const double x[], const double y_bar[], bool add,
                              double x_bar[]) {
  (void)x;
  if (c->from == c->rank) {
    HgCollectivePut((size_t)c->n, y_bar, add, x_bar);
    return 0;
  }
  if (!add) return message(c, c->from, c->m, y_bar, c->to, c->n, x_bar);
  const HgLongMessage back = {.to = c->from,
                              .from = c->to,
                              .out = y_bar,
                              .sent = &c->m,
                              .received = c->n,
                              .context = x_bar};
  return HgLongMessageRun(c, &back);
}

const HgCollectiveTable hg_collective_sendrecv = {
    .name = "sendrecv", .set_up = set_up, .apply = apply, .adjoint = adjoint};
