/* Names of files in a restart's folder: KEY-NUMBER and what generations add to that. */
#include "restart_private.h"
#include <dirent.h>
#include <errno.h>
#include <halograd/file.h>
#include <string.h>
#include <unistd.h>

enum { KEY = 16 };

HgGenerationKind HgRestartKind(HgMode sweep, const bool active[]) {
  HgGenerationKind kind = {.title = "halograd gradient 1", .states = 2, .name = {"q", "observed"}};
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

/* Is it ours, of `key` (NULL: any)? *rest: what follows the number. With number 0 and of no key
   what a run leaves that is killed while it tries to write (HgDirectoryCreate()). */
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

/* On rank 0: the folder, NULL: it is not there, or *why is an errno. */
static DIR *open_folder(const char directory[], int *why) {
  DIR *const list = opendir(directory);
  *why = list || errno == ENOENT ? 0 : errno;
  return list;
}

static PetscErrorCode agree_read(MPI_Comm comm, const char directory[], int why) {
  return HgAgree(comm, why, "restart: cannot read '%s': %s", directory, HgFileReason(why));
}

PetscErrorCode HgRestartHighest(MPI_Comm comm, const char directory[], long *most) {
  int rank, why = 0;
  *most = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  DIR *const list = rank ? NULL : open_folder(directory, &why);
  for (struct dirent *e; list && (e = readdir(list));) {
    const char *rest;
    long number;
    if (ours(e->d_name, NULL, &number, &rest)) *most = PetscMax(*most, number);
  }
  if (list) closedir(list);
  PetscCall(agree_read(comm, directory, why));
  PetscCallMPI(MPI_Bcast(most, 1, MPI_LONG, 0, comm));
  return 0;
}

static void insert(long number, long list[], int *count) {
  int at = 0;
  while (at < *count && list[at] > number) at++;
  if (at == HG_RESTART_CANDIDATES) return;
  if (*count < HG_RESTART_CANDIDATES) ++*count;
  memmove(list + at + 1, list + at, (size_t)(*count - 1 - at) * sizeof *list);
  list[at] = number;
}

PetscErrorCode HgRestartList(MPI_Comm comm, const char directory[], const char key[],
                             long number[HG_RESTART_CANDIDATES], int *count) {
  int rank, why = 0;
  *count = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  DIR *const list = rank ? NULL : open_folder(directory, &why);
  for (struct dirent *e; list && (e = readdir(list));) {
    const char *rest;
    long n;
    if (ours(e->d_name, key, &n, &rest) && !strcmp(rest, ".txt")) insert(n, number, count);
  }
  if (list) closedir(list);
  PetscCall(agree_read(comm, directory, why));
  PetscCallMPI(MPI_Bcast(count, 1, MPI_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(number, *count, MPI_LONG, 0, comm));
  return 0;
}

/* On rank 0. The texts first: what has none does not count. Returns 0 or an errno. */
static int remove_files(const char directory[], const char key[], long first, bool texts,
                        char path[]) {
  int why = 0;
  DIR *const list = open_folder(directory, &why);
  snprintf(path, PETSC_MAX_PATH_LEN, "%s", directory);
  if (!list) return why;
  for (struct dirent *e; !why && (e = readdir(list));) {
    const char *rest;
    long n;
    if (!ours(e->d_name, key, &n, &rest) || n >= first || (*rest == '.') != texts) continue;
    snprintf(path, PETSC_MAX_PATH_LEN, "%.*s/%.100s", HG_RESTART_FOLDER, directory, e->d_name);
    if (unlink(path) && errno != ENOENT) why = errno;
  }
  closedir(list);
  return why;
}

PetscErrorCode HgRestartRemove(MPI_Comm comm, const char directory[], const char key[],
                               long first) {
  char path[PETSC_MAX_PATH_LEN] = "";
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = remove_files(directory, key, first, true, path);
  if (!rank && !why) why = remove_files(directory, key, first, false, path);
  return HgAgree(comm, why, "restart: cannot remove '%s': %s", path, HgFileReason(why));
}
