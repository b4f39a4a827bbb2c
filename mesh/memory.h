/* halograd/memory.h -- memory for rows of numbers.

   A step reads a dozen fields at once, more than a processor has entries for pages of 4 KiB: with
   pages of 2 MiB heat steps are 1.2 times as fast. Where the system has none, nothing changes.

   Not from malloc(), which knows nothing of pages: MPI libraries make it take all memory from one
   heap, where calloc() may touch every page to clear it, before anybody can ask for larger ones. */
#ifndef HALOGRAD_MEMORY_H
#define HALOGRAD_MEMORY_H
#include <stddef.h>
/* Zeros, aligned to 64 bytes, in large pages as far as these are at least half filled; else what nobody
   touches costs nothing. NULL if there is no memory. */
void *HgZeroedMemory(size_t bytes);
/* Gives back what HgZeroedMemory(bytes) has given; NULL is allowed. */
void HgFreeMemory(void *memory, size_t bytes);
#endif
