/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the Gauss-Newton Hessian is symmetric, and positive; it is the exact one where the data
   are what the model predicts, or the model is linear, and else it is not; it comes with the same
   bits on any decomposition. States that a product has stored serve the next one at the same x,
   until something else has run; the bits are those of a first product. */
#include "claim.h"
#include "heat_case.h"
#include "same_bits.h"
#include <halograd/control.h>
#include <halograd/objective_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>

static const double rounding = 1e-12 * HG_ROUNDING;

/* The misfit of m, log(kappa) or f, with data that fit at x, or not. */
typedef struct {
  HeatCase heat;
  HgObjective fitting;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op, misfit;
  HgState m, v, w, Hv, Hw;
} Case;

/* A second objective, of what the first one predicts. */
static PetscErrorCode fit(Case *c, const HeatSpec *spec) {
  HeatCase *h = &c->heat;
  double J;
  PetscCall(HgTrajectoryValue(h->trajectory, h->x, &J));
  PetscCall(HgObjectivePredicted(h->objective, 0, h->sensors->value));
  PetscCall(HgObjectiveCreate(h->program, spec->steps, &c->fitting));
  PetscCall(HgObjectiveAddSensors(c->fitting, h->sensors));
  return make_trajectory(h->program, c->fitting, h->data, spec->steps, spec->slots, false,
                         &c->store, &c->trajectory, &c->op);
}

static PetscErrorCode create(MPI_Comm comm, Layout layout, bool linear, bool fits, Case *c) {
  const HeatSpec spec = {.nx = 15,
                         .ny = 13,
                         .px = layout.px,
                         .py = layout.py,
                         .steps = 30,
                         .walls = WALLS_INSULATED,
                         .slots = 6,
                         .snapshot = !fits};
  HgOperator parts[2], log_kappa;
  *c = (Case){0};
  PetscCall(heat_create(comm, &spec, &c->heat));
  if (fits) PetscCall(fit(c, &spec));
  PetscCall(HgParametrisationLog(c->heat.mesh, "m", "kappa", "1", &log_kappa));
  const HgControl control = {linear ? "f" : "kappa", linear ? NULL : log_kappa};
  PetscCall(HgControlCreate(c->heat.x, 1, &control, &parts[0]));
  parts[1] = fits ? c->op : c->heat.op;
  PetscCall(HgOperatorChain("misfit", 2, parts, &c->misfit));
  PetscCall(DESTROY(&parts[0], &log_kappa));
  HgState *const states[] = {&c->m, &c->v, &c->w, &c->Hv, &c->Hw};
  for (int k = 0; k < 5; k++) PetscCall(HgOperatorCreateInput(c->misfit, states[k]));
  PetscCall(HgStateRandom(c->v, 1));
  PetscCall(HgStateRandom(c->w, 2));
  int kappa;
  PetscCall(HgStateIndex(c->heat.x, linear ? "f" : "kappa", &kappa));
  PetscCall(HgStateCopyVariable(c->heat.x, kappa, c->m, 0));
  for (int j = 0; !linear && j < HgMeshGetPatch(c->heat.mesh)->ny; j++)
    for (int i = 0; i < HgMeshGetPatch(c->heat.mesh)->nx; i++)
      HgStateRows(c->m, 0)[j][i] = log(HgStateRows(c->m, 0)[j][i]);
  return 0;
}

static PetscErrorCode destroy(Case *c) {
  PetscCall(DESTROY(&c->m, &c->v, &c->w, &c->Hv, &c->Hw, &c->misfit, &c->op, &c->trajectory,
                    &c->store, &c->fitting));
  return heat_destroy(&c->heat);
}

static PetscErrorCode multiply(Case *c, bool gauss, HgState v, HgState Hv) {
  HgObjectiveSetGaussNewton(c->heat.objective, gauss);
  if (c->fitting) HgObjectiveSetGaussNewton(c->fitting, gauss);
  return HgOperatorHessian(c->misfit, c->m, v, Hv);
}

/* *off = |H v - (J^T J) v| / |H v| */
static PetscErrorCode difference(Case *c, double *off) {
  double square, whole;
  PetscCall(multiply(c, false, c->v, c->Hv));
  PetscCall(multiply(c, true, c->v, c->Hw));
  PetscCall(HgStateDot(c->Hv, c->Hv, &whole));
  PetscCall(HgStateAXPY(c->Hw, -1, c->Hv));
  PetscCall(HgStateDot(c->Hw, c->Hw, &square));
  *off = sqrt(square / whole);
  return 0;
}

static PetscErrorCode expect_symmetric(Case *c, const char what[]) {
  double vHw, wHv, vHv, wHw;
  PetscCall(multiply(c, true, c->v, c->Hv));
  PetscCall(multiply(c, true, c->w, c->Hw));
  PetscCall(HgStateDot(c->v, c->Hw, &vHw));
  PetscCall(HgStateDot(c->w, c->Hv, &wHv));
  PetscCall(HgStateDot(c->v, c->Hv, &vHv));
  PetscCall(HgStateDot(c->w, c->Hw, &wHw));
  claim_at_most(fabs(vHw - wHv), rounding * sqrt(vHv * wHw), "%s: <v, H w> from <w, H v>", what);
  claim_that(vHv > 0 && wHw > 0, "%s: <v, H v> is %g, <w, H w> %g", what, vHv, wHw);
  claim_at_most(fabs(vHw), sqrt(vHv * wHw), "%s: |<v, H w>| beside both", what);
  return 0;
}

static PetscErrorCode compare(void) {
  static const char *const names[] = {"log(kappa)", "log(kappa), data fit", "f", "f, data fit"};
  for (int k = 0; k < 4; k++) {
    Case c;
    double off = NAN;
    PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, k > 1, k % 2, &c));
    PetscCall(expect_symmetric(&c, names[k]));
    PetscCall(difference(&c, &off));
    if (k) claim_at_most(off, rounding, "%s: the exact Hessian, relative", names[k]);
    else claim_at_most(-off, -0.01, "%s: minus how far the exact Hessian is", names[k]);
    PetscCall(destroy(&c));
  }
  return 0;
}

static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  Case c;
  char digest[17];
  PetscCall(create(comm, layout, false, false, &c));
  PetscCall(HgStateRandom(c.v, (uint64_t)seed));
  PetscCall(multiply(&c, true, c.v, c.Hv));
  PetscCall(HgStateDigest(c.Hv, NULL, digest));
  snprintf(text, LAYOUT_TEXT, "H v %s", digest);
  return destroy(&c);
}

/* ---- what is stored serves the next product ---- */

typedef enum { NOTHING, GRADIENT, VALUE, TANGENT, MOVED, SHARED, INACTIVE, TERM, BETWEEN } Between;

static const char *const between_text[] = {"nothing",         "a gradient elsewhere",
                                           "J elsewhere",     "a tangent elsewhere",
                                           "x moved there",   "another trajectory in the store",
                                           "a constant less", "one term alone"};

/* The gradient of another trajectory with the same store. */
static PetscErrorCode run_other(HeatCase *h, HgState x, HgState x_bar) {
  HgTrajectory other;
  double J;
  PetscCall(HgTrajectoryCreate(h->program, HgTrajectorySteps(h->trajectory), h->objective, h->store,
                               &other));
  PetscCall(HgTrajectoryGradient(other, x, 1, &J, x_bar));
  return HgTrajectoryDestroy(&other);
}

/* Runs something at 2 x, or changes what is differentiated. */
static PetscErrorCode run_between(HeatCase *h, Between between, HgState dx, HgState x_bar) {
  double J, dJ;
  HgState x;
  PetscCall(HgStateDuplicate(h->x, &x));
  PetscCall(HgStateCopy(h->x, x));
  PetscCall(HgStateScale(x, 2));
  if (between == GRADIENT) PetscCall(HgTrajectoryGradient(h->trajectory, x, 1, &J, x_bar));
  if (between == VALUE) PetscCall(HgTrajectoryValue(h->trajectory, x, &J));
  if (between == TANGENT) PetscCall(HgTrajectoryTangent(h->trajectory, x, dx, &J, &dJ));
  if (between == MOVED)
    PetscCall(HgTrajectoryHessians(h->trajectory, x, 1, &dx, &dJ, NULL, &x_bar));
  if (between == SHARED) PetscCall(run_other(h, x, x_bar));
  if (between == INACTIVE) PetscCall(HgProgramSetActive(h->program, "f", false));
  if (between == TERM) PetscCall(HgObjectiveSelect(h->objective, 1));
  return HgStateDestroy(&x);
}

/* The digest of H dx at x, and how many exchanges it took. */
static PetscErrorCode product(HeatCase *h, HgState dx, HgState Hdx, char digest[17], long *took) {
  double dJ, bytes;
  long before, messages;
  HgProgramTraffic(h->program, &before, &messages, &bytes);
  PetscCall(HgStateZero(Hdx));
  PetscCall(HgTrajectoryHessians(h->trajectory, h->x, 1, &dx, &dJ, NULL, &Hdx));
  HgProgramTraffic(h->program, took, &messages, &bytes);
  *took -= before;
  return HgStateDigest(Hdx, NULL, digest);
}

/* All states are stored, or those that blocks of steps start from. */
static PetscErrorCode expect_stored(const char reverse[], Between between) {
  const HeatSpec spec = {
      .nx = 15, .ny = 13, .steps = 30, .walls = WALLS_INSULATED, .slots = 30, .snapshot = true};
  HeatCase h[2];
  HgState dx[2], Hdx[2];
  char digest[3][17];
  long took[3];
  PetscCall(PetscOptionsSetValue(NULL, "-hg_reverse", reverse));
  for (int k = 0; k < 2; k++) {
    PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &h[k]));
    HgObjectiveSetGaussNewton(h[k].objective, true);
    PetscCall(HgStateDuplicate(h[k].x, &dx[k]));
    PetscCall(HgStateDuplicate(h[k].x, &Hdx[k]));
    PetscCall(HgStateRandom(dx[k], 1));
  }
  PetscCall(product(&h[0], dx[0], Hdx[0], digest[0], &took[0]));
  PetscCall(run_between(&h[0], between, dx[0], Hdx[0]));
  PetscCall(product(&h[0], dx[0], Hdx[0], digest[1], &took[1]));
  if (between >= INACTIVE) PetscCall(run_between(&h[1], between, dx[1], Hdx[1]));
  PetscCall(product(&h[1], dx[1], Hdx[1], digest[2], &took[2]));
  claim_that(!strcmp(digest[1], digest[2]), "%s, %s between: H dx is %s, a first one %s", reverse,
             between_text[between], digest[1], digest[2]);
  claim_that((took[1] < took[2]) == (between == NOTHING),
             "%s, %s between: %ld exchanges, a first product %ld", reverse, between_text[between],
             took[1], took[2]);
  for (int k = 0; k < 2; k++) {
    PetscCall(DESTROY(&dx[k], &Hdx[k]));
    PetscCall(heat_destroy(&h[k]));
  }
  return PetscOptionsClearValue(NULL, "-hg_reverse");
}

static PetscErrorCode stored(void) {
  PetscErrorCode ierr = 0;
  for (Between between = NOTHING; between < BETWEEN && !ierr; between++) {
    ierr = expect_stored("stored", between);
    if (!ierr) ierr = expect_stored("start", between);
  }
  return ierr;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the Gauss-Newton Hessian is J^T J", 0);
  if (!ierr) ierr = compare();
  if (!ierr) ierr = expect_same_on_layouts("Gauss-Newton", run, 5);
  if (!ierr) ierr = stored();
  return claim_end(ierr);
}
