/* memory.c -- see memory.h. */
#include <halograd/memory.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }
void HgPreferLargePages(void *memory, size_t bytes) {
#ifdef MADV_HUGEPAGE
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)memory;
  const uintptr_t first = round_up(start, page), end = (start + bytes) / page * page;
  if (memory && end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
  (void)memory, (void)bytes;
#endif
}
void *HgZeroedMemory(size_t bytes) {
  enum { ALIGNED = 64, LARGE_PAGE = 1 << 21 };
  const size_t unit = bytes < LARGE_PAGE / 2 ? ALIGNED : LARGE_PAGE;
  void *const memory = aligned_alloc(unit, round_up(bytes, unit));
  if (!memory) return NULL;
  if (unit == LARGE_PAGE) HgPreferLargePages(memory, round_up(bytes, unit));
  return memset(memory, 0, bytes);
}
