/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: -hg_program_view prints the plan of equal groups of ranks once, and those of groups that
   differ once each. */
#include "caught.h"
#include "claim.h"
#include "heat_case.h"
#include <halograd/experiments.h>
#include <stdlib.h>

/* How many plans all ranks together print: of `groups` groups whose time steps are dt[group %
   kinds]. */
static PetscErrorCode count(int groups, int kinds, int *plans) {
  static char text[1 << 16];
  HgExperiments experiments, alone;
  HgMesh mesh;
  HgProgram program;
  FILE *const usual = caught_begin();
  PetscCall(HgExperimentsCreate(PETSC_COMM_WORLD, groups, groups, &experiments));
  PetscCall(HgExperimentsCreate(HgExperimentsGroup(experiments)->comm, groups, 1, &alone));
  const double dt = 1e-4 * (1 + HgExperimentsGroup(experiments)->number % kinds);
  for (int k = 0; k < 2; k++) { /* of experiments of the group, and of its part alone */
    const HgMeshSpec spec = {.nx = 20, .ny = 24, .dx = 0.1, .dy = 0.1, .ghost = 1 + k};
    PetscCall(HgMeshCreate(HgExperimentsGroup(k ? alone : experiments)->comm, &spec, &mesh));
    PetscCall(HgProgramCreate(mesh, "heat", dt, &program));
    PetscCall(HgProgramAddStencil(program, &hg_heat, NULL));
    PetscCall(HgProgramSetBoundary(program, "u", HgBoundaryAll(HG_FIXED, 0)));
    PetscCall(HgProgramSetUp(program));
    PetscCall(DESTROY(&program, &mesh));
  }
  PetscCall(HgExperimentsDestroy(&alone));
  PetscCall(HgExperimentsDestroy(&experiments));
  caught_end(usual, text, sizeof text);
  *plans = 0;
  for (const char *at = text; (at = strstr(at, "program 'heat'")) != NULL; at++) ++*plans;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, plans, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  return 0;
}

static PetscErrorCode test(void) {
  int plans;
  const int size = claim.ranks;
  PetscCall(PetscOptionsSetValue(NULL, "-hg_program_view", NULL));
  for (int groups = 1; groups <= size; groups++) {
    if (size % groups) continue;
    PetscCall(count(groups, 1, &plans));
    claim_that(plans == 2, "%d equal groups: %d plans, expected 2, one of each program", groups,
               plans);
    if (groups < 2) continue;
    PetscCall(count(groups, 2, &plans));
    claim_that(plans == 4, "%d groups of two kinds: %d plans, expected 4", groups, plans);
  }
  return 0;
}

CLAIM("the plan of equal groups is printed once", 0, test)
