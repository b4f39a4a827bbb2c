/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: with mirrors at the walls the deviation of Matern's prior is that of the sum over all
   cosines of the grid; far from walls that is what was asked for, on a line, a plane and in a
   volume, to 5 % from three cells in the length on; beside a wall and in a corner it is larger by
   the roots of 2 and 4; two cells as far apart as the length are correlated by 0.14. */
#include "claim.h"
#include <halograd/control.h>
#include <halograd/operator_library.h>
#include <halograd/posterior_library.h>
#include <halograd/state_library.h>
#include <math.h>

static const double asked = 0.6;

typedef struct {
  HgMesh mesh;
  HgState m;
  HgOperator R;
  HgPosterior posterior;
} Case;

static PetscErrorCode nothing(void *self, HgState m, double *J, HgState g) {
  (void)self, (void)m, (void)g;
  *J = 0;
  return 0;
}

static PetscErrorCode second(void *self, HgState m, HgState dm, HgState J_bar, HgState dJ_bar,
                             HgState m_bar, HgState dm_bar) {
  (void)self, (void)dm, (void)m, (void)J_bar, (void)dJ_bar, (void)m_bar;
  return HgStateZero(dm_bar);
}

/* Cells of size 1, `cells` of them in the length. */
static PetscErrorCode create(HgMeshSpec spec, int cells, Case *c) {
  static const HgControlRange range = {-INFINITY, INFINITY, 1};
  const HgVariable variable = {"m", "1", HG_FIELD, 0};
  const HgRegularisation prior = {.control = "m", .deviation = asked, .length = cells};
  HgOperator misfit;
  spec.dx = spec.dy = spec.dz = 1;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c->mesh));
  PetscCall(HgStateCreate(c->mesh, 1, &variable, &c->m));
  PetscCall(HgOperatorCreate("nothing", c->m, NULL,
                             &(HgOperatorTable){.gradient = nothing, .second = second}, NULL,
                             &misfit));
  PetscCall(HgRegularisationCreate(c->m, &prior, &c->R));
  PetscCall(HgPosteriorCreate(&range, misfit, c->R, c->m, 1, &c->posterior));
  return HgOperatorDestroy(&misfit);
}

static PetscErrorCode destroy(Case *c) {
  PetscCall(HgPosteriorDestroy(&c->posterior));
  return DESTROY(&c->R, &c->m, &c->mesh);
}

/* m = 1 in that cell, if it is this rank's. */
static void mark(HgState m, int i, int j, int level) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(m));
  i -= p->i_global, j -= p->j_global;
  if (i >= 0 && i < p->nx && j >= 0 && j < p->ny) HgStateLevel(m, 0, level)[j][i] = 1;
}

/* *value: the deviation of that cell before the data, or of the sum of two on a row. */
static PetscErrorCode at(Case *c, int i, int other, int j, int level, double *value) {
  double after;
  PetscCall(HgStateZero(c->m));
  mark(c->m, i, j, level);
  mark(c->m, other, j, level);
  return HgPosteriorFunctional(c->posterior, c->m, value, &after);
}

/* The same of one cell, by the eigenvectors of the prior, cosines along each axis. */
static double expected(HgMeshSpec s, const int cell[3], int cells) {
  const int n[3] = {s.nx, s.ny, s.nz ? s.nz : 1}, d = 1 + (s.ny > 1) + (s.nz > 1);
  const double kappa = sqrt(8 * (2 - 0.5 * d)) / cells;
  const double tau_variance = d == 1   ? 1 / (4 * pow(kappa, 3))
                              : d == 2 ? 1 / (4 * M_PI * kappa * kappa)
                                       : 1 / (8 * M_PI * kappa);
  double sum = 0;
  int k[3];
  for (k[2] = 0; k[2] < n[2]; k[2]++)
    for (k[1] = 0; k[1] < n[1]; k[1]++)
      for (k[0] = 0; k[0] < n[0]; k[0]++) {
        double square = 1, stiff = kappa * kappa;
        for (int axis = 0; axis < 3; axis++) {
          const double angle = M_PI * k[axis] / n[axis];
          square *= (k[axis] ? 2.0 : 1.0) / n[axis] * pow(cos(angle * (cell[axis] + 0.5)), 2);
          stiff += 2 - 2 * cos(angle);
        }
        sum += square / (stiff * stiff);
      }
  return asked * sqrt(sum / tau_variance);
}

/* *found: the deviation of a cell, as it must be. */
static PetscErrorCode found_at(Case *c, int cells, int i, int j, int level, double *found) {
  const double right = expected(*HgMeshGetSpec(c->mesh), (int[]){i, j, level}, cells);
  PetscCall(at(c, i, i, j, level, found));
  claim_at_most(fabs(*found / right - 1), 1e-9, "cell (%d, %d, %d): deviation", i, j, level);
  return 0;
}

/* In the middle of a domain of `wide` lengths along each axis. */
static PetscErrorCode in_the_middle(int dimension, int cells, int wide) {
  const int n = cells * wide + 1;
  const HgMeshSpec line = {.nx = n, .ny = 1, .px = claim.ranks, .py = 1},
                   wider = {.nx = n, .ny = n, .nz = dimension > 2 ? n : 0};
  Case c;
  double middle;
  PetscCall(create(dimension > 1 ? wider : line, cells, &c));
  const HgMeshSpec *s = HgMeshGetSpec(c.mesh);
  PetscCall(found_at(&c, cells, n / 2, s->ny / 2, s->nz / 2, &middle));
  claim_at_most(fabs(middle / asked - 1), cells < 12 ? 0.05 : 0.02,
                "%d dimensions, %d cells in the length: deviation beside what was asked", dimension,
                cells);
  return destroy(&c);
}

static PetscErrorCode beside_walls(void) {
  enum { N = 60, CELLS = 15 };

  double middle, wall, corner, half, sum;
  Case c;
  PetscCall(create((HgMeshSpec){.nx = N, .ny = N}, CELLS, &c));
  PetscCall(found_at(&c, CELLS, N / 2, N / 2, 0, &middle));
  PetscCall(found_at(&c, CELLS, 0, N / 2, 0, &wall));
  PetscCall(found_at(&c, CELLS, 0, 0, 0, &corner));
  PetscCall(found_at(&c, CELLS, CELLS / 2, N / 2, 0, &half));
  claim_at_most(fabs(wall / middle / sqrt(2) - 1), 0.02, "beside a wall");
  claim_at_most(fabs(corner / middle / 2 - 1), 0.04, "in a corner");
  claim_at_most(fabs(half / middle / 1.07 - 1), 0.02, "half a length from a wall");
  /* Var(a + b) = 2 (1 + correlation) deviation^2 */
  PetscCall(at(&c, N / 2 - 7, N / 2 + 8, N / 2, 0, &sum));
  const double correlation = sum * sum / (2 * middle * middle) - 1;
  claim_at_most(fabs(correlation - 0.14), 0.01, "correlation at the length");
  return destroy(&c);
}

static PetscErrorCode test(void) {
  static const int wide[] = {0, 6, 5, 3}, cells[] = {0, 8, 6, 3};
  for (int d = 1; d <= 3; d++) {
    PetscCall(in_the_middle(d, cells[d], wide[d]));
    if (claim.ranks == 1) PetscCall(in_the_middle(d, 2 * cells[d], wide[d]));
  }
  return beside_walls();
}

CLAIM("Matern's prior has the deviation that was asked for", 0, test)
