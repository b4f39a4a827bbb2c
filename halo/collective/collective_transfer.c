/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that travel between ranks: each transfer begins here, without waiting, and ends here, so
   that an operator can do its own arithmetic meanwhile.

   Of three and more ranks it is MPI's own non-blocking collective. Between two ranks, what each
   gives the other is one message, and the part that stays is copied as it travels: MPI's schedules
   take 0.3 us to set up, a seventh of a broadcast of 8 KiB. */
#include "collective_private.h"
#include <string.h>

/* What a rank gives rank s, and how many numbers. */
static const double *gives(const HgTransfer *t, int rank, int s, int *count) {
  switch (t->kind) {
  case HG_TRANSFER_BROADCAST: *count = rank == t->root && s != rank ? t->count[0] : 0; return t->y;
  case HG_TRANSFER_GATHER: *count = s == t->root ? t->count[rank] : 0; return t->x;
  case HG_TRANSFER_ALLGATHER: *count = t->count[rank]; return t->x;
  case HG_TRANSFER_SCATTER:
    *count = rank == t->root ? t->count[s] : 0;
    return *count ? t->x + t->first[s] : NULL;
  default: *count = t->count[s]; return *count ? t->x + t->first[s] : NULL;
  }
}

/* Where a rank wants what rank s gives, and how many numbers. */
static double *gets(const HgTransfer *t, int rank, int s, int *count) {
  switch (t->kind) {
  case HG_TRANSFER_BROADCAST: *count = s == t->root && s != rank ? t->count[0] : 0; return t->y;
  case HG_TRANSFER_SCATTER: *count = s == t->root ? t->count[rank] : 0; return t->y;
  case HG_TRANSFER_GATHER: *count = rank == t->root ? t->count[s] : 0; break;
  case HG_TRANSFER_ALLGATHER: *count = t->count[s]; break;
  default: *count = t->count_y[s]; return *count ? t->y + t->first_y[s] : NULL;
  }
  return *count ? t->y + t->first[s] : NULL;
}

static PetscErrorCode begin_messages(HgCollective c, const HgTransfer *t, HgPending *p) {
  const int other = 1 - c->rank;
  int n;
  if (c->ranks == 2) {
    double *const in = gets(t, c->rank, other, &n);
    if (n)
      PetscCallMPI(MPI_Irecv(in, n, MPI_DOUBLE, other, c->tag, c->comm, &p->request[p->count++]));
    const double *const out = gives(t, c->rank, other, &n);
    if (n)
      PetscCallMPI(MPI_Isend(out, n, MPI_DOUBLE, other, c->tag, c->comm, &p->request[p->count++]));
  }
  const double *const x = gives(t, c->rank, c->rank, &n);
  double *const y = gets(t, c->rank, c->rank, &n);
  if (n && x != y) memcpy(y, x, (size_t)n * sizeof *y);
  return 0;
}

PetscErrorCode HgTransferBegin(HgCollective c, const HgTransfer *t, HgPending *p) {
  if (c->ranks <= 2) return begin_messages(c, t, p);
  MPI_Request *const request = &p->request[p->count++];
  const int own = t->kind == HG_TRANSFER_BROADCAST ? 0 : t->count[c->rank];
  switch (t->kind) {
  case HG_TRANSFER_BROADCAST:
    PetscCallMPI(MPI_Ibcast(t->y, t->count[0], MPI_DOUBLE, t->root, c->comm, request));
    return 0;
  case HG_TRANSFER_GATHER:
    PetscCallMPI(MPI_Igatherv(t->x, own, MPI_DOUBLE, t->y, t->count, t->first, MPI_DOUBLE, t->root,
                              c->comm, request));
    return 0;
  case HG_TRANSFER_SCATTER:
    PetscCallMPI(MPI_Iscatterv(t->x, t->count, t->first, MPI_DOUBLE, t->y, own, MPI_DOUBLE, t->root,
                               c->comm, request));
    return 0;
  case HG_TRANSFER_ALLGATHER:
    PetscCallMPI(MPI_Iallgatherv(t->x, own, MPI_DOUBLE, t->y, t->count, t->first, MPI_DOUBLE,
                                 c->comm, request));
    return 0;
  default:
    PetscCallMPI(MPI_Ialltoallv(t->x, t->count, t->first, MPI_DOUBLE, t->y, t->count_y, t->first_y,
                                MPI_DOUBLE, c->comm, request));
    return 0;
  }
}

PetscErrorCode HgPendingEnd(HgPending *p) {
  const int count = p->count;
  p->count = 0;
  if (count) PetscCallMPI(MPI_Waitall(count, p->request, MPI_STATUSES_IGNORE));
  return 0;
}

PetscErrorCode HgTransferRun(HgCollective c, const HgTransfer *t) {
  HgPending pending = {0};
  PetscCall(HgTransferBegin(c, t, &pending));
  return HgPendingEnd(&pending);
}
