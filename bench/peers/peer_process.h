/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/peers/peer_process.h -- a peer in another language: a process that runs a round when asked,
   so that it takes turns with the cases of bench.h.

   Lines to its stdin, answers from its stdout, as turns.py says. While it works our ranks sleep;
   while we work it waits for a line, and sleeps too. */
#ifndef HALOGRAD_PEER_PROCESS_H
#define HALOGRAD_PEER_PROCESS_H

#include <halograd/state.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct {
  MPI_Comm comm;
  const char *name; /* what was started */
  double value;     /* J of the last round, 0 where there is none */
  pid_t pid;        /* these three on rank 0 */
  int line;         /* a socket: its stdin and stdout */
  FILE *answers;    /* buffered reading of `line` */
} PeerProcess;

/* Starts `program`, such as "heat_jax", on as many ranks as `comm` has, with `arguments` (NULL at
   their end, at most 5) and waits until it can run. *installed: false, after a line that says so,
   if the peer is not. Errors: the process ended. Collective. */
PetscErrorCode PeerProcessStart(MPI_Comm comm, const char program[], const char *const arguments[],
                                PeerProcess *peer, bool *installed);

/* The process ends. Error: with another status than 0. Collective. */
PetscErrorCode PeerProcessEnd(PeerProcess *peer);

/* One round; a BenchFn of bench.h for a PeerProcess. Error: the process ended. Collective. */
PetscErrorCode PeerProcessRun(void *peer);

/* A field of the peer's results and what its rounding is measured by: `factor` times the largest
   value of its field number `like`; its own and 1, unless it is a difference of larger numbers. */
typedef struct {
  const char *name;
  int like;
  double factor;
} PeerResult;

enum { PEER_RESULTS_MOST = 6 };

/* Error unless the peer's fields, in its order, are equal to ours to rounding: 1e-12 of what a
   field is measured by. Collective. */
PetscErrorCode PeerProcessSame(PeerProcess *peer, HgState state, int count,
                               const PeerResult fields[]);

/* Error unless the J of the last round is equal to rounding: 1e-12 of it. Collective. */
PetscErrorCode PeerProcessSameValue(const PeerProcess *peer, double J);

#endif
