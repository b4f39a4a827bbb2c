/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of HDF5 before 1.8: a B-tree of nodes of links whose names lie in a heap. */
#include "structure_parts_private.h"
#include <string.h>

static bool refuse(HgLook *look) { return HgRefuse(look, "the links"); }

/* Version and 3 bytes, bytes of the names, first free byte, address of the names. Free places: the
   next one, 1: none; bytes. */
static bool names(HgLook *look, uint64_t at, HgBytes *text) {
  enum { HEADER = 32, LAST = 1, FREE = 16 };

  HgBytes b;
  if (!HgLoad(look, at, HEADER, "HEAP", &b)) return false;
  const bool right = !HgBytesTake(&b, 4);
  const uint64_t size = HgBytesTake(&b, 8), data = HgBytesTake(&b, 8);
  uint64_t space = data, left = size;
  const uint64_t place = HgBytesTake(&b, 8);
  if (!right || !HgLoad(look, place, size, "", text)) return refuse(look);
  while (space != LAST) {
    HgBytes f = *text;
    HgBytesPart(&f, space);
    const uint64_t next = HgBytesTake(&f, 8), bytes = HgBytesTake(&f, 8);
    if (f.bad || bytes < FREE || bytes > size - space || bytes > left) return refuse(look);
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
static bool link(HgLook *look, HgBytes b, HgBytes text) {
  enum { NOTHING, LINKS, SOFT };

  const char *const name = text_at(text, HgBytesTake(&b, 8));
  const uint64_t at = HgBytesTake(&b, 8), known = HgBytesTake(&b, 4);
  if (!name || !*name || strchr(name, '/') || known > SOFT) return refuse(look);
  HgBytesPart(&b, 4);
  if (known == SOFT) return text_at(text, HgBytesTake(&b, 4)) != NULL || refuse(look);
  if (!HgObjectLook(look, at, name)) return false;
  const uint64_t tree = HgBytesTake(&b, 8), heap = HgBytesTake(&b, 8);
  return known == NOTHING || HgIsOldGroup(look, at, tree, heap) || refuse(look);
}

/* Version, 0, links. */
static bool leaf(HgLook *look, uint64_t at, HgBytes text) {
  enum { PREFIX = 8, ENTRY = 40 };

  HgBytes b;
  const uint64_t most = 2 * look->leaf;
  if (!HgLoad(look, at, PREFIX + most * ENTRY, "SNOD", &b)) return false;
  bool right = HgBytesTake(&b, 2) == 1;
  const uint64_t count = HgBytesTake(&b, 2);
  if (!right || count > most) return refuse(look);
  for (uint64_t k = 0; right && k < count; k++) right = link(look, HgBytesPart(&b, ENTRY), text);
  return right;
}

/* Kind, level, entries, two neighbours; names and children in turn. */
static bool node(HgLook *look, uint64_t at, uint64_t level, bool root, HgBytes text) {
  enum { PREFIX = 24, DEEPEST = 8 };

  HgBytes b;
  const uint64_t most = 2 * look->inner;
  if (!HgLoad(look, at, PREFIX + most * 8 + (most + 1) * 8, "TREE", &b)) return false;
  const uint64_t kind = HgBytesTake(&b, 1), here = HgBytesTake(&b, 1), count = HgBytesTake(&b, 2);
  HgBytesPart(&b, 16);
  if (kind || here > DEEPEST || (!root && here != level) || count > most || (!root && !count))
    return refuse(look);
  bool right = true;
  for (uint64_t k = 0; right && k <= count; k++) {
    right = text_at(text, HgBytesTake(&b, 8)) != NULL || refuse(look);
    const uint64_t child = k < count ? HgBytesTake(&b, 8) : 0;
    if (right && k < count)
      right = here ? node(look, child, here - 1, false, text) : leaf(look, child, text);
  }
  return right;
}

bool HgOldGroupLook(HgLook *look, uint64_t tree, uint64_t heap) {
  HgBytes text;
  return HgOldLook(look) && names(look, heap, &text) && node(look, tree, 0, true, text);
}
