/* Shared by mesh/picture/animation.c and mesh/picture/film.c. */
#ifndef HALOGRAD_ANIMATION_PRIVATE_H
#define HALOGRAD_ANIMATION_PRIVATE_H

#include <stddef.h>

enum { HG_FILM_PATH = 1024, HG_FILM_WHY = 512 };

typedef struct {
  const char *directory, *basename;
  int frames;  /* directory/frames/basename_0000.png, ... */
  double rate; /* frames per second */
} HgFilm;

/* Runs ffmpeg and waits for it, not for ever. `why`: "" if directory/basename.mp4 is there, whole;
   else the reason, and there is no such file. Not collective. */
void HgFilmMake(const HgFilm *film, char why[], size_t size);

#endif
