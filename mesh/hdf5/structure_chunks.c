/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the chunks of a dataset are: fixed and extensible arrays, B-trees of both versions. */
#include "structure_parts_private.h"

enum { CHECKSUM = 4 };

static bool refuse(HgLook *look) { return HgRefuse(look, "the index of the chunks"); }

bool HgChunkLook(HgLook *look, const HgChunks *c, uint64_t at, uint64_t bytes, uint64_t mask) {
  uint64_t expected = c->bytes;
  for (uint64_t sums = c->filters.sums & ~mask; sums; sums &= sums - 1) expected += CHECKSUM;
  const bool right = bytes && HgInside(look, at, bytes) && !(mask >> c->filters.filters) &&
                     (bytes == expected || (c->filters.any && !c->filters.plain));
  return right || HgRefuse(look, "the address or the size of a chunk");
}

/* Bytes of the size of a filtered chunk. */
static int size_width(const HgChunks *c) {
  int bits = 0;
  for (uint64_t n = c->bytes; n >>= 1;) bits++;
  return bits / 8 + 2 < 8 ? 1 + (bits + 8) / 8 : 8;
}

static size_t element_size(const HgChunks *c) {
  return 8 + (c->filters.any ? (size_t)size_width(c) + 4 : 0);
}

/* Address; size and mask if there are filters. */
static bool element(HgLook *look, const HgChunks *c, HgBytes *b) {
  const uint64_t at = HgBytesTake(b, 8);
  const uint64_t bytes = c->filters.any ? HgBytesTake(b, size_width(c)) : c->bytes;
  const uint64_t mask = c->filters.any ? HgBytesTake(b, 4) : 0;
  if (b->bad) return refuse(look);
  return at == HG_NO_ADDRESS || HgChunkLook(look, c, at, bytes, mask);
}

static bool elements(HgLook *look, const HgChunks *c, HgBytes *b, uint64_t count) {
  bool right = true;
  for (uint64_t k = 0; right && k < count; k++) right = element(look, c, b);
  return right;
}

/* Version and whether chunks are filtered, as the blocks of both arrays begin. */
static bool begins(HgLook *look, const HgChunks *c, HgBytes *b) {
  const uint64_t version = HgBytesTake(b, 1), filtered = HgBytesTake(b, 1);
  return (!version && filtered == c->filters.any) || refuse(look);
}

/* Then, in all but headers, the address of the header, and in extensible arrays where it begins. */
static bool belongs(HgLook *look, const HgChunks *c, HgBytes *b, uint64_t header, uint64_t first) {
  return begins(look, c, b) &&
         ((HgBytesTake(b, 8) == header && (first == HG_NO_ADDRESS || HgBytesTake(b, 4) == first)) ||
          refuse(look));
}

/* Pages of `page` elements and a checksum, from `at` on; those that the bitmap has not were never
   written. */
static bool pages(HgLook *look, const HgChunks *c, uint64_t at, uint64_t count, uint64_t page,
                  HgBytes map) {
  bool right = true;
  for (uint64_t k = 0; right && k * page < count; k++) {
    const uint64_t here = count - k * page < page ? count - k * page : page,
                   size = here * element_size(c) + CHECKSUM;
    HgBytes b;
    if (map.at[k / 8] >> (7 - k % 8) & 1)
      right = HgLoadSummed(look, at, size, "", &b) && elements(look, c, &b, here);
    at += size;
  }
  return right;
}

/* Bytes of an element, bits of a page, elements, address of the block. */
bool HgFixedArrayLook(HgLook *look, const HgChunks *c, uint64_t at, int page_bits) {
  enum { HEADER = 28, PREFIX = 14 };

  HgBytes b;
  uint64_t chunks = 1;
  for (int k = 0; k < c->extent->rank; k++)
    chunks *= c->extent->most[k] ? (c->extent->most[k] - 1) / c->size[k] + 1 : 0;
  if (!HgLoadSummed(look, at, HEADER, "FAHD", &b) || !begins(look, c, &b)) return false;
  const uint64_t size = HgBytesTake(&b, 1), bits = HgBytesTake(&b, 1), count = HgBytesTake(&b, 8),
                 block = HgBytesTake(&b, 8);
  if (size != element_size(c) || bits != (uint64_t)page_bits || bits < 1 || bits > 30 ||
      count != chunks || count > look->end / 8)
    return refuse(look);
  if (block == HG_NO_ADDRESS) return true;
  const uint64_t page = 1ull << bits, of_pages = count > page ? (count + page - 1) / page : 0,
                 map_size = (of_pages + 7) / 8,
                 bytes = PREFIX + map_size + (of_pages ? 0 : count * size) + CHECKSUM;
  if (!HgLoadSummed(look, block, bytes, "FADB", &b) || !belongs(look, c, &b, at, HG_NO_ADDRESS))
    return false;
  const HgBytes map = HgBytesPart(&b, map_size);
  if (!of_pages) return elements(look, c, &b, count);
  return (HgInside(look, block + bytes, count * size + of_pages * CHECKSUM) || refuse(look)) &&
         pages(look, c, block + bytes, count, page, map);
}

/* ---- extensible arrays, with the numbers that HDF5 gives them ---- */
enum { DIRECT = 4, POINTERS = 4, SMALLEST = 16, BITS = 32, PAGE = 1024, SUPER = 1 + BITS - 4 };

typedef struct {
  const HgChunks *chunks;
  uint64_t header;
} Array;

/* Elements of a data block of super block s, and how many blocks it has. */
static uint64_t block_elements(int s) { return (uint64_t)SMALLEST << (s + 1) / 2; }

static uint64_t super_blocks(int s) { return 1ull << s / 2; }

static bool data_block(HgLook *look, const Array *a, uint64_t at, int s, uint64_t first,
                       HgBytes map) {
  enum { PREFIX = 18 };

  HgBytes b;
  const uint64_t count = block_elements(s),
                 size = PREFIX + CHECKSUM + (count > PAGE ? 0 : count * element_size(a->chunks));
  if (at == HG_NO_ADDRESS) return true;
  if (!HgLoadSummed(look, at, size, "EADB", &b) || !belongs(look, a->chunks, &b, a->header, first))
    return false;
  return count > PAGE ? pages(look, a->chunks, at + size, count, PAGE, map)
                      : elements(look, a->chunks, &b, count);
}

static bool super_block(HgLook *look, const Array *a, uint64_t at, int s, uint64_t first) {
  enum { PREFIX = 18 };

  HgBytes b;
  const uint64_t count = block_elements(s), blocks = super_blocks(s),
                 map_size = count > PAGE ? (count / PAGE + 7) / 8 : 0,
                 size = PREFIX + blocks * (map_size + 8) + CHECKSUM;
  if (at == HG_NO_ADDRESS) return true;
  if (!HgLoadSummed(look, at, size, "EASB", &b) || !belongs(look, a->chunks, &b, a->header, first))
    return false;
  HgBytes maps = HgBytesPart(&b, blocks * map_size);
  bool right = true;
  for (uint64_t k = 0; right && k < blocks; k++)
    right =
        data_block(look, a, HgBytesTake(&b, 8), s, first + k * count, HgBytesPart(&maps, map_size));
  return right;
}

/* Elements, data blocks of the first super blocks, the other super blocks. */
static bool index_block(HgLook *look, const Array *a, uint64_t at) {
  enum { PREFIX = 14, FIRST = 4 /* super blocks */, BLOCKS = 2 * (POINTERS - 1) };

  HgBytes b;
  const uint64_t size =
      PREFIX + DIRECT * element_size(a->chunks) + 8 * (uint64_t)(BLOCKS + SUPER - FIRST) + CHECKSUM;
  uint64_t first = 0;
  if (!HgLoadSummed(look, at, size, "EAIB", &b) ||
      !belongs(look, a->chunks, &b, a->header, HG_NO_ADDRESS) ||
      !elements(look, a->chunks, &b, DIRECT))
    return false;
  bool right = true;
  uint64_t block = 0; /* counted through the super blocks: so HDF5 numbers those of this block */
  for (int s = 0; right && s < SUPER; s++) {
    if (s >= FIRST) right = super_block(look, a, HgBytesTake(&b, 8), s, first);
    for (uint64_t k = 0; right && s < FIRST && k < super_blocks(s); k++)
      right = data_block(look, a, HgBytesTake(&b, 8), s, first + block++ * block_elements(s),
                         (HgBytes){0});
    first += super_blocks(s) * block_elements(s);
  }
  return right;
}

/* Bytes of an element, the five numbers of the layout in another order, six of what it holds, the
   fifth the elements that were ever set; address of the index block. */
bool HgExtensibleArrayLook(HgLook *look, const HgChunks *c, uint64_t at) {
  enum { HEADER = 72 };

  HgBytes b;
  const Array a = {c, at};
  if (!HgLoadSummed(look, at, HEADER, "EAHD", &b) || !begins(look, c, &b)) return false;
  const uint64_t size = HgBytesTake(&b, 1), numbers = HgBytesTake(&b, 5);
  HgBytesPart(&b, 32);
  const uint64_t set = HgBytesTake(&b, 8);
  HgBytesPart(&b, 8);
  const uint64_t index = HgBytesTake(&b, 8);
  /* HDF5 goes through all that were set, one by one */
  if (size != element_size(c) || numbers != 0x0a04100420 || set > look->end + (1 << 20) ||
      set > UINT32_MAX)
    return refuse(look);
  return index == HG_NO_ADDRESS || index_block(look, &a, index);
}

/* ---- B-trees ---- */
/* An element and where its chunk lies, in chunks. */
static bool record(HgLook *look, HgBytes b, void *context) { return element(look, context, &b); }

bool HgChunkTreeLook(HgLook *look, const HgChunks *c, uint64_t at, uint64_t node) {
  enum { PLAIN = 10, FILTERED };

  HgChunks copy = *c;
  return HgTreeLook(look, at, c->filters.any ? FILTERED : PLAIN,
                    element_size(c) + 8 * (size_t)c->extent->rank, node, record, &copy);
}

/* Size, mask and place of a chunk; the last place is the first that has no chunk. */
static bool key(HgLook *look, const HgChunks *c, HgBytes *b, uint64_t *bytes, uint64_t *mask) {
  *bytes = HgBytesTake(b, 4), *mask = HgBytesTake(b, 4);
  bool right = true;
  for (int k = 0; k < c->extent->rank; k++) right = HgBytesTake(b, 8) % c->size[k] == 0 && right;
  HgBytesPart(b, 8);
  return (right && !b->bad) || refuse(look);
}

/* Kind, level, entries, two neighbours; keys and children in turn. */
static bool node(HgLook *look, const HgChunks *c, uint64_t at, uint64_t level, bool root) {
  enum { CHUNKS = 1, PREFIX = 24, DEEPEST = 8 };

  HgBytes b;
  uint64_t bytes, mask;
  const uint64_t most = 2 * look->chunks, key_size = 8 * ((uint64_t)c->extent->rank + 2);
  if (!HgLoad(look, at, PREFIX + most * 8 + (most + 1) * key_size, "TREE", &b)) return false;
  const uint64_t kind = HgBytesTake(&b, 1), here = HgBytesTake(&b, 1), count = HgBytesTake(&b, 2);
  HgBytesPart(&b, 16);
  if (kind != CHUNKS || here > DEEPEST || (!root && here != level) || count > most ||
      (!root && !count))
    return refuse(look);
  bool right = true;
  for (uint64_t k = 0; right && k < count; k++) {
    right = key(look, c, &b, &bytes, &mask);
    const uint64_t child = HgBytesTake(&b, 8);
    right = right && (here ? node(look, c, child, here - 1, false)
                           : HgChunkLook(look, c, child, bytes, mask));
  }
  return right;
}

bool HgOldChunkTreeLook(HgLook *look, const HgChunks *c, uint64_t at) {
  return node(look, c, at, 0, true);
}
