/* SPDX-License-Identifier: BSD-2-Clause */
/* Static memory that a kernel writes is shared by all threads of a rank; see finding_library.h. */
#define _GNU_SOURCE /* dl_iterate_phdr() */
#include "trial_private.h"
#include <link.h>
#include <stdlib.h>

enum { SEGMENTS = 8, RUNS = 4 };

/* The writable memory of the program, or of the library, that holds the address. */
typedef struct {
  uintptr_t address;
  int count;
  const volatile unsigned *start[SEGMENTS];
  size_t size[SEGMENTS]; /* in words */
} Memory;

static int find_segments(struct dl_phdr_info *info, size_t size, void *memory) {
  Memory *m = memory;
  bool here = false;
  (void)size;
  for (int k = 0; k < info->dlpi_phnum; k++) {
    const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
    here = here || (info->dlpi_phdr[k].p_type == PT_LOAD && m->address >= start &&
                    m->address - start < info->dlpi_phdr[k].p_memsz);
  }
  for (int k = 0; here && k < info->dlpi_phnum && m->count < SEGMENTS; k++) {
    if (info->dlpi_phdr[k].p_type != PT_LOAD || !(info->dlpi_phdr[k].p_flags & PF_W)) continue;
    const uintptr_t start = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr, odd = start % sizeof(int);
    m->start[m->count] = (const volatile unsigned *)(start - odd);
    m->size[m->count++] = (info->dlpi_phdr[k].p_memsz + odd) / sizeof(int);
  }
  return here;
}

/* Copies word by word, past the gaps that sanitizers watch between variables. */
__attribute__((no_sanitize("address", "undefined"))) static void copy(const Memory *m,
                                                                      unsigned to[]) {
  for (int k = 0; k < m->count; k++)
    for (size_t n = 0; n < m->size[k]; n++) *to++ = m->start[k][n];
}

static void run(HgTrial *t, HgKernel kernel, bool other) {
  HgBox box = t->box;
  box.t += other, box.step += other;
  for (int set = 0; other && set < HG_KEPT; set++)
    for (int k = 0; k < HgTrialCount(t, set); k++)
      for (size_t n = 0; n < HgTrialFieldSize(&t->field[set][k]); n++) {
        const HgCheckRange r = t->range[k];
        HgReal *const v = &t->field[set][k].data[n];
        *v = set == HG_X ? r.low + (r.high - *v) : -0.5 * *v;
      }
  HgTrialReset(t, HG_ONE, hg_trial_canary);
  HgTrialCall(t, kernel, &box, ~0u, HG_ONE);
  HgTrialRestore(t);
}

/* The number of words that follow the inputs: they change with other inputs, and return with the
   same ones. Words written by other threads meanwhile do not count. */
static int count_words(HgTrial *t, HgKernel kernel, const Memory *m, size_t size,
                       unsigned *was[RUNS]) {
  int words = 0;
  for (int n = 0; n < RUNS; n++) {
    run(t, kernel, n % 2);
    copy(m, was[n]);
  }
  for (size_t n = 0; n < size; n++)
    words += was[0][n] == was[2][n] && was[1][n] == was[3][n] && was[0][n] != was[1][n];
  return words;
}

/* Only in the first draw: what a kernel writes does not depend on the box. */
void HgTrialCheckStatic(HgTrial *t) {
  Memory m = {.address = (uintptr_t)t->stencil->adjoint};
  unsigned *was[RUNS] = {NULL};
  size_t size = 0;
  if (t->seed != t->options->seed) return;
  (void)dl_iterate_phdr(find_segments, &m);
  for (int k = 0; k < m.count; k++) size += m.size[k];
  for (int n = 0; n < RUNS; n++)
    if (!(was[n] = malloc(size * sizeof **was)))
      size = m.count = 0; /* no memory: nothing is compared */
  for (HgKernel kernel = HG_KERNEL_APPLY; kernel <= HG_KERNEL_ADJOINT; kernel++)
    HgTrialCells(t, HG_CHECK_STATIC, kernel, -1, -1, count_words(t, kernel, &m, size, was));
  for (int n = 0; n < RUNS; n++) free(was[n]);
}
