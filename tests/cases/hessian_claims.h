/* SPDX-License-Identifier: BSD-2-Clause */
/* What is claimed of the Hessian of any trajectory, whatever its physics. */
#ifndef HALOGRAD_TEST_HESSIAN_CLAIMS_H
#define HALOGRAD_TEST_HESSIAN_CLAIMS_H

#include "claim.h"
#include <halograd/program_library.h>
#include <halograd/trajectory_library.h>
#include <math.h>

/* A random direction: each variable that J is differentiated by moves by `size` times its norm, or
   by `size` where it is 0. */
static inline PetscErrorCode hessian_direction(HgProgram program, HgState x, uint64_t seed,
                                               double size, HgState *dx) {
  HgState random;
  double squares;
  PetscCall(HgStateDuplicate(x, dx));
  PetscCall(HgStateDuplicate(x, &random));
  PetscCall(HgStateRandom(random, seed));
  for (int k = 0; k < HgStateCount(x); k++) {
    HgState one;
    if (!HgProgramActive(program, k)) continue;
    PetscCall(HgStateDuplicate(x, &one));
    PetscCall(HgStateAXPYVariable(one, k, 1, x, k));
    PetscCall(HgStateDot(one, one, &squares));
    const double there = sqrt(squares);
    PetscCall(HgStateZero(one));
    PetscCall(HgStateAXPYVariable(one, k, 1, random, k));
    PetscCall(HgStateDot(one, one, &squares));
    PetscCall(
        HgStateAXPYVariable(*dx, k, size * (there > 0 ? there / sqrt(squares) : 1), random, k));
    PetscCall(HgStateDestroy(&one));
  }
  return HgStateDestroy(&random);
}

/* dJ as J and gradient say, with the same bits; h = J''(x) dx. */
static inline PetscErrorCode claim_hessian(const char what[], HgTrajectory t, HgState x, HgState dx,
                                           HgState h) {
  HgState gradient, same;
  double J, dJ, dJ_of_tangent;
  char digest[2][17];
  PetscCall(HgStateDuplicate(x, &gradient));
  PetscCall(HgStateDuplicate(x, &same));
  PetscCall(HgStateZero(h));
  PetscCall(HgTrajectoryGradient(t, x, 1, &J, same));
  PetscCall(HgTrajectoryHessians(t, x, 1, &dx, &dJ, gradient, &h));
  PetscCall(HgStateDigest(gradient, NULL, digest[0]));
  PetscCall(HgStateDigest(same, NULL, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]), "%s: the gradient beside the Hessian is %s, alone %s",
             what, digest[0], digest[1]);
  PetscCall(HgTrajectoryTangent(t, x, dx, &J, &dJ_of_tangent));
  claim_that(dJ == dJ_of_tangent, "%s: J'(x) dx is %.17g, by the tangent %.17g", what, dJ,
             dJ_of_tangent);
  return HgStatesDestroy(&gradient, &same);
}

/* <a, H b> = <b, H a>, relative. */
static inline PetscErrorCode claim_symmetric(const char what[], HgTrajectory t, HgState x,
                                             HgState a, HgState b, HgState Ha, HgState Hb,
                                             double bound) {
  double left, right, sizes[4];
  PetscCall(claim_hessian(what, t, x, a, Ha));
  PetscCall(claim_hessian(what, t, x, b, Hb));
  PetscCall(HgStateDot(a, Hb, &left));
  PetscCall(HgStateDot(b, Ha, &right));
  HgState const all[] = {a, b, Ha, Hb};
  for (int k = 0; k < 4; k++) PetscCall(HgStateDot(all[k], all[k], &sizes[k]));
  const double scale = sqrt(fmax(sizes[0] * sizes[3], sizes[1] * sizes[2]));
  claim_that(scale > 0, "%s: H is 0", what);
  claim_at_most(fabs(left - right), bound * scale, "%s: <a, H b> - <b, H a> of %g", what, left);
  return 0;
}

/* (g(x + e dx) - g(x - e dx)) / (2 e) tends to h at order 2 where that is above rounding, which is
   `noise` times the largest gradient. */
static inline PetscErrorCode claim_differences(const char what[], HgTrajectory t, HgState x,
                                               HgState dx, HgState h, double noise) {
  HgState at, g;
  double J, before = 0, order = 2, size, gradient, error = 0, last = 1;
  PetscCall(HgStateDuplicate(x, &at));
  PetscCall(HgStateDuplicate(x, &g));
  PetscCall(HgStateDot(h, h, &size));
  int orders = 0;
  for (double e = 0.5; e > 1e-4; e /= 2) {
    PetscCall(HgStateZero(g));
    for (int side = -1; side <= 1; side += 2) {
      PetscCall(HgStateCopy(x, at));
      PetscCall(HgStateAXPY(at, side * e, dx));
      PetscCall(HgTrajectoryGradient(t, at, side / (2 * e), &J, g));
      if (!isfinite(J)) break;
    }
    if (!isfinite(J)) continue;
    PetscCall(HgTrajectoryGradient(t, x, 1, &J, at)); /* at is not needed any more */
    PetscCall(HgStateDot(at, at, &gradient));
    PetscCall(HgStateAXPY(g, -1, h));
    PetscCall(HgStateDot(g, g, &error));
    error = sqrt(error);
    if (error <= 100 * noise * sqrt(gradient) / e) {
      last = error / sqrt(size);
      break;
    }
    if (before > 0) order = log2(before / error), orders++;
    before = error, last = error / sqrt(size);
  }
  claim_at_most(-order, -1.9, "%s: minus the order of %d differences of gradients", what, orders);
  claim_at_most(last, 1e-4, "%s: differences of gradients away from H dx", what);
  return HgStatesDestroy(&at, &g);
}

/* All of it, with directions by `seed`. */
static inline PetscErrorCode claim_second_order(const char what[], HgTrajectory t, HgState x,
                                                double size, double bound, uint64_t seed) {
  HgState a, b, Ha, Hb;
  PetscCall(hessian_direction(HgTrajectoryProgram(t), x, seed, size, &a));
  PetscCall(hessian_direction(HgTrajectoryProgram(t), x, seed + 1, size, &b));
  PetscCall(HgStateDuplicate(x, &Ha));
  PetscCall(HgStateDuplicate(x, &Hb));
  PetscCall(claim_symmetric(what, t, x, a, b, Ha, Hb, bound));
  PetscCall(claim_differences(what, t, x, a, Ha, 1e-15));
  PetscCall(HgStatesDestroy(&a, &b, &Ha, &Hb));
  return 0;
}

#endif
