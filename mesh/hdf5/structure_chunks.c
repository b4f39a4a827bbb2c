/* Where the chunks of a dataset are: one chunk, fixed and extensible arrays, B-trees of both
   versions. */
#include "structure_parts_private.h"

static bool refuse(HgLook *look) { return HgRefuse(look, "the index of the chunks"); }

/* A chunk as it is stored. */
static bool chunk(HgLook *look, const HgChunks *c, uint64_t at, uint64_t bytes, uint64_t mask) {
  uint64_t expected = c->bytes;
  for (uint64_t sums = c->filters.sums & ~mask; sums; sums &= sums - 1) expected += HG_CHECKSUM;
  const bool right = bytes && HgInside(look, at, bytes) && !(mask >> c->filters.filters) &&
                     (bytes == expected || (c->filters.any && !c->filters.plain));
  return right || HgRefuse(look, "the address or the size of a chunk");
}

/* Bytes of the size of a filtered chunk. */
static int size_width(const HgChunks *c) {
  const int width = 1 + (HgLog2(c->bytes) + 8) / 8;
  return width < 8 ? width : 8;
}

static uint64_t element_size(const HgChunks *c) {
  return 8 + (c->filters.any ? (uint64_t)size_width(c) + 4 : 0);
}

/* Address; size and mask if there are filters. */
static bool element(HgLook *look, const HgChunks *c, HgBytes *b) {
  const uint64_t at = HgBytesTake(b, 8);
  const uint64_t bytes = c->filters.any ? HgBytesTake(b, size_width(c)) : c->bytes;
  const uint64_t mask = c->filters.any ? HgBytesTake(b, 4) : 0;
  if (b->bad) return refuse(look);
  return at == HG_NO_ADDRESS || chunk(look, c, at, bytes, mask);
}

static bool elements(HgLook *look, const HgChunks *c, HgBytes *b, uint64_t count) {
  bool right = true;
  for (uint64_t k = 0; right && k < count; k++) right = element(look, c, b);
  return right;
}

/* ---- arrays ---- */
typedef struct {
  const HgChunks *chunks;
  uint64_t header; /* its address */
} Array;

/* A block of an array: version, whether chunks are filtered, the address of the header. */
static bool load(HgLook *look, const Array *a, uint64_t at, uint64_t size, const char signature[],
                 HgBytes *b) {
  return HgLoad(look, at, size + HG_CHECKSUM, signature, b) &&
         (HgBytesFields(b, "1=0 1=? 8=?", (uint64_t)a->chunks->filters.any, a->header) ||
          refuse(look));
}

/* Pages of a fixed array, each with a checksum, from `at` on; those that the bitmap has not were
   never written. */
static bool pages(HgLook *look, const HgChunks *c, uint64_t at, uint64_t count, uint64_t page,
                  HgBytes map) {
  bool right = true;
  for (uint64_t k = 0; right && k * page < count; k++) {
    const uint64_t here = count - k * page < page ? count - k * page : page,
                   size = here * element_size(c);
    HgBytes b;
    if (map.at[k / 8] >> (7 - k % 8) & 1)
      right = HgLoad(look, at, size + HG_CHECKSUM, "", &b) &&
              HgSumLook(look, b.at, (size_t)size, b.at + size) && elements(look, c, &b, here);
    at += size + HG_CHECKSUM;
  }
  return right;
}

/* Header: version, filtered, bytes of an element, bits of a page, elements, address of the block;
   block: bitmap of the pages if there are more than one, else elements. */
static bool fixed_array(HgLook *look, const HgChunks *c, uint64_t at, uint64_t page_bits,
                        uint64_t chunks) {
  enum { HEADER = 28, PREFIX = 14 };

  HgBytes b;
  const Array a = {c, at};
  uint64_t block;
  const uint64_t size = element_size(c);
  if (!HgLoad(look, at, HEADER, "FAHD", &b)) return false;
  if (!HgBytesFields(&b, "1=0 1=? 1=? 1=? 8=? 8", (uint64_t)c->filters.any, size, page_bits, chunks,
                     &block) ||
      page_bits < 1 || page_bits > 30 || chunks > look->end / 8)
    return refuse(look);
  if (block == HG_NO_ADDRESS) return true;
  const uint64_t page = 1ull << page_bits, of_pages = chunks > page ? (chunks - 1) / page + 1 : 0,
                 map_size = (of_pages + 7) / 8, used = PREFIX + map_size;
  if (!of_pages)
    return load(look, &a, block, used + chunks * size, "FADB", &b) && elements(look, c, &b, chunks);
  return load(look, &a, block, used, "FADB", &b) &&
         (HgInside(look, block + used, chunks * size + (of_pages + 1) * HG_CHECKSUM) ||
          refuse(look)) &&
         pages(look, c, block + used + HG_CHECKSUM, chunks, page, HgBytesPart(&b, map_size));
}

/* Extensible arrays, with the numbers that HDF5 gives them: 4 elements, then super blocks of data
   blocks, of which the first 4 have their addresses in the index block. Super block s has 2^(s / 2)
   data blocks of 16 * 2^((s + 1) / 2) elements. From s = 12 on these are cut into pages, which we do
   not read: there can be 65 520 chunks. */
enum { DIRECT = 4, FIRST = 4, LAST = 12, SUPER = 29 };

/* The number of its first element follows the address of the header. */
static bool data_block(HgLook *look, const Array *a, uint64_t at, uint64_t count, uint64_t first) {
  enum { PREFIX = 18 };

  HgBytes b;
  return at == HG_NO_ADDRESS ||
         (load(look, a, at, PREFIX + count * element_size(a->chunks), "EADB", &b) &&
          (HgBytesFields(&b, "4=?", first) || refuse(look)) &&
          elements(look, a->chunks, &b, count));
}

/* First element, data blocks. */
static bool super_block(HgLook *look, const Array *a, uint64_t at, int s, uint64_t first) {
  enum { PREFIX = 18 };

  HgBytes b;
  const uint64_t count = 16ull << (s + 1) / 2, blocks = 1ull << s / 2;
  if (at == HG_NO_ADDRESS) return true;
  if (s >= LAST) return HgRefuse(look, "the number of chunks, more than 65520,");
  if (!load(look, a, at, PREFIX + 8 * blocks, "EASB", &b)) return false;
  bool right = HgBytesFields(&b, "4=?", first) || refuse(look);
  for (uint64_t k = 0; right && k < blocks; k++)
    right = data_block(look, a, HgBytesTake(&b, 8), count, first + k * count);
  return right;
}

/* Elements, data blocks of the first super blocks, the other super blocks. */
static bool index_block(HgLook *look, const Array *a, uint64_t at) {
  enum { PREFIX = 14, BLOCKS = 6 };

  HgBytes b;
  if (!load(look, a, at,
            PREFIX + DIRECT * element_size(a->chunks) + 8ull * (BLOCKS + SUPER - FIRST), "EAIB",
            &b) ||
      !elements(look, a->chunks, &b, DIRECT))
    return false;
  bool right = true;
  uint64_t first = 0, block = 0; /* counted through: so HDF5 numbers those of this block */
  for (int s = 0; right && s < SUPER; s++) {
    const uint64_t count = 16ull << (s + 1) / 2, blocks = 1ull << s / 2;
    if (s >= FIRST) right = super_block(look, a, HgBytesTake(&b, 8), s, first);
    for (uint64_t k = 0; right && s < FIRST && k < blocks; k++)
      right = data_block(look, a, HgBytesTake(&b, 8), count, first + block++ * count);
    first += blocks * count;
  }
  return right;
}

/* Version, filtered, bytes of an element, the five numbers of the layout in another order, six of
   what it holds, the fifth the elements that were ever set; address of the index block. */
static bool extensible_array(HgLook *look, const HgChunks *c, uint64_t at) {
  enum { HEADER = 72 };

  HgBytes b;
  const Array a = {c, at};
  uint64_t set, index;
  if (!HgLoad(look, at, HEADER, "EAHD", &b)) return false;
  /* HDF5 goes through all that were set, one by one */
  if (!HgBytesFields(&b, "1=0 1=? 1=? 5=0a04100420 *32 8 *8 8", (uint64_t)c->filters.any,
                     element_size(c), &set, &index) ||
      set > look->end + (1 << 20) || set > UINT32_MAX)
    return refuse(look);
  return index == HG_NO_ADDRESS || index_block(look, &a, index);
}

/* ---- trees ---- */
/* An element and where its chunk lies, in chunks. */
static bool record(HgLook *look, HgBytes b, void *c) { return element(look, c, &b); }

/* A key: size, mask and place of a chunk; the last place is the first that has no chunk. */
static bool old_record(HgLook *look, HgBytes key, bool last, uint64_t at, void *context) {
  const HgChunks *const c = context;
  uint64_t bytes, mask;
  bool right = HgBytesFields(&key, "4 4", &bytes, &mask);
  for (int k = 0; !last && k < c->extent->rank; k++)
    right = HgBytesTake(&key, 8) % c->size[k] == 0 && right;
  if (!right || key.bad) return refuse(look);
  return at == HG_NO_ADDRESS || chunk(look, c, at, bytes, mask);
}

bool HgOldChunksLook(HgLook *look, const HgChunks *c, uint64_t at) {
  HgChunks copy = *c;
  const HgOldTree tree = {1, 2 * look->chunks, 8 * ((uint64_t)c->extent->rank + 2), old_record,
                          &copy};
  return at == HG_NO_ADDRESS || HgOldTreeLook(look, &tree, at);
}

/* ---- layouts ---- */
static uint64_t number_of_chunks(const HgChunks *c, int *open) {
  uint64_t n = 1;
  *open = 0;
  for (int k = 0; k < c->extent->rank; k++) {
    const uint64_t most = c->extent->most[k], chunks = most ? (most - 1) / c->size[k] + 1 : 0;
    *open += most == UINT64_MAX;
    if (n == HG_NO_ADDRESS || (chunks && n > (1ull << 62) / chunks)) n = HG_NO_ADDRESS;
    else n *= chunks;
  }
  return *open ? HG_NO_ADDRESS : n;
}

/* Kind of the index, what it needs; its address. */
bool HgChunksLook(HgLook *look, const HgChunks *c, uint64_t flags, HgBytes b) {
  enum { SINGLE = 1, FIXED = 3, EXTENSIBLE, TREE, PLAIN = 10, FILTERED };

  enum { EDGES = 1, SINGLE_FILTERED = 2 };

  HgChunks copy = *c;
  const uint64_t kind = HgBytesTake(&b, 1);
  const bool any = c->filters.any;
  uint64_t at, bytes = c->bytes, mask = 0, parameter = 0;
  int open; /* axes without a limit */
  const uint64_t chunks = number_of_chunks(c, &open);
  bool right = !(flags & ~(uint64_t)(EDGES | SINGLE_FILTERED)) &&
               !(flags & SINGLE_FILTERED) == !(kind == SINGLE && any);
  if (kind == SINGLE) {
    right = right && chunks <= 1;
    if (any) HgBytesFields(&b, "8 4", &bytes, &mask);
  } else if (kind == FIXED) {
    right = HgBytesFields(&b, "1", &parameter) && right && chunks != HG_NO_ADDRESS;
  } else if (kind == EXTENSIBLE) { /* as HDF5 sets them, and its headers repeat */
    right = HgBytesFields(&b, "5=0a10040420") && right && open == 1;
  } else {
    right = HgBytesFields(&b, "4 2=2864", &parameter) && right && kind == TREE && open > 1;
  }
  if (!HgBytesFields(&b, "8", &at) || !right) return refuse(look);
  if (at == HG_NO_ADDRESS) return true;
  if (kind == SINGLE) return chunk(look, c, at, bytes, mask);
  if (kind == FIXED) return fixed_array(look, c, at, parameter, chunks);
  if (kind == EXTENSIBLE) return extensible_array(look, c, at);
  return HgTreeLook(look, at, any ? FILTERED : PLAIN, element_size(c) + 8 * (size_t)c->extent->rank,
                    parameter, record, &copy);
}
