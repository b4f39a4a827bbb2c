/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of HgStructureLook(), for mesh/hdf5/structure*.c only. Each function returns false
   when it has refused something, with the reason in look->why. */
#ifndef HALOGRAD_STRUCTURE_PARTS_PRIVATE_H
#define HALOGRAD_STRUCTURE_PARTS_PRIVATE_H

#include <halograd/structure_library.h>

#define HG_NO_ADDRESS UINT64_MAX /* undefined address */

enum { HG_AXES = 32, HG_DEEP = 32 };

/* The unread rest of a block or a message. */
typedef struct {
  const unsigned char *at;
  size_t left;
  bool bad; /* more was read than there is */
} HgBytes;

/* Takes the next `count` <= 8 bytes as a number; 0 beyond the end. */
uint64_t HgBytesTake(HgBytes *b, int count);

/* Takes the next `count` bytes; none beyond the end. */
HgBytes HgBytesPart(HgBytes *b, uint64_t count);

/* A block of metadata in memory. */
typedef struct HgPart_s {
  struct HgPart_s *next;
  uint64_t at, size;
  unsigned char bytes[];
} HgPart;

typedef struct {
  uint64_t at, tree, heap; /* headers; tree and heap of an old group's links */
} HgObject;

typedef struct {
  HgStructureBytes *bytes;
  void *context;
  uint64_t end;    /* of the file */
  uint64_t loaded; /* bytes of blocks */
  size_t parts;
  HgPart *part; /* the last one */
  int objects;
  HgObject *object; /* those checked so far */
  int depth;        /* of groups */
  const char *name; /* of the object being checked */
  HgStructureAllowed allowed;
  unsigned leaf, inner, chunks; /* half of the entries in nodes of old groups and chunks */
  size_t room;
  char *why;
} HgLook;

/* Refuses: "<what> of '<object>' is damaged, or ...". */
bool HgRefuse(HgLook *look, const char what[]);

/* Refuses what HDF5 wrote before 1.8, unless it is allowed. */
bool HgOldLook(HgLook *look);

/* Refuses what images do not have, if this must be one. */
bool HgRichLook(HgLook *look);

/* Whether `size` bytes from `at` are inside the file. */
bool HgInside(const HgLook *look, uint64_t at, uint64_t size);

/* Reads a block with its signature; *b is what follows. No byte of a file may belong to two blocks,
   so a block that is reached twice, or a loop, is found out in the end. */
bool HgLoad(HgLook *look, uint64_t at, uint64_t size, const char signature[], HgBytes *b);

/* The same for a block that ends in a checksum, which must be right, as HDF5 1.10 does not survive
   each of its own errors. */
bool HgLoadSummed(HgLook *look, uint64_t at, uint64_t size, const char signature[], HgBytes *b);

/* Checks the checksum of the bytes. */
bool HgSumLook(HgLook *look, const unsigned char bytes[], size_t size, const unsigned char sum[]);

/* ceil(log2(n) / 8) or so: the bytes in which HDF5 keeps numbers up to n. */
int HgWidth(uint64_t n);

/* ---- types and extents: structure_type.c ---- */
typedef struct {
  uint64_t size; /* bytes of an element */
  bool followed; /* an element holds addresses of others */
} HgType;

typedef struct {
  int rank; /* -1: no numbers at all */
  uint64_t size[HG_AXES], most[HG_AXES], count;
} HgExtent;

bool HgTypeLook(HgLook *look, HgBytes *b, HgType *type);
bool HgExtentLook(HgLook *look, HgBytes b, HgExtent *extent);

/* ---- storage of a dataset: structure_layout.c, its indexes: structure_chunks.c ---- */
typedef struct {
  bool any, plain; /* plain: only shuffle and sums, which add 4 bytes */
  int filters;
  uint64_t sums; /* one bit for each filter */
} HgFilters;

typedef struct {
  const HgExtent *extent;
  HgFilters filters;
  uint64_t size[HG_AXES]; /* of a chunk */
  uint64_t bytes;         /* of its numbers, before filters */
} HgChunks;

bool HgFillLook(HgLook *look, HgBytes b, const HgType *type);
bool HgOldFillLook(HgLook *look, HgBytes b, const HgType *type);
bool HgFiltersLook(HgLook *look, HgBytes b, HgFilters *filters);
bool HgLayoutLook(HgLook *look, HgBytes b, const HgType *type, const HgExtent *extent,
                  const HgFilters *filters);

/* Checks a stored chunk. */
bool HgChunkLook(HgLook *look, const HgChunks *chunks, uint64_t at, uint64_t bytes, uint64_t mask);

bool HgFixedArrayLook(HgLook *look, const HgChunks *chunks, uint64_t at, int page_bits);
bool HgExtensibleArrayLook(HgLook *look, const HgChunks *chunks, uint64_t at);
bool HgChunkTreeLook(HgLook *look, const HgChunks *chunks, uint64_t at, uint64_t node);
bool HgOldChunkTreeLook(HgLook *look, const HgChunks *chunks, uint64_t at);

/* ---- links, attributes and their heaps: structure_heap.c ---- */
typedef bool HgRecordLook(HgLook *look, HgBytes record, void *context);

/* Checks a B-tree of version 2 and calls `each` for its records. */
bool HgTreeLook(HgLook *look, uint64_t at, int type, size_t record, uint64_t node,
                HgRecordLook *each, void *context);

/* Check the message of a link, or of an attribute. */
bool HgLinkLook(HgLook *look, HgBytes b);
bool HgAttributeLook(HgLook *look, HgBytes b);

/* Check the message that says where links or attributes outside the header are. */
bool HgLinkInfoLook(HgLook *look, HgBytes b);
bool HgAttributeInfoLook(HgLook *look, HgBytes b);

/* ---- groups of HDF5 before 1.8: structure_old.c ---- */
bool HgOldGroupLook(HgLook *look, uint64_t tree, uint64_t heap);

/* Whether `at` is an old group with this tree and heap, which links repeat from its header. */
bool HgIsOldGroup(const HgLook *look, uint64_t at, uint64_t tree, uint64_t heap);

/* ---- objects: structure.c ---- */
bool HgObjectLook(HgLook *look, uint64_t at, const char name[]);

#endif
