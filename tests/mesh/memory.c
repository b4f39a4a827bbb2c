/* Memory for rows of numbers is zero, aligned, goes back to the system, and costs nothing until it is
   touched, whatever malloc() has done before: trajectories keep states whose fields nobody fills. */
#include "claim.h"
#include <halograd/memory.h>
#include <halograd/state.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { MEGA = 1 << 20 };
/* Bytes of this process that are in memory. */
static double resident(void) {
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = -1;
  if (file) fclose(file);
  return (double)pages * (double)sysconf(_SC_PAGESIZE);
}
/* A heap that has had much, and kept it, as MPI libraries make it do. */
static void stir_heap(void) {
  void *volatile much = malloc(512 * (size_t)MEGA);
  free(much);
}
static void any_size(size_t bytes) {
  unsigned char *const memory = HgZeroedMemory(bytes);
  claim_that(memory && (uintptr_t)memory % 64 == 0, "%zu bytes: memory at %p", bytes,
             (void *)memory);
  size_t wrong = 0;
  for (size_t k = 0; memory && k < bytes; k++) {
    wrong += memory[k] != 0;
    memory[k] = 1;
  }
  claim_that(!wrong, "%zu bytes: %zu are not zero", bytes, wrong);
  HgFreeMemory(memory, bytes);
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
  double *const *v = HgStateRows(q[0], 1);
  for (int j = 0; j < N; j++)
    for (int i = 0; i < N; i++) v[j][i] = 1;
  claim_at_most(0.9 * field, resident() - before, "bytes of the field that is used, at least");
  claim_at_most(resident() - before, 1.25 * field, "bytes of the field that is used, at most");
  for (int k = 0; k < STATES; k++) PetscCall(HgStateDestroy(&q[k]));
  claim_at_most(resident() - before, 0.25 * field, "bytes once the states are gone");
  return HgMeshDestroy(&mesh);
}
int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("untouched memory costs nothing", 0);
  stir_heap();
  const size_t sizes[] = {1,        63,           64,           4096,         MEGA - 1, MEGA,
                          MEGA + 1, 2 * MEGA - 8, 2 * MEGA + 8, 3 * MEGA - 8, 3 * MEGA};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) any_size(sizes[k]);
  claim_that(!HgZeroedMemory(SIZE_MAX - 64), "more than there can be is given");
  if (!ierr) ierr = untouched_states();
  return claim_end(ierr);
}
