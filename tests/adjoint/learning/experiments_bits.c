/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: 48 experiments give J, gradient, a batch's gradient and every iterate of an inversion with
   the same bits, however the ranks are split into groups and patches, on every group. */
#include "claim.h"
#include "many_heats.h"
#include <halograd/experiments_library.h>
#include <halograd/inversion.h>

static const struct {
  int groups, px, py;
} splits[] = {{1, 1, 1}, {1, 1, 4}, {1, 3, 2}, {2, 1, 1}, {2, 1, 2}, {2, 3, 1},
              {4, 1, 1}, {3, 1, 2}, {6, 1, 1}, {4, 2, 2}, {2, 2, 4}, {16, 1, 1}};

enum { SPLITS = sizeof splits / sizeof *splits, TEXT = 1024, BATCH = 5 };

static PetscErrorCode note(const HgIterate *iterate, HgState m, void *context) {
  char *text = context, digest[17];
  const size_t used = strlen(text);
  PetscCall(HgStateDigest(m, NULL, digest));
  snprintf(text + used, TEXT - used, "; iterate %d: J %a |g| %a m %s", iterate->iteration,
           iterate->J, iterate->gradient_norm, digest);
  return 0;
}

static PetscErrorCode describe(ManyHeats *h, char text[TEXT]) {
  static const int batch[BATCH] = {17, 3, 40, 8, 31};
  HgState m, g;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  double J, J_batch;
  char digest[2][17];
  PetscCall(HgOperatorCreateInput(h->J, &m));
  PetscCall(HgStateDuplicate(m, &g));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(HgStateScale(m, 0.3));
  PetscCall(HgExperimentsSetBatch(h->experiments, BATCH, batch));
  PetscCall(HgOperatorGradient(h->J, m, &J_batch, g));
  PetscCall(HgStateDigest(g, NULL, digest[0]));
  PetscCall(HgExperimentsSetBatch(h->experiments, MANY_MOST, NULL));
  PetscCall(HgOperatorGradient(h->J, m, &J, g));
  PetscCall(HgStateDigest(g, NULL, digest[1]));
  snprintf(text, TEXT, "batch J %a g %s; J %a g %s", J_batch, digest[0], J, digest[1]);
  PetscCall(HgInversionCreate(h->J, &inversion));
  PetscCall(HgInversionSetBounds(inversion, "m", -0.3, 0.6, 1));
  PetscCall(HgInversionSetMonitor(inversion, note, text));
  PetscCall(
      HgInversionSetRules(inversion, &(HgInversionRules){.iterations = 4, .evaluations = 20}));
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  claim_that(last.iteration == 4, "%d iterations, expected 4: %s", last.iteration, reason);
  return DESTROY(&inversion, &m, &g);
}

static PetscErrorCode run(void) {
  const int size = claim.ranks;
  char first[TEXT] = "";
  for (int k = 0; k < SPLITS; k++) {
    const int ranks = splits[k].groups * splits[k].px * splits[k].py;
    if (ranks > size || (size == 16 && k && ranks < 12)) continue; /* those were fewer ranks' */
    MPI_Comm comm;
    PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, claim.rank < ranks ? 0 : MPI_UNDEFINED,
                                claim.rank, &comm));
    char text[TEXT] = "";
    if (comm != MPI_COMM_NULL) {
      ManyHeats h;
      PetscCall(many_create(comm, MANY_MOST, splits[k].groups, splits[k].px, splits[k].py, &h));
      PetscCall(describe(&h, text));
      PetscCall(many_destroy(&h));
      PetscCallMPI(MPI_Comm_free(&comm));
      if (!k && !claim.rank) snprintf(first, sizeof first, "%s", text);
    }
    PetscCallMPI(MPI_Bcast(first, sizeof first, MPI_CHAR, 0, PETSC_COMM_WORLD));
    claim_that(!*text || !strcmp(text, first), "%d groups of %d x %d patches: '%s', expected '%s'",
               splits[k].groups, splits[k].px, splits[k].py, text, first);
  }
  return 0;
}

CLAIM("many experiments have the same bits on any split into groups and patches", 5, run)
