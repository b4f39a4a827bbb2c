/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a state measured row by row, whichever rows are handed in and in whatever order, has the
   numbers and digests of one measured as a whole, NaN and signed zeros included, and each digest is
   HgStateDigest(). */
#include "claim.h"
#include "draws.h"
#include <halograd/measure_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <string.h>

enum { NX = 37, NY = 29, COUNT = 4 };

static const HgVariable variables[COUNT] = {{"u", "K", HG_FIELD, 0},
                                            {"a", "1", HG_REPLICATED, 5},
                                            {"v", "m", HG_GHOSTED, 0},
                                            {"w", "m", HG_FIELD, 0}};

/* What is hard: NaN in v, zeros of both signs as extremes of w. */
static PetscErrorCode fill(HgState x, uint64_t seed) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  for (int k = 0; k < COUNT; k++)
    if (k != 2) PetscCall(HgStateAddNoise(x, variables[k].name, 1, seed + (uint64_t)k));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int at = (p->j_global + j) * NX + p->i_global + i;
      HgStateRows(x, 2)[j][i] = seed % 2 && at % 211 == 7 ? NAN : (at * 7919) % 1009;
      HgStateRows(x, 3)[j][i] = at % 3 ? 0.0 : -0.0;
    }
  return 0;
}

/* Some rows, some of them twice, from either end, of all variables, arrays too. */
static PetscErrorCode measure_rows(HgState x, const bool kept[], int draw, HgMeasure m[]) {
  const int ny = HgMeshGetPatch(HgStateMesh(x))->ny;
  HgMeasuring measuring;
  PetscCall(HgMeasuringBegin(x, kept, true, &measuring));
  for (int n = 0; n < ny + 2; n++)
    for (int k = 0; k < COUNT; k++) {
      const int j = draw % 3 == 0 ? n - 1 : draw % 3 == 1 ? ny - n : n / 2;
      HgMeasuringRow(measuring, k, j);
    }
  return HgMeasuringEnd(&measuring, m);
}

static bool same(const HgMeasure *a, const HgMeasure *b) {
  const double x[] = {a->norm, a->least, a->largest}, y[] = {b->norm, b->least, b->largest};
  return !memcmp(x, y, sizeof x) && !memcmp(a->least_at, b->least_at, sizeof a->least_at) &&
         !memcmp(a->largest_at, b->largest_at, sizeof a->largest_at) &&
         !strcmp(a->digest, b->digest);
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .dx = 1, .dy = 1, .ghost = 2};
  const bool but_one[COUNT] = {true, true, false, true};
  HgMesh mesh;
  HgState x;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, COUNT, variables, &x));
  for (int draw = 0; draw < DRAWS_OF(12); draw++) {
    const bool *const kept = draw % 4 == 3 ? but_one : NULL;
    HgMeasure whole[COUNT], rows[COUNT];
    char digest[17];
    PetscCall(fill(x, (uint64_t)draw));
    PetscCall(HgStateMeasure(x, kept, true, whole));
    PetscCall(measure_rows(x, kept, draw, rows));
    for (int k = 0; k < COUNT; k++) {
      if (kept && !kept[k]) continue;
      PetscCall(HgStateDigest(x, variables[k].name, digest));
      claim_that(!strcmp(whole[k].digest, digest), "draw %d, '%s': digest %s, expected %s", draw,
                 variables[k].name, whole[k].digest, digest);
      claim_that(same(&whole[k], &rows[k]),
                 "draw %d, '%s': by rows %.17g at %d, %d and %s, expected %.17g at %d, %d and %s",
                 draw, variables[k].name, rows[k].largest, rows[k].largest_at[0],
                 rows[k].largest_at[1], rows[k].digest, whole[k].largest, whole[k].largest_at[0],
                 whole[k].largest_at[1], whole[k].digest);
    }
  }
  return DESTROY(&x, &mesh);
}

CLAIM("a state measured row by row has the numbers of one measured as a whole", 0, test)
