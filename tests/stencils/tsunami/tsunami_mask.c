/* SPDX-License-Identifier: BSD-2-Clause */
/* Land that is skipped changes no bit of the tsunami, linear or not: states, J, gradient by the
   source and by the sea, tangent, Hessian, one step at a time and several. And it is skipped: where
   a patch is land, no kernel computes a cell. */
#include "tsunami_case.h"
#include <halograd/state_library.h>

/* ---- kernels that count cells ---- */
enum { STENCILS_MOST = 3 };

static long computed;
static const HgStencil *counted[STENCILS_MOST];

static void count(const HgBox *b) { computed += (long)(b->i1 - b->i0) * (b->j1 - b->j0); }

#define COUNTING(k)                                                                                \
  static void apply_##k(const HgBox *b, const void *p, const HgRows x[], const HgRowsOut y[]) {    \
    count(b);                                                                                      \
    counted[k]->apply(b, p, x, y);                                                                 \
  }                                                                                                \
  static void adjoint_##k(const HgBox *b, const void *p, const HgRows x[], const HgRows y_bar[],   \
                          const HgRowsOut x_bar[]) {                                               \
    count(b);                                                                                      \
    counted[k]->adjoint(b, p, x, y_bar, x_bar);                                                    \
  }
COUNTING(0)
COUNTING(1)
COUNTING(2)

static HgApplyFn *const applies[] = {apply_0, apply_1, apply_2};
static HgAdjointFn *const adjoints[] = {adjoint_0, adjoint_1, adjoint_2};

/* ---- with a mask and without ---- */

/* Random in the sea, 0 on land. */
static PetscErrorCode direction(HgState x, HgState *dx) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgReal *const *keep = HgStateRows(x, HgStateFind(x, "keep"));
  PetscCall(HgStateDuplicate(x, dx));
  PetscCall(HgStateRandom(*dx, 3));
  for (int k = 0; k < HgStateCount(x); k++)
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++)
        if (keep[j][i] == 0) HgStateRows(*dx, k)[j][i] = 0;
  return 0;
}

/* Fingerprint, tangent and Hessian. */
static PetscErrorCode describe(const TsunamiCase *c, bool by_sea, char text[512]) {
  HgState dx, h;
  double dJ;
  char hex[17];
  PetscCall(tsunami_constants(c, by_sea));
  PetscCall(fingerprint(c->op, c->x, c->trajectory, text));
  PetscCall(direction(c->x, &dx));
  PetscCall(HgStateDuplicate(c->x, &h));
  PetscCall(HgTrajectoryHessians(c->trajectory, c->x, 1, &dx, &dJ, NULL, &h));
  PetscCall(HgStateDigest(h, NULL, hex));
  snprintf(text + strlen(text), 512 - strlen(text), " tangent %a Hessian %s", dJ, hex);
  return HgStatesDestroy(&h, &dx);
}

static PetscErrorCode test(const HgPhysics *physics, int at_once, bool by_sea) {
  const TsunamiSpec spec = {.steps = 13, .sponge = 5, .physics = physics};
  TsunamiCase c;
  char without[512], with[512], again[512], option[8];
  snprintf(option, sizeof option, "%d", at_once);
  PetscCall(PetscOptionsSetValue(NULL, "-hg_time_block", option));
  PetscCall(tsunami_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(describe(&c, by_sea, without));
  PetscCall(HgProgramSetMask(c.program, c.x, "keep"));
  PetscCall(describe(&c, by_sea, with));
  PetscCall(HgCheckMask(c.program, 0, c.x));
  PetscCall(HgProgramSetMask(c.program, NULL, NULL));
  PetscCall(describe(&c, by_sea, again));
  claim_that(!strcmp(with, without), "%s, %d steps at once: land skipped '%s', computed '%s'",
             physics->name, at_once, with, without);
  claim_that(!strcmp(again, without), "%s, %d steps at once: computed again '%s', expected '%s'",
             physics->name, at_once, again, without);
  PetscCall(PetscOptionsClearValue(NULL, "-hg_time_block"));
  return tsunami_destroy(&c);
}

/* ---- what is computed ---- */

/* Cells of land, or of water, on this rank's patch. */
static long cells_of(const TsunamiCase *c, bool land) {
  const HgPatch *p = HgMeshGetPatch(c->mesh);
  long cells = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) cells += (HgStateRows(c->floor, 1)[j][i] == 0) == land;
  return cells;
}

/* On 4 ranks the south-western patch is land, farther from water than kernels reach. */
static PetscErrorCode skipped(const HgPhysics *of) {
  static const int widths_x[2] = {8, 52}, widths_y[2] = {8, 16};
  int size, kernels = 0;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  const bool cut = size == 4;
  const HgMeshSpec spec = {.nx = 60,
                           .ny = 24,
                           .px = cut ? 2 : 1,
                           .py = cut ? 2 : size,
                           .x0 = 140,
                           .y0 = 37,
                           .dx = 0.1,
                           .dy = 0.1,
                           .radius = 6371e3,
                           .ghost = 2,
                           .widths_x = cut ? widths_x : NULL,
                           .widths_y = cut ? widths_y : NULL};
  HgStencil stencil[STENCILS_MOST];
  const HgStencil *stencils[STENCILS_MOST + 1] = {NULL};
  HgPhysics physics = *of;
  TsunamiCase c;
  HgMesh mesh;
  long all[2];
  for (; of->stencils[kernels]; kernels++) {
    counted[kernels] = of->stencils[kernels];
    stencil[kernels] = *counted[kernels];
    stencil[kernels].apply = applies[kernels], stencil[kernels].adjoint = adjoints[kernels];
    stencils[kernels] = &stencil[kernels];
  }
  physics.stencils = stencils;
  c = tsunami_case(&physics);
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(tsunami_sea(mesh, 5, tsunami_hump, &c));
  PetscCall(HgProgramCreateCarried(c.program, &c.q));
  PetscCall(HgObjectiveCreate(c.program, 5, &c.objective));
  PetscCall(HgObjectiveAddSnapshot(c.objective, "eta", 5, c.q, 0.1));
  PetscCall(
      make_trajectory(c.program, c.objective, c.q, 5, 5, false, &c.store, &c.trajectory, &c.op));
  for (int masked = 0; masked < 2; masked++) {
    char text[256];
    if (masked) PetscCall(HgProgramSetMask(c.program, c.x, "keep"));
    computed = 0;
    PetscCall(fingerprint(c.op, c.x, c.trajectory, text));
    all[masked] = computed;
  }
  if (cells_of(&c, true) > 300)
    claim_that(all[1] < all[0], "%s: %ld cells computed, %ld with all land, of which there is much",
               of->name, all[1], all[0]);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const bool land = cut && !p->i_global && !p->j_global;
  claim_that(!land || !cells_of(&c, false), "patch 0 has %ld wet cells, expected none",
             cells_of(&c, false));
  if (land)
    claim_that(!all[1], "%s: %ld cells computed on a patch of land, expected none", of->name,
               all[1]);
  return tsunami_destroy(&c);
}

int main(int argc, char **argv) {
  static const HgPhysics *const physics[] = {&tsunami_physics, &tsunami_nonlinear_physics};
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("land that is skipped changes no bit of the tsunami", 0);
  for (int k = 0; k < 2; k++) {
    for (int at_once = 1; at_once <= 6 && !ierr; at_once += 5)
      ierr = test(physics[k], at_once, at_once > 1);
    if (!ierr) ierr = skipped(physics[k]);
  }
  return claim_end(ierr);
}
