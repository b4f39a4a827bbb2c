/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: steps of momentum and Adam are those computed by hand, in L2 and within bounds; batches
   deal every experiment once an epoch; what is out of range is refused. */
#include "claim.h"
#include "refusal.h"
#include <halograd/experiments_library.h>
#include <halograd/stochastic.h>
#include <math.h>

enum { STEPS = 3, COUNT = 12 };

static const HgVariable variables[] = {{"u", "1", HG_FIELD, 0}, {"a", "1", HG_REPLICATED, 2}};

/* Steps with gradients g[n] everywhere; value[n]: of the array, which starts at 0, by hand. The
   field, whose cells have area 1/4, feels four times the gradient. */
static PetscErrorCode steps(HgMesh mesh, const HgStochasticSpec *spec, const double g[STEPS],
                            const double value[STEPS], const double field[STEPS], double bound) {
  HgStochastic s;
  HgState m, gradient;
  PetscCall(HgStateCreate(mesh, 2, variables, &m));
  PetscCall(HgStateDuplicate(m, &gradient));
  PetscCall(HgStochasticCreate(m, spec, &s));
  for (int n = 0; n < STEPS; n++) {
    PetscCall(HgStateSetConstant(gradient, "u", g[n]));
    PetscCall(HgStateSetConstant(gradient, "a", g[n]));
    PetscCall(HgStochasticStep(s, gradient, m));
    const double u = HgStateRows(m, 0)[1][1], a = HgStateArray(m, 1)[1];
    claim_at_most(fabs(a - value[n]), bound, "rule %d, step %d: array", (int)spec->rule, n);
    claim_at_most(fabs(u - field[n]), bound, "rule %d, step %d: field", (int)spec->rule, n);
  }
  HgStochasticSpec bounded = *spec;
  bounded.control = "u", bounded.lower = 5, bounded.upper = 6;
  PetscCall(HgStochasticDestroy(&s));
  PetscCall(HgStochasticCreate(m, &bounded, &s));
  PetscCall(HgStochasticStep(s, gradient, m));
  claim_same(HgStateRows(m, 0)[0][0], 5, "rule %d: on its bound", (int)spec->rule);
  claim_that(HgStateArray(m, 1)[0] < 5, "rule %d: only u is bounded", (int)spec->rule);
  PetscCall(HgStochasticDestroy(&s));
  bounded.lower = 8;
  REFUSED(HgStochasticCreate(m, &bounded, &s), "'u' are 8 and 6");
  bounded.control = "v", bounded.lower = 1;
  REFUSED(HgStochasticCreate(m, &bounded, &s), "no variable 'v'");
  return HgStatesDestroy(&m, &gradient);
}

static PetscErrorCode by_hand(HgMesh mesh) {
  const HgStochasticSpec momentum = {.rule = HG_MOMENTUM, .rate = 0.5, .first = 0.5},
                         decaying = {.rule = HG_MOMENTUM, .rate = 0.5, .decay = 1},
                         adam = {HG_ADAM, 0.25, 0, 0.9, 0.999, 1e-30};
  /* v = 1, 1.5, -1.25 */
  PetscCall(steps(mesh, &momentum, (double[]){1, 1, -2}, (double[]){-0.5, -1.25, -0.625},
                  (double[]){-2, -5, -2.5}, 0));
  /* rates 1/2, 1/4, 1/6 */
  PetscCall(steps(mesh, &decaying, (double[]){1, 1, 3}, (double[]){-0.5, -0.75, -1.25},
                  (double[]){-2, -3, -5}, 0));
  /* Gradients 1, 0, 0: v = 0.1 0.9^(n-1), s = 0.001 0.999^(n-1); steps do not feel the factor 4. */
  double at[STEPS], m = 0;
  for (int n = 0; n < STEPS; n++) {
    const double v[] = {1, 0.09 / 0.19, 0.081 / 0.271},
                 s[] = {1, 0.000999 / 0.001999, 0.000998001 / 0.002997001};
    at[n] = m -= 0.25 * v[n] / sqrt(s[n]);
  }
  return steps(mesh, &adam, (double[]){1, 0, 0}, at, at, 1e-12);
}

/* A step beyond the largest number, and m then as it was. */
static PetscErrorCode overflow(HgState m) {
  const HgStochasticSpec fast = {.rule = HG_MOMENTUM, .rate = 1e300};
  HgStochastic s;
  HgState g;
  char before[17], after[17];
  PetscCall(HgStateDuplicate(m, &g));
  PetscCall(HgStateSetConstant(g, "a", 1e300));
  PetscCall(HgStochasticCreate(m, &fast, &s));
  PetscCall(HgStateDigest(m, NULL, before));
  REFUSED(HgStochasticStep(s, g, m), "a step leads to where 'a'", "is -inf", "expected finite");
  PetscCall(HgStateDigest(m, NULL, after));
  claim_that(!strcmp(before, after), "after a refusal m is what it was");
  PetscCall(HgStateDestroy(&g));
  return HgStochasticDestroy(&s);
}

static PetscErrorCode refusals(HgMesh mesh) {
  HgStochastic s;
  HgState m;
  const HgStochasticSpec good = {HG_ADAM, 0.1, 0, 0.9, 0.999, 1e-8};
  HgStochasticSpec bad[6] = {good, good, good, good, good, good};
  static const char *const words[] = {
      "learning rate is 0", "learning rate is nan", "decay", "momentum is 1", "b2 is 1", "eps 0"};
  bad[0].rate = 0, bad[1].rate = NAN, bad[2].decay = -1, bad[3].first = 1;
  bad[4].second = 1, bad[5].epsilon = 0;
  PetscCall(HgStateCreate(mesh, 2, variables, &m));
  for (int k = 0; k < 6; k++) REFUSED(HgStochasticCreate(m, &bad[k], &s), words[k], "expected");
  PetscCall(HgStochasticCreate(m, &good, &s));
  HgState nan;
  PetscCall(HgStateDuplicate(m, &nan));
  PetscCall(HgStateSetConstant(nan, "u", NAN));
  REFUSED(HgStochasticStep(s, nan, m), "a gradient is not finite", "'u' is nan");
  REFUSED(HgStochasticStep(s, m, nan), "a step leads to where 'u' is nan", "expected finite");
  HgStochasticSpec bounded = good;
  bounded.control = "u", bounded.lower = -1, bounded.upper = 1;
  PetscCall(HgStochasticDestroy(&s));
  PetscCall(HgStochasticCreate(m, &bounded, &s));
  REFUSED(HgStochasticStep(s, m, nan), "a step leads to where 'u' is nan", "expected finite");
  PetscCall(HgStateDestroy(&nan));
  PetscCall(HgStateCreate(mesh, 1, variables, &nan));
  REFUSED(HgStochasticStep(s, nan, nan), "a step of 1 controls, 'u' ...",
          "expected the 2 ('u' ...");
  PetscCall(HgStateDestroy(&nan));
  PetscCall(HgStochasticDestroy(&s));
  PetscCall(overflow(m));
  return HgStateDestroy(&m);
}

/* dJ/dm = the area of each cell: a step is the rate everywhere, at any latitude. */
static PetscErrorCode sphere(void) {
  const HgMeshSpec spec = {
      .nx = 16, .ny = 32, .dx = 1, .dy = 0.5, .y0 = 60, .radius = 6.37e6, .ghost = 1};
  const HgStochasticSpec plain = {.rule = HG_MOMENTUM, .rate = 1};
  HgMesh mesh;
  HgState m, g;
  HgStochastic s;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  const HgPatch *p = HgMeshGetPatch(mesh);
  PetscCall(HgStateCreate(mesh, 1, variables, &m));
  PetscCall(HgStateDuplicate(m, &g));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRows(g, 0)[j][i] = HgMeshGetMetric(mesh)->width * HgMeshGetMetric(mesh)->height *
                                HgMeshGetMetric(mesh)->latitudes[p->j_global + j].cosine;
  PetscCall(HgStochasticCreate(m, &plain, &s));
  PetscCall(HgStochasticStep(s, g, m));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      claim_at_most(fabs(HgStateRows(m, 0)[j][i] + 1), 1e-15, "the step in row %d", j);
  PetscCall(HgStochasticDestroy(&s));
  return DESTROY(&m, &g, &mesh);
}

static void batches(int size) {
  const int in_epoch = COUNT / size;
  int differ = 0, before[COUNT] = {0};
  for (long epoch = 0; epoch < 40; epoch++) {
    int seen[COUNT] = {0}, batch[COUNT], other[COUNT];
    for (int k = 0; k < in_epoch; k++) {
      HgStochasticDraw(7, epoch * in_epoch + k, COUNT, size, batch);
      HgStochasticDraw(8, epoch * in_epoch + k, COUNT, size, other);
      differ += memcmp(batch, other, sizeof *batch * (size_t)size) != 0;
      differ += memcmp(batch, before, sizeof *batch * (size_t)size) != 0;
      memcpy(before, batch, sizeof *batch * (size_t)size);
      for (int l = 0; l < size; l++)
        if (claim_that(batch[l] >= 0 && batch[l] < COUNT, "experiment %d drawn", batch[l]))
          seen[batch[l]]++;
    }
    for (int e = 0; e < COUNT; e++)
      claim_that(seen[e] <= 1 && (COUNT % size || seen[e] == 1),
                 "batches of %d: experiment %d comes %d times in epoch %ld", size, e, seen[e],
                 epoch);
  }
  claim_that(size == COUNT || differ > 40 * in_epoch, "batches of %d: seeds and steps differ %d",
             size, differ);
}

/* Every experiment comes first about as often as the others: 12000 draws, expected 1000 each with
   standard deviation 30. */
static void fair(void) {
  int first[COUNT] = {0}, batch;
  for (long n = 0; n < 1000 * COUNT; n++) {
    HgStochasticDraw(3, n * COUNT, COUNT, 1, &batch); /* the first place of each epoch */
    first[batch]++;
  }
  for (int e = 0; e < COUNT; e++)
    claim_at_most(abs(first[e] - 1000), 150, "draws of experiment %d first: %d", e, first[e]);
}

static PetscErrorCode run(void) {
  HgMesh mesh;
  const HgMeshSpec spec = {.nx = 8, .ny = 8, .dx = 0.5, .dy = 0.5, .ghost = 1};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(by_hand(mesh));
  PetscCall(refusals(mesh));
  PetscCall(sphere());
  for (int size = 1; size <= COUNT; size++) batches(size);
  fair();
  return HgMeshDestroy(&mesh);
}

CLAIM("steps of momentum and Adam are those computed by hand", 7, run)
