/* Misfit of a whole field at one time. */
#include "objective_private.h"
#include <math.h>
#include <string.h>

typedef struct {
  char name[32];
  int index; /* in q */
  long step;
  HgState data;
  int data_index;
  double sigma;
  HgSum squares, products;
} Snapshot;

static PetscErrorCode snapshot_start(void *self) {
  Snapshot *s = self;
  HgSumReset(&s->squares);
  HgSumReset(&s->products);
  return 0;
}

static bool snapshot_needs(const void *self, long n) { return n == ((const Snapshot *)self)->step; }

static PetscErrorCode snapshot_observe(void *self, HgProgram program, long n, HgState q,
                                       HgState dq) {
  Snapshot *s = self;
  (void)program;
  if (n != s->step) return 0;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  double *const *u = HgStateRows(q, s->index), *const *d = HgStateRows(s->data, s->data_index);
  double *const *du = dq ? HgStateRows(dq, s->index) : NULL;
  double *r, *dr;
  PetscCall(PetscMalloc2(p->nx, &r, p->nx, &dr));
  for (int j = 0; j < p->ny; j++) {
    for (int i = 0; i < p->nx; i++) r[i] = (u[j][i] - d[j][i]) / s->sigma;
    HgSumAddProducts(&s->squares, (size_t)p->nx, r, r);
    if (!du) continue;
    for (int i = 0; i < p->nx; i++) dr[i] = du[j][i] / s->sigma;
    HgSumAddProducts(&s->products, (size_t)p->nx, r, dr);
  }
  return PetscFree2(r, dr);
}

static void snapshot_value(void *self, HgSum *squares, HgSum *products) {
  Snapshot *s = self;
  HgSumAddSum(squares, &s->squares);
  HgSumAddSum(products, &s->products);
}

static PetscErrorCode snapshot_gradient(void *self, long n, HgState q, double J_bar,
                                        HgState q_bar) {
  Snapshot *s = self;
  if (n != s->step) return 0;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  double *const *u = HgStateRows(q, s->index), *const *d = HgStateRows(s->data, s->data_index),
                *const *u_bar = HgStateRows(q_bar, s->index);
  const double weight = J_bar / (s->sigma * s->sigma);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) u_bar[j][i] += weight * (u[j][i] - d[j][i]);
  return 0;
}

static void snapshot_text(const void *self, size_t size, char text[]) {
  const Snapshot *s = self;
  snprintf(text, size, "snapshot of '%s' at step %ld", s->name, s->step);
}

static PetscErrorCode snapshot_destroy(void *self) { return PetscFree(self); }

PetscErrorCode HgObjectiveAddSnapshot(HgObjective objective, const char name[], long step,
                                      HgState data, double sigma) {
  static const HgMisfitTable table = {snapshot_start,   snapshot_needs,    snapshot_observe,
                                      snapshot_value,   snapshot_gradient, NULL,
                                      snapshot_destroy, snapshot_text};
  const HgProgram program = HgObjectiveProgram(objective);
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  HgRequire(comm, step >= 0 && step <= HgObjectiveSteps(objective),
            "objective: snapshot of '%s' at step %ld, expected 0 to %ld", name, step,
            HgObjectiveSteps(objective));
  HgRequire(comm, isfinite(sigma) && sigma > 0,
            "objective: standard deviation of '%s' is %g, expected a positive finite number", name,
            sigma);
  bool finite;
  char where[256];
  PetscCall(HgStateFinite(data, &finite, where, sizeof where));
  HgRequire(comm, finite, "objective: snapshot data: %s, expected finite numbers", where);
  HgState q;
  int index, data_index;
  PetscCall(HgProgramCreateCarried(program, &q));
  const PetscErrorCode ierr = HgStateIndex(q, name, &index);
  PetscCall(HgStateDestroy(&q));
  if (ierr) return ierr;
  PetscCall(HgStateIndex(data, name, &data_index));
  Snapshot *s;
  PetscCall(PetscNew(&s));
  s->index = index, s->data_index = data_index;
  PetscCall(PetscStrncpy(s->name, name, sizeof s->name));
  s->step = step, s->data = data, s->sigma = sigma;
  const HgMeshSpec *mesh = HgMeshGetSpec(HgProgramMesh(program));
  return HgObjectiveAdd(objective, &table, s, (double)mesh->nx * mesh->ny);
}
