/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of HgStructureLook(), for mesh/hdf5/structure*.c only. Each function returns false
   when it has refused something, with the reason in look->why. */
#ifndef HALOGRAD_STRUCTURE_PARTS_PRIVATE_H
#define HALOGRAD_STRUCTURE_PARTS_PRIVATE_H

#include <halograd/structure_library.h>

#define HG_NO_ADDRESS UINT64_MAX /* the address of what is not there */

enum { HG_AXES = 32, HG_DEEP = 32 };

/* What is left to read of a block or a message. */
typedef struct {
  const unsigned char *at;
  size_t left;
  bool bad; /* more was asked for than there is */
} HgBytes;

/* The next `count` <= 8 bytes as a number, or 0. */
uint64_t HgBytesTake(HgBytes *b, int count);

/* The next `count` bytes, or none. */
HgBytes HgBytesPart(HgBytes *b, uint64_t count);

/* A block of metadata, read. */
typedef struct HgPart_s {
  struct HgPart_s *next;
  uint64_t at, size;
  unsigned char bytes[];
} HgPart;

typedef struct {
  uint64_t at, tree, heap; /* headers; what an old group's says of its links */
} HgObject;

typedef struct {
  HgStructureBytes *bytes;
  void *context;
  uint64_t end;    /* of the file */
  uint64_t loaded; /* bytes of blocks */
  size_t parts;
  HgPart *part; /* the last one */
  int objects;
  HgObject *object; /* those that were looked at */
  int depth;        /* of groups */
  const char *name; /* of the object that is looked at */
  HgStructureAllowed allowed;
  unsigned leaf, inner, chunks; /* half of the entries of nodes of old groups and chunks */
  size_t room;
  char *why;
} HgLook;

/* Refuses: "<what> of '<object>' is damaged, or ...". */
bool HgRefuse(HgLook *look, const char what[]);

/* Refuses what HDF5 wrote before 1.8, unless it is allowed. */
bool HgOldLook(HgLook *look);

/* Refuses what images have not, if this is to be one. */
bool HgRichLook(HgLook *look);

/* Do `size` bytes from `at` lie in the file? */
bool HgInside(const HgLook *look, uint64_t at, uint64_t size);

/* Reads a block with its signature, of which *b holds what follows. No byte of a file belongs to
   two blocks: a block that is followed twice, or around a loop, is found out at last. */
bool HgLoad(HgLook *look, uint64_t at, uint64_t size, const char signature[], HgBytes *b);

/* The same of a block that ends in a checksum, which must be right, as HDF5 1.10 does not survive
   each of its own errors. */
bool HgLoadSummed(HgLook *look, uint64_t at, uint64_t size, const char signature[], HgBytes *b);

/* Is the checksum that of the bytes? */
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

/* A chunk as it is stored. */
bool HgChunkLook(HgLook *look, const HgChunks *chunks, uint64_t at, uint64_t bytes, uint64_t mask);

bool HgFixedArrayLook(HgLook *look, const HgChunks *chunks, uint64_t at, int page_bits);
bool HgExtensibleArrayLook(HgLook *look, const HgChunks *chunks, uint64_t at);
bool HgChunkTreeLook(HgLook *look, const HgChunks *chunks, uint64_t at, uint64_t node);
bool HgOldChunkTreeLook(HgLook *look, const HgChunks *chunks, uint64_t at);

/* ---- links, attributes and their heaps: structure_heap.c ---- */
typedef bool HgRecordLook(HgLook *look, HgBytes record, void *context);

/* A B-tree of version 2: `each` is called for its records. *count: how many there are. */
bool HgTreeLook(HgLook *look, uint64_t at, int type, size_t record, uint64_t node,
                HgRecordLook *each, void *context);

/* Messages of a link and of an attribute. */
bool HgLinkLook(HgLook *look, HgBytes b);
bool HgAttributeLook(HgLook *look, HgBytes b);

/* Messages that say where links and attributes are if not in the header. */
bool HgLinkInfoLook(HgLook *look, HgBytes b);
bool HgAttributeInfoLook(HgLook *look, HgBytes b);

/* ---- groups of HDF5 before 1.8: structure_old.c ---- */
bool HgOldGroupLook(HgLook *look, uint64_t tree, uint64_t heap);

/* Links repeat what the header of an old group says: is it that? */
bool HgIsOldGroup(const HgLook *look, uint64_t at, uint64_t tree, uint64_t heap);

/* ---- objects: structure.c ---- */
bool HgObjectLook(HgLook *look, uint64_t at, const char name[]);

#endif
