/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/mesh_library.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static int key = MPI_KEYVAL_INVALID; /* of the attribute: a number as a pointer */

/* Called as PETSc ends. MPI keeps the key as long as a communicator has the attribute. */
static PetscErrorCode free_key(void) {
  if (key != MPI_KEYVAL_INVALID) PetscCallMPI(MPI_Comm_free_keyval(&key));
  return 0;
}

PetscErrorCode HgCommSetGroup(MPI_Comm comm, int group) {
  if (key == MPI_KEYVAL_INVALID) {
    PetscCallMPI(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL));
    PetscCall(PetscRegisterFinalize(free_key));
  }
  PetscCallMPI(MPI_Comm_set_attr(comm, key, (void *)(intptr_t)group));
  return 0;
}

int HgCommGroup(MPI_Comm comm) {
  void *group = NULL;
  int found = 0;
  if (key != MPI_KEYVAL_INVALID) MPI_Comm_get_attr(comm, key, &group, &found);
  return found ? (int)(intptr_t)group : 0;
}

/* ---- once what all say ---- */
enum { KEPT = 32 };

/* What this rank has printed, or kept for later. */
static struct {
  int count;
  uint64_t digest[KEPT];
  char *text[KEPT]; /* NULL: said */
  bool registered;
} kept;

static PetscErrorCode forget(void) {
  for (int k = 0; k < kept.count; k++) free(kept.text[k]);
  kept.count = 0;
  kept.registered = false;
  return 0;
}

static void print_text(const char text[]) {
  fputs(text, PETSC_STDOUT);
  fflush(PETSC_STDOUT);
}

PetscErrorCode HgCommSay(MPI_Comm comm, const char text[]) {
  const int group = HgCommGroup(comm), k = kept.count;
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank) return 0;
  if (!group) print_text(text);
  if (k == KEPT) return 0;
  if (!kept.registered) PetscCall(PetscRegisterFinalize(forget));
  kept.registered = true;
  kept.digest[k] = XXH3_64bits(text, strlen(text));
  kept.text[k] = group ? strdup(text) : NULL;
  kept.count++;
  return 0;
}

/* Whether a lower rank has the text, or this rank an earlier time. */
static bool said(int k, int rank, const int counts[], const uint64_t digests[]) {
  for (int r = 0; r < rank; r++)
    for (int l = 0; l < counts[r]; l++)
      if (digests[r * KEPT + l] == kept.digest[k]) return true;
  for (int l = 0; l < k; l++)
    if (kept.digest[l] == kept.digest[k]) return true;
  return false;
}

PetscErrorCode HgCommSayOthers(MPI_Comm all) {
  int rank, ranks, *counts;
  uint64_t *digests;
  PetscCallMPI(MPI_Comm_rank(all, &rank));
  PetscCallMPI(MPI_Comm_size(all, &ranks));
  PetscCall(PetscMalloc2(ranks, &counts, KEPT * (size_t)ranks, &digests));
  PetscCallMPI(MPI_Allgather(&kept.count, 1, MPI_INT, counts, 1, MPI_INT, all));
  PetscCallMPI(MPI_Allgather(kept.digest, KEPT, MPI_UINT64_T, digests, KEPT, MPI_UINT64_T, all));
  for (int k = 0; k < kept.count; k++) {
    if (kept.text[k] && !said(k, rank, counts, digests)) print_text(kept.text[k]);
    free(kept.text[k]);
    kept.text[k] = NULL;
  }
  kept.count = 0;
  return PetscFree2(counts, digests);
}
