/* SPDX-License-Identifier: BSD-2-Clause */
/* bench_net: the adjoint of the default net at 64 Ki points beside its value, and the exact sums in
   it alone; the gradient must have the same bits for two ways to cut the points into batches. */
#include "bench.h"
#include <halograd/control_library.h>
#include <halograd/state.h>
#include <halograd/sum_library.h>
#include <string.h>

enum { POINTS = 1 << 16, ROUNDS = 15 };

typedef struct {
  HgNet net;
  int size, batch;
  double *theta, *x, *y, *w, *u;
  HgSum *sums;
} Case;

static PetscErrorCode value(void *context) {
  const Case *c = context;
  for (int k = 0; k < POINTS; k += c->batch)
    HgNetApply(c->net, c->theta, PetscMin(c->batch, POINTS - k), c->x + k, c->y + k, c->u + k);
  return 0;
}

static PetscErrorCode adjoint(void *context) {
  const Case *c = context;
  for (int k = 0; k < c->size; k++) HgSumReset(&c->sums[k]);
  for (int k = 0; k < POINTS; k += c->batch)
    HgNetAdjoint(c->net, c->theta, PetscMin(c->batch, POINTS - k), c->x + k, c->y + k, c->w + k,
                 c->sums);
  return 0;
}

/* As many products as the adjoint adds. */
static PetscErrorCode sums(void *context) {
  const Case *c = context;
  for (int k = 0; k < c->size; k++) HgSumReset(&c->sums[k]);
  for (int i = 0; i < POINTS; i += c->batch)
    for (int k = 0; k < c->size; k++)
      HgSumAddProducts(&c->sums[k], (size_t)PetscMin(c->batch, POINTS - i), c->x + i, c->w + i);
  return 0;
}

static PetscErrorCode compare(const char run[], const BenchCase *own, const BenchCase *peer,
                              double goal) {
  BenchLine line = {
      .row = "net", .ratio = BenchCompare(own, peer, 1), .sense = BENCH_AT_MOST, .goal = goal};
  snprintf(line.run, sizeof line.run, "%s", run);
  snprintf(line.own, sizeof line.own, "%.2f us/point", 1e6 * BenchSeconds(own) / POINTS);
  snprintf(line.peer, sizeof line.peer, "its value %.2f us/point",
           1e6 * BenchSeconds(peer) / POINTS);
  return BenchPrint(PETSC_COMM_WORLD, &line);
}

/* The same gradient from batches of another size. */
static PetscErrorCode cut_differently(Case *c) {
  double *first;
  PetscCall(PetscMalloc1(c->size, &first));
  PetscCall(adjoint(c));
  for (int k = 0; k < c->size; k++) first[k] = HgSumValue(&c->sums[k]);
  c->batch = 37;
  PetscCall(adjoint(c));
  for (int k = 0; k < c->size; k++) {
    const double again = HgSumValue(&c->sums[k]);
    HgRequire(PETSC_COMM_WORLD, !memcmp(&again, &first[k], sizeof again), HG_ERR_CHECK_FAILED,
              "bench_net: derivative %d in batches of 37: %a, expected the same bits as %a", k,
              again, first[k]);
  }
  return PetscFree(first);
}

static PetscErrorCode run(void) {
  const HgNetSpec spec = {0};
  Case c = {.batch = HG_NET_BATCH};
  PetscCall(HgNetCreate(PETSC_COMM_WORLD, &spec, &c.net));
  c.size = HgNetSize(c.net);
  PetscCall(PetscMalloc6(c.size, &c.theta, POINTS, &c.x, POINTS, &c.y, POINTS, &c.w, POINTS, &c.u,
                         c.size, &c.sums));
  PetscCall(HgNetInitialise(PETSC_COMM_WORLD, &spec, 1, 1, c.theta));
  for (uint64_t k = 0; k < POINTS; k++)
    c.x[k] = HgRandom(1, k), c.y[k] = HgRandom(2, k), c.w[k] = HgRandom(3, k);
  BenchCase cases[3] = {{.name = "value", .run = value, .context = &c},
                        {.name = "adjoint", .run = adjoint, .context = &c},
                        {.name = "sums", .run = sums, .context = &c}};
  PetscCall(BenchInterleave(PETSC_COMM_WORLD, ROUNDS, 3, cases));
  PetscCall(compare("adjoint of 2-20-20-20-1", &cases[1], &cases[0], 3));
  PetscCall(compare("its exact sums alone", &cases[2], &cases[0], 2));
  PetscCall(cut_differently(&c));
  PetscCall(PetscFree6(c.theta, c.x, c.y, c.w, c.u, c.sums));
  return HgNetDestroy(&c.net);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "The adjoint of a net beside its value.\n");
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
