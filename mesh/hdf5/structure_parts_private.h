/* The parts of HgStructureLook(), for mesh/hdf5/structure*.c only. Each function returns false
   when it has refused something, with the reason in look->why. */
#ifndef HG_STRUCTURE_PARTS_PRIVATE_H
#define HG_STRUCTURE_PARTS_PRIVATE_H

#include <halograd/structure_library.h>

#define HG_NO_ADDRESS UINT64_MAX /* the address of what is not there */

enum { HG_AXES = 32, HG_DEEP = 32, HG_OBJECTS = 16384, HG_CHECKSUM = 4 /* bytes */ };

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

/* Reads fields of the widths in `layout`, which are separated by spaces:
     8      8 bytes into a uint64_t *     *8   8 bytes without meaning here
     8=1f   8 bytes that must be 0x1f
   A ? in place of a width is an int, in place of a value a uint64_t among the arguments.
   false: a value differs, or there are not as many bytes. */
bool HgBytesFields(HgBytes *b, const char layout[], ...);

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
  uint64_t leaf, inner, chunks; /* half of the entries of nodes of old groups and chunks */
  size_t room;
  char *why;
} HgLook;

/* Refuses: "<what> of '<object>' is damaged, or ...". */
bool HgRefuse(HgLook *look, const char what[]);

/* Refuses: "'<object>' <why>". */
bool HgRefuseObject(HgLook *look, const char why[]);

/* Refuses what HDF5 wrote before 1.8, unless it is allowed. */
bool HgOldLook(HgLook *look);

/* Refuses what images have not, if this is to be one. */
bool HgRichLook(HgLook *look);

/* Do `size` bytes from `at` lie in the file? */
bool HgInside(const HgLook *look, uint64_t at, uint64_t size);

/* Reads a block, of which *b holds what follows its signature. If the format has a checksum at the
   end of blocks of this signature, it must be right, and *b ends before it: HDF5 1.10 does not
   survive each of its own errors. No byte of a file belongs to two blocks: a block that is followed
   twice, or around a loop, is found out at last. */
bool HgLoad(HgLook *look, uint64_t at, uint64_t size, const char signature[], HgBytes *b);

/* Is the checksum that of the bytes? */
bool HgSumLook(HgLook *look, const unsigned char bytes[], size_t size, const unsigned char sum[]);

int HgLog2(uint64_t n);

/* The bytes in which HDF5 keeps numbers up to n. */
int HgWidth(uint64_t n);

/* ---- types, extents, fill values, filters, layouts: structure_data.c ---- */
typedef struct {
  uint64_t size; /* bytes of an element */
  bool followed; /* an element holds addresses of others */
} HgType;

typedef struct {
  int rank; /* -1: no numbers at all */
  uint64_t size[HG_AXES], most[HG_AXES], count;
} HgExtent;

typedef struct {
  bool any, plain; /* plain: only shuffle and sums, which add 4 bytes */
  int filters;
  uint64_t sums; /* one bit for each filter */
} HgFilters;

bool HgTypeLook(HgLook *look, HgBytes b, HgType *type);
bool HgExtentLook(HgLook *look, HgBytes b, HgExtent *extent);
bool HgFillLook(HgLook *look, HgBytes b, const HgType *type);
bool HgOldFillLook(HgLook *look, HgBytes b, const HgType *type);
bool HgFiltersLook(HgLook *look, HgBytes b, HgFilters *filters);
bool HgLayoutLook(HgLook *look, HgBytes b, const HgType *type, const HgExtent *extent,
                  const HgFilters *filters);

/* ---- indexes of chunks: structure_chunks.c ---- */
typedef struct {
  const HgExtent *extent;
  HgFilters filters;
  uint64_t size[HG_AXES]; /* of a chunk */
  uint64_t bytes;         /* of its numbers, before filters */
} HgChunks;

/* The index of a layout of version 4, and of version 3. */
bool HgChunksLook(HgLook *look, const HgChunks *chunks, uint64_t flags, HgBytes b);
bool HgOldChunksLook(HgLook *look, const HgChunks *chunks, uint64_t at);

/* ---- B-trees and heaps: structure_tree.c ---- */
typedef bool HgRecordLook(HgLook *look, HgBytes record, void *context);

/* A B-tree of version 2: `each` is called for its records. */
bool HgTreeLook(HgLook *look, uint64_t at, int type, size_t record, uint64_t node,
                HgRecordLook *each, void *context);

/* A B-tree of version 1, of nodes of `most` entries at most: `each` is called for its keys, with
   the address of the child behind a key of a leaf. */
typedef struct {
  int kind;
  uint64_t most, key; /* bytes */
  bool (*each)(HgLook *look, HgBytes key, bool last, uint64_t child, void *context);
  void *context;
} HgOldTree;

bool HgOldTreeLook(HgLook *look, const HgOldTree *tree, uint64_t at);

/* The links (or else the attributes) in a heap, and the trees that index them. */
bool HgHeapLook(HgLook *look, bool links, uint64_t heap, uint64_t by_name, bool ordered,
                uint64_t by_order);

/* ---- objects, links and attributes: structure_object.c ---- */
bool HgObjectLook(HgLook *look, uint64_t at, const char name[]);
bool HgLinkLook(HgLook *look, HgBytes b);
bool HgAttributeLook(HgLook *look, HgBytes b);

/* Links repeat what the header of an old group says: is it that? */
bool HgIsOldGroup(const HgLook *look, uint64_t at, uint64_t tree, uint64_t heap);

#endif
