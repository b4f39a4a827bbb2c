/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies past the caches: a row that is not read soon goes straight to memory, which saves reading
   the lines it overwrites. */
#include "sweep_private.h"
#include <stdint.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

static void stream_line(const HgReal *from, HgReal *to) {
#if defined(__AVX512F__)
  _mm512_stream_si512((void *)to, _mm512_loadu_si512(from));
#elif defined(__SSE2__)
  for (int k = 0; k < 4; k++)
    _mm_stream_si128((__m128i *)to + k, _mm_loadu_si128((const __m128i *)from + k));
#else
  memcpy(to, from, HG_LINE * sizeof *to);
#endif
}

void HgStreamRow(const HgReal *from, HgReal *to, int count) {
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
