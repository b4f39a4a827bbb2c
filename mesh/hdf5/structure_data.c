/* What a dataset or an attribute says of its numbers: type, extent, fill value, filters, layout. */
#include "structure_parts_private.h"
#include <string.h>

/* ---- types: numbers, texts, enumerations of numbers; references, lists of any length and
   compounds of these, which dimension scales are made of ---- */
enum { INTEGER, FLOAT, STRING = 3, COMPOUND = 6, REFERENCE, ENUMERATION, LIST };

static bool any(HgLook *look, HgBytes *b, int depth, HgType *type);

/* A name that ends in 0; before version 3 its place is a multiple of 8 bytes. */
static bool name(HgBytes *b, unsigned version) {
  const unsigned char *const end = b->left ? memchr(b->at, 0, b->left) : NULL;
  const size_t size = end ? (size_t)(end - b->at) + 1 : 1;
  HgBytesPart(b, version < 3 ? (size + 7) / 8 * 8 : size);
  return end && size > 1 && !b->bad;
}

/* Offset and number of bits, within the size. */
static bool of_integer(HgBytes *b, uint64_t size) {
  uint64_t offset, precision;
  return HgBytesFields(b, "2 2", &offset, &precision) && precision &&
         offset + precision <= 8 * size;
}

/* Sign, exponent and mantissa are bits within the precision, apart from each other. */
static bool of_float(HgBytes *b, uint64_t size, uint64_t sign) {
  uint64_t offset, precision, e, e_size, m, m_size;
  return HgBytesFields(b, "2 2 1 1 1 1 *4", &offset, &precision, &e, &e_size, &m, &m_size) &&
         precision && offset + precision <= 8 * size && e_size && m_size && sign < precision &&
         e + e_size <= precision && m + m_size <= precision &&
         (e + e_size <= m || m + m_size <= e) && (sign < e || sign >= e + e_size) &&
         (sign < m || sign >= m + m_size);
}

/* Members: name, offset, in version 1 a number of axes, which is 0, and 27 bytes, type. They do not
   overlap, and come in the order of their offsets. */
static bool of_compound(HgLook *look, HgBytes *b, unsigned version, uint64_t members, int depth,
                        HgType *type) {
  uint64_t end = 0, offset, axes;
  for (uint64_t k = 0; k < members; k++) {
    HgType member;
    if (!name(b, version) ||
        !HgBytesFields(b, "? ? *?", version < 3 ? 4 : HgWidth(type->size), &offset,
                       version == 1 ? 1 : 0, &axes, version == 1 ? 27 : 0) ||
        axes || !any(look, b, depth, &member) || offset < end || offset + member.size > type->size)
      return false;
    end = offset + member.size;
    type->followed = type->followed || member.followed;
  }
  return members > 0;
}

/* Base type, names, values. */
static bool of_enumeration(HgLook *look, HgBytes *b, unsigned version, uint64_t members, int depth,
                           uint64_t size) {
  HgType base;
  bool right = members && any(look, b, depth, &base) && base.size == size && !base.followed;
  for (uint64_t k = 0; right && k < members; k++) right = name(b, version);
  if (right) HgBytesPart(b, members * size);
  return right;
}

/* Class and version, 24 bits, size, what the class needs. */
static bool any(HgLook *look, HgBytes *b, int depth, HgType *type) {
  enum { DEEP = 4, BYTES = 1 << 24 };

  uint64_t first, bits, size;
  HgType base;
  HgBytesFields(b, "1 3 4", &first, &bits, &size);
  const unsigned class = first & 15, version = (unsigned)(first >> 4);
  *type = (HgType){size, class == REFERENCE || class == LIST};
  if (version > 3)
    return HgRefuseObject(look, "has a type as HDF5 1.12 and later write it, expected 1.10 (h5py: "
                                "libver='v110'; h5repack -k 2)");
  if (depth == DEEP || !version || !size || size > BYTES) return false;
  bool right = false;
  switch (class) {
  case INTEGER: right = !(bits & ~0xfull) && size <= 16 && of_integer(b, size); break;
  case FLOAT: right = !(bits & ~0xff3full) && size <= 16 && of_float(b, size, bits >> 8); break;
  case STRING: right = (bits & 15) <= 2 && bits >> 4 <= 1; break;
  case COMPOUND:
    right = bits >> 16 == 0 && of_compound(look, b, version, bits, depth + 1, type);
    break;
  case REFERENCE: right = (bits == 0 && size == 8) || (bits == 1 && size == 12); break;
  case ENUMERATION:
    right = bits >> 16 == 0 && of_enumeration(look, b, version, bits, depth + 1, size);
    break;
  case LIST: right = !(bits & ~0x1f1ull) && size == 16 && any(look, b, depth + 1, &base); break;
  }
  return right && !b->bad;
}

bool HgTypeLook(HgLook *look, HgBytes b, HgType *type) {
  return any(look, &b, 0, type) || HgRefuse(look, "a type");
}

/* Version, rank, flags, kind or nothing, 4 bytes more in version 1, sizes, limits if the flags say
   so. */
bool HgExtentLook(HgLook *look, HgBytes b, HgExtent *extent) {
  enum { SCALAR, SIMPLE, NONE };

  uint64_t version, rank, flags, kind;
  bool right = HgBytesFields(&b, "1 1 1 1", &version, &rank, &flags, &kind);
  if (version == 1) {
    kind = rank ? SIMPLE : SCALAR;
    HgBytesPart(&b, 4);
  }
  if (!right || version < 1 || version > 2 || rank > HG_AXES || flags > 1 || kind > NONE ||
      (kind == SIMPLE) != (rank > 0))
    return HgRefuse(look, "an extent");
  *extent = (HgExtent){.rank = kind == NONE ? -1 : (int)rank, .count = kind != NONE};
  for (int k = 0; k < (int)rank; k++) {
    const uint64_t size = extent->size[k] = extent->most[k] = HgBytesTake(&b, 8);
    right = right && size < 1ull << 62 && (!size || extent->count <= (1ull << 62) / size);
    extent->count *= right ? size : 0;
  }
  for (int k = 0; flags && k < (int)rank; k++) {
    extent->most[k] = HgBytesTake(&b, 8);
    right = right && extent->most[k] >= extent->size[k];
  }
  return (right && !b.bad) || HgRefuse(look, "an extent");
}

/* ---- fill values ---- */
static bool fill_fits(HgLook *look, HgBytes b, uint64_t size, const HgType *type) {
  HgBytesPart(&b, size);
  return (!b.bad && (size == 0 || size == type->size)) || HgRefuse(look, "the fill value");
}

/* Version 1, 2: time of allocation, time of writing, is there one, size and value if there is one,
   in version 1 always. Version 3: flags instead of these. */
bool HgFillLook(HgLook *look, HgBytes b, const HgType *type) {
  enum { THERE = 0x20, UNDEFINED = 0x10 };

  const uint64_t version = HgBytesTake(&b, 1);
  uint64_t flags, when, written, is, size = 0;
  bool right = version >= 1 && version <= 3;
  if (version == 3) {
    flags = HgBytesTake(&b, 1);
    right = flags & 3 && (flags >> 2 & 3) != 3 && !(flags >> 6) &&
            !(flags & THERE && flags & UNDEFINED);
  } else {
    HgBytesFields(&b, "1 1 1", &when, &written, &is);
    right = right && when && when <= 3 && written <= 2 && is <= 1;
    flags = is || version == 1 ? THERE : 0;
  }
  if (flags & THERE) size = HgBytesTake(&b, 4);
  if (version < 3 && size == UINT32_MAX) size = 0; /* -1: undefined */
  return right ? fill_fits(look, b, size, type) : HgRefuse(look, "the fill value");
}

bool HgOldFillLook(HgLook *look, HgBytes b, const HgType *type) {
  const uint64_t size = HgBytesTake(&b, 4);
  return fill_fits(look, b, size, type);
}

/* ---- storage ---- */
/* Version, number, 6 bytes more in version 1; of each filter: which, length of its name (not in
   version 2 below 256), flags, number of its values; name, values, 4 bytes in version 1 if that is
   odd. */
bool HgFiltersLook(HgLook *look, HgBytes b, HgFilters *filters) {
  enum { SHUFFLE = 2, FLETCHER, NAMED = 256, MOST = 32, VALUES = 64 };

  uint64_t version, count, which, values;
  bool right = HgBytesFields(&b, "1 1", &version, &count);
  const bool old = version == 1;
  if (old) HgBytesPart(&b, 6);
  right = right && (old || version == 2) && count && count <= MOST;
  *filters = (HgFilters){true, true, (int)count, 0};
  for (uint64_t k = 0; right && k < count; k++) {
    which = HgBytesTake(&b, 2);
    const uint64_t length = old || which >= NAMED ? HgBytesTake(&b, 2) : 0;
    HgBytesFields(&b, "*2 2", &values);
    const HgBytes text = HgBytesPart(&b, old ? (length + 7) / 8 * 8 : length);
    HgBytesPart(&b, 4 * (values + (old ? values % 2 : 0)));
    right = !b.bad && which && values <= VALUES && (!length || !text.at[length - 1]);
    filters->plain = filters->plain && (which == FLETCHER || which == SHUFFLE);
    if (which == FLETCHER) filters->sums |= 1ull << k;
  }
  return right || HgRefuse(look, "the list of filters");
}

static bool contiguous(HgLook *look, HgBytes b, uint64_t bytes) {
  uint64_t at, size;
  return (HgBytesFields(&b, "8 8", &at, &size) && size == bytes &&
          (at == HG_NO_ADDRESS || HgInside(look, at, size))) ||
         HgRefuse(look, "the contiguous storage");
}

static bool compact(HgLook *look, HgBytes b, uint64_t bytes) {
  const uint64_t size = HgBytesTake(&b, 2);
  HgBytesPart(&b, size);
  return (!b.bad && size == bytes) || HgRefuse(look, "the compact storage");
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

/* Version 3: axes, address of the index, sizes. Version 4: flags, axes, bytes of a size, sizes, the
   index. */
static bool chunked(HgLook *look, HgBytes b, bool old, const HgType *type, HgChunks *c) {
  uint64_t flags = 0, axes, width = 4, at = 0;
  if (old) HgBytesFields(&b, "1 8", &axes, &at);
  else HgBytesFields(&b, "1 1 1", &flags, &axes, &width);
  if (!chunk_fits(look, &b, axes, (int)width, type, c)) return false;
  return old ? HgOldChunksLook(look, c, at) : HgChunksLook(look, c, flags, b);
}

bool HgLayoutLook(HgLook *look, HgBytes b, const HgType *type, const HgExtent *extent,
                  const HgFilters *filters) {
  enum { COMPACT, CONTIGUOUS, CHUNKED, VIRTUAL };

  uint64_t version, class;
  HgBytesFields(&b, "1 1", &version, &class);
  HgChunks c = {.extent = extent, .filters = *filters};
  if (class == VIRTUAL && version == 4)
    return HgRefuseObject(look, "is a virtual dataset, expected data stored in the file");
  const uint64_t bytes =
      extent->count < (1ull << 62) / type->size ? extent->count * type->size : HG_NO_ADDRESS;
  if (version < 3 || version > 4 || class > CHUNKED || bytes == HG_NO_ADDRESS ||
      (filters->any && class != CHUNKED))
    return HgRefuse(look, "the layout");
  if (class == CONTIGUOUS) return contiguous(look, b, bytes);
  if (!HgRichLook(look)) return false;
  return class == COMPACT ? compact(look, b, bytes) : chunked(look, b, version == 3, type, &c);
}
