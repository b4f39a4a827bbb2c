/* Non-temporal copies: results too large for the cache go straight to memory, which saves reading
   the lines they overwrite. */
#include "tile_private.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif
static void stream_line(const double *from, double *to) {
#if defined(__AVX512F__)
  _mm512_stream_pd(to, _mm512_loadu_pd(from));
#elif defined(__AVX__)
  for (int i = 0; i < 8; i += 4) _mm256_stream_pd(to + i, _mm256_loadu_pd(from + i));
#elif defined(__SSE2__)
  for (int i = 0; i < 8; i += 2) _mm_stream_pd(to + i, _mm_loadu_pd(from + i));
#else
  for (int i = 0; i < 8; i++) to[i] = from[i];
#endif
}

void HgStreamRow(int i0, int i1, const double *from, double *to) {
  int i = i0;
  for (; i < i1 && i % 8; i++) to[i] = from[i];
  for (; i + 8 <= i1; i += 8) stream_line(from + i, to + i);
  for (; i < i1; i++) to[i] = from[i];
}

void HgStreamFence(void) {
#if defined(__SSE2__)
  _mm_sfence();

#endif
}
