/* SPDX-License-Identifier: BSD-2-Clause */
/* For how long each rank of a job has been waiting in one and the same call of MPI, on a page that
   all of them share: for the watchdog, whose threads call no MPI. See trace_private.h. */
#include "trace_private.h"
#include <halograd/memory_library.h>
#include <stdatomic.h>

enum { LINE = 64 };

/* A rank's own line of the processor's cache. */
typedef union {
  _Atomic int64_t milliseconds;
  char line[LINE];
} Place;

static struct {
  Place *place; /* [ranks] */
  int rank, ranks;
} idle;

bool HgIdleBegin(void) {
  PMPI_Comm_rank(MPI_COMM_WORLD, &idle.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &idle.ranks);
  idle.place = HgSharedMemory(MPI_COMM_WORLD, (size_t)idle.ranks * sizeof *idle.place);
  return idle.place != NULL;
}

void HgIdleSet(double seconds) {
  if (idle.place) atomic_store(&idle.place[idle.rank].milliseconds, (int64_t)(1e3 * seconds));
}

double HgIdleLeast(void) {
  int64_t least = INT64_MAX;
  for (int r = 0; r < idle.ranks && idle.place; r++) {
    const int64_t own = atomic_load(&idle.place[r].milliseconds);
    if (own < least) least = own;
  }
  return idle.place ? 1e-3 * (double)least : 0;
}

void HgIdleEnd(void) {
  HgIdleSet(0);
  HgFreeShared(idle.place, (size_t)idle.ranks * sizeof *idle.place);
  idle.place = NULL;
}
