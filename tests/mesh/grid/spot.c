/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: what is read at a place, and how far two states are apart, have the same bits on any
   decomposition: of -0, and of arrays that every rank holds, too. */
#include "same_bits.h"
#include "spots.h"
#include <halograd/state.h>
#include <halograd/state_library.h>

enum { ENTRIES = 7, PLACES = 3 };

static double waves(double x, double y, void *unused) {
  (void)unused;
  return x < 0.5 ? -0.0 : sin(7 * x) - y;
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  const HgMeshSpec spec = {
      .nx = 13, .ny = 11, .px = l.px, .py = l.py, .dx = 0.1, .dy = 0.1, .ghost = 1};
  const HgVariable list[] = {{"u", "K", HG_FIELD, 0}, {"a", "1", HG_REPLICATED, ENTRIES}};
  const double x[PLACES] = {0, 0.2, 0.83}, y[PLACES] = {0, 0.3, 0.41};
  HgMesh mesh;
  HgState q, truth;
  double value[PLACES], error[2];
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 2, list, &q));
  PetscCall(HgStateDuplicate(q, &truth));
  PetscCall(HgStateRandom(truth, (uint64_t)seed + 1));
  PetscCall(HgStateRandom(q, (uint64_t)seed + 100));
  PetscCall(HgStateRelativeError(q, truth, "a", &error[0]));
  PetscCall(HgStateRelativeError(q, truth, "u", &error[1]));
  PetscCall(HgStateSetField(q, "u", waves, NULL));
  PetscCall(read_spots(q, "u", PLACES, x, y, value));
  claim_that(value[0] == 0 && signbit(value[0]), "-0 is read as -0");
  snprintf(text, LAYOUT_TEXT, "%a %a %a, errors %a %a", value[0], value[1], value[2], error[0],
           error[1]);
  return DESTROY(&q, &truth, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("places and distances have the same bits on any decomposition", 0);
  for (long seed = 0; !ierr && seed < 12; seed++)
    ierr = expect_same_on_layouts("what is read", run_on, seed);
  return claim_end(ierr);
}
