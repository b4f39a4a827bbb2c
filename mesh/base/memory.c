/* memory.c -- see memory.h. */
#include <halograd/fault.h>
#include <halograd/memory.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t large_page = (size_t)1 << 21;

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

static bool is_small(size_t bytes) { return bytes < large_page / 2; }

static size_t in_pages(size_t bytes) { return round_up(bytes, (size_t)sysconf(_SC_PAGESIZE)); }

size_t HgWholePages(size_t bytes) {
  const bool fills = bytes % large_page >= large_page / 2;
  return fills ? round_up(bytes, large_page) : bytes;
}

/* Untouched pages, the first of which begins where a large one would. */
static void *map(size_t length) {
  const size_t slack = large_page;
  char *const all =
      mmap(NULL, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all == MAP_FAILED) return NULL;
  const size_t before = round_up((uintptr_t)all, large_page) - (uintptr_t)all;
  if (before) munmap(all, before);
  if (slack > before) munmap(all + before + length, slack - before);
#ifdef MADV_HUGEPAGE
  madvise(all + before, length, MADV_HUGEPAGE); /* who refuses has none */
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
