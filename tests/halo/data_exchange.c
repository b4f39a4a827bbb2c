/* SPDX-License-Identifier: BSD-2-Clause */
/* data_exchange is a symmetric permutation on the strips that have a neighbour: P = P^T = P^-1. */
#include "claim.h"
#include "patches.h"
#include "refusal.h"
#include <halograd/data_exchange.h>
#include <halograd/mesh_library.h>

enum { LEFT, RIGHT, UP, DOWN, SIDES, LONGEST = 16 };

static const int step[SIDES][2] = {{-1, 0}, {1, 0}, {0, 1}, {0, -1}};
static const int opposite[SIDES] = {RIGHT, LEFT, DOWN, UP};

typedef struct {
  HgReal strip[SIDES][LONGEST];
} Strips;

static PetscErrorCode permute(HgMesh mesh, int nx, int ny, const Strips *out, Strips *in) {
  return data_exchange(mesh, nx, ny, out->strip[LEFT], out->strip[RIGHT], out->strip[UP],
                       out->strip[DOWN], in->strip[LEFT], in->strip[RIGHT], in->strip[UP],
                       in->strip[DOWN]);
}

static double number(int rank, int side, int k, int salt) {
  return (rank * SIDES + side) * LONGEST + k + 1 + 4096 * salt;
}

static Strips numbers(int salt) {
  Strips s;
  for (int side = 0; side < SIDES; side++)
    for (int k = 0; k < LONGEST; k++) s.strip[side][k] = number(claim.rank, side, k, salt);
  return s;
}

static int length(int side, int nx, int ny) { return side == LEFT || side == RIGHT ? ny : nx; }

/* Integers: exact. */
static PetscErrorCode dot(HgMesh mesh, int nx, int ny, const Strips *x, const Strips *y,
                          double *sum) {
  *sum = 0;
  for (int side = 0; side < SIDES; side++)
    for (int k = 0; k < length(side, nx, ny); k++) *sum += x->strip[side][k] * y->strip[side][k];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE, MPI_SUM, HgMeshComm(mesh)));
  return 0;
}

static PetscErrorCode layout(HgMesh mesh, int nx, int ny) {
  const Strips x = numbers(0), y = numbers(1);
  const double untouched = -7;
  Strips px, py, ppx;
  for (int side = 0; side < SIDES; side++)
    for (int k = 0; k < LONGEST; k++)
      px.strip[side][k] = py.strip[side][k] = ppx.strip[side][k] = untouched;
  PetscCall(permute(mesh, nx, ny, &x, &px));
  PetscCall(permute(mesh, nx, ny, &y, &py));
  PetscCall(permute(mesh, nx, ny, &px, &ppx));
  for (int side = 0; side < SIDES; side++) {
    const int peer = HgMeshNeighbour(mesh, step[side][0], step[side][1]);
    const int n = length(side, nx, ny);
    for (int k = 0; k < LONGEST; k++) {
      const double sent = peer < 0 ? 0 : number(peer, opposite[side], k, 0);
      const double back = peer < 0 ? 0 : x.strip[side][k];
      claim_same(px.strip[side][k], k < n ? sent : untouched, "P x: side %d, entry %d", side, k);
      claim_same(ppx.strip[side][k], k < n ? back : untouched, "P P x: side %d, entry %d", side, k);
    }
  }
  double forward, adjoint;
  PetscCall(dot(mesh, nx, ny, &px, &y, &forward));
  PetscCall(dot(mesh, nx, ny, &x, &py, &adjoint));
  claim_same(forward, adjoint, "<P x, y> and <x, P y>");
  return 0;
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  HgMesh mesh;
  Strips s = numbers(0), t;
  for (int px = 1; px <= ranks; px++)
    for (int periodic = 0; periodic < 4 && ranks % px == 0; periodic++) {
      PetscCall(patches_mesh(MPI_COMM_WORLD, px, 1, 1, periodic & 1, periodic & 2, &mesh));
      PetscCall(layout(mesh, 5, 3));
      PetscCall(layout(mesh, LONGEST, 1));
      PetscCall(layout(mesh, 0, 2));
      const HgPatch *p = HgMeshGetPatch(mesh); /* unequal patches: each its own lengths */
      PetscCall(layout(mesh, p->nx, p->ny));
      PetscCall(HgMeshDestroy(&mesh));
    }
  PetscCall(patches_mesh(MPI_COMM_WORLD, 1, 1, 1, false, true, &mesh));
  refusal_begin();
  PetscErrorCode ierr = permute(mesh, claim.rank == 0 ? -1 : 1, 1, &s, &t);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "data_exchange", "-1", NULL));
  if (ranks > 1) { /* neighbours that disagree: not a truncated message, not a hang */
    refusal_begin();
    ierr = permute(mesh, claim.rank == ranks - 1 ? 2 : 1, 1, &s, &t);
    PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "data_exchange", "neighbours must agree", NULL));
  }
  return HgMeshDestroy(&mesh);
}

CLAIM("data_exchange is a symmetric permutation", 0, test)
