/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: with a deviation and a length R and R'' are those of Matern's prior, computed cell by cell
   of the whole grid: on a line, a plane, round it, on a sphere, with levels, of a surface. All
   derivatives pass the checks, those of another length or reference do not; bits are the same on
   any decomposition, with factors, too, of which b = 0 is a wall; what is no such prior is refused.
   */
#include "findings.h"
#include "refusal.h"
#include "regularisation_text.h"
#include "wrong_adjoint.h"
#include <halograd/control.h>
#include <halograd/state_library.h>
#include <math.h>

static const double deviation = 0.7, length = 4.5, reference = 0.3;

typedef struct {
  const char *name;
  HgMeshSpec spec;
  bool surface;
  int dimension;
} Case;

static const Case cases[] = {
    {"a line", {.nx = 23, .ny = 1, .dx = 1.1, .dy = 3}, .dimension = 1},
    {"a plane", {.nx = 11, .ny = 9, .dx = 1.1, .dy = 0.8}, .dimension = 2},
    {"round", {.nx = 11, .ny = 9, .dx = 1.1, .dy = 0.8, .periodic_x = true}, .dimension = 2},
    {"a sphere", {.nx = 9, .ny = 11, .y0 = 50, .dx = 2, .dy = 1, .radius = 60}, .dimension = 2},
    {"levels", {.nx = 9, .ny = 8, .nz = 5, .dx = 1.1, .dy = 0.8, .dz = 0.6}, .dimension = 3},
    {"a surface",
     {.nx = 9, .ny = 8, .nz = 5, .dx = 1.1, .dy = 0.8, .dz = 0.6},
     .surface = true,
     .dimension = 2}};

enum { CASES = sizeof cases / sizeof *cases, FACTORS = CASES /* on a plane */ };

/* The whole grid on every rank. */
typedef struct {
  HgMesh mesh;
  int n[3], size;
  bool periodic[3];
  double h[3], kappa, tau;
} Grid;

static Grid grid_of(HgMesh mesh, const Case *c) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const bool deep = s->nz && !c->surface;
  Grid g = {.mesh = mesh,
            .n = {s->nx, s->ny, deep ? s->nz : 1},
            .periodic = {s->periodic_x, s->periodic_y},
            .h = {HgMeshGetMetric(mesh)->width, HgMeshGetMetric(mesh)->height, deep ? s->dz : 1}};
  g.size = g.n[0] * g.n[1] * g.n[2];
  if (c->dimension == 1) g.kappa = sqrt(12) / length, g.tau = 1 / (4 * pow(g.kappa, 3) * s->dy);
  if (c->dimension == 2) g.kappa = sqrt(8) / length, g.tau = 1 / (4 * M_PI * g.kappa * g.kappa);
  if (c->dimension == 3) g.kappa = 2 / length, g.tau = 1 / (8 * M_PI * g.kappa);
  g.tau /= deviation * deviation;
  return g;
}

static double volume(const Grid *g, int cell) {
  const HgLatitude *at = HgMeshGetMetric(g->mesh)->latitudes;
  return g->h[0] * g->h[1] * g->h[2] * (at ? at[cell / g->n[0] % g->n[1]].cosine : 1);
}

/* Of the face to the next cell: its area over the distance of the centres. */
static double face(const Grid *g, int axis, int j) {
  const HgLatitude *at = HgMeshGetMetric(g->mesh)->latitudes;
  const double flat = g->h[0] * g->h[1] * g->h[2] / (g->h[axis] * g->h[axis]);
  return !at ? flat : axis == 0 ? flat / at[j].cosine : flat * at[j].north_cosine;
}

/* y = kappa^2 V x + what flows out through all faces. */
static void multiply(const Grid *g, const double x[], double y[]) {
  const int stride[3] = {1, g->n[0], g->n[0] * g->n[1]};
  for (int c = 0; c < g->size; c++) y[c] = g->kappa * g->kappa * volume(g, c) * x[c];
  for (int c = 0; c < g->size; c++)
    for (int axis = 0; axis < 3; axis++) {
      const int at = c / stride[axis] % g->n[axis];
      if (at == g->n[axis] - 1 && !g->periodic[axis]) continue;
      const int next = at == g->n[axis] - 1 ? c - at * stride[axis] : c + stride[axis];
      const double flow = face(g, axis, c / g->n[0] % g->n[1]) * (x[c] - x[next]);
      y[c] += flow, y[next] -= flow;
    }
}

/* Which cell of the grid cell i of row n of the patch is. */
static int cell_of(const Grid *g, int n, int i) {
  const HgPatch *p = HgMeshGetPatch(g->mesh);
  return (n / p->ny * g->n[1] + p->j_global + n % p->ny) * g->n[0] + p->i_global + i;
}

static PetscErrorCode gather(const Grid *g, HgState m, double all[]) {
  for (int n = 0; n < HgStateRowCount(m, 0); n++)
    for (int i = 0; i < HgMeshGetPatch(g->mesh)->nx; i++)
      all[cell_of(g, n, i)] = HgStateRow(m, 0, n)[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, g->size, MPI_DOUBLE, MPI_SUM, HgMeshComm(g->mesh)));
  return 0;
}

/* R of the m that are given, or h = R'' m, divided by what it is made of, against the whole grid.
   */
static PetscErrorCode compare(const Grid *g, const Case *c, HgState m, double R, HgState h) {
  double *x, *u, *expected, square = 0, largest = 0, worst = 0;
  PetscCall(PetscCalloc3(g->size, &x, g->size, &u, g->size, &expected));
  PetscCall(gather(g, m, x));
  for (int k = 0; k < g->size && !h; k++) x[k] -= reference;
  multiply(g, x, u);
  for (int k = 0; k < g->size; k++) u[k] /= volume(g, k);
  for (int k = 0; k < g->size; k++) square += 0.5 * g->tau * volume(g, k) * u[k] * u[k];
  multiply(g, u, expected);
  for (int k = 0; k < g->size; k++) largest = fmax(largest, fabs(g->tau * expected[k]));
  for (int n = 0; h && n < HgStateRowCount(h, 0); n++)
    for (int i = 0; i < HgMeshGetPatch(g->mesh)->nx; i++)
      worst = fmax(worst, fabs(HgStateRow(h, 0, n)[i] - g->tau * expected[cell_of(g, n, i)]));
  if (h) claim_at_most(worst / largest, 1e-13, "%s: R'' m", c->name);
  else claim_at_most(fabs(R / square - 1), 1e-13, "%s: R", c->name);
  return PetscFree3(x, u, expected);
}

static PetscErrorCode create(MPI_Comm comm, Layout l, const Case *c, HgMesh *mesh, HgState *m) {
  HgMeshSpec spec = c->spec;
  const HgVariable variable = {"m", "K", HG_FIELD, 0, c->surface};
  spec.px = l.px, spec.py = l.py, spec.ghost = 1;
  PetscCall(HgMeshCreate(comm, &spec, mesh));
  return HgStateCreate(*mesh, 1, &variable, m);
}

static PetscErrorCode regularisation(HgState m, double of_length, double m0, HgOperator *R) {
  const HgRegularisation prior = {
      .control = "m", .reference = m0, .deviation = deviation, .length = of_length};
  return HgRegularisationCreate(m, &prior, R);
}

/* Factors of 1, but 0 of the faces east of a column. */
static PetscErrorCode walled(HgState m, int column, HgState *factors) {
  const HgVariable fields[] = {
      {"a", "1", HG_FIELD, 0}, {"b_x", "1", HG_FIELD, 0}, {"b_y", "1", HG_FIELD, 0}};
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  PetscCall(HgStateCreate(HgStateMesh(m), 3, fields, factors));
  for (int k = 0; k < 3; k++) PetscCall(HgStateSetConstant(*factors, fields[k].name, 1));
  for (int j = 0; j < p->ny; j++)
    if (column >= p->i_global && column < p->i_global + p->nx)
      HgStateRow(*factors, 1, j)[column - p->i_global] = 0;
  return 0;
}

static PetscErrorCode value_of(HgOperator R, HgState m, double *value) {
  HgState J;
  PetscCall(HgOperatorCreateOutput(R, &J));
  PetscCall(HgOperatorApply(R, m, J));
  *value = HgStateArray(J, 0)[0];
  return HgStateDestroy(&J);
}

static PetscErrorCode check(const Case *c) {
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-12};
  const int px = c->dimension == 1 ? claim.ranks : 0;
  HgFindings report;
  HgMesh mesh;
  HgState m, h, J;
  HgOperator R, other;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){px, px ? 1 : 0}, c, &mesh, &m));
  const Grid g = grid_of(mesh, c);
  PetscCall(HgStateDuplicate(m, &h));
  PetscCall(regularisation(m, length, reference, &R));
  PetscCall(HgOperatorCreateOutput(R, &J));
  PetscCall(HgStateRandom(m, 7));
  PetscCall(HgOperatorApply(R, m, J));
  PetscCall(compare(&g, c, m, HgStateArray(J, 0)[0], NULL));
  PetscCall(HgOperatorHessian(R, h, m, h));
  PetscCall(compare(&g, c, m, 0, h));
  PetscCall(HgExamineOperator(R, m, &options, &report));
  claim_that(!report.findings, "%s: %s", c->name, first_finding(&report));
  claim_at_most(fabs(report.worst[HG_CHECK_TAYLOR] - 2), 0.1, "%s: Taylor order", c->name);
  PetscCall(claim_caught("its own adjoint", R, R, m, false));
  for (int k = 0; k < 2; k++) {
    PetscCall(regularisation(m, length * (k ? 1 : 1.0001), reference + 0.0001 * k, &other));
    PetscCall(claim_caught("another adjoint", R, other, m, true));
    PetscCall(HgOperatorDestroy(&other));
  }
  return DESTROY(&R, &J, &h, &m, &mesh);
}

/* A step across faces of b = 0 costs what both of its sides do: kappa^4 tau/2 c^2 of one. */
static PetscErrorCode wall(const Case *c) {
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-12};
  HgRegularisation prior = {.control = "m", .deviation = deviation, .length = length};
  HgFindings report;
  HgMesh mesh;
  HgState m;
  HgOperator R;
  double J = 0;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, c, &mesh, &m));
  const Grid g = grid_of(mesh, c);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const int column = 4;
  PetscCall(walled(m, column, &prior.factors));
  PetscCall(HgRegularisationCreate(m, &prior, &R));
  double expected = 0;
  for (int cell = 0; cell < g.size; cell++)
    if (cell % g.n[0] <= column) expected += 0.5 * g.tau * pow(g.kappa, 4) * volume(&g, cell);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) HgStateRow(m, 0, j)[i] = p->i_global + i <= column;
  PetscCall(value_of(R, m, &J));
  claim_at_most(fabs(J / expected - 1), 1e-13, "%s: R of a step at a wall", c->name);
  PetscCall(HgStateRandom(m, 7));
  PetscCall(HgExamineOperator(R, m, &options, &report));
  claim_that(!report.findings, "%s with factors: %s", c->name, first_finding(&report));
  return DESTROY(&R, &m, &prior.factors, &mesh);
}

static PetscErrorCode on_layout(MPI_Comm comm, Layout l, long k, char text[LAYOUT_TEXT]) {
  HgMesh mesh;
  HgState m;
  PetscCall(create(comm, l, &cases[k == FACTORS ? 1 : k], &mesh, &m));
  HgRegularisation prior = {
      .control = "m", .reference = reference, .deviation = deviation, .length = length};
  if (k == FACTORS) PetscCall(walled(m, 4, &prior.factors));
  PetscCall(regularisation_text(m, &prior, text));
  return DESTROY(&m, &prior.factors, &mesh);
}

static PetscErrorCode refuse(void) {
  const HgRegularisation wrong[] = {{.control = "m", .deviation = 1},
                                    {.control = "m", .length = 3},
                                    {.control = "m", .deviation = -1, .length = 3},
                                    {.control = "m", .deviation = NAN, .length = 3},
                                    {.control = "m", .deviation = 1, .length = 3, .alpha = 1},
                                    {.control = "m", .deviation = 1, .length = 3, .beta = 1}};
  const HgMeshSpec spec = cases[1].spec;
  const HgVariable variables[] = {{"m", "K", HG_FIELD, 0}, {"a", "K", HG_REPLICATED, 3}};
  HgMesh mesh;
  HgState m;
  HgOperator R;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &m));
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
    REFUSED(HgRegularisationCreate(m, &wrong[k], &R), "[control]", "'m'", "expected both above 0");
  REFUSED(regularisation(m, 2.1, 0, &R), "[control]", "length 2.1,", "2.2 (-prior_length)");
  REFUSED(regularisation(m, 1e4, 0, &R), "[control]", "length 10000,", "longest side");
  REFUSED(HgRegularisationCreate(
              m, &(HgRegularisation){.control = "a", .deviation = 1, .length = 3}, &R),
          "[control]", "'a'", "numbers that neither follow");
  return DESTROY(&m, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a regularisation with a deviation and a length is Matern's prior", 7);
  for (int k = 0; !ierr && k < CASES; k++) ierr = check(&cases[k]);
  for (int k = 1; !ierr && k < 4; k += 2) ierr = wall(&cases[k]);
  for (int k = 1; !ierr && k <= FACTORS; k++)
    ierr = expect_same_on_layouts("Matern's prior", on_layout, k);
  if (!ierr) ierr = refuse();
  return claim_end(ierr);
}
