/* SPDX-License-Identifier: BSD-2-Clause */
/* A step with an exact sum between ranks and a parametrisation beside a stencil, alone and repeated
   under a schedule: right value, every check, the same bits on every layout; what does not fit is
   refused. */
#include "refusal.h"
#include "same_bits.h"
#include "trajectory_claims.h"
#include <halograd/control_library.h>
#include <halograd/heat.h>
#include <halograd/operator.h>
#include <halograd/operator_library.h>

enum { NX = 14, NY = 17, STEPS = 25 };

static const double dt = 1e-3;
static const HgHeatParams steady = {0};

/* u_t = kappa lap(u) + f, f everywhere the sum of u: heat that the whole domain makes. */
typedef struct {
  HgMesh mesh;
  HgOperator total, spread;
  HgProgram program;
  HgState x, data;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
} Domain;

static double warm(double x, double y, void *context) {
  (void)context;
  return 1 + 0.3 * sin(5 * x + 1) * cos(4 * y);
}

static PetscErrorCode total_of(HgMesh mesh, HgOperator *op) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgVariable u = {"u", "K", HG_FIELD, 0}, sum = {"total", "K", HG_REPLICATED, 1};
  HgState x;
  HgCollective c;
  PetscCall(HgStateCreate(mesh, 1, &u, &x));
  PetscCall(HgCollectiveCreate(HgMeshComm(mesh),
                               &(HgCollectiveSpec){HG_SUM, .n = (int64_t)p->nx * p->ny}, &c));
  PetscCall(HgCollectiveOperator(x, "u", &c, &sum, op));
  return HgStateDestroy(&x);
}

static PetscErrorCode make_program(Domain *d) {
  PetscCall(HgProgramCreate(d->mesh, "warming", dt, &d->program));
  PetscCall(HgProgramAddOperator(d->program, d->total, (const char *const[]){"u", NULL},
                                 (const char *const[]){"total", NULL}));
  PetscCall(HgProgramAddOperator(d->program, d->spread, (const char *const[]){"total", NULL},
                                 (const char *const[]){"f", NULL}));
  PetscCall(HgProgramAddStencil(d->program, &hg_heat_forced, &steady));
  PetscCall(HgProgramSetBoundary(d->program, "u", HgBoundaryAll(HG_MIRROR, 1)));
  return HgProgramSetUp(d->program);
}

static PetscErrorCode create(MPI_Comm comm, Layout l, Domain *d) {
  const HgMeshSpec spec = {
      .nx = NX, .ny = NY, .px = l.px, .py = l.py, .dx = 0.1, .dy = 0.1, .ghost = 2};
  *d = (Domain){0};
  PetscCall(HgMeshCreate(comm, &spec, &d->mesh));
  PetscCall(total_of(d->mesh, &d->total));
  PetscCall(HgParametrisationUniform(d->mesh, "total", "f", "K/s", &d->spread));
  PetscCall(make_program(d));
  PetscCall(HgProgramCreateInput(d->program, &d->x));
  PetscCall(HgStateSetField(d->x, "u", warm, NULL));
  PetscCall(HgStateSetConstant(d->x, "kappa", 0.7));
  PetscCall(HgProgramCreateCarried(d->program, &d->data));
  PetscCall(HgObjectiveCreate(d->program, STEPS, &d->objective));
  PetscCall(HgObjectiveAddSnapshot(d->objective, "u", STEPS, d->data, 2));
  PetscCall(HgStoreCreate(d->data, 4, 0, NULL, &d->store));
  PetscCall(HgTrajectoryCreate(d->program, STEPS, d->objective, d->store, &d->trajectory));
  return HgTrajectoryOperator(d->trajectory, &d->op);
}

static PetscErrorCode destroy(Domain *d) {
  return DESTROY(&d->op, &d->trajectory, &d->store, &d->objective, &d->data, &d->x, &d->program,
                 &d->spread, &d->total, &d->mesh);
}

/* Of u = 1 everywhere a step makes 1 + dt NX NY. */
static PetscErrorCode value(Domain *d) {
  HgOperator step;
  HgState x, y;
  PetscCall(HgProgramOperator(d->program, 0, &step));
  PetscCall(HgOperatorCreateOutput(step, &y));
  PetscCall(HgStateDuplicate(d->x, &x));
  PetscCall(HgStateSetConstant(x, "u", 1));
  PetscCall(HgStateSetConstant(x, "kappa", 0.7));
  PetscCall(HgOperatorApply(step, x, y));
  HgReal *const *u = HgStateRows(y, 0);
  for (int j = 0; j < HgMeshGetPatch(d->mesh)->ny; j++)
    for (int i = 0; i < HgMeshGetPatch(d->mesh)->nx; i++)
      claim_same(u[j][i], (HgReal)(1 + dt * (NX * NY)), "cell (%d, %d) after a step", i, j);
  PetscCall(claim_checks("a step", step, d->x, 1e-13, 21));
  return DESTROY(&x, &y, &step);
}

/* A step's parts, one by one, are its operators and stencils, at the values that the step gives
   them. */
static PetscErrorCode parts(Domain *d) {
  const char *const names[] = {HgOperatorName(d->total), HgOperatorName(d->spread),
                               "heat_forced step"};
  HgOperator step, part;
  HgState at;
  double sum = 0;
  PetscCall(HgProgramOperator(d->program, 0, &step));
  for (int k = 0; k < 4; k++) {
    PetscCall(HgOperatorPart(step, d->x, k, &part, &at));
    claim_that(!part == (k == 3) && !at == (k == 3), "there are three parts, not %d", k);
    if (!part) break;
    claim_that(!strcmp(HgOperatorName(part), names[k]), "part %d is '%s', expected '%s'", k,
               HgOperatorName(part), names[k]);
    PetscCall(claim_checks(names[k], part, at, 1e-13, 30 + (uint64_t)k));
    if (k == 1) sum = HgStateArray(at, 0)[0];
    if (k == 2)
      claim_same(HgStateRows(at, HgStateFind(at, "f"))[0][0], (HgReal)sum, "f is the sum of u");
    PetscCall(HgStateDestroy(&at));
  }
  claim_that(sum > 0, "the sum of u is %g", sum);
  return HgOperatorDestroy(&step);
}

static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  (void)seed;
  Domain d;
  PetscCall(create(comm, layout, &d));
  PetscCall(fingerprint(d.op, d.x, d.trajectory, text));
  return destroy(&d);
}

static PetscErrorCode refusals(Domain *d) {
  const char *const u[] = {"u", NULL}, *const two[] = {"u", "v", NULL},
                    *const total[] = {"total", NULL};
  HgProgram p;
  PetscCall(HgProgramCreate(d->mesh, "trial", 1, &p));
  REFUSED(HgProgramAddOperator(p, d->total, two, total),
          "has 1 input and 1 output variables, but 2 names to read and 1 to write");
  PetscCall(HgProgramAddOperator(p, d->total, u, total));
  REFUSED(HgProgramAddOperator(p, d->spread, u, (const char *const[]){"f", NULL}),
          "takes 'u' for a replicated array of 1 numbers, but it is a field");
  PetscCall(HgProgramDestroy(&p));
  HgMesh other;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, HgMeshGetSpec(d->mesh), &other));
  PetscCall(HgProgramCreate(other, "trial", 1, &p));
  REFUSED(HgProgramAddOperator(p, d->total, u, total), "works on states of another mesh");
  return DESTROY(&p, &other);
}

static PetscErrorCode test(void) {
  Domain d;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &d));
  PetscCall(value(&d));
  PetscCall(parts(&d));
  PetscCall(claim_checks("a trajectory", d.op, d.x, 1e-12, 22));
  PetscCall(refusals(&d));
  PetscCall(destroy(&d));
  return expect_same_on_layouts("a step with a sum between ranks", run, 0);
}

CLAIM("operators between ranks are parts of a step", 21, test)
