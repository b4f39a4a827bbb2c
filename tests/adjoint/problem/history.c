/* SPDX-License-Identifier: BSD-2-Clause */
/* A run's history holds every iterate of its inversions, however many there are: the curves of J
   and misfit are as long as the iterations were. */
#include "claim.h"
#include "draws.h"
#include "valley.h"
#include <fcntl.h>
#include <halograd/run_library.h>
#include <unistd.h>

enum { MOST = 4096 }; /* a history of so many is nothing special */

static PetscErrorCode run_history(void) {
  HgMesh mesh;
  HgOperator valley;
  HgState guess, m;
  HgRun run;
  HgIterate last;
  const char *reason;
  int count = 0;
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &mesh, &valley, &guess));
  PetscCall(HgStateDuplicate(guess, &m));
  PetscCall(HgRunCreate("history", "many inversions", &run));
  const int stdout_copy = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO); /* its lines */
  while (count <= (claim.ranks > 1 || SANITIZED ? MOST / 16 : MOST)) {
    HgInversion inversion;
    PetscCall(HgStateCopy(guess, m));
    PetscCall(HgInversionCreate(valley, &inversion));
    PetscCall(HgInversionSetRules(
        inversion,
        &(HgInversionRules){.tolerance = 1e-12, .iterations = 400, .evaluations = 4000}));
    PetscCall(HgRunInvert(run, inversion, NULL, m, &last, &reason));
    PetscCall(HgInversionDestroy(&inversion));
    count += last.iteration + 1; /* the first guess counts */
  }
  fflush(stdout);
  dup2(stdout_copy, STDOUT_FILENO);
  close(nowhere), close(stdout_copy);

  const HgPanel panel = HgRunConvergence(run);
  claim_same(panel.curve[0].x[count - 1], last.iteration, "number of the last iterate");
  for (int k = 0; k < 2; k++) {
    claim_same(panel.curve[k].count, count, "points of curve %d", k);
    claim_same(panel.curve[k].y[count - 1], last.J, "end of curve %d", k);
  }
  PetscCall(HgRunDestroy(&run));
  PetscCall(HgStateDestroy(&m));
  return valley_destroy(&mesh, &valley, &guess);
}

int main(int argc, char **argv) {
  argc = 1, argv[1] = NULL; /* no option: a run refuses those that it has no use for */
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "histories\n");
  if (ierr) return ierr;
  ierr = PetscOptionsClear(NULL); /* nor one from the environment */
  if (ierr) return ierr;
  claim_begin("a history holds every iterate", 20260105);
  return claim_end(run_history());
}
