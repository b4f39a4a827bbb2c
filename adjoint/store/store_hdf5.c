/* Slots in files: an HDF5 image (image_library.h) per slot and rank, overwritten in place, never
   synced;
   its XXH3 digest stays in memory and is verified on the way back. Plain pwrite, because a
   full disk then is an error code on one rank, which all ranks agree on, and not a hang. */
#include "store_folder_private.h"
#include "store_private.h"
#include <errno.h>
#include <fcntl.h>
#include <halograd/fault_library.h>
#include <halograd/file_library.h>
#include <halograd/image_library.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define XXH_INLINE_ALL /* the library's copy is built for SSE2 only, half as fast */
#include <xxhash.h>

enum {
  HG_PATH = HG_STORE_PATH,
  HG_WHY = HG_PATH + 1024,
  HG_BLOCK =
      1 << 20, /* written while it is in cache from digesting it: measured best of 64 K to 2 M */
  HG_PIECES = 1024 /* IOV_MAX of Linux */
};
typedef struct Files_s Files;

struct Files_s {
  MPI_Comm comm;
  int slots, rank, reserved; /* reserved: files that exist */
  HgImage image;
  XXH3_state_t *hash;
  XXH64_hash_t *digest; /* [slots] */
  HgStoreFolder folder;
  Files *next; /* of all that live */
};

static void slot_path(const Files *f, int slot, char path[HG_PATH]) {
  HgStoreFolderFile(&f->folder, slot, f->rank, path);
}

static HgState files_slot(void *self, int slot) {
  (void)self, (void)slot;
  return NULL;
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
static int write_image(Files *f, int file, struct iovec *piece, size_t count,
                       XXH64_hash_t *digest) {
  off_t at = 0;
  XXH3_64bits_reset(f->hash);
  for (size_t k = 0; k < count;) {
    size_t bytes = 0, n = 0;
    for (; k + n < count && bytes < HG_BLOCK && n < HG_PIECES; n++) {
      XXH3_64bits_update(f->hash, piece[k + n].iov_base, piece[k + n].iov_len);
      bytes += piece[k + n].iov_len;
    }
    const int error = write_pieces(file, piece + k, (int)n, bytes, at);
    if (error) return error;
    at += (off_t)bytes, k += n;
  }
  *digest = XXH3_64bits_digest(f->hash);
  return 0;
}

static PetscErrorCode files_put(void *self, int slot, long step, HgState q) {
  Files *f = self;
  char path[HG_PATH];
  HgRequire(f->comm, HgImageFits(f->image, q),
            "store: the state for slot %d differs in mesh or variables from the store's", slot);
  slot_path(f, slot, path);
  size_t count;
  struct iovec *piece = HgImagePieces(f->image, q, step, &count);
  const int file = HgFileOpen(path, O_WRONLY);
  int error = file < 0 ? errno : write_image(f, file, piece, count, &f->digest[slot]);
  if (file >= 0 && close(file) && !error) error = errno;
  return HgAgree(f->comm, error, "store: cannot write %zu bytes to '%s': %s", HgImageSize(f->image),
                 path, HgFileReason(error));
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

static bool is_of_size(const Files *f, int file, const char path[], char why[]) {
  const size_t size = HgImageSize(f->image);
  struct stat found;
  if (!fstat(file, &found) && (size_t)found.st_size == size) return true;
  snprintf(why, HG_WHY, "store: '%s' has %lld bytes, expected %zu", path, (long long)found.st_size,
           size);
  return false;
}

/* Fills the pieces from an open file, digests them and looks whether their numbers, which do not
   stand in the buffer of the image, are finite, while they are in the cache. Returns as
   read_pieces(). */
static int read_and_digest(Files *f, int file, struct iovec piece[], size_t count, bool *finite) {
  const unsigned char *const buffer = HgImageBuffer(f->image);
  struct iovec now[HG_PIECES];
  off_t at = 0;
  *finite = true;
  XXH3_64bits_reset(f->hash);
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
      XXH3_64bits_update(f->hash, first, piece[l].iov_len);
      if (first < buffer || first >= buffer + HgImageSize(f->image))
        *finite = all_finite(first, piece[l].iov_len) && *finite;
    }
  }
  return 0;
}

/* The image of a slot goes to these pieces if size and digest are as they were written. */
static bool read_image(Files *f, int file, const char path[], int slot, struct iovec piece[],
                       size_t count, bool *finite, char why[]) {
  if (!is_of_size(f, file, path, why)) return false;
  const int error = read_and_digest(f, file, piece, count, finite);
  if (error) {
    snprintf(why, HG_WHY, "store: cannot read %zu bytes from '%s': %s", HgImageSize(f->image), path,
             error > 0 ? strerror(error) : "it ends early");
    return false;
  }
  const XXH64_hash_t digest = XXH3_64bits_digest(f->hash), expected = f->digest[slot];
  if (digest == expected) return true;
  snprintf(why, HG_WHY,
           "store: '%s' was altered since it was written: XXH3 digest %016llx, expected %016llx",
           path, (unsigned long long)digest, (unsigned long long)expected);
  return false;
}

/* The digest tells that the file is the image that was written, so that its numbers are read
   straight into q; HDF5 is asked only where one is not finite, as it knows which. */
static bool read_state(Files *f, int slot, long step, HgState q, char why[]) {
  char path[HG_PATH], what[512];
  bool finite;
  size_t count;
  slot_path(f, slot, path);
  const int file = HgFileOpen(path, O_RDONLY);
  if (file < 0) {
    snprintf(why, HG_WHY, "store: cannot open '%s': %s", path, HgFileReason(errno));
    return false;
  }
  struct iovec *const targets = HgImageTargets(f->image, q, &count);
  bool ok = read_image(f, file, path, slot, targets, count, &finite, why);
  if (ok && !finite) {
    struct iovec whole = {HgImageBuffer(f->image), HgImageSize(f->image)};
    ok = read_image(f, file, path, slot, &whole, 1, &finite, why);
    if (ok && !HgImageRead(f->image, path, step, q, what, sizeof what)) {
      ok = false;
      snprintf(why, HG_WHY, "store: '%.*s': %s", HG_PATH, path, what);
    }
  }
  close(file);
  return ok;
}

static PetscErrorCode files_get(void *self, int slot, long step, HgState scratch, HgState *q) {
  Files *f = self;
  char why[HG_WHY] = "";
  HgRequire(f->comm, scratch && HgImageFits(f->image, scratch),
            "store: the scratch state for slot %d differs in mesh or variables from the store's",
            slot);
  PetscCall(HgAgree(f->comm, !read_state(f, slot, step, scratch, why), "%s", why));
  *q = scratch;
  return 0;
}

static void files_bytes(void *self, size_t *memory, size_t *files) {
  const Files *f = self;
  *memory = HgImageMemory(f->image), *files = (size_t)f->slots * HgImageSize(f->image);
}

/* The last rank to come finds the directories empty. Not collective. */
static void remove_files(Files *f) {
  char path[HG_PATH];
  for (int k = 0; k < f->reserved; k++) {
    slot_path(f, k, path);
    HgFileUnlink(path); /* gone already: nothing to complain about */
  }
  f->reserved = 0;
  HgStoreFolderLeave(&f->folder);
}

/* A program that ends in an error destroys nothing: its files go when PETSc ends. */
static Files *living;

static PetscErrorCode remove_all_files(void) {
  for (Files *f = living; f; f = f->next) remove_files(f);
  living = NULL;
  return 0;
}

static PetscErrorCode files_destroy(void *self) {
  Files *f = self;
  remove_files(f);
  for (Files **link = &living; *link; link = &(*link)->next)
    if (*link == f) {
      *link = f->next;
      break;
    }
  PetscCallMPI(MPI_Barrier(f->comm)); /* now the files of all ranks are gone */
  PetscCallMPI(MPI_Comm_free(&f->comm));
  PetscCall(HgImageDestroy(&f->image));
  XXH3_freeState(f->hash);
  PetscCall(PetscFree(f->digest));
  PetscCall(PetscFree(f));
  return 0;
}

static const HgStoreTable files_table = {files_slot, files_put, files_get, files_bytes,
                                         files_destroy};

/* What cannot fit is told before a disk is filled with it. */
static PetscErrorCode require_room(Files *f, const char root[]) {
  struct statvfs disk;
  const bool known = !statvfs(root, &disk) && disk.f_blocks;
  double wanted, least;
  PetscCall(HgStoreOnMachine(f->comm, (double)f->slots * (double)HgImageSize(f->image),
                             known ? (double)disk.f_bavail * (double)disk.f_frsize : INFINITY,
                             &wanted, &least));
  return HgAgree(f->comm, wanted > least,
                 "store: cannot reserve %d files of %zu bytes for each rank under '%s': %.0f bytes "
                 "asked for on this machine, %.0f free: %s",
                 f->slots, HgImageSize(f->image), root, wanted, least, strerror(ENOSPC));
}

static PetscErrorCode reserve_files(Files *f) {
  const size_t size = HgImageSize(f->image);
  char path[HG_PATH] = "";
  int error = 0;
  for (int k = 0; !error && k < f->slots; k++) {
    slot_path(f, k, path);
    const int file = HgFileOpen(path, O_WRONLY | O_CREAT | O_EXCL);
    if (file < 0) {
      error = errno;
      break;
    }
    f->reserved++;
    do error = HgFault(HG_FAULT_WRITE) ? errno : posix_fallocate(file, 0, (off_t)size);
    while (error == EINTR);
    if (close(file) && !error) error = errno;
  }
  return HgAgree(f->comm, error, "store: cannot reserve %zu bytes for '%s', file %d of %d: %s",
                 size, path, f->reserved, f->slots, HgFileReason(error));
}

static PetscErrorCode set_up(Files *f, HgState pattern, const char root[]) {
  PetscCall(HgAgree(f->comm, !f->hash, "store: no memory for a digest"));
  PetscCall(HgImageCreate(pattern, NULL, &f->image));
  const int error = HgStoreFolderMake(f->comm, root, &f->folder);
  HgRequire(f->comm, !error, "store: cannot make a directory for checkpoints under '%s': %s", root,
            HgFileReason(error));
  PetscCall(require_room(f, root));
  return reserve_files(f);
}

PetscErrorCode HgStoreCreateHDF5(HgState pattern, int slots, const char directory[],
                                 HgStore *store) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(pattern));
  HgRequire(comm, slots >= 1, "store: %d slots asked for, expected at least 1", slots);
  HgRequire(comm, directory && *directory && strlen(directory) < HG_STORE_ROOT,
            "store: name of the directory has %zu characters, expected 1 to %d",
            directory ? strlen(directory) : 0, HG_STORE_ROOT - 1);
  Files *f;
  PetscCall(PetscNew(&f));
  PetscCall(PetscMalloc1(slots, &f->digest));
  PetscCallMPI(MPI_Comm_dup(comm, &f->comm));
  PetscCallMPI(MPI_Comm_rank(comm, &f->rank));
  f->folder.lock = -1;
  f->slots = slots, f->hash = XXH3_createState();
  f->next = living, living = f;
  PetscCall(PetscRegisterFinalize(remove_all_files));
  const PetscErrorCode ierr = set_up(f, pattern, directory);
  if (ierr) {
    PetscCall(files_destroy(f));
    return ierr;
  }
  PetscCall(HgStoreCreate(f->comm, slots, &files_table, f, store));
  HgStoreSetDirectory(*store, directory);
  return 0;
}
