/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies past the caches: a row that is not read soon goes straight to memory, which saves reading
   the lines it overwrites. */
#include "sweep_private.h"
#include <stdint.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

static void stream_line(const double *from, double *to) {
#if defined(__AVX512F__)
  _mm512_stream_pd(to, _mm512_loadu_pd(from));
#elif defined(__SSE2__)
  for (int i = 0; i < HG_LINE; i += 2) _mm_stream_pd(to + i, _mm_loadu_pd(from + i));
#else
  memcpy(to, from, HG_LINE * sizeof *to);
#endif
}

void HgStreamRow(const double *from, double *to, int count) {
  int i = 0;
  for (; i < count && (uintptr_t)(to + i) % (HG_LINE * sizeof *to); i++) to[i] = from[i];
  for (; i + HG_LINE <= count; i += HG_LINE) stream_line(from + i, to + i);
  for (; i < count; i++) to[i] = from[i];
}

void HgStreamEnd(void) {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}
