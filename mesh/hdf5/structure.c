#include "structure_parts_private.h"
#include <halograd/lookup3_library.h>
#include <halograd/memory.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 26 /* bytes of metadata of a file: memory meanwhile */ };

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

bool HgBytesFields(HgBytes *b, const char layout[], ...) {
  bool right = true;
  va_list list;
  va_start(list, layout);
  for (const char *s = layout; *s; s += *s == ' ') {
    const bool skipped = *s == '*';
    char *end = (char *)s + skipped + 1;
    const int width = s[skipped] == '?' ? va_arg(list, int) : (int)strtol(end - 1, &end, 10);
    s = end;
    const uint64_t n = skipped ? HgBytesPart(b, (uint64_t)width).left : HgBytesTake(b, width);
    if (skipped) continue;
    if (*s != '=') {
      *va_arg(list, uint64_t *) = n;
      continue;
    }
    end = (char *)s + 2;
    right = n == (s[1] == '?' ? va_arg(list, uint64_t) : strtoull(s + 1, &end, 16)) && right;
    s = end;
  }
  va_end(list);
  return right && !b->bad;
}

int HgLog2(uint64_t n) {
  int bits = 0;
  while (n >>= 1) bits++;
  return bits;
}

int HgWidth(uint64_t n) { return HgLog2(n) / 8 + 1; }

/* ---- refusals ---- */
bool HgRefuse(HgLook *look, const char what[]) {
  if (!look->why[0])
    snprintf(look->why, look->room,
             "%s of '%.64s' is damaged, or of a kind that is not read (h5repack -L may rewrite it)",
             what, look->name);
  return false;
}

bool HgRefuseObject(HgLook *look, const char why[]) {
  if (!look->why[0]) snprintf(look->why, look->room, "'%.64s' %s", look->name, why);
  return false;
}

bool HgOldLook(HgLook *look) {
  return look->allowed == HG_STRUCTURE_OLD ||
         HgRefuseObject(look, "has HDF5's old format without checksums, expected that of HDF5 1.10 "
                              "(h5py: libver='v110'; nccopy -k nc4 -d 0 OLD NEW)");
}

bool HgRichLook(HgLook *look) {
  return look->allowed != HG_STRUCTURE_IMAGE || HgRefuse(look, "the storage");
}

/* ---- blocks ---- */
bool HgInside(const HgLook *look, uint64_t at, uint64_t size) {
  return at <= look->end && size <= look->end - at;
}

static bool has_sum_at_end(const char signature[]) {
  static const char *const those[] = {"OHDR", "OCHK", "FRHP", "FHIB", "BTHD", "BTLF", "BTIN",
                                      "FAHD", "FADB", "EAHD", "EAIB", "EASB", "EADB"};
  for (size_t k = 0; k < sizeof those / sizeof *those; k++)
    if (!strcmp(signature, those[k])) return true;
  return false;
}

bool HgLoad(HgLook *look, uint64_t at, uint64_t size, const char signature[], HgBytes *b) {
  const bool summed = has_sum_at_end(signature);
  const size_t mark = strlen(signature);
  if (size < mark + (summed ? HG_CHECKSUM : 0)) return HgRefuse(look, "the size of a part");
  if (!HgInside(look, at, size)) return HgRefuse(look, "the address of a part");
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
  if (memcmp(block->bytes, signature, mark)) return HgRefuse(look, "the signature of a part");
  if (!summed) return true;
  b->left -= HG_CHECKSUM;
  return HgSumLook(look, block->bytes, (size_t)size - HG_CHECKSUM, b->at + b->left);
}

bool HgSumLook(HgLook *look, const unsigned char bytes[], size_t size, const unsigned char sum[]) {
  HgBytes b = {sum, HG_CHECKSUM, false};
  return HgBytesTake(&b, HG_CHECKSUM) == HgLookup3(bytes, size) ||
         HgRefuse(look, "the checksum of a part");
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

/* ---- the file ---- */
static const char signature[] = "\x89HDF\r\n\x1a\n";

static bool whole(HgLook *look, uint64_t end) {
  if (end > look->end)
    snprintf(look->why, look->room, "truncated or damaged HDF5 file, expected %llu bytes",
             (unsigned long long)end);
  look->end = end;
  return !look->why[0];
}

/* Version, bytes of an address and of a length, flags, then the addresses of the file's first byte,
   of the extension's header, of the file's end and of the root group's header; checksum. */
static bool superblock(HgLook *look) {
  enum { SIZE = 48 };

  HgBytes b;
  uint64_t end, root;
  if (!HgLoad(look, 0, SIZE, signature, &b) ||
      !HgSumLook(look, look->part->bytes, SIZE - HG_CHECKSUM,
                 look->part->bytes + SIZE - HG_CHECKSUM))
    return false;
  if (!HgBytesFields(&b, "*1 1=8 1=8 *1 8=0 8=? 8 8", HG_NO_ADDRESS, &end, &root))
    return HgRefuse(look, "the superblock");
  return whole(look, end) && HgObjectLook(look, root, "/");
}

/* Four versions, of the superblock, of free space, root and shared messages, with 0 between; bytes
   of an address and of a length, 0; half of the entries of nodes; flags; addresses of the first
   byte, of free space, of the end, of a driver's block; the root's link: name, header, what is
   known of it. */
static bool old_superblock(HgLook *look, uint64_t version) {
  enum { SIZE = 96, MOST_HALF = 1 << 12 };

  HgBytes b;
  uint64_t end, root, known, tree, heap;
  if (!HgOldLook(look) || !HgLoad(look, 0, version ? SIZE + 4 : SIZE, signature, &b)) return false;
  bool right = HgBytesFields(&b, "*1 4=0 1=8 1=8 *1 2 2 *4", &look->leaf, &look->inner);
  if (version) right = HgBytesFields(&b, "2 *2", &look->chunks) && right;
  right = HgBytesFields(&b, "8=0 8=? 8 8=? *8 8 4 *4 8 8", HG_NO_ADDRESS, &end, HG_NO_ADDRESS,
                        &root, &known, &tree, &heap) &&
          right;
  if (!right || known > 1 || !look->leaf || !look->inner || !look->chunks ||
      look->leaf > MOST_HALF || look->inner > MOST_HALF || look->chunks > MOST_HALF)
    return HgRefuse(look, "the superblock");
  return whole(look, end) && HgObjectLook(look, root, "/") &&
         (!known || HgIsOldGroup(look, root, tree, heap) || HgRefuse(look, "the superblock"));
}

HgStructure HgStructureLook(HgStructureBytes *bytes, void *context, uint64_t size,
                            HgStructureAllowed allowed, size_t room, char why[]) {
  unsigned char start[sizeof signature]; /* and the version */
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
  why[0] = 0;
  if (!bytes(context, 0, sizeof start, start) || memcmp(start, signature, sizeof start - 1))
    return HG_STRUCTURE_ALIEN;
  const unsigned version = start[sizeof start - 1];
  look.object = HgAllocate(HG_OBJECTS, sizeof *look.object);
  bool right = look.object != NULL || HgRefuse(&look, "no memory for the objects");
  if (version > 3) right = HgRefuse(&look, "the version of the superblock");
  right =
      right && (version < 2 ? old_superblock(&look, version) : superblock(&look)) && apart(&look);
  for (HgPart *block; (block = look.part);) {
    look.part = block->next;
    free(block);
  }
  free(look.object);
  return right ? HG_STRUCTURE_SOUND : HG_STRUCTURE_REFUSED;
}
