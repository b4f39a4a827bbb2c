#include "header_private.h"
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20, CHUNKS = 64, CHECKSUM = 4, PREFIX = 6, MOST_PREFIX = PREFIX + 20 + 8 };

/* Messages by number. */
enum { LINKS = 0x02, EXTERNAL = 0x07, LAYOUT = 0x08, CONTINUATION = 0x10, ATTRIBUTES = 0x15 };

/* A piece of a header: `size` bytes of messages from `at`. */
typedef struct {
  uint64_t at, size;
} Chunk;

typedef struct {
  HgHeaderBytes *bytes;
  void *context;
  bool ordered; /* messages have an order of creation */
  int chunks;
  Chunk chunk[CHUNKS];
} Look;

static uint64_t little_endian(const unsigned char b[], int count) {
  uint64_t n = 0;
  for (int k = count; k-- > 0;) n = n << 8 | b[k];
  return n;
}

/* Version, class; before version 3 the rank is between them. */
static unsigned of_layout(const unsigned char m[], size_t size, bool shared) {
  if (shared || size < 3 || m[0] < 1 || m[0] > 4) return HG_HEADER_DAMAGED;
  const int class = m[0] < 3 ? m[2] : m[1];
  return class < 3 ? HG_HEADER_PLAIN : class == 3 ? HG_HEADER_VIRTUAL : HG_HEADER_DAMAGED;
}

/* Version, flags, an index of `index` bytes if the first flag is set, address of the heap, if any.
   */
static unsigned of_heap(const unsigned char m[], size_t size, size_t index) {
  const size_t at = 2 + (size >= 2 && m[1] & 1 ? index : 0);
  if (size < at + 8) return HG_HEADER_DAMAGED;
  return little_endian(m + at, 8) == UINT64_MAX ? HG_HEADER_PLAIN : HG_HEADER_DENSE;
}

/* Offset and length of a chunk with its signature and checksum. */
static unsigned of_continuation(Look *l, const unsigned char m[], size_t size) {
  if (size < 16 || l->chunks == CHUNKS) return HG_HEADER_DAMAGED;
  const uint64_t at = little_endian(m, 8), length = little_endian(m + 8, 8);
  unsigned char signature[4];
  if (length < 4 + CHECKSUM || !l->bytes(l->context, at, 4, signature) ||
      memcmp(signature, "OCHK", 4) != 0)
    return HG_HEADER_DAMAGED;
  l->chunk[l->chunks++] = (Chunk){at + 4, length - 4 - CHECKSUM};
  return HG_HEADER_PLAIN;
}

static unsigned of_message(Look *l, int type, bool shared, const unsigned char m[], size_t size) {
  switch (type) {
  case LAYOUT: return of_layout(m, size, shared);
  case EXTERNAL: return HG_HEADER_EXTERNAL;
  case LINKS: return of_heap(m, size, 8);
  case ATTRIBUTES: return of_heap(m, size, 2);
  case CONTINUATION: return of_continuation(l, m, size);
  default: return HG_HEADER_PLAIN;
  }
}

/* Each message: type, size (2 bytes), flags, order (2 bytes) if there is one. */
static unsigned of_chunk(Look *l, const Chunk *c) {
  unsigned found = HG_HEADER_PLAIN;
  const size_t head = l->ordered ? 6 : 4;
  unsigned char *b = c->size <= LARGEST ? malloc(c->size + 1) : NULL;
  if (!b || !l->bytes(l->context, c->at, c->size, b)) found = HG_HEADER_DAMAGED;
  for (size_t at = 0; !(found & HG_HEADER_DAMAGED) && at + head <= c->size;) {
    const size_t size = little_endian(b + at + 1, 2);
    const unsigned char *m = b + at + head;
    if (size > c->size - at - head) found |= HG_HEADER_DAMAGED;
    else found |= of_message(l, b[at], b[at + 3] & 2, m, size);
    at += head + size;
  }
  free(b);
  return found;
}

/* "OHDR", version, flags, 16 bytes of times and 4 of attributes if the flags say so, size of the
   first chunk in 1, 2, 4 or 8 bytes. */
unsigned HgHeaderLook(HgHeaderBytes *bytes, void *context, uint64_t address) {
  Look l = {.bytes = bytes, .context = context, .chunks = 1};
  unsigned char b[MOST_PREFIX];
  unsigned found = HG_HEADER_PLAIN;
  if (!bytes(context, address, PREFIX, b)) return HG_HEADER_DAMAGED;
  if (memcmp(b, "OHDR\2", 5) != 0) return HG_HEADER_OLD;
  const int flags = b[5], width = 1 << (flags & 3);
  const size_t at = PREFIX + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0);
  if (!bytes(context, address, at + (size_t)width, b)) return HG_HEADER_DAMAGED;
  l.ordered = flags & 4;
  l.chunk[0] = (Chunk){address + at + (uint64_t)width, little_endian(b + at, width)};
  for (int k = 0; k < l.chunks; k++) found |= of_chunk(&l, &l.chunk[k]);
  return found;
}

/* Signature, version, bytes of an address and of a length, flags, then the addresses of the file's
   first byte, of the extension's header, of the file's end and of the root group's header. */
bool HgSuperblockLook(HgHeaderBytes *bytes, void *context, HgSuperblock *s) {
  enum { VERSION = 8, ADDRESS, LENGTH, START, EXTENSION = 20, ROOT = 36, END = 44 };

  static const unsigned char signature[VERSION] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  unsigned char b[END];
  if (!bytes(context, 0, START, b) || memcmp(b, signature, sizeof signature) != 0) return false;
  *s = (HgSuperblock){b[VERSION], b[ADDRESS], b[LENGTH], UINT64_MAX, UINT64_MAX};
  if (s->version < 2 || !bytes(context, 0, END, b)) return true;
  s->extension = little_endian(b + EXTENSION, 8);
  s->root = little_endian(b + ROOT, 8);
  return true;
}
