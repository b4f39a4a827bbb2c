/* SPDX-License-Identifier: BSD-2-Clause */
/* <E x, y> = <x, E^T y>, and the gather adjoint by the same exchange equals the scatter adjoint by
   the transposed one. */
#include "claim.h"
#include "patches.h"
#include <halograd/exchange_library.h>
#include <halograd/state.h>
#include <math.h>

enum { GHOST = 3, DRAWS = 100 };

static uint64_t draw_state;

static double draw(void) { /* splitmix64, in [-1, 1) */
  uint64_t z = draw_state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1;
}

static bool has_owner(HgMesh mesh, int i, int j) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  return !(p->wall_west && i < 0) && !(p->wall_east && i >= p->nx) && !(p->wall_south && j < 0) &&
         !(p->wall_north && j >= p->ny);
}

/* sum over ranks of x y, and of the squares, over cells within `depth` that have an owner */
static PetscErrorCode dot(HgMesh mesh, int depth, HgReal *const *x, HgReal *const *y,
                          long double sums[3]) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  sums[0] = sums[1] = sums[2] = 0;
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++) {
      if (!has_owner(mesh, i, j)) continue;
      sums[0] += (long double)x[j][i] * y[j][i];
      sums[1] += (long double)x[j][i] * x[j][i];
      sums[2] += (long double)y[j][i] * y[j][i];
    }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_LONG_DOUBLE, MPI_SUM, HgMeshComm(mesh)));
  return 0;
}

static PetscErrorCode dot_product(HgMesh mesh, HgExchange e, int depth, HgState q) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgReal *const *x = HgStateRows(q, 0), *const *y = HgStateRows(q, 1),
                *const *y_kept = HgStateRows(q, 2);
  HgReal *const *const x_fields[1] = {x}, *const *const y_fields[1] = {y};
  long double forward[3], adjoint[3];
  PetscCall(HgStateZero(q));
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++) {
      x[j][i] = draw(); /* ghosts of x are overwritten */
      y_kept[j][i] = y[j][i] = draw();
    }
  PetscCall(HgExchangeApply(e, x_fields));
  PetscCall(HgExchangeTransposed(e, y_fields));
  PetscCall(dot(mesh, depth, x, y_kept, forward));
  PetscCall(dot(mesh, 0, x, y, adjoint));
  const double scale =
      (double)fmaxl(sqrtl(forward[1]) * sqrtl(forward[2]), sqrtl(adjoint[1]) * sqrtl(adjoint[2]));
  claim_at_most((double)fabsl(forward[0] - adjoint[0]) / scale, 1e-13 * HG_ROUNDING,
                "depth %d: <Ex, y> %.17Lg", depth, forward[0]);
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++) {
      const bool owned = i >= 0 && i < p->nx && j >= 0 && j < p->ny;
      if (owned || has_owner(mesh, i, j)) claim_that(owned || y[j][i] == 0, "ghosts are zeroed");
      else claim_same(y[j][i], y_kept[j][i], "ghosts beyond a wall stay");
    }
  return 0;
}

/* A different integer for each pair (cell, offset): the weights of a full square stencil. */
static double weight(const HgMeshSpec *s, int i, int j, int di, int dj) {
  const int gi = (i % s->nx + s->nx) % s->nx, gj = (j % s->ny + s->ny) % s->ny;
  return (gi * 7 + gj * 13 + di * 3 + dj * 5) % 17 - 8;
}

/* y(c) = sum over d of w(c, d) x(c + d).  Scatter: x_bar(c + d) += w(c, d) y_bar(c), then E^T.
   Gather: E on y_bar, then x_bar(c) = sum over d of w(c - d, d) y_bar(c - d). Integers: exact. */
static PetscErrorCode both_adjoints(HgMesh mesh, HgExchange e, int depth, HgState q) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  HgReal *const *y_bar = HgStateRows(q, 0), *const *scattered = HgStateRows(q, 1),
                *const *gathered = HgStateRows(q, 2);
  HgReal *const *const y_fields[1] = {y_bar}, *const *const s_fields[1] = {scattered};
  PetscCall(HgStateZero(q));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) y_bar[j][i] = floor(100 * draw());
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      for (int dj = -depth; dj <= depth; dj++)
        for (int di = -depth; di <= depth; di++)
          scattered[j + dj][i + di] +=
              weight(s, p->i_global + i, p->j_global + j, di, dj) * y_bar[j][i];
  PetscCall(HgExchangeTransposed(e, s_fields));
  PetscCall(HgExchangeApply(e, y_fields));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      for (int dj = -depth; dj <= depth; dj++)
        for (int di = -depth; di <= depth; di++)
          gathered[j][i] +=
              weight(s, p->i_global + i - di, p->j_global + j - dj, di, dj) * y_bar[j - dj][i - di];
      claim_at_most(fabs(gathered[j][i] - scattered[j][i]), 0,
                    "depth %d: gather %g, scatter %g in cell (%d, %d)", depth, gathered[j][i],
                    scattered[j][i], i, j);
    }
  return 0;
}

static PetscErrorCode layout(int px, int depth, bool periodic_x, bool periodic_y, int draws) {
  const HgVariable variables[3] = {
      {"x", "1", HG_FIELD, 0}, {"y", "1", HG_FIELD, 0}, {"z", "1", HG_FIELD, 0}};
  HgMesh mesh;
  HgState q;
  HgExchange e;
  PetscCall(patches_mesh(MPI_COMM_WORLD, px, depth, GHOST, periodic_x, periodic_y, &mesh));
  PetscCall(HgStateCreate(mesh, 3, variables, &q));
  PetscCall(HgExchangeCreate(mesh, 1, NULL, &depth, &e));
  for (int n = 0; n < draws; n++) {
    claim.seed++;
    draw_state = claim.seed * 64 + (uint64_t)claim.rank;
    PetscCall(dot_product(mesh, e, depth, q));
    if (n % 10 == 0) PetscCall(both_adjoints(mesh, e, depth, q));
  }
  return DESTROY(&e, &q, &mesh);
}

static PetscErrorCode test(void) {
  int ranks, cuts = 0;
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  for (int px = 1; px <= ranks; px++) cuts += ranks % px == 0;
  const int draws = (DRAWS + cuts * 12 - 1) / (cuts * 12); /* at least 100 in all */
  for (int px = 1; px <= ranks; px++)
    for (int periodic = 0; periodic < 4 && ranks % px == 0; periodic++)
      for (int depth = 1; depth <= GHOST; depth++)
        PetscCall(layout(px, depth, periodic & 1, periodic & 2, draws));
  return 0;
}

CLAIM("the transposed exchange is the adjoint of the exchange", 0, test)
