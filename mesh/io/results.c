/* SPDX-License-Identifier: BSD-2-Clause */
#include "results_private.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <halograd/file_library.h>
#include <halograd/memory_library.h>
#include <halograd/mesh_library.h>
#include <halograd/results_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { PATH_SIZE = 2000, VARIABLES = 64 };

typedef struct {
  char *text;
  size_t used;
} List;

struct HgResults_s {
  HgMesh mesh;
  HgResultsFile file;
  char directory[PATH_SIZE], basename[128];
  bool failed;
  bool whole;      /* the file is as after the last time */
  int times, part; /* part: how often the last time was added to */
  double last_time;
  size_t there;   /* rank 0: so much of the name of the .vti files' folder was there before */
  int lock;       /* rank 0: of that folder, held as long as results are written; else -1 */
  List list;      /* of the .vti files over time, as .pvd wants it */
  List written;   /* paths of all .vti files and of .pvd, each ended by a zero */
  HgResults next; /* of all that live */
};

static HgResults living;

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

static bool plain_name(const char name[]) {
  const size_t length = strlen(name);
  return length && length < 32 && strspn(name, PLAIN) == length && !isdigit(name[0]);
}

static bool plain_basename(const char name[]) {
  const size_t length = strlen(name);
  return length && length < 100 && name[0] != '.' && strspn(name, PLAIN "-.") == length;
}

/* The folder of the .vti files. */
static void folder_of(HgResults r, char path[PATH_SIZE + 160]) {
  snprintf(path, PATH_SIZE + 160, "%s/%s", r->directory, r->basename);
}

/* Cuts the last name off a path. */
static void go_up(char path[]) {
  size_t n = strlen(path);
  while (n && path[n - 1] != '/') n--;
  while (n && path[n - 1] == '/') n--;
  path[n] = 0;
}

/* Removes the files of a failed run: the temporary file, .vti and .pvd, and the folders that were
   created for them. */
static PetscErrorCode remove_files(HgResults r) {
  char folder[PATH_SIZE + 160];
  int rank;
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(r->mesh), &rank));
  for (size_t at = 0; !rank && at < r->written.used; at += strlen(r->written.text + at) + 1)
    HgFileUnlink(r->written.text + at);
  r->written.used = 0;
  const PetscErrorCode ierr = HgResultsFileAbandon(&r->file);
  for (folder_of(r, folder); !rank && strlen(folder) > r->there; go_up(folder))
    rmdir(folder); /* fails, and should, where files were left in it */
  return ierr;
}

/* Called immediately after an error, as the caller may never return: keeps earlier times, removes
   what is incomplete. */
static PetscErrorCode settle(HgResults r, PetscErrorCode ierr) {
  if (!ierr || r->failed) return ierr;
  r->failed = true;
  if (r->whole && !HgResultsFileClose(&r->file)) r->written.used = 0;
  else PetscCall(remove_files(r));
  return ierr;
}

/* Called when PETSc ends: a program with an error elsewhere closes nothing. */
static PetscErrorCode settle_all(void) {
  while (living) {
    HgResults r = living;
    (void)settle(r, HG_ERROR_TOLD);
    PetscCall(HgResultsDestroy(&r));
  }
  return 0;
}

/* Locks the results, but not the file itself, which MPI locks while it writes, and HDF5 while it
   reads. File systems without locks do without. */
static PetscErrorCode lock(HgResults r, const char folder[]) {
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(r->mesh), &rank));
  r->lock = rank ? -1 : HgFileOpen(folder, O_RDONLY | O_DIRECTORY);
  if (r->lock >= 0) why = HgFileTryLock(r->lock, LOCK_EX, folder);
  return HgAgree(HgMeshComm(r->mesh), why == EWOULDBLOCK, HG_ERR_FILE_BUSY,
                 "results file '%s/%s.h5': another run is writing it", r->directory, r->basename);
}

static PetscErrorCode open_all(HgResults r, const char title[]) {
  char path[PATH_SIZE + 160];
  for (folder_of(r, path); *path && access(path, F_OK);) go_up(path);
  r->there = strlen(path);
  PetscCall(HgDirectoryCreate(HgMeshComm(r->mesh), r->directory));
  folder_of(r, path);
  PetscCall(HgDirectoryCreate(HgMeshComm(r->mesh), path));
  PetscCall(lock(r, path));
  strcat(path, ".h5");
  return HgResultsFileCreate(r->mesh, path, title, &r->file);
}

PetscErrorCode HgResultsCreate(HgMesh mesh, const char directory[], const char basename[],
                               const char title[], HgResults *results) {
  MPI_Comm comm = HgMeshComm(mesh);
  *results = NULL;
  HgRequire(comm, plain_basename(basename), HG_ERR_FILE_NAME,
            "results: '%s' is no plain file name (letters, digits, '_', '-', '.')", basename);
  HgRequire(comm, directory[0] && strlen(directory) < PATH_SIZE - 160, HG_ERR_FILE_NAME,
            "results: the directory's name is empty or longer than %d characters", PATH_SIZE - 160);
  PetscCall(PetscRegisterFinalize(settle_all));
  HgResults r = HgAllocate(1, sizeof *r);
  PetscCall(HgAgree(comm, !r, HG_ERR_MEMORY, "no memory for results"));
  snprintf(r->directory, sizeof r->directory, "%s", directory);
  snprintf(r->basename, sizeof r->basename, "%s", basename);
  r->mesh = mesh;
  r->last_time = -INFINITY;
  r->lock = -1;
  r->next = living, living = r;
  PetscCall(HgMeshReference(mesh));
  const PetscErrorCode ierr = open_all(r, title);
  if (ierr) {
    PetscCall(remove_files(r));
    PetscCall(HgResultsDestroy(&r));
  }
  *results = r;
  return ierr;
}

PetscErrorCode HgResultsDestroy(HgResults *results) {
  HgResults r = *results;
  *results = NULL;
  if (!r) return 0;
  for (HgResults *link = &living; *link; link = &(*link)->next)
    if (*link == r) {
      *link = r->next;
      break;
    }
  if (r->written.used || r->file) PetscCall(remove_files(r));
  if (r->lock >= 0) close(r->lock);
  PetscCall(HgMeshDestroy(&r->mesh));
  free(r->list.text);
  free(r->written.text);
  free(r);
  return 0;
}

static PetscErrorCode choose(HgResults r, HgState state, const char *const names[], int indices[],
                             int *count) {
  MPI_Comm comm = HgMeshComm(r->mesh);
  *count = 0;
  HgRequire(comm, !r->failed, HG_ERR_FILE_WRITE, "results '%s' had ended in an error", r->basename);
  HgRequire(comm, HgStateMesh(state) == r->mesh, HG_ERR_VARIABLE,
            "results '%s': the state is on another mesh", r->basename);
  for (int k = 0; names ? names[k] != NULL : k < HgStateCount(state); k++) {
    int index = k;
    if (names) PetscCall(HgStateIndex(state, names[k], &index));
    const HgVariable *v = HgStateVariable(state, index);
    if (!names && (v->kind == HG_LOCAL || (v->kind == HG_REPLICATED && v->size == 0))) continue;
    HgRequire(comm, v->kind != HG_LOCAL && (HgIsField(v) || v->size > 0), HG_ERR_VARIABLE,
              "results '%s': '%s' is an array of each rank's own or empty, expected a field or a "
              "replicated array",
              r->basename, v->name);
    HgRequire(comm, plain_name(v->name), HG_ERR_FILE_NAME,
              "results '%s': '%s' is no plain name (letters, digits and '_')", r->basename,
              v->name);
    HgRequire(comm, *count < VARIABLES, HG_ERR_VARIABLE, "results '%s': more than %d variables",
              r->basename, VARIABLES);
    indices[(*count)++] = index;
  }
  return 0;
}

/* Kept on every rank, a few bytes per time, so that all agree if memory runs out. */
__attribute__((format(printf, 2, 3))) static bool list_add(List *l, const char format[], ...) {
  enum { LONGEST = PATH_SIZE + 400 };

  va_list arguments;
  char *const larger = HgReallocate(l->text, l->used + LONGEST);
  if (!larger) return false;
  l->text = larger;
  va_start(arguments, format);
  const int said = vsnprintf(l->text + l->used, LONGEST, format, arguments);
  va_end(arguments);
  if (said < 0 || said >= LONGEST) return false;
  l->used += (size_t)said;
  return true;
}

/* directory/basename.pvd with the times so far. */
static PetscErrorCode write_pvd(HgResults r) {
  static const char start[] = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" "
                              "version=\"0.1\">\n<Collection>\n",
                    end[] = "</Collection>\n</VTKFile>\n";
  char path[PATH_SIZE + 160];
  const size_t size = sizeof start + r->list.used + sizeof end;
  char *text = HgAllocate(1, size);
  PetscCall(HgAgree(HgMeshComm(r->mesh), !text, HG_ERR_MEMORY, "no memory for the list of times"));
  const int used = snprintf(text, size, "%s%s%s", start, r->list.text, end);
  snprintf(path, sizeof path, "%s/%s.pvd", r->directory, r->basename);
  const PetscErrorCode ierr = HgFileWrite(HgMeshComm(r->mesh), path, text, (size_t)used);
  free(text);
  return ierr;
}

/* Adds a written .vti file to the lists; if that fails, they are unchanged. */
static PetscErrorCode publish(HgResults r, double time, const char path[], const char file[]) {
  const size_t before = r->list.used;
  const bool first = !before;
  bool added = list_add(&r->written, "%s%c", path, 0) &&
               list_add(&r->list, "<DataSet timestep=\"%.17g\" part=\"%d\" file=\"%s\"/>\n", time,
                        r->part, file);
  if (added && first) added = list_add(&r->written, "%s/%s.pvd%c", r->directory, r->basename, 0);
  PetscErrorCode ierr =
      HgAgree(HgMeshComm(r->mesh), !added, HG_ERR_MEMORY, "no memory for the list of times");
  if (!ierr) ierr = write_pvd(r);
  if (ierr && r->list.text) r->list.text[r->list.used = before] = 0;
  return ierr;
}

/* The fields at time number n. */
static PetscErrorCode write_vti(HgResults r, double time, int n, HgState state, int count,
                                const int indices[]) {
  int fields = 0, which[VARIABLES], rank;
  const char *names[VARIABLES];
  char path[PATH_SIZE + 320], file[300];
  for (int k = 0; k < count; k++) {
    const HgVariable *v = HgStateVariable(state, indices[k]);
    if (!HgIsField(v)) continue;
    which[fields] = indices[k];
    names[fields++] = v->name;
  }
  if (fields == 0) return 0;
  if (r->part == 0) snprintf(file, sizeof file, "%s/%s_%04d.vti", r->basename, r->basename, n);
  else snprintf(file, sizeof file, "%s/%s_%04d_%d.vti", r->basename, r->basename, n, r->part);
  snprintf(path, sizeof path, "%s/%s", r->directory, file);
  PetscCall(HgVtiWrite(path, time, state, fields, which, names));
  const PetscErrorCode ierr = publish(r, time, path, file);
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(r->mesh), &rank));
  if (ierr && !rank) HgFileUnlink(path);
  return ierr;
}

/* Makes what was written readable, whatever happens to this run. */
static PetscErrorCode flush(HgResults r) {
  PetscCall(HgResultsFileFlush(r->file));
  r->whole = HgResultsFileWhole(r->file);
  return 0;
}

/* Does first everything that may run out of space: the file stays intact until its space is
   reserved and the files beside it are written. */
static PetscErrorCode append(HgResults r, double time, HgState state, const char *const names[]) {
  int indices[VARIABLES], count;
  const char *as[VARIABLES];
  MPI_Comm comm = HgMeshComm(r->mesh);
  PetscCall(choose(r, state, names, indices, &count));
  HgRequire(
      comm, isfinite(time) && time >= r->last_time, HG_ERR_ARGUMENT,
      "results '%s': time %.17g s after %.17g s, expected a finite time that does not go back",
      r->basename, time, r->last_time);
  const bool more = r->times && time == r->last_time;
  for (int k = 0; k < count; k++) as[k] = HgStateVariable(state, indices[k])->name;
  PetscCall(HgResultsFileAccept(r->file, state, count, indices, as, false, more));
  if (more) r->whole = false; /* without this part */
  r->part = more ? r->part + 1 : 0;
  PetscCall(HgResultsFileReserve(r->file, state, count, indices));
  PetscCall(write_vti(r, time, more ? r->times - 1 : r->times, state, count, indices));
  r->whole = false;
  if (!more) {
    PetscCall(HgResultsFileAddTime(r->file, time));
    r->times++;
    r->last_time = time;
  }
  const HgStateClock made = HgStateGetClock(state);
  if (made.dt > 0)
    PetscCall(HgResultsFileStep(r->file, (double)made.step * made.dt == time ? made.dt : 0));
  for (int k = 0; k < count; k++)
    PetscCall(HgResultsFilePut(r->file, state, indices[k], as[k], NULL, false));
  return flush(r);
}

PetscErrorCode HgResultsWrite(HgResults results, double time, HgState state,
                              const char *const names[]) {
  return settle(results, append(results, time, state, names));
}

/* Whether the name is basename_0000 or another number, like a time's .vti. */
static bool names_a_time(HgResults r, const char name[]) {
  const size_t length = strlen(r->basename);
  return !strncmp(name, r->basename, length) && name[length] == '_' &&
         strspn(name + length + 1, "0123456789") >= 4;
}

static PetscErrorCode write_constant(HgResults r, HgState state, const char name[], const char as[],
                                     const char long_name[]) {
  const char *const names[2] = {name, NULL};
  int index, count;
  char path[PATH_SIZE + 200];
  PetscCall(choose(r, state, names, &index, &count));
  if (!as) as = name;
  HgRequire(HgMeshComm(r->mesh), plain_name(as), HG_ERR_FILE_NAME,
            "results '%s': '%s' is no plain name (letters, digits and '_')", r->basename, as);
  HgRequire(HgMeshComm(r->mesh), !names_a_time(r, as), HG_ERR_ARGUMENT,
            "results '%s': a constant '%s' has the name of the file of a time", r->basename, as);
  PetscCall(HgResultsFileAccept(r->file, state, 1, &index, &as, true, false));
  PetscCall(HgResultsFileReserve(r->file, state, 1, &index));
  r->whole = false;
  PetscCall(HgResultsFilePut(r->file, state, index, as, long_name, true));
  PetscCall(flush(r));
  if (!HgIsField(HgStateVariable(state, index))) return 0;
  snprintf(path, sizeof path, "%s/%s/%s.vti", r->directory, r->basename, as);
  PetscCall(HgVtiWrite(path, NAN, state, 1, &index, &as));
  const bool added = list_add(&r->written, "%s%c", path, 0);
  return HgAgree(HgMeshComm(r->mesh), !added, HG_ERR_MEMORY, "no memory for the list of files");
}

PetscErrorCode HgResultsWriteConstant(HgResults results, HgState state, const char name[],
                                      const char as[], const char long_name[]) {
  return settle(results, write_constant(results, state, name, as, long_name));
}

PetscErrorCode HgResultsClose(HgResults *results) {
  HgResults r = *results;
  HgRequire(HgMeshComm(r->mesh), !r->failed, HG_ERR_FILE_WRITE,
            "results '%s' had ended in an error", r->basename);
  const PetscErrorCode ierr = HgResultsFileClose(&r->file);
  if (!ierr) r->written.used = 0; /* they stay */
  else PetscCall(remove_files(r));
  PetscCall(HgResultsDestroy(results));
  return ierr;
}

void HgResultsCount(HgResults r, const char counter[]) { HgResultsFileCount(r->file, counter); }
