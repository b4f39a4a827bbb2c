/* SPDX-License-Identifier: BSD-2-Clause */
/* The tsunami, linear or not, has the same bits on every decomposition, patches of nothing but land
   among them. */
#include "same_bits.h"
#include "tsunami_case.h"

static const HgPhysics *const physics[] = {&tsunami_physics, &tsunami_nonlinear_physics};

/* `seed`: 1 is the linear one, 2 the other. */
static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  const TsunamiSpec spec = {
      .px = layout.px, .py = layout.py, .sponge = 15, .steps = 40, .physics = physics[seed - 1]};
  TsunamiCase c;
  PetscCall(tsunami_create(comm, &spec, &c));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  return tsunami_destroy(&c);
}

/* On 4 ranks the south-western patch is land, so `wet` says. */
static PetscErrorCode run_beside_land(MPI_Comm comm, const HgPhysics *of, bool cut, int *wet,
                                      char text[LAYOUT_TEXT]) {
  static const int widths_x[2] = {10, 50}, widths_y[2] = {10, 14};
  const HgMeshSpec spec = {.nx = 60,
                           .ny = 24,
                           .px = cut ? 2 : 1,
                           .py = cut ? 2 : 1,
                           .x0 = 140,
                           .y0 = 37,
                           .dx = 0.1,
                           .dy = 0.1,
                           .radius = 6371e3,
                           .widths_x = cut ? widths_x : NULL,
                           .widths_y = cut ? widths_y : NULL};
  HgMesh mesh;
  TsunamiCase c = tsunami_case(of);
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(tsunami_sea(mesh, 5, tsunami_hump, &c));
  const HgPatch *p = HgMeshGetPatch(mesh);
  *wet = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) *wet += HgStateRows(c.floor, 1)[j][i] > 0;
  PetscCall(HgProgramCreateCarried(c.program, &c.q));
  PetscCall(HgObjectiveCreate(c.program, 40, &c.objective));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "eta", 40, c.q, 0.1));
  PetscCall(
      make_trajectory(c.program, c.objective, c.q, 40, 5, false, &c.store, &c.trajectory, &c.op));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
  return tsunami_destroy(&c);
}

static PetscErrorCode beside_land(const HgPhysics *of) {
  char whole[LAYOUT_TEXT] = "", cut[LAYOUT_TEXT] = "";
  int wet;
  const int rank = claim.rank, size = claim.ranks;
  if (size != 4) return 0;
  PetscCall(run_beside_land(PETSC_COMM_SELF, of, false, &wet, whole));
  PetscCall(run_beside_land(PETSC_COMM_WORLD, of, true, &wet, cut));
  claim_that(rank || !wet, "patch 0 has %d wet cells, expected none", wet);
  claim_that(!strcmp(whole, cut), "%s beside a patch of land: '%s', expected '%s'", of->name, cut,
             whole);
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the tsunami has the same bits on every decomposition", 0);
  for (int k = 0; k < 2; k++) {
    if (!ierr) ierr = expect_same_on_layouts(physics[k]->name, run, k + 1);
    if (!ierr) ierr = beside_land(physics[k]);
  }
  return claim_end(ierr);
}
