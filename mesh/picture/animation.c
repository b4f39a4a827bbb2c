/* Frames and the film that ffmpeg makes of them: see animation.h. */
#include "animation_private.h"
#include <ctype.h>
#include <errno.h>
#include <halograd/animation.h>
#include <halograd/file_library.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BASENAME = 64 };

struct HgAnimation_s {
  MPI_Comm comm;
  char directory[HG_FILM_PATH], frames[HG_FILM_PATH + 16], basename[BASENAME];
  int count;
};

static bool plain_name(const char name[]) {
  bool plain = isalpha((unsigned char)name[0]) && strlen(name) < BASENAME;
  for (const char *c = name; plain && *c; c++) plain = isalnum((unsigned char)*c) || *c == '_';
  return plain;
}

/* basename_<digits>.png */
static bool is_frame(const char file[], const char basename[]) {
  const size_t length = strlen(basename);
  if (strncmp(file, basename, length) || file[length] != '_') return false;
  const char *digits = file + length + 1;
  const size_t count = strspn(digits, "0123456789");
  return count >= 4 && !strcmp(digits + count, ".png");
}

static int remove_frame(void *basename, int folder, const char name[]) {
  return is_frame(name, basename) && unlinkat(folder, name, 0) ? errno : 0;
}

PetscErrorCode HgAnimationCreate(MPI_Comm comm, const char directory[], const char basename[],
                                 HgAnimation *animation) {
  HgAnimation a;
  char film[HG_FILM_PATH + BASENAME + 8];
  int rank, why = 0;
  *animation = NULL;
  HgRequire(comm, plain_name(basename),
            "animation: '%.80s' is no plain file name (letters, digits, '_')", basename);
  HgRequire(comm, *directory && strlen(directory) < HG_FILM_PATH,
            "animation: expected a directory's name of 1 to %d bytes, got %zu", HG_FILM_PATH - 1,
            strlen(directory));
  PetscCall(PetscNew(&a));
  a->comm = comm;
  strcpy(a->directory, directory);
  strcpy(a->basename, basename);
  snprintf(a->frames, sizeof a->frames, "%s/frames", directory);
  snprintf(film, sizeof film, "%s/%s.mp4", directory, basename);
  PetscErrorCode ierr = HgDirectoryCreate(comm, directory);
  if (!ierr) ierr = HgDirectoryCreate(comm, a->frames);
  if (!ierr) ierr = HgFileRemove(comm, film);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!ierr && !rank) why = HgFolderEach(a->frames, remove_frame, a->basename);
  if (!ierr)
    ierr = HgAgree(comm, why, "cannot remove the frames of an earlier run from '%s': %s", a->frames,
                   HgFileReason(why));
  if (!ierr) *animation = a;
  else PetscCall(PetscFree(a));
  return ierr;
}

PetscErrorCode HgAnimationAdd(HgAnimation a, int count, const HgPanel panels[]) {
  char name[BASENAME + 16];
  snprintf(name, sizeof name, "%s_%04d", a->basename, a->count);
  PetscCall(HgPictureWrite(a->comm, a->frames, name, count, panels));
  a->count++;
  return 0;
}

/* Until rank 0 is here too; the others leave their cores to ffmpeg. */
static PetscErrorCode wait_for_film(MPI_Comm comm) {
  const struct timespec nap = {0, 10000000};
  MPI_Request request;
  int here = 0;
  PetscCallMPI(MPI_Ibarrier(comm, &request));
  while (!here) {
    PetscCallMPI(MPI_Test(&request, &here, MPI_STATUS_IGNORE));
    if (!here) nanosleep(&nap, NULL);
  }
  return 0;
}

PetscErrorCode HgAnimationClose(HgAnimation *animation, double rate) {
  HgAnimation a = *animation;
  char why[HG_FILM_WHY] = "";
  int rank;
  *animation = NULL;
  if (!a) return 0;
  PetscCallMPI(MPI_Comm_rank(a->comm, &rank));
  if (!rank && a->count)
    HgFilmMake(&(HgFilm){a->directory, a->basename, a->count, rate}, why, sizeof why);
  PetscCall(wait_for_film(a->comm));
  if (a->count && !*why)
    PetscCall(PetscPrintf(a->comm, "animation: %s/%s.mp4 of %d frames\n", a->directory, a->basename,
                          a->count));
  if (a->count && *why)
    PetscCall(PetscPrintf(a->comm, "animation: none, as %s; its %d frames are in %s\n", why,
                          a->count, a->frames));
  return PetscFree(a);
}
