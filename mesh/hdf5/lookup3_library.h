/* SPDX-License-Identifier: BSD-2-Clause */
/* HDF5's checksum of a block of metadata: Bob Jenkins' lookup3, of 2006. */
#ifndef HG_LOOKUP3_LIBRARY_H
#define HG_LOOKUP3_LIBRARY_H

#include <stddef.h>
#include <stdint.h>

static inline uint32_t HgTurn(uint32_t x, int k) { return x << k | x >> (32 - k); }

static inline uint32_t HgLookup3(const uint8_t *k, size_t length) {
  static const int mix[6] = {4, 6, 8, 16, 19, 4}, last[7] = {14, 11, 25, 16, 4, 14, 24};
  uint32_t x[3]; /* a, b, c */
  x[0] = x[1] = x[2] = 0xdeadbeef + (uint32_t)length;
  if (!length) return x[2];
  for (;; k += 12, length -= 12) {
    for (size_t n = 0; n < 12 && n < length; n++) x[n / 4] += (uint32_t)k[n] << 8 * (n % 4);
    if (length <= 12) break;
    for (int n = 0; n < 6; n++) { /* a -= c, a ^= c <<< 4, c += b, and so on in turn */
      x[n % 3] = (x[n % 3] - x[(n + 2) % 3]) ^ HgTurn(x[(n + 2) % 3], mix[n]);
      x[(n + 2) % 3] += x[(n + 1) % 3];
    }
  }
  for (int n = 0; n < 7; n++) /* c ^= b, c -= b <<< 14, a ^= c, and so on in turn */
    x[(n + 2) % 3] = (x[(n + 2) % 3] ^ x[(n + 1) % 3]) - HgTurn(x[(n + 1) % 3], last[n]);
  return x[2];
}

#endif
