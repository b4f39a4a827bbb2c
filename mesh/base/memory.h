/* halograd/memory.h -- memory for rows of numbers.

   A step reads a dozen fields at once, more than a processor has entries for pages of 4 KiB: with
   pages of 2 MiB heat steps are 1.2 times as fast. Where the system has none, nothing changes.

   Not from malloc(), which knows nothing of pages: libraries that PETSc links (SuperLU_DIST) make
   it take all memory from one heap, where calloc() may touch every page to clear it, before
   larger pages can be asked for.

   Every allocation of a rank's own is a point of HG_FAULT_MEMORY (fault.h). */
#ifndef HALOGRAD_MEMORY_H
#define HALOGRAD_MEMORY_H

#include <mpi.h>
#include <stddef.h>

/* Zeros, aligned to 64 bytes. From 1 MiB on untouched pages take no memory, and huge pages
   are used where they fit. NULL if there is no memory. */
void *HgZeroedMemory(size_t bytes);

/* Gives back what HgZeroedMemory(bytes) has given; NULL is allowed. */
void HgFreeMemory(void *memory, size_t bytes);

/* calloc() and realloc(), for what is small or grows: free() gives it back. NULL if there is no
   memory; `memory` then is as it was. */
void *HgAllocate(size_t count, size_t size);
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

#endif
