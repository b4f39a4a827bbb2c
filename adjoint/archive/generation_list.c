/* SPDX-License-Identifier: BSD-2-Clause */
/* What generations a folder has, whoever wrote them: see generation_library.h. */
#include <halograd/error_library.h>
#include <halograd/file_library.h>
#include <halograd/generation_library.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256 };

typedef struct {
  char name[NAME]; /* NAME-NUMBER */
  size_t key;      /* bytes of NAME- */
  long number;
} Entry;

typedef struct {
  Entry *entry;
  int count;
  bool no_memory;
} Entries;

/* Whether it is the name of a manifest. */
static bool parse_name(const char name[], Entry *e) {
  const size_t length = strlen(name), end = length - PetscMin(length, strlen(".txt"));
  const char *const dash = strrchr(name, '-');
  if (!dash || length >= NAME || strcmp(name + end, ".txt")) return false;
  const size_t digits = strspn(dash + 1, "0123456789");
  if (!digits || digits > 9 || dash + 1 + digits != name + end) return false;
  memcpy(e->name, name, end);
  e->name[end] = 0, e->key = (size_t)(dash + 1 - name), e->number = strtol(dash + 1, NULL, 10);
  return true;
}

static int add_name(void *context, int folder, const char name[]) {
  Entries *const all = context;
  Entry e;
  (void)folder;
  if (!parse_name(name, &e)) return 0;
  if (PetscRealloc(sizeof e * (size_t)(all->count + 1), &all->entry))
    return !(all->no_memory = true);
  all->entry[all->count++] = e;
  return 0;
}

static int compare_entries(const void *a, const void *b) {
  const Entry *const x = a, *const y = b;
  const int names = x->key == y->key ? memcmp(x->name, y->name, x->key) : strcmp(x->name, y->name);
  return names ? names : (x->number > y->number) - (x->number < y->number);
}

/* Shares the entries found by rank 0 with all ranks. */
static PetscErrorCode find_entries(MPI_Comm comm, const char directory[], Entries *all) {
  int rank, why = 0;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) why = HgFolderEach(directory, add_name, all);
  PetscCall(HgAgree(comm, why, HG_ERR_FILE_READ, "cannot read folder '%s': %s", directory,
                    HgFileReason(why)));
  PetscCall(
      HgAgree(comm, all->no_memory, HG_ERR_MEMORY, "no memory for the names in '%s'", directory));
  PetscCallMPI(MPI_Bcast(&all->count, 1, MPI_INT, 0, comm));
  if (rank) PetscCall(PetscMalloc1(all->count, &all->entry));
  else if (all->count) qsort(all->entry, (size_t)all->count, sizeof *all->entry, compare_entries);
  PetscCallMPI(MPI_Bcast(all->entry, all->count * (int)sizeof *all->entry, MPI_BYTE, 0, comm));
  return 0;
}

/* Describes the owner's line: "NUMBER J VALUE ..." or "KEY SWEEP STEP J VALUE". */
static void describe(const char line[], size_t size, char text[]) {
  char sweep[16];
  long n;
  double J;
  if (sscanf(line, "%*s J %lf", &J) == 1) snprintf(text, size, "J %.17g", J);
  else if (sscanf(line, "%*s %15s %ld J %lf", sweep, &n, &J) == 3)
    snprintf(text, size, "%s sweep at step %ld, J %.17g", sweep, n, J);
  else snprintf(text, size, "%s", line);
}

static PetscErrorCode list_one(MPI_Comm comm, const char directory[], const Entry *e,
                               PetscViewer viewer, double *bytes) {
  char stem[HG_GENERATION_STEM], text[HG_GENERATION_LINE];
  double own = 0;
  HgManifest m;
  snprintf(stem, sizeof stem, "%s/%s", directory, e->name);
  PetscErrorCode ierr = HgManifestRead(comm, NULL, stem, &m);
  if (ierr) return ierr;
  for (int k = 0; k < m.ranks; k++) own += (double)m.piece[k].bytes;
  *bytes += own;
  ierr = HgGenerationVerify(comm, stem, &m);
  describe(m.line, sizeof text, text);
  if (viewer)
    PetscCall(PetscViewerASCIIPrintf(viewer, "  %s: %s, %s, %d images of %.1f MiB%s\n", e->name,
                                     m.title, text, m.ranks, own / 1048576,
                                     ierr ? ", damaged" : ""));
  PetscCall(HgManifestDestroy(&m));
  return ierr;
}

PetscErrorCode HgGenerationsList(MPI_Comm comm, const char directory[], PetscViewer viewer,
                                 int *count, double *bytes) {
  Entries all = {.count = 0};
  int damaged = -1;
  PetscErrorCode ierr = 0;
  HgRequire(comm, strlen(directory) < HG_GENERATION_STEM - NAME, HG_ERR_FILE_NAME,
            "the name of the folder has %zu bytes, expected less than %d", strlen(directory),
            HG_GENERATION_STEM - NAME);
  ierr = find_entries(comm, directory, &all);
  for (int k = 0; k < all.count && !ierr; k++) {
    HgErrorHold(true);
    const PetscErrorCode one = list_one(comm, directory, &all.entry[k], viewer, bytes);
    PetscCall(HgErrorTell(comm, 0)); /* forgets it: what is wrong is told when all are printed */
    HgErrorHold(false);
    if (one && damaged < 0) damaged = k;
    if (one != HG_ERROR_TOLD) ierr = one;
  }
  if (viewer) PetscCall(PetscViewerFlush(viewer));
  if (!ierr && damaged >= 0) ierr = list_one(comm, directory, &all.entry[damaged], NULL, bytes);
  *count = all.count;
  PetscCall(PetscFree(all.entry));
  return ierr;
}
