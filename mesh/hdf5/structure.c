/* SPDX-License-Identifier: BSD-2-Clause */
#include "structure_parts_private.h"
#include <halograd/memory_library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  OBJECTS = 16384,
  HEADER_CHUNKS = 256,
  CHECKSUM = 4,
  LARGEST = 1 << 26 /* bytes of metadata of a file: memory while it is looked at */
};

/* ---- bytes ---- */
uint64_t HgBytesTake(HgBytes *b, int count) {
  uint64_t n = 0;
  const HgBytes part = HgBytesPart(b, (uint64_t)count);
  for (size_t k = part.left; k-- > 0;) n = n << 8 | part.at[k];
  return n;
}

HgBytes HgBytesPart(HgBytes *b, uint64_t count) {
  HgBytes part = {b->at, 0, false};
  if (count > b->left) {
    b->bad = part.bad = true;
    b->left = 0;
    return part;
  }
  part.left = (size_t)count;
  b->at += count, b->left -= (size_t)count;
  return part;
}

int HgWidth(uint64_t n) {
  int bits = 0;
  while (n >>= 1) bits++;
  return bits / 8 + 1;
}

bool HgRefuse(HgLook *look, const char what[]) {
  if (!look->why[0])
    snprintf(look->why, look->room,
             "%s of '%.64s' is damaged, or of a kind that is not read (h5repack -L may rewrite it)",
             what, look->name);
  return false;
}

bool HgOldLook(HgLook *look) {
  if (look->allowed == HG_STRUCTURE_OLD) return true;
  if (!look->why[0])
    snprintf(look->why, look->room,
             "'%.64s' has HDF5's old format without checksums, expected that of HDF5 1.10 (h5py: "
             "libver='v110'; nccopy -k nc4 -d 0 OLD NEW)",
             look->name);
  return false;
}

bool HgRichLook(HgLook *look) {
  return look->allowed != HG_STRUCTURE_IMAGE || HgRefuse(look, "the storage");
}

bool HgInside(const HgLook *look, uint64_t at, uint64_t size) {
  return at <= look->end && size <= look->end - at;
}

bool HgLoad(HgLook *look, uint64_t at, uint64_t size, const char signature[], HgBytes *b) {
  const size_t mark = strlen(signature);
  if (size < mark || !HgInside(look, at, size)) return HgRefuse(look, "the address of a part");
  look->loaded += size;
  if (look->loaded > look->end) return HgRefuse(look, "a part that is used twice");
  if (look->loaded > LARGEST) return HgRefuse(look, "the metadata, more than 64 MiB,");
  HgPart *const block = HgAllocate(1, sizeof *block + (size_t)size);
  if (!block) return HgRefuse(look, "no memory for a part");
  *block = (HgPart){look->part, at, size};
  look->part = block;
  look->parts++;
  if (!look->bytes(look->context, at, (size_t)size, block->bytes))
    return HgRefuse(look, "the address of a part");
  *b = (HgBytes){block->bytes + mark, (size_t)size - mark, false};
  return !memcmp(block->bytes, signature, mark) || HgRefuse(look, "the signature of a part");
}

bool HgLoadSummed(HgLook *look, uint64_t at, uint64_t size, const char signature[], HgBytes *b) {
  if (size < strlen(signature) + CHECKSUM) return HgRefuse(look, "the size of a part");
  if (!HgLoad(look, at, size, signature, b)) return false;
  b->left -= CHECKSUM;
  return HgSumLook(look, look->part->bytes, (size_t)size - CHECKSUM, b->at + b->left);
}

bool HgSumLook(HgLook *look, const unsigned char bytes[], size_t size, const unsigned char sum[]) {
  HgBytes b = {sum, CHECKSUM, false};
  return HgBytesTake(&b, CHECKSUM) == HgLookup3(bytes, size) ||
         HgRefuse(look, "the checksum of a part");
}

/* ---- objects ---- */
enum {
  NIL,
  EXTENT,
  LINK_INFO,
  TYPE,
  OLD_FILL,
  FILL,
  LINK,
  EXTERNAL,
  LAYOUT,
  GROUP_INFO = 0x0a,
  FILTERS,
  ATTRIBUTE,
  CONTINUATION = 0x10,
  OLD_GROUP,
  TIME,
  ATTRIBUTE_INFO = 0x15,
  REFERENCES,
  TYPES
};

/* A message is at most once in a header, but for NIL, LINK, ATTRIBUTE and CONTINUATION. */
typedef struct {
  bool old, ordered;
  HgBytes message[TYPES]; /* at NULL: none */
  int chunks;             /* that continuations have named */
  uint64_t at[HEADER_CHUNKS], size[HEADER_CHUNKS];
} Header;

static bool continuation(HgLook *look, HgBytes b, Header *h) {
  if (h->chunks == HEADER_CHUNKS) return HgRefuse(look, "the header");
  h->at[h->chunks] = HgBytesTake(&b, 8);
  h->size[h->chunks++] = HgBytesTake(&b, 8);
  return !b.bad || HgRefuse(look, "the continuation of the header");
}

static bool message(HgLook *look, unsigned type, HgBytes b, Header *h) {
  switch (type) {
  case NIL: return true;
  case LINK: return HgLinkLook(look, b);
  case ATTRIBUTE: return HgAttributeLook(look, b);
  case CONTINUATION: return continuation(look, b, h);
  case EXTERNAL:
    snprintf(look->why, look->room,
             "dataset '%.64s' is stored in other files, expected in this one", look->name);
    return false;
  case EXTENT:
  case LINK_INFO:
  case TYPE:
  case OLD_FILL:
  case FILL:
  case LAYOUT:
  case GROUP_INFO:
  case FILTERS:
  case OLD_GROUP:
  case TIME:
  case ATTRIBUTE_INFO:
  case REFERENCES:
    if (h->message[type].at) return HgRefuse(look, "a message, twice in the header");
    h->message[type] = b;
    return true;
  default: return HgRefuse(look, "a message in the header");
  }
}

/* Type, size, flags, order of creation if there is one. */
static bool messages(HgLook *look, HgBytes b, Header *h) {
  enum { CONSTANT = 1, UNSHARED = 4, FAIL_IF_WRITTEN = 8 };

  const size_t head = h->old ? 8 : h->ordered ? 6 : 4;
  while (b.left >= head) {
    const unsigned type = (unsigned)HgBytesTake(&b, h->old ? 2 : 1);
    const uint64_t size = HgBytesTake(&b, 2);
    const unsigned flags = (unsigned)HgBytesTake(&b, 1);
    HgBytesPart(&b, head - (h->old ? 5 : 4));
    const HgBytes m = HgBytesPart(&b, size);
    if (m.bad || (h->old && size % 8)) return HgRefuse(look, "the size of a message");
    if (type && flags & ~(unsigned)(CONSTANT | UNSHARED | FAIL_IF_WRITTEN))
      return HgRefuse(look, "a message that is shared or unknown");
    if (!message(look, type, m, h)) return false;
  }
  return true;
}

/* The first chunk: "OHDR", version, flags, 16 bytes of times and 4 of attributes if the flags say
   so, size in 1, 2, 4 or 8 bytes; messages; checksum. */
static bool new_header(HgLook *look, uint64_t at, Header *h) {
  enum { PREFIX = 6, MOST = PREFIX + 20 + 8, RESERVED = 0xc0 };

  unsigned char start[MOST];
  HgBytes b;
  if (!HgInside(look, at, MOST) || !look->bytes(look->context, at, MOST, start))
    return HgRefuse(look, "the header");
  const int flags = start[PREFIX - 1], width = 1 << (flags & 3);
  HgBytes s = {start + PREFIX, MOST - PREFIX, false};
  HgBytesPart(&s, (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0));
  const uint64_t size = HgBytesTake(&s, width), prefix = (uint64_t)(s.at - start);
  if (flags & RESERVED || size > look->end) return HgRefuse(look, "the header");
  h->ordered = flags & 4;
  if (!HgLoadSummed(look, at, prefix + size + CHECKSUM, "OHDR", &b)) return false;
  HgBytesPart(&b, prefix - 4);
  return messages(look, HgBytesPart(&b, size), h);
}

/* Version, 0, messages (2), references (4), size (4), 4 bytes without meaning. */
static bool old_header(HgLook *look, uint64_t at, Header *h) {
  enum { PREFIX = 16 };

  HgBytes b;
  h->old = true;
  if (!HgOldLook(look) || !HgLoad(look, at, PREFIX, "\1", &b)) return false;
  HgBytesPart(&b, 7);
  const uint64_t size = HgBytesTake(&b, 4);
  return HgLoad(look, at + PREFIX, size, "", &b) && messages(look, b, h);
}

static bool header(HgLook *look, uint64_t at, Header *h) {
  unsigned char start[5];
  if (!HgInside(look, at, sizeof start) || !look->bytes(look->context, at, sizeof start, start))
    return HgRefuse(look, "the header");
  if (memcmp(start, "OHDR\2", 5) ? !old_header(look, at, h) : !new_header(look, at, h))
    return false;
  for (int k = 0; k < h->chunks; k++) {
    HgBytes b;
    if (!(h->old ? HgLoad(look, h->at[k], h->size[k], "", &b)
                 : HgLoadSummed(look, h->at[k], h->size[k], "OCHK", &b)) ||
        !messages(look, b, h))
      return false;
  }
  return true;
}

static bool dataset(HgLook *look, const HgBytes m[]) {
  HgType type;
  HgExtent extent;
  HgFilters filters = {0};
  HgBytes of_type = m[TYPE];
  if (!m[EXTENT].at || !m[TYPE].at || !m[LAYOUT].at || m[LINK_INFO].at || m[OLD_GROUP].at ||
      m[GROUP_INFO].at)
    return HgRefuse(look, "the header");
  return HgTypeLook(look, &of_type, &type) && HgExtentLook(look, m[EXTENT], &extent) &&
         (!m[FILL].at || HgFillLook(look, m[FILL], &type)) &&
         (!m[OLD_FILL].at || HgOldFillLook(look, m[OLD_FILL], &type)) &&
         (!m[FILTERS].at || HgFiltersLook(look, m[FILTERS], &filters)) &&
         HgLayoutLook(look, m[LAYOUT], &type, &extent, &filters);
}

/* Version, flags; limits and estimates if the flags say so: 4 bytes each. */
static bool group_info(HgLook *look, HgBytes b) {
  const uint64_t version = HgBytesTake(&b, 1), flags = HgBytesTake(&b, 1);
  HgBytesPart(&b, (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0));
  return (!b.bad && version == 0 && flags < 4) || HgRefuse(look, "the description of the group");
}

static HgObject *object_at(const HgLook *look, uint64_t at) {
  for (int k = 0; k < look->objects; k++)
    if (look->object[k].at == at) return &look->object[k];
  return NULL;
}

bool HgIsOldGroup(const HgLook *look, uint64_t at, uint64_t tree, uint64_t heap) {
  const HgObject *const o = object_at(look, at);
  return o && o->tree == tree && o->heap == heap;
}

static bool group(HgLook *look, uint64_t at, const HgBytes m[]) {
  HgBytes g = m[OLD_GROUP];
  if (m[EXTENT].at || m[TYPE].at || m[FILL].at || m[OLD_FILL].at || m[FILTERS].at ||
      !m[OLD_GROUP].at == !m[LINK_INFO].at)
    return HgRefuse(look, "the header");
  if (!g.at)
    return (!m[GROUP_INFO].at || group_info(look, m[GROUP_INFO])) &&
           HgLinkInfoLook(look, m[LINK_INFO]);
  HgObject *const o = object_at(look, at);
  o->tree = HgBytesTake(&g, 8), o->heap = HgBytesTake(&g, 8);
  return !g.bad ? HgOldGroupLook(look, o->tree, o->heap) : HgRefuse(look, "the links");
}

static bool object(HgLook *look, uint64_t at) {
  Header *const h = HgAllocate(1, sizeof *h);
  if (!h) return HgRefuse(look, "no memory for the header");
  bool right = header(look, at, h);
  const HgBytes *const m = h->message;
  right = right && (m[LAYOUT].at ? dataset(look, m) : group(look, at, m));
  if (right && m[ATTRIBUTE_INFO].at)
    right = h->old ? HgRefuse(look, "the header") : HgAttributeInfoLook(look, m[ATTRIBUTE_INFO]);
  if (right && m[TIME].at) right = m[TIME].left >= 8 || HgRefuse(look, "the time");
  if (right && m[REFERENCES].at)
    right = (m[REFERENCES].left >= 5 && !h->old && !*m[REFERENCES].at) ||
            HgRefuse(look, "the number of links to");
  free(h);
  return right;
}

bool HgObjectLook(HgLook *look, uint64_t at, const char name[]) {
  if (object_at(look, at)) return true;
  const char *const outer = look->name;
  look->name = name;
  if (look->objects == OBJECTS) return HgRefuse(look, "the number, more than 16384, of objects");
  if (++look->depth > HG_DEEP) return HgRefuse(look, "the depth, more than 32 groups,");
  look->object[look->objects++] = (HgObject){at, HG_NO_ADDRESS, HG_NO_ADDRESS};
  const bool right = object(look, at);
  look->depth--;
  look->name = outer;
  return right;
}

/* ---- the file ---- */
static bool whole(HgLook *look, uint64_t end) {
  if (end > look->end)
    snprintf(look->why, look->room, "truncated or damaged HDF5 file, expected %llu bytes",
             (unsigned long long)end);
  look->end = end;
  return !look->why[0];
}

/* Signature, version, bytes of an address and of a length, flags, then the addresses of the file's
   first byte, of the extension's header, of the file's end and of the root group's header. */
static bool superblock(HgLook *look, HgBytes *b) {
  const uint64_t address = HgBytesTake(b, 1), length = HgBytesTake(b, 1);
  HgBytesPart(b, 1);
  const uint64_t first = HgBytesTake(b, 8), extension = HgBytesTake(b, 8), end = HgBytesTake(b, 8),
                 root = HgBytesTake(b, 8);
  if (address != 8 || length != 8 || first || extension != HG_NO_ADDRESS)
    return HgRefuse(look, "the superblock");
  if (!whole(look, end)) return false;
  return HgObjectLook(look, root, "/");
}

/* Three versions, of free space, root and shared messages, with 0 between; bytes of an address and
   of a length, 0; half of the entries of nodes; flags; addresses of the first byte, of free space,
   of the end, of a driver's block; the root's link: name, header, what is known of it. */
static bool old_superblock(HgLook *look, uint64_t version, HgBytes *b) {
  enum { MOST_HALF = 1 << 12 };

  const uint64_t versions = HgBytesTake(b, 4), address = HgBytesTake(b, 1),
                 length = HgBytesTake(b, 1);
  HgBytesPart(b, 1);
  look->leaf = (unsigned)HgBytesTake(b, 2), look->inner = (unsigned)HgBytesTake(b, 2);
  HgBytesPart(b, 4);
  if (version == 1) {
    look->chunks = (unsigned)HgBytesTake(b, 2);
    HgBytesPart(b, 2);
  }
  const uint64_t first = HgBytesTake(b, 8), space = HgBytesTake(b, 8), end = HgBytesTake(b, 8),
                 driver = HgBytesTake(b, 8);
  HgBytesPart(b, 8);
  const uint64_t root = HgBytesTake(b, 8), known = HgBytesTake(b, 4);
  if (!HgOldLook(look)) return false;
  if (versions || address != 8 || length != 8 || first || space != HG_NO_ADDRESS ||
      driver != HG_NO_ADDRESS || known > 1 || !look->leaf || !look->inner || !look->chunks ||
      look->leaf > MOST_HALF || look->inner > MOST_HALF || look->chunks > MOST_HALF)
    return HgRefuse(look, "the superblock");
  if (!whole(look, end)) return false;
  HgBytesPart(b, 4);
  const uint64_t tree = HgBytesTake(b, 8), heap = HgBytesTake(b, 8);
  if (!HgObjectLook(look, root, "/")) return false;
  return !known || HgIsOldGroup(look, root, tree, heap) || HgRefuse(look, "the superblock");
}

static int by_address(const void *a, const void *b) {
  const HgPart *const *x = a, *const *y = b;
  return ((*x)->at > (*y)->at) - ((*x)->at < (*y)->at);
}

static bool apart(HgLook *look) {
  const HgPart **const sorted = HgAllocate(look->parts + 1, sizeof *sorted);
  size_t n = 0;
  if (!sorted) return HgRefuse(look, "no memory for the parts");
  for (const HgPart *b = look->part; b; b = b->next) sorted[n++] = b;
  qsort(sorted, n, sizeof *sorted, by_address);
  bool right = true;
  for (size_t k = 1; k < n; k++)
    right = right && sorted[k]->at - sorted[k - 1]->at >= sorted[k - 1]->size;
  free(sorted);
  return right || HgRefuse(look, "a part that is used twice");
}

HgStructure HgStructureLook(HgStructureBytes *bytes, void *context, uint64_t size,
                            HgStructureAllowed allowed, size_t room, char why[]) {
  enum { NEW = 48, OLD = 96, OLD_1 = 100 };

  static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char start[sizeof signature + 1];
  HgLook look = {.bytes = bytes,
                 .context = context,
                 .end = size,
                 .allowed = allowed,
                 .name = "/",
                 .leaf = 4,
                 .inner = 16,
                 .chunks = 32,
                 .room = room,
                 .why = why};
  HgBytes b;
  why[0] = 0;
  if (!bytes(context, 0, sizeof start, start) || memcmp(start, signature, sizeof signature))
    return HG_STRUCTURE_ALIEN;
  const unsigned version = start[sizeof signature];
  look.object = HgAllocate(OBJECTS, sizeof *look.object);
  bool right = look.object != NULL || HgRefuse(&look, "no memory for the objects");
  if (version > 3) right = HgRefuse(&look, "the version of the superblock");
  if (right && version >= 2) right = HgLoadSummed(&look, 0, NEW, "\x89HDF", &b);
  else if (right) right = HgLoad(&look, 0, version ? OLD_1 : OLD, "\x89HDF", &b);
  if (right) {
    HgBytesPart(&b, sizeof start - 4);
    right = version < 2 ? old_superblock(&look, version, &b) : superblock(&look, &b);
  }
  right = right && apart(&look);
  for (HgPart *block; (block = look.part);) {
    look.part = block->next;
    free(block);
  }
  free(look.object);
  return right ? HG_STRUCTURE_SOUND : HG_STRUCTURE_REFUSED;
}
