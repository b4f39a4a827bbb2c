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

enum {
  HG_WHY = HG_STORE_PATH + 1024,
  HG_BLOCK =
      1 << 20, /* written while it is in cache from digesting it: measured best of 64 K to 2 M */
  HG_PIECES = 1024, /* IOV_MAX of Linux */
  HG_TRIES = 100
};

/* Seeks the start of a slot's image; returns 0 or an errno. */
static int go_to(HgStore s, int slot) {
  return lseek(s->file, (off_t)slot * (off_t)HgImageSize(s->image), SEEK_SET) < 0 ? errno : 0;
}

/* Returns 0 or an errno. */
static int write_image(HgStore s, struct iovec *piece, size_t count, XXH64_hash_t *digest) {
  XXH3_64bits_reset(s->hash);
  for (size_t k = 0, n; k < count; k += n) {
    size_t bytes = 0;
    for (n = 0; k + n < count && bytes < HG_BLOCK && n < HG_PIECES; n++) {
      XXH3_64bits_update(s->hash, piece[k + n].iov_base, piece[k + n].iov_len);
      bytes += piece[k + n].iov_len;
    }
    const int error = HgFilePiecesWrite(s->file, piece + k, (int)n);
    if (error) return error;
  }
  *digest = XXH3_64bits_digest(s->hash);
  return 0;
}

PetscErrorCode HgStoreWrite(HgStore s, int slot, long step, HgState q) {
  HgRequire(s->comm, HgImageFits(s->image, q), HG_ERR_VARIABLE,
            "store: the state for slot %d differs in mesh or variables from the store's", slot);
  size_t count;
  struct iovec *piece = HgImagePieces(s->image, q, step, &count);
  int error = go_to(s, slot);
  if (!error) error = write_image(s, piece, count, &s->digest[slot]);
  return HgAgree(s->comm, error, HG_ERR_FILE_WRITE,
                 "store: cannot write %zu bytes of slot %d under '%s': %s", HgImageSize(s->image),
                 slot, s->directory, HgFileReason(error));
}

/* Reads all bytes of the pieces, which it changes; returns 0, an errno or -1: the file ends
   early. */
static int read_pieces(int file, struct iovec *piece, int count) {
  while (count) {
    const ssize_t n = readv(file, piece, count);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n ? errno : -1;
    HgFilePiecesPass(&piece, &count, (size_t)n);
  }
  return 0;
}

/* Whether all doubles are finite. An exponent of ones carries into the sign. */
static bool all_finite(const void *numbers, size_t bytes) {
  const uint64_t *const bits = numbers, exponent = (uint64_t)0x7ff << 52;
  uint64_t carried = 0;
  for (size_t k = 0; k < bytes / sizeof *bits; k++)
    carried |= (bits[k] & exponent) + ((uint64_t)1 << 52);
  return !(carried >> 63);
}

/* Fills the pieces, digests them, and checks while they are in the cache that numbers outside the
   image's buffer are finite. Returns as read_pieces(). */
static int read_image(HgStore s, struct iovec piece[], size_t count, bool *finite) {
  const unsigned char *const buffer = HgImageBuffer(s->image);
  struct iovec now[HG_PIECES];
  *finite = true;
  XXH3_64bits_reset(s->hash);
  for (size_t k = 0, n; k < count; k += n) {
    size_t bytes = 0;
    for (n = 0; k + n < count && bytes < HG_BLOCK && n < HG_PIECES; n++)
      bytes += piece[k + n].iov_len;
    memcpy(now, piece + k, n * sizeof *now);
    const int error = read_pieces(s->file, now, (int)n);
    if (error) return error;
    for (size_t l = k; l < k + n; l++) {
      const unsigned char *const first = piece[l].iov_base;
      XXH3_64bits_update(s->hash, first, piece[l].iov_len);
      if (first < buffer || first >= buffer + HgImageSize(s->image))
        *finite = all_finite(first, piece[l].iov_len) && *finite;
    }
  }
  return 0;
}

/* The digest proves that the image is intact, so its numbers are read directly into q. */
static bool read_state(HgStore s, int slot, HgState q, char why[]) {
  char what[256];
  bool finite;
  size_t count;
  struct iovec *const targets = HgImageTargets(s->image, q, &count);
  int error = go_to(s, slot);
  if (!error) error = read_image(s, targets, count, &finite);
  if (error) {
    snprintf(why, HG_WHY, "store: cannot read %zu bytes of slot %d under '%s': %s",
             HgImageSize(s->image), slot, s->directory,
             error > 0 ? strerror(error) : "the file ends early");
    return false;
  }
  const XXH64_hash_t digest = XXH3_64bits_digest(s->hash), expected = s->digest[slot];
  if (digest != expected) {
    snprintf(why, HG_WHY,
             "store: slot %d under '%s' was altered since it was written: XXH3 digest %016llx, "
             "expected %016llx",
             slot, s->directory, (unsigned long long)digest, (unsigned long long)expected);
    return false;
  }
  if (finite) return true;
  HgImageNotFinite(s->image, q, what, sizeof what);
  snprintf(why, HG_WHY, "store: slot %d under '%s': %s", slot, s->directory, what);
  return false;
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
  XXH3_freeState(s->hash);
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
  s->hash = XXH3_createState();
  PetscCall(HgAgree(s->comm, !s->hash, HG_ERR_MEMORY, "store: no memory for a digest"));
  PetscCall(HgImageCreate(pattern, NULL, &s->image));
  const int why = make_file(s);
  PetscCall(HgAgree(s->comm, why, HG_ERR_FILE_WRITE,
                    "store: cannot make a file for checkpoints under '%s': %s", s->directory,
                    HgFileReason(why)));
  remove_folder(s); /* all ranks have opened their files */
  PetscCall(require_room(s));
  return reserve(s);
}
