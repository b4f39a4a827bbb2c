/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of files in a restart's folder: KEY-NUMBER and what generations add to that. */
#include "restart_private.h"
#include <errno.h>
#include <halograd/file_library.h>
#include <string.h>
#include <unistd.h>

enum { KEY = 16 };

HgGenerationKind HgRestartKind(HgMode sweep, const bool active[]) {
  HgGenerationKind kind = {.title = "gradient", .states = 2, .name = {"q", "observed"}};
  if (sweep == HG_PRIMAL) return kind;
  kind.name[HG_RESTART_STATE] = "lambda";
  kind.name[HG_RESTART_FINAL] = "final", kind.name[HG_RESTART_CONSTANTS] = "constants";
  kind.kept[HG_RESTART_CONSTANTS] = active;
  kind.states = active ? 4 : 3;
  return kind;
}

void HgRestartStem(const char directory[], const char key[], long number,
                   char stem[HG_GENERATION_STEM]) {
  snprintf(stem, HG_GENERATION_STEM, "%.*s/%.16s-%ld", HG_RESTART_FOLDER, directory, key, number);
}

/* Whether the file is ours, of `key` (NULL: any). *rest: what follows the number. Number 0 without
   a key: a file left by a run that was killed while testing whether it can write
   (HgDirectoryCreate()). */
static bool ours(const char name[], const char key[], long *number, const char **rest) {
  static const char tried[] = ".halograd.";
  int used = 0;
  *number = 0, *rest = "-";
  if (!key && !strncmp(name, tried, strlen(tried))) return true;
  if (strspn(name, "0123456789abcdef") != KEY || name[KEY] != '-') return false;
  if (key && strncmp(name, key, KEY)) return false;
  if (strspn(name + KEY + 1, "0123456789") > 9) return false;
  if (sscanf(name + KEY + 1, "%ld%n", number, &used) != 1 || *number < 1) return false;
  *rest = name + KEY + 1 + used;
  return **rest == '-' || **rest == '.';
}

/* Rank 0 looks at the folder; it may not be there. */
static PetscErrorCode for_each_file(MPI_Comm comm, const char directory[], HgFolderFn *act,
                                    void *context) {
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = HgFolderEach(directory, act, context);
  if (why == ENOENT) why = 0;
  return HgAgree(comm, why, HG_ERR_FILE_READ, "restart: cannot read '%s': %s", directory,
                 HgFileReason(why));
}

static int find_highest(void *most, int folder, const char name[]) {
  const char *rest;
  long number;
  (void)folder;
  if (ours(name, NULL, &number, &rest)) *(long *)most = PetscMax(*(long *)most, number);
  return 0;
}

PetscErrorCode HgRestartHighest(MPI_Comm comm, const char directory[], long *most) {
  *most = 0;
  PetscCall(for_each_file(comm, directory, find_highest, most));
  PetscCallMPI(MPI_Bcast(most, 1, MPI_LONG, 0, comm));
  return 0;
}

/* What to search for, and what was found. */
typedef struct {
  const char *key;
  long *number;
  int count;
} Search;

static void insert(long number, long list[], int *count) {
  int at = 0;
  while (at < *count && list[at] > number) at++;
  if (at == HG_RESTART_CANDIDATES) return;
  if (*count < HG_RESTART_CANDIDATES) ++*count;
  memmove(list + at + 1, list + at, (size_t)(*count - 1 - at) * sizeof *list);
  list[at] = number;
}

static int find_text(void *search, int folder, const char name[]) {
  Search *const s = search;
  const char *rest;
  long n;
  (void)folder;
  if (ours(name, s->key, &n, &rest) && !strcmp(rest, ".txt")) insert(n, s->number, &s->count);
  return 0;
}

PetscErrorCode HgRestartList(MPI_Comm comm, const char directory[], const char key[],
                             long number[HG_RESTART_CANDIDATES], int *count) {
  Search s = {key, number, 0};
  PetscCall(for_each_file(comm, directory, find_text, &s));
  *count = s.count;
  PetscCallMPI(MPI_Bcast(count, 1, MPI_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(number, *count, MPI_LONG, 0, comm));
  return 0;
}

/* What to remove; `name`: a file that cannot be removed. */
typedef struct {
  const char *key;
  long first;
  bool texts;
  char name[128];
} Removal;

static int remove_file(void *removal, int folder, const char name[]) {
  Removal *const r = removal;
  const char *rest;
  long n;
  if (!ours(name, r->key, &n, &rest) || n >= r->first || (*rest == '.') != r->texts) return 0;
  if (!unlinkat(folder, name, 0) || errno == ENOENT) return 0;
  snprintf(r->name, sizeof r->name, "/%.120s", name);
  return errno;
}

PetscErrorCode HgRestartRemove(MPI_Comm comm, const char directory[], const char key[],
                               long first) {
  Removal r = {.key = key, .first = first, .texts = true}; /* what has no text does not count */
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = HgFolderEach(directory, remove_file, &r);
  r.texts = false;
  if (!rank && !why) why = HgFolderEach(directory, remove_file, &r);
  if (why == ENOENT) why = 0;
  return HgAgree(comm, why, HG_ERR_FILE_WRITE, "restart: cannot remove '%s%s': %s", directory,
                 r.name, HgFileReason(why));
}
