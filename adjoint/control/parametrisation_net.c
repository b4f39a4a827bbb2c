/* SPDX-License-Identifier: BSD-2-Clause */
#include "control_private.h"
#include <halograd/control_library.h>
#include <halograd/state_library.h>

/* Cells of the patch are numbered row by row and processed in batches. */
typedef struct {
  HgNet net;
  int nx;
  int64_t cells;
  double *x, *y; /* of every cell */
  double *theta_bar;
  HgSum *sums;
} Net;

static PetscErrorCode net_destroy(void *self) {
  Net *n = self;
  PetscCall(HgNetDestroy(&n->net));
  PetscCall(PetscFree4(n->x, n->y, n->theta_bar, n->sums));
  return PetscFree(n);
}

static int batch_size(const Net *n, int64_t first) {
  return (int)PetscMin(HG_NET_BATCH, n->cells - first);
}

/* Copies numbers of a batch to or from their cells. */
static void scatter(const Net *n, int64_t first, const double u[], HgReal *const *rows) {
  for (int k = 0; k < batch_size(n, first); k++)
    rows[(first + k) / n->nx][(first + k) % n->nx] = u[k];
}

static void gather(const Net *n, int64_t first, HgReal *const *rows, double u[]) {
  for (int k = 0; k < batch_size(n, first); k++)
    u[k] = rows[(first + k) / n->nx][(first + k) % n->nx];
}

static PetscErrorCode net_apply(void *self, HgState x, HgState y) {
  const Net *n = self;
  double u[HG_NET_BATCH];
  for (int64_t k = 0; k < n->cells; k += HG_NET_BATCH) {
    HgNetApply(n->net, HgStateArray(x, 0), batch_size(n, k), n->x + k, n->y + k, u);
    scatter(n, k, u, HgStateRows(y, 0));
  }
  HgStateSetGhostDepth(y, 0, 0);
  return 0;
}

static PetscErrorCode net_tangent(void *self, HgState x, HgState dx, HgState dy) {
  const Net *n = self;
  double du[HG_NET_BATCH];
  for (int64_t k = 0; k < n->cells; k += HG_NET_BATCH) {
    HgNetTangent(n->net, HgStateArray(x, 0), HgStateArray(dx, 0), batch_size(n, k), n->x + k,
                 n->y + k, du);
    scatter(n, k, du, HgStateRows(dy, 0));
  }
  HgStateSetGhostDepth(dy, 0, 0);
  return 0;
}

static PetscErrorCode net_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Net *n = self;
  const int size = HgNetSize(n->net);
  double u_bar[HG_NET_BATCH], *theta_bar = HgStateArray(x_bar, 0);
  for (int k = 0; k < size; k++) HgSumReset(&n->sums[k]);
  for (int64_t k = 0; k < n->cells; k += HG_NET_BATCH) {
    gather(n, k, HgStateRows(y_bar, 0), u_bar);
    HgNetAdjoint(n->net, HgStateArray(x, 0), batch_size(n, k), n->x + k, n->y + k, u_bar, n->sums);
  }
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(x)), size, n->sums, n->theta_bar));
  for (int k = 0; k < size; k++) theta_bar[k] += n->theta_bar[k];
  return 0;
}

static PetscErrorCode net_second(void *self, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                                 HgState x_bar, HgState dx_bar) {
  const Net *n = self;
  const int size = HgNetSize(n->net);
  double u_bar[HG_NET_BATCH], du_bar[HG_NET_BATCH];
  for (int k = 0; k < size; k++) HgSumReset(&n->sums[k]);
  for (int64_t k = 0; k < n->cells; k += HG_NET_BATCH) {
    gather(n, k, HgStateRows(y_bar, 0), u_bar);
    gather(n, k, HgStateRows(dy_bar, 0), du_bar);
    HgNetSecond(n->net, HgStateArray(x, 0), HgStateArray(dx, 0), batch_size(n, k), n->x + k,
                n->y + k, u_bar, du_bar, n->sums);
  }
  PetscCall(HgSumReduce(HgMeshComm(HgStateMesh(x)), size, n->sums, HgStateArray(dx_bar, 0)));
  if (!x_bar) return 0;
  PetscCall(HgStateZero(x_bar));
  return net_adjoint(self, x, y_bar, x_bar);
}

PetscErrorCode HgParametrisationNet(HgMesh mesh, const char control[], const char field[],
                                    const char unit[], const HgNetSpec *spec, HgOperator *op) {
  HgOperatorTable table = {net_apply, net_tangent, net_adjoint, NULL, net_destroy};
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  HgNet net;
  Net *n;
  PetscCall(HgParametrisationFlat(mesh, "net", field));
  PetscCall(HgNetCreate(HgMeshComm(mesh), spec, &net));
  const int size = HgNetSize(net);
  const int64_t cells = (int64_t)p->nx * p->ny;
  const HgVariable in = {control, "1", HG_REPLICATED, size}, out = {field, unit, HG_FIELD, 0};
  PetscCall(PetscNew(&n));
  n->net = net, n->nx = p->nx, n->cells = cells;
  PetscCall(PetscMalloc4(cells, &n->x, cells, &n->y, size, &n->theta_bar, size, &n->sums));
  for (int64_t k = 0; k < cells; k++) {
    n->x[k] = (double)(2 * (p->i_global + k % p->nx) + 1 - s->nx) / s->nx;
    n->y[k] = (double)(2 * (p->j_global + k / p->nx) + 1 - s->ny) / s->ny;
  }
  if (HgNetTwice(net)) table.second = net_second;
  return HgParametrisationCreate(mesh, "net parametrisation", &in, &out, &table, n, op);
}
