/* SPDX-License-Identifier: BSD-2-Clause */
/* Folders, and the way to what is in them: see file.h. */
#define _GNU_SOURCE /* O_PATH */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <halograd/fault_library.h>
#include <halograd/file_library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A folder that the user has named, without slashes at its end. */
typedef struct Held Held;

struct Held {
  Held *next;
  int folder;
  char path[];
};

static Held *held;

/* openat(); a link in the place of a folder is ELOOP, as in that of a file. */
static int open_in(int folder, const char name[], int flags) {
  struct stat status;
  const int file = openat(folder, name, flags | O_CLOEXEC, 0666), why = errno;
  if (file >= 0) return file;
  const bool link = flags & O_NOFOLLOW && why == ENOTDIR &&
                    !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) && S_ISLNK(status.st_mode);
  errno = link ? ELOOP : why;
  return -1;
}

/* Opens a folder only to go through it, which needs no permission to list it. */
static int enter(int folder, const char name[], bool follows) {
  return open_in(folder, name, O_PATH | O_DIRECTORY | (follows ? 0 : O_NOFOLLOW));
}

/* The held folder that has the longest name of those that `path` is below of; NULL: none, or `path`
   is held itself. */
static Held *find_holder(const char path[]) {
  Held *holder = NULL;
  for (Held *h = held; h; h = h->next) {
    const size_t length = strlen(h->path);
    if (!strcmp(path, h->path)) return NULL;
    if (strncmp(path, h->path, length) || path[length] != '/') continue;
    if (!holder || length > strlen(holder->path)) holder = h;
  }
  return holder;
}

/* A folder that was removed since, and perhaps made anew, is opened anew. */
static int enter_held(Held *h) {
  struct stat status;
  if (h->folder < 0 || fstat(h->folder, &status) || !status.st_nlink) {
    if (h->folder >= 0) close(h->folder);
    h->folder = enter(AT_FDCWD, h->path, true);
    if (h->folder < 0) return -1;
  }
  return fcntl(h->folder, F_DUPFD_CLOEXEC, 0);
}

int HgFolderAbove(const char path[], const char **name) {
  char part[HG_FILE_PATH] = ".";
  Held *const holder = find_holder(path);
  const char *const slash = strrchr(path, '/');
  *name = slash ? slash + 1 : path;
  const size_t length = slash ? PetscMax((size_t)(slash - path), 1) : 1;
  if (length >= sizeof part || strlen(*name) >= HG_FILE_NAME) {
    errno = ENAMETOOLONG;
    return -1;
  }
  if (slash) memcpy(part, path, length), part[length] = 0;
  if (!holder) return enter(AT_FDCWD, part, true);
  int folder = enter_held(holder);
  char *rest = NULL,
       *below = strlen(holder->path) < length ? part + strlen(holder->path) : part + length;
  for (char *c = strtok_r(below, "/", &rest); folder >= 0 && c; c = strtok_r(NULL, "/", &rest)) {
    const int inner = enter(folder, c, false), why = errno;
    close(folder);
    folder = inner, errno = why;
  }
  return folder;
}

int HgFolderLeave(int folder, int result) {
  const int why = errno;
  if (folder >= 0) close(folder);
  errno = why;
  return result;
}

/* As PETSc ends: the next start may be in another folder. */
static PetscErrorCode release_all(void) {
  while (held) {
    Held *const h = held;
    held = h->next;
    HgFolderLeave(h->folder, 0);
    free(h);
  }
  return 0;
}

int HgFolderHold(const char path[]) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  char name[HG_FILE_PATH];
  if (length >= sizeof name) return ENAMETOOLONG;
  memcpy(name, path, length), name[length] = 0;
  if (find_holder(name)) {
    const char *last;
    const int folder = HgFolderAbove(name, &last),
              own = folder < 0 ? -1 : enter(folder, last, false);
    const int why = own < 0 ? errno : 0;
    HgFolderLeave(own, HgFolderLeave(folder, 0));
    return why;
  }
  Held *h = held;
  while (h && strcmp(h->path, name)) h = h->next;
  const int folder = enter(AT_FDCWD, name, true);
  if (folder < 0) return errno;
  if (!h && strcmp(name, "/")) {
    h = malloc(sizeof *h + length + 1);
    if (!h || (!held && PetscRegisterFinalize(release_all))) {
      free(h);
      return HgFolderLeave(folder, ENOMEM);
    }
    memcpy(h->path, name, length + 1);
    h->folder = -1, h->next = held, held = h;
  }
  if (!h) return HgFolderLeave(folder, 0);
  HgFolderLeave(h->folder, 0);
  h->folder = folder;
  return 0;
}

int HgFileOpen(const char path[], int flags) {
  const char *name;
  const int folder = HgFolderAbove(path, &name);
  return folder < 0 ? -1 : HgFolderLeave(folder, open_in(folder, name, flags | O_NOFOLLOW));
}

int HgFileUnlink(const char path[]) {
  const char *name;
  const int folder = HgFolderAbove(path, &name);
  return folder < 0 ? -1 : HgFolderLeave(folder, unlinkat(folder, name, 0));
}

int HgFileRename(const char from[], const char to[]) {
  const char *name, *new_name;
  const int folder = HgFault(HG_FAULT_RENAME) ? -1 : HgFolderAbove(from, &name);
  const int new_folder = folder < 0 ? -1 : HgFolderAbove(to, &new_name);
  const int result = new_folder < 0 ? -1 : renameat(folder, name, new_folder, new_name);
  return HgFolderLeave(folder, HgFolderLeave(new_folder, result));
}

int HgFolderEach(const char path[], HgFolderFn *act, void *context) {
  int why = 0;
  const int folder = HgFileOpen(path, O_RDONLY | O_DIRECTORY);
  if (folder < 0) return errno;
  DIR *const list = fdopendir(folder);
  if (!list) return HgFolderLeave(folder, errno);
  for (const struct dirent *e; !why && (e = readdir(list));)
    if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) why = act(context, folder, e->d_name);
  closedir(list);
  return why;
}

/* Makes one folder unless it is there. Returns 0 or errno. */
static int make_folder(const char path[], bool *made) {
  const char *name;
  const int above = HgFolderAbove(path, &name);
  if (above < 0) return errno;
  if (!*name) return HgFolderLeave(above, 0); /* a slash at the end */
  *made = !mkdirat(above, name, 0777);
  const int made_why = *made ? 0 : errno;
  const int own = *made ? -1 : enter(above, name, !find_holder(path)), why = errno;
  HgFolderLeave(own, HgFolderLeave(above, 0));
  if (*made || own >= 0) return 0;
  return made_why == EEXIST ? why : made_why;
}

int HgDirectoriesMake(char path[], bool *made) {
  *made = false;
  for (char *end = path + 1;; end++) {
    if (*end && *end != '/') continue;
    const char kept = *end;
    *end = 0;
    const int why = make_folder(path, made);
    if (why) return why;
    *end = kept;
    if (!kept) return 0;
  }
}

/* ---- a folder that all ranks see ---- */
enum { PROBE = 64 };

/* Permission bits do not bind root and say nothing about a read-only file system: a file is tried.
   Returns 0 or errno. */
static int make_probe(const char directory[], char probe[PROBE]) {
  char path[HG_FILE_PATH];
  snprintf(probe, PROBE, ".halograd.%ld.tmp", (long)getpid());
  if (snprintf(path, sizeof path, "%s/%s", directory, probe) >= (int)sizeof path)
    return ENAMETOOLONG;
  const int file = HgFileNew(path);
  return file < 0 ? errno : HgFolderLeave(file, 0);
}

/* A file system of the network may show late what another machine has made. Returns 0 or errno. */
static int see_probe(const char directory[], const char probe[PROBE]) {
  enum { TRIES = 50 };

  const struct timespec nap = {0, 100000000};
  char path[HG_FILE_PATH];
  int why = 0;
  snprintf(path, sizeof path, "%.*s/%.60s", HG_FILE_PATH - PROBE, directory, probe);
  for (int k = 0; k < TRIES; k++) {
    why = HgFolderHold(directory);
    const int file = why ? -1 : HgFileOpen(path, O_RDONLY);
    if (file >= 0) return HgFolderLeave(file, 0);
    if (!why) why = errno;
    nanosleep(&nap, NULL);
  }
  return why;
}

static PetscErrorCode require_seen(MPI_Comm comm, const char directory[], char probe[PROBE]) {
  char host[MPI_MAX_PROCESSOR_NAME];
  int rank, length, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Get_processor_name(host, &length));
  PetscCallMPI(MPI_Bcast(probe, PROBE, MPI_CHAR, 0, comm));
  if (rank) why = see_probe(directory, probe);
  return HgAgree(
      comm, why, HG_ERR_ENVIRONMENT,
      "directory '%s': rank %d on %s does not see what rank 0 writes there (%s), expected "
      "a folder that all ranks share: one on a file system of all nodes, named from its "
      "root on if ranks start in different folders",
      directory, rank, host, HgFileReason(why));
}

PetscErrorCode HgDirectoryCreate(MPI_Comm comm, const char path[]) {
  char made[HG_FILE_PATH], probe[PROBE], tried[HG_FILE_PATH + PROBE];
  int rank, why = 0;
  const char *what = "make";
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  HgRequire(comm, *path && strlen(path) < sizeof made, HG_ERR_FILE_NAME,
            "directory '%.80s': expected a path of 1 to %zu bytes, got %zu", path, sizeof made - 1,
            strlen(path));
  strcpy(made, path);
  if (!rank) {
    bool new;
    why = HgDirectoriesMake(made, &new);
    if (!why) why = HgFolderHold(path);
    if (!why && (why = make_probe(path, probe))) what = "write in";
  }
  if (strcmp(made, path))
    return HgAgree(comm, why, HG_ERR_FILE_WRITE, "cannot make directory '%s', because of '%s': %s",
                   path, made, HgFileReason(why));
  PetscCall(HgAgree(comm, why, HG_ERR_FILE_WRITE, "cannot %s directory '%s': %s", what, path,
                    HgFileReason(why)));
  const PetscErrorCode ierr = require_seen(comm, path, probe);
  snprintf(tried, sizeof tried, "%s/%s", path, probe);
  if (!rank) HgFileUnlink(tried);
  return ierr;
}
