/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the coarse parametrisation returns bilinear functions to rounding and equal numbers
   exactly, is the identity with a node in every cell, agrees with hat functions summed up, and
   refuses what it cannot be. */
#include "claim.h"
#include "patches.h"
#include "refusal.h"
#include <float.h>
#include <halograd/control_library.h>
#include <math.h>

typedef double Place(double x, double y);

static double bilinear(double x, double y) { return 1 + 2 * x - 3 * y + 4 * x * y; }

static double rough(double x, double y) { return sin(9 * x) + cos(7 * y) * x; }

/* Where cell k of n lies between 0 and 1, the places of the first node and of the last one, or, if
   periodic, of the first one again. */
static double place(int k, int n, bool periodic) { return k / (double)(periodic ? n : n - 1); }

/* kappa from theta = f at the nodes. */
static PetscErrorCode fill(HgOperator op, int cx, int cy, Place *f, HgState theta, HgState kappa) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(kappa));
  for (int k = 0; k < cx * cy; k++)
    HgStateArray(theta, 0)[k] =
        f(place(k % cx, cx, s->periodic_x), place(k / cx, cy, s->periodic_y));
  return HgOperatorApply(op, theta, kappa);
}

/* Linear interpolation of f between its values at the nodes, by another formula: hat functions. */
static double hats(Place *f, int cx, int cy, bool periodic_x, bool periodic_y, double x, double y) {
  double sum = 0;
  for (int l = 0; l < cy + periodic_y; l++)
    for (int k = 0; k < cx + periodic_x; k++) {
      const double a = 1 - fabs(x * (periodic_x ? cx : cx - 1) - k),
                   b = 1 - fabs(y * (periodic_y ? cy : cy - 1) - l);
      if (a > 0 && b > 0)
        sum += a * b * f(place(k % cx, cx, periodic_x), place(l % cy, cy, periodic_y));
    }
  return sum;
}

static PetscErrorCode try(HgMesh mesh, int cx, int cy) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const bool walls = !s->periodic_x && !s->periodic_y;
  HgOperator op;
  HgState theta, kappa;
  PetscCall(HgParametrisationCoarse(mesh, "theta", "kappa", "m^2/s", cx, cy, &op));
  PetscCall(HgOperatorCreateInput(op, &theta));
  PetscCall(HgOperatorCreateOutput(op, &kappa));
  HgReal *const *u = HgStateRows(kappa, 0);
  PetscCall(HgStateSetConstant(theta, "theta", 0.1));
  PetscCall(HgOperatorApply(op, theta, kappa));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) claim_same(u[j][i], 0.1, "0.1 everywhere, %d x %d", cx, cy);
  for (int round = walls ? 0 : 1; round < 2; round++) {
    Place *const f = round ? rough : bilinear;
    PetscCall(fill(op, cx, cy, f, theta, kappa));
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++) {
        const double x = place(p->i_global + i, s->nx, s->periodic_x),
                     y = place(p->j_global + j, s->ny, s->periodic_y);
        const double expected =
            round ? hats(f, cx, cy, s->periodic_x, s->periodic_y, x, y) : f(x, y);
        claim_at_most(fabs(u[j][i] - expected), 8 * (cx + cy) * DBL_EPSILON,
                      "%s, %d x %d nodes, cell (%d, %d)", round ? "hats" : "bilinear", cx, cy,
                      p->i_global + i, p->j_global + j);
        if (cx == s->nx && cy == s->ny)
          claim_same(u[j][i], HgStateArray(theta, 0)[(p->j_global + j) * cx + p->i_global + i],
                     "a node in every cell, %d x %d", cx, cy);
      }
  }
  return DESTROY(&theta, &kappa, &op);
}

static PetscErrorCode refusals(HgMesh mesh) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const int wrong[][2] = {{1, 2}, {2, 1}, {0, 0}, {-3, 4}, {s->nx + 1, 2}, {2, s->ny + 1}};
  HgOperator op;
  char given[64];
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    snprintf(given, sizeof given, "%d x %d nodes", wrong[k][0], wrong[k][1]);
    REFUSED(HgParametrisationCoarse(mesh, "theta", "kappa", "m^2/s", wrong[k][0], wrong[k][1], &op),
            "coarse parametrisation of 'kappa'", given, "at least 2 x 2");
  }
  const HgPointwise none = {.name = "none"}, endless = HgPointwiseBetween(0, INFINITY);
  REFUSED(HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &none, &op), "'kappa'",
          "expected a name, a value and a derivative");
  REFUSED(HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &endless, &op), "'between'",
          "(0, inf)", "expected finite numbers");
  return 0;
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  for (int k = 0; k < 4; k++) {
    HgMesh mesh;
    PetscCall(
        patches_mesh(PETSC_COMM_WORLD, size % 2 ? size : size / 2, 3, 1, k / 2, k % 2, &mesh));
    const HgMeshSpec *s = HgMeshGetSpec(mesh);
    PetscCall(try(mesh, 2, 2));
    PetscCall(try(mesh, s->nx, 2));
    PetscCall(try(mesh, 3, s->ny));
    PetscCall(try(mesh, s->nx - 1, s->ny - 1));
    PetscCall(try(mesh, s->nx, s->ny));
    PetscCall(refusals(mesh));
    PetscCall(HgMeshDestroy(&mesh));
  }
  return 0;
}

CLAIM("the coarse parametrisation is exact on bilinear functions", 0, test)
