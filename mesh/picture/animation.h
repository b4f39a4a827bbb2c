/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/animation.h -- pictures over time: numbered PNG frames and, where ffmpeg is there, a
   film of them.

   directory/frames/basename_0000.png, basename_0001.png, ...   each complete as soon as it is there
   directory/basename.mp4                                       made at the end by the ffmpeg of
   PATH
   Nothing fails for want of a film: a sentence says where it is or why there is none. */
#ifndef HALOGRAD_ANIMATION_H
#define HALOGRAD_ANIMATION_H

#include <halograd/picture.h>

/* Frames so far, to be made into a film. */
typedef struct HgAnimation_s *HgAnimation;

/* Makes directory/frames and removes the frames and the film that an earlier run left under these
   names. Collective on `comm`, which must outlive the animation. Errors: a basename that is no
   plain file name; a directory that is not writable. */
PetscErrorCode HgAnimationCreate(MPI_Comm comm, const char directory[], const char basename[],
                                 HgAnimation *animation);

/* The next frame, all of the same panels; errors are those of HgPictureWrite() (picture.h).
   Collective. */
PetscErrorCode HgAnimationAdd(HgAnimation animation, int count, const HgPanel panels[]);

/* Has the frames made into a film of `rate` frames per second, prints "animation: " and the
   sentence, frees, sets NULL; no error if *animation is NULL. ffmpeg is given 10 s and 1 s more for
   each frame; what it wrote before it failed is removed. Collective. */
PetscErrorCode HgAnimationClose(HgAnimation *animation, double rate);

#endif
