/* SPDX-License-Identifier: BSD-2-Clause */
/* Groups of one rank each, which are well; or one of them fails, -what says where: groups_errors.py
   looks at how the job ends.
     experiment  in its experiment, while the others are in theirs for a minute
     between     between two evaluations, which the others begin
     all         every group fails alike
     late        every group fails alike, the last one half a minute late
     journal     all keep their own evaluations in one directory: one of them has the lock */
#include "destroy.h"
#include "many_heats.h"
#include <halograd/inversion_library.h>
#include <halograd/state_library.h>
#include <string.h>
#include <time.h>

enum { CULPRIT = 2 };

static char what[16];

typedef struct {
  HgExperiments x;
  int seconds;
} Planted;

static PetscErrorCode planted_apply(void *self, HgState x, HgState y) {
  const Planted *p = self;
  (void)x, (void)y;
  nanosleep(&(struct timespec){p->seconds, 0}, NULL);
  HgRequire(HgExperimentsGroup(p->x)->comm, p->seconds, HG_ERR_CHECK_FAILED,
            "planted: experiment of group %d fails", HgExperimentsGroup(p->x)->number);
  return 0;
}

static PetscErrorCode planted_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  (void)self, (void)x, (void)y_bar, (void)x_bar;
  return 0;
}

static PetscErrorCode in_experiment(ManyHeats *h, HgState m, HgState J) {
  static const HgOperatorTable table = {planted_apply, NULL, planted_adjoint, NULL, NULL};
  const int group = HgExperimentsGroup(h->experiments)->number;
  Planted p = {h->experiments, group == CULPRIT ? 0 : 60};
  HgOperator planted, sum;
  PetscCall(HgOperatorCreate("planted", m, J, &table, &p, &planted));
  h->part[group] = planted;
  PetscCall(HgExperimentsFunctional(h->experiments, h->part, &sum));
  PetscCall(HgOperatorApply(sum, m, J));
  return DESTROY(&sum, &planted);
}

static PetscErrorCode fail(ManyHeats *h, HgState m, HgState J) {
  const int group = HgExperimentsGroup(h->experiments)->number,
            groups = HgExperimentsGroup(h->experiments)->count;
  const MPI_Comm comm = HgExperimentsGroup(h->experiments)->comm;
  if (!strcmp(what, "experiment")) return in_experiment(h, m, J);
  if (!strcmp(what, "journal")) {
    HgInversion inversion;
    HgIterate last;
    const char *reason;
    int found;
    PetscCall(HgInversionCreate(h->J, &inversion));
    PetscCall(HgInversionSetJournal(inversion, MPI_COMM_NULL, "evaluations", &found));
    PetscCall(HgInversionSolve(inversion, m, &last, &reason));
    return HgInversionDestroy(&inversion);
  }
  if (!strcmp(what, "late") && group == groups - 1) nanosleep(&(struct timespec){30, 0}, NULL);
  HgRequire(comm, !strcmp(what, "between") && group != CULPRIT, HG_ERR_CHECK_FAILED,
            "planted: group %d fails", !strcmp(what, "between") ? group : 0);
  return HgOperatorApply(h->J, m, J);
}

static PetscErrorCode run(void) {
  ManyHeats h;
  HgState m, J;
  int size;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-what", what, sizeof what, NULL));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(many_create(PETSC_COMM_WORLD, size, size, 0, 0, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  PetscCall(HgOperatorCreateOutput(h.J, &J));
  PetscCall(HgOperatorApply(h.J, m, J)); /* which is well */
  if (*what) PetscCall(fail(&h, m, J));
  PetscCall(HgStatesDestroy(&m, &J));
  return many_destroy(&h);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
