/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/fault_library.h -- deliberate failures, for tests: no memory, a full disk, a refused
   lock; and a pause at a step of a gradient.

   Wherever the library can fail for an outside reason, it has a point of some kind:

     if (HgFault(HG_FAULT_FSYNC) || fsync(file)) why = errno;

   Every rank counts its points by kind, and the N-th point of the chosen kind fails. The N-th pause
   does not fail: the process stops there as with SIGSTOP and continues at SIGCONT, so that a
   signal, say, can be sent at a known step.

   | option                | what it does                                                     |
   |-----------------------|------------------------------------------------------------------|
   | -hg_fault KIND:N      | the N-th KIND on every rank fails or pauses, from 1 on           |
   | -hg_fault KIND:N:RANK | on rank RANK of MPI_COMM_WORLD alone                             |
   | -hg_fault count       | nothing fails; HgFinalize() prints the points that each rank met |

   Without the option and HgFaultSet() a point costs one branch. */
#ifndef HG_FAULT_LIBRARY_H
#define HG_FAULT_LIBRARY_H

#include <stdbool.h>

/* The kinds, with the errno that a failure sets. */
typedef enum {
  HG_FAULT_MEMORY,   /* an allocation: ENOMEM */
  HG_FAULT_WRITE,    /* writing to a file, or reserving space: ENOSPC */
  HG_FAULT_FSYNC,    /* fsync(): EIO */
  HG_FAULT_RENAME,   /* a temporary file to its name: EACCES */
  HG_FAULT_LOCK,     /* a lock, as if another run held it: EWOULDBLOCK */
  HG_FAULT_EXCHANGE, /* the start of an exchange of ghosts or strips: EIO */
  HG_FAULT_PAUSE,    /* steps of a gradient made or reversed at once: none, it waits for SIGCONT */
  HG_FAULTS
} HgFaultKind;

/* "memory", "write", "fsync", "rename", "lock", "exchange", "pause". */
const char *HgFaultName(HgFaultKind kind);

/* Sets all counts to 0. The n-th point of `kind` from now on fails on rank `rank` of
   MPI_COMM_WORLD, or on every rank (-1). n = 0: none fails. Not collective. */
void HgFaultSet(HgFaultKind kind, long n, int rank);

/* Stops failing and counting; the counts stay. Not collective. */
void HgFaultClear(void);

/* Points of `kind` that this rank has met since HgFaultSet(), or since HgInitialize() read the
   option. Not collective. */
long HgFaultCount(HgFaultKind kind);

/* A point: returns true and sets errno if it fails. Called by the thread that calls MPI. */
extern bool hg_fault_on;
bool HgFaultMet(HgFaultKind kind);

static inline bool HgFault(HgFaultKind kind) { return hg_fault_on && HgFaultMet(kind); }

#endif
