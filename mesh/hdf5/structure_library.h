/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks a file before HDF5 reads it. HDF5 1.10 believes what it decodes: an undefined address, an
   extent of 0 or a type longer than its message crash the program, and checksums do not tell who
   wrote them. So everything that HDF5 may follow in a file is checked first, and whatever is not in
   the short list of what our own writer, h5py and netCDF make is refused. Source: HDF5 File Format
   Specification 3.0. */
#ifndef HG_STRUCTURE_LIBRARY_H
#define HG_STRUCTURE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads bytes[] = `count` bytes from `at` of the file; false: the file is shorter. */
typedef bool HgStructureBytes(void *context, uint64_t at, size_t count, unsigned char bytes[]);

typedef enum {
  HG_STRUCTURE_SOUND,
  HG_STRUCTURE_ALIEN, /* not an HDF5 file */
  HG_STRUCTURE_REFUSED
} HgStructure;

typedef enum {
  HG_STRUCTURE_IMAGE, /* contiguous numbers, links and attributes in headers, as in images */
  HG_STRUCTURE_NEW,   /* with checksums, as of HDF5 1.8 and later */
  HG_STRUCTURE_OLD    /* anything */
} HgStructureAllowed;

/* Checks superblock, every object that hard links lead to, its messages, heaps and indexes, but no
   numbers. why = what is refused, in words that follow "file '...': ". */
HgStructure HgStructureLook(HgStructureBytes *bytes, void *context, uint64_t size,
                            HgStructureAllowed allowed, size_t room, char why[]);

/* HDF5's checksum of a block of metadata: Bob Jenkins' lookup3, of 2006. */

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
