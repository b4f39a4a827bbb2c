/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/collective_library.h>
#include <halograd/mesh_library.h>
#include <halograd/operator.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  HgCollective collective; /* NULL: this rank has none */
  int index;               /* of `in` and `out` */
  double *in[2], *out;     /* owned cells of fields, else NULL */
} Wrapped;

static PetscErrorCode wrapped_destroy(void *self) {
  Wrapped *w = self;
  PetscCall(HgCollectiveDestroy(&w->collective));
  PetscCall(PetscFree3(w->in[0], w->in[1], w->out));
  return PetscFree(w);
}

/* ---- the numbers of a variable: an array's own, or a field's owned cells in `cells` ---- */
static const double *numbers(HgState x, int k, double *cells) {
  if (HgStateVariable(x, k)->kind != HG_FIELD) return HgStateArray(x, k);
  const size_t nx = (size_t)HgMeshGetPatch(HgStateMesh(x))->nx;
  for (int n = 0; n < HgStateRowCount(x, k); n++)
    for (size_t i = 0; i < nx; i++) cells[(size_t)n * nx + i] = HgStateRow(x, k, n)[i];
  return cells;
}

/* Field k of y = cells, or += cells. */
static void put_cells(const double *cells, bool add, HgState y, int k) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(y));
  for (int n = 0; n < HgStateRowCount(y, k); n++) {
    HgReal *const u = HgStateRow(y, k, n);
    for (int i = 0; i < p->nx; i++) u[i] = *cells++ + (add ? u[i] : 0);
  }
  HgStateSetGhostDepth(y, k, 0);
}

static size_t cells_of(HgState x) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  return (size_t)p->nx * (size_t)p->ny * (size_t)HgMeshLevels(HgStateMesh(x));
}

/* For all variables but the collective's: y = x, or y += x. */
static PetscErrorCode pass(const Wrapped *w, HgState x, bool add, HgState y) {
  for (int k = 0; k < HgStateCount(x); k++) {
    if (k == w->index) continue;
    if (add) PetscCall(HgStateAXPYVariable(y, k, 1, x, k));
    else PetscCall(HgStateCopyVariable(x, k, y, k));
  }
  return 0;
}

/* ---- calls; with dx the tangent ---- */
static PetscErrorCode forward(Wrapped *w, HgState x, HgState dx, HgState y) {
  PetscCall(pass(w, dx ? dx : x, false, y));
  if (!w->collective) return 0;
  double *const out = w->out ? w->out : HgStateArray(y, w->index);
  const double *in = numbers(x, w->index, w->in[0]);
  if (dx) PetscCall(HgCollectiveTangent(w->collective, in, numbers(dx, w->index, w->in[1]), out));
  else PetscCall(HgCollectiveApply(w->collective, in, out));
  if (w->out) put_cells(w->out, false, y, w->index);
  return 0;
}

static PetscErrorCode wrapped_apply(void *self, HgState x, HgState y) {
  return forward(self, x, NULL, y);
}

static PetscErrorCode wrapped_tangent(void *self, HgState x, HgState dx, HgState dy) {
  return forward(self, x, dx, dy);
}

/* x_bar = (or +=) C'(x)^T y_bar; the cells of a field add afterwards. */
static PetscErrorCode backwards(Wrapped *w, HgState x, HgState y_bar, bool add, HgState x_bar) {
  PetscCall(pass(w, y_bar, add, x_bar));
  if (!w->collective) return 0;
  double *const contribution = w->in[1] ? w->in[1] : HgStateArray(x_bar, w->index);
  PetscCall((add && !w->in[1] ? HgCollectiveAdjoint : HgCollectiveTranspose)(
      w->collective, numbers(x, w->index, w->in[0]), numbers(y_bar, w->index, w->out),
      contribution));
  if (w->in[1]) put_cells(contribution, add, x_bar, w->index);
  return 0;
}

static PetscErrorCode wrapped_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  return backwards(self, x, y_bar, true, x_bar);
}

static PetscErrorCode wrapped_transpose(void *self, HgState x, HgState y_bar, HgState x_bar) {
  return backwards(self, x, y_bar, false, x_bar);
}

/* ---- creation ---- */

/* The number of ranks of `part` that are not in `all`. */
static PetscErrorCode strangers(MPI_Comm part, MPI_Comm all, int *count) {
  MPI_Group inner, outer, foreign;
  PetscCallMPI(MPI_Comm_group(part, &inner));
  PetscCallMPI(MPI_Comm_group(all, &outer));
  PetscCallMPI(MPI_Group_difference(inner, outer, &foreign));
  PetscCallMPI(MPI_Group_size(foreign, count));
  PetscCallMPI(MPI_Group_free(&inner));
  PetscCallMPI(MPI_Group_free(&outer));
  if (foreign != MPI_GROUP_EMPTY) PetscCallMPI(MPI_Group_free(&foreign));
  return 0;
}

static PetscErrorCode check_comm(HgMesh mesh, const char name[], HgCollective c, bool everywhere) {
  const MPI_Comm comm = HgMeshComm(mesh);
  int foreign = 0, same = MPI_UNEQUAL;
  if (c) PetscCall(strangers(HgCollectiveComm(c), comm, &foreign));
  PetscCall(HgAgree(comm, foreign, HG_ERR_RANKS_DIFFER,
                    "%s: %d ranks of its communicator do not belong to the mesh, expected none",
                    name, foreign));
  if (c) PetscCallMPI(MPI_Comm_compare(HgCollectiveComm(c), comm, &same));
  return HgAgree(
      comm, everywhere && same != MPI_CONGRUENT && same != MPI_IDENT, HG_ERR_RANKS_DIFFER,
      "%s: it works on other ranks, or in another order, than the mesh, whose replicated "
      "arrays are the same on all ranks; expected local arrays",
      name);
}

static PetscErrorCode check_variables(HgState x, int k, HgCollective c, const HgVariable *out) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(x));
  const HgVariable *v = HgStateVariable(x, k);
  const char *const name = c ? HgCollectiveName(c) : "collective";
  const int64_t cells = (int64_t)cells_of(x), given = v->kind == HG_FIELD ? cells : v->size;
  int n = 0, m = 0;
  if (c) HgCollectiveSizes(c, &n, &m);
  HgRequire(comm, v->kind != HG_GHOSTED && out->kind != HG_GHOSTED, HG_ERR_OPERATOR,
            "%s: '%s' and '%s' must be arrays or fields without their ghosts", name, v->name,
            out->name);
  PetscCall(
      check_comm(HgStateMesh(x), name, c, v->kind == HG_REPLICATED || out->kind == HG_REPLICATED));
  PetscCall(HgAgree(comm, given != n, HG_ERR_OPERATOR,
                    "%s: '%s' has %lld numbers here, expected %lld", name, v->name,
                    (long long)given, (long long)n));
  PetscCall(HgAgree(comm, out->kind == HG_FIELD && m != cells, HG_ERR_OPERATOR,
                    "%s: it gives %lld numbers to the field '%s', expected %lld for the cells here",
                    name, (long long)m, out->name, (long long)cells));
  return HgAgree(
      comm, c && (v->kind == HG_REPLICATED) != HgCollectiveInputOnce(c), HG_ERR_OPERATOR,
      "%s: '%s' is %s; expected a replicated array for spread, and numbers of each rank's "
      "own for all others",
      name, v->name, v->kind == HG_REPLICATED ? "replicated" : "not replicated");
}

/* The states like x with variable k replaced. */
static PetscErrorCode output_pattern(HgState x, int k, const HgVariable *out, HgState *y) {
  HgVariable *list;
  PetscCall(PetscMalloc1(HgStateCount(x), &list));
  for (int l = 0; l < HgStateCount(x); l++) list[l] = l == k ? *out : *HgStateVariable(x, l);
  const PetscErrorCode ierr = HgStateCreate(HgStateMesh(x), HgStateCount(x), list, y);
  PetscCall(PetscFree(list));
  return ierr;
}

PetscErrorCode HgCollectiveOperator(HgState x, const char in[], HgCollective *collective,
                                    const HgVariable *out, HgOperator *op) {
  static const HgOperatorTable table = {wrapped_apply, wrapped_tangent, wrapped_adjoint, NULL,
                                        wrapped_destroy};
  HgCollective c = *collective;
  HgVariable written = *out;
  HgState y;
  Wrapped *w;
  char name[80];
  int k, unused;
  PetscCall(HgStateIndex(x, in, &k));
  PetscCall(check_variables(x, k, c, out));
  if (out->kind == HG_REPLICATED) PetscCall(HgCollectiveCountOnce(c));
  if (c) HgCollectiveSizes(c, &unused, &written.size);
  PetscCall(output_pattern(x, k, &written, &y));
  PetscCall(PetscNew(&w));
  w->collective = c, w->index = k;
  const bool field_in = HgStateVariable(x, k)->kind == HG_FIELD, field_out = out->kind == HG_FIELD;
  const size_t cells = cells_of(x);
  PetscCall(PetscMalloc3(field_in ? cells : 0, &w->in[0], field_in ? cells : 0, &w->in[1],
                         field_out ? cells : 0, &w->out));
  *collective = NULL;
  snprintf(name, sizeof name, "%s of %s", out->name,
           in); /* ranks without a collective know it too */
  PetscCall(HgOperatorCreate(name, x, y, &table, w, op));
  HgOperatorSetTranspose(*op, wrapped_transpose);
  int linear = !c || HgCollectiveLinear(c);
  PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, &linear, 1, MPI_INT, MPI_LAND, HgMeshComm(HgStateMesh(x))));
  if (linear) HgOperatorSetLinear(*op);
  return HgStateDestroy(&y);
}
