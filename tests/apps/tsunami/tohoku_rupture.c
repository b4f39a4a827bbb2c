/* SPDX-License-Identifier: BSD-2-Clause */
/* A sea that subfaults lift one after another, linear or not: value, tangent and adjoint by slip
   and by delay agree; all that is lifted is there in the end, whenever it was; what slips a step
   later is there a step later; the same bits on every decomposition. An adjoint of other onsets is
   caught. A trough
   during the rupture that reaches below a limit is refused. */
#include "tohoku_rupture.h"
#include "refusal.h"
#include "same_bits.h"
#include "tsunami_case.h"
#include "wrong_adjoint.h"
#include <halograd/state_library.h>

enum { FAULTS = 3, STEPS = 14 };

typedef struct {
  TsunamiCase of;
  TohokuSea sea;
  HgState units;
} Case;

static double lifted(double lon, double lat, void *context) {
  const int k = *(int *)context;
  const double x = (lon - 143 - 0.5 * k) / 0.6, y = (lat - 37.5 - 0.4 * k) / 0.8;
  return 0.1 * (1 + k) * exp(-(x * x) - y * y);
}

/* Without a sponge, eta above a limit, 0: of any height. What 1 m lifts is 0 on land. */
static PetscErrorCode create(MPI_Comm comm, Layout layout, const HgPhysics *physics, double above,
                             Case *c) {
  static const HgVariable fields[FAULTS] = {
      {"A", "1", HG_FIELD, 0}, {"B", "1", HG_FIELD, 0}, {"C", "1", HG_FIELD, 0}};
  const TsunamiSpec spec = {
      .px = layout.px, .py = layout.py, .steps = 5, .physics = physics, .above = above};
  PetscCall(tsunami_create(comm, &spec, &c->of));
  c->sea = (TohokuSea){.mesh = c->of.mesh, .program = c->of.program, .x = c->of.x};
  PetscCall(HgStateCreate(c->sea.mesh, FAULTS, fields, &c->units));
  const HgPatch *p = HgMeshGetPatch(c->sea.mesh);
  HgReal *const *keep = HgStateRows(c->sea.x, HgStateFind(c->sea.x, "keep"));
  for (int k = 0; k < FAULTS; k++) {
    PetscCall(HgStateSetField(c->units, fields[k].name, lifted, &k));
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) HgStateRows(c->units, k)[j][i] *= keep[j][i];
  }
  return 0;
}

static PetscErrorCode destroy(Case *c) {
  PetscCall(HgStateDestroy(&c->units));
  return tsunami_destroy(&c->of);
}

static PetscErrorCode rupture(const Case *c, double rise, int steps, HgOperator *op) {
  static const double earliest[FAULTS] = {0, 10, 25};
  const TohokuRuptureSpec spec = {rise, earliest, c->units};
  return TohokuRuptureCreate(&c->sea, &spec, steps, op);
}

/* Slip of some metres; all has slipped after 12 steps of 12 s. */
static PetscErrorCode controls(HgOperator op, double later, HgState *m) {
  static const double slip[FAULTS] = {3, 11, 6}, delay[FAULTS] = {31, 0.5, 40};
  PetscCall(HgOperatorCreateInput(op, m));
  for (int k = 0; k < FAULTS; k++) {
    HgStateArray(*m, 0)[k] = slip[k];
    HgStateArray(*m, 1)[k] = delay[k] + later;
  }
  return 0;
}

static PetscErrorCode derivatives(const Case *c) {
  HgOperator op, other;
  HgState m;
  PetscCall(rupture(c, 60, STEPS, &op));
  PetscCall(rupture(c, 61, STEPS, &other));
  PetscCall(controls(op, 0, &m));
  PetscCall(claim_checks("a rupture", op, m, 1e-12, 1));
  PetscCall(claim_caught("itself", op, op, m, false));
  PetscCall(claim_caught("a slower one", op, other, m, true));
  return DESTROY(&m, &op, &other);
}

/* Volume, and the surface of what slips a step later. */
static PetscErrorCode invariants(const Case *c) {
  HgOperator op, longer;
  HgState m, later, x, y, one;
  double volume, expected = 0, part;
  PetscCall(rupture(c, 60, STEPS, &op));
  PetscCall(rupture(c, 60, STEPS + 1, &longer));
  PetscCall(controls(op, 0, &m));
  PetscCall(controls(op, 12, &later));
  PetscCall(HgOperatorCreateOutput(op, &x));
  PetscCall(HgOperatorCreateOutput(op, &y));
  PetscCall(HgOperatorApply(op, m, x));
  PetscCall(HgOperatorApply(longer, later, y));
  const HgPatch *p = HgMeshGetPatch(c->sea.mesh);
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++)
        claim_at_most(fabs(HgStateRows(x, k)[j][i] - HgStateRows(y, k)[j][i]), 1e-13,
                      "%s(%d, %d) of what slips a step later", HgStateVariable(x, k)->name, i, j);

  PetscCall(HgStateDuplicate(c->units, &one));
  for (int k = 0; k < FAULTS; k++) {
    PetscCall(HgStateCopyVariable(c->units, k, one, 0));
    PetscCall(tsunami_volume(c->sea.mesh, one, &part));
    expected += HgStateArray(m, 0)[k] * part;
  }
  PetscCall(tsunami_volume(c->sea.mesh, x, &volume));
  claim_at_most(fabs(volume / expected - 1), 1e-14, "volume %.17g m^3, slip lifts %.17g: distance",
                volume, expected);
  return DESTROY(&m, &later, &x, &y, &one, &op, &longer);
}

/* 11 m of slip the other way round, which lift 0.2 m each. */
static PetscErrorCode sunk(void) {
  Case c;
  HgOperator op;
  HgState m, x;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &tsunami_nonlinear_physics, -2, &c));
  PetscCall(rupture(&c, 60, STEPS, &op));
  PetscCall(controls(op, 0, &m));
  PetscCall(HgOperatorCreateOutput(op, &x));
  PetscCall(HgOperatorApply(op, m, x));
  HgStateArray(m, 0)[1] *= -1;
  REFUSED(HgOperatorApply(op, m, x), "'eta' is -", "expected more than -2 m everywhere");
  PetscCall(DESTROY(&m, &x, &op));
  return destroy(&c);
}

static PetscErrorCode bits(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  Case c;
  HgOperator op;
  HgState m, x, m_bar;
  char digests[2][17];
  PetscCall(create(comm, layout, seed == 1 ? &tsunami_physics : &tsunami_nonlinear_physics, 0, &c));
  PetscCall(rupture(&c, 60, STEPS, &op));
  PetscCall(controls(op, 0, &m));
  PetscCall(HgOperatorCreateOutput(op, &x));
  PetscCall(HgOperatorCreateInput(op, &m_bar));
  PetscCall(HgOperatorApply(op, m, x));
  PetscCall(HgOperatorTranspose(op, m, x, m_bar));
  PetscCall(HgStateDigest(x, NULL, digests[0]));
  PetscCall(HgStateDigest(m_bar, NULL, digests[1]));
  snprintf(text, LAYOUT_TEXT, "state %s cotangent %s", digests[0], digests[1]);
  PetscCall(DESTROY(&m, &x, &m_bar, &op));
  return destroy(&c);
}

static PetscErrorCode test(void) {
  static const HgPhysics *const physics[] = {&tsunami_physics, &tsunami_nonlinear_physics};
  for (int k = 0; k < 2; k++) {
    Case c;
    PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, physics[k], 0, &c));
    PetscCall(derivatives(&c));
    PetscCall(invariants(&c));
    PetscCall(destroy(&c));
    PetscCall(expect_same_on_layouts(physics[k]->name, bits, k + 1));
  }
  return sunk();
}

CLAIM("a rupture is differentiable by slip and delay", 0, test)
