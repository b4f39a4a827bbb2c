/* Objects: headers and their messages, links, attributes, and groups of HDF5 before 1.8. */
#include "structure_parts_private.h"
#include <halograd/memory.h>
#include <stdlib.h>
#include <string.h>

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

#define SET(type) (1u << (type))
static const unsigned DATASET = SET(EXTENT) | SET(TYPE) | SET(LAYOUT),
                      OF_DATASETS = SET(EXTENT) | SET(TYPE) | SET(LAYOUT) | SET(OLD_FILL) |
                                    SET(FILL) | SET(FILTERS),
                      OF_GROUPS = SET(LINK_INFO) | SET(GROUP_INFO) | SET(OLD_GROUP),
                      OF_BOTH = SET(TIME) | SET(ATTRIBUTE_INFO) | SET(REFERENCES);

enum { HEADER_CHUNKS = 256 };

/* Messages that may be in a header once. */
typedef struct {
  bool old, ordered;
  unsigned there; /* SET()s of messages */
  HgBytes message[TYPES];
  int chunks; /* that continuations have named */
  uint64_t at[HEADER_CHUNKS], size[HEADER_CHUNKS];
} Header;

static bool continuation(HgLook *look, HgBytes b, Header *h) {
  if (h->chunks == HEADER_CHUNKS) return HgRefuse(look, "the header");
  const int k = h->chunks++;
  return HgBytesFields(&b, "8 8", &h->at[k], &h->size[k]) ||
         HgRefuse(look, "the continuation of the header");
}

static bool message(HgLook *look, uint64_t type, HgBytes b, Header *h) {
  switch (type) {
  case NIL: return true;
  case LINK: return HgLinkLook(look, b);
  case ATTRIBUTE: return HgAttributeLook(look, b);
  case CONTINUATION: return continuation(look, b, h);
  case EXTERNAL:
    return HgRefuseObject(look, "is stored in other files, expected a dataset of this one");
  }
  if (type >= TYPES || !(SET(type) & (OF_DATASETS | OF_GROUPS | OF_BOTH)))
    return HgRefuse(look, "a message in the header");
  if (h->there & SET(type)) return HgRefuse(look, "a message, twice in the header");
  h->there |= SET(type);
  h->message[type] = b;
  return true;
}

/* Type, size, flags, order of creation if there is one. */
static bool messages(HgLook *look, HgBytes b, Header *h) {
  enum { CONSTANT = 1, UNSHARED = 4, FAIL_IF_WRITTEN = 8 };

  const size_t head = h->old ? 8 : h->ordered ? 6 : 4;
  while (b.left >= head) {
    uint64_t type, size, flags;
    HgBytesFields(&b, "? 2 1 *?", h->old ? 2 : 1, &type, &size, &flags,
                  (int)head - (h->old ? 5 : 4));
    const HgBytes m = HgBytesPart(&b, size);
    if (m.bad || (h->old && size % 8)) return HgRefuse(look, "the size of a message");
    if (type && flags & ~(uint64_t)(CONSTANT | UNSHARED | FAIL_IF_WRITTEN))
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
  const int flags = start[PREFIX - 1];
  HgBytes s = {start + PREFIX, MOST - PREFIX, false};
  HgBytesPart(&s, (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0));
  const uint64_t size = HgBytesTake(&s, 1 << (flags & 3)), prefix = (uint64_t)(s.at - start);
  if (flags & RESERVED || size > look->end) return HgRefuse(look, "the header");
  h->ordered = flags & 4;
  if (!HgLoad(look, at, prefix + size + HG_CHECKSUM, "OHDR", &b)) return false;
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
  return HgLoad(look, at + PREFIX, HgBytesTake(&b, 4), "", &b) && messages(look, b, h);
}

static bool header(HgLook *look, uint64_t at, Header *h) {
  unsigned char start[5];
  if (!HgInside(look, at, sizeof start) || !look->bytes(look->context, at, sizeof start, start))
    return HgRefuse(look, "the header");
  if (memcmp(start, "OHDR\2", 5) ? !old_header(look, at, h) : !new_header(look, at, h))
    return false;
  for (int k = 0; k < h->chunks; k++) {
    HgBytes b;
    if (!HgLoad(look, h->at[k], h->size[k], h->old ? "" : "OCHK", &b) || !messages(look, b, h))
      return false;
  }
  return true;
}

/* ---- links and attributes ---- */
/* Version, flags; kind, order, characters if the flags say so; length of the name in 1, 2, 4 or 8
   bytes, name; address of an object, or length and text of a link to elsewhere, which is not
   followed. */
bool HgLinkLook(HgLook *look, HgBytes b) {
  enum { HARD, SOFT, EXTERNAL_LINK = 64, KIND = 8, ORDER = 4, CHARACTERS = 16 };

  char name[64] = "";
  uint64_t flags, kind, characters, at;
  bool right = HgBytesFields(&b, "1=1 1", &flags);
  right = HgBytesFields(&b, "? *? ?", flags & KIND ? 1 : 0, &kind, flags & ORDER ? 8 : 0,
                        flags & CHARACTERS ? 1 : 0, &characters) &&
          right;
  const HgBytes text = HgBytesPart(&b, HgBytesTake(&b, 1 << (flags & 3)));
  if (!right || b.bad || flags >> 5 || characters > 1 || !text.left ||
      memchr(text.at, 0, text.left) || memchr(text.at, '/', text.left))
    return HgRefuse(look, "a link");
  memcpy(name, text.at, text.left < sizeof name ? text.left : sizeof name - 1);
  if (kind == HARD)
    return HgBytesFields(&b, "8", &at) ? HgObjectLook(look, at, name) : HgRefuse(look, "a link");
  const HgBytes to = HgBytesPart(&b, HgBytesTake(&b, 2));
  right = (kind == SOFT || kind == EXTERNAL_LINK) && to.left;
  if (kind == EXTERNAL_LINK) /* flags, two texts that end in 0 */
    right = right && to.left > 3 && !to.at[0] && !to.at[to.left - 1] &&
            (const unsigned char *)memchr(to.at + 1, 0, to.left - 1) < to.at + to.left - 1;
  return right || HgRefuse(look, "a link");
}

/* Version, 0, sizes of name, type and extent, in version 3 characters; these, in version 1 in
   places of multiples of 8 bytes; the values. */
bool HgAttributeLook(HgLook *look, HgBytes b) {
  uint64_t version, size[3], characters;
  HgBytes part[3];
  HgType type;
  HgExtent extent;
  const bool right = HgBytesFields(&b, "1 1=0 2 2 2", &version, &size[0], &size[1], &size[2]);
  characters = version == 3 ? HgBytesTake(&b, 1) : 0;
  for (int k = 0; k < 3; k++) {
    HgBytes place = HgBytesPart(&b, version == 1 ? (size[k] + 7) / 8 * 8 : size[k]);
    part[k] = HgBytesPart(&place, size[k]);
  }
  if (!right || b.bad || version < 1 || version > 3 || characters > 1 || size[0] < 2 ||
      memchr(part[0].at, 0, size[0]) != part[0].at + size[0] - 1)
    return HgRefuse(look, "an attribute");
  if (!HgTypeLook(look, part[1], &type) || !HgExtentLook(look, part[2], &extent)) return false;
  return extent.count <= b.left / type.size || HgRefuse(look, "an attribute");
}

/* Version, flags, an index of `index` bytes if the first flag is set; addresses of the heap, of the
   tree by name, of the tree by order if the second flag is set. */
static bool places(HgLook *look, HgBytes b, bool links) {
  enum { TRACKED = 1, INDEXED };

  uint64_t flags, heap, by_name, by_order = HG_NO_ADDRESS;
  bool right = HgBytesFields(&b, "1=0 1", &flags);
  right = HgBytesFields(&b, "*? 8 8",
                        !(flags & TRACKED) ? 0
                        : links            ? 8
                                           : 2,
                        &heap, &by_name) &&
          right;
  if (flags & INDEXED) right = HgBytesFields(&b, "8", &by_order) && right;
  if (!right || flags >> 2 ||
      (heap == HG_NO_ADDRESS && (by_name != HG_NO_ADDRESS || by_order != HG_NO_ADDRESS)))
    return HgRefuse(look, links ? "the place of the links" : "the place of the attributes");
  return heap == HG_NO_ADDRESS ||
         (HgRichLook(look) && HgHeapLook(look, links, heap, by_name, flags & INDEXED, by_order));
}

/* ---- groups of HDF5 before 1.8: a tree of nodes of links whose names lie in a heap ---- */
static bool refuse_links(HgLook *look) { return HgRefuse(look, "the links"); }

/* Version and 3 bytes, bytes of the names, first free byte, address of the names. Free places: the
   next one, 1: none; bytes. */
static bool names(HgLook *look, uint64_t at, HgBytes *text) {
  enum { HEADER = 32, LAST = 1, FREE = 16 };

  HgBytes b;
  uint64_t size, space, place;
  if (!HgLoad(look, at, HEADER, "HEAP", &b)) return false;
  if (!HgBytesFields(&b, "4=0 8 8 8", &size, &space, &place)) return refuse_links(look);
  if (!HgLoad(look, place, size, "", text)) return false;
  for (uint64_t left = size; space != LAST;) {
    HgBytes f = *text;
    uint64_t next, bytes;
    HgBytesPart(&f, space);
    if (!HgBytesFields(&f, "8 8", &next, &bytes) || bytes < FREE || bytes > size - space ||
        bytes > left)
      return refuse_links(look);
    left -= bytes, space = next;
  }
  return true;
}

/* A text that begins there and ends within. */
static const char *text_at(HgBytes text, uint64_t first) {
  HgBytesPart(&text, first);
  return text.left && memchr(text.at, 0, text.left) ? (const char *)text.at : NULL;
}

/* Name, header, what is known of the object: nothing, its links, or the text of a soft link. */
static bool old_link(HgLook *look, HgBytes *b, HgBytes text) {
  enum { NOTHING, LINKS, SOFT };

  uint64_t at, object, known, tree, heap;
  if (!HgBytesFields(b, "8 8 4 *4 8 8", &at, &object, &known, &tree, &heap))
    return refuse_links(look);
  const char *const name = text_at(text, at);
  if (!name || !*name || strchr(name, '/') || known > SOFT) return refuse_links(look);
  if (known == SOFT) return text_at(text, tree & UINT32_MAX) != NULL || refuse_links(look);
  return HgObjectLook(look, object, name) &&
         (known == NOTHING || HgIsOldGroup(look, object, tree, heap) || refuse_links(look));
}

/* A key is the place of a name; children are blocks: version, 0, links. */
static bool old_links(HgLook *look, HgBytes key, bool last, uint64_t at, void *context) {
  enum { PREFIX = 8, ENTRY = 40 };

  HgBytes b;
  uint64_t count;
  const HgBytes *const text = context;
  if (!text_at(*text, HgBytesTake(&key, 8))) return refuse_links(look);
  if (last || at == HG_NO_ADDRESS) return true;
  if (!HgLoad(look, at, PREFIX + 2 * look->leaf * ENTRY, "SNOD", &b)) return false;
  bool right = HgBytesFields(&b, "2=1 2", &count) && count <= 2 * look->leaf;
  if (!right) return refuse_links(look);
  for (uint64_t k = 0; right && k < count; k++) right = old_link(look, &b, *text);
  return right;
}

/* ---- objects ---- */
static HgObject *object_at(const HgLook *look, uint64_t at) {
  for (int k = 0; k < look->objects; k++)
    if (look->object[k].at == at) return &look->object[k];
  return NULL;
}

bool HgIsOldGroup(const HgLook *look, uint64_t at, uint64_t tree, uint64_t heap) {
  const HgObject *const o = object_at(look, at);
  return o && o->tree == tree && o->heap == heap;
}

static bool old_group(HgLook *look, HgObject *o, HgBytes b) {
  HgBytes text;
  if (!HgBytesFields(&b, "8 8", &o->tree, &o->heap)) return refuse_links(look);
  const HgOldTree tree = {0, 2 * look->inner, 8, old_links, &text};
  return HgOldLook(look) && names(look, o->heap, &text) && HgOldTreeLook(look, &tree, o->tree);
}

/* Version, flags; limits and estimates if the flags say so: 4 bytes each. */
static bool group_info(HgLook *look, HgBytes b) {
  uint64_t flags;
  const bool right = HgBytesFields(&b, "1=0 1", &flags) && flags < 4;
  HgBytesPart(&b, (flags & 1 ? 4 : 0) + (flags & 2 ? 4 : 0));
  return (right && !b.bad) || HgRefuse(look, "the description of the group");
}

static bool dataset(HgLook *look, const Header *h) {
  HgType type;
  HgExtent extent;
  HgFilters filters = {0};
  const HgBytes *const m = h->message;
  if ((h->there & DATASET) != DATASET || h->there & OF_GROUPS) return HgRefuse(look, "the header");
  return HgTypeLook(look, m[TYPE], &type) && HgExtentLook(look, m[EXTENT], &extent) &&
         (!m[FILL].at || HgFillLook(look, m[FILL], &type)) &&
         (!m[OLD_FILL].at || HgOldFillLook(look, m[OLD_FILL], &type)) &&
         (!m[FILTERS].at || HgFiltersLook(look, m[FILTERS], &filters)) &&
         HgLayoutLook(look, m[LAYOUT], &type, &extent, &filters);
}

static bool object(HgLook *look, HgObject *o, Header *h) {
  const HgBytes *const m = h->message;
  if (!header(look, o->at, h)) return false;
  if (m[LAYOUT].at) {
    if (!dataset(look, h)) return false;
  } else if (h->there & OF_DATASETS || !m[OLD_GROUP].at == !m[LINK_INFO].at) {
    return HgRefuse(look, "the header");
  } else if (m[OLD_GROUP].at ? !old_group(look, o, m[OLD_GROUP])
                             : (m[GROUP_INFO].at && !group_info(look, m[GROUP_INFO])) ||
                                   !places(look, m[LINK_INFO], true)) {
    return false;
  }
  if (m[ATTRIBUTE_INFO].at && h->old) return HgRefuse(look, "the header");
  if (m[ATTRIBUTE_INFO].at && !places(look, m[ATTRIBUTE_INFO], false)) return false;
  if (m[TIME].at && m[TIME].left < 8) return HgRefuse(look, "the time");
  return !m[REFERENCES].at || (m[REFERENCES].left >= 5 && !h->old && !*m[REFERENCES].at) ||
         HgRefuse(look, "the number of links to");
}

bool HgObjectLook(HgLook *look, uint64_t at, const char name[]) {
  if (object_at(look, at)) return true;
  const char *const outer = look->name;
  look->name = name;
  if (look->objects == HG_OBJECTS) return HgRefuse(look, "the number, more than 16384, of objects");
  if (++look->depth > HG_DEEP) return HgRefuse(look, "the depth, more than 32 groups,");
  Header *const h = HgAllocate(1, sizeof *h);
  if (!h) return HgRefuse(look, "no memory for the header");
  HgObject *const o = &look->object[look->objects++];
  *o = (HgObject){at, HG_NO_ADDRESS, HG_NO_ADDRESS};
  const bool right = object(look, o, h);
  free(h);
  look->depth--;
  look->name = outer;
  return right;
}
