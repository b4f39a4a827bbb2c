/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the check of a sum over experiments that fails names the experiment and the step whose
   adjoint is wrong, once, whichever group runs it, also where that sum is part of another operator;
   where all experiments are right, that is said. */
#include "caught.h"
#include "claim.h"
#include "many_heats.h"
#include "wrong_adjoint.h"
#include <halograd/check_library.h>
#include <halograd/control.h>
#include <halograd/operator_library.h>

enum { COUNT = 4, CULPRIT = 2 };

static HgStencil wrong;

static void spoilt(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                   const HgRowsOut x_bar[]) {
  hg_heat_forced.adjoint(b, params, x, y_bar, x_bar);
  for (int k = 0; hg_heat_forced.reads[k].name; k++) {
    if (!x_bar[k]) continue;
    for (int j = b->j0; j < b->j1; j++)
      for (int i = b->i0; i < b->i1; i++) x_bar[k][j][i] += 0.1 * y_bar[0][j][i];
    return;
  }
}

/* Experiment CULPRIT of `h` with a program whose adjoint is wrong. */
typedef struct {
  HgProgram program;
  HgTrajectory trajectory;
  HgOperator misfit, part, J;
} Spoilt;

static PetscErrorCode spoil(ManyHeats *h, Spoilt *s) {
  const HgHeatParams steady = {0};
  HgOperator parts[COUNT];
  memcpy(parts, h->part, sizeof parts);
  wrong = hg_heat_forced, wrong.adjoint = spoilt;
  PetscCall(HgProgramCreate(h->mesh, "spoilt heat", HgProgramTimeStep(h->program), &s->program));
  PetscCall(HgProgramAddStencil(s->program, &wrong, &steady));
  PetscCall(HgProgramSetBoundary(s->program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(s->program));
  PetscCall(
      HgTrajectoryCreate(s->program, MANY_STEPS, h->objective[CULPRIT], h->store, &s->trajectory));
  PetscCall(HgTrajectoryOperator(s->trajectory, &s->misfit));
  PetscCall(HgOperatorChain("part", 2, (HgOperator[]){h->control[CULPRIT], s->misfit}, &s->part));
  parts[CULPRIT] = s->part;
  return HgExperimentsFunctional(h->experiments, parts, &s->J);
}

static PetscErrorCode unspoil(Spoilt *s) {
  return DESTROY(&s->J, &s->part, &s->misfit, &s->trajectory, &s->program);
}

/* All that the check of `op` prints, on every group; quiet as HgRunCheck() makes them. */
static PetscErrorCode printed(HgExperiments x, HgOperator op, HgState m, char text[], int size) {
  const HgCheckOptions options = {
      .seed = 3, .dot_bound = 1e-11, .quiet = HgExperimentsGroup(x)->number > 0};
  FILE *const usual = caught_begin();
  char *all;
  const int ranks = claim.ranks;
  bool passed;
  PetscCall(HgCheckOperator(op, m, &options, &passed));
  caught_end(usual, text, (size_t)size);
  PetscCall(PetscMalloc1((size_t)ranks * (size_t)size, &all));
  PetscCallMPI(MPI_Allgather(text, size, MPI_CHAR, all, size, MPI_CHAR, PETSC_COMM_WORLD));
  *text = 0;
  for (int r = 0; r < ranks; r++) {
    const size_t used = strlen(text);
    snprintf(text + used, (size_t)size - used, "%s", all + (size_t)r * (size_t)size);
  }
  claim_that(passed == !strstr(text, "FAILED"), "passed is %d: %s", passed, text);
  return PetscFree(all);
}

static PetscErrorCode expect_named(ManyHeats *h, HgOperator J, HgState m, int lines) {
  char text[8192], experiment[32];
  PetscCall(printed(h->experiments, J, m, text, sizeof text));
  snprintf(experiment, sizeof experiment, "check experiment %d: ", CULPRIT);
  claim_that(lines_of(text) == lines && strstr(text, experiment) &&
                 strstr(text, "check spoilt heat step: "),
             "%d groups: expected %d lines, experiment %d and its step: %s",
             HgExperimentsGroup(h->experiments)->count, lines, CULPRIT, text);
  return 0;
}

/* ---- all experiments right, their sum wrong: an adjoint that forgets to call its part's ---- */
static HgOperator whole;

static PetscErrorCode whole_part(void *self, HgState x, int k, HgOperator *part, HgState *at) {
  return HgOperatorPart(self, x, k, part, at);
}

static PetscErrorCode expect_composition_blamed(ManyHeats *h, HgState m) {
  HgState J;
  char text[8192];
  PetscCall(HgOperatorCreateOutput(h->J, &J));
  PetscCall(HgOperatorCreate("whole", m, J, &forgetful, h->J, &whole));
  HgOperatorSetParts(whole, whole_part);
  HgOperatorSetAcross(whole, HgOperatorAcross(h->J));
  PetscCall(printed(h->experiments, whole, m, text, sizeof text));
  claim_that(lines_of(text) == 2 && strstr(text, "check whole: all of its parts pass"),
             "%d groups: a sum that is wrong is blamed: %s",
             HgExperimentsGroup(h->experiments)->count, text);
  return DESTROY(&J, &whole);
}

static PetscErrorCode of_groups(int groups) {
  ManyHeats h;
  Spoilt s;
  HgState m;
  HgOperator R, sum;
  char text[8192];
  PetscCall(many_create(PETSC_COMM_WORLD, COUNT, groups, 0, 0, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  PetscCall(HgStateRandom(m, 5));
  PetscCall(spoil(&h, &s));
  PetscCall(printed(h.experiments, h.J, m, text, sizeof text));
  claim_that(lines_of(text) == 1, "%d groups: nothing is wrong, one line: %s", groups, text);
  PetscCall(expect_named(&h, s.J, m, 5));
  PetscCall(HgRegularisationCreate(m, &(HgRegularisation){"m", 1, 0, 0, NULL}, &R));
  PetscCall(HgOperatorSum("J", 2, (HgOperator[]){s.J, R}, &sum));
  PetscCall(expect_named(&h, sum, m, 6));
  PetscCall(expect_composition_blamed(&h, m));
  PetscCall(DESTROY(&sum, &R));
  PetscCall(unspoil(&s));
  PetscCall(HgStateDestroy(&m));
  return many_destroy(&h);
}

static PetscErrorCode run(void) {
  const int size = claim.ranks;
  for (int groups = 1; groups <= COUNT; groups++)
    if (size % groups == 0 && COUNT % groups == 0) PetscCall(of_groups(groups));
  return 0;
}

CLAIM("the check of a sum over experiments names what is wrong in them", 3, run)
