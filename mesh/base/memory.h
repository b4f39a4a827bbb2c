/* SPDX-License-Identifier: BSD-2-Clause */
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

/* calloc(): free() gives it back. NULL if there is no memory. */
void *HgAllocate(size_t count, size_t size);

#endif
