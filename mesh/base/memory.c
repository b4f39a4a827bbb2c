/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c -- see memory.h. */
#include <fcntl.h>
#include <halograd/error.h>
#include <halograd/fault_library.h>
#include <halograd/memory_library.h>
#include <halograd/options_library.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const size_t large_page = (size_t)1 << 21;

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

static bool is_small(size_t bytes) { return bytes < large_page / 2; }

static size_t in_pages(size_t bytes) { return round_up(bytes, (size_t)sysconf(_SC_PAGESIZE)); }

size_t HgWholePages(size_t bytes) {
  const bool fills = bytes % large_page >= large_page / 2;
  return fills ? round_up(bytes, large_page) : bytes;
}

/* Maps untouched pages, aligned as a large page is. */
static void *map(size_t length) {
  const size_t slack = large_page;
  char *const all =
      mmap(NULL, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return NULL;
  const size_t before = round_up((uintptr_t)all, large_page) - (uintptr_t)all;
  if (before) munmap(all, before);
  if (slack > before) munmap(all + before + length, slack - before);
#ifdef MADV_HUGEPAGE
  madvise(all + before, length, MADV_HUGEPAGE); /* only a hint: it may be refused */
#endif
  return all + before;
}

void *HgZeroedMemory(size_t bytes) {
  enum { ALIGNED = 64 };

  if (bytes > SIZE_MAX / 2 || HgFault(HG_FAULT_MEMORY)) return NULL;
  if (!is_small(bytes)) return map(in_pages(bytes));
  void *const memory = aligned_alloc(ALIGNED, round_up(bytes, ALIGNED));
  return memory ? memset(memory, 0, bytes) : NULL;
}

void *HgAllocate(size_t count, size_t size) {
  return HgFault(HG_FAULT_MEMORY) ? NULL : calloc(count, size);
}

void *HgReallocate(void *memory, size_t bytes) {
  return HgFault(HG_FAULT_MEMORY) ? NULL : realloc(memory, bytes);
}

void HgFreeMemory(void *memory, size_t bytes) {
  if (is_small(bytes)) free(memory);
  else if (memory) munmap(memory, in_pages(bytes));
}

enum { NAME = 64 }; /* of shared memory, with its end */

/* Creates new shared memory, filled with zeros; name[] is empty if that fails. Reserves all bytes:
   a page that a full /dev/shm cannot give would raise a signal. */
static void make_shared(char name[NAME], size_t bytes) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(name, NAME, "/halograd-%ld-%ld-%ld", (long)getpid(), (long)now.tv_sec, now.tv_nsec);
  const int file = shm_open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  const bool made = file >= 0 && !posix_fallocate(file, 0, (off_t)bytes);
  if (file >= 0) close(file);
  if (file >= 0 && !made) shm_unlink(name);
  if (!made) *name = 0;
}

static void *map_shared(const char name[], size_t bytes) {
  const int file = shm_open(name, O_RDWR | O_CLOEXEC, 0600);
  if (file < 0) return NULL;
  void *const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory == MAP_FAILED ? NULL : memory;
}

void *HgSharedMemory(MPI_Comm comm, size_t bytes) {
  char name[NAME] = "";
  int rank;
  PMPI_Comm_rank(comm, &rank);
  if (!rank) make_shared(name, bytes);
  PMPI_Bcast(name, NAME, MPI_CHAR, 0, comm);
  void *const memory = *name ? map_shared(name, bytes) : NULL;
  int all = memory != NULL;
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm);
  if (!rank && *name) shm_unlink(name); /* it stays as long as a rank has it */
  if (!all) HgFreeShared(memory, bytes);
  return all ? memory : NULL;
}

void HgFreeShared(void *memory, size_t bytes) {
  if (memory) munmap(memory, bytes);
}

/* ---- control groups ---- */

/* The number in a file; INFINITY for "max" or no file. */
static double number_in(const char path[]) {
  double number;
  FILE *const file = fopen(path, "r");
  const bool read = file && fscanf(file, "%lf", &number) == 1 && number > 0;
  if (file) fclose(file);
  return read ? number : INFINITY;
}

/* The smallest limit of `group`, a path below `mount`, and of its parents; cuts `group` to "". */
static double least_limit(const char mount[], char group[], const char name[]) {
  char path[2 * HG_FILE_PATH];
  double least = INFINITY;
  for (char *end = group + strlen(group); end; end = strrchr(group, '/')) {
    *end = 0;
    snprintf(path, sizeof path, "%s%s/%s", mount, group, name);
    least = fmin(least, number_in(path));
  }
  return least;
}

double HgMemoryGroupLimit(const char groups[], const char root[]) {
  char line[HG_FILE_PATH], mount[HG_FILE_PATH];
  double least = INFINITY;
  FILE *const file = fopen(groups, "r");
  while (file && fgets(line, sizeof line, file)) { /* "4:memory:/a/b", or version 2: "0::/a/b" */
    char *const controllers = strchr(line, ':');
    char *const group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group) continue;
    *group = 0;
    group[1 + strcspn(group + 1, "\n")] = 0;
    const bool second = !controllers[1], first = !strcmp(controllers + 1, "memory");
    snprintf(mount, sizeof mount, "%s%s", root, first ? "/memory" : "");
    if (first || second)
      least = fmin(least,
                   least_limit(mount, group + 1, first ? "memory.limit_in_bytes" : "memory.max"));
  }
  if (file) fclose(file);
  return least;
}

/* ---- the cache that tiles are made for ---- */

static const long least = 16L << 10, most = 16L << 30;

long HgCacheLast(void) {
  return PetscMax(0, sysconf(_SC_LEVEL3_CACHE_SIZE)) / PetscMax(1, sysconf(_SC_NPROCESSORS_ONLN));
}

/* Unknown sizes are 0 or -1. The second level counts as 256 KiB at least. */
static long of_processor(void) {
  const long second = PetscMax(sysconf(_SC_LEVEL2_CACHE_SIZE), 256L << 10);
  return PetscMin(PetscMax(second, PetscMin(HgCacheLast(), 2L << 20)), most);
}

PetscErrorCode HgCacheRead(MPI_Comm comm, long *bytes) {
  *bytes = of_processor();
  return HgOptionReadBytes(comm, "-hg_cache_l2", least, most, bytes);
}
