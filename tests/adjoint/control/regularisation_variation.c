/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the total variation of a step is its height times the area of the face, however small
   epsilon is, on a plane, round it, on a sphere and with levels; its derivatives pass the checks,
   those of another epsilon do not; R'' is symmetric and never negative; a series has the
   derivatives of a field on a line; bits are the same on any decomposition; a weight without
   epsilon, and beside a deviation, is refused. */
#include "findings.h"
#include "refusal.h"
#include "regularisation_text.h"
#include "wrong_adjoint.h"
#include <halograd/control.h>
#include <halograd/state_library.h>
#include <math.h>

static const HgRegularisation tv = {.control = "m", .tv = 0.7, .epsilon = 0.5};

typedef struct {
  const char *name;
  HgMeshSpec spec;
  double area; /* of faces between two columns of cells */
} Case;

static const Case cases[] = {
    {"a plane", {.nx = 12, .ny = 11, .dx = 1.1, .dy = 0.8}, 11 * 0.8},
    {"round", {.nx = 12, .ny = 11, .dx = 1.1, .dy = 0.8, .periodic_x = true}, 2 * 11 * 0.8},
    {"a sphere",
     {.nx = 9, .ny = 11, .y0 = 50, .dx = 2, .dy = 1, .radius = 60},
     11 * 60 * (M_PI / 180)},
    {"levels", {.nx = 9, .ny = 8, .nz = 5, .dx = 1.1, .dy = 0.8, .dz = 0.6}, 8 * 0.8 * 5 * 0.6}};

enum { CASES = sizeof cases / sizeof *cases, COLUMN = 4, LONG = 23 };

static PetscErrorCode create(MPI_Comm comm, Layout l, const Case *c, HgMesh *mesh, HgState *m) {
  HgMeshSpec spec = c->spec;
  const HgVariable variable = {"m", "K", HG_FIELD, 0};
  spec.px = l.px, spec.py = l.py, spec.ghost = 1;
  PetscCall(HgMeshCreate(comm, &spec, mesh));
  return HgStateCreate(*mesh, 1, &variable, m);
}

static PetscErrorCode step(HgState m, const Case *c) {
  HgRegularisation sharp = tv;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  HgOperator R;
  HgState J;
  sharp.epsilon = 1e-9;
  PetscCall(HgRegularisationCreate(m, &sharp, &R));
  PetscCall(HgOperatorCreateOutput(R, &J));
  for (int n = 0; n < HgStateRowCount(m, 0); n++)
    for (int i = 0; i < p->nx; i++) HgStateRow(m, 0, n)[i] = p->i_global + i > COLUMN ? 3 : 0;
  PetscCall(HgOperatorApply(R, m, J));
  claim_at_most(fabs(HgStateArray(J, 0)[0] / (sharp.tv * 3 * c->area) - 1), 1e-5, "%s: of a step",
                c->name);
  return DESTROY(&R, &J);
}

/* <a, R'' b> = <b, R'' a>, <a, R'' a> >= 0 */
static PetscErrorCode convex(HgOperator R, HgState m, const char name[]) {
  HgState a, b, h;
  double ab, ba, aa;
  PetscCall(HgStateDuplicate(m, &a));
  PetscCall(HgStateDuplicate(m, &b));
  PetscCall(HgStateDuplicate(m, &h));
  for (uint64_t seed = 0; seed < 5; seed++) {
    PetscCall(HgStateRandom(m, 3 * seed + 1));
    PetscCall(HgStateRandom(a, 3 * seed + 2));
    PetscCall(HgStateRandom(b, 3 * seed + 3));
    PetscCall(HgOperatorHessian(R, m, a, h));
    PetscCall(HgStateDot(b, h, &ba));
    PetscCall(HgStateDot(a, h, &aa));
    PetscCall(HgOperatorHessian(R, m, b, h));
    PetscCall(HgStateDot(a, h, &ab));
    claim_at_most(fabs(ab - ba), 1e-13 * aa, "%s: R'' is symmetric", name);
    claim_that(aa > 0, "%s: <a, R'' a> = %g", name, aa);
  }
  return HgStatesDestroy(&a, &b, &h);
}

static PetscErrorCode check(const Case *c) {
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-12};
  HgRegularisation another = tv;
  HgFindings report;
  HgMesh mesh;
  HgState m;
  HgOperator R, other;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, c, &mesh, &m));
  PetscCall(step(m, c));
  another.epsilon *= 1.0001;
  PetscCall(HgRegularisationCreate(m, &tv, &R));
  PetscCall(HgRegularisationCreate(m, &another, &other));
  PetscCall(HgStateRandom(m, 7));
  PetscCall(HgExamineOperator(R, m, &options, &report));
  claim_that(!report.findings, "%s: %s", c->name, first_finding(&report));
  claim_at_most(fabs(report.worst[HG_CHECK_TAYLOR] - 2), 0.1, "%s: Taylor order", c->name);
  PetscCall(claim_caught("its own adjoint", R, R, m, false));
  PetscCall(claim_caught("that of another epsilon", R, other, m, true));
  PetscCall(convex(R, m, c->name));
  return DESTROY(&R, &other, &m, &mesh);
}

/* The gradient and R'' times it, of a field on a line and of numbers as far apart. */
static PetscErrorCode line(void) {
  const HgMeshSpec spec = {.nx = LONG, .ny = 1, .px = claim.ranks, .py = 1, .dx = 1.1, .dy = 1};
  const HgVariable variables[] = {{"m", "K", HG_FIELD, 0}, {"q", "K", HG_REPLICATED, LONG}};
  HgRegularisation of[2] = {tv, tv};
  HgMesh mesh;
  HgState m, d[2][2];
  double J[2], worst = 0;
  of[1].control = "q", of[1].spacing = 1.1;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &m));
  const int first = HgMeshGetPatch(mesh)->i_global, cells = HgMeshGetPatch(mesh)->nx;
  for (int k = 0; k < LONG; k++) HgStateArray(m, 1)[k] = sin(k * k);
  for (int i = 0; i < cells; i++) HgStateRow(m, 0, 0)[i] = sin((first + i) * (first + i));
  for (int k = 0; k < 2; k++) {
    HgOperator R;
    PetscCall(HgRegularisationCreate(m, &of[k], &R));
    for (int l = 0; l < 2; l++) PetscCall(HgStateDuplicate(m, &d[k][l]));
    PetscCall(HgOperatorGradient(R, m, &J[k], d[k][0]));
    PetscCall(HgOperatorHessian(R, m, d[k][0], d[k][1]));
    PetscCall(HgOperatorDestroy(&R));
  }
  for (int l = 0; l < 2; l++)
    for (int i = 0; i < cells; i++)
      worst = fmax(worst, fabs(HgStateArray(d[1][l], 1)[first + i] - HgStateRow(d[0][l], 0, 0)[i]));
  claim_at_most(worst, 1e-13, "derivatives of a series and of a line");
  claim_at_most(fabs(J[0] - J[1] - tv.tv * tv.epsilon * 1.1), 1e-13,
                "their values, but for a cell without slope");
  for (int k = 0; k < 2; k++) PetscCall(HgStatesDestroy(&d[k][0], &d[k][1]));
  return DESTROY(&m, &mesh);
}

static PetscErrorCode on_layout(MPI_Comm comm, Layout l, long k, char text[LAYOUT_TEXT]) {
  HgMesh mesh;
  HgState m;
  PetscCall(create(comm, l, &cases[k], &mesh, &m));
  PetscCall(regularisation_text(m, &tv, text));
  return DESTROY(&m, &mesh);
}

static PetscErrorCode refuse(void) {
  const HgRegularisation wrong[] = {
      {.control = "m", .tv = 1},
      {.control = "m", .epsilon = 1},
      {.control = "m", .tv = -1, .epsilon = 1},
      {.control = "m", .tv = NAN, .epsilon = 1},
      {.control = "m", .tv = 1, .epsilon = 1, .deviation = 1, .length = 3}};
  HgMesh mesh;
  HgState m;
  HgOperator R;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, &cases[0], &mesh, &m));
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    REFUSED(HgRegularisationCreate(m, &wrong[k], &R), "[control]", "'m'", "-tv_epsilon");
  return DESTROY(&m, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a regularisation may have a total variation", 7);
  for (int k = 0; !ierr && k < CASES; k++) ierr = check(&cases[k]);
  for (int k = 0; !ierr && k < CASES; k++)
    ierr = expect_same_on_layouts("a total variation", on_layout, k);
  if (!ierr) ierr = line();
  if (!ierr) ierr = refuse();
  return claim_end(ierr);
}
