/* Claim: where objectives, controls and what watches them come to an end of their range they keep
   their word: a measurement at the last step needs none after it, times that do not increase are
   refused, terms may be added between gradients that are kept on disk, lambda is watched whatever
   J_bar, sums of many parts are sound, ghosts outside frozen walls survive controls and
   regularisation, numbers that every rank holds have Hessians. */
#include "claim.h"
#include "heat_case.h"
#include "refusal.h"
#include <halograd/control.h>
#include <halograd/doctor.h>
#include <halograd/growth.h>
#include <halograd/parametrisation.h>
#include <halograd/regularisation.h>
#include <halograd/restart.h>

enum { STEPS = 40, LAST = 10, MANY = 300, PARTS = 70 };

/* One sensor, read after so many steps each. */
static PetscErrorCode sense(HeatCase *c, int times, const double steps[], HgObjective J) {
  HgObservations *o;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "u", "K", times, 1, &o));
  o->x[0] = 0.4, o->y[0] = 0.3;
  for (int k = 0; k < times; k++)
    o->time[k] = steps[k] * HgProgramTimeStep(c->program), o->value[k] = 0.1, o->sigma[k] = 1;
  const PetscErrorCode ierr = HgObjectiveAddSensors(J, o);
  PetscCall(HgObservationsDestroy(&o));
  return ierr;
}

static PetscErrorCode stop_at(void *context, long n, double t, HgState q, bool *stop) {
  (void)context, (void)t, (void)q;
  *stop = n >= LAST;
  return 0;
}

static PetscErrorCode sensors(HeatCase *c) {
  const double at[] = {5, LAST}, back[] = {7, 3.5};
  HgObjective J;
  HgTrajectory t;
  double value;
  PetscCall(HgObjectiveCreate(c->program, STEPS, &J));
  REFUSED(sense(c, 2, back, J), "observation time 1", "expected increasing times");
  PetscCall(sense(c, 2, at, J));
  claim_that(HgObjectiveNext(J, LAST + 1) == HG_NO_STEP, "nothing is looked at after step %d",
             (int)LAST);
  PetscCall(HgTrajectoryCreate(c->program, STEPS, J, HG_SCHEDULE_ONLINE, c->store, &t));
  PetscCall(HgTrajectorySetStop(t, 5, stop_at, NULL));
  PetscCall(HgTrajectoryValue(t, c->x, &value));
  PetscCall(HgTrajectoryDestroy(&t));
  return HgObjectiveDestroy(&J);
}

/* The same gradient, once a trajectory that keeps it on disk has seen more terms come. */
static PetscErrorCode added(HeatCase *c) {
  static double many[MANY];
  const double first[] = {3.5};
  HgObjective J;
  HgTrajectory t;
  HgRestart restart;
  HgState bar;
  double value, expected;
  for (int k = 0; k < MANY; k++) many[k] = (double)STEPS * k / MANY;
  PetscCall(HgStateDuplicate(c->x, &bar));
  PetscCall(HgObjectiveCreate(c->program, STEPS, &J));
  PetscCall(sense(c, 1, first, J));
  PetscCall(HgTrajectoryCreate(c->program, STEPS, J, HG_SCHEDULE_REVOLVE, c->store, &t));
  PetscCall(
      HgRestartCreate(t, &(HgRestartSpec){"edges", .interval = 0, .unsynced = true}, &restart));
  PetscCall(HgTrajectoryGradient(t, c->x, 1, &value, bar));
  PetscCall(sense(c, MANY, many, J));
  PetscCall(HgTrajectoryGradient(t, c->x, 1, &value, bar));
  PetscCall(HgTrajectoryValue(t, c->x, &expected));
  claim_same(value, expected, "J with %d more measurements", (int)MANY);
  PetscCall(HgRestartDestroy(&restart));
  PetscCall(HgTrajectoryDestroy(&t));
  PetscCall(HgObjectiveDestroy(&J));
  return HgStateDestroy(&bar);
}

/* A snapshot so sharp that lambda is all its contribution there. */
static PetscErrorCode watched(HeatCase *c) {
  const double at[] = {10, 30};
  HgObjective J;
  HgTrajectory t;
  HgGrowth growth;
  HgState bar;
  double value;
  PetscCall(HgStateDuplicate(c->x, &bar));
  PetscCall(HgObjectiveCreate(c->program, STEPS, &J));
  PetscCall(sense(c, 2, at, J));
  PetscCall(HgObjectiveAddSnapshot(J, "u", LAST, c->data, 0.01));
  PetscCall(HgTrajectoryCreate(c->program, STEPS, J, HG_SCHEDULE_REVOLVE, c->store, &t));
  PetscCall(HgGrowthCreate(t, &growth));
  PetscCall(HgTrajectoryGradient(t, c->x, 50, &value, bar));
  PetscCall(HgGrowthDestroy(&growth));
  PetscCall(HgTrajectoryDestroy(&t));
  PetscCall(HgObjectiveDestroy(&J));
  return HgStateDestroy(&bar);
}

static PetscErrorCode many_parts(HgState m) {
  HgOperator part[PARTS], sum;
  HgDoctorReport report;
  for (int k = 0; k < PARTS; k++)
    PetscCall(HgRegularisationCreate(
        m, &(HgRegularisation){"u", 1 + 0.1 * k, 0.5 / (k + 1), 0.1 * k, NULL}, &part[k]));
  PetscCall(HgOperatorSum("many", PARTS, part, &sum));
  PetscCall(HgDoctorFunctional(sum, m, NULL, &report));
  claim_that(!report.findings, "a sum of %d parts is sound", (int)PARTS);
  for (int k = 0; k < PARTS; k++) PetscCall(HgOperatorDestroy(&part[k]));
  return HgOperatorDestroy(&sum);
}

/* How many ghosts beside the patch's walls are not `value`. */
static int altered(HgState x, int k, double value) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  double *const *u = HgStateRows(x, k);
  int other = 0;
  for (int i = 0; i < p->nx; i++)
    other += (p->wall_south && u[-1][i] != value) + (p->wall_north && u[p->ny][i] != value);
  for (int j = 0; j < p->ny; j++)
    other += (p->wall_west && u[j][-1] != value) + (p->wall_east && u[j][p->nx] != value);
  return other;
}

static PetscErrorCode frozen(HgState like) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(like));
  const int k = HgStateFind(like, "u");
  HgState x, y, J;
  HgOperator control, R;
  PetscCall(HgStateDuplicate(like, &x));
  for (int j = -1; j <= p->ny; j++)
    for (int i = -1; i <= p->nx; i++) HgStateRows(x, k)[j][i] = 5;
  PetscCall(HgControlCreate(x, 1, (HgControl[]){{"u", NULL}}, &control));
  PetscCall(HgOperatorCreateOutput(control, &y));
  HgState m;
  PetscCall(HgOperatorCreateInput(control, &m));
  PetscCall(HgStateSetConstant(m, "u", 3));
  PetscCall(HgOperatorApply(control, m, y));
  claim_that(!altered(y, k, 5), "%d ghosts outside walls are lost by a control", altered(y, k, 5));
  PetscCall(HgRegularisationCreate(x, &(HgRegularisation){"u", 1, 1, 0, NULL}, &R));
  PetscCall(HgOperatorCreateOutput(R, &J));
  PetscCall(HgStateSetConstant(x, "u", 3));
  PetscCall(HgOperatorApply(R, x, J));
  claim_that(!altered(x, k, 5), "%d ghosts of its argument are changed by R", altered(x, k, 5));
  HgState *const states[] = {&x, &y, &J, &m};
  for (int n = 0; n < 4; n++) PetscCall(HgStateDestroy(states[n]));
  PetscCall(HgOperatorDestroy(&control));
  return HgOperatorDestroy(&R);
}

static PetscErrorCode numbers(HgMesh mesh) {
  const HgVariable slip = {"slip", "m", HG_REPLICATED, 2},
                   fields[] = {{"a", "1", HG_FIELD, 0}, {"b", "1", HG_FIELD, 0}};
  HgState m, dm, h, basis;
  HgOperator R, P;
  PetscCall(HgStateCreate(mesh, 1, &slip, &m));
  PetscCall(HgStateDuplicate(m, &dm));
  PetscCall(HgStateDuplicate(m, &h));
  PetscCall(HgStateCreate(mesh, 2, fields, &basis));
  PetscCall(HgStateSetConstant(dm, "slip", 2));
  PetscCall(HgRegularisationCreate(m, &(HgRegularisation){"slip", 3, 0, 1, NULL}, &R));
  PetscCall(HgOperatorHessian(R, m, dm, h));
  for (int k = 0; k < 2; k++) claim_same(HgStateArray(h, 0)[k], 6, "alpha dm");
  PetscCall(HgParametrisationBasis(basis, "slip", "m", "lift", "m", &P));
  claim_that(HgOperatorLinear(P), "a basis is linear");
  HgState *const states[] = {&m, &dm, &h, &basis};
  for (int k = 0; k < 4; k++) PetscCall(HgStateDestroy(states[k]));
  PetscCall(HgOperatorDestroy(&R));
  return HgOperatorDestroy(&P);
}

static PetscErrorCode test(void) {
  const HeatSpec spec = {.nx = 12,
                         .ny = 9,
                         .steps = STEPS,
                         .walls = WALLS_INSULATED,
                         .policy = HG_SCHEDULE_REVOLVE,
                         .slots = 4};
  HeatCase c;
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(sensors(&c));
  PetscCall(added(&c));
  PetscCall(watched(&c));
  PetscCall(many_parts(c.data));
  PetscCall(frozen(c.data));
  PetscCall(numbers(HgStateMesh(c.data)));
  return heat_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("objectives, controls and what watches them keep their word at the edges", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
