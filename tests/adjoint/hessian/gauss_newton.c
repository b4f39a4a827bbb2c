/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the Gauss-Newton Hessian is symmetric, and positive; it is the exact one where the data
   are what the model predicts, or the model is linear, and else it is not; it comes with the same
   bits on any decomposition. */
#include "claim.h"
#include "heat_case.h"
#include "same_bits.h"
#include <halograd/control.h>
#include <halograd/objective_library.h>
#include <halograd/state_library.h>

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

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the Gauss-Newton Hessian is J^T J", 0);
  if (!ierr) ierr = compare();
  if (!ierr) ierr = expect_same_on_layouts("Gauss-Newton", run, 5);
  return claim_end(ierr);
}
