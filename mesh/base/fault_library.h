/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/fault.h -- failures made on purpose: no memory, a full disk, a lock that is refused; and
   a pause at a step of a gradient.

   Wherever the library can fail for a reason outside it, it passes a point of a kind:

     if (HgFault(HG_FAULT_FSYNC) || fsync(file)) why = errno;

   so that tests and users try what follows a failure without having to bring the failure about.
   Points are counted on every rank by itself, and one of them fails: the N-th of a kind. The N-th
   pause does not fail: the process stops there as with SIGSTOP and goes on when it gets SIGCONT, so
   that what comes from outside, a signal say, comes at a known step.

   | option                | what it does                                                     |
   |-----------------------|------------------------------------------------------------------|
   | -hg_fault KIND:N      | the N-th KIND on every rank fails or pauses, from 1 on           |
   | -hg_fault KIND:N:RANK | on rank RANK of MPI_COMM_WORLD alone                             |
   | -hg_fault count       | nothing fails; HgFinalize() prints the points that each rank met |

   Where neither the option nor HgFaultSet() is used, a point costs one branch. */
#ifndef HG_FAULT_LIBRARY_H
#define HG_FAULT_LIBRARY_H

#include <stdbool.h>

/* What fails, with the errno that it then leaves. */
typedef enum {
  HG_FAULT_MEMORY,   /* an allocation: ENOMEM */
  HG_FAULT_WRITE,    /* bytes into a file, or room for them: ENOSPC */
  HG_FAULT_FSYNC,    /* bytes to the disk: EIO */
  HG_FAULT_RENAME,   /* a temporary file to its name: EACCES */
  HG_FAULT_LOCK,     /* a lock, which another run seems to hold: EWOULDBLOCK */
  HG_FAULT_EXCHANGE, /* the start of an exchange of ghosts or strips: EIO */
  HG_FAULT_PAUSE,    /* steps made or reversed at once, of a gradient: none, it waits for SIGCONT */
  HG_FAULTS
} HgFaultKind;

/* "memory", "write", "fsync", "rename", "lock", "exchange", "pause". */
const char *HgFaultName(HgFaultKind kind);

/* Counts from 0 anew, all kinds; the n-th point of `kind` from here on fails on rank `rank` of
   MPI_COMM_WORLD, or on every rank (-1). n = 0: none fails. Not collective. */
void HgFaultSet(HgFaultKind kind, long n, int rank);

/* Nothing fails nor is counted any more; the counts stay. Not collective. */
void HgFaultClear(void);

/* Points of `kind` that this rank has met since HgFaultSet(), or since HgInitialize() read the
   option. Not collective. */
long HgFaultCount(HgFaultKind kind);

/* A point: true, and errno is set, if it is to fail. Called by the thread that calls MPI. */
extern bool hg_fault_on;
bool HgFaultMet(HgFaultKind kind);

static inline bool HgFault(HgFaultKind kind) { return hg_fault_on && HgFaultMet(kind); }

#endif
