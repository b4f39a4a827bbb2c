/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/animation.h -- pictures over time: numbered PNG frames, and the command that makes a
   film of them.

   directory/frames/basename_0000.png, basename_0001.png, ...   each complete as soon as it is there
   directory/basename.mp4                                       what the command makes */
#ifndef HALOGRAD_ANIMATION_H
#define HALOGRAD_ANIMATION_H

#include <halograd/picture.h>

/* The frames of a film so far. */
typedef struct HgAnimation_s *HgAnimation;

/* Creates directory/frames and removes the frames and the film that an earlier run left under these
   names. Collective on `comm`, which must outlive the animation. Errors: a basename that is not a
   plain file name; a directory that is not writable. */
PetscErrorCode HgAnimationCreate(MPI_Comm comm, const char directory[], const char basename[],
                                 HgAnimation *animation);

/* Adds a frame; all frames have the same panels. Collective. Errors: those of HgPictureWrite()
   (picture.h). */
PetscErrorCode HgAnimationAdd(HgAnimation animation, int count, const HgPanel panels[]);

/* Prints "animation: ", where the frames are, and the ffmpeg command that makes a film with `rate`
   frames per second. Frees, sets NULL; accepts *animation = NULL. Collective. */
PetscErrorCode HgAnimationClose(HgAnimation *animation, double rate);

#endif
