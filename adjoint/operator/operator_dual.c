/* SPDX-License-Identifier: BSD-2-Clause */
/* An operator on dual numbers: value and tangents side by side; reversed, the transpose beside the
   tangents of the transpose. */
#include <halograd/operator_library.h>
#include <halograd/state_library.h>

enum { NAME = 64 };

typedef struct {
  HgOperator op;
  int directions;
  HgState x, dx, x_bar, dx_bar, y, dy, y_bar, dy_bar;
} Dual;

static PetscErrorCode dual_destroy(void *self) {
  Dual *d = self;
  PetscCall(
      HgStatesDestroy(&d->x, &d->dx, &d->x_bar, &d->dx_bar, &d->y, &d->dy, &d->y_bar, &d->dy_bar));
  PetscCall(HgOperatorDestroy(&d->op));
  return PetscFree(d);
}

/* Part v of a dual state, 0: that of x, 1 .. V: that of dx_v. */
static PetscErrorCode copy_from_dual(HgState all, int v, HgState part) {
  const int count = HgStateCount(part);
  for (int k = 0; k < count; k++) PetscCall(HgStateCopyVariable(all, v * count + k, part, k));
  return 0;
}

static PetscErrorCode copy_to_dual(HgState part, HgState all, int v) {
  const int count = HgStateCount(part);
  for (int k = 0; k < count; k++) PetscCall(HgStateCopyVariable(part, k, all, v * count + k));
  return 0;
}

static PetscErrorCode add_to_dual(HgState part, HgState all, int v) {
  const int count = HgStateCount(part);
  for (int k = 0; k < count; k++) PetscCall(HgStateAXPYVariable(all, v * count + k, 1, part, k));
  return 0;
}

static PetscErrorCode dual_apply(void *self, HgState x, HgState y) {
  Dual *d = self;
  PetscCall(copy_from_dual(x, 0, d->x));
  PetscCall(HgOperatorApply(d->op, d->x, d->y));
  PetscCall(copy_to_dual(d->y, y, 0));
  for (int v = 1; v <= d->directions; v++) {
    PetscCall(copy_from_dual(x, v, d->dx));
    PetscCall(HgOperatorTangent(d->op, d->x, d->dx, d->dy));
    PetscCall(copy_to_dual(d->dy, y, v));
  }
  return 0;
}

static PetscErrorCode dual_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  Dual *d = self;
  PetscCall(copy_from_dual(x, 0, d->x));
  PetscCall(copy_from_dual(y_bar, 0, d->y_bar));
  for (int v = 1; v <= d->directions; v++) {
    PetscCall(copy_from_dual(x, v, d->dx));
    PetscCall(copy_from_dual(y_bar, v, d->dy_bar));
    PetscCall(HgOperatorSecond(d->op, d->x, d->dx, d->y_bar, d->dy_bar, v == 1 ? d->x_bar : NULL,
                               d->dx_bar));
    PetscCall(add_to_dual(d->dx_bar, x_bar, v));
  }
  return add_to_dual(d->x_bar, x_bar, 0);
}

/* The variables of `part`, then a copy for each direction, as d1(u) ... */
static PetscErrorCode multiply(HgState part, int directions, HgState *all) {
  const int count = HgStateCount(part), total = (1 + directions) * count;
  HgVariable *list;
  char(*names)[NAME];
  PetscCall(PetscMalloc2(total, &list, total, &names));
  for (int n = 0; n < total; n++) {
    list[n] = *HgStateVariable(part, n % count);
    if (n < count) continue;
    snprintf(names[n], NAME, "d%d(%.*s)", n / count, NAME - 16, list[n].name);
    list[n].name = names[n];
  }
  PetscCall(HgStateCreate(HgStateMesh(part), total, list, all));
  return PetscFree2(list, names);
}

PetscErrorCode HgOperatorDual(HgOperator op, int directions, HgOperator *dual) {
  static const HgOperatorTable table = {dual_apply, NULL, dual_adjoint, NULL, dual_destroy};
  Dual *d;
  HgState x, y;
  char name[NAME];
  HgRequire(PETSC_COMM_WORLD, directions >= 1, HG_ERR_OPERATOR,
            "dual of operator '%s': %d directions given, expected at least one", HgOperatorName(op),
            directions);
  PetscCall(PetscNew(&d));
  PetscCall(HgOperatorReference(op));
  d->op = op, d->directions = directions;
  HgState *const in[] = {&d->x, &d->dx, &d->x_bar, &d->dx_bar};
  HgState *const out[] = {&d->y, &d->dy, &d->y_bar, &d->dy_bar};
  for (int k = 0; k < 4; k++) {
    PetscCall(HgOperatorCreateInput(op, in[k]));
    PetscCall(HgOperatorCreateOutput(op, out[k]));
  }
  PetscCall(multiply(d->x, directions, &x));
  PetscCall(multiply(d->y, directions, &y));
  snprintf(name, sizeof name, "tangent of %.*s", NAME - 12, HgOperatorName(op));
  PetscCall(HgOperatorCreate(name, x, y, &table, d, dual));
  return HgStatesDestroy(&x, &y);
}
