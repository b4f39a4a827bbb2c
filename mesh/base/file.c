/* Small files and directories: see file.h. */
#define _GNU_SOURCE /* fallocate() */
#include <errno.h>
#include <fcntl.h>
#include <halograd/fault.h>
#include <halograd/file.h>
#include <halograd/input.h>
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

/* All bytes of the pieces, which it changes, at the end of what is written. Returns 0 or errno. */
static int write_pieces(int file, struct iovec *piece, int count) {
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

int HgFilePrint(int file, const char line[], size_t length) {
  for (size_t done = 0; done < length;) {
    const ssize_t written = write(file, line + done, length - done);
    if (written < 0 && errno != EINTR) return errno;
    if (written > 0) done += (size_t)written;
  }
  return 0;
}

/* The new name in the directory must survive a power cut too; a file system that cannot promise it
   (EINVAL) is no error. */
static void sync_directory_of(const char path[]) {
  char directory[HG_FILE_PATH];
  snprintf(directory, sizeof directory, "%s", path);
  char *slash = strrchr(directory, '/');
  if (!slash) strcpy(directory, ".");
  else slash[slash == directory] = 0;
  const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

int HgFileNew(const char path[]) {
  struct stat status;
  if (!lstat(path, &status) && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return -1;
  }
  unlink(path); /* never written through: it may be a link to another file, or a pipe */
  return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* The file beside `path` that is to be renamed to it. Returns 0 or errno. */
static int open_temporary(const char path[], char temporary[HG_FILE_PATH], int *file) {
  struct stat status;
  if (!*path) return ENOENT;
  if (!stat(path, &status)) { /* rename() would replace /dev/null if root asked for it */
    if (S_ISDIR(status.st_mode)) return EISDIR;
    if (!S_ISREG(status.st_mode)) return ENOTSUP;
  }
  if (snprintf(temporary, HG_FILE_PATH, "%s.%ld.tmp", path, (long)getpid()) >= HG_FILE_PATH)
    return ENAMETOOLONG;
  *file = HgFileNew(temporary);
  return *file < 0 ? errno : 0;
}

int HgFileDraftBegin(const char path[], HgFileDraft *d) {
  *d = (HgFileDraft){.file = -1};
  if (snprintf(d->path, sizeof d->path, "%s", path) >= (int)sizeof d->path) return ENAMETOOLONG;
  return open_temporary(path, d->temporary, &d->file);
}

void HgFileDraftReserve(HgFileDraft *d, size_t bytes) {
  (void)fallocate(d->file, 0, 0, (off_t)bytes);
}

int HgFileDraftWrite(HgFileDraft *d, struct iovec *piece, int count) {
  return write_pieces(d->file, piece, count);
}

int HgFileDraftEnd(HgFileDraft *d, int why, bool sync) {
  if (d->file < 0) return why;
  if (!why && sync && (HgFault(HG_FAULT_FSYNC) || fsync(d->file))) why = errno;
  if (close(d->file) && !why) why = errno;
  if (!why && (HgFault(HG_FAULT_RENAME) || rename(d->temporary, d->path))) why = errno;
  if (why) unlink(d->temporary);
  else if (sync) sync_directory_of(d->path);
  d->file = -1;
  return why;
}

const char *HgFileReason(int why) {
  if (why == ENOTSUP) return "it is no regular file";
  if (why == EISDIR) return "it is a directory";
  if (why == ELOOP) return "it is a symbolic link";
  return strerror(why);
}

/* Returns 0 or errno. */
static int write_whole(const char path[], const char *bytes, size_t size) {
  HgFileDraft draft;
  struct iovec piece = {(char *)(uintptr_t)bytes, size}; /* which is only read */
  int why = HgFileDraftBegin(path, &draft);
  if (!why) why = HgFileDraftWrite(&draft, &piece, 1);
  return HgFileDraftEnd(&draft, why, true);
}

PetscErrorCode HgFileWrite(MPI_Comm comm, const char path[], const void *bytes, size_t size) {
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = write_whole(path, bytes, size);
  return HgAgree(comm, why, "cannot write file '%s' (%zu bytes): %s", path, size,
                 HgFileReason(why));
}

/* What was written of an unfinished addition is taken away again. Returns 0 or errno. */
static int append(const char path[], const char *bytes, size_t size, bool sync) {
  struct stat before;
  struct iovec piece = {(char *)(uintptr_t)bytes, size}; /* which is only read */
  const int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return errno;
  const bool known = !fstat(file, &before);
  int why = known ? write_pieces(file, &piece, 1) : errno;
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
  return HgAgree(comm, why, "cannot add %zu bytes to file '%s': %s", size, path, HgFileReason(why));
}

PetscErrorCode HgFileLock(MPI_Comm comm, const char path[], const char what[], int *lock) {
  int rank, why = 0;
  *lock = -1;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    *lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (*lock < 0 || HgFault(HG_FAULT_LOCK) || flock(*lock, LOCK_EX | LOCK_NB)) why = errno;
    if (*lock >= 0 && (why == ENOSYS || why == ENOTSUP || why == ENOLCK))
      why = 0; /* no locks here */
  }
  PetscErrorCode ierr = HgAgree(comm, why == EWOULDBLOCK, "%s", what);
  if (!ierr) ierr = HgAgree(comm, why, "cannot lock '%s': %s", path, HgFileReason(why));
  if (ierr) HgFileUnlock(lock);
  return ierr;
}

void HgFileUnlock(int *lock) {
  if (*lock >= 0) close(*lock);
  *lock = -1;
}

PetscErrorCode HgFileCheckWrite(MPI_Comm comm, const char path[]) {
  char temporary[HG_FILE_PATH];
  int rank, file, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = open_temporary(path, temporary, &file);
  if (!rank && !why) {
    close(file);
    unlink(temporary);
  }
  return HgAgree(comm, why, "cannot write file '%s': %s", path, HgFileReason(why));
}

PetscErrorCode HgFileFind(MPI_Comm comm, const char path[], bool *found) {
  int rank, there = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) there = !access(path, F_OK);
  PetscCallMPI(MPI_Bcast(&there, 1, MPI_INT, 0, comm));
  *found = there;
  return 0;
}

PetscErrorCode HgFileRemove(MPI_Comm comm, const char path[]) {
  struct stat status;
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank && !lstat(path, &status)) {
    if (S_ISDIR(status.st_mode)) why = EISDIR;
    else if (!S_ISREG(status.st_mode)) why = ENOTSUP;
    else if (unlink(path)) why = errno;
  }
  return HgAgree(comm, why, "cannot remove file '%s': %s", path, HgFileReason(why));
}

int HgDirectoriesMake(char path[], bool *made) {
  for (char *end = path + 1;; end++) {
    if (*end && *end != '/') continue;
    const char kept = *end;
    struct stat status;
    *end = 0;
    *made = !mkdir(path, 0777);
    if (!*made) {
      const int why = errno;
      if (stat(path, &status)) return why == EEXIST ? errno : why;
      if (!S_ISDIR(status.st_mode)) return ENOTDIR;
    }
    *end = kept;
    if (!kept) return 0;
  }
}

/* Permission bits do not bind root and say nothing about a read-only file system: a file is tried.
   Returns 0 or errno. */
static int try_to_write(const char directory[]) {
  char path[HG_FILE_PATH];
  const int length = snprintf(path, sizeof path, "%s/.halograd.%ld.tmp", directory, (long)getpid());
  if (length >= (int)sizeof path) return ENAMETOOLONG;
  const int file = HgFileNew(path);
  if (file < 0) return errno;
  close(file);
  unlink(path);
  return 0;
}

PetscErrorCode HgDirectoryCreate(MPI_Comm comm, const char path[]) {
  char made[HG_FILE_PATH];
  int rank, why = 0;
  const char *what = "make";
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  HgRequire(comm, *path && strlen(path) < sizeof made,
            "directory '%.80s': expected a path of 1 to %zu bytes, got %zu", path, sizeof made - 1,
            strlen(path));
  strcpy(made, path);
  if (!rank) {
    bool new;
    why = HgDirectoriesMake(made, &new);
    if (!why && (why = try_to_write(path))) what = "write in";
  }
  if (!strcmp(made, path))
    return HgAgree(comm, why, "cannot %s directory '%s': %s", what, path, strerror(why));
  return HgAgree(comm, why, "cannot make directory '%s', because of '%s': %s", path, made,
                 strerror(why));
}

/* Returns 0 or errno; ERANGE: longer than limit. */
static int open_and_measure(const char path[], int flags, size_t limit, int *file, size_t *size) {
  struct stat status;
  *file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags); /* a pipe must not block */
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

static PetscErrorCode read_all(MPI_Comm comm, const char path[], int flags, size_t limit,
                               char **bytes, size_t *size) {
  int rank, file = -1, why = 0;
  unsigned long length = 0;
  *bytes = NULL;
  *size = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = open_and_measure(path, flags, limit, &file, &length);
  PetscErrorCode ierr =
      why == ERANGE ? HgAgree(comm, true, "file '%s': expected at most %zu bytes, found %lu", path,
                              limit, length)
                    : HgAgree(comm, why, "cannot read file '%s': %s", path, HgFileReason(why));
  if (!ierr) ierr = HgInputRequire(comm, path, "it", (double)length, (double)length + 1);
  if (!ierr) {
    PetscCallMPI(MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, 0, comm));
    const bool none = PetscMalloc1(length + 1, bytes) != 0;
    ierr = HgAgree(comm, none, "no memory for the %lu bytes of file '%s'", length, path);
  }
  if (!ierr) {
    (*bytes)[length] = 0;
    if (!rank) why = read_bytes(file, *bytes, length);
    ierr = HgAgree(comm, why, "cannot read file '%s': %s", path, HgFileReason(why));
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
  return read_all(comm, path, 0, limit, bytes, size);
}

PetscErrorCode HgFileReadOwn(MPI_Comm comm, const char path[], size_t limit, char **bytes,
                             size_t *size) {
  return read_all(comm, path, O_NOFOLLOW, limit, bytes, size);
}
