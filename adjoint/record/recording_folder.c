/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files in a recording's folder, and what of them is ours. */
#include <errno.h>
#include <halograd/file_library.h>
#include <halograd/recording_library.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void HgRecordStem(const char directory[], HgMode direction, long n, char stem[HG_GENERATION_STEM]) {
  if (direction == HG_NO_MODE)
    snprintf(stem, HG_GENERATION_STEM, "%.*s/constants", HG_RECORD_DIRECTORY, directory);
  else
    snprintf(stem, HG_GENERATION_STEM, "%.*s/%s-%09ld", HG_RECORD_DIRECTORY, directory,
             HgSweepName(direction), n);
}

HgGenerationKind HgRecordKind(HgMode direction, bool constants) {
  static const char *const names[] = {
      [HG_PRIMAL] = "q", [HG_COTANGENT] = "lambda", [HG_NO_MODE] = "c"};
  const bool pair = constants && direction == HG_COTANGENT;
  return (HgGenerationKind){.title = direction == HG_NO_MODE ? "constants" : "step",
                            .states = pair ? 2 : 1,
                            .name = {names[direction], "constants"}};
}

PetscErrorCode HgRecordFind(MPI_Comm comm, const char directory[], const char name[], bool *found) {
  char path[PETSC_MAX_PATH_LEN];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return HgFileFind(comm, path, found);
}

/* The rest of the name behind a pattern, in which # is a number; NULL: no match. */
static const char *match(const char name[], const char pattern[]) {
  for (; *pattern; pattern++) {
    const size_t length = *pattern == '#' ? strspn(name, "0123456789") : *name == *pattern;
    if (!length) return NULL;
    name += length;
  }
  return name;
}

/* Whether it is an unfinished file of a run that was killed (HgFileWrite()). */
static bool unfinished(const char name[]) {
  const size_t length = strlen(name);
  return length > 4 && !strcmp(name + length - 4, ".tmp");
}

/* The ledger, its picture (show_library.h), or a file of a generation, finished or not. */
static bool ours(const char name[]) {
  static const char *const patterns[] = {"steps.csv",
                                         "norms.png",
                                         "constants.txt",
                                         "constants-c-rank-#.h5",
                                         "forward-#.txt",
                                         "forward-#-q-rank-#.h5",
                                         "reverse-#.txt",
                                         "reverse-#-lambda-rank-#.h5",
                                         "reverse-#-constants-rank-#.h5"};
  for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
    const char *const rest = match(name, patterns[k]), *const end =
                                                           rest ? match(rest, ".#.tmp") : NULL;
    if (rest && (!*rest || (end && !*end))) return true;
  }
  const char *const end = match(name, "recording.yaml.#.tmp");
  return end && !*end;
}

/* How far a gradient has come. */
typedef struct {
  HgMode sweep; /* HG_NO_MODE: nothing */
  long at;
} Reached;

/* Whether the file, one of ours, is of a step that was reached. */
static bool reached(const char name[], const Reached *r) {
  if (unfinished(name)) return false;
  for (HgMode d = HG_PRIMAL; d < HG_MODES; d++) {
    const size_t length = strlen(HgSweepName(d));
    if (!strncmp(name, HgSweepName(d), length) && name[length] == '-')
      return HgSweepReached(r->sweep, r->at, d, atol(name + length + 1));
  }
  return r->sweep != HG_NO_MODE && strcmp(name, "norms.png") != 0;
}

/* Files to remove, or that must not exist: ours, except those reached; `name`: the last one, after
   a slash. */
typedef struct {
  Reached but;
  char name[96];
} Files;

static bool is_one(Files *f, const char name[]) {
  const bool one = ours(name) && !reached(name, &f->but);
  if (one) snprintf(f->name, sizeof f->name, "/%.80s", name);
  return one;
}

static int take_away(const char path[]) {
  return HgFileUnlink(path) && errno != ENOENT ? errno : 0;
}

static int remove_file(void *files, int folder, const char name[]) {
  return is_one(files, name) && unlinkat(folder, name, 0) && errno != ENOENT ? errno : 0;
}

static int refuse(void *files, int folder, const char name[]) {
  (void)folder;
  return is_one(files, name) && !unfinished(name) ? EEXIST : 0;
}

static PetscErrorCode clear(MPI_Comm comm, const char directory[], Reached but) {
  const bool all = but.sweep == HG_NO_MODE;
  Files files = {.but = but};
  char path[PETSC_MAX_PATH_LEN] = "";
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    snprintf(path, sizeof path, "%s/steps.csv", directory);
    if (all) why = take_away(path);
    if (!why) {
      why = HgFolderEach(directory, remove_file, &files);
      snprintf(path, sizeof path, "%.*s%s", HG_RECORD_DIRECTORY, directory, files.name);
    }
    if (!why && all) {
      snprintf(path, sizeof path, "%s/recording.yaml", directory);
      why = take_away(path);
    }
  }
  return HgAgree(comm, why, HG_ERR_FILE_WRITE,
                 "record: cannot remove '%s' of an earlier recording: %s", path, HgFileReason(why));
}

/* Removes the ledger first: without it nothing is complete. Removes the head last: while files
   remain, it says whose they are. */
PetscErrorCode HgRecordingClear(MPI_Comm comm, const char directory[]) {
  return clear(comm, directory, (Reached){.sweep = HG_NO_MODE});
}

PetscErrorCode HgRecordShorten(MPI_Comm comm, const char directory[], HgMode sweep, long at) {
  return clear(comm, directory, (Reached){sweep, at});
}

PetscErrorCode HgRecordRequireEmpty(MPI_Comm comm, const char directory[]) {
  Files files = {.but = {.sweep = HG_NO_MODE}};
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = HgFolderEach(directory, refuse, &files);
  if (why == EEXIST)
    return HgAgree(comm, true, HG_ERR_FILE_DAMAGED,
                   "record: '%s%s' is there, but no recording.yaml that says whose it is, expected "
                   "a folder without it",
                   directory, files.name);
  return HgAgree(comm, why, HG_ERR_FILE_READ, "record: cannot read '%s': %s", directory,
                 HgFileReason(why));
}
