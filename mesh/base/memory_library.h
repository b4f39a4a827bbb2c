/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/memory_library.h -- what other rooms of the library need of memory.h. */
#ifndef HG_MEMORY_LIBRARY_H
#define HG_MEMORY_LIBRARY_H

#include <halograd/memory.h>
#include <petscsys.h>

/* Zeros, aligned to 64 bytes. From 1 MiB on untouched pages take no memory, and huge pages
   are used where they fit. NULL if there is no memory. */
void *HgZeroedMemory(size_t bytes);

/* Gives back what HgZeroedMemory(bytes) has given; NULL is allowed. */
void HgFreeMemory(void *memory, size_t bytes);

/* realloc(): NULL if there is no memory; `memory` then is as it was. */
void *HgReallocate(void *memory, size_t bytes);

/* `bytes`, or whole large pages if these are at least half filled: for memory that is in use all
   the time and of which there is little. */
size_t HgWholePages(size_t bytes);

/* Zeros that all ranks of `comm` read and write: for atomics, in pages of their own. NULL on all
   ranks if they are on several machines, or there is no shared memory. Collective on `comm`.
   HgFreeShared(memory, bytes) takes it from this rank alone; NULL is allowed. */
void *HgSharedMemory(MPI_Comm comm, size_t bytes);
void HgFreeShared(void *memory, size_t bytes);

/* The least number of bytes that control groups allow this process: those that the file `groups`
   names (/proc/self/cgroup) below the folder `root` (/sys/fs/cgroup), of either version, and all
   that they are in. INFINITY if none of them has a limit that can be read. */
double HgMemoryGroupLimit(const char groups[], const char root[]);

/* *bytes: the size of the cache for which the engine cuts patches into tiles,

       max(L2, min(L3 / processors, 2 MiB)):

   a small second level is not worth narrow tiles and short time blocks where a core has more of the
   third one (docs/performance.md). Option -hg_cache_l2 BYTES takes its place, so that what another
   processor computes can be tried on this one; it changes no bit. Collective on `comm`. Error: the
   option is out of range. */
PetscErrorCode HgCacheRead(MPI_Comm comm, long *bytes);

/* A processor's share of the last level of caches; 0: not known. */
long HgCacheLast(void);

/* calloc(): free() gives it back. NULL if there is no memory. */
void *HgAllocate(size_t count, size_t size);

/* HgInputRequire() of this rank alone. If it may not, `problem`, of `size` bytes, says why in one
   sentence. Not collective. */
bool HgInputFits(const char path[], const char what[], double stored, double held, size_t size,
                 char problem[]);

#endif
