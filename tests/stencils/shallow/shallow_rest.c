/* SPDX-License-Identifier: BSD-2-Clause */
/* Water at rest over an arbitrary bottom stays at rest (1e-12 m/s after 1000 steps), and mass is
   conserved (1e-14 relative after 1000 steps of a flow), with any walls. */
#include "claim.h"
#include "shallow_case.h"
#include <halograd/program_library.h>
#include <halograd/state_library.h>

static const double surface = 100; /* of the water at rest [m] */
static const long steps = 1000;

typedef struct {
  HgMesh mesh;
  HgShallowWaterParams params;
  HgProgram program;
  HgState q, next, constants;
} Sea;

static double gentle_turning(double x, double y, void *context) {
  (void)x, (void)context;
  return 1e-4 + 2e-11 * y;
}

static PetscErrorCode sea_create(int walls, Sea *s) {
  const double dx = 5000, dy = 4000;
  const HgMeshSpec spec = {.nx = 24,
                           .ny = 19,
                           .dx = dx,
                           .dy = dy,
                           .periodic_x = walls & 1,
                           .periodic_y = walls & 2,
                           .ghost = 1};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &s->mesh));
  s->params = (HgShallowWaterParams){.gravity = 9.81, .scheme.epsilon = 0.1};
  PetscCall(shallow_program(s->mesh, &(ShallowSpec){0},
                            0.8 * HgShallowWaterLargestStep(9.81, 0.1, surface, 2, dx, dy),
                            &s->params, &s->program));
  PetscCall(HgProgramCreateCarried(s->program, &s->q));
  PetscCall(HgProgramCreateCarried(s->program, &s->next));
  PetscCall(HgProgramCreateConstants(s->program, &s->constants));
  PetscCall(HgStateSetField(s->constants, "f", gentle_turning, NULL));
  return HgStateSetConstant(s->constants, "nu", 5);
}

static PetscErrorCode sea_destroy(Sea *s) {
  return DESTROY(&s->q, &s->next, &s->constants, &s->program, &s->mesh);
}

/* A rough bottom, 5 to 85 m below the surface, and `q` at rest on it; or moving if `speed` > 0. */
static PetscErrorCode sea_fill(Sea *s, uint64_t seed, double speed) {
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  PetscCall(HgStateRandom(s->q, seed));
  PetscCall(HgStateScale(s->q, speed));
  const char *const old[] = {"h_t", "u_t", "v_t"};
  for (int k = 0; k < 3; k++) PetscCall(HgStateSetConstant(s->q, old[k], 0));
  HgState noise;
  PetscCall(HgStateDuplicate(s->constants, &noise));
  PetscCall(HgStateRandom(noise, seed + 1));
  HgReal *const *h = HgStateRows(s->q, HgStateFind(s->q, "h")),
                *const *b = HgStateRows(s->constants, HgStateFind(s->constants, "b")),
                *const *r = HgStateRows(noise, HgStateFind(noise, "b"));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      b[j][i] = speed > 0 ? 10 + 2 * r[j][i] : 55 + 40 * r[j][i];
      h[j][i] = surface - b[j][i] + h[j][i];
    }
  HgStateSetGhostDepth(s->q, HgStateFind(s->q, "h"), 0);
  HgStateSetGhostDepth(s->constants, HgStateFind(s->constants, "b"), 0);
  return HgStateDestroy(&noise);
}

static PetscErrorCode sea_run(Sea *s) {
  for (long n = 0; n < steps; n++) {
    PetscCall(HgProgramStep(s->program, n, s->constants, s->q, s->next));
    HgStateSwap(s->q, s->next);
  }
  return 0;
}

static double largest(const Sea *s, const char name[]) {
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  HgReal *const *u = HgStateRows(s->q, HgStateFind(s->q, name));
  double most = 0;
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      if (!(fabs(u[j][i]) <= most)) most = fabs(u[j][i]);
  return most;
}

static PetscErrorCode mass_of(const Sea *s, double *mass) {
  const HgPatch *p = HgMeshGetPatch(s->mesh);
  HgReal *const *h = HgStateRows(s->q, HgStateFind(s->q, "h"));
  HgSum sum;
  HgSumReset(&sum);
  for (int j = 0; j < p->ny; j++) HgSumAdd(&sum, (size_t)p->nx, h[j]);
  return HgSumReduce(HgMeshComm(s->mesh), 1, &sum, mass);
}

static PetscErrorCode test(void) {
  for (int walls = 0; walls < 4; walls++) {
    Sea s;
    double before, after, moving;
    PetscCall(sea_create(walls, &s));
    PetscCall(sea_fill(&s, 7 + (uint64_t)walls, 0));
    PetscCall(sea_run(&s));
    claim_at_most(largest(&s, "u"), 1e-12, "walls %d: u of water at rest [m/s]", walls);
    claim_at_most(largest(&s, "v"), 1e-12, "walls %d: v of water at rest [m/s]", walls);
    PetscCall(sea_fill(&s, 17 + (uint64_t)walls, 0.5));
    PetscCall(mass_of(&s, &before));
    PetscCall(sea_run(&s));
    PetscCall(mass_of(&s, &after));
    claim_at_most(fabs(after - before) / before, 1e-14, "walls %d: relative change of mass", walls);
    moving = largest(&s, "u");
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &moving, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    claim_that(moving > 1e-3 && moving < 10, "walls %d: u is %g m/s in the end, expected a flow",
               walls, moving);
    PetscCall(sea_destroy(&s));
  }
  return 0;
}

CLAIM("water at rest stays at rest, and mass is conserved", 0, test)
