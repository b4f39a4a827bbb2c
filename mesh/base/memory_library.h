/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/memory_library.h -- what other rooms of the library need of memory.h. */
#ifndef HG_MEMORY_LIBRARY_H
#define HG_MEMORY_LIBRARY_H

#include <halograd/memory.h>
#include <petscsys.h>

/* Returns zeros, aligned to 64 bytes. From 1 MiB on, untouched pages take no memory, and huge pages
   are used where they fit. NULL: no memory. */
void *HgZeroedMemory(size_t bytes);

/* Frees memory of HgZeroedMemory(bytes); accepts NULL. */
void HgFreeMemory(void *memory, size_t bytes);

/* realloc(). NULL: no memory; `memory` does not change. */
void *HgReallocate(void *memory, size_t bytes);

/* Rounds `bytes` up to whole huge pages if the last is at least half used: for small amounts of
   memory that are always in use. */
size_t HgWholePages(size_t bytes);

/* Returns zeros that all ranks of `comm` read and write, for atomics, in pages of their own. NULL
   on all ranks if they are on several machines or there is no shared memory. Collective on `comm`.
   HgFreeShared(memory, bytes) frees it on this rank only; accepts NULL. */
void *HgSharedMemory(MPI_Comm comm, size_t bytes);
void HgFreeShared(void *memory, size_t bytes);

/* The smallest memory limit [bytes] of this process's control groups and their parents, of version
   1 or 2. `groups` is the file that names them (/proc/self/cgroup), `root` their folder
   (/sys/fs/cgroup). INFINITY: no limit can be read. */
double HgMemoryGroupLimit(const char groups[], const char root[]);

/* *bytes: the size of the cache for which the engine cuts patches into tiles,

       max(L2, min(L3 / processors, 2 MiB)):

   if a core's share of the third level is larger than a small second level, narrow tiles and short
   time blocks for the second do not pay (docs/performance.md). The option -hg_cache_l2 BYTES sets
   another size, to try the tiles of another processor; it changes no bit. Collective on `comm`.
   Error: the option is out of range. */
PetscErrorCode HgCacheRead(MPI_Comm comm, long *bytes);

/* One processor's share of the last-level cache [bytes]; 0: not known. */
long HgCacheLast(void);

/* calloc(); free it with free(). NULL: no memory. */
void *HgAllocate(size_t count, size_t size);

/* HgInputRequire() for this rank only. If it fails, `problem` (`size` bytes) says why in one
   sentence. Not collective. */
bool HgInputFits(const char path[], const char what[], double stored, double held, size_t size,
                 char problem[]);

#endif
