/* SPDX-License-Identifier: BSD-2-Clause */
/* claim: a file is written whole or not at all, and what cannot be written or read is one sentence.
   */
#include "claim.h"
#include "refusal.h"
#include <dirent.h>
#include <halograd/fault_library.h>
#include <halograd/file_library.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/stat.h>

static char home[64];

static void fail(const char what[], const char said[]) {
  claim_that(false, "%s; it said '%s'", what, said);
}

static const char *in(const char name[]) {
  static char path[4][512];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof path[next], "%s/%s", home, name);
  return path[next];
}

static int entries(const char directory[]) {
  int count = -2; /* . and .. */
  DIR *d = opendir(directory);
  while (d && readdir(d)) count++;
  if (d) closedir(d);
  return count;
}

static PetscErrorCode holds(const char path[], const char text[], size_t length) {
  char *bytes;
  size_t size;
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 1000, &bytes, &size));
  if (size != length || memcmp(bytes, text, length) || bytes[size])
    fail("other bytes came back", path);
  PetscCall(PetscFree(bytes));
  return 0;
}

/* A file size limit stands for a full disk: write() gives less than asked for, then fails. */
static PetscErrorCode disk_full(void) {
  static const char large[100000];
  struct rlimit was, tight;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &was);
  tight = was;
  tight.rlim_cur = 50000;
  char said_text[4096];
  const Said said = said_begin();
  setrlimit(RLIMIT_FSIZE, &tight);
  const PetscErrorCode ierr = HgFileWrite(PETSC_COMM_WORLD, in("a"), large, sizeof large);
  setrlimit(RLIMIT_FSIZE, &was);
  const int lines = said_end(said, said_text, sizeof said_text);
  if (ierr != HG_ERROR_TOLD || lines != 1) fail("a full disk was not one sentence", said_text);
  PetscCall(holds(in("a"), "new", 3));
  return 0;
}

/* A write, an fsync or a rename that fails: the old file stays. */
static PetscErrorCode failures_on_purpose(void) {
  static const HgFaultKind kinds[] = {HG_FAULT_WRITE, HG_FAULT_FSYNC, HG_FAULT_RENAME};
  static const char *const why[] = {"No space left", "Input/output error", "Permission denied"};
  for (int k = 0; k < 3; k++) {
    HgFaultSet(kinds[k], 1, -1);
    REFUSED(HgFileWrite(PETSC_COMM_WORLD, in("a"), "other", 5), "cannot write file", why[k]);
    HgFaultClear();
    PetscCall(holds(in("a"), "new", 3));
  }
  return 0;
}

static PetscErrorCode run(void) {
  char *bytes;
  size_t size;
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, home));
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, in("b//c/d/")));
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, in("b/c")));
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, in("a"), "old\0and zero", 12));
  PetscCall(holds(in("a"), "old\0and zero", 12));
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, in("a"), claim.rank ? NULL : "new", claim.rank ? 0 : 3));
  PetscCall(holds(in("a"), "new", 3));
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, in("b/empty"), "", 0));
  PetscCall(holds(in("b/empty"), "", 0));
  PetscCall(disk_full());
  PetscCall(failures_on_purpose());
  REFUSED(HgFileWrite(PETSC_COMM_WORLD, in("a/x"), "new", 3), "Not a directory");
  REFUSED(HgFileWrite(PETSC_COMM_WORLD, in("no/x"), "new", 3), "No such file or directory");
  REFUSED(HgFileWrite(PETSC_COMM_WORLD, in("b"), "new", 3), "it is a directory");
  REFUSED(HgFileWrite(PETSC_COMM_WORLD, "/dev/null", "new", 3), "no regular file");
  REFUSED(HgFileWrite(PETSC_COMM_WORLD, "/proc/halograd", "new", 3), "'/proc/halograd' (3 bytes)");
  REFUSED(HgFileWrite(PETSC_COMM_WORLD, "", "new", 3), "No such file");
  REFUSED(HgDirectoryCreate(PETSC_COMM_WORLD, in("a")), "Not a directory");
  REFUSED(HgDirectoryCreate(PETSC_COMM_WORLD, in("a/b")), "Not a directory");
  REFUSED(HgDirectoryCreate(PETSC_COMM_WORLD, "/proc/halograd/x"),
          "cannot make directory '/proc/halograd/x', because of '/proc/halograd'");
  REFUSED(HgDirectoryCreate(PETSC_COMM_WORLD, "/proc"), "cannot write in directory '/proc'");
  REFUSED(HgDirectoryCreate(PETSC_COMM_WORLD, ""), "expected a path");
  REFUSED(HgFileReadAll(PETSC_COMM_WORLD, in("none"), 10, &bytes, &size), "No such file");
  REFUSED(HgFileReadAll(PETSC_COMM_WORLD, in("b"), 10, &bytes, &size), "it is a directory");
  REFUSED(HgFileReadAll(PETSC_COMM_WORLD, "/dev/zero", 10, &bytes, &size), "no regular file");
  REFUSED(HgFileReadAll(PETSC_COMM_WORLD, in("a"), 2, &bytes, &size),
          "expected at most 2 bytes, found 3");
  PetscCall(HgFileCheckWrite(PETSC_COMM_WORLD, in("b/empty")));
  PetscCall(HgFileCheckWrite(PETSC_COMM_WORLD, in("b/unborn")));
  REFUSED(HgFileCheckWrite(PETSC_COMM_WORLD, in("no/x")), "No such file or directory");
  REFUSED(HgFileCheckWrite(PETSC_COMM_WORLD, in("b")), "it is a directory");
  REFUSED(HgFileCheckWrite(PETSC_COMM_WORLD, "/dev/null"), "no regular file");
  PetscCall(HgFileWrite(PETSC_COMM_WORLD, in("b/short-lived"), "new", 3));
  PetscCall(HgFileRemove(PETSC_COMM_WORLD, in("b/short-lived")));
  PetscCall(HgFileRemove(PETSC_COMM_WORLD, in("b/short-lived")));
  REFUSED(HgFileRemove(PETSC_COMM_WORLD, in("b")), "it is a directory");
  REFUSED(HgFileRemove(PETSC_COMM_WORLD, "/dev/null"), "no regular file");
  MPI_Barrier(PETSC_COMM_WORLD);
  if (entries(home) != 2 || entries(in("b")) != 2 || entries(in("b/c")) != 1)
    fail("temporary files are left over", home);
  struct stat status;
  if (stat("/dev/null", &status) || !S_ISCHR(status.st_mode)) fail("/dev/null was replaced", "");
  return 0;
}

static PetscErrorCode test(void) {
  int number = (int)getpid();
  PetscCallMPI(MPI_Bcast(&number, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  snprintf(home, sizeof home, "file_test.%d", number);
  PetscCall(run());
  return claim_clear(home);
}

CLAIM("a file is written whole or not at all", 0, test)
