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

#include <halograd/measure_library.h>
#include <halograd/state.h>

typedef struct HgImage_s *HgImage;

/* Lays out images of states like `pattern`, with the variables that are `kept` (NULL: all).
   Collective. Errors: no memory (with the bytes asked for); a variable whose name cannot be a
   dataset. */
PetscErrorCode HgImageCreate(HgState pattern, const bool kept[], HgImage *image);
PetscErrorCode HgImageDestroy(HgImage *image);

/* Frees the buffer of an image that is only written. Do not call HgImageReadBack() afterwards. */
void HgImageDropBuffer(HgImage image);

/* Bytes of an image; and of the memory held for it. */
size_t HgImageSize(HgImage image);
size_t HgImageMemory(HgImage image);

/* Whether q is like the pattern. */
bool HgImageFits(HgImage image, HgState q);

/* Writes the image of q after `step` steps at the position of `file`; *digest: XXH3 of its bytes.
   `measuring`, unless NULL, measures each row of a field without levels before it is written, so
   that both use it while it is in the cache. Returns 0 or an errno. No communication. */
int HgImageWrite(HgImage image, HgState q, long step, int file, HgMeasuring measuring,
                 uint64_t *digest);

/* Reads the bytes of an image from the position of `file`, its numbers straight into q (ghost depth
   0). q is valid only if *digest is that of HgImageWrite(). Returns 0, an errno, or -1: the file
   ends early. */
int HgImageReadBack(HgImage image, HgState q, int file, uint64_t *digest);

/* Reads into q the cells of `window` (global i0, i1, j0, j1, ends exclusive, inside the calling
   rank's patch), the ghosts outside walls there that both have, and all arrays, from the image
   `bytes` of any patch of any decomposition; numbers may be anything. False: the image does not
   have them; `why` says so, and q is undefined. Not collective. */
bool HgImageRead(unsigned char bytes[], size_t length, long step, const int window[4], HgState q,
                 char why[], size_t size);

#endif
