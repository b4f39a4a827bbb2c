/* SPDX-License-Identifier: BSD-2-Clause */
/* What is claimed of many directions in one sweep, for any trajectory: each has the bits that it
   has alone. */
#ifndef HALOGRAD_TEST_DIRECTION_CLAIMS_H
#define HALOGRAD_TEST_DIRECTION_CLAIMS_H

#include "hessian_claims.h"

enum { DIRECTIONS = 11 };

typedef char Digest[17];

/* Directions, and what comes of each alone. */
typedef struct {
  HgTrajectory trajectory;
  HgState x, dx[DIRECTIONS], h[DIRECTIONS], gradient;
  double dJ[DIRECTIONS];
  Digest alone[DIRECTIONS], of_gradient;
} Directions;

static inline PetscErrorCode directions_create(HgTrajectory t, HgState x, double size,
                                               uint64_t seed, Directions *d) {
  *d = (Directions){.trajectory = t, .x = x};
  PetscCall(HgStateDuplicate(x, &d->gradient));
  for (int v = 0; v < DIRECTIONS; v++) {
    PetscCall(
        hessian_direction(HgTrajectoryProgram(t), x, seed + 7 * (uint64_t)v, size, &d->dx[v]));
    PetscCall(HgStateDuplicate(x, &d->h[v]));
    PetscCall(
        HgTrajectoryHessians(t, x, 1, &d->dx[v], &d->dJ[v], v ? NULL : d->gradient, &d->h[v]));
    PetscCall(HgStateDigest(d->h[v], NULL, d->alone[v]));
    for (int w = 0; w < v; w++)
      claim_that(strcmp(d->alone[v], d->alone[w]), "directions %d and %d are alike", w, v);
  }
  return HgStateDigest(d->gradient, NULL, d->of_gradient);
}

static inline PetscErrorCode directions_destroy(Directions *d) {
  for (int v = 0; v < DIRECTIONS; v++) { PetscCall(HgStatesDestroy(&d->dx[v], &d->h[v])); }
  return HgStateDestroy(&d->gradient);
}

/* The first of `count` directions whose J'(x) dx, or H dx, has not the bits that it has alone; -1:
   none. */
static inline PetscErrorCode directions_differ(Directions *d, int count, const double dJ[],
                                               int *first) {
  *first = -1;
  for (int v = count - 1; v >= 0; v--) {
    Digest digest;
    PetscCall(HgStateDigest(d->h[v], NULL, digest));
    if (strcmp(digest, d->alone[v]) || memcmp(&dJ[v], &d->dJ[v], sizeof *dJ)) *first = v;
  }
  return 0;
}

/* The first `count` directions, at most `most` in one sweep, with the gradient or without. */
static inline PetscErrorCode claim_directions(const char what[], Directions *d, int count,
                                              bool gradient) {
  double J, dJ[DIRECTIONS];
  int first;
  Digest digest;
  for (int v = 0; v < count; v++) PetscCall(HgStateZero(d->h[v]));
  PetscCall(HgStateZero(d->gradient));
  PetscCall(HgTrajectoryHessians(d->trajectory, d->x, count, d->dx, dJ,
                                 gradient ? d->gradient : NULL, d->h));
  PetscCall(directions_differ(d, count, dJ, &first));
  claim_that(first < 0, "%s, %d directions: the Hessian times direction %d is not what it is alone",
             what, count, first);
  PetscCall(HgStateDigest(d->gradient, NULL, digest));
  claim_that(!gradient || !strcmp(digest, d->of_gradient),
             "%s, %d directions: the gradient is %s, with one %s", what, count, digest,
             d->of_gradient);
  PetscCall(HgTrajectoryTangents(d->trajectory, d->x, count, d->dx, &J, dJ));
  for (int v = 0; v < count; v++)
    claim_same(dJ[v], d->dJ[v], "%s, %d directions: J'(x) dx of direction %d", what, count, v);
  return 0;
}

#endif
