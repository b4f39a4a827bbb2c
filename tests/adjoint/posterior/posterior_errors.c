/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a posterior that does not exist is refused in one sentence on all ranks: more eigenpairs
   than controls or none, no regularisation or one that leaves a mean free, a Hessian that is not
   positive definite, of J or of R, no second derivatives, data that depend on a control that R does
   not; where neither does, the deviation is 0. */
#include "claim.h"
#include "posterior_case.h"
#include "refusal.h"
#include <halograd/operator_library.h>

/* J(m) = J_bar curvature/2 <m, m>, by its second derivative alone. */
static PetscErrorCode bowl_second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                  HgState m_bar, HgState dm_bar) {
  const double curvature = *(double *)self;
  (void)m, (void)dJ_bar, (void)m_bar;
  PetscCall(HgStateZero(dm_bar));
  return HgStateAXPY(dm_bar, curvature * HgStateArray(J_bar, 0)[0], dm);
}

/* The same, but down along one cell. */
static PetscErrorCode saddle_second(void *self, HgState m, HgState dm, HgState J_bar,
                                    HgState dJ_bar, HgState m_bar, HgState dm_bar) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const int i = 5 - p->i_global, j = 6 - p->j_global;
  PetscCall(bowl_second(self, m, dm, J_bar, dJ_bar, m_bar, dm_bar));
  if (i >= 0 && i < p->nx && j >= 0 && j < p->ny) HgStateRows(dm_bar, 0)[j][i] *= -1e-6;
  return 0;
}

/* The same, but flat along that cell. */
static PetscErrorCode flat_second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                                  HgState m_bar, HgState dm_bar) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  const int i = 5 - p->i_global, j = 6 - p->j_global;
  PetscCall(bowl_second(self, m, dm, J_bar, dJ_bar, m_bar, dm_bar));
  if (i >= 0 && i < p->nx && j >= 0 && j < p->ny) HgStateRows(dm_bar, 0)[j][i] = 0;
  return 0;
}

static PetscErrorCode bowl_gradient(void *self, HgState m, double *J, HgState g) {
  *J = 0;
  return HgStateAXPY(g, *(double *)self, m);
}

typedef PetscErrorCode Second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                              HgState m_bar, HgState dm_bar);

static PetscErrorCode bowl(HgState m, double *curvature, Second *second, HgOperator *op) {
  return HgOperatorCreate("bowl", m, NULL,
                          &(HgOperatorTable){.gradient = bowl_gradient, .second = second},
                          curvature, op);
}

/* 1 before the data, but 0 at the cell that nothing depends on; with five pairs of eigenvalue 1 not
   larger after them. */
static PetscErrorCode expect_deviations(PosteriorCase *c) {
  const HgPatch *p = HgMeshGetPatch(c->heat.mesh);
  for (int k = 0; k < 2; k++)
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        const bool flat = k == 0 && p->i_global + i == 5 && p->j_global + j == 6;
        const double before = HgStateRows(c->prior, k)[j][i],
                     after = HgStateRows(c->deviation, k)[j][i];
        claim_at_most(fabs(before - !flat), 1e-12, "deviation %d before the data", k);
        claim_that(after <= before && (after > 0.7) == !flat, "deviation %d: %g", k, after);
      }
  return 0;
}

static PetscErrorCode refused(PosteriorCase *c) {
  HgRegularisation weights = {.control = "u", .alpha = 1, .beta = 1};
  HgOperator R, up, down, once, saddle, flat;
  HgPosterior p;
  double one = 1, minus = -1, hollow = -3;
  REFUSED(HgPosteriorRequire(c->misfit, c->R, c->m, 365), "[option-range]", "365", "1 to 364");
  REFUSED(HgPosteriorRequire(c->misfit, c->R, c->m, 0), "[option-range]", "1 to 364");
  REFUSED(HgPosteriorRequire(c->misfit, NULL, c->m, 5), "[control]", "no regularisation");

  PetscCall(HgRegularisationCreate(c->m, &weights, &R));
  REFUSED(HgPosteriorRequire(c->misfit, R, c->m, 5), "[control]", "mean of 'f'", "Tikhonov",
          "such as a net, -newton gauss and fewer controls");
  PetscCall(HgOperatorDestroy(&R));
  weights.alpha = 0;
  PetscCall(HgRegularisationCreate(c->m, &weights, &R));
  REFUSED(HgPosteriorRequire(c->misfit, R, c->m, 5), "[control]", "mean of 'u'", "Tikhonov");
  PetscCall(HgOperatorDestroy(&R));

  PetscCall(bowl(c->m, &minus, bowl_second, &down));
  REFUSED(HgPosteriorRequire(c->misfit, down, c->m, 5), "[control]", "mean of 'u'");
  PetscCall(HgOperatorDestroy(&down));
  PetscCall(bowl(c->m, &hollow, bowl_second, &down));
  REFUSED(HgPosteriorCreate(HgInversionRanges(c->inversion), down, c->R, c->m, 5, &p),
          "[inversion-failed]", "not positive definite", "no minimum");
  claim_that(!p, "nothing is left of a refused posterior");
  PetscCall(bowl(c->m, &one, NULL, &once));
  REFUSED(HgPosteriorRequire(once, c->R, c->m, 5), "[no-derivative]", "'bowl'");
  PetscCall(bowl(c->m, &one, saddle_second, &saddle));
  REFUSED(HgPosteriorCreate(HgInversionRanges(c->inversion), c->misfit, saddle, c->m, 5, &p),
          "[control]", "regularisation is not positive definite",
          "of 364 directions it is so along 363",
          "such as a net, -newton gauss and fewer controls");
  claim_that(!p, "nothing is left of a refused prior");
  PetscCall(HgOperatorDestroy(&saddle));
  PetscCall(bowl(c->m, &one, flat_second, &flat));
  REFUSED(HgPosteriorCreate(HgInversionRanges(c->inversion), c->misfit, flat, c->m, 5, &p),
          "[control]", "the data depend on control 89 of 364", "Tikhonov");
  PetscCall(HgPosteriorCreate(HgInversionRanges(c->inversion), flat, flat, c->m, 5, &p));
  PetscCall(HgPosteriorDeviations(p, c->prior, c->deviation));
  PetscCall(expect_deviations(c));
  PetscCall(HgPosteriorDestroy(&p));
  PetscCall(HgOperatorDestroy(&flat));
  PetscCall(bowl(c->m, &one, bowl_second, &up));
  PetscCall(HgPosteriorCreate(HgInversionRanges(c->inversion), up, c->R, c->m, 5, &p));
  PetscCall(HgPosteriorDestroy(&p));
  return DESTROY(&up, &once, &down);
}

static PetscErrorCode run(void) {
  PosteriorCase c;
  PetscCall(posterior_create(PETSC_COMM_WORLD, 0, 0, &c));
  PetscCall(refused(&c));
  return posterior_destroy(&c);
}

CLAIM("a posterior that does not exist is refused", 0, run)
