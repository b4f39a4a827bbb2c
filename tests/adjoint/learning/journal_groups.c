/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: an inversion that groups of ranks do alike keeps its evaluations once and goes on from
   them with the same bits on any split into groups, also from those kept without groups; groups
   that do not do alike, or use one directory apart, are refused. */
#include "claim.h"
#include "many_heats.h"
#include "refusal.h"
#include <halograd/error_library.h>
#include <halograd/inversion_library.h>
#include <halograd/operator_library.h>

enum { COUNT = 12, ITERATIONS = 6 };

static const char directory[] = "evaluations";

/* Twelve evaluations at most of the inversion by `groups` groups; *found: of those kept, -1: none
   are. */
static PetscErrorCode invert(int groups, int iterations, int *found, char digest[17]) {
  ManyHeats h;
  HgInversion inversion;
  HgIterate last;
  HgState m;
  const char *reason;
  PetscCall(many_create(PETSC_COMM_WORLD, COUNT, groups, 0, 0, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  PetscCall(HgInversionCreate(h.J, &inversion));
  PetscCall(HgInversionSetRules(inversion,
                                &(HgInversionRules){.iterations = iterations, .evaluations = 40}));
  const MPI_Comm across = groups > 1 ? HgExperimentsGroup(h.experiments)->across : MPI_COMM_NULL;
  if (*found >= 0) PetscCall(HgInversionSetJournal(inversion, across, directory, found));
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  claim_that(last.iteration == iterations, "%d iterations, expected %d: %s", last.iteration,
             iterations, reason);
  PetscCall(HgStateDigest(m, NULL, digest));
  PetscCall(DESTROY(&inversion, &m));
  return many_destroy(&h);
}

/* Each split goes on from what the one before it has left. */
static PetscErrorCode check_splits(int count, const int groups[]) {
  char expected[17], digest[17];
  int none = -1, least = 0;
  for (int k = 0; k < count; k++) {
    const int iterations = PetscMin(k + 2, ITERATIONS);
    int found = 0, same;
    PetscCall(invert(groups[count - 1 - k], iterations, &none, expected));
    PetscCall(invert(groups[k], iterations, &found, digest));
    claim_that(!strcmp(digest, expected), "%d groups after %d found evaluations: m %s, expected %s",
               groups[k], found, digest, expected);
    claim_that(k ? found > least : found == 0,
               "%d groups find %d evaluations, expected more than %d", groups[k], found, least);
    PetscCallMPI(MPI_Allreduce(&found, &same, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
    claim_that(found == same, "%d found, elsewhere %d", found, same);
    least = found;
  }
  return 0;
}

typedef struct {
  int group, failing;
} Planted;

static PetscErrorCode planted(void *self, HgState m, double *J, HgState g) {
  const Planted *const p = self;
  (void)g;
  *J = 1;
  return p->group == p->failing ? HgError(HgMeshComm(HgStateMesh(m)), HG_ERR_CHECK_FAILED,
                                          "planted in group %d", p->group)
                                : 0;
}

/* The first evaluation of one group fails. */
static PetscErrorCode check_failure(const ManyHeats *h, HgState m, int failing) {
  Planted self = {HgExperimentsGroup(h->experiments)->number, failing};
  HgInversion inversion;
  HgIterate last;
  HgOperator op;
  char folder[16], where[32];
  const char *reason;
  int found;
  snprintf(folder, sizeof folder, "failing-%d", failing);
  snprintf(where, sizeof where, "planted in group %d", failing);
  PetscCall(
      HgOperatorCreate("planted", m, NULL, &(HgOperatorTable){.gradient = planted}, &self, &op));
  PetscCall(HgInversionCreate(op, &inversion));
  PetscCall(
      HgInversionSetJournal(inversion, HgExperimentsGroup(h->experiments)->across, folder, &found));
  REFUSED(HgInversionSolve(inversion, m, &last, &reason), where);
  return DESTROY(&inversion, &op);
}

static PetscErrorCode check_refusals(int groups) {
  ManyHeats h;
  HgInversion inversion;
  HgIterate last;
  HgState m;
  const char *reason;
  int found;
  PetscCall(many_create(PETSC_COMM_WORLD, COUNT, groups, 0, 0, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  PetscCall(HgInversionCreate(h.part[HgExperimentsGroup(h.experiments)->number], &inversion));
  PetscCall(HgInversionSetJournal(inversion, HgExperimentsGroup(h.experiments)->across, "otherwise",
                                  &found));
  REFUSED(HgInversionSolve(inversion, m, &last, &reason), "journal: evaluation 0 of group 1 has J",
          "groups that do alike, or a directory for each");
  PetscCall(HgInversionDestroy(&inversion));
  /* Damage is told once, and no error of the run. */
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!claim.rank) claim_that(!truncate("evaluations/evaluation-1-rank-0.h5", 9), "there is one");
  PetscCall(HgInversionCreate(h.J, &inversion));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  char text[1024];
  FILE *const before = PETSC_STDOUT, *const nowhere = fopen("/dev/null", "w");
  const Said said = said_begin();
  PETSC_STDOUT = nowhere;
  PetscCall(HgInversionSetJournal(inversion, HgExperimentsGroup(h.experiments)->across, directory,
                                  &found));
  PETSC_STDOUT = before;
  const int lines = said_end(said, text, sizeof text);
  fclose(nowhere);
  claim_that(lines == 1 && found == 1, "%d lines, %d evaluations found, expected 1 and 1: %s",
             lines, found, text);
  PetscCall(HgInversionDestroy(&inversion));
  for (int k = 0; k < groups; k++) PetscCall(check_failure(&h, m, k));
  PetscCall(HgStateDestroy(&m));
  return many_destroy(&h);
}

static PetscErrorCode run(void) {
  int size, groups[8], count = 0;
  HgErrorSetPatience(100); /* all come, on a machine as slow as it may be */
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (int g = 1; g <= size; g++)
    if (size % g == 0 && COUNT % g == 0) groups[count++] = g;
  groups[count++] = 1;
  PetscCall(claim_clear("evaluations otherwise failing-*"));
  PetscCall(check_splits(count, groups));
  return size % 2 ? 0 : check_refusals(2);
}

CLAIM("evaluations of groups are kept once and serve any split", 0, run)
