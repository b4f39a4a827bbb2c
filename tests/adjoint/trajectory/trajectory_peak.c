/* SPDX-License-Identifier: BSD-2-Clause */
/* What a gradient and its store allocate at the most is what was predicted before it began, within
   10 %, whatever is in memory and what in files. */
#define _GNU_SOURCE
#include "claim.h"
#include "heat_case.h"
#include <halograd/trajectory_library.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Bytes that are allocated now, from malloc() or as pages, and the most since `counting` began. */
static atomic_long allocated, most;

static void note(long bytes) {
  const long now = atomic_fetch_add(&allocated, bytes) + bytes;
  if (now > atomic_load(&most)) atomic_store(&most, now);
}

static void *noted(void *memory) {
  note((long)malloc_usable_size(memory));
  return memory;
}

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

void *malloc(size_t size) { return noted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size) { return noted(__libc_calloc(count, size)); }

void *realloc(void *old, size_t size) {
  note(-(long)malloc_usable_size(old));
  return noted(__libc_realloc(old, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
  return noted(__libc_memalign(alignment, size));
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  return (*memory = noted(__libc_memalign(alignment, size))) ? 0 : 12;
}

void free(void *memory) {
  note(-(long)malloc_usable_size(memory));
  __libc_free(memory);
}

void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset) {
  void *const memory = (void *)syscall(SYS_mmap, at, length, protection, flags, file, offset);
  if (memory != MAP_FAILED && flags & MAP_ANONYMOUS) note((long)length);
  return memory;
}

int munmap(void *at, size_t length) {
  note(-(long)length);
  return (int)syscall(SYS_munmap, at, length);
}

typedef struct {
  int files, memory, ghost;
  long steps;
  const char *policy;
} Kind;

static PetscErrorCode claim_kind(const Kind *k) {
  const HeatSpec spec = {.nx = 1200,
                         .ny = 1100,
                         .steps = k->steps,
                         .walls = WALLS_FIXED,
                         .snapshot = true,
                         .ghost = k->ghost,
                         .slots = 1};
  HeatCase c;
  HgState gradient;
  HgStore store;
  HgTrajectory t;
  HgTrajectoryPlan plan;
  double J;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(HgOperatorCreateInput(c.op, &gradient));
  const long before = atomic_load(&allocated);
  atomic_store(&most, before);
  PetscCall(HgStoreCreate(c.data, k->memory, k->files, "test_slots", &store));
  PetscCall(HgTrajectoryCreate(c.program, k->steps, c.objective, store, &t));
  for (int again = 0; again < 2; again++) PetscCall(HgTrajectoryGradient(t, c.x, 1, &J, gradient));
  double peak = (double)(atomic_load(&most) - before);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &peak, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  HgTrajectoryGetPlan(t, &plan);
  claim_that(!strcmp(plan.policy, k->policy), "policy %s, expected %s", plan.policy, k->policy);
  const double predicted = plan.bytes[HG_MEMORY_TIER] + plan.live_bytes;
  claim_at_most(peak, 1.1 * predicted, "%s, %d files, %d in memory: bytes allocated", k->policy,
                k->files, k->memory);
  claim_at_most(predicted, 1.1 * peak, "%s, %d files, %d in memory: bytes predicted", k->policy,
                k->files, k->memory);
  PetscCall(DESTROY(&t, &store, &gradient));
  return heat_destroy(&c);
}

static PetscErrorCode test(void) {
  static const Kind kinds[] = {{0, 5, 1, 12, "revolve"},
                               {0, 12, 1, 12, "store-all"},
                               {3, 2, 1, 12, "multistage"},
                               {6, 0, 1, 12, "multistage"},
                               {0, 10, 9, 60, "revolve"}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) PetscCall(claim_kind(&kinds[k]));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the peak memory of a gradient is what was predicted, within 10 %", 0);
  const long before = atomic_load(&allocated);
  if (!ierr) ierr = test();
  void *(*volatile allocate)(size_t) = malloc; /* the counter counts */
  const long begin = atomic_load(&allocated);
  void *probe = allocate(1000);
  claim_that(atomic_load(&allocated) >= begin + 1000, "1000 bytes were not counted (%ld)", before);
  free(probe);
  return claim_end(ierr);
}
