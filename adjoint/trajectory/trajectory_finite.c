/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a gradient that is not finite began not to be: looked for afterwards, by the gradient
   once more, each step by itself; all that a run spends is one look at x_bar. */
#include "gradient_private.h"
#include <halograd/error_library.h>
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <halograd/trajectory_library.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum { WORDS = 1024 };

typedef struct {
  HgTrajectory t;
  HgProgram program;
  HgState constants, after; /* after: lambda_{n+1} */
  double J_bar;
  bool found, named; /* named: the term, too */
  char words[WORDS];
} Search;

static long next_step(void *self, HgMode direction, long n) {
  const bool sees = direction == HG_PRIMAL ? n == 0 : !((Search *)self)->found;
  return sees ? n : HG_NO_STEP;
}

/* The first cell, in natural order, in which a field is not finite. */
static long first_cell(HgState x) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(x));
  long first = LONG_MAX;
  for (int k = 0; k < HgStateCount(x); k++)
    for (int n = 0; HgStateVariable(x, k)->kind == HG_FIELD && n < HgStateRowCount(x, k); n++) {
      const long row = (long)(n / p->ny) * s->ny + p->j_global + n % p->ny;
      for (int i = 0; i < p->nx; i++)
        if (!isfinite(HgStateRow(x, k, n)[i]))
          first = PetscMin(first, row * s->nx + p->i_global + i);
    }
  return first;
}

/* Adds what the operator read there: at 0 a derivative may be infinite. */
static PetscErrorCode add_inputs(Search *s, const HgTermSight *sight) {
  const HgMesh mesh = HgStateMesh(sight->at);
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *m = HgMeshGetSpec(mesh);
  const long own = first_cell(sight->x_bar);
  char words[256] = "";
  long first;
  int owner, rank;
  PetscCallMPI(MPI_Comm_rank(HgMeshComm(mesh), &rank));
  PetscCallMPI(MPI_Allreduce(&own, &first, 1, MPI_LONG, MPI_MIN, HgMeshComm(mesh)));
  if (first == LONG_MAX) return 0;
  const int i = (int)(first % m->nx) - p->i_global, j = (int)(first / m->nx % m->ny) - p->j_global,
            level = (int)(first / m->nx / m->ny);
  bool zero = false;
  for (int k = 0; own == first && k < HgStateCount(sight->at); k++) {
    if (HgStateVariable(sight->at, k)->kind != HG_FIELD) continue;
    const int levels = HgStateLevels(sight->at, k);
    const double x = HgStateLevel(sight->at, k, PetscMin(level, levels - 1))[j][i];
    HgSentenceAdd(sizeof words, words, "%s %s = %g", *words ? "," : "; there",
                  HgStateVariable(sight->at, k)->name, x);
    zero = zero || x == 0;
  }
  if (zero)
    HgSentenceAdd(
        sizeof words, words,
        ": derivatives of sqrt(x), powers and quotients are infinite at 0, a small number "
        "added there avoids it");
  if (own != first) rank = -1;
  PetscCallMPI(MPI_Allreduce(&rank, &owner, 1, MPI_INT, MPI_MAX, HgMeshComm(mesh)));
  PetscCallMPI(MPI_Bcast(words, sizeof words, MPI_CHAR, owner, HgMeshComm(mesh)));
  HgSentenceAdd(WORDS, s->words, "%s", words);
  return 0;
}

/* Finds the first term whose adjoint gives numbers that are not finite from finite ones. */
static PetscErrorCode see_term(void *self, const HgTermSight *sight) {
  Search *s = self;
  bool given, made;
  char where[256];
  if (s->named) return 0;
  PetscCall(HgStateFinite(sight->y_bar, &given, where, sizeof where));
  PetscCall(HgStateFinite(sight->x_bar, &made, where, sizeof where));
  if (!given || made) return 0;
  s->named = true;
  HgSentenceAdd(WORDS, s->words, "; the adjoint of '%s' made it of finite cotangents: that of %s",
                sight->name, where);
  return add_inputs(s, sight);
}

/* Whether J's own part of lambda_n is not finite. */
static PetscErrorCode see_objective(Search *s, const HgTrajectorySight *sight) {
  HgState g;
  bool finite;
  char where[256];
  PetscCall(HgProgramCreateCarried(s->program, &g));
  PetscCall(HgObjectiveGradient(HgTrajectoryObjective(s->t), sight->n, sight->q, s->J_bar, g));
  PetscCall(HgStateFinite(g, &finite, where, sizeof where));
  s->named = !finite;
  if (!finite) HgSentenceAdd(WORDS, s->words, "; it is dJ/dq of that time alone");
  return HgStateDestroy(&g);
}

static PetscErrorCode blame(Search *s, const HgTrajectorySight *sight, const char where[]) {
  s->found = true;
  HgSentenceAdd(WORDS, s->words, "lambda_%ld (t = %g s), where %s", sight->n, sight->t, where);
  PetscCall(see_objective(s, sight));
  if (!s->named && sight->n < HgTrajectorySteps(s->t))
    PetscCall(
        HgProgramTermsAdjoint(s->program, sight->n, s->constants, sight->q, s->after, see_term, s));
  if (!s->named)
    HgSentenceAdd(WORDS, s->words, "; each operator of that step alone makes finite numbers");
  return 0;
}

static PetscErrorCode search_step(void *self, const HgTrajectorySight *sight) {
  Search *s = self;
  bool finite;
  char where[256];
  if (sight->direction == HG_PRIMAL)
    return s->constants ? HgStateCopy(sight->constants, s->constants) : 0;
  PetscCall(HgStateFinite(sight->state, &finite, where, sizeof where));
  if (finite && s->constants)
    PetscCall(HgStateFinite(sight->constants, &finite, where, sizeof where));
  return finite ? HgStateCopy(sight->state, s->after) : blame(s, sight, where);
}

/* A gradient at x that `observer` alone sees, and no error if it is not finite. */
static PetscErrorCode gradient_seen(HgTrajectory t, const HgTrajectoryObserver *observer, HgState x,
                                    double J_bar) {
  const int others = t->observers;
  HgState x_bar;
  double J;
  PetscCall(HgStateDuplicate(x, &x_bar));
  const HgTrajectorySuspended before = HgTrajectorySuspend(t);
  PetscErrorCode ierr = HgTrajectoryAddObserver(t, observer);
  t->examined = true;
  if (!ierr) ierr = HgTrajectoryGradient(t, x, J_bar, &J, x_bar);
  t->examined = false, t->observers = others;
  HgTrajectoryResume(t, &before);
  PetscCall(HgStateDestroy(&x_bar));
  return ierr;
}

static PetscErrorCode search(HgTrajectory t, HgState x, double J_bar, Search *s) {
  *s = (Search){.t = t, .program = HgTrajectoryProgram(t), .J_bar = J_bar};
  PetscCall(HgProgramCreateConstants(s->program, &s->constants));
  PetscCall(HgProgramCreateCarried(s->program, &s->after));
  const PetscErrorCode ierr = gradient_seen(
      t, &(HgTrajectoryObserver){.next = next_step, .see = search_step, .context = s}, x, J_bar);
  PetscCall(HgStatesDestroy(&s->constants, &s->after));
  return ierr;
}

PetscErrorCode HgTrajectoryRequireGradient(HgTrajectory t, HgState x, double J_bar, double J,
                                           HgState x_bar) {
  const HgProgram program = HgTrajectoryProgram(t);
  bool finite;
  char where[256];
  Search s;
  PetscCall(HgStateFinite(x_bar, &finite, where, sizeof where));
  if (finite) return 0;
  PetscCall(search(t, x, J_bar, &s));
  return HgError(HgMeshComm(HgProgramMesh(program)), HG_ERR_NOT_FINITE,
                 "trajectory of '%s': J is %g, but its gradient is not finite: %s%s",
                 HgProgramName(program), J, s.found ? "first in the reverse sweep " : where,
                 s.found ? s.words : ", and not if its steps are reversed one by one");
}
