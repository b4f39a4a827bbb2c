/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the largest time step that a refusal prints is one that is taken, whatever its digits. */
#include "claim.h"
#include "refusal.h"
#include <halograd/run.h>
#include <stdlib.h>
#include <string.h>

/* As a user who reads the limit in the sentence and gives it back. */
static PetscErrorCode give_back(HgRun run, double largest) {
  HgCommon common = {.nx = 8, .ny = 8, .dt = 2 * largest};
  char text[4096];
  double limit[1] = {0};
  const Said said = said_begin();
  const PetscErrorCode refused = HgRunTimeStep(run, 0, largest, &common);
  said_here(said, text, sizeof text);
  claim_that(refused == HG_ERROR_TOLD, "twice the limit %a is refused", largest);
  const char *const at = strstr(text, "at most ");
  if (at) limit[0] = strtod(at + strlen("at most "), NULL);
  MPI_Bcast(limit, 1, MPI_DOUBLE, 0, PETSC_COMM_WORLD);
  common.dt = limit[0];
  claim_that(common.dt > 0.9999 * largest, "limit %a: printed as %.17g", largest, common.dt);
  const PetscErrorCode ierr = HgRunTimeStep(run, 0, largest, &common);
  claim_that(!ierr, "limit %a: %.17g, as printed, is refused", largest, common.dt);
  return 0;
}

static PetscErrorCode test(void) {
  HgRun run;
  static const double limits[] = {1,    1.5625, 9.999995, 0.1234565, 1.0000049,
                                  1e-5, 1e-300, 1e300,    99999.95,  0.0108507};
  PetscCall(HgRunCreate("printed_limit", "a test", &run));
  for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) PetscCall(give_back(run, limits[k]));
  double limit = 1e-9; /* and some two thousand of all digits */
  for (; limit < 1e9; limit *= 1.0207) PetscCall(give_back(run, limit));
  return HgRunDestroy(&run);
}

CLAIM("a printed limit of the time step is taken", 0, test)
