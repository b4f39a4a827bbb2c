/* SPDX-License-Identifier: BSD-2-Clause */
/* The HDF5 image of one rank's part of a state, for rooms that stand inside this one.

   An image is a complete HDF5 file (V110) in memory:
     attributes  format, grid (nx, ny), patch (i0, i1, j0, j1: global range of the owned cells, ends
                 exclusive), rank
     /step       the step count, a 64-bit integer
     /variables/<name>   a field's rows or an array, little-endian doubles; attributes unit, kind
                 and, for a field, range (i0, i1, j0, j1: global range of the cells stored); with
                 levels (j, level, i), and the attribute levels (the first stored, and behind the
                 last)
   Where a patch touches a wall its field is stored with all its ghosts: frozen ones exist nowhere
   else. HDF5 lays the image out once; where each dataset's numbers lie is asked of HDF5, and after
   that an image is written by copying rows between bytes that never change. For this the datasets
   are contiguous and carry no Fletcher-32: measured on HDF5 1.10 that filter runs at 0.5 GB/s, a
   twentieth of a cached write, and building a file anew for each write takes 75 us and a further
   copy; XXH3 over the whole image sees more and runs at memory speed. */
#ifndef HG_IMAGE_LIBRARY_H
#define HG_IMAGE_LIBRARY_H

#include <halograd/state.h>
#include <sys/uio.h>

typedef struct HgImage_s *HgImage;

/* Lays out images of states like `pattern`, of all their variables (`kept` NULL) or of those whose
   `kept` is true. Collective. Errors: no memory (bytes asked for); a variable whose name cannot be
   a dataset. */
PetscErrorCode HgImageCreate(HgState pattern, const bool kept[], HgImage *image);
PetscErrorCode HgImageDestroy(HgImage *image);

/* Frees the buffer of an image that is only written: no HgImageBuffer() or HgImageTargets() may
   follow. */
void HgImageDropBuffer(HgImage image);

/* Bytes of an image; of the memory that is held for it. */
size_t HgImageSize(HgImage image);
size_t HgImageMemory(HgImage image);

/* Whether q is like the pattern. */
bool HgImageFits(HgImage image, HgState q);

/* The image of q after `step` steps as `count` pieces of memory in file order, valid until q or the
   image changes; the caller may change them. No communication, no allocation. */
struct iovec *HgImagePieces(HgImage image, HgState q, long step, size_t *count);

/* What piece k of these is: *j of the row of variable *variable of q (owned rows: 0 <= *j < ny).
   False: no row of a field without levels. */
bool HgImageRowOf(HgImage image, size_t k, int *variable, int *j);

/* Where the bytes of an image of a state like q are to be put, in file order, so that its numbers
   come straight into q (ghost depth 0): for callers that know by a digest that they are those of
   HgImagePieces(). Bytes that are no numbers go to HgImageBuffer(). The same rules as for
   HgImagePieces(). */
struct iovec *HgImageTargets(HgImage image, HgState q, size_t *count);

/* Where they go. */
unsigned char *HgImageBuffer(HgImage image);

/* Which number of q, which came that way, is not finite. */
void HgImageNotFinite(HgImage image, HgState q, char what[], size_t size);

/* The cells of `window` (global i0, i1, j0, j1, ends exclusive, all of the calling rank's patch),
   ghosts outside walls that it touches as far as both have them, and all arrays, of q from the
   image `bytes` of any patch of any decomposition, whatever the numbers. Returns false, q
   undefined, and says why if the image has not got them. Not collective. */
bool HgImageRead(unsigned char bytes[], size_t length, long step, const int window[4], HgState q,
                 char why[], size_t size);

#endif
