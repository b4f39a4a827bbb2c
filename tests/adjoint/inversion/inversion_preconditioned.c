/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: preconditioned by the regularisation, Tikhonov, H1 or both, BFGS and Newton find the
   minimum that they find without, within bounds, too; without bounds BFGS takes as many
   evaluations on a grid that is twice as fine; with H1 half of those without. On any
   decomposition it has the same bits. Where there is no regularisation, and for methods that
   have no use for it, it is refused. */
#include "refusal.h"
#include "same_bits.h"
#include <halograd/control.h>
#include <halograd/inversion.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <math.h>

enum { COARSE = 20 };

typedef struct {
  double alpha, beta, upper;
} Case;

static const Case cases[] = {{0.1, 0, INFINITY}, {0, 1, INFINITY}, {0.01, 1, 0.3}};

enum { CASES = sizeof cases / sizeof *cases };

/* The mean of (m + m^3 / 5 - d)^2 / 2 over x < 0.5, 100 times: half of the domain is seen. */
static double residual(double m, double x, double y, double *slope) {
  *slope = 1 + 0.6 * m * m;
  return x < 0.5 ? m + 0.2 * m * m * m - sin(7 * x) * cos(4 * y) : 0;
}

static PetscErrorCode misfit(HgState m, HgState dm, double *J, HgState g) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(m));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const double weight = 100 * s->dx * s->dy;
  HgSum sum;
  HgSumReset(&sum);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double x = s->x0 + (p->i_global + i) * s->dx, y = s->y0 + (p->j_global + j) * s->dy,
                   u = HgStateRow(m, 0, j)[i];
      double slope;
      const double r = residual(u, x, y, &slope), seen = x < 0.5;
      HgSumAdd(&sum, 1, &(double){0.5 * weight * r * r});
      HgStateRow(g, 0, j)[i] +=
          (HgReal)(seen * weight *
                   (dm ? (slope * slope + 1.2 * u * r) * HgStateRow(dm, 0, j)[i] : slope * r));
    }
  return HgSumReduce(HgMeshComm(HgStateMesh(m)), 1, &sum, J);
}

static PetscErrorCode gradient(void *self, HgState m, double *J, HgState g) {
  (void)self;
  return misfit(m, NULL, J, g);
}

static PetscErrorCode second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                             HgState m_bar, HgState dm_bar) {
  double unused;
  (void)self, (void)J_bar, (void)dJ_bar, (void)m_bar;
  PetscCall(HgStateZero(dm_bar));
  return misfit(m, dm, &unused, dm_bar);
}

typedef struct {
  HgMesh mesh;
  HgState m;
  HgOperator misfit, R, J;
  HgInversion inversion;
} Problem;

static PetscErrorCode create(MPI_Comm comm, Layout l, int n, const Case *c, bool preconditioned,
                             Problem *p) {
  const double h = 1.0 / n;
  const HgMeshSpec spec = {.nx = n,
                           .ny = n - 3,
                           .px = l.px,
                           .py = l.py,
                           .x0 = h / 2,
                           .y0 = h / 2,
                           .dx = h,
                           .dy = h,
                           .ghost = 1};
  const HgVariable m = {"m", "1", HG_FIELD, 0};
  PetscCall(HgMeshCreate(comm, &spec, &p->mesh));
  PetscCall(HgStateCreate(p->mesh, 1, &m, &p->m));
  PetscCall(HgOperatorCreate("misfit", p->m, NULL,
                             &(HgOperatorTable){.gradient = gradient, .second = second}, NULL,
                             &p->misfit));
  PetscCall(HgRegularisationCreate(
      p->m, &(HgRegularisation){.control = "m", .alpha = c->alpha, .beta = c->beta}, &p->R));
  PetscCall(HgOperatorSum("J", 2, (HgOperator[]){p->misfit, p->R}, &p->J));
  PetscCall(HgInversionCreate(p->J, &p->inversion));
  PetscCall(HgInversionSetBounds(p->inversion, "m", -INFINITY, c->upper, 1));
  PetscCall(HgInversionSetRules(p->inversion,
                                &(HgInversionRules){.tolerance = HG_ROUNDING > 1 ? 1e-4 : 1e-7,
                                                    .iterations = 1000,
                                                    .preconditioned = preconditioned}));
  return HgInversionSetPart(p->inversion, p->R);
}

static PetscErrorCode destroy(Problem *p) {
  return DESTROY(&p->inversion, &p->J, &p->R, &p->misfit, &p->m, &p->mesh);
}

static PetscErrorCode solve(MPI_Comm comm, Layout l, int n, const Case *c, bool preconditioned,
                            HgIterate *last, char digest[17]) {
  Problem p;
  const char *reason;
  PetscCall(create(comm, l, n, c, preconditioned, &p));
  PetscCall(HgInversionSolve(p.inversion, p.m, last, &reason));
  PetscCall(HgStateDigest(p.m, "m", digest));
  return destroy(&p);
}

static PetscErrorCode on_layout(MPI_Comm comm, Layout l, long k, char text[LAYOUT_TEXT]) {
  HgIterate last;
  char digest[17];
  PetscCall(solve(comm, l, COARSE, &cases[k], true, &last, digest));
  snprintf(text, LAYOUT_TEXT, "J %a, %d evaluations, m %s", last.J, last.evaluations, digest);
  return 0;
}

static PetscErrorCode compare(const Case *c) {
  const Layout any = {0, 0};
  HgIterate plain, coarse, fine, newton;
  char digest[17];
  PetscCall(solve(PETSC_COMM_WORLD, any, COARSE, c, false, &plain, digest));
  PetscCall(solve(PETSC_COMM_WORLD, any, COARSE, c, true, &coarse, digest));
  PetscCall(solve(PETSC_COMM_WORLD, any, 2 * COARSE, c, true, &fine, digest));
  PetscCall(PetscOptionsSetValue(NULL, "-tao_type", "bntr"));
  PetscCall(solve(PETSC_COMM_WORLD, any, COARSE, c, true, &newton, digest));
  PetscCall(PetscOptionsClearValue(NULL, "-tao_type"));
  /* without a preconditioner it may take more evaluations than are allowed */
  claim_that(plain.ending != HG_FAILED && coarse.ending == HG_CONVERGED &&
                 fine.ending == HG_CONVERGED && newton.ending == HG_CONVERGED,
             "alpha %g beta %g: endings %d %d %d %d", c->alpha, c->beta, plain.ending,
             coarse.ending, fine.ending, newton.ending);
  claim_at_most(fabs(coarse.J - plain.J) / plain.J, 1e-9 * HG_ROUNDING, "alpha %g beta %g: J",
                c->alpha, c->beta);
  claim_at_most(fabs(newton.J - plain.J) / plain.J, 1e-9 * HG_ROUNDING, "Newton: J");
  if (!isfinite(c->upper))
    claim_at_most(fine.evaluations, 1.2 * coarse.evaluations + 1,
                  "alpha %g beta %g: evaluations on the fine grid", c->alpha, c->beta);
  if (c->beta > 0)
    claim_at_most(2 * coarse.evaluations, plain.evaluations,
                  "alpha %g beta %g: evaluations, twice, and without", c->alpha, c->beta);
  return 0;
}

static PetscErrorCode refuse(void) {
  Problem p;
  HgIterate last;
  const char *reason;
  PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, COARSE, &cases[0], true, &p));
  PetscCall(PetscOptionsSetValue(NULL, "-tao_type", "nm"));
  REFUSED(HgInversionSolve(p.inversion, p.m, &last, &reason), "-tao_type", "'nm'",
          "expected one of: blmvm");
  PetscCall(PetscOptionsClearValue(NULL, "-tao_type"));
  PetscCall(HgInversionSetPart(p.inversion, NULL));
  REFUSED(HgInversionSolve(p.inversion, p.m, &last, &reason), "J has none", "-tikhonov");
  return destroy(&p);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("the regularisation preconditions an inversion", 0);
  for (int k = 0; !ierr && k < CASES; k++) ierr = compare(&cases[k]);
  for (int k = 0; !ierr && k < CASES; k++)
    ierr = expect_same_on_layouts("preconditioned", on_layout, k);
  if (!ierr) ierr = refuse();
  return claim_end(ierr);
}
