/* SPDX-License-Identifier: BSD-2-Clause */
/* Types and extents of numbers. */
#include "structure_parts_private.h"
#include <stdio.h>
#include <string.h>

enum {
  INTEGER,
  FLOAT,
  STRING = 3,
  BITS,
  OPAQUE,
  COMPOUND,
  REFERENCE,
  ENUMERATION,
  ANY_LENGTH,
  ARRAY
};

static bool refuse(HgLook *look) { return HgRefuse(look, "a type"); }

/* A name that ends in 0; before version 3 its place is a multiple of 8 bytes. */
static bool name(HgBytes *b, unsigned version) {
  const unsigned char *const end = b->left ? memchr(b->at, 0, b->left) : NULL;
  const size_t size = end ? (size_t)(end - b->at) + 1 : 1;
  HgBytesPart(b, version < 3 ? (size + 7) / 8 * 8 : size);
  return end && size > 1 && !b->bad;
}

static bool any(HgLook *look, HgBytes *b, int depth, HgType *type);

/* Bits from an offset on, within the size. */
static bool of_bits(HgBytes *b, uint64_t size) {
  const uint64_t offset = HgBytesTake(b, 2), precision = HgBytesTake(b, 2);
  return precision && offset + precision <= 8 * size;
}

/* Sign, exponent and mantissa are bits within the precision, apart from each other. */
static bool of_float(HgBytes *b, uint64_t size, uint64_t bits) {
  const uint64_t sign = bits >> 8 & 0xff, offset = HgBytesTake(b, 2), precision = HgBytesTake(b, 2),
                 e = HgBytesTake(b, 1), e_size = HgBytesTake(b, 1), m = HgBytesTake(b, 1),
                 m_size = HgBytesTake(b, 1);
  HgBytesTake(b, 4);
  return precision && offset + precision <= 8 * size && e_size && m_size && sign < precision &&
         e + e_size <= precision && m + m_size <= precision &&
         (e + e_size <= m || m + m_size <= e) && (sign < e || sign >= e + e_size) &&
         (sign < m || sign >= m + m_size);
}

/* Members: name, offset, in version 1 twelve bytes and four sizes of an array, type. They do not
   overlap, and come in the order of their offsets. */
static bool of_compound(HgLook *look, HgBytes *b, unsigned version, uint64_t members, int depth,
                        HgType *type) {
  uint64_t end = 0;
  bool right = members > 0;
  for (uint64_t k = 0; right && k < members; k++) {
    HgType member;
    uint64_t axes = 0;
    right = name(b, version);
    const uint64_t offset = HgBytesTake(b, version < 3 ? 4 : HgWidth(type->size));
    if (version == 1) {
      axes = HgBytesTake(b, 1);
      HgBytesPart(b, 27);
    }
    right = right && !axes && any(look, b, depth, &member) && offset >= end &&
            offset + member.size <= type->size;
    if (!right) break;
    end = offset + member.size;
    type->followed = type->followed || member.followed;
  }
  return right;
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

/* Number of axes, 3 bytes in version 2, sizes, in version 2 permutations, base type. */
static bool of_array(HgLook *look, HgBytes *b, unsigned version, int depth, HgType *type) {
  HgType base;
  const uint64_t axes = HgBytesTake(b, 1);
  uint64_t count = 1;
  if (version < 3) HgBytesPart(b, 3);
  for (uint64_t k = 0; k < axes; k++) {
    const uint64_t size = HgBytesTake(b, 4);
    if (!size || count > type->size) return false;
    count *= size;
  }
  if (version < 3) HgBytesPart(b, 4 * axes);
  if (version < 2 || !axes || axes > HG_AXES || count > type->size) return false;
  if (!any(look, b, depth, &base)) return false;
  type->followed = base.followed;
  return base.size * count == type->size;
}

static bool of_any_length(HgLook *look, HgBytes *b, int depth, HgType *type) {
  HgType base;
  type->followed = true;
  return type->size == 16 && any(look, b, depth, &base);
}

/* Class and version, 24 bits, size, what the class needs. */
static bool any(HgLook *look, HgBytes *b, int depth, HgType *type) {
  enum { DEEP = 4, LARGEST = 1 << 24, HEADED = 5 };

  const unsigned first = (unsigned)HgBytesTake(b, 1), class = first & 15, version = first >> 4;
  const uint64_t bits = HgBytesTake(b, 3), size = HgBytesTake(b, 4);
  *type = (HgType){size, false};
  if (version > 3) {
    snprintf(look->why, look->room,
             "'%.64s' has a type as HDF5 1.12 and later write it, expected 1.10 (h5py: "
             "libver='v110'; h5repack -k 2)",
             look->name);
    return false;
  }
  bool right = depth < DEEP && version >= 1 && size && size <= LARGEST;
  if (!right) return false;
  switch (class) {
  case INTEGER: right = !(bits & ~0xfull) && size <= 16 && of_bits(b, size); break;
  case BITS: right = !(bits & ~0x7ull) && of_bits(b, size); break;
  case FLOAT: right = !(bits & ~0xff3full) && size <= 16 && of_float(b, size, bits); break;
  case STRING: right = (bits & 15) <= 2 && bits >> 4 <= 1; break;
  case OPAQUE:
    right = bits <= 0xf8 && bits % 8 == 0;
    HgBytesPart(b, bits);
    break;
  case COMPOUND:
    right = bits >> 16 == 0 && of_compound(look, b, version, bits & 0xffff, depth + 1, type);
    break;
  case REFERENCE:
    right = (bits == 0 && size == 8) || (bits == 1 && size == 12);
    type->followed = true;
    break;
  case ENUMERATION:
    right = bits >> 16 == 0 && of_enumeration(look, b, version, bits & 0xffff, depth + 1, size);
    break;
  case ANY_LENGTH: right = !(bits & ~0x1f1ull) && of_any_length(look, b, depth + 1, type); break;
  case ARRAY: right = !bits && of_array(look, b, version, depth + 1, type); break;
  default: right = false;
  }
  return right && !b->bad;
}

bool HgTypeLook(HgLook *look, HgBytes *b, HgType *type) {
  return any(look, b, 0, type) || refuse(look);
}

/* Version, rank, flags, kind or nothing, 4 bytes more in version 1, sizes, limits if the flags say
   so. */
bool HgExtentLook(HgLook *look, HgBytes b, HgExtent *extent) {
  enum { SCALAR, SIMPLE, NONE };

  const uint64_t version = HgBytesTake(&b, 1), rank = HgBytesTake(&b, 1),
                 flags = HgBytesTake(&b, 1), last = HgBytesTake(&b, 1),
                 kind = version == 2 ? last
                        : rank       ? SIMPLE
                                     : SCALAR;
  if (version == 1) HgBytesPart(&b, 4);
  if (version < 1 || version > 2 || rank > HG_AXES || flags > 1 || kind > NONE ||
      (kind == SIMPLE) != (rank > 0))
    return HgRefuse(look, "an extent");
  *extent = (HgExtent){.rank = kind == NONE ? -1 : (int)rank, .count = kind != NONE};
  bool right = true;
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
