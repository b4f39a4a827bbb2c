/* B-trees of both versions, and the heaps of links and attributes. */
#include "structure_parts_private.h"
#include <halograd/memory.h>
#include <stdlib.h>
#include <string.h>

enum { NODE = 512 /* bytes of a node of a tree of links or attributes */, DEEPEST = 8 };

static bool refuse_tree(HgLook *look) { return HgRefuse(look, "an index"); }

/* ---- version 1 ---- */
/* Kind, level, entries, two neighbours; keys and children in turn. */
static bool old_node(HgLook *look, const HgOldTree *t, uint64_t at, uint64_t level, bool root) {
  enum { PREFIX = 24 };

  HgBytes b;
  uint64_t here, count;
  if (!HgLoad(look, at, PREFIX + t->most * 8 + (t->most + 1) * t->key, "TREE", &b)) return false;
  if (!HgBytesFields(&b, "1=? 1 2 *16", (uint64_t)t->kind, &here, &count) || here > DEEPEST ||
      count > t->most || (!root && (here != level || !count)))
    return refuse_tree(look);
  bool right = true;
  for (uint64_t k = 0; right && k <= count; k++) {
    const HgBytes key = HgBytesPart(&b, t->key);
    const bool last = k == count;
    const uint64_t child = last ? HG_NO_ADDRESS : HgBytesTake(&b, 8);
    if (!last && child == HG_NO_ADDRESS) return refuse_tree(look);
    right = t->each(look, key, last, here ? HG_NO_ADDRESS : child, t->context) &&
            (last || !here || old_node(look, t, child, here - 1, false));
  }
  return right;
}

bool HgOldTreeLook(HgLook *look, const HgOldTree *tree, uint64_t at) {
  return old_node(look, tree, at, 0, true);
}

/* ---- version 2 ---- */
typedef struct {
  int type;
  size_t record;
  uint64_t node, most[DEEPEST + 1]; /* records of a leaf, of all below a node of the next level */
  HgRecordLook *each;
  void *context;
} Tree;

/* Bytes of a child's address, of its records, and in all but the lowest nodes of all below it. */
static uint64_t pointer_size(const Tree *t, uint64_t level) {
  if (!level) return 0;
  return 8 + (uint64_t)HgWidth(t->most[0]) +
         (level > 1 ? (uint64_t)HgWidth(t->most[level - 1]) : 0);
}

/* Version, type, records, children; checksum. *all: records found. */
static bool node(HgLook *look, const Tree *t, uint64_t at, uint64_t level, uint64_t records,
                 uint64_t *all) {
  enum { PREFIX = 6 };

  HgBytes b;
  const uint64_t used =
      PREFIX + HG_CHECKSUM + records * t->record + (records + 1) * pointer_size(t, level);
  if (used > t->node || !records || !HgInside(look, at, t->node)) return refuse_tree(look);
  if (!HgLoad(look, at, used, level ? "BTIN" : "BTLF", &b)) return false;
  bool right = HgBytesFields(&b, "1=0 1=?", (uint64_t)t->type) || refuse_tree(look);
  *all = records;
  for (uint64_t k = 0; right && k < records; k++)
    right = t->each(look, HgBytesPart(&b, t->record), t->context);
  for (uint64_t k = 0; right && level && k <= records; k++) {
    uint64_t child, here, below, found;
    HgBytesFields(&b, "8 ? ?", &child, HgWidth(t->most[0]), &here,
                  level > 1 ? HgWidth(t->most[level - 1]) : 0, &below);
    right = node(look, t, child, level - 1, here, &found) &&
            (found == (level > 1 ? below : here) || refuse_tree(look));
    if (right) *all += found;
  }
  return right;
}

/* Version, type, bytes of a node and of a record, depth, two percentages; root, its records, all
   records. */
bool HgTreeLook(HgLook *look, uint64_t at, int type, size_t record, uint64_t size,
                HgRecordLook *each, void *context) {
  enum { HEADER = 38, PREFIX = 10 };

  HgBytes b;
  Tree t = {type, record, size, {(size - PREFIX) / record}, each, context};
  uint64_t depth, root, records, all, found = 0;
  if (size < NODE || size > 1 << 16) return refuse_tree(look);
  if (!HgLoad(look, at, HEADER, "BTHD", &b)) return false;
  if (!HgBytesFields(&b, "1=0 1=? 4=? 2=? 2 2=2864 8 2 8", (uint64_t)type, size, (uint64_t)record,
                     &depth, &root, &records, &all) ||
      depth > DEEPEST)
    return refuse_tree(look);
  for (uint64_t k = 1; k <= depth; k++) {
    const uint64_t pointer = pointer_size(&t, k),
                   here = (size - PREFIX - pointer) / (record + pointer);
    t.most[k] = (here + 1) * t.most[k - 1] + here;
  }
  if (root == HG_NO_ADDRESS) return (!records && !all && !depth) || refuse_tree(look);
  return node(look, &t, root, depth, records, &found) && (found == all || refuse_tree(look));
}

/* ---- heaps, with the numbers that HDF5 gives those of links and attributes ---- */
/* Blocks are numbered in rows of a width of 4: two rows of the smallest size, then each of twice
   that of the row before, up to the largest. HDF5 can nest further rows, of which we read none: a
   heap has 512 KiB at most. */
enum { WIDTH = 4, LARGEST = 1 << 16, MANAGED = 4096, HUGE = 0x10, ROWS = 9 };

typedef struct {
  bool links, huge;                /* huge: there are objects of more than 4096 bytes, elsewhere */
  uint64_t at, smallest, end;      /* address; bytes of the smallest block; of all blocks */
  int offset_width, id_size, skip; /* skip: bytes of a record of the tree before its id */
  uint64_t first[ROWS * WIDTH];    /* byte of the heap with which a block begins */
  HgBytes block[ROWS * WIDTH];     /* all of it, or none */
} Heap;

static bool refuse_heap(HgLook *look) { return HgRefuse(look, "a heap"); }

/* Version, address of the heap, first byte, checksum, objects. */
static bool direct(HgLook *look, Heap *h, int k, uint64_t at, uint64_t first, uint64_t size) {
  HgBytes b;
  if (at == HG_NO_ADDRESS) return true;
  if (!HgLoad(look, at, size, "FHDB", &b)) return false;
  h->first[k] = first;
  h->block[k] = (HgBytes){b.at - 4, (size_t)size, false};
  if (!HgBytesFields(&b, "1=0 8=? ?=?", h->at, h->offset_width, first)) return refuse_heap(look);
  unsigned char sum[HG_CHECKSUM], *const place = look->part->bytes + (b.at - h->block[k].at);
  memcpy(sum, place, HG_CHECKSUM);
  memset(place, 0, HG_CHECKSUM); /* so it was when the sum was made */
  return HgSumLook(look, look->part->bytes, (size_t)size, sum);
}

/* Version, address of the heap, first byte, addresses of blocks; checksum. */
static bool indirect(HgLook *look, Heap *h, uint64_t at, uint64_t rows) {
  HgBytes b;
  if (at == HG_NO_ADDRESS) return true;
  if (!HgLoad(look, at, 4 + 9 + (uint64_t)h->offset_width + 8 * WIDTH * rows + HG_CHECKSUM, "FHIB",
              &b))
    return false;
  if (!HgBytesFields(&b, "1=0 8=? ?=0", h->at, h->offset_width)) return refuse_heap(look);
  bool right = true;
  uint64_t first = 0;
  for (int k = 0; right && k < (int)rows * WIDTH; k++) {
    const int row = k / WIDTH;
    const uint64_t size = h->smallest << (row ? row - 1 : 0);
    right = direct(look, h, k, HgBytesTake(&b, 8), first, size);
    first += size;
  }
  return right;
}

/* Address, bytes, id of an attribute that is too large for blocks. */
static bool huge(HgLook *look, HgBytes record, void *context) {
  HgBytes b;
  uint64_t at, size;
  (void)context;
  HgBytesFields(&record, "8 8", &at, &size);
  return HgLoad(look, at, size, "", &b) && HgAttributeLook(look, b);
}

/* Bytes of an id and of filters, flags, largest managed object; next huge id, tree of huge objects;
   free space and its manager; four of managed space, the first the bytes of blocks; two of huge
   ones, two of tiny ones; the doubling table: width, smallest and largest block, bits, first rows;
   root, its rows, 0: it is a block. */
static bool heap(HgLook *look, Heap *h) {
  enum { HEADER = 146, HUGE_TREE = 1 };

  HgBytes b;
  uint64_t flags, tree, root, rows;
  if (!HgLoad(look, h->at, HEADER, "FRHP", &b)) return false;
  const bool right = HgBytesFields(&b, "1=0 2=? 2=0 1 4=? *8 8 *16 8 *56 2=? 8=? 8=? 2=? 2=1 8 2",
                                   (uint64_t)h->id_size, &flags, (uint64_t)MANAGED, &tree, &h->end,
                                   (uint64_t)WIDTH, h->smallest, (uint64_t)LARGEST,
                                   (uint64_t)(8 * h->offset_width), &root, &rows);
  h->huge = tree != HG_NO_ADDRESS;
  if (!right || (flags & ~1ull) != 2 || (h->huge && h->links) ||
      rows > (uint64_t)HgLog2(LARGEST / h->smallest) + 2)
    return refuse_heap(look);
  if (h->huge && !HgTreeLook(look, tree, HUGE_TREE, 24, NODE, huge, NULL)) return false;
  return rows ? indirect(look, h, root, rows) : direct(look, h, 0, root, 0, h->smallest);
}

/* A hash or an order before the id of a link; flags, and more, behind that of an attribute. The id:
   flags, first byte, size. Huge objects were looked at already. */
static bool heap_record(HgLook *look, HgBytes b, void *context) {
  const Heap *const h = context;
  const size_t head = 4 + 9 + (size_t)h->offset_width + HG_CHECKSUM;
  uint64_t flags, first, size, shared = 0;
  HgBytesPart(&b, (uint64_t)h->skip);
  HgBytes id = HgBytesPart(&b, (uint64_t)h->id_size);
  HgBytesFields(&id, "1 ? 2", &flags, h->offset_width, &first, &size);
  if (!h->links) shared = HgBytesTake(&b, 1);
  if (shared & ~5ull) return HgRefuse(look, "a shared attribute");
  if (flags == HUGE && h->huge) return true;
  for (int k = 0; k < ROWS * WIDTH && !flags; k++) {
    HgBytes block = h->block[k];
    if (!block.at || first < h->first[k] + head || first - h->first[k] >= block.left) continue;
    HgBytesPart(&block, first - h->first[k]);
    const HgBytes found = HgBytesPart(&block, size);
    if (found.bad || !size || size > MANAGED || first > h->end || size > h->end - first) break;
    return h->links ? HgLinkLook(look, found) : HgAttributeLook(look, found);
  }
  return refuse_heap(look);
}

bool HgHeapLook(HgLook *look, bool links, uint64_t at, uint64_t by_name, bool ordered,
                uint64_t by_order) {
  enum { LINK_NAME = 5, LINK_ORDER, ATTRIBUTE_NAME = 8, ATTRIBUTE_ORDER };

  Heap h = links
               ? (Heap){.links = true, .smallest = 512, .offset_width = 4, .id_size = 7, .skip = 4}
               : (Heap){.smallest = 1024, .offset_width = 5, .id_size = 8};
  h.at = at;
  if (!heap(look, &h) || !HgTreeLook(look, by_name, links ? LINK_NAME : ATTRIBUTE_NAME,
                                     links ? 11 : 17, NODE, heap_record, &h))
    return false;
  h.skip = links ? 8 : 0;
  return !ordered || HgTreeLook(look, by_order, links ? LINK_ORDER : ATTRIBUTE_ORDER,
                                links ? 15 : 13, NODE, heap_record, &h);
}
