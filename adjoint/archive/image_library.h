/* SPDX-License-Identifier: BSD-2-Clause */
/* The HDF5 image of one rank's part of a state.

   An image is a complete HDF5 file (V110) in memory:
     attributes  format, grid (nx, ny), patch (i0, i1, j0, j1: global range of the owned cells, ends
                 exclusive), rank
     /step       the step count, a 64-bit integer
     /variables/<name>   a field's rows or an array, little-endian doubles; attributes unit, kind
                 and, for a field, range (i0, i1, j0, j1: global range of the cells stored); with
                 levels (j, level, i), and the attribute levels (the first stored, and behind the
                 last)
   At walls a field is stored with all its ghosts, since frozen ghosts exist nowhere else. HDF5 lays
   the image out once and tells where the numbers of each dataset are. After that an image is
   written by copying rows between bytes that never change. So the datasets are contiguous and have
   no Fletcher-32: in HDF5 1.10 this filter runs at 0.5 GB/s, a twentieth of a cached write, and a
   new file for each write would take 75 us and another copy. XXH3 over the whole image sees more
   and runs at memory speed. */
#ifndef HG_IMAGE_LIBRARY_H
#define HG_IMAGE_LIBRARY_H

#include <halograd/state.h>
#include <sys/uio.h>

typedef struct HgImage_s *HgImage;

/* Lays out images of states like `pattern`, with the variables that are `kept` (NULL: all).
   Collective. Errors: no memory (with the bytes asked for); a variable whose name cannot be a
   dataset. */
PetscErrorCode HgImageCreate(HgState pattern, const bool kept[], HgImage *image);
PetscErrorCode HgImageDestroy(HgImage *image);

/* Frees the buffer of an image that is only written. Do not call HgImageBuffer() or
   HgImageTargets() afterwards. */
void HgImageDropBuffer(HgImage image);

/* Bytes of an image; and of the memory held for it. */
size_t HgImageSize(HgImage image);
size_t HgImageMemory(HgImage image);

/* Whether q is like the pattern. */
bool HgImageFits(HgImage image, HgState q);

/* The image of q after `step` steps as `count` pieces of memory in file order, valid until q or the
   image changes; you may change the pieces. No communication, no allocation. */
struct iovec *HgImagePieces(HgImage image, HgState q, long step, size_t *count);

/* Piece k is row *j of variable *variable of q (owned rows: 0 <= *j < ny). False: it is not a row
   of a field without levels. */
bool HgImageRowOf(HgImage image, size_t k, int *variable, int *j);

/* Where to put the bytes of an image, in file order, so that its numbers go straight into q (ghost
   depth 0); other bytes go to HgImageBuffer(). Only if you know by a digest that they are those of
   HgImagePieces(). Otherwise as HgImagePieces(). */
struct iovec *HgImageTargets(HgImage image, HgState q, size_t *count);

/* The buffer for bytes that are not numbers. */
unsigned char *HgImageBuffer(HgImage image);

/* what[]: the number of q, read in this way, that is not finite. */
void HgImageNotFinite(HgImage image, HgState q, char what[], size_t size);

/* Reads into q the cells of `window` (global i0, i1, j0, j1, ends exclusive, inside the calling
   rank's patch), the ghosts outside walls there that both have, and all arrays, from the image
   `bytes` of any patch of any decomposition; numbers may be anything. False: the image does not
   have them; `why` says so, and q is undefined. Not collective. */
bool HgImageRead(unsigned char bytes[], size_t length, long step, const int window[4], HgState q,
                 char why[], size_t size);

#endif
