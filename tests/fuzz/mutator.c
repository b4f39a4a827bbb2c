/* SPDX-License-Identifier: BSD-2-Clause */
/* Mutations of HDF5 files whose checksums are right afterwards, as somebody may have made them:
   bytes that are flipped anywhere stop at the first checksum. The look at a file's structure, which
   every reader takes first, tells where its blocks are; what it would not read HDF5 never sees. */
#include "fuzz.h"
#include <halograd/structure_library.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { BLOCKS = 256, CHECKSUM = 4 };

typedef struct {
  uint8_t *data;
  size_t size;
  bool repairs;
  int blocks;
  size_t at[BLOCKS], length[BLOCKS];
} File;

static uint64_t number(const uint8_t *b, size_t width) {
  uint64_t n = 0;
  while (width-- > 0) n = n << 8 | b[width];
  return n;
}

static void put(uint8_t *b, size_t width, uint64_t n) {
  for (size_t k = 0; k < width; k++, n >>= 8) b[k] = (uint8_t)n;
}

/* The checksum of a direct block of a heap stands before its objects, and counts as 0. */
static void repair_direct(const File *f, uint8_t *b, size_t count) {
  enum { HEAP = 5, BITS = 128, HEADER = 142 };

  const uint64_t heap = number(b + HEAP, 8);
  if (heap > f->size - HEADER) return;
  uint8_t *const sum = b + HEAP + 8 + (number(f->data + heap + BITS, 2) + 7) / 8;
  if (sum + CHECKSUM > b + count) return;
  put(sum, CHECKSUM, 0);
  put(sum, CHECKSUM, HgLookup3(b, count));
}

static void repair(const File *f, uint8_t *b, size_t count) {
  static const char *const last[] = {"OCHK", "FRHP", "FHIB", "BTHD", "BTLF", "BTIN",   "FAHD",
                                     "FADB", "EAHD", "EAIB", "EASB", "EADB", "\x89HDF"};

  enum { FLAGS = 5, VERSION = 8 };

  bool at_end = false;
  if (count < 32) return;
  for (size_t k = 0; k < sizeof last / sizeof *last; k++) at_end = at_end || !memcmp(b, last[k], 4);
  if (!memcmp(b, "\x89HDF", 4) && b[VERSION] < 2) return;
  if (!memcmp(b, "FHDB", 4)) repair_direct(f, b, count);
  if (!memcmp(b, "OHDR", 4)) {
    const size_t width = (size_t)1 << (b[FLAGS] & 3),
                 prefix = 6 + (b[FLAGS] & 0x20 ? 16 : 0) + (b[FLAGS] & 0x10 ? 4 : 0);
    at_end =
        prefix + width < count && prefix + width + number(b + prefix, width) + CHECKSUM == count;
  }
  if (at_end) put(b + count - CHECKSUM, CHECKSUM, HgLookup3(b, count - CHECKSUM));
}

static bool bytes_of(void *context, uint64_t at, size_t count, unsigned char bytes[]) {
  File *const f = context;
  if (at > f->size || count > f->size - at) return false;
  if (f->repairs) repair(f, f->data + at, count);
  else if (count && f->blocks < BLOCKS) f->at[f->blocks] = at, f->length[f->blocks++] = count;
  memcpy(bytes, f->data + at, count);
  return true;
}

static void look(File *f) {
  char why[256];
  (void)HgStructureLook(bytes_of, f, f->size, HG_STRUCTURE_OLD, sizeof why, why);
}

/* ---- mutations ---- */
static uint64_t state;

static uint64_t draw(uint64_t below) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (state >> 33) % below;
}

/* A place in some block, with `width` bytes behind it. */
static uint8_t *place(const File *f, size_t width) {
  for (int k = 0; k < 8; k++) {
    const size_t which = (size_t)draw((uint64_t)f->blocks);
    if (f->length[which] >= width)
      return f->data + f->at[which] + draw(f->length[which] - width + 1);
  }
  return NULL;
}

static uint64_t odd_number(const File *f, uint64_t old, size_t width) {
  const uint8_t *const other = place(f, width);
  switch (draw(9)) {
  case 0: return 0;
  case 1: return UINT64_MAX;
  case 2: return old + draw(3) - 1;
  case 3: return draw(20);
  case 4: return f->at[draw((uint64_t)f->blocks)];
  case 5: return other ? number(other, width) : 1;
  case 6: return (uint64_t)1 << draw(8 * width);
  case 7: return f->size - draw(16);
  default: return old ^ (uint64_t)1 << draw(8 * width);
  }
}

static void mutate_number(const File *f) {
  const size_t width = (size_t)1 << draw(4);
  uint8_t *const at = place(f, width);
  if (at) put(at, width, odd_number(f, number(at, width), width));
}

/* Bytes of one block over those of another. */
static void mutate_by_copy(const File *f) {
  const size_t width = (size_t)draw(64) + 1;
  uint8_t *const to = place(f, width), *const from = place(f, width);
  if (to && from) memmove(to, from, width);
}

/* What libFuzzer does, words of the dictionary and all, without a change of size. */
static void mutate_as_usual(const File *f) {
  uint8_t copy[512];
  const size_t width = (size_t)draw(sizeof copy) + 1;
  uint8_t *const at = place(f, width);
  if (!at) return;
  memcpy(copy, at, width);
  memcpy(at, copy, LLVMFuzzerMutate(copy, width, width));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  File f = {.data = data, .size = size};
  state = seed;
  draw(1);
  look(&f);
  if (!f.blocks || !draw(50)) return LLVMFuzzerMutate(data, size, most);
  for (uint64_t k = draw(3) + 1; k-- > 0;) {
    const uint64_t how = draw(8);
    if (how == 0) mutate_by_copy(&f);
    else if (how == 1) mutate_as_usual(&f);
    else mutate_number(&f);
  }
  f.repairs = true;
  look(&f);
  return size;
}
