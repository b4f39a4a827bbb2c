/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: symbolic links to files and to folders, pipes and directories that somebody has put where
   files are to be written lead nowhere: what a link points to stays as it was, nothing hangs, and
   what cannot be is one sentence. Only the folder that a user names may be a link. */
#include "claim.h"
#include "patches.h"
#include "refusal.h"
#include <dirent.h>
#include <errno.h>
#include <halograd/animation.h>
#include <halograd/file_library.h>
#include <halograd/results.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[64];
static const char victims_text[] = "somebody's";

static const char *in(const char name[]) {
  static char path[4][160];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", home, name);
  return path[next];
}

static void make_victim(void) {
  FILE *const file = fopen(in("victim"), "w");
  if (!file || fputs(victims_text, file) < 0 || fclose(file)) abort();
}

static void victim_stays(const char after[]) {
  char text[64] = "";
  if (claim.rank) return;
  FILE *const file = fopen(in("victim"), "r");
  claim_that(file && fgets(text, sizeof text, file) && !strcmp(text, victims_text),
             "after %s the victim holds '%s'", after, text);
  if (file) fclose(file);
}

/* A link to the victim, or a pipe. */
static void plant(const char name[], bool pipe) {
  if (claim.rank) return;
  unlink(in(name));
  if (pipe ? mkfifo(in(name), 0600) : symlink(in("victim"), in(name))) abort();
}

/* ---- results ---- */
typedef struct {
  HgMesh mesh;
  HgState q;
} Case;

static PetscErrorCode write_results(Case *c, const char basename[]) {
  HgResults r;
  PetscCall(HgResultsCreate(c->mesh, home, basename, "planted links", &r));
  const PetscErrorCode ierr = HgResultsWrite(r, 0, c->q, NULL);
  if (ierr) PetscCall(HgResultsDestroy(&r));
  return ierr ? ierr : HgResultsClose(&r);
}

static void is_regular(const char name[]) {
  struct stat status;
  if (claim.rank) return;
  claim_that(!lstat(in(name), &status) && S_ISREG(status.st_mode) && status.st_size > 100,
             "%s is a file with results", name);
}

static PetscErrorCode results(Case *c) {
  static const char *const temporaries[] = {"r.h5.part", "r/r_0000.vti.part"};
  for (int pipe = 0; pipe < 2; pipe++)
    for (int k = 0; k < 2; k++) {
      if (!claim.rank && mkdir(in("r"), 0700) && errno != EEXIST) abort();
      plant(temporaries[k], pipe);
      PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
      PetscCall(write_results(c, "r"));
      victim_stays(temporaries[k]);
      is_regular("r.h5");
      is_regular("r/r_0000.vti");
      PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    }
  if (!claim.rank && mkdir(in("d.h5"), 0700)) abort();
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  REFUSED(write_results(c, "d"), "d.h5': it is a directory");
  plant("l.h5", false);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  REFUSED(write_results(c, "l"), "l.h5': it is no regular file");
  victim_stays("a link in the place of results");
  return 0;
}

/* ---- small files ---- */
static PetscErrorCode files(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  char temporary[32], *bytes;
  size_t size;
  int lock;
  for (int pipe = 0; pipe < 2; pipe++) {
    snprintf(temporary, sizeof temporary, "f.%ld.tmp", (long)getpid()); /* rank 0 writes */
    plant(temporary, pipe);
    PetscCall(HgFileWrite(comm, in("f"), "new", 3));
    victim_stays("a file is written");
    snprintf(temporary, sizeof temporary, ".halograd.%ld.tmp", (long)getpid());
    plant(temporary, pipe);
    PetscCall(HgDirectoryCreate(comm, home));
    victim_stays("a directory is tried");
  }
  plant("link", false);
  PetscCallMPI(MPI_Barrier(comm));
  REFUSED(HgFileAppend(comm, in("link"), "new", 3, true), "link': it is a symbolic link");
  REFUSED(HgFileLock(comm, in("link"), "it is taken", &lock), "cannot lock", "symbolic link");
  REFUSED(HgFileReadOwn(comm, in("link"), 100, &bytes, &size), "link': it is a symbolic link");
  PetscCall(HgFileReadAll(comm, in("link"), 100, &bytes, &size)); /* the user may name a link */
  claim_that(size == strlen(victims_text), "%zu bytes through a link that a user names", size);
  PetscCall(PetscFree(bytes));
  if (!claim.rank && mkdir(in("lock"), 0700)) abort();
  PetscCallMPI(MPI_Barrier(comm));
  REFUSED(HgFileLock(comm, in("lock"), "it is taken", &lock), "cannot lock", "it is a directory");
  victim_stays("all of it");
  return 0;
}

/* ---- links to folders ---- */

/* A folder that is not ours, with files of names that are, and links to it. */
static void make_elsewhere(void) {
  static const char *const names[] = {"v_0000.vti", "film_0000.png", "f"};
  static const char *const links[] = {"v", "frames", "sub", "real/sub"};
  char command[256], path[200];
  if (claim.rank) return;
  if (mkdir(in("elsewhere"), 0700) || mkdir(in("real"), 0700)) abort();
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s/%s", in("elsewhere"), names[k]);
    snprintf(command, sizeof command, "cp '%s' '%s'", in("victim"), path);
    if (system(command)) abort();
  }
  for (int k = 0; k < 4; k++)
    if (symlink(in("elsewhere"), in(links[k]))) abort();
}

static void elsewhere_stays(void) {
  int count = 0;
  if (claim.rank) return;
  DIR *const list = opendir(in("elsewhere"));
  for (const struct dirent *e; list && (e = readdir(list));) {
    char path[512];
    struct stat status;
    if (e->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", in("elsewhere"), e->d_name);
    count++;
    claim_that(!lstat(path, &status) && status.st_size == (off_t)strlen(victims_text),
               "%s is as it was", path);
  }
  if (list) closedir(list);
  claim_that(count == 3, "%d files are elsewhere, expected the 3 that were there", count);
}

/* Each of the functions for files, behind a link that lies below a folder which is held. */
static PetscErrorCode behind_a_link(const char file[]) {
  static const char reason[] = "symbolic link, or lies behind one";
  const MPI_Comm comm = PETSC_COMM_WORLD;
  char *bytes;
  size_t size;
  bool found;
  int lock;
  REFUSED(HgFileWrite(comm, in(file), "new", 3), "cannot write", reason);
  REFUSED(HgFileCheckWrite(comm, in(file)), "cannot write", reason);
  REFUSED(HgFileAppend(comm, in(file), "new", 3, false), "cannot add", reason);
  REFUSED(HgFileLock(comm, in(file), "it is taken", &lock), "cannot lock", reason);
  REFUSED(HgFileFind(comm, in(file), &found), "cannot look for", reason);
  REFUSED(HgFileRemove(comm, in(file)), "cannot remove", reason);
  REFUSED(HgFileReadOwn(comm, in(file), 100, &bytes, &size), "cannot read", reason);
  errno = 0;
  claim_that(HgFileOpen(in(file), 0) == -1 && errno == ELOOP, "open() says %d", errno);
  claim_that(HgFileNew(in(file)) == -1 && errno == ELOOP, "a new file says %d", errno);
  claim_that(HgFileUnlink(in(file)) == -1 && errno == ELOOP, "unlink() says %d", errno);
  claim_that(HgFileRename(in("victim"), in(file)) == -1 && errno == ELOOP, "rename() says %d",
             errno);
  return 0;
}

/* What the user names may be a link, and lie behind one. */
static PetscErrorCode named_link(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  char named[96], path[128];
  bool found;
  snprintf(named, sizeof named, "%s.link", home);
  if (!claim.rank && symlink(home, named)) abort();
  for (int k = 0; k < 2; k++) {
    if (k) strcat(named, "/real/");
    PetscCall(HgDirectoryCreate(comm, named));
    snprintf(path, sizeof path, "%s/mine", named);
    PetscCall(HgFileWrite(comm, path, "new", 3));
    PetscCall(HgFileFind(comm, path, &found));
    claim_that(found, "%s is there", path);
  }
  snprintf(path, sizeof path, "%s/sub", named);
  REFUSED(HgDirectoryCreate(comm, path), "cannot make directory", "sub': it is a symbolic link");
  snprintf(path, sizeof path, "%s.link", home);
  claim_that(claim.rank || !unlink(path), "%s was a link", path);
  return 0;
}

/* A folder that is removed and made anew is another one, and held again. */
static PetscErrorCode made_anew(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  for (int k = 0; k < 2; k++) {
    PetscCall(HgDirectoryCreate(comm, in("anew/inner")));
    PetscCall(HgFileWrite(comm, in("anew/inner/f"), "new", 3));
    PetscCallMPI(MPI_Barrier(comm));
    if (!claim.rank && (unlink(in("anew/inner/f")) || rmdir(in("anew/inner")))) abort();
    PetscCallMPI(MPI_Barrier(comm));
  }
  return 0;
}

static PetscErrorCode folders(Case *c) {
  HgAnimation film;
  make_elsewhere();
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  REFUSED(write_results(c, "v"), "v': it is a symbolic link");
  REFUSED(HgAnimationCreate(PETSC_COMM_WORLD, home, "film", &film),
          "frames': it is a symbolic link");
  REFUSED(HgDirectoryCreate(PETSC_COMM_WORLD, in("sub")), "sub': it is a symbolic link");
  REFUSED(HgDirectoryCreate(PETSC_COMM_WORLD, in("real/sub/deep")), "because of '",
          "real/sub': it is a symbolic link");
  PetscCall(behind_a_link("sub/f"));
  PetscCall(behind_a_link("real//sub/f"));
  PetscCall(named_link());
  PetscCall(made_anew());
  elsewhere_stays();
  victim_stays("links to folders");
  return 0;
}

/* Longer than what is handed to other ranks at a time. */
static PetscErrorCode long_file(void) {
  enum { NUMBERS = 700001 };

  int *const number = malloc(NUMBERS * sizeof *number);
  char *bytes;
  size_t size;
  for (int k = 0; k < NUMBERS; k++) number[k] = 7 * k;
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, in("long"), number, NUMBERS * sizeof *number));
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, in("long"), SIZE_MAX / 2, &bytes, &size));
  claim_that(size == NUMBERS * sizeof *number && !memcmp(bytes, number, size) && !bytes[size],
             "%zu bytes of a long file", size);
  free(number);
  return PetscFree(bytes);
}

static PetscErrorCode run(void) {
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  Case c;
  const int ranks = claim.ranks;
  if (!claim.rank) {
    snprintf(home, sizeof home, "/tmp/halograd-links-XXXXXX");
    claim_that(mkdtemp(home), "%s can be made", home);
    make_victim();
  }
  PetscCallMPI(MPI_Bcast(home, sizeof home, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(patches_mesh(PETSC_COMM_WORLD, ranks, 2, 1, false, false, &c.mesh));
  PetscCall(HgStateCreate(c.mesh, 1, &u, &c.q));
  PetscCall(files());
  PetscCall(long_file());
  PetscCall(results(&c));
  PetscCall(folders(&c));
  PetscCall(DESTROY(&c.q, &c.mesh));
  return claim_clear(home);
}

CLAIM("planted links, pipes and directories lead nowhere", 0, run)
