/* What a file's superblock and an object's header say of its storage, read from the file's bytes
   and not by HDF5: opening an object, HDF5 1.10 decodes what its header points to, and a damaged
   heap of a virtual dataset ends the program then. Source: HDF5 File Format Specification 3.0, II.A
   and IV.A. */
#ifndef HALOGRAD_HEADER_PRIVATE_H
#define HALOGRAD_HEADER_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* bytes = `count` bytes from `at` of the file; false: it has not so many. */
typedef bool HgHeaderBytes(void *context, uint64_t at, size_t count, unsigned char bytes[]);

/* Before version 2 it has no checksum, and points to a block of any size that H5Fopen() makes room
   for. */
typedef struct {
  int version, address, length; /* bytes of an address and of a length */
  uint64_t extension, root; /* of version 2 and later: where their headers are, UINT64_MAX: none */
} HgSuperblock;

/* The superblock at the file's beginning; false: none is there. */
bool HgSuperblockLook(HgHeaderBytes *bytes, void *context, HgSuperblock *s);

typedef enum {
  HG_HEADER_PLAIN = 0,
  HG_HEADER_OLD = 1,     /* not of version 2, which has a checksum */
  HG_HEADER_DAMAGED = 2, /* no header, or one of more than a mebibyte */
  HG_HEADER_VIRTUAL = 4,
  HG_HEADER_EXTERNAL = 8,
  HG_HEADER_DENSE = 16 /* links or attributes lie in a heap */
} HgHeader;

/* The sum of what holds of the header at `address`, in a file whose addresses have 8 bytes. */
unsigned HgHeaderLook(HgHeaderBytes *bytes, void *context, uint64_t address);

#endif
