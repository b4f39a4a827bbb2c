/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots in files: each rank has one file without a name, in which slot k is the HDF5 image
   (image_library.h) number k, overwritten in place, never synced; its XXH3 digest stays in memory
   and is compared on the way back. Plain writes, because a full disk then is an error code on one
   rank, which all ranks agree on, and not a hang. */
#include "store_private.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { HG_WHY = HG_STORE_PATH + 1024, HG_TRIES = 100 };

/* Seeks the start of a slot's image; returns 0 or an errno. */
static int go_to(HgStore s, int slot) {
  return lseek(s->file, (off_t)slot * (off_t)HgImageSize(s->image), SEEK_SET) < 0 ? errno : 0;
}

PetscErrorCode HgStoreWrite(HgStore s, int slot, long step, HgState q) {
  HgRequire(s->comm, HgImageFits(s->image, q), HG_ERR_VARIABLE,
            "store: the state for slot %d differs in mesh or variables from the store's", slot);
  int error = go_to(s, slot);
  if (!error) error = HgImageWrite(s->image, q, step, s->file, NULL, &s->digest[slot]);
  return HgAgree(s->comm, error, HG_ERR_FILE_WRITE,
                 "store: cannot write %zu bytes of slot %d under '%s': %s", HgImageSize(s->image),
                 slot, s->directory, HgFileReason(error));
}

/* The digest proves that the image is intact, so its numbers are read directly into q. */
static bool read_state(HgStore s, int slot, HgState q, char why[]) {
  const uint64_t expected = s->digest[slot];
  uint64_t digest;
  int error = go_to(s, slot);
  if (!error) error = HgImageReadBack(s->image, q, s->file, &digest);
  if (error) {
    snprintf(why, HG_WHY, "store: cannot read %zu bytes of slot %d under '%s': %s",
             HgImageSize(s->image), slot, s->directory,
             error > 0 ? strerror(error) : "the file ends early");
    return false;
  }
  if (digest != expected)
    snprintf(why, HG_WHY,
             "store: slot %d under '%s' was altered since it was written: XXH3 digest %016llx, "
             "expected %016llx",
             slot, s->directory, (unsigned long long)digest, (unsigned long long)expected);
  return digest == expected;
}

PetscErrorCode HgStoreRead(HgStore s, int slot, HgState q) {
  char why[HG_WHY] = "";
  HgRequire(s->comm, q && HgImageFits(s->image, q), HG_ERR_VARIABLE,
            "store: the scratch state for slot %d differs in mesh or variables from the store's",
            slot);
  return HgAgree(s->comm, !read_state(s, slot, q, why), HG_ERR_FILE_WRITE, "%s", why);
}

/* Fails, intentionally, if it is not empty. */
static void remove_folder(HgStore s) {
  if (s->made) rmdir(s->directory);
}

PetscErrorCode HgStoreRemove(HgStore s) {
  if (s->file >= 0) close(s->file);
  remove_folder(s); /* with NFS, which keeps a name of an open file */
  PetscCall(HgImageDestroy(&s->image));
  return PetscFree(s->digest);
}

/* Creates the file and removes its name after opening it: it vanishes with the process, however
   that ends. Another store may remove the folder before. Returns 0 or an errno. */
static int make_file(HgStore s) {
  char made[HG_STORE_PATH], path[HG_STORE_PATH];
  int why = ENOENT;
  bool new;
  snprintf(path, sizeof path, "%.*s/slots-%ld-%d.tmp", HG_STORE_ROOT, s->directory, (long)getpid(),
           s->rank);
  for (int k = 0; why == ENOENT && k < HG_TRIES; k++) {
    snprintf(made, sizeof made, "%s", s->directory);
    why = HgDirectoriesMake(made, &new);
    s->made |= new;
    if (!why && (s->file = HgFileNew(path)) < 0) why = errno;
  }
  if (why) return why;
  return HgFileUnlink(path) && errno != ENOENT ? errno : 0;
}

/* Error: the files cannot fit. Checked before the disk fills up. */
static PetscErrorCode require_room(HgStore s) {
  struct statvfs disk;
  const bool known = !fstatvfs(s->file, &disk) && disk.f_blocks;
  double wanted, least;
  PetscCall(HgStoreOnMachine(s->comm, (double)s->files * (double)HgImageSize(s->image),
                             known ? (double)disk.f_bavail * (double)disk.f_frsize : INFINITY,
                             &wanted, &least));
  return HgAgree(s->comm, wanted > least, HG_ERR_FILE_WRITE,
                 "store: cannot reserve %d slots of %zu bytes for each rank under '%s': %.0f bytes "
                 "asked for on this machine, %.0f free: %s",
                 s->files, HgImageSize(s->image), s->directory, wanted, least, strerror(ENOSPC));
}

static PetscErrorCode reserve(HgStore s) {
  const off_t bytes = (off_t)s->files * (off_t)HgImageSize(s->image);
  int error;
  do error = HgFault(HG_FAULT_WRITE) ? errno : posix_fallocate(s->file, 0, bytes);
  while (error == EINTR);
  return HgAgree(s->comm, error, HG_ERR_FILE_WRITE,
                 "store: cannot reserve %lld bytes for %d slots under '%s': %s", (long long)bytes,
                 s->files, s->directory, HgFileReason(error));
}

PetscErrorCode HgStoreReserve(HgStore s, HgState pattern) {
  PetscCall(PetscMalloc1(s->files, &s->digest));
  PetscCall(HgImageCreate(pattern, NULL, &s->image));
  const int why = make_file(s);
  PetscCall(HgAgree(s->comm, why, HG_ERR_FILE_WRITE,
                    "store: cannot make a file for checkpoints under '%s': %s", s->directory,
                    HgFileReason(why)));
  remove_folder(s); /* all ranks have opened their files */
  PetscCall(require_room(s));
  return reserve(s);
}
