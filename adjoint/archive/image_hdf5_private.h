/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of an image, for adjoint/archive/image*_hdf5.c only. */
#ifndef HALOGRAD_IMAGE_HDF5_PRIVATE_H
#define HALOGRAD_IMAGE_HDF5_PRIVATE_H

#include <halograd/image_library.h>
#include <halograd/reader_library.h>

/* The numbers of one variable, or of /step: `bytes` bytes from `offset` of the image. */
typedef struct {
  int variable; /* HG_STEP: /step */
  size_t offset, bytes;
  int i0, i1, j0, j1; /* fields: patch-local range of the cells stored */
  int k0, k1;         /* with levels: of these */
} HgImagePart;

/* Row j of variable `variable` of a state; -1: something else. */
typedef struct {
  int variable, j;
} HgImageRow;

enum { HG_STEP = -1, HG_TEXT = 64 };

struct HgImage_s {
  HgMesh mesh;
  int variables, parts;    /* parts: sorted by offset, those without bytes left out */
  int all, *source;        /* variables of a state; those of them that are kept, [variables] */
  int ghost, ghost_levels; /* of its states, at least */
  ptrdiff_t pitch;         /* from a level to the next */
  HgVariable *variable;
  char (*text)[2][HG_TEXT]; /* names and units that `variable` points to */
  HgImagePart *by_variable, *part;
  size_t size, fixed, pieces;
  int64_t step;
  unsigned char *buffer, *skeleton; /* skeleton: what lies between the parts, `fixed` bytes */
  struct iovec *piece;
  HgImageRow *row; /* that of each piece */
};

/* The kind in words, as the attribute has it. */
const char *HgImageKind(const HgVariable *variable);

#endif
