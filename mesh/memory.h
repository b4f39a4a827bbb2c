/* halograd/memory.h -- memory for rows of numbers.

   A step reads a dozen fields at once, more than a processor has entries for pages of 4 KiB: with
   pages of 2 MiB heat steps are 1.2 times as fast. Where the system has none, nothing changes. */
#ifndef HALOGRAD_MEMORY_H
#define HALOGRAD_MEMORY_H
#include <stddef.h>
/* Large pages wherever a whole one fits into [memory, memory + bytes). */
void HgPreferLargePages(void *memory, size_t bytes);
/* Zeros, aligned to 64 bytes, in large pages if they fill half of one; for free(). NULL if there is no
   memory. */
void *HgZeroedMemory(size_t bytes);
#endif
