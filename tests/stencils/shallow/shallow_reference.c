/* SPDX-License-Identifier: BSD-2-Clause */
/* Shallow water of one kernel for each equation and stock integrators has the bits of the kernels
   that step: J and the final state, with any walls; its derivatives, which hgstencil wrote, are
   those of the kernels by hand to 1e-13. */
#include "shallow_case.h"
#include "trajectory_claims.h"
#include <halograd/trajectory_library.h>

typedef struct {
  ShallowCase c;
  HgState gradient;
  double tangent;
  char bits[80];
} Run;

static PetscErrorCode run(const ShallowSpec *spec, Run *r) {
  HgState dx;
  double J;
  char state[17];
  PetscCall(shallow_create(PETSC_COMM_WORLD, spec, &r->c));
  PetscCall(HgStateDuplicate(r->c.x, &dx));
  PetscCall(HgStateDuplicate(r->c.x, &r->gradient));
  PetscCall(HgStateRandom(dx, 5));
  PetscCall(HgOperatorGradient(r->c.op, r->c.x, &J, r->gradient));
  PetscCall(HgStateDigest(HgTrajectoryFinal(r->c.trajectory), NULL, state));
  snprintf(r->bits, sizeof r->bits, "J %a state %s", J, state);
  PetscCall(HgTrajectoryTangent(r->c.trajectory, r->c.x, dx, &J, &r->tangent));
  return HgStateDestroy(&dx);
}

/* Inputs have the same variables, in the same order: the reference has further work alone. */
static PetscErrorCode same_derivatives(int walls, const Run *a, const Run *b) {
  for (int k = 0; k < HgStateCount(a->gradient); k++) {
    const HgPatch *p = HgMeshGetPatch(HgStateMesh(a->gradient));
    double largest = 0, off = 0;
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        const double g = HgStateRows(a->gradient, k)[j][i];
        largest = fmax(largest, fabs(g));
        off = fmax(off, fabs(g - HgStateRows(b->gradient, k)[j][i]));
      }
    claim_at_most(off, 1e-13 * largest, "walls %d: dJ by '%s'", walls,
                  HgStateVariable(a->gradient, k)->name);
  }
  claim_at_most(fabs(a->tangent / b->tangent - 1), 1e-13, "walls %d: dJ along dx", walls);
  return 0;
}

static PetscErrorCode test(void) {
  for (int walls = 0; walls < 5; walls++) {
    ShallowSpec spec = {.nx = 21,
                        .ny = 18,
                        .steps = 24,
                        .periodic_x = walls & 1,
                        .periodic_y = walls & 2,
                        .reflecting = walls == 4,
                        .slots = 5};
    Run r[2];
    for (int k = 0; k < 2; k++) {
      spec.reference = k;
      PetscCall(run(&spec, &r[k]));
    }
    claim_that(!strcmp(r[0].bits, r[1].bits), "walls %d: kernels that step '%s', equations '%s'",
               walls, r[0].bits, r[1].bits);
    PetscCall(same_derivatives(walls, &r[0], &r[1]));
    for (int k = 0; k < 2; k++) {
      PetscCall(HgStateDestroy(&r[k].gradient));
      PetscCall(shallow_destroy(&r[k].c));
    }
  }
  return 0;
}

CLAIM("kernels that step have the bits of single equations and stock integrators", 5, test)
