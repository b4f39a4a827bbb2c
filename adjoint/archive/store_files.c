/* SPDX-License-Identifier: BSD-2-Clause */
/* Slots in files: an HDF5 image (image_library.h) per slot and rank, overwritten in place, never
   synced; its XXH3 digest stays in memory and is compared on the way back. Plain pwrite, because a
   full disk then is an error code on one rank, which all ranks agree on, and not a hang. */
#include "store_private.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
  HG_WHY = HG_STORE_PATH + 1024,
  HG_BLOCK =
      1 << 20, /* written while it is in cache from digesting it: measured best of 64 K to 2 M */
  HG_PIECES = 1024 /* IOV_MAX of Linux */
};

static void slot_path(HgStore s, int slot, char path[HG_STORE_PATH]) {
  HgStoreFolderFile(&s->folder, slot, s->rank, path);
}

/* Writes all `bytes` of the pieces, which it changes, at offset `at`; returns 0 or an errno. */
static int write_pieces(int file, struct iovec *piece, int count, size_t bytes, off_t at) {
  while (bytes) {
    const ssize_t n = HgFault(HG_FAULT_WRITE) ? -1 : pwritev(file, piece, count, at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    bytes -= (size_t)n, at += n;
    HgFilePiecesPass(&piece, &count, (size_t)n);
  }
  return 0;
}

/* Returns 0 or an errno. */
static int write_image(HgStore s, int file, struct iovec *piece, size_t count,
                       XXH64_hash_t *digest) {
  off_t at = 0;
  XXH3_64bits_reset(s->hash);
  for (size_t k = 0; k < count;) {
    size_t bytes = 0, n = 0;
    for (; k + n < count && bytes < HG_BLOCK && n < HG_PIECES; n++) {
      XXH3_64bits_update(s->hash, piece[k + n].iov_base, piece[k + n].iov_len);
      bytes += piece[k + n].iov_len;
    }
    const int error = write_pieces(file, piece + k, (int)n, bytes, at);
    if (error) return error;
    at += (off_t)bytes, k += n;
  }
  *digest = XXH3_64bits_digest(s->hash);
  return 0;
}

PetscErrorCode HgStoreWrite(HgStore s, int slot, long step, HgState q) {
  char path[HG_STORE_PATH];
  HgRequire(s->comm, HgImageFits(s->image, q), HG_ERR_VARIABLE,
            "store: the state for slot %d differs in mesh or variables from the store's", slot);
  slot_path(s, slot, path);
  size_t count;
  struct iovec *piece = HgImagePieces(s->image, q, step, &count);
  const int file = HgFileOpen(path, O_WRONLY);
  int error = file < 0 ? errno : write_image(s, file, piece, count, &s->digest[slot]);
  if (file >= 0 && close(file) && !error) error = errno;
  return HgAgree(s->comm, error, HG_ERR_FILE_WRITE, "store: cannot write %zu bytes to '%s': %s",
                 HgImageSize(s->image), path, HgFileReason(error));
}

/* Reads all `bytes` of the pieces, which it changes, from offset `at`; returns 0, an errno or -1:
   the file ends early. */
static int read_pieces(int file, struct iovec *piece, int count, size_t bytes, off_t at) {
  while (bytes) {
    const ssize_t n = preadv(file, piece, count, at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n ? errno : -1;
    bytes -= (size_t)n, at += n;
    HgFilePiecesPass(&piece, &count, (size_t)n);
  }
  return 0;
}

/* Are all of the doubles finite? An exponent of ones carries into the sign. */
static bool all_finite(const void *numbers, size_t bytes) {
  const uint64_t *const bits = numbers, exponent = (uint64_t)0x7ff << 52;
  uint64_t carried = 0;
  for (size_t k = 0; k < bytes / sizeof *bits; k++)
    carried |= (bits[k] & exponent) + ((uint64_t)1 << 52);
  return !(carried >> 63);
}

static bool is_of_size(HgStore s, int file, const char path[], char why[]) {
  const size_t size = HgImageSize(s->image);
  struct stat found;
  if (!fstat(file, &found) && (size_t)found.st_size == size) return true;
  snprintf(why, HG_WHY, "store: '%s' has %lld bytes, expected %zu", path, (long long)found.st_size,
           size);
  return false;
}

/* Fills the pieces from an open file, digests them and looks whether their numbers, which do not
   stand in the buffer of the image, are finite, while they are in the cache. Returns as
   read_pieces(). */
static int read_and_digest(HgStore s, int file, struct iovec piece[], size_t count, bool *finite) {
  const unsigned char *const buffer = HgImageBuffer(s->image);
  struct iovec now[HG_PIECES];
  off_t at = 0;
  *finite = true;
  XXH3_64bits_reset(s->hash);
  for (size_t k = 0, n; k < count; k += n) {
    size_t bytes = 0;
    for (n = 0; k + n < count && bytes < HG_BLOCK && n < HG_PIECES; n++)
      bytes += piece[k + n].iov_len;
    memcpy(now, piece + k, n * sizeof *now);
    const int error = read_pieces(file, now, (int)n, bytes, at);
    if (error) return error;
    at += (off_t)bytes;
    for (size_t l = k; l < k + n; l++) {
      const unsigned char *const first = piece[l].iov_base;
      XXH3_64bits_update(s->hash, first, piece[l].iov_len);
      if (first < buffer || first >= buffer + HgImageSize(s->image))
        *finite = all_finite(first, piece[l].iov_len) && *finite;
    }
  }
  return 0;
}

/* The image of a slot goes to these pieces if size and digest are as they were written. */
static bool read_image(HgStore s, int file, const char path[], int slot, struct iovec piece[],
                       size_t count, bool *finite, char why[]) {
  if (!is_of_size(s, file, path, why)) return false;
  const int error = read_and_digest(s, file, piece, count, finite);
  if (error) {
    snprintf(why, HG_WHY, "store: cannot read %zu bytes from '%s': %s", HgImageSize(s->image), path,
             error > 0 ? strerror(error) : "it ends early");
    return false;
  }
  const XXH64_hash_t digest = XXH3_64bits_digest(s->hash), expected = s->digest[slot];
  if (digest == expected) return true;
  snprintf(why, HG_WHY,
           "store: '%s' was altered since it was written: XXH3 digest %016llx, expected %016llx",
           path, (unsigned long long)digest, (unsigned long long)expected);
  return false;
}

/* The digest tells that the file is the image that was written, so that its numbers are read
   straight into q. */
static bool read_state(HgStore s, int slot, HgState q, char why[]) {
  char path[HG_STORE_PATH], what[256];
  bool finite;
  size_t count;
  slot_path(s, slot, path);
  const int file = HgFileOpen(path, O_RDONLY);
  if (file < 0) {
    snprintf(why, HG_WHY, "store: cannot open '%s': %s", path, HgFileReason(errno));
    return false;
  }
  struct iovec *const targets = HgImageTargets(s->image, q, &count);
  const bool ok = read_image(s, file, path, slot, targets, count, &finite, why);
  close(file);
  if (!ok || finite) return ok;
  HgImageNotFinite(s->image, q, what, sizeof what);
  snprintf(why, HG_WHY, "store: '%s': %s", path, what);
  return false;
}

PetscErrorCode HgStoreRead(HgStore s, int slot, HgState q) {
  char why[HG_WHY] = "";
  HgRequire(s->comm, q && HgImageFits(s->image, q), HG_ERR_VARIABLE,
            "store: the scratch state for slot %d differs in mesh or variables from the store's",
            slot);
  return HgAgree(s->comm, !read_state(s, slot, q, why), HG_ERR_FILE_WRITE, "%s", why);
}

/* A program that ends in an error destroys nothing: its files go when PETSc ends. The last rank to
   come finds the directories empty. Not collective. */
static HgStore living;

static void remove_files(HgStore s) {
  char path[HG_STORE_PATH];
  for (int k = 0; k < s->reserved; k++) {
    slot_path(s, k, path);
    HgFileUnlink(path); /* gone already: nothing to complain about */
  }
  s->reserved = 0;
  HgStoreFolderLeave(&s->folder);
}

static PetscErrorCode remove_all_files(void) {
  for (HgStore s = living; s; s = s->next) remove_files(s);
  living = NULL;
  return 0;
}

PetscErrorCode HgStoreRemove(HgStore s) {
  HgStore *link = &living;
  while (*link && *link != s) link = &(*link)->next;
  if (*link) {
    *link = s->next;
    remove_files(s);
  }
  PetscCallMPI(MPI_Barrier(s->comm)); /* now the files of all ranks are gone */
  PetscCall(HgImageDestroy(&s->image));
  XXH3_freeState(s->hash);
  return PetscFree(s->digest);
}

/* What cannot fit is told before a disk is filled with it. */
static PetscErrorCode require_room(HgStore s, const char root[]) {
  struct statvfs disk;
  const bool known = !statvfs(root, &disk) && disk.f_blocks;
  double wanted, least;
  PetscCall(HgStoreOnMachine(s->comm, (double)s->files * (double)HgImageSize(s->image),
                             known ? (double)disk.f_bavail * (double)disk.f_frsize : INFINITY,
                             &wanted, &least));
  return HgAgree(s->comm, wanted > least, HG_ERR_FILE_WRITE,
                 "store: cannot reserve %d files of %zu bytes for each rank under '%s': %.0f bytes "
                 "asked for on this machine, %.0f free: %s",
                 s->files, HgImageSize(s->image), root, wanted, least, strerror(ENOSPC));
}

static PetscErrorCode reserve_files(HgStore s) {
  const size_t size = HgImageSize(s->image);
  char path[HG_STORE_PATH] = "";
  int error = 0;
  for (int k = 0; !error && k < s->files; k++) {
    slot_path(s, k, path);
    const int file = HgFileOpen(path, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0) {
      error = errno;
      break;
    }
    s->reserved++;
    do error = HgFault(HG_FAULT_WRITE) ? errno : posix_fallocate(file, 0, (off_t)size);
    while (error == EINTR);
    if (close(file) && !error) error = errno;
  }
  return HgAgree(s->comm, error, HG_ERR_FILE_WRITE,
                 "store: cannot reserve %zu bytes for '%s', file %d of %d: %s", size, path,
                 s->reserved, s->files, HgFileReason(error));
}

PetscErrorCode HgStoreReserve(HgStore s, HgState pattern, const char root[]) {
  s->next = living, living = s;
  PetscCall(PetscRegisterFinalize(remove_all_files));
  PetscCall(PetscMalloc1(s->files, &s->digest));
  s->hash = XXH3_createState();
  PetscCall(HgAgree(s->comm, !s->hash, HG_ERR_MEMORY, "store: no memory for a digest"));
  PetscCall(HgImageCreate(pattern, NULL, &s->image));
  const int error = HgStoreFolderMake(s->comm, root, &s->folder);
  HgRequire(s->comm, !error, HG_ERR_FILE_WRITE,
            "store: cannot make a directory for checkpoints under '%s': %s", root,
            HgFileReason(error));
  PetscCall(require_room(s, root));
  return reserve_files(s);
}
