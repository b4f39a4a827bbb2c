/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/peer_triad.h -- the memory limit: a = b + s c on arrays far larger than the caches.

   16 bytes are read and 8 written per number. An ordinary store first reads the line it overwrites
   (write-allocate): 32 bytes pass the memory bus, of which STREAM counts 24. A non-temporal store
   does not: 24 pass. Source: McCalpin, STREAM. */
#ifndef HALOGRAD_PEER_TRIAD_H
#define HALOGRAD_PEER_TRIAD_H

#include <petscsys.h>
#include <stdbool.h>

typedef struct {
  size_t count; /* numbers on this rank */
  double *a, *b, *c;
  bool past_cache; /* non-temporal stores */
} PeerTriad;

/* `total` numbers in each array, over all ranks of `comm`. Collective. */
PetscErrorCode PeerTriadCreate(MPI_Comm comm, size_t total, bool past_cache, PeerTriad *triad);

/* The same arrays with the other kind of store; not to be destroyed. */
PeerTriad PeerTriadOther(const PeerTriad *triad);
PetscErrorCode PeerTriadDestroy(PeerTriad *triad);

/* One pass; a BenchFn of bench.h for a PeerTriad. */
PetscErrorCode PeerTriadRun(void *triad);

#endif
