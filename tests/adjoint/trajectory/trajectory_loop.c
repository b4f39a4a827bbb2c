/* SPDX-License-Identifier: BSD-2-Clause */
/* The time loop, forward and reverse, allocates nothing and sends one message per neighbouring rank
   and exchange. */
#define _GNU_SOURCE
#include "claim.h"
#include "heat_case.h"
#include <dlfcn.h>
#include <halograd/mesh_library.h>
#include <link.h>
#include <stdlib.h>

/* Allocations by halograd (in this executable) or PETSc on its behalf; what MPI does inside is its
   own. */
enum { RANGES = 32 };

static struct { uintptr_t from, to; } ours[RANGES];

static int ranges = 0;
static bool counting = false;
static long allocations = 0, sends = 0;

static int note_range(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size, (void)context;
  const bool mine = !info->dlpi_name[0] || strstr(info->dlpi_name, "petsc") ||
                    strstr(info->dlpi_name, "halograd");
  for (int k = 0; mine && k < info->dlpi_phnum && ranges < RANGES; k++)
    if (info->dlpi_phdr[k].p_type == PT_LOAD && info->dlpi_phdr[k].p_flags & PF_X) {
      ours[ranges].from = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
      ours[ranges].to = ours[ranges].from + info->dlpi_phdr[k].p_memsz;
      ranges++;
    }
  return 0;
}

static void note(void *caller) {
  if (!counting) return;
  for (int k = 0; k < ranges; k++)
    if ((uintptr_t)caller >= ours[k].from && (uintptr_t)caller < ours[k].to) allocations++;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

__attribute__((noinline)) void *malloc(size_t size) {
  note(__builtin_return_address(0));
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note(__builtin_return_address(0));
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  note(__builtin_return_address(0));
  return __libc_realloc(old, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  note(__builtin_return_address(0));
  return (*memory = __libc_memalign(alignment, size)) ? 0 : 12;
}

#undef MPI_Isend /* PETSc counts calls by a macro of that name */

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request) {
  sends += counting;
  return PMPI_Isend(buffer, count, type, peer, tag, comm, request);
}

/* Ranks that share a side or a corner with this one. */
static int neighbours(HgMesh mesh) {
  int known[8], count = 0, self;
  MPI_Comm_rank(HgMeshComm(mesh), &self);
  for (int sy = -1; sy <= 1; sy++)
    for (int sx = -1; sx <= 1; sx++) {
      const int rank = sx || sy ? HgMeshNeighbour(mesh, sx, sy) : -1;
      bool seen = rank < 0 || rank == self;
      for (int k = 0; k < count; k++) seen = seen || known[k] == rank;
      if (!seen) known[count++] = rank;
    }
  return count;
}

static PetscErrorCode test(void) {
  for (int walls = 0; walls < WALLS; walls++) {
    HeatSpec spec = {.nx = 24,
                     .ny = 25,
                     .steps = 30,
                     .walls = (Walls)walls,
                     .conservative = walls % 2,
                     .slots = 4};
    HeatCase c;
    HgState gradient;
    double J, bytes;
    long before, after, messages;
    PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
    PetscCall(HgOperatorCreateInput(c.op, &gradient));
    for (int k = 0; k < 2; k++)
      PetscCall(HgOperatorGradient(c.op, c.x, &J,
                                   gradient)); /* plans and buffers are made on first use */
    HgProgramTraffic(c.program, &before, &messages, &bytes);
    allocations = sends = 0, counting = true;
    PetscCall(HgTrajectoryGradient(c.trajectory, c.x, 1, &J, gradient));
    counting = false;
    HgProgramTraffic(c.program, &after, &messages, &bytes);
    claim_at_most((double)allocations, 0, "allocations in one gradient of %ld steps, walls %d",
                  spec.steps, walls);
    const long expected = (after - before) * neighbours(c.mesh);
    claim_that(sends == expected, "walls %d: %ld messages in %ld exchanges with %d neighbours",
               walls, sends, after - before, neighbours(c.mesh));
    /* one exchange for each step run and each step reversed; one for the observed end; one for the
       first reverse's state */
    HgTrajectoryCost cost;
    HgTrajectoryGetCost(c.trajectory, &cost);
    claim_at_most((double)(after - before), (double)(cost.advances + cost.steps + 3),
                  "exchanges, walls %d", walls);
    PetscCall(HgStateDestroy(&gradient));
    PetscCall(heat_destroy(&c));
  }
  return 0;
}

int main(int argc, char **argv) {
  dl_iterate_phdr(note_range, NULL);
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the time loop allocates nothing and sends one message per neighbour", 0);
  if (!ierr) ierr = test();
  void *(*volatile allocate)(size_t) =
      malloc; /* the counter counts, also what PETSc allocates for us */
  char *via_petsc = NULL;
  counting = true, allocations = 0;
  void *probe = allocate(64);
  if (!ierr) ierr = PetscMalloc1(64, &via_petsc);
  counting = false;
  claim_that(allocations == 2, "two planted allocations were counted %ld times", allocations);
  free(probe);
  if (!ierr) ierr = PetscFree(via_petsc);
  return claim_end(ierr);
}
