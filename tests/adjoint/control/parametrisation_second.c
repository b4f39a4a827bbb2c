/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: second derivatives of nets and of pointwise parametrisations are symmetric to 1e-13, the
   limit of differences of the adjoint at order 2, and have the same bits on any patches; what comes
   beside them is the adjoint. */
#include "claim.h"
#include "difference.h"
#include "same_bits.h"
#include <halograd/control_library.h>
#include <halograd/operator_library.h>
#include <math.h>

enum { KINDS = 4 };

static PetscErrorCode create(HgMesh mesh, int kind, HgOperator *op) {
  const HgNetSpec small = {.layers = 2, .width = {6, 5}}, deep = {.layers = 0};
  const HgPointwise between = HgPointwiseBetween(-1, 2);
  if (kind == 0) return HgParametrisationNet(mesh, "theta", "kappa", "m^2/s", &small, op);
  if (kind == 1) return HgParametrisationNet(mesh, "theta", "kappa", "m^2/s", &deep, op);
  if (kind == 2) return HgParametrisationLog(mesh, "m", "kappa", "m^2/s", op);
  return HgParametrisationPointwise(mesh, "m", "kappa", "m^2/s", &between, op);
}

/* F''(x) with y_bar as a matrix: symmetric, and of order 2. */
static PetscErrorCode claim_matrix(int kind, HgOperator op, HgState x, HgState dx[2],
                                   HgState y_bar) {
  HgState none, h[2];
  double one, two, scale, other, norm, off[2];
  PetscCall(HgStateDuplicate(y_bar, &none));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgStateDuplicate(x, &h[k]));
    PetscCall(HgOperatorSecond(op, x, dx[k], y_bar, none, NULL, h[k]));
    PetscCall(difference(op, x, dx[0], y_bar, h[0], k ? 0.01 : 0.02, &off[k], &norm));
    off[k] /= norm;
  }
  PetscCall(HgStateDot(dx[1], h[0], &one));
  PetscCall(HgStateDot(dx[0], h[1], &two));
  PetscCall(HgStateDot(dx[1], dx[1], &other));
  PetscCall(HgStateDot(h[0], h[0], &scale));
  claim_at_most(fabs(one - two), 1e-13 * sqrt(scale * other), "kind %d: symmetry", kind);
  claim_that(off[0] < 0.1 && fabs(log2(off[0] / off[1]) - 2) < 0.1,
             "kind %d: differences of adjoints off by %g and %g, expected order 2", kind, off[0],
             off[1]);
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(&h[k]));
  return HgStateDestroy(&none);
}

/* All of it at once, and its parts. */
static PetscErrorCode claim_all(int kind, HgOperator op, HgState x, HgState dx, HgState y_bar,
                                HgState dy_bar, char text[LAYOUT_TEXT]) {
  HgState bar, dbar, plain;
  char digest[3][17];
  HgState *const all[] = {&bar, &dbar, &plain};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDuplicate(x, all[k]));
  PetscCall(HgOperatorSecond(op, x, dx, y_bar, dy_bar, bar, dbar));
  PetscCall(HgOperatorTranspose(op, x, y_bar, plain));
  for (int k = 0; k < 3; k++) PetscCall(HgStateDigest(*all[k], NULL, digest[k]));
  claim_that(!strcmp(digest[0], digest[2]), "kind %d: the adjoint beside it", kind);
  snprintf(text, LAYOUT_TEXT, "%s %s", digest[0], digest[1]);
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(all[k]));
  return 0;
}

static PetscErrorCode run(MPI_Comm comm, Layout layout, long kind, char text[LAYOUT_TEXT]) {
  const HgMeshSpec spec = {
      .nx = 23, .ny = 19, .px = layout.px, .py = layout.py, .dx = 1, .dy = 1, .ghost = 1};
  HgMesh mesh;
  HgOperator op;
  HgState x, dx[2], y_bar, dy_bar;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(create(mesh, (int)kind, &op));
  PetscCall(HgOperatorCreateInput(op, &x));
  PetscCall(HgOperatorCreateOutput(op, &y_bar));
  PetscCall(HgOperatorCreateOutput(op, &dy_bar));
  PetscCall(HgStateRandom(x, 3));
  PetscCall(HgStateScale(x, 0.4));
  PetscCall(HgStateRandom(y_bar, 4));
  PetscCall(HgStateRandom(dy_bar, 5));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgStateDuplicate(x, &dx[k]));
    PetscCall(HgStateRandom(dx[k], 6 + (uint64_t)k));
  }
  PetscCall(claim_matrix((int)kind, op, x, dx, y_bar));
  PetscCall(claim_all((int)kind, op, x, dx[0], y_bar, dy_bar, text));
  return DESTROY(&x, &dx[0], &dx[1], &y_bar, &dy_bar, &op, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("parametrisations have second derivatives", 0);
  for (long kind = 0; !ierr && kind < KINDS; kind++)
    ierr = expect_same_on_layouts("second derivatives", run, kind);
  return claim_end(ierr);
}
