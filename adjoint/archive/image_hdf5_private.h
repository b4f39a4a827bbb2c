/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of an image, for adjoint/archive/image*_hdf5.c only. */
#ifndef HALOGRAD_IMAGE_HDF5_PRIVATE_H
#define HALOGRAD_IMAGE_HDF5_PRIVATE_H

#include <halograd/image_library.h>
#include <halograd/reader_library.h>
#include <sys/uio.h>

/* The numbers of one variable, or of /step: `bytes` bytes from `offset` of the image on. */
typedef struct {
  int variable; /* HG_STEP: /step */
  size_t offset, bytes;
  int i0, i1, j0, j1; /* of fields: patch-local range of the stored cells */
  int k0, k1;         /* with levels: their range */
} HgImagePart;

/* Row j of variable `variable` of a state; -1: something else. */
typedef struct {
  int variable, j;
} HgImageRow;

enum { HG_STEP = -1, HG_TEXT = 64 };

struct HgImage_s {
  HgMesh mesh;
  int variables, parts;    /* parts: sorted by offset, without empty ones */
  int all, *source;        /* number of variables of a state; those that are kept, [variables] */
  int ghost, ghost_levels; /* least of its states */
  ptrdiff_t pitch;         /* numbers between two levels */
  HgVariable *variable;
  char (*text)[2][HG_TEXT]; /* names and units that `variable` points to */
  HgImagePart *by_variable, *part;
  size_t size, fixed, pieces;
  int64_t step;
  unsigned char *buffer;   /* for bytes that are not numbers, while reading */
  unsigned char *skeleton; /* the `fixed` bytes between the parts */
  struct iovec *piece;
  HgImageRow *row; /* of each piece */
};

/* The kind in words, as in the attribute. */
const char *HgImageKind(const HgVariable *variable);

#endif
