/* SPDX-License-Identifier: BSD-2-Clause */
/* Misfit of a whole field at one time. */
#include <halograd/error_library.h>
#include <halograd/objective_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>
#include <halograd/sum_library.h>
#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct {
  char name[32];
  int index; /* in q */
  long step;
  HgState data;
  int data_index;
  double sigma;
  int directions;
  HgSum squares, *products; /* of each direction */
  HgObjective objective;    /* it belongs to */
  HgReal *du;               /* [directions][rows][nx], for Gauss-Newton; NULL: not kept */
} Snapshot;

static HgReal *kept_row(const Snapshot *s, int v, int row) {
  const size_t nx = (size_t)HgMeshGetPatch(HgStateMesh(s->data))->nx;
  const int rows = HgStateRowCount(s->data, s->data_index);
  return s->du + ((size_t)v * (size_t)rows + (size_t)row) * nx;
}

static PetscErrorCode snapshot_start(void *self, int directions) {
  Snapshot *s = self;
  if (directions != s->directions) {
    PetscCall(PetscFree(s->products));
    PetscCall(PetscMalloc1(directions, &s->products));
    PetscCall(PetscFree(s->du));
    s->directions = directions;
  }
  HgSumReset(&s->squares);
  for (int v = 0; v < directions; v++) HgSumReset(&s->products[v]);
  return 0;
}

static long snapshot_next(const void *self, long n) {
  const long step = ((const Snapshot *)self)->step;
  return n <= step ? step : HG_NO_STEP;
}

static PetscErrorCode snapshot_observe(void *self, long n, const HgMisfitSight *sight) {
  Snapshot *s = self;
  if (n != s->step) return 0;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(sight->q));
  const bool keeps = sight->dq && HgObjectiveIsGaussNewton(s->objective);
  const int rows = HgStateRowCount(sight->q, s->index);
  double *r, *dr;
  PetscCall(PetscMalloc2(p->nx, &r, p->nx, &dr));
  if (keeps && !s->du)
    PetscCall(PetscMalloc1((size_t)sight->directions * (size_t)rows * (size_t)p->nx, &s->du));
  for (int n = 0; n < rows; n++) {
    const HgReal *const u = HgStateRow(sight->q, s->index, n), *const d = HgStateRow(
                                                                   s->data, s->data_index, n);
    for (int i = 0; i < p->nx; i++) r[i] = (u[i] - d[i]) / s->sigma;
    HgSumAddProducts(&s->squares, (size_t)p->nx, r, r);
    for (int v = 0; sight->dq && v < sight->directions; v++) {
      const HgReal *du = HgStateRow(sight->dq, HgMisfitDot(sight, s->index, v), n);
      for (int i = 0; i < p->nx; i++) dr[i] = du[i] / s->sigma;
      HgSumAddProducts(&s->products[v], (size_t)p->nx, r, dr);
      if (keeps) PetscCall(PetscArraycpy(kept_row(s, v, n), du, p->nx));
    }
  }
  return PetscFree2(r, dr);
}

static PetscErrorCode snapshot_value(void *self, HgSum *squares, HgSum products[]) {
  Snapshot *s = self;
  HgSumAddSum(squares, &s->squares);
  for (int v = 0; v < s->directions; v++) HgSumAddSum(&products[v], &s->products[v]);
  return 0;
}

static PetscErrorCode snapshot_gradient(void *self, long n, HgState q, double J_bar,
                                        HgState q_bar) {
  Snapshot *s = self;
  if (n != s->step) return 0;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  const double weight = J_bar / (s->sigma * s->sigma);
  for (int k = 0; k < HgStateRowCount(q, s->index); k++) {
    const HgReal *const u = HgStateRow(q, s->index, k), *const d =
                                                            HgStateRow(s->data, s->data_index, k);
    HgReal *const u_bar = HgStateRow(q_bar, s->index, k);
    for (int i = 0; i < p->nx; i++) u_bar[i] += weight * (u[i] - d[i]);
  }
  return 0;
}

static PetscErrorCode snapshot_second(void *self, long n, HgState q, int v, int shift, double J_bar,
                                      HgState q_bar) {
  Snapshot *s = self;
  if (n != s->step) return 0;
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  const int dot = s->index + (v + 1) * shift;
  const double weight = J_bar / (s->sigma * s->sigma);
  for (int k = 0; k < HgStateRowCount(q_bar, dot); k++) {
    const HgReal *const du = shift ? HgStateRow(q, dot, k) : kept_row(s, v, k);
    for (int i = 0; i < p->nx; i++) HgStateRow(q_bar, dot, k)[i] += weight * du[i];
  }
  return 0;
}

static void snapshot_text(const void *self, size_t size, char text[]) {
  const Snapshot *s = self;
  snprintf(text, size, "snapshot of '%s' at step %ld", s->name, s->step);
}

/* The limbs of a sum over all ranks, each of which a double holds exactly. */
static size_t snapshot_kept(const void *self) {
  (void)self;
  return HG_SUM_LIMBS + 1;
}

static PetscErrorCode snapshot_keep(void *self, double value[]) {
  Snapshot *s = self;
  HgSum total = s->squares, carried;
  double unused;
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(s->data)), 1, &total, &unused));
  HgSumReset(&carried);
  HgSumAddSum(&carried, &total);
  for (int k = 0; k < HG_SUM_LIMBS; k++) value[k] = (double)carried.limb[k];
  value[HG_SUM_LIMBS] = (double)carried.not_finite;
  return 0;
}

static void snapshot_restore(void *self, const double value[]) {
  Snapshot *s = self;
  HgSum *const sum = &s->squares;
  int rank;
  MPI_Comm_rank(HgMeshComm(HgStateMesh(s->data)), &rank);
  for (int k = 0; !rank && k < HG_SUM_LIMBS; k++) sum->limb[k] = (int64_t)value[k];
  if (!rank) sum->not_finite = (int64_t)value[HG_SUM_LIMBS];
}

static PetscErrorCode snapshot_digest(void *self, uint64_t *digest) {
  Snapshot *s = self;
  char hex[17], text[160];
  PetscCall(HgStateDigest(s->data, s->name, hex));
  const int n = snprintf(text, sizeof text, "%s %ld %a %s", s->name, s->step, s->sigma, hex);
  *digest = XXH3_64bits_withSeed(text, (size_t)n, *digest);
  return 0;
}

static PetscErrorCode snapshot_destroy(void *self) {
  PetscCall(PetscFree(((Snapshot *)self)->products));
  PetscCall(PetscFree(((Snapshot *)self)->du));
  return PetscFree(self);
}

/* Are `data` a field `name` that the program carries, and which? */
static PetscErrorCode find_field(HgProgram program, const char name[], HgState data, int *index,
                                 int *data_index) {
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  PetscCall(HgProgramFindCarried(program, name, index));
  HgRequire(
      comm, HgStateMesh(data) == HgProgramMesh(program), HG_ERR_DATA,
      "objective: snapshot data of '%s' is on another mesh, expected that of the program '%s'",
      name, HgProgramName(program));
  PetscCall(HgStateIndex(data, name, data_index));
  HgRequire(comm, HgStateVariable(data, *data_index)->kind == HG_FIELD, HG_ERR_DATA,
            "objective: snapshot data: '%s' is no field there, expected one", name);
  return 0;
}

PetscErrorCode HgObjectiveAddSnapshot(HgObjective objective, const char name[], long step,
                                      HgState data, double sigma) {
  static const HgMisfitTable table = {.start = snapshot_start,
                                      .next = snapshot_next,
                                      .observe = snapshot_observe,
                                      .value = snapshot_value,
                                      .gradient = snapshot_gradient,
                                      .second = snapshot_second,
                                      .reads_state = true,
                                      .kept = snapshot_kept,
                                      .keep = snapshot_keep,
                                      .restore = snapshot_restore,
                                      .digest = snapshot_digest,
                                      .destroy = snapshot_destroy,
                                      .text = snapshot_text};
  const HgProgram program = HgObjectiveProgram(objective);
  const MPI_Comm comm = HgMeshComm(HgProgramMesh(program));
  const long steps = HgObjectiveSteps(objective);
  PetscCall(HgRequireAlike(comm, "a snapshot of '%s' at step %ld with deviation %.17g", name, step,
                           sigma));
  HgRequire(comm, step >= 0 && step <= steps, HG_ERR_DATA,
            "objective: snapshot of '%s' at step %ld, expected 0 to %ld", name, step, steps);
  HgRequire(comm, isfinite(sigma) && sigma > 0, HG_ERR_ARGUMENT,
            "objective: standard deviation of '%s' is %g, expected a positive finite number", name,
            sigma);
  int index, data_index;
  bool finite;
  char where[256];
  PetscCall(find_field(program, name, data, &index, &data_index));
  PetscCall(HgStateFinite(data, &finite, where, sizeof where));
  HgRequire(comm, finite, HG_ERR_NOT_FINITE,
            "objective: snapshot data: %s, expected finite numbers", where);
  Snapshot *s;
  PetscCall(PetscNew(&s));
  s->index = index, s->data_index = data_index;
  PetscCall(PetscStrncpy(s->name, name, sizeof s->name));
  s->step = step, s->data = data, s->sigma = sigma, s->objective = objective;
  const HgMeshSpec *mesh = HgMeshGetSpec(HgProgramMesh(program));
  return HgObjectiveAdd(objective, &table, s,
                        (double)mesh->nx * mesh->ny * HgStateLevels(data, data_index));
}
