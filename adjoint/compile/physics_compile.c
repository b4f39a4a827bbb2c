/* SPDX-License-Identifier: BSD-2-Clause */
/* A physics from its text: see physics_compile.h. */
#define _GNU_SOURCE /* memfd_create() */
#include "compile_private.h"
#include <dlfcn.h>
#include <errno.h>
#include <halograd/error_library.h>
#include <halograd/physics_compile.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

/* Libraries loaded by this process; they stay loaded. */
typedef struct Loaded {
  HgCompileKey key;
  const HgPhysics *physics;
  struct Loaded *before;
} Loaded;

static Loaded *loaded;

static const HgPhysics *find_loaded(const HgCompileKey *key) {
  for (const Loaded *l = loaded; l; l = l->before)
    if (!memcmp(&l->key, key, sizeof *key)) return l->physics;
  return NULL;
}

/* Loads it from memory, so no rank needs a file. Keeps the descriptor open: the loader identifies
   libraries by name, and a reused number would give the same name. */
static const HgPhysics *load(const HgCompileKey *key, const HgCompiled *library, char problem[]) {
  char name[32];
  Loaded *const l = malloc(sizeof *l);
  const int file = memfd_create("halograd-physics", MFD_CLOEXEC);
  if (!l || file < 0 || HgFilePrint(file, library->bytes, library->size)) {
    snprintf(problem, HG_COMPILE_PROBLEM, "a compiled physics finds no memory: %s",
             strerror(errno));
    if (file >= 0) close(file);
    free(l);
    return NULL;
  }
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  void *const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  const HgPhysics *const *const entry = handle ? dlsym(handle, HG_COMPILED_ENTRY) : NULL;
  if (!entry) {
    snprintf(problem, HG_COMPILE_PROBLEM, "a compiled physics cannot be loaded: %s", dlerror());
    close(file);
    free(l);
    return NULL;
  }
  *l = (Loaded){*key, *entry, loaded};
  loaded = l;
  return l->physics;
}

/* Error: ranks have different texts. *alike: they also have the same processor. */
static PetscErrorCode compare_ranks(MPI_Comm comm, const char text[], bool *alike) {
  uint64_t mine[2] = {XXH3_64bits(text, strlen(text)), HgCompileProcessor()}, first[2];
  int other, others;
  memcpy(first, mine, sizeof first);
  PetscCallMPI(MPI_Bcast(first, 2, MPI_UINT64_T, 0, comm));
  PetscCall(HgAgree(comm, first[0] != mine[0], HG_ERR_RANKS_DIFFER,
                    "a physics that is compiled must have the same text on all ranks, and a rank "
                    "has another one than rank 0"));
  other = first[1] != mine[1];
  PetscCallMPI(MPI_Allreduce(&other, &others, 1, MPI_INT, MPI_MAX, comm));
  *alike = !others;
  return 0;
}

/* Sends the library of rank 0 to all ranks. */
static PetscErrorCode hand_out(MPI_Comm comm, HgCompiled *library) {
  int rank, size = library->size <= INT_MAX ? (int)library->size : -1;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Bcast(&size, 1, MPI_INT, 0, comm));
  HgRequire(comm, size >= 0, HG_ERR_COMPILE, "a compiled physics has more than %d bytes", INT_MAX);
  if (rank) *library = (HgCompiled){(size_t)size, malloc((size_t)size + 1)};
  PetscCall(HgAgree(comm, !library->bytes, HG_ERR_MEMORY,
                    "no memory for a compiled physics of %d bytes", size));
  PetscCallMPI(MPI_Bcast(library->bytes, size, MPI_BYTE, 0, comm));
  return 0;
}

static PetscErrorCode load_all(MPI_Comm comm, const HgCompileKey *key, const HgCompiled *library,
                               const HgPhysics **physics) {
  char problem[HG_COMPILE_PROBLEM] = "";
  *physics = find_loaded(key);
  if (!*physics) *physics = load(key, library, problem);
  return HgAgree(comm, !*physics, HG_ERR_COMPILE, "%s", problem);
}

/* Rank 0 finds or compiles the library; all ranks load it. */
static PetscErrorCode make(MPI_Comm comm, const char text[], const HgCompileTools *tools,
                           const HgCompileKey *key, const HgPhysics **physics) {
  char problem[HG_COMPILE_PROBLEM] = "";
  HgCompiled library = {0, NULL};
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  const bool made = rank || HgCompileCached(key, tools, text, &library, problem);
  PetscErrorCode ierr = HgAgree(comm, !made, HG_ERR_COMPILE, "%s", problem);
  if (!ierr) ierr = hand_out(comm, &library);
  if (!ierr) ierr = load_all(comm, key, &library, physics);
  free(library.bytes);
  return ierr;
}

PetscErrorCode HgPhysicsCompile(MPI_Comm comm, const char text[], const HgPhysics **physics) {
  char problem[HG_COMPILE_PROBLEM] = "";
  HgCompileTools tools = {.includes = 0};
  HgCompileKey key = {0, 0};
  bool alike = true;
  int rank, missing, any;
  *physics = NULL;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(compare_ranks(comm, text, &alike));
  tools.own_machine = alike; /* else for what all processors of this kind know */
  const bool found = rank || HgCompileFind(text, &tools, &key, problem);
  PetscCall(HgAgree(comm, !found, HG_ERR_COMPILE, "%s", problem));
  PetscCallMPI(MPI_Bcast(&key, sizeof key, MPI_BYTE, 0, comm));
  missing = !find_loaded(&key);
  PetscCallMPI(MPI_Allreduce(&missing, &any, 1, MPI_INT, MPI_MAX, comm));
  if (any) return make(comm, text, &tools, &key, physics);
  *physics = find_loaded(&key);
  return 0;
}
