/* For how long each rank of a job has been waiting in one and the same call of MPI, on a page that
   all of them share: for the watchdog, whose threads call no MPI. See trace_private.h. */
#include "trace_private.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, NAME = 64 };

/* A rank's own line of the processor's cache. */
typedef union {
  _Atomic int64_t milliseconds;
  char line[LINE];
} Place;

static struct {
  Place *place; /* [ranks] */
  int rank, ranks;
} idle;

/* Reserves all bytes: a page that a full /dev/shm cannot give would be a signal. */
static bool make(const char name[], size_t bytes) {
  const int file = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool made = !posix_fallocate(file, 0, (off_t)bytes);
  close(file);
  if (!made) shm_unlink(name);
  return made;
}

static Place *look_at(const char name[], size_t bytes) {
  const int file = shm_open(name, O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return NULL;
  void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return page == MAP_FAILED ? NULL : page;
}

static bool one_machine(void) {
  MPI_Comm here;
  int ranks = 0;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  PMPI_Comm_size(here, &ranks);
  PMPI_Comm_free(&here);
  const int alone = ranks != idle.ranks;
  int any = 0;
  PMPI_Allreduce(&alone, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return !any;
}

bool HgIdleBegin(void) {
  char name[NAME] = "";
  PMPI_Comm_rank(MPI_COMM_WORLD, &idle.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &idle.ranks);
  if (!one_machine()) return false;
  const size_t bytes = (size_t)idle.ranks * sizeof *idle.place;
  if (!idle.rank) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof name, "/halograd-%ld-%ld-%ld", (long)getpid(), (long)now.tv_sec,
             now.tv_nsec);
    if (!make(name, bytes)) *name = 0;
  }
  PMPI_Bcast(name, NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  idle.place = *name ? look_at(name, bytes) : NULL;
  int all = idle.place != NULL;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!idle.rank && *name) shm_unlink(name); /* it stays as long as somebody looks at it */
  if (!all) HgIdleEnd();
  return all;
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
  if (idle.place) munmap(idle.place, (size_t)idle.ranks * sizeof *idle.place);
  idle.place = NULL;
}
