/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_triad.h"
#include <halograd/memory_library.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif
static void plain(size_t n, const double *restrict b, const double *restrict c,
                  double *restrict a) {
  for (size_t i = 0; i < n; i++) a[i] = b[i] + 3.0 * c[i];
}

/* n is a multiple of 8, arrays are 64-byte aligned. */
static void past_cache(size_t n, const double *b, const double *c, double *a) {
#if defined(__AVX512F__)
  const __m512d s = _mm512_set1_pd(3.0);
  for (size_t i = 0; i < n; i += 8)
    _mm512_stream_pd(a + i,
                     _mm512_add_pd(_mm512_load_pd(b + i), _mm512_mul_pd(s, _mm512_load_pd(c + i))));
  _mm_sfence();
#elif defined(__SSE2__)
  const __m128d s = _mm_set1_pd(3.0);
  for (size_t i = 0; i < n; i += 2)
    _mm_stream_pd(a + i, _mm_add_pd(_mm_load_pd(b + i), _mm_mul_pd(s, _mm_load_pd(c + i))));
  _mm_sfence();
#else
  plain(n, b, c, a);
#endif
}

PetscErrorCode PeerTriadCreate(MPI_Comm comm, size_t total, bool non_temporal, PeerTriad *triad) {
  int ranks;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  const size_t n = total / (size_t)ranks / 8 * 8;
  *triad = (PeerTriad){.count = n, .past_cache = non_temporal};
  double **const arrays[] = {&triad->a, &triad->b, &triad->c};
  for (int k = 0; k < 3; k++) {
    *arrays[k] = HgZeroedMemory(n * sizeof(double));
    PetscCheck(*arrays[k], comm, PETSC_ERR_MEM, "no memory for %zu numbers of the triad", n);
    for (size_t i = 0; i < n; i++) (*arrays[k])[i] = k;
  }
  return 0;
}

PeerTriad PeerTriadOther(const PeerTriad *triad) {
  PeerTriad other = *triad;
  other.past_cache = !triad->past_cache;
  return other;
}

PetscErrorCode PeerTriadDestroy(PeerTriad *triad) {
  double *const arrays[] = {triad->a, triad->b, triad->c};
  for (int k = 0; k < 3; k++) HgFreeMemory(arrays[k], triad->count * sizeof(double));
  *triad = (PeerTriad){0};
  return 0;
}

PetscErrorCode PeerTriadRun(void *self) {
  const PeerTriad *t = self;
  (t->past_cache ? past_cache : plain)(t->count, t->b, t->c, t->a);
  return 0;
}
