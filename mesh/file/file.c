/* SPDX-License-Identifier: BSD-2-Clause */
/* Small files and directories: see file.h. */
#define _GNU_SOURCE /* fallocate() */
#include <errno.h>
#include <fcntl.h>
#include <halograd/fault_library.h>
#include <halograd/file_library.h>
#include <halograd/memory.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECES = 1024 }; /* IOV_MAX of Linux */

void HgFilePiecesPass(struct iovec **piece, int *count, size_t done) {
  for (; *count && done >= (*piece)->iov_len; --*count) done -= (*piece)++->iov_len;
  if (!*count) return;
  (*piece)->iov_base = (char *)(*piece)->iov_base + done, (*piece)->iov_len -= done;
}

int HgFilePiecesWrite(int file, struct iovec *piece, int count) {
  for (;;) {
    while (count && !piece->iov_len) piece++, count--;
    if (!count) return 0;
    const ssize_t n =
        HgFault(HG_FAULT_WRITE) ? -1 : writev(file, piece, count < PIECES ? count : PIECES);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (!n) return EIO;
    HgFilePiecesPass(&piece, &count, (size_t)n);
  }
}

/* A new file in a folder: see HgFileNew(). */
static int make_new(int folder, const char name[]) {
  struct stat status;
  if (!fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return -1;
  }
  unlinkat(folder, name,
           0); /* never written through: it may be a link to another file, or a pipe */
  return openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int HgFileNew(const char path[]) {
  const char *name;
  const int folder = HgFolderAbove(path, &name);
  return folder < 0 ? -1 : HgFolderLeave(folder, make_new(folder, name));
}

/* Returns 0 or errno. */
static int begin_draft(const char name[], HgFileDraft *d) {
  struct stat status;
  if (!*name) return ENOENT;
  if (!fstatat(d->folder, name, &status, 0)) { /* rename() would replace /dev/null for root */
    if (S_ISDIR(status.st_mode)) return EISDIR;
    if (!S_ISREG(status.st_mode)) return ENOTSUP;
  }
  strcpy(d->name, name);
  snprintf(d->temporary, sizeof d->temporary, "%s.%ld.tmp", name, (long)getpid());
  d->file = make_new(d->folder, d->temporary);
  return d->file < 0 ? errno : 0;
}

int HgFileDraftBegin(const char path[], HgFileDraft *d) {
  const char *name;
  *d = (HgFileDraft){.file = -1, .folder = HgFolderAbove(path, &name)};
  const int why = d->folder < 0 ? errno : begin_draft(name, d);
  if (why) HgFolderLeave(d->folder, 0);
  return why;
}

void HgFileDraftReserve(HgFileDraft *d, size_t bytes) {
  (void)fallocate(d->file, 0, 0, (off_t)bytes);
}

/* The new name in the folder must survive a power cut too; a file system that cannot promise it
   (EINVAL) is no error. */
static void sync_folder(int folder) {
  const int file = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

int HgFileDraftEnd(HgFileDraft *d, int why, bool sync) {
  if (d->file < 0) return why;
  if (!why && sync && (HgFault(HG_FAULT_FSYNC) || fsync(d->file))) why = errno;
  if (close(d->file) && !why) why = errno;
  if (!why && (HgFault(HG_FAULT_RENAME) || renameat(d->folder, d->temporary, d->folder, d->name)))
    why = errno;
  if (why) unlinkat(d->folder, d->temporary, 0);
  else if (sync) sync_folder(d->folder);
  close(d->folder);
  d->file = -1;
  return why;
}

const char *HgFileReason(int why) {
  if (why == ENOTSUP) return "it is no regular file";
  if (why == EISDIR) return "it is a directory";
  if (why == ELOOP) return "it is a symbolic link, or lies behind one";
  return strerror(why);
}

/* Returns 0 or errno. */
static int write_whole(const char path[], const char *bytes, size_t size) {
  HgFileDraft draft;
  struct iovec piece = {(char *)(uintptr_t)bytes, size}; /* which is only read */
  int why = HgFileDraftBegin(path, &draft);
  if (!why) why = HgFilePiecesWrite(draft.file, &piece, 1);
  return HgFileDraftEnd(&draft, why, true);
}

PetscErrorCode HgFileWrite(MPI_Comm comm, const char path[], const void *bytes, size_t size) {
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = write_whole(path, bytes, size);
  return HgAgree(comm, why, HG_ERR_FILE_WRITE, "cannot write file '%s' (%zu bytes): %s", path, size,
                 HgFileReason(why));
}

/* What was written of an unfinished addition is taken away again. Returns 0 or errno. */
static int append(const char path[], const char *bytes, size_t size, bool sync) {
  struct stat before;
  struct iovec piece = {(char *)(uintptr_t)bytes, size}; /* which is only read */
  const int file = HgFileOpen(path, O_WRONLY | O_APPEND);
  if (file < 0) return errno;
  const bool known = !fstat(file, &before);
  int why = known ? HgFilePiecesWrite(file, &piece, 1) : errno;
  if (!why && sync && (HgFault(HG_FAULT_FSYNC) || fsync(file))) why = errno;
  if (why && known && ftruncate(file, before.st_size)) why = errno;
  if (close(file) && !why) why = errno;
  return why;
}

PetscErrorCode HgFileAppend(MPI_Comm comm, const char path[], const void *bytes, size_t size,
                            bool sync) {
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = append(path, bytes, size, sync);
  return HgAgree(comm, why, HG_ERR_FILE_WRITE, "cannot add %zu bytes to file '%s': %s", size, path,
                 HgFileReason(why));
}

/* 524 is ENOTSUPP, which Linux keeps to itself, but for some file systems of the network. */
static bool lacks_locks(int why) {
  return why == ENOLCK || why == ENOSYS || why == ENOTSUP || why == EOPNOTSUPP || why == 524;
}

int HgFileTryLock(int file, int how, const char path[]) {
  static bool said;
  int rank;
  if (!HgFault(HG_FAULT_LOCK) && !flock(file, how | LOCK_NB)) return 0;
  const int why = errno;
  if (!lacks_locks(why)) return why;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!rank && !said)
    printf("locks: there are none where '%s' is (errno %d), so nothing keeps a second run from "
           "writing there at the same time\n",
           path, why);
  said = true;
  return ENOLCK;
}

/* Returns 0 or an errno. A run that ends removes its file: what is locked must still be called so.
   */
static int open_locked(const char path[], int *lock) {
  enum { TRIES = 10 };

  struct stat locked, named;
  for (int k = 0; k < TRIES; k++) {
    *lock = HgFileOpen(path, O_RDWR | O_CREAT);
    const int why = *lock < 0 ? errno : HgFileTryLock(*lock, LOCK_EX, path);
    if (why) return why == ENOLCK ? 0 : why;
    if (!fstat(*lock, &locked) && !lstat(path, &named) && locked.st_ino == named.st_ino) return 0;
    HgFileUnlock(lock);
  }
  return EWOULDBLOCK;
}

PetscErrorCode HgFileLock(MPI_Comm comm, const char path[], const char what[], int *lock) {
  int rank, why = 0;
  *lock = -1;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = open_locked(path, lock);
  PetscErrorCode ierr = HgAgree(comm, why == EWOULDBLOCK, HG_ERR_FILE_BUSY, "%s", what);
  if (!ierr)
    ierr = HgAgree(comm, why, HG_ERR_FILE_BUSY, "cannot lock '%s': %s", path, HgFileReason(why));
  if (ierr) HgFileUnlock(lock);
  return ierr;
}

void HgFileUnlock(int *lock) {
  if (*lock >= 0) close(*lock);
  *lock = -1;
}

/* A folder of this process, locked until PETSc ends. */
typedef struct Locked Locked;

struct Locked {
  Locked *next;
  int file;
  char path[HG_FILE_PATH];
};

static Locked *all_locked;

static PetscErrorCode unlock_all(void) {
  while (all_locked) {
    Locked *l = all_locked;
    all_locked = l->next;
    HgFileUnlink(l->path);
    HgFileUnlock(&l->file);
    PetscCall(PetscFree(l));
  }
  return 0;
}

static bool is_own(const char path[]) {
  struct stat status;
  for (const Locked *l = all_locked; l; l = l->next)
    if (!strcmp(l->path, path) && !fstat(l->file, &status) && status.st_nlink) return true;
  return false;
}

PetscErrorCode HgDirectoryLock(MPI_Comm comm, const char directory[]) {
  char path[HG_FILE_PATH], taken[HG_FILE_PATH + 128];
  int rank, own = 0, lock;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  snprintf(path, sizeof path, "%.*s/.lock", HG_FILE_PATH - 8, directory);
  snprintf(taken, sizeof taken,
           "directory '%s': another run is using it, expected a directory of its own for each run",
           directory);
  if (!rank) own = is_own(path);
  PetscCallMPI(MPI_Bcast(&own, 1, MPI_INT, 0, comm));
  if (own) return 0;
  PetscCall(HgFileLock(comm, path, taken, &lock));
  if (rank) return 0;
  if (!all_locked) PetscCall(PetscRegisterFinalize(unlock_all));
  Locked *l;
  PetscCall(PetscNew(&l));
  l->file = lock, l->next = all_locked, all_locked = l;
  strcpy(l->path, path);
  return 0;
}

PetscErrorCode HgFileCheckWrite(MPI_Comm comm, const char path[]) {
  HgFileDraft draft;
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = HgFileDraftBegin(path, &draft);
  if (!rank && !why) HgFileDraftEnd(&draft, ECANCELED, false);
  return HgAgree(comm, why, HG_ERR_FILE_WRITE, "cannot write file '%s': %s", path,
                 HgFileReason(why));
}

PetscErrorCode HgFileFind(MPI_Comm comm, const char path[], bool *found) {
  const char *name;
  int rank, there = 0, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    const int folder = HgFolderAbove(path, &name);
    why = folder < 0 && errno == ELOOP ? ELOOP : 0;
    there = folder >= 0 && !HgFolderLeave(folder, faccessat(folder, name, F_OK, 0));
  }
  PetscCall(
      HgAgree(comm, why, HG_ERR_FILE_READ, "cannot look for '%s': %s", path, HgFileReason(why)));
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, comm));
  *found = there;
  return 0;
}

/* Returns 0 or errno. */
static int remove_regular(const char path[]) {
  struct stat status;
  const char *name;
  const int folder = HgFolderAbove(path, &name);
  int why = folder < 0 ? errno : 0;
  if (!why && fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW)) why = errno;
  else if (!why && S_ISDIR(status.st_mode)) why = EISDIR;
  else if (!why && !S_ISREG(status.st_mode)) why = ENOTSUP;
  else if (!why && unlinkat(folder, name, 0)) why = errno;
  return HgFolderLeave(folder, why == ENOENT || why == ENOTDIR ? 0 : why);
}

PetscErrorCode HgFileRemove(MPI_Comm comm, const char path[]) {
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = remove_regular(path);
  return HgAgree(comm, why, HG_ERR_FILE_WRITE, "cannot remove file '%s': %s", path,
                 HgFileReason(why));
}

/* Returns 0 or errno; ERANGE: longer than limit. */
static int open_and_measure(const char path[], bool own, size_t limit, int *file, size_t *size) {
  struct stat status;
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK; /* a pipe must not block */
  *file = own ? HgFileOpen(path, flags) : open(path, flags);
  if (*file < 0) return errno;
  if (fstat(*file, &status)) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return ENOTSUP;
  *size = (size_t)status.st_size;
  return *size > limit ? ERANGE : 0;
}

static int read_bytes(int file, char bytes[], size_t size) {
  while (size) {
    const ssize_t n = read(file, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (!n) return EIO; /* shorter than it was a moment ago */
    bytes += n;
    size -= (size_t)n;
  }
  return 0;
}

/* MPI counts in int. */
static PetscErrorCode hand_to_all(MPI_Comm comm, char bytes[], size_t size) {
  enum { PIECE = 1 << 20 };

  for (size_t at = 0; at < size; at += PIECE)
    PetscCallMPI(MPI_Bcast(bytes + at, (int)PetscMin(PIECE, size - at), MPI_CHAR, 0, comm));
  return 0;
}

static PetscErrorCode read_all(MPI_Comm comm, const char path[], bool own, size_t limit,
                               char **bytes, size_t *size) {
  int rank, file = -1, why = 0;
  unsigned long length = 0;
  *bytes = NULL;
  *size = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = open_and_measure(path, own, limit, &file, &length);
  PetscErrorCode ierr =
      why == ERANGE
          ? HgAgree(comm, true, HG_ERR_FILE_FORMAT,
                    "file '%s': expected at most %zu bytes, found %lu", path, limit, length)
          : HgAgree(comm, why, HG_ERR_FILE_READ, "cannot read file '%s': %s", path,
                    HgFileReason(why));
  if (!ierr) ierr = HgInputRequire(comm, path, "it", (double)length, (double)length + 1);
  if (!ierr) {
    PetscCallMPI(MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, comm));
    const bool none = PetscMalloc1(length + 1, bytes) != 0;
    ierr = HgAgree(comm, none, HG_ERR_MEMORY, "no memory for the %lu bytes of file '%s'", length,
                   path);
  }
  if (!ierr) {
    (*bytes)[length] = 0;
    if (!rank) why = read_bytes(file, *bytes, length);
    ierr =
        HgAgree(comm, why, HG_ERR_FILE_READ, "cannot read file '%s': %s", path, HgFileReason(why));
  }
  if (file >= 0) close(file);
  if (!ierr) ierr = hand_to_all(comm, *bytes, length);
  if (!ierr) *size = length;
  else PetscCall(PetscFree(*bytes));
  return ierr;
}

bool HgFileSame(const char a[], const char b[]) {
  struct stat s, t;
  return !stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino;
}

PetscErrorCode HgFileReadAll(MPI_Comm comm, const char path[], size_t limit, char **bytes,
                             size_t *size) {
  return read_all(comm, path, false, limit, bytes, size);
}

PetscErrorCode HgFileReadOwn(MPI_Comm comm, const char path[], size_t limit, char **bytes,
                             size_t *size) {
  return read_all(comm, path, true, limit, bytes, size);
}
