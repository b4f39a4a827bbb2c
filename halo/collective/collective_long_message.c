/* SPDX-License-Identifier: BSD-2-Clause */
/* Long messages in segments, several under way at a time: what has come is used, while it is in the
   cache, as the next segments travel. */
#include "collective_private.h"

enum { SEGMENT = 1 << 14 /* numbers: 128 KiB */, WINDOW = 4 };

static int64_t segments(int64_t n) { return (n + SEGMENT - 1) / SEGMENT; }

static int length_of(int64_t n, int64_t k) { return (int)PetscMin(SEGMENT, n - k * SEGMENT); }

size_t HgLongMessageRoom(int64_t n) { return (size_t)PetscMin(n, (int64_t)SEGMENT * WINDOW); }

PetscErrorCode HgLongMessageCreate(HgCollective c) {
  return PetscMalloc1(WINDOW * (c->ranks + 1), &c->request);
}

/* Receives segment k into its place in the window. */
static PetscErrorCode receive(HgCollective c, const HgLongMessage *s, int64_t k,
                              MPI_Request *request) {
  PetscCallMPI(MPI_Irecv(c->window + k % WINDOW * SEGMENT, length_of(s->received, k), MPI_DOUBLE,
                         s->from, c->tag, c->comm, request));
  return 0;
}

PetscErrorCode HgLongMessageRun(HgCollective c, const HgLongMessage *s) {
  const bool each = s->to == HG_EVERYBODY; /* also where a rank is alone, and sends nothing */
  const int peers = each ? c->ranks : 1;
  MPI_Request *const coming = c->request, *const going = c->request + WINDOW;
  const int64_t in = segments(s->received);
  int64_t out = 0;
  for (int p = 0; p < peers; p++) out = PetscMax(out, segments(s->sent[p]));
  const int used = (int)PetscMin(out, WINDOW) * peers;
  for (int k = 0; k < used; k++) going[k] = MPI_REQUEST_NULL;
  for (int64_t k = 0; k < WINDOW && k < in; k++) PetscCall(receive(c, s, k, &coming[k]));
  for (int64_t k = 0; k < in || k < out; k++) {
    MPI_Request *const request = going + k % WINDOW * peers;
    if (k >= WINDOW && k < out) PetscCallMPI(MPI_Waitall(peers, request, MPI_STATUSES_IGNORE));
    for (int p = 0; p < peers; p++)
      if (k < segments(s->sent[p]) && !(each && p == c->rank))
        PetscCallMPI(MPI_Isend(s->out + (each ? s->first[p] : 0) + k * SEGMENT,
                               length_of(s->sent[p], k), MPI_DOUBLE, each ? p : s->to, c->tag,
                               c->comm, &request[p]));
    if (k < out && s->given)
      s->given(s->context, (size_t)(k * SEGMENT), (size_t)length_of(s->sent[0], k), NULL);
    if (k >= in) continue;
    PetscCallMPI(MPI_Wait(&coming[k % WINDOW], MPI_STATUS_IGNORE));
    const size_t at = (size_t)(k * SEGMENT), length = (size_t)length_of(s->received, k);
    const double *const numbers = c->window + k % WINDOW * SEGMENT;
    if (s->taken) s->taken(s->context, at, length, numbers);
    else HgCollectivePut(length, numbers, true, (double *)s->context + at);
    if (k + WINDOW < in) PetscCall(receive(c, s, k + WINDOW, &coming[k % WINDOW]));
  }
  PetscCallMPI(MPI_Waitall(used, going, MPI_STATUSES_IGNORE));
  return 0;
}
