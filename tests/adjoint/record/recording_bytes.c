/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: with -record_bytes the images are no more bytes than that, and the steps are the same on
   all ranks and patches; where patches are so small that their ghosts count, they are some of
   these. */
#include "heat_case.h"
#include "recorded.h"
#include <dirent.h>
#include <sys/stat.h>

enum { STEPS = 37 };

static HeatSpec spec;
static bool inactive; /* no constant is active */

/* Which steps of the first sweep are there, as bits. */
static PetscErrorCode find_steps(MPI_Comm comm, const char folder[], uint64_t *found) {
  char *text;
  *found = 0;
  PetscCall(recorded_text(comm, folder, "steps.csv", &text));
  for (const char *c = text; (c = strstr(c, "\nforward,")); c += 9)
    *found |= (uint64_t)1 << atoi(c + 9);
  return PetscFree(text);
}

/* Of all images. */
static double count_bytes(const char folder[]) {
  char path[512];
  struct stat file;
  double bytes = 0;
  DIR *const list = opendir(folder);
  for (struct dirent *e; list && (e = readdir(list));) {
    if (!strstr(e->d_name, ".h5")) continue;
    snprintf(path, sizeof path, "%s/%.200s", folder, e->d_name);
    if (!stat(path, &file)) bytes += (double)file.st_size;
  }
  if (list) closedir(list);
  return bytes;
}

static PetscErrorCode record(MPI_Comm comm, const char folder[], int px, int py, long bytes,
                             uint64_t *steps) {
  HeatCase c;
  char text[256];
  int rank;
  spec.px = px, spec.py = py;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(heat_create(comm, &spec, &c));
  PetscCall(HgProgramSetActive(c.program, "kappa", !inactive));
  PetscCall(HgProgramSetActive(c.program, "f", !inactive));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.bytes = bytes}, folder, text));
  PetscCall(find_steps(comm, folder, steps));
  const double written = count_bytes(folder);
  claim_that(rank || written <= (double)bytes, "%ld bytes given, %.0f written", bytes, written);
  PetscCallMPI(MPI_Barrier(comm));
  return heat_destroy(&c);
}

/* On one rank, and on all of them cut in any way. */
static PetscErrorCode compare(long bytes, bool equal) {
  uint64_t alone = 0, steps;
  const int ranks = claim.ranks;
  MPI_Comm self;
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, claim.rank ? MPI_UNDEFINED : 0, 0, &self));
  if (!claim.rank) PetscCall(record(self, "alone", 1, 1, bytes, &alone));
  if (!claim.rank) PetscCallMPI(MPI_Comm_free(&self));
  PetscCallMPI(MPI_Bcast(&alone, 1, MPI_UINT64_T, 0, PETSC_COMM_WORLD));
  for (int px = 1; px <= ranks; px++) {
    if (ranks % px) continue;
    PetscCall(record(PETSC_COMM_WORLD, "together", px, ranks / px, bytes, &steps));
    claim_that(steps & 1 && steps >> STEPS & 1, "%ld bytes: the first and the last step", bytes);
    claim_that(equal ? steps == alone : (steps & alone) == steps,
               "%ld bytes: on %d x %d patches steps %llx, on one %llx", bytes, px, ranks / px,
               (unsigned long long)steps, (unsigned long long)alone);
  }
  return 0;
}

static PetscErrorCode test(void) {
  const double both = 3 * 8.0 * 120 * 110; /* u; lambda; one constant at least */
  spec = (HeatSpec){.nx = 120, .ny = 110, .steps = STEPS, .ghost = 1};
  spec.slots = 9;
  PetscCall(compare((long)(9 * both), true));
  PetscCall(compare((long)(30 * both), true));
  spec.nx = 20, spec.ny = 19, spec.ghost = 2;
  PetscCall(compare(600000, false));
  inactive = true; /* of all that is written, the constants are most */
  PetscCall(compare(300000, false));
  const int ranks = claim.ranks;
  if (ranks == 1) PetscCall(compare(47500, true));
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("what is recorded fits into so many bytes, the same steps on any ranks", 0);
  if (!ierr) ierr = set_option("-hg_time_block", 1);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
