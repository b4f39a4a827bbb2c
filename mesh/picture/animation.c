/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames, and the command that makes a film of them: see animation.h. */
#include <ctype.h>
#include <errno.h>
#include <halograd/animation.h>
#include <halograd/file_library.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BASENAME = 64, PATH = 1024 };

struct HgAnimation_s {
  MPI_Comm comm;
  char directory[PATH], frames[PATH + 16], basename[BASENAME];
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
  char film[PATH + BASENAME + 8];
  int rank, why = 0;
  *animation = NULL;
  HgRequire(comm, plain_name(basename), HG_ERR_FILE_NAME,
            "animation: '%.80s' is no plain file name (letters, digits, '_')", basename);
  HgRequire(comm, *directory && strlen(directory) < PATH, HG_ERR_FILE_NAME,
            "animation: expected a directory's name of 1 to %d bytes, got %zu", PATH - 1,
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
    ierr = HgAgree(comm, why, HG_ERR_FILE_WRITE,
                   "cannot remove the frames of an earlier run from '%s': %s", a->frames,
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

PetscErrorCode HgAnimationClose(HgAnimation *animation, double rate) {
  HgAnimation a = *animation;
  *animation = NULL;
  if (!a) return 0;
  if (a->count) /* sides must be even, and yuv420p is what every player knows */
    PetscCall(PetscPrintf(
        a->comm,
        "animation: %d frames in %s; a film of them: ffmpeg -framerate %.6g -i '%s/%s_%%04d.png' "
        "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p '%s/%s.mp4'\n",
        a->count, a->frames, rate, a->frames, a->basename, a->directory, a->basename));
  return PetscFree(a);
}
