/* SPDX-License-Identifier: BSD-2-Clause */
/* How a dataset is stored: fill value, filters, layout. */
#include "structure_parts_private.h"
#include <stdio.h>

enum { SHUFFLE = 2, FLETCHER, NAMED = 256 };

static bool fill_fits(HgLook *look, const HgBytes *b, uint64_t size, const HgType *type) {
  return (!b->bad && (size == 0 || size == type->size)) || HgRefuse(look, "the fill value");
}

/* Version 1, 2: time of allocation, time of writing, is there one, size and value if there is one,
   in version 1 always. Version 3: flags instead of these. */
bool HgFillLook(HgLook *look, HgBytes b, const HgType *type) {
  enum { THERE = 0x20, UNDEFINED = 0x10 };

  const uint64_t version = HgBytesTake(&b, 1);
  uint64_t flags, size = 0;
  if (version == 3) {
    flags = HgBytesTake(&b, 1);
    if (!(flags & 3) || (flags >> 2 & 3) == 3 || flags >> 6 || (flags & THERE && flags & UNDEFINED))
      return HgRefuse(look, "the fill value");
  } else {
    const uint64_t when = HgBytesTake(&b, 1), written = HgBytesTake(&b, 1), is = HgBytesTake(&b, 1);
    flags = is || version == 1 ? THERE : 0;
    if (version < 1 || version > 2 || !when || when > 3 || written > 2 || is > 1)
      return HgRefuse(look, "the fill value");
  }
  if (flags & THERE) {
    size = HgBytesTake(&b, 4);
    if (version < 3 && size == UINT32_MAX) size = 0; /* -1: undefined */
    HgBytesPart(&b, size);
  }
  return fill_fits(look, &b, size, type);
}

bool HgOldFillLook(HgLook *look, HgBytes b, const HgType *type) {
  const uint64_t size = HgBytesTake(&b, 4);
  HgBytesPart(&b, size);
  return fill_fits(look, &b, size, type);
}

/* Version, number, 6 bytes more in version 1; of each filter: which, length of its name (not in
   version 2 below 256), flags, number of its values; name, values, 4 bytes in version 1 if that is
   odd. */
bool HgFiltersLook(HgLook *look, HgBytes b, HgFilters *filters) {
  enum { MOST = 32, VALUES = 64 };

  const uint64_t version = HgBytesTake(&b, 1), count = HgBytesTake(&b, 1);
  bool right = (version == 1 || version == 2) && count && count <= MOST;
  if (version == 1) HgBytesPart(&b, 6);
  *filters = (HgFilters){true, true, (int)count, 0};
  for (uint64_t k = 0; right && k < count; k++) {
    const uint64_t which = HgBytesTake(&b, 2);
    const uint64_t name = version == 1 || which >= NAMED ? HgBytesTake(&b, 2) : 0;
    HgBytesPart(&b, 2);
    const uint64_t values = HgBytesTake(&b, 2);
    const HgBytes text = HgBytesPart(&b, version == 1 ? (name + 7) / 8 * 8 : name);
    HgBytesPart(&b, 4 * values + (version == 1 ? values % 2 * 4 : 0));
    right = !b.bad && which && values <= VALUES && (!name || !text.at[name - 1]);
    filters->plain = filters->plain && (which == FLETCHER || which == SHUFFLE);
    if (which == FLETCHER) filters->sums |= 1ull << k;
  }
  return right || HgRefuse(look, "the list of filters");
}

/* ---- layouts ---- */
static bool compact(HgLook *look, HgBytes b, uint64_t bytes) {
  const uint64_t size = HgBytesTake(&b, 2);
  HgBytesPart(&b, size);
  return (!b.bad && size == bytes) || HgRefuse(look, "the compact storage");
}

static bool contiguous(HgLook *look, HgBytes b, uint64_t bytes) {
  const uint64_t at = HgBytesTake(&b, 8), size = HgBytesTake(&b, 8);
  return (!b.bad && size == bytes && (at == HG_NO_ADDRESS || HgInside(look, at, size))) ||
         HgRefuse(look, "the contiguous storage");
}

/* The chunk has one axis more than the dataset: the bytes of an element. */
static bool chunk_fits(HgLook *look, HgBytes *b, uint64_t axes, int width, const HgType *type,
                       HgChunks *c) {
  const HgExtent *e = c->extent;
  bool right = e->rank > 0 && axes == (uint64_t)e->rank + 1 && width >= 1 && width <= 8;
  c->bytes = type->size;
  for (int k = 0; right && k < e->rank; k++) {
    const uint64_t size = c->size[k] = HgBytesTake(b, width);
    right = size && size <= UINT32_MAX / c->bytes && (size <= e->most[k] || !e->most[k]);
    c->bytes *= right ? size : 0;
  }
  right = right && HgBytesTake(b, width) == type->size && !b->bad;
  return right || HgRefuse(look, "the size of a chunk");
}

static uint64_t number_of_chunks(const HgChunks *c) {
  uint64_t n = 1;
  for (int k = 0; k < c->extent->rank; k++) {
    const uint64_t most = c->extent->most[k], chunks = most ? (most - 1) / c->size[k] + 1 : 0;
    if (chunks && n > (1ull << 62) / chunks) return HG_NO_ADDRESS;
    n *= chunks;
  }
  return n;
}

/* Flags, axes, bytes of a size, sizes; kind of the index, what it needs; its address. */
static bool chunked(HgLook *look, HgBytes b, const HgType *type, HgChunks *c) {
  enum { SINGLE = 1, IMPLICIT, FIXED, EXTENSIBLE, TREE, EDGES = 1, SINGLE_FILTERED = 2 };

  const uint64_t flags = HgBytesTake(&b, 1), axes = HgBytesTake(&b, 1);
  const int width = (int)HgBytesTake(&b, 1);
  if (!chunk_fits(look, &b, axes, width, type, c)) return false;
  const uint64_t kind = HgBytesTake(&b, 1);
  uint64_t bytes = c->bytes, mask = 0, parameter = 0;
  int open = 0; /* axes without a limit */
  for (int k = 0; k < c->extent->rank; k++) open += c->extent->most[k] == UINT64_MAX;
  const uint64_t chunks = open ? HG_NO_ADDRESS : number_of_chunks(c);
  bool right = !(flags & ~(uint64_t)(EDGES | SINGLE_FILTERED)) &&
               !(flags & SINGLE_FILTERED) == !(kind == SINGLE && c->filters.any);
  switch (kind) {
  case SINGLE:
    right = right && chunks <= 1;
    if (c->filters.any) bytes = HgBytesTake(&b, 8), mask = HgBytesTake(&b, 4);
    break;
  case IMPLICIT: right = right && !c->filters.any && chunks <= look->end; break;
  case FIXED:
    right = right && chunks != HG_NO_ADDRESS;
    parameter = HgBytesTake(&b, 1);
    break;
  case EXTENSIBLE: /* as HDF5 sets them, and its headers repeat */
    right = right && open == 1 && HgBytesTake(&b, 5) == 0x0a10040420;
    break;
  case TREE:
    parameter = HgBytesTake(&b, 4);
    right = right && open > 1 && HgBytesTake(&b, 2) == 0x2864;
    break;
  default: right = false;
  }
  const uint64_t at = HgBytesTake(&b, 8);
  if (!right || b.bad) return HgRefuse(look, "the index of the chunks");
  if (at == HG_NO_ADDRESS) return true;
  if (kind == SINGLE) return HgChunkLook(look, c, at, bytes, mask);
  if (kind == IMPLICIT)
    return HgInside(look, at, chunks * c->bytes) || HgRefuse(look, "the address of the chunks");
  if (kind == FIXED) return HgFixedArrayLook(look, c, at, (int)parameter);
  if (kind == EXTENSIBLE) return HgExtensibleArrayLook(look, c, at);
  return HgChunkTreeLook(look, c, at, parameter);
}

/* Axes, address of the index, sizes. */
static bool old_chunked(HgLook *look, HgBytes b, const HgType *type, HgChunks *c) {
  const uint64_t axes = HgBytesTake(&b, 1), at = HgBytesTake(&b, 8);
  return chunk_fits(look, &b, axes, 4, type, c) &&
         (at == HG_NO_ADDRESS || HgOldChunkTreeLook(look, c, at));
}

bool HgLayoutLook(HgLook *look, HgBytes b, const HgType *type, const HgExtent *extent,
                  const HgFilters *filters) {
  enum { COMPACT, CONTIGUOUS, CHUNKED, VIRTUAL };

  const uint64_t version = HgBytesTake(&b, 1), class = HgBytesTake(&b, 1);
  HgChunks c = {.extent = extent, .filters = *filters};
  if (class == VIRTUAL && version == 4) {
    snprintf(look->why, look->room, "dataset '%.64s' is virtual, expected data stored in the file",
             look->name);
    return false;
  }
  const uint64_t bytes =
      extent->count < (1ull << 62) / type->size ? extent->count * type->size : HG_NO_ADDRESS;
  if (version < 3 || version > 4 || class > CHUNKED || bytes == HG_NO_ADDRESS ||
      (filters->any && class != CHUNKED))
    return HgRefuse(look, "the layout");
  if (class == CONTIGUOUS) return contiguous(look, b, bytes);
  if (!HgRichLook(look)) return false;
  if (class == COMPACT) return compact(look, b, bytes);
  return version == 3 ? old_chunked(look, b, type, &c) : chunked(look, b, type, &c);
}
