/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for rows of numbers is zero, aligned, goes back to the system, and costs nothing until it
   is touched, whatever malloc() has done before: trajectories keep states whose fields nobody
   fills. */
#include "claim.h"
#include "refusal.h"
#include <halograd/memory_library.h>
#include <halograd/state.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MEGA = 1 << 20 };

/* Bytes of this process: addresses that it has, and what of them is in memory. */
typedef struct {
  double mapped, resident;
} Usage;

static Usage usage(void) {
  const double page = (double)sysconf(_SC_PAGESIZE);
  long all = 0, there = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  claim_that(file && fscanf(file, "%ld %ld", &all, &there) == 2, "no /proc/self/statm");
  if (file) fclose(file);
  return (Usage){(double)all * page, (double)there * page};
}

static double resident(void) { return usage().resident; }

/* One heap for all, which has had much and kept it, as libraries that PETSc links make it. */
static void stir_heap(void) {
  mallopt(M_MMAP_MAX, 0), mallopt(M_TRIM_THRESHOLD, -1);
  void *volatile much = malloc(512 * (size_t)MEGA);
  free(much);
}

static void any_size(size_t bytes) {
  const double before = usage().mapped;
  unsigned char *const memory = HgZeroedMemory(bytes);
  claim_that(memory && (uintptr_t)memory % 64 == 0, "%zu bytes: memory at %p", bytes,
             (void *)memory);
  size_t wrong = 0;
  for (size_t k = 0; memory && k < bytes; k++) {
    wrong += memory[k] != 0;
    memory[k] = 1;
  }
  claim_that(!wrong, "%zu bytes: %zu are not zero", bytes, wrong);
  claim_that(bytes < 2 * MEGA || (uintptr_t)memory % (2 * MEGA) == 0,
             "%zu bytes: %p is not where a large page begins", bytes, (void *)memory);
  if (bytes >= MEGA)
    claim_at_most(usage().mapped - before, (double)bytes + 4096, "bytes mapped for %zu", bytes);
  HgFreeMemory(memory, bytes);
  if (bytes >= MEGA)
    claim_at_most(fabs(usage().mapped - before), 0., "bytes that %zu leave behind", bytes);
}

static PetscErrorCode untouched_states(void) {
  enum { STATES = 8, N = 2048 };

  const HgMeshSpec spec = {.nx = N, .ny = N, .px = 1, .py = 1, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable variables[] = {{"u", "1", HG_FIELD, 0}, {"v", "1", HG_FIELD, 0}};
  const double field = 8.0 * N * N, before = resident();
  HgMesh mesh;
  HgState q[STATES];
  PetscCall(HgMeshCreate(PETSC_COMM_SELF, &spec, &mesh));
  for (int k = 0; k < STATES; k++) PetscCall(HgStateCreate(mesh, 2, variables, &q[k]));
  claim_at_most(resident() - before, 0.25 * field, "bytes of %d states before they are used",
                STATES);
  HgReal *const *v = HgStateRows(q[0], 1);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) v[j][i] = 1;
  claim_at_most(0.9 * field, resident() - before, "bytes of the field that is used, at least");
  claim_at_most(resident() - before, 1.25 * field, "bytes of the field that is used, at most");
  for (int k = 0; k < STATES; k++) PetscCall(HgStateDestroy(&q[k]));
  claim_at_most(resident() - before, 0.25 * field, "bytes once the states are gone");
  return HgMeshDestroy(&mesh);
}

/* Sizes whose product a size_t does not hold. */
static PetscErrorCode too_large(void) {
  const HgMeshSpec spec = {
      .nx = INT_MAX, .ny = INT_MAX, .px = 1, .py = 1, .dx = 1, .dy = 1, .ghost = 1};
  HgVariable variables[5];
  HgMesh mesh;
  HgState q;
  for (int k = 0; k < 5; k++)
    variables[k] = (HgVariable){(const char *[]){"a", "b", "c", "d", "e"}[k], "1", HG_FIELD, 0};
  PetscCall(HgMeshCreate(PETSC_COMM_SELF, &spec, &mesh));
  for (int count = 1; count <= 5; count++)
    REFUSED(HgStateCreate(mesh, count, variables, &q), "state: no memory for", "2147483647");
  return HgMeshDestroy(&mesh);
}

/* ---- control groups ---- */

static void write_text(const char path[], const char text[]) {
  FILE *const file = fopen(path, "w");
  claim_that(file && fputs(text, file) >= 0, "no file '%s'", path);
  if (file) fclose(file);
}

/* A job's step below the job below its user, as batch systems make them; limits of the job and of
   the step of version 1, of the user of version 2. */
static void control_groups(void) {
  static const struct {
    const char *groups;
    double expected;
  } cases[] = {{"9:name=systemd:/user\n4:memory:/user/job/step\n1:cpu:/user/job/step\n", 3e6},
               {"4:memory:/user/job\n0::/\n", 5e6},
               {"4:memory:/user\n", INFINITY}, /* 1.8e19, as version 1 says "none" */
               {"0::/user/job/step\n", 7e6},
               {"4:memory:/user/job/step\n0::/user/job\n", 3e6},
               {"4:memory:/elsewhere\n0::/elsewhere/than/here\n", INFINITY},
               {"1:cpu:/user/job/step\nnonsense\n:\n", INFINITY},
               {"", INFINITY}};

  claim_that(!system("mkdir -p root/user/job/step root/memory/user/job/step"), "no folders");
  write_text("root/memory/user/memory.limit_in_bytes", "18446744073709551616\n");
  write_text("root/memory/user/job/memory.limit_in_bytes", "5000000\n");
  write_text("root/memory/user/job/step/memory.limit_in_bytes", "3000000\n");
  write_text("root/user/memory.max", "7000000\n");
  write_text("root/user/job/memory.max", "max\n");
  write_text("root/user/job/step/memory.max", "9000000\n");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    write_text("groups", cases[k].groups);
    const double limit = HgMemoryGroupLimit("groups", "root");
    claim_that(limit == cases[k].expected || (isinf(cases[k].expected) && limit > 1e19),
               "groups '%s': limit %g, expected %g", cases[k].groups, limit, cases[k].expected);
  }
  claim_that(isinf(HgMemoryGroupLimit("no such file", "root")), "a limit from no file");
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("untouched memory costs nothing", 0);
  stir_heap();
  const size_t sizes[] = {1,        63,           64,           4096,         MEGA - 1, MEGA,
                          MEGA + 1, 2 * MEGA - 8, 2 * MEGA + 8, 3 * MEGA - 8, 3 * MEGA};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) any_size(sizes[k]);
  const size_t too_many[] = {SIZE_MAX - 64, SIZE_MAX / 2, SIZE_MAX / 4};
  for (int k = 0; k < 3; k++)
    claim_that(!HgZeroedMemory(too_many[k]), "%zu bytes are given", too_many[k]);
  control_groups();
  if (!ierr) ierr = untouched_states();
  if (!ierr) ierr = too_large();
  return claim_end(ierr);
}
