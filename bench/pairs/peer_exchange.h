/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/peer_exchange.h -- two ranks swap the same bytes as a halo exchange by hand: bare
   MPI.

   Rows are contiguous and sent from where they are. Columns are packed and unpacked by a plain
   loop;
   the pitch of the array is the caller's, so that the peer's memory traffic is the same as ours. */
#ifndef HALOGRAD_PEER_EXCHANGE_H
#define HALOGRAD_PEER_EXCHANGE_H

#include <petscsys.h>
#include <stdbool.h>

typedef struct {
  MPI_Comm comm;
  bool columns;
  int n, other, times; /* doubles; the other rank; exchanges of one run */
  ptrdiff_t pitch;     /* doubles from row to row */
  double *memory;
  double *owned, *ghost; /* what is sent, what is filled */
  double *out, *in;      /* columns: buffers */
} PeerExchange;

/* n x n cells on each of two ranks, one beside (columns) or above the other. Collective. */
PetscErrorCode PeerExchangeCreate(MPI_Comm comm, bool columns, int n, ptrdiff_t pitch, int times,
                                  PeerExchange *peer);
PetscErrorCode PeerExchangeDestroy(PeerExchange *peer);

/* `times` exchanges; a BenchFn of bench.h for a PeerExchange. Collective. */
PetscErrorCode PeerExchangeRun(void *peer);

#endif
