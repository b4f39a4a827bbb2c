/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/error_library.h>
#include <halograd/experiments_library.h>
#include <halograd/mesh_library.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <stdio.h>
#include <string.h>

struct HgExperiments_s {
  MPI_Comm all; /* ranks */
  HgGroup group;
  int count;
  int size, *batch;
};

/* Lists the numbers of groups that divide both, as text. */
static void possible_groups(int ranks, int count, char text[], size_t size) {
  *text = 0;
  for (int g = 1; g <= PetscMin(ranks, count) && strlen(text) + 16 < size; g++)
    if (ranks % g == 0 && count % g == 0) HgSentenceAdd(size, text, "%s%d", *text ? ", " : "", g);
}

PetscErrorCode HgExperimentsCreate(MPI_Comm comm, int count, int groups,
                                   HgExperiments *experiments) {
  int rank, ranks;
  char possible[256];
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  HgRequire(comm, count >= 1, HG_ERR_CONTROL,
            "experiments: %d experiments given, expected at least one", count);
  HgRequire(comm, groups >= 0, HG_ERR_CONTROL,
            "experiments: %d groups given, expected at least one", groups);
  if (!groups) groups = PetscMin(ranks, count);
  possible_groups(ranks, count, possible, sizeof possible);
  HgRequire(comm, ranks % groups == 0 && count % groups == 0, HG_ERR_CONTROL,
            "experiments: %d experiments on %d ranks cannot be dealt evenly to %d groups, expected "
            "a number of groups that divides both: %s",
            count, ranks, groups, possible);
  HgExperiments x;
  PetscCall(PetscNew(&x));
  x->count = count, x->group.count = groups, x->group.number = rank / (ranks / groups);
  PetscCall(PetscMalloc1(count, &x->batch));
  PetscCallMPI(MPI_Comm_dup(comm, &x->all));
  PetscCallMPI(MPI_Comm_split(comm, x->group.number, rank, &x->group.comm));
  PetscCallMPI(MPI_Comm_split(comm, rank % (ranks / groups), rank, &x->group.across));
  PetscCall(HgCommSetGroup(x->group.comm, HgCommGroup(comm) * groups + x->group.number));
  if (groups > 1) HgErrorHold(true);
  *experiments = x;
  return HgExperimentsSetBatch(x, count, NULL);
}

PetscErrorCode HgExperimentsDestroy(HgExperiments *experiments) {
  HgExperiments x = *experiments;
  *experiments = NULL;
  if (!x) return 0;
  if (x->group.count > 1) HgErrorHold(false);
  if (x->group.count > 1) PetscCall(HgCommSayOthers(x->all));
  PetscCallMPI(MPI_Comm_free(&x->all));
  PetscCallMPI(MPI_Comm_free(&x->group.comm));
  PetscCallMPI(MPI_Comm_free(&x->group.across));
  PetscCall(PetscFree(x->batch));
  return PetscFree(x);
}

const HgGroup *HgExperimentsGroup(HgExperiments x) { return &x->group; }

PetscErrorCode HgExperimentsTell(HgExperiments x, PetscErrorCode ierr) {
  return x->group.count > 1 ? HgErrorMeet(x->all, ierr) : ierr;
}

static PetscErrorCode set_batch(HgExperiments x, int size, const int batch[]) {
  HgRequire(x->all, size >= 1 && size <= x->count, HG_ERR_CONTROL,
            "experiments: a batch of %d given, expected 1 to %d experiments", size, x->count);
  for (int k = 0; k < size; k++) {
    const int e = batch ? batch[k] : k;
    HgRequire(x->all, e >= 0 && e < x->count, HG_ERR_CONTROL,
              "experiments: experiment %d in a batch, expected 0 to %d", e, x->count - 1);
  }
  for (int k = 0; k < size; k++) x->batch[k] = batch ? batch[k] : k;
  x->size = size;
  return 0;
}

PetscErrorCode HgExperimentsSetBatch(HgExperiments x, int size, const int batch[]) {
  return HgExperimentsTell(x, set_batch(x, size, batch));
}

PetscErrorCode HgExperimentsDraw(HgExperiments x, int size, uint64_t seed, long n) {
  int *batch;
  const bool part = size >= 1 && size <= x->count;
  if (!part) return HgExperimentsSetBatch(x, size ? size : x->count, NULL);
  PetscCall(PetscMalloc1(size, &batch));
  HgStochasticDraw(seed, n, x->count, size, batch);
  const PetscErrorCode ierr = HgExperimentsSetBatch(x, size, batch);
  PetscCall(PetscFree(batch));
  return ierr;
}

PetscErrorCode HgExperimentsFile(const char option[], const char pattern[], int e, size_t size,
                                 char path[]) {
  const char *const at = strstr(pattern, "%d");
  HgRequire(PETSC_COMM_WORLD, at, HG_ERR_OPTION_RANGE,
            "option %s: '%s' is one file for all experiments, expected a name with %%d in it, "
            "which stands for the number of the experiment",
            option, pattern);
  snprintf(path, size, "%.*s%d%s", (int)(at - pattern), pattern, e, at + 2);
  return 0;
}

/* ---- the functional ---- */
typedef struct {
  HgExperiments x;
  int count;
  HgOperator *part, named; /* the part that was given out last, with the number of its experiment */
  HgState J, J_bar, dJ_bar, m_bar, dm_bar;
  /* Of this group's experiments the gradients and, of second derivatives, dm_bar behind each; their
     sums over all groups. */
  double **own, *total;
} Functional;

typedef enum { VALUE, TANGENT, GRADIENT, ADJOINT, SECOND } What;

/* *J: a value or its tangent. What goes back is in f->m_bar and f->dm_bar. */
static PetscErrorCode evaluate(Functional *f, What what, HgOperator part, HgState m, HgState dm,
                               double *J) {
  *J = 0;
  switch (what) {
  case GRADIENT: return HgOperatorGradient(part, m, J, f->m_bar);
  case ADJOINT: return HgOperatorTranspose(part, m, f->J_bar, f->m_bar);
  case SECOND: return HgOperatorSecond(part, m, dm, f->J_bar, f->dJ_bar, f->m_bar, f->dm_bar);
  case TANGENT: PetscCall(HgOperatorTangent(part, m, dm, f->J)); break;
  case VALUE: PetscCall(HgOperatorApply(part, m, f->J)); break;
  }
  *J = HgStateArray(f->J, 0)[0];
  return 0;
}

/* Evaluates this group's experiments one after another. The first `states` of f->m_bar and
   f->dm_bar are stored in f->own. */
static PetscErrorCode run_own(Functional *f, What what, HgState m, HgState dm, int states,
                              HgSum *sum) {
  const HgExperiments x = f->x;
  const size_t length = HgStateLength(m);
  for (int k = x->group.number, n = 0; k < x->size; k += x->group.count, n++) {
    const int e = x->batch[k];
    double J;
    HgRequire(x->group.comm, f->part[e], HG_ERR_CONTROL,
              "experiments: group %d is to run experiment %d, but has no operator for it",
              x->group.number, e);
    PetscCall(evaluate(f, what, f->part[e], m, dm, &J));
    HgSumAdd(sum, 1, &J);
    if (!states) continue;
    if (!f->own[n]) PetscCall(PetscMalloc1(2 * length, &f->own[n]));
    HgStatePack(f->m_bar, f->own[n]);
    if (states > 1) HgStatePack(f->dm_bar, f->own[n] + length);
  }
  return 0;
}

/* The same over all groups: *J and, unless NULL, m_bar and dm_bar (overwritten). */
static PetscErrorCode run_all(Functional *f, What what, HgState m, HgState dm, double *J,
                              HgState m_bar, HgState dm_bar) {
  const HgExperiments x = f->x;
  const double scale = (double)x->count / x->size;
  const int states = dm_bar ? 2 : m_bar ? 1 : 0;
  const size_t length = HgStateLength(m), n = (size_t)states * length;
  const int own =
      x->size > x->group.number ? (x->size - x->group.number - 1) / x->group.count + 1 : 0;
  HgSum sum;
  HgSumReset(&sum);
  PetscCall(HgExperimentsTell(x, run_own(f, what, m, dm, states, &sum)));
  PetscCall(HgSumReduce(x->group.across, 1, &sum, J));
  *J *= scale;
  if (!states) return 0;
  PetscCall(HgSumElements(x->group.across, own, (const double *const *)f->own, n, f->total));
  for (size_t i = 0; i < n; i++) f->total[i] *= scale;
  if (m_bar) HgStateUnpack(f->total, m_bar);
  if (dm_bar) HgStateUnpack(f->total + length, dm_bar);
  return 0;
}

static PetscErrorCode functional_apply(void *self, HgState m, HgState J) {
  return run_all(self, VALUE, m, NULL, HgStateArray(J, 0), NULL, NULL);
}

static PetscErrorCode functional_tangent(void *self, HgState m, HgState dm, HgState dJ) {
  return run_all(self, TANGENT, m, dm, HgStateArray(dJ, 0), NULL, NULL);
}

static PetscErrorCode functional_adjoint(void *self, HgState m, HgState J_bar, HgState m_bar) {
  Functional *f = self;
  double unused;
  PetscCall(HgStateCopy(J_bar, f->J_bar));
  PetscCall(run_all(f, ADJOINT, m, NULL, &unused, f->m_bar, NULL));
  return HgStateAXPY(m_bar, 1, f->m_bar);
}

static PetscErrorCode functional_gradient(void *self, HgState m, double *J, HgState m_bar) {
  return run_all(self, GRADIENT, m, NULL, J, m_bar, NULL);
}

/* A sum's second derivatives are the sum of those of its terms. */
static PetscErrorCode functional_second(void *self, HgState m, HgState dm, HgState J_bar,
                                        HgState dJ_bar, HgState m_bar, HgState dm_bar) {
  Functional *f = self;
  double unused;
  PetscCall(HgStateCopy(J_bar, f->J_bar));
  PetscCall(HgStateCopy(dJ_bar, f->dJ_bar));
  return run_all(f, SECOND, m, dm, &unused, m_bar, dm_bar);
}

/* Part k is the k-th experiment of the batch, on the group that runs it. */
static PetscErrorCode functional_part(void *self, HgState x, int k, HgOperator *part, HgState *at) {
  Functional *f = self;
  char name[32];
  PetscCall(HgOperatorDestroy(&f->named));
  if (k >= f->x->size) return 0;
  const int e = f->x->batch[k];
  PetscCall(HgStateDuplicate(x, at));
  PetscCall(HgStateCopy(x, *at));
  if (k % f->x->group.count != f->x->group.number || !f->part[e]) return 0;
  snprintf(name, sizeof name, "experiment %d", e);
  PetscCall(HgOperatorChain(name, 1, &f->part[e], &f->named));
  *part = f->named;
  return 0;
}

static PetscErrorCode functional_destroy(void *self) {
  Functional *f = self;
  PetscCall(HgOperatorDestroy(&f->named));
  PetscCall(HgStatesDestroy(&f->J, &f->J_bar, &f->dJ_bar, &f->m_bar, &f->dm_bar));
  for (int k = 0; k < f->count; k++) {
    PetscCall(PetscFree(f->own[k]));
    PetscCall(HgOperatorDestroy(&f->part[k]));
  }
  PetscCall(PetscFree3(f->part, f->own, f->total));
  return PetscFree(f);
}

/* The parts of this group have the controls of the first one. */
static PetscErrorCode check_parts(HgExperiments x, HgOperator parts[], HgOperator first) {
  HgRequire(x->group.comm, first, HG_ERR_CONTROL, "experiments: group %d has no operator at all",
            x->group.number);
  HgState m, other;
  PetscCall(HgOperatorCreateInput(first, &m));
  for (int e = 0; e < x->count; e++) {
    if (!parts[e]) continue;
    PetscCall(HgOperatorCreateInput(parts[e], &other));
    const bool same = HgStateSame(m, other);
    PetscCall(HgStateDestroy(&other));
    HgRequire(x->group.comm, same, HG_ERR_CONTROL,
              "experiments: experiment %d has other controls than '%s'", e, HgOperatorName(first));
  }
  return HgStateDestroy(&m);
}

static bool functional_active(void *self, int k) {
  const Functional *f = self;
  for (int e = 0; e < f->count; e++)
    if (f->part[e] && !HgOperatorActive(f->part[e], k)) return false;
  return true;
}

PetscErrorCode HgExperimentsFunctional(HgExperiments x, HgOperator parts[],
                                       HgOperator *functional) {
  static const HgOperatorTable table = {functional_apply,    functional_tangent, functional_adjoint,
                                        functional_gradient, functional_destroy, functional_second};
  HgOperator first = NULL;
  for (int e = x->count - 1; e >= 0; e--) first = parts[e] ? parts[e] : first;
  PetscCall(HgExperimentsTell(x, check_parts(x, parts, first)));
  Functional *f;
  PetscCall(PetscNew(&f));
  f->x = x, f->count = x->count;
  PetscCall(HgOperatorCreateInput(first, &f->m_bar));
  PetscCall(HgFunctionalOutput(HgStateMesh(f->m_bar), &f->J));
  PetscCall(HgStateDuplicate(f->J, &f->J_bar));
  PetscCall(HgStateDuplicate(f->J, &f->dJ_bar));
  PetscCall(HgStateDuplicate(f->m_bar, &f->dm_bar));
  PetscCall(
      PetscCalloc3(x->count, &f->part, x->count, &f->own, 2 * HgStateLength(f->m_bar), &f->total));
  memcpy(f->part, parts, (size_t)x->count * sizeof *parts);
  for (int e = 0; e < x->count; e++) PetscCall(HgOperatorReference(parts[e]));
  PetscCall(HgOperatorCreate("experiments", f->m_bar, f->J, &table, f, functional));
  HgOperatorSetParts(*functional, functional_part);
  if (x->group.count > 1) HgOperatorSetAcross(*functional, x->group.across);
  HgOperatorSetActive(*functional, functional_active);
  return 0;
}
