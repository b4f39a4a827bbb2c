/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/tsunami/own_tsunami.h -- the linear tsunami of a sea without data, stepped and
   differentiated by halograd, and given to the peer of peer_tsunami.h.

   25 x 23 degrees on the sphere, as that of docs/tsunami.md: a coast in the west, water 200 to 5200
   m deep east of it, a hump of the surface. */
#ifndef HALOGRAD_OWN_TSUNAMI_H
#define HALOGRAD_OWN_TSUNAMI_H

#include "peer_tsunami.h"
#include <halograd/trajectory.h>

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState x, x_bar;             /* the input, and the gradient */
  HgState q, q_next, constants; /* of OwnTsunamiRun() */
  HgState still;                /* the objective's */
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  int steps; /* of one run */
  double J;
} OwnTsunami;

/* nx x ny cells, of which about the part `land` is land, `masked`: skipped; ranks strips from south
   to north; J = 1/2 ||eta(T)||^2 over `steps` steps with respect to eta, u and v. Collective. */
PetscErrorCode OwnTsunamiCreate(int nx, int ny, int steps, double land, bool masked,
                                OwnTsunami *own);
PetscErrorCode OwnTsunamiDestroy(OwnTsunami *own);

/* BenchFns of bench.h. Collective.
   Run       q advances by `steps` steps, several at once where it can
   Forward   J alone, from x
   Gradient  J and x_bar */
PetscErrorCode OwnTsunamiRun(void *own);
PetscErrorCode OwnTsunamiForward(void *own);
PetscErrorCode OwnTsunamiGradient(void *own);

/* The same problem for the peer, from x. Errors: its strips are not our patches. Collective. */
PetscErrorCode OwnTsunamiPeer(const OwnTsunami *own, PeerTsunami *peer);

/* Error unless eta, u and v are equal to 1e-12 of the largest value after as many runs of both.
   Collective. */
PetscErrorCode OwnTsunamiSame(const OwnTsunami *own, const PeerTsunami *peer);

#endif
