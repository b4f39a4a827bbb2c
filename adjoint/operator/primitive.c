#include <halograd/boundary_library.h>
#include <halograd/exchange_library.h>
#include <halograd/mesh_library.h>
#include <halograd/primitive_library.h>

typedef struct {
  HgMesh mesh;
  int depth;
  HgExchange exchange;
  HgBoundary boundary;
  HgState copy, frozen; /* frozen: what the ghosts of frozen sides hold for ever, 0 */
} Primitive;

static PetscErrorCode primitive_destroy(void *self) {
  Primitive *p = self;
  PetscCall(HgExchangeDestroy(&p->exchange));
  PetscCall(HgStateDestroy(&p->copy));
  PetscCall(HgStateDestroy(&p->frozen));
  return PetscFree(p);
}

static PetscErrorCode one_field(HgMesh mesh, HgKind kind, HgState *state) {
  const HgVariable variable = {"u", "1", kind, 0};
  return HgStateCreate(mesh, 1, &variable, state);
}

/* y = x on owned cells, 0 elsewhere. */
static void copy_owned(HgMesh mesh, double *const *x, double *const *y) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) y[j][i] = x[j][i];
}

static PetscErrorCode exchange_apply(void *self, HgState x, HgState y) {
  Primitive *p = self;
  double *const *fields[1] = {HgStateRows(y, 0)};
  PetscCall(HgStateZero(y));
  copy_owned(p->mesh, HgStateRows(x, 0), fields[0]);
  return HgExchangeApply(p->exchange, fields);
}

static PetscErrorCode exchange_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return exchange_apply(self, dx, dy);
}

static PetscErrorCode exchange_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  Primitive *p = self;
  (void)x;
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  PetscCall(HgStateCopy(y_bar, p->copy));
  double *const *fields[1] = {HgStateRows(p->copy, 0)}, *const *u_bar = HgStateRows(x_bar, 0);
  PetscCall(HgExchangeTransposed(p->exchange, fields));
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++) u_bar[j][i] += fields[0][j][i];
  return 0;
}

PetscErrorCode HgPrimitiveExchange(HgMesh mesh, int depth, HgOperator *op) {
  static const HgOperatorTable table = {exchange_apply, exchange_tangent, exchange_adjoint, NULL,
                                        primitive_destroy};
  Primitive *p;
  HgState x;
  if (HgMeshHasAutomaticGhosts(mesh)) PetscCall(HgMeshRequireGhosts(mesh, depth));
  PetscCall(PetscNew(&p));
  p->mesh = mesh, p->depth = depth;
  PetscCall(HgExchangeCreate(mesh, 1, &depth, &p->exchange));
  PetscCall(one_field(mesh, HG_FIELD, &x));
  PetscCall(one_field(mesh, HG_GHOSTED, &p->copy));
  PetscCall(HgOperatorCreate("exchange", x, p->copy, &table, p, op));
  HgOperatorSetLinear(*op);
  return HgStateDestroy(&x);
}

static PetscErrorCode boundary_apply(void *self, HgState x, HgState y) {
  Primitive *p = self;
  PetscCall(HgStateCopy(x, y));
  HgBoundaryKeepFrozen(p->mesh, &p->boundary, p->depth,
                       (const double *const *)HgStateRows(p->frozen, 0), HgStateRows(y, 0));
  HgBoundaryApply(p->mesh, &p->boundary, HG_PRIMAL, p->depth, HgStateRows(y, 0));
  return 0;
}

static PetscErrorCode boundary_tangent(void *self, HgState x, HgState dx, HgState dy) {
  Primitive *p = self;
  (void)x;
  PetscCall(HgStateCopy(dx, dy));
  HgBoundaryApply(p->mesh, &p->boundary, HG_TANGENT, p->depth, HgStateRows(dy, 0));
  return 0;
}

static PetscErrorCode boundary_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  Primitive *p = self;
  (void)x;
  PetscCall(HgStateCopy(y_bar, p->copy));
  HgBoundaryApply(p->mesh, &p->boundary, HG_COTANGENT, p->depth, HgStateRows(p->copy, 0));
  return HgStateAXPY(x_bar, 1, p->copy);
}

PetscErrorCode HgPrimitiveBoundary(HgMesh mesh, HgBoundary boundary, int depth, HgOperator *op) {
  static const HgOperatorTable table = {boundary_apply, boundary_tangent, boundary_adjoint, NULL,
                                        primitive_destroy};
  Primitive *p;
  PetscCall(HgBoundaryCheck(mesh, &boundary, depth, "u"));
  PetscCall(HgMeshRequireGhosts(mesh, depth));
  PetscCall(PetscNew(&p));
  p->mesh = mesh, p->depth = depth, p->boundary = boundary;
  PetscCall(one_field(mesh, HG_GHOSTED, &p->copy));
  PetscCall(one_field(mesh, HG_GHOSTED, &p->frozen));
  PetscCall(HgOperatorCreate("boundary", p->copy, p->copy, &table, p, op));
  HgOperatorSetLinear(*op);
  return 0;
}

static PetscErrorCode strips_apply(void *self, HgState x, HgState y) {
  Primitive *p = self;
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  return data_exchange(p->mesh, patch->nx, patch->ny, HgStateArray(x, 0), HgStateArray(x, 1),
                       HgStateArray(x, 2), HgStateArray(x, 3), HgStateArray(y, 0),
                       HgStateArray(y, 1), HgStateArray(y, 2), HgStateArray(y, 3));
}

static PetscErrorCode strips_tangent(void *self, HgState x, HgState dx, HgState dy) {
  (void)x;
  return strips_apply(self, dx, dy);
}

static PetscErrorCode strips_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  Primitive *p = self;
  (void)x;
  PetscCall(strips_apply(self, y_bar, p->copy));
  return HgStateAXPY(x_bar, 1, p->copy);
}

PetscErrorCode HgPrimitiveDataExchange(HgMesh mesh, HgOperator *op) {
  static const HgOperatorTable table = {strips_apply, strips_tangent, strips_adjoint, NULL,
                                        primitive_destroy};
  const HgPatch *patch = HgMeshGetPatch(mesh);
  const HgVariable strips[4] = {{"left", "1", HG_LOCAL, patch->ny},
                                {"right", "1", HG_LOCAL, patch->ny},
                                {"up", "1", HG_LOCAL, patch->nx},
                                {"down", "1", HG_LOCAL, patch->nx}};
  Primitive *p;
  PetscCall(PetscNew(&p));
  p->mesh = mesh;
  PetscCall(HgStateCreate(mesh, 4, strips, &p->copy));
  PetscCall(HgOperatorCreate("data_exchange", p->copy, p->copy, &table, p, op));
  HgOperatorSetLinear(*op);
  return 0;
}
