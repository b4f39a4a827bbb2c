/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: around a mean field R is what it is of m - m_0 around 0, bit for bit, with its gradient
   and second derivatives, for weights, Matern's prior and numbers; a constant mean is the
   reference; derivatives pass the checks, those of another mean do not; bits are the same on any
   decomposition; a mean that is not finite, or lacks the control, is refused. */
#include "findings.h"
#include "refusal.h"
#include "same_bits.h"
#include "wrong_adjoint.h"
#include <halograd/control.h>
#include <halograd/state_library.h>
#include <math.h>
#include <string.h>

enum { SIZE = 7 };

static const HgRegularisation kinds[] = {{.control = "m", .alpha = 0.7, .beta = 0.4},
                                         {.control = "m", .deviation = 0.6, .length = 4.5},
                                         {.control = "a", .alpha = 0.7, .beta = 0.4}};

enum { KINDS = sizeof kinds / sizeof *kinds };

static PetscErrorCode create(MPI_Comm comm, Layout l, HgMesh *mesh, HgState *m) {
  const HgMeshSpec spec = {
      .nx = 12, .ny = 11, .px = l.px, .py = l.py, .dx = 1.1, .dy = 0.8, .ghost = 1};
  const HgVariable variables[] = {{"m", "K", HG_FIELD, 0}, {"a", "K", HG_REPLICATED, SIZE}};
  PetscCall(HgMeshCreate(comm, &spec, mesh));
  return HgStateCreate(*mesh, 2, variables, m);
}

/* R, its gradient at m and R'' times that. */
static PetscErrorCode numbers_of(HgState m, HgRegularisation w, HgState mean, char text[]) {
  HgOperator R;
  HgState g, h;
  double J;
  char digest[2][17];
  w.mean = mean;
  PetscCall(HgRegularisationCreate(m, &w, &R));
  PetscCall(HgStateDuplicate(m, &g));
  PetscCall(HgStateDuplicate(m, &h));
  PetscCall(HgOperatorGradient(R, m, &J, g));
  PetscCall(HgOperatorHessian(R, m, g, h));
  PetscCall(HgStateDigest(g, w.control, digest[0]));
  PetscCall(HgStateDigest(h, w.control, digest[1]));
  snprintf(text, LAYOUT_TEXT, "R %a, gradient %s, R'' gradient %s", J, digest[0], digest[1]);
  return DESTROY(&R, &g, &h);
}

static PetscErrorCode compare(HgState m, HgState mean, const HgRegularisation *w) {
  char with[LAYOUT_TEXT], without[LAYOUT_TEXT];
  HgRegularisation around = *w;
  HgState d;
  PetscCall(HgStateDuplicate(m, &d));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(HgStateRandom(mean, 6));
  PetscCall(HgStateCopy(m, d));
  PetscCall(HgStateAXPY(d, -1, mean));
  PetscCall(numbers_of(m, *w, mean, with));
  PetscCall(numbers_of(d, *w, NULL, without));
  claim_that(!strcmp(with, without), "'%s': around a mean %s, of m - mean %s", w->control, with,
             without);
  PetscCall(HgStateSetConstant(mean, w->control, 0.3));
  around.reference = 0.3;
  PetscCall(numbers_of(m, *w, mean, with));
  PetscCall(numbers_of(m, around, NULL, without));
  claim_that(!strcmp(with, without), "'%s': around 0.3 %s, with the reference %s", w->control, with,
             without);
  return HgStateDestroy(&d);
}

static PetscErrorCode check(HgState m, HgState mean, const HgRegularisation *w) {
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-12};
  HgRegularisation around = *w;
  HgFindings report;
  HgOperator R, other;
  around.mean = mean;
  PetscCall(HgStateRandom(m, 7));
  PetscCall(HgStateRandom(mean, 8));
  PetscCall(HgRegularisationCreate(m, &around, &R));
  PetscCall(HgStateRandom(mean, 9));
  PetscCall(HgRegularisationCreate(m, &around, &other));
  PetscCall(HgExamineOperator(R, m, &options, &report));
  claim_that(!report.findings, "'%s': %s", w->control, first_finding(&report));
  claim_at_most(fabs(report.worst[HG_CHECK_TAYLOR] - 2), 0.1, "'%s': Taylor order", w->control);
  PetscCall(claim_caught("its own adjoint", R, R, m, false));
  PetscCall(claim_caught("that of another mean", R, other, m, true));
  return DESTROY(&R, &other);
}

static PetscErrorCode on_layout(MPI_Comm comm, Layout l, long k, char text[LAYOUT_TEXT]) {
  HgMesh mesh;
  HgState m, mean;
  PetscCall(create(comm, l, &mesh, &m));
  PetscCall(HgStateDuplicate(m, &mean));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(HgStateRandom(mean, 6));
  PetscCall(numbers_of(m, kinds[k], mean, text));
  return DESTROY(&m, &mean, &mesh);
}

static PetscErrorCode refuse(HgState m, HgState mean, HgRegularisation w) {
  HgState other;
  HgOperator R;
  const HgVariable variable = {"b", "K", HG_FIELD, 0};
  w.mean = mean;
  PetscCall(HgStateSetConstant(mean, w.control, NAN));
  REFUSED(HgRegularisationCreate(m, &w, &R), "[control]", w.control, "not finite");
  PetscCall(HgStateCreate(HgStateMesh(m), 1, &variable, &other));
  w.mean = other;
  REFUSED(HgRegularisationCreate(m, &w, &R), "no variable", w.control);
  PetscCall(HgStateDestroy(&other));
  if (strcmp(w.control, "a")) return 0;
  const HgVariable shorter = {"a", "K", HG_REPLICATED, SIZE - 1};
  PetscCall(HgStateCreate(HgStateMesh(m), 1, &shorter, &other));
  w.mean = other;
  REFUSED(HgRegularisationCreate(m, &w, &R), "[control]", "another size");
  return HgStateDestroy(&other);
}

int main(int argc, char **argv) {
  HgMesh mesh = NULL;
  HgState m = NULL, mean = NULL;
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a regularisation around a mean field is that of what is above it", 7);
  if (!ierr) ierr = create(PETSC_COMM_WORLD, (Layout){0, 0}, &mesh, &m);
  if (!ierr) ierr = HgStateDuplicate(m, &mean);
  for (int k = 0; !ierr && k < KINDS; k++) ierr = compare(m, mean, &kinds[k]);
  for (int k = 0; !ierr && k < KINDS; k++) ierr = check(m, mean, &kinds[k]);
  for (int k = 0; !ierr && k < KINDS; k++)
    ierr = expect_same_on_layouts("around a mean", on_layout, k);
  for (int k = 0; !ierr && k < KINDS; k++) ierr = refuse(m, mean, kinds[k]);
  if (!ierr) ierr = HgStatesDestroy(&m, &mean);
  if (!ierr) ierr = HgMeshDestroy(&mesh);
  return claim_end(ierr);
}
