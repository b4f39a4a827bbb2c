/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the Hessian of a sum over experiments is symmetric, the limit of differences of gradients
   at order 2, that of the parts added up, and has the same bits on any groups and patches; the
   gradient beside it has those of the gradient. */
#include "claim.h"
#include "difference.h"
#include "many_heats.h"
#include <halograd/operator_library.h>
#include <string.h>

enum { COUNT = 6 };

/* Symmetry of h[k] = H dm[k], and order. */
static PetscErrorCode claim_hessian(int groups, HgOperator J, HgState m, HgState dm[2],
                                    HgState h[2]) {
  double one, two, scale, norm, off[2];
  PetscCall(HgStateDot(dm[1], h[0], &one));
  PetscCall(HgStateDot(dm[0], h[1], &two));
  PetscCall(HgStateDot(dm[0], h[0], &scale));
  claim_at_most(fabs(one - two), 1e-13 * fmax(fabs(one), fabs(scale)), "%d groups: symmetry",
                groups);
  for (int k = 0; k < 2; k++) {
    PetscCall(difference(J, m, dm[0], NULL, h[0], k ? 0.005 : 0.01, &off[k], &norm));
    off[k] /= norm;
  }
  claim_that(off[0] < 0.01 && fabs(log2(off[0] / off[1]) - 2) < 0.1,
             "%d groups: differences of gradients off by %g and %g, expected order 2", groups,
             off[0], off[1]);
  return 0;
}

/* With a moved cotangent: the gradient comes along, and the parts add up. */
static PetscErrorCode claim_parts(int groups, ManyHeats *h, HgState m, HgState dm) {
  HgState all[2], part[2], sum, J_bar, dJ_bar, g;
  char digest[2][17];
  double J, off, norm;
  HgState *const like_m[] = {&all[0], &all[1], &part[0], &part[1], &sum, &g};
  for (int k = 0; k < 6; k++) PetscCall(HgStateDuplicate(m, like_m[k]));
  PetscCall(HgOperatorCreateOutput(h->J, &J_bar));
  PetscCall(HgOperatorCreateOutput(h->J, &dJ_bar));
  HgStateArray(J_bar, 0)[0] = 1, HgStateArray(dJ_bar, 0)[0] = -0.25;
  PetscCall(HgOperatorSecond(h->J, m, dm, J_bar, dJ_bar, all[0], all[1]));
  PetscCall(HgOperatorGradient(h->J, m, &J, g));
  PetscCall(HgStateDigest(g, NULL, digest[0]));
  PetscCall(HgStateDigest(all[0], NULL, digest[1]));
  claim_that(!strcmp(digest[0], digest[1]), "%d groups: the gradient beside the Hessian", groups);
  for (int e = 0; e < COUNT; e++) {
    PetscCall(HgOperatorSecond(h->part[e], m, dm, J_bar, dJ_bar, part[0], part[1]));
    PetscCall(HgStateAXPY(sum, 1, part[1]));
  }
  PetscCall(HgStateAXPY(sum, -1, all[1]));
  PetscCall(HgStateDot(sum, sum, &off));
  PetscCall(HgStateDot(all[1], all[1], &norm));
  claim_at_most(sqrt(off), 1e-14 * sqrt(norm), "%d groups: against the sum of parts", groups);
  PetscCall(HgStatesDestroy(&J_bar, &dJ_bar));
  for (int k = 0; k < 6; k++) PetscCall(HgStateDestroy(like_m[k]));
  return 0;
}

/* Its digest as a number that ranks can share. */
static PetscErrorCode of_groups(int groups, int px, unsigned long long *bits) {
  ManyHeats h;
  HgState m, dm[2], second[2];
  char digest[17];
  int size, py = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  if (px) py = size / groups / px;
  PetscCall(many_create(PETSC_COMM_WORLD, COUNT, groups, px, py, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  PetscCall(HgStateRandom(m, 5));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgStateDuplicate(m, &dm[k]));
    PetscCall(HgStateDuplicate(m, &second[k]));
    PetscCall(HgStateRandom(dm[k], 6 + (uint64_t)k));
    PetscCall(HgOperatorHessian(h.J, m, dm[k], second[k]));
  }
  PetscCall(HgStateDigest(second[0], NULL, digest));
  *bits = strtoull(digest, NULL, 16);
  PetscCall(claim_hessian(groups, h.J, m, dm, second));
  PetscCall(claim_parts(groups, &h, m, dm[1]));
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(&dm[k]));
  for (int k = 0; k < 2; k++) PetscCall(HgStateDestroy(&second[k]));
  PetscCall(HgStateDestroy(&m));
  return many_destroy(&h);
}

static PetscErrorCode run(void) {
  unsigned long long first = 0, bits = 0, least;
  int size = 1, done = 0;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  for (int groups = 1; groups <= PetscMin(COUNT, size); groups++)
    for (int px = 0; px <= 1 && size % groups == 0 && COUNT % groups == 0; px++) {
      PetscCall(of_groups(groups, px, &bits));
      if (!done++) first = bits;
      claim_that(bits == first, "%d groups, px %d: %016llx, expected %016llx", groups, px, bits,
                 first);
    }
  PetscCallMPI(MPI_Allreduce(&first, &least, 1, MPI_UNSIGNED_LONG_LONG, MPI_MIN, MPI_COMM_WORLD));
  claim_that(first == least, "all groups have the same Hessian");
  return 0;
}

CLAIM("a sum over experiments has a Hessian, the sum of theirs", 0, run)
