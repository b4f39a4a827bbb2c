/* SPDX-License-Identifier: BSD-2-Clause */
/* Links and attributes, in headers and in heaps: fractal heaps, B-trees of version 2. */
#include "structure_parts_private.h"
#include <halograd/memory_library.h>
#include <stdlib.h>
#include <string.h>

enum { CHECKSUM = 4, NODE = 512 /* bytes of a node of a tree of links or attributes */ };

/* ---- trees ---- */
typedef struct {
  int type;
  size_t record;
  uint64_t node, most_in_leaf;
  HgRecordLook *each;
  void *context;
} Tree;

static bool refuse_tree(HgLook *look) { return HgRefuse(look, "an index"); }

/* Signature, version, type, records, children: address, records, in all but the lowest records of
   all below; checksum. `most`: records of all below a node of the next level. *all: records found.
   */
static bool node(HgLook *look, const Tree *t, uint64_t at, uint64_t level, const uint64_t most[],
                 uint64_t records, uint64_t *all) {
  enum { PREFIX = 6 };

  HgBytes b;
  const int few = HgWidth(t->most_in_leaf), many = level > 1 ? HgWidth(most[level - 1]) : 0;
  const uint64_t pointer = level ? 8 + (uint64_t)few + (uint64_t)many : 0,
                 used =
                     PREFIX + CHECKSUM + records * t->record + (level ? records + 1 : 0) * pointer;
  if (used > t->node || !records || !HgInside(look, at, t->node)) return refuse_tree(look);
  if (!HgLoadSummed(look, at, used, level ? "BTIN" : "BTLF", &b)) return false;
  bool right = !HgBytesTake(&b, 1) && HgBytesTake(&b, 1) == (uint64_t)t->type;
  if (!right) return refuse_tree(look);
  *all = records;
  for (uint64_t k = 0; right && k < records; k++)
    right = t->each(look, HgBytesPart(&b, t->record), t->context);
  for (uint64_t k = 0; right && level && k <= records; k++) {
    const uint64_t child = HgBytesTake(&b, 8), here = HgBytesTake(&b, few),
                   below = many ? HgBytesTake(&b, many) : here;
    uint64_t found;
    right = node(look, t, child, level - 1, most, here, &found) &&
            (found == below || refuse_tree(look));
    *all += found;
  }
  return right;
}

/* Version, type, bytes of a node and of a record, depth, two percentages; root, its records, all
   records. */
bool HgTreeLook(HgLook *look, uint64_t at, int type, size_t record, uint64_t size,
                HgRecordLook *each, void *context) {
  enum { HEADER = 38, DEEPEST = 8, PREFIX = 10 };

  HgBytes b;
  uint64_t most[DEEPEST + 1], found = 0;
  if (!HgLoadSummed(look, at, HEADER, "BTHD", &b)) return false;
  const bool same = !HgBytesTake(&b, 1) && HgBytesTake(&b, 1) == (uint64_t)type &&
                    HgBytesTake(&b, 4) == size && HgBytesTake(&b, 2) == record;
  const uint64_t depth = HgBytesTake(&b, 2), shares = HgBytesTake(&b, 2), root = HgBytesTake(&b, 8),
                 records = HgBytesTake(&b, 2), all = HgBytesTake(&b, 8);
  if (!same || depth > DEEPEST || shares != 0x2864 || size < NODE || size > 1 << 16)
    return refuse_tree(look);
  const Tree t = {type, record, size, (size - PREFIX) / record, each, context};
  most[0] = t.most_in_leaf;
  for (uint64_t k = 1; k <= depth; k++) {
    const uint64_t pointer =
        8 + (uint64_t)HgWidth(most[0]) + (k > 1 ? (uint64_t)HgWidth(most[k - 1]) : 0);
    const uint64_t here = (size - PREFIX - pointer) / (record + pointer);
    most[k] = (here + 1) * most[k - 1] + here;
  }
  if (root == HG_NO_ADDRESS) return (!records && !all && !depth) || refuse_tree(look);
  return node(look, &t, root, depth, most, records, &found) && (found == all || refuse_tree(look));
}

/* ---- heaps, with the numbers that HDF5 gives those of links and attributes ---- */
enum { WIDTH = 4, LARGEST = 1 << 16, MANAGED = 4096, HUGE = 0x10 };

typedef struct {
  uint64_t first; /* byte of the heap */
  HgBytes bytes;  /* all of it */
} Piece;

typedef struct {
  uint64_t at, smallest, end; /* address; bytes of the smallest block; of all blocks */
  int offset_width, id_size;
  bool huge; /* there are objects of more than 4096 bytes, elsewhere */
  size_t pieces, room;
  Piece *piece; /* blocks with objects, in order */
} Heap;

static bool refuse_heap(HgLook *look) { return HgRefuse(look, "a heap"); }

/* Bytes of a block of row r of the doubling table, and of all rows before it. */
static uint64_t block_size(const Heap *h, int r) { return h->smallest << (r ? r - 1 : 0); }

static uint64_t row_begins(const Heap *h, int r) { return r ? WIDTH * h->smallest << (r - 1) : 0; }

/* Version, address of the heap, first byte: of blocks of both kinds. */
static bool belongs(HgLook *look, const Heap *h, HgBytes *b, uint64_t first) {
  const bool right =
      !HgBytesTake(b, 1) && HgBytesTake(b, 8) == h->at && HgBytesTake(b, h->offset_width) == first;
  return right || refuse_heap(look);
}

static bool direct(HgLook *look, Heap *h, uint64_t at, uint64_t first, uint64_t size) {
  HgBytes b;
  if (at == HG_NO_ADDRESS) return true;
  if (!HgLoad(look, at, size, "FHDB", &b)) return false;
  const HgBytes all = {b.at - 4, (size_t)size, false};
  if (!belongs(look, h, &b, first)) return false;
  unsigned char sum[CHECKSUM], *const place = look->part->bytes + (b.at - all.at);
  memcpy(sum, place, CHECKSUM);
  memset(place, 0, CHECKSUM); /* so it was when the sum was made */
  if (!HgSumLook(look, all.at, all.left, sum)) return false;
  if (h->pieces == h->room) {
    h->room = 2 * h->room + 8;
    Piece *const more = HgReallocate(h->piece, h->room * sizeof *more);
    if (!more) return HgRefuse(look, "no memory for a heap");
    h->piece = more;
  }
  h->piece[h->pieces++] = (Piece){first, all};
  return true;
}

static int log_2(uint64_t n) {
  int bits = 0;
  while (n >>= 1) bits++;
  return bits;
}

/* Rows of direct blocks, then rows of indirect ones. */
static bool indirect(HgLook *look, Heap *h, uint64_t at, uint64_t first, int rows) {
  HgBytes b;
  const int direct_rows = log_2(LARGEST / h->smallest) + 2;
  if (at == HG_NO_ADDRESS) return true;
  if (!HgLoadSummed(look, at,
                    4 + 9 + (uint64_t)h->offset_width + 8ull * WIDTH * (uint64_t)rows + CHECKSUM,
                    "FHIB", &b) ||
      !belongs(look, h, &b, first))
    return false;
  bool right = true;
  for (int k = 0; right && k < rows * WIDTH; k++) {
    const int r = k / WIDTH;
    const uint64_t size = block_size(h, r),
                   begin = first + row_begins(h, r) + (uint64_t)(k % WIDTH) * size,
                   child = HgBytesTake(&b, 8);
    right = r < direct_rows
                ? direct(look, h, child, begin, size)
                : indirect(look, h, child, begin, log_2(size / (h->smallest * WIDTH)) + 1);
  }
  return right;
}

/* Address, bytes, id of an attribute that is too large for blocks. */
static bool huge(HgLook *look, HgBytes record, void *context) {
  HgBytes b;
  (void)context;
  const uint64_t at = HgBytesTake(&record, 8), size = HgBytesTake(&record, 8);
  return HgLoad(look, at, size, "", &b) && HgAttributeLook(look, b);
}

/* Bytes of an id and of filters, flags, largest managed object; next huge id, tree of huge objects;
   free space and its manager; four of managed space; two of huge ones, two of tiny ones; the
   doubling table: width, smallest and largest block, bits, first rows; root, its rows. */
static bool heap(HgLook *look, Heap *h, uint64_t at, bool links) {
  enum { HEADER = 146, HUGE_TREE = 1 };

  HgBytes b;
  const uint64_t bits = links ? 32 : 40;
  *h = (Heap){.at = at,
              .smallest = links ? 512 : 1024,
              .offset_width = links ? 4 : 5,
              .id_size = links ? 7 : 8};
  if (!HgLoadSummed(look, at, HEADER, "FRHP", &b)) return false;
  bool right = !HgBytesTake(&b, 1) && HgBytesTake(&b, 2) == (uint64_t)h->id_size &&
               !HgBytesTake(&b, 2) && (HgBytesTake(&b, 1) & ~1ull) == 2 &&
               HgBytesTake(&b, 4) == MANAGED;
  HgBytesPart(&b, 8);
  const uint64_t tree = HgBytesTake(&b, 8);
  HgBytesPart(&b, 16);
  h->end = HgBytesTake(&b, 8);
  HgBytesPart(&b, 24 + 32);
  right = right && HgBytesTake(&b, 2) == WIDTH && HgBytesTake(&b, 8) == h->smallest &&
          HgBytesTake(&b, 8) == LARGEST && HgBytesTake(&b, 2) == bits && HgBytesTake(&b, 2) == 1;
  h->huge = tree != HG_NO_ADDRESS;
  if (!right || (h->huge && links)) return refuse_heap(look);
  if (h->huge && !HgTreeLook(look, tree, HUGE_TREE, 24, NODE, huge, NULL)) return false;
  const uint64_t root = HgBytesTake(&b, 8), rows = HgBytesTake(&b, 2);
  if (rows > bits - (uint64_t)log_2(h->smallest * WIDTH) + 1) return refuse_heap(look);
  return rows ? indirect(look, h, root, 0, (int)rows) : direct(look, h, root, 0, h->smallest);
}

/* What an id stands for: flags, first byte, size. *found at NULL: a huge object, which was looked
   at already. */
static bool find(HgLook *look, const Heap *h, HgBytes id, HgBytes *found) {
  const size_t head = 4 + 9 + (size_t)h->offset_width + CHECKSUM;
  const uint64_t flags = HgBytesTake(&id, 1);
  *found = (HgBytes){0};
  if (flags == HUGE && h->huge) return true;
  const uint64_t first = HgBytesTake(&id, h->offset_width), size = HgBytesTake(&id, 2);
  size_t low = 0, high = h->pieces; /* the last piece that begins at or before it */
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (h->piece[middle].first <= first) low = middle;
    else high = middle;
  }
  if (flags || !h->pieces || first < h->piece[low].first + head || !size || size > MANAGED ||
      first > h->end || size > h->end - first)
    return refuse_heap(look);
  HgBytes piece = h->piece[low].bytes;
  HgBytesPart(&piece, first - h->piece[low].first);
  *found = HgBytesPart(&piece, size);
  return !found->bad || refuse_heap(look);
}

/* ---- their records ---- */
/* Hash or order, then the id. */
static bool link_record(HgLook *look, HgBytes b, const Heap *h, uint64_t skip) {
  HgBytes link;
  HgBytesPart(&b, skip);
  return find(look, h, b, &link) && HgLinkLook(look, link);
}

static bool link_by_name(HgLook *look, HgBytes b, void *h) { return link_record(look, b, h, 4); }

static bool link_by_order(HgLook *look, HgBytes b, void *h) { return link_record(look, b, h, 8); }

/* Id, flags; order, hash. */
static bool attribute_record(HgLook *look, HgBytes b, void *context) {
  const Heap *const h = context;
  HgBytes attribute;
  const HgBytes id = HgBytesPart(&b, (uint64_t)h->id_size);
  if (HgBytesTake(&b, 1) & ~5ull) return HgRefuse(look, "a shared attribute");
  return find(look, h, id, &attribute) && (!attribute.at || HgAttributeLook(look, attribute));
}

/* Version, flags, an index of `index` bytes if the first flag is set; addresses of the heap, of the
   tree by name, of the tree by order if the second flag is set. */
static bool info(HgLook *look, HgBytes b, bool links) {
  enum { TRACKED = 1, INDEXED, LINK_NAME = 5, LINK_ORDER, ATTRIBUTE_NAME = 8, ATTRIBUTE_ORDER };

  const uint64_t version = HgBytesTake(&b, 1), flags = HgBytesTake(&b, 1);
  if (flags & TRACKED) HgBytesPart(&b, links ? 8 : 2);
  const uint64_t at = HgBytesTake(&b, 8), by_name = HgBytesTake(&b, 8),
                 by_order = flags & INDEXED ? HgBytesTake(&b, 8) : HG_NO_ADDRESS;
  Heap h = {0};
  if (b.bad || version || flags >> 2)
    return HgRefuse(look, links ? "the place of the links" : "the place of the attributes");
  if (at == HG_NO_ADDRESS)
    return (by_name == HG_NO_ADDRESS && by_order == HG_NO_ADDRESS) || refuse_heap(look);
  bool right = HgRichLook(look) && heap(look, &h, at, links);
  if (links)
    right =
        right && HgTreeLook(look, by_name, LINK_NAME, 11, NODE, link_by_name, &h) &&
        (!(flags & INDEXED) || HgTreeLook(look, by_order, LINK_ORDER, 15, NODE, link_by_order, &h));
  else
    right = right && HgTreeLook(look, by_name, ATTRIBUTE_NAME, 17, NODE, attribute_record, &h) &&
            (!(flags & INDEXED) ||
             HgTreeLook(look, by_order, ATTRIBUTE_ORDER, 13, NODE, attribute_record, &h));
  free(h.piece);
  return right;
}

bool HgLinkInfoLook(HgLook *look, HgBytes b) { return info(look, b, true); }

bool HgAttributeInfoLook(HgLook *look, HgBytes b) { return info(look, b, false); }

/* ---- their messages ---- */
/* Version, flags; kind, order, characters if the flags say so; length of the name in 1, 2, 4 or 8
   bytes, name; address of an object, or length and text of a link to elsewhere, which is not
   followed. */
bool HgLinkLook(HgLook *look, HgBytes b) {
  enum { HARD, SOFT, EXTERNAL = 64, KIND = 8, ORDER = 4, CHARACTERS = 16 };

  char name[64] = "";
  const uint64_t version = HgBytesTake(&b, 1), flags = HgBytesTake(&b, 1),
                 kind = flags & KIND ? HgBytesTake(&b, 1) : HARD;
  if (flags & ORDER) HgBytesPart(&b, 8);
  const uint64_t characters = flags & CHARACTERS ? HgBytesTake(&b, 1) : 0;
  const HgBytes text = HgBytesPart(&b, HgBytesTake(&b, 1 << (flags & 3)));
  if (b.bad || version != 1 || flags >> 5 || characters > 1 || !text.left ||
      memchr(text.at, 0, text.left) || memchr(text.at, '/', text.left))
    return HgRefuse(look, "a link");
  memcpy(name, text.at, text.left < sizeof name ? text.left : sizeof name - 1);
  if (kind == HARD) {
    const uint64_t at = HgBytesTake(&b, 8);
    return b.bad ? HgRefuse(look, "a link") : HgObjectLook(look, at, name);
  }
  const HgBytes to = HgBytesPart(&b, HgBytesTake(&b, 2));
  bool right = (kind == SOFT || kind == EXTERNAL) && to.left;
  if (kind == EXTERNAL) /* flags, two texts that end in 0 */
    right = right && to.left > 3 && !to.at[0] && !to.at[to.left - 1] &&
            (const unsigned char *)memchr(to.at + 1, 0, to.left - 1) < to.at + to.left - 1;
  return right || HgRefuse(look, "a link");
}

/* Version, flags or 0, sizes of name, type and extent, in version 3 characters; these, in version 1
   in places of multiples of 8 bytes; the values. */
bool HgAttributeLook(HgLook *look, HgBytes b) {
  const uint64_t version = HgBytesTake(&b, 1), flags = HgBytesTake(&b, 1);
  uint64_t size[3];
  HgBytes part[3];
  HgType type;
  HgExtent extent;
  for (int k = 0; k < 3; k++) size[k] = HgBytesTake(&b, 2);
  const uint64_t characters = version == 3 ? HgBytesTake(&b, 1) : 0;
  for (int k = 0; k < 3; k++) {
    HgBytes place = HgBytesPart(&b, version == 1 ? (size[k] + 7) / 8 * 8 : size[k]);
    part[k] = HgBytesPart(&place, size[k]);
  }
  if (b.bad || version < 1 || version > 3 || flags || characters > 1 || size[0] < 2 ||
      memchr(part[0].at, 0, size[0]) != part[0].at + size[0] - 1)
    return HgRefuse(look, "an attribute");
  if (!HgTypeLook(look, &part[1], &type) || !HgExtentLook(look, part[2], &extent)) return false;
  return extent.count <= b.left / type.size || HgRefuse(look, "an attribute");
}
