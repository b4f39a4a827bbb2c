/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_exchange.h"

PetscErrorCode PeerExchangeCreate(MPI_Comm comm, bool columns, int n, ptrdiff_t pitch, int times,
                                  PeerExchange *p) {
  int rank, ranks;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCheck(ranks == 2, comm, PETSC_ERR_ARG_WRONG, "bare exchange on %d ranks, expected 2", ranks);
  *p = (PeerExchange){
      .comm = comm, .columns = columns, .n = n, .other = 1 - rank, .times = times, .pitch = pitch};
  const size_t rows = (size_t)n + 2;
  PetscCall(PetscMalloc3(rows * (size_t)pitch, &p->memory, n, &p->out, n, &p->in));
  for (size_t i = 0; i < rows * (size_t)pitch; i++) p->memory[i] = rank;
  double *const first = p->memory + pitch + 1; /* cell (0, 0) */
  const ptrdiff_t along = columns ? 1 : pitch;
  p->owned = rank == 0 ? first + (n - 1) * along : first;
  p->ghost = rank == 0 ? first + n * along : first - along;
  return 0;
}

PetscErrorCode PeerExchangeDestroy(PeerExchange *p) { return PetscFree3(p->memory, p->out, p->in); }

static PetscErrorCode swap(const PeerExchange *p) {
  MPI_Request request[2];
  double *const in = p->columns ? p->in : p->ghost, *const out = p->columns ? p->out : p->owned;
  PetscCallMPI(MPI_Irecv(in, p->n, MPI_DOUBLE, p->other, 0, p->comm, &request[0]));
  if (p->columns)
    for (int j = 0; j < p->n; j++) out[j] = p->owned[j * p->pitch];
  PetscCallMPI(MPI_Isend(out, p->n, MPI_DOUBLE, p->other, 0, p->comm, &request[1]));
  PetscCallMPI(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
  if (p->columns)
    for (int j = 0; j < p->n; j++) p->ghost[j * p->pitch] = in[j];
  return 0;
}

PetscErrorCode PeerExchangeRun(void *self) {
  const PeerExchange *p = self;
  for (int k = 0; k < p->times; k++) PetscCall(swap(p));
  return 0;
}
