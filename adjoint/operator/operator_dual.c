/* An operator on dual numbers: value and tangent side by side; its adjoint is the transpose beside the
   tangent of the transpose. */
#include <halograd/operator.h>

enum { NAME = 64 };

typedef struct {
  HgOperator op;
  HgState x, dx, x_bar, dx_bar, y, dy, y_bar, dy_bar;
} Dual;

static PetscErrorCode dual_destroy(void *self) {
  Dual *d = self;
  HgState *const all[] = {&d->x, &d->dx, &d->x_bar, &d->dx_bar,
                          &d->y, &d->dy, &d->y_bar, &d->dy_bar};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) PetscCall(HgStateDestroy(all[k]));
  PetscCall(HgOperatorDestroy(&d->op));
  return PetscFree(d);
}

/* Both halves of a dual state. */
static PetscErrorCode take(HgState both, HgState value, HgState dot) {
  const int count = HgStateCount(value);
  for (int k = 0; k < count; k++) {
    PetscCall(HgStateCopyVariable(both, k, value, k));
    PetscCall(HgStateCopyVariable(both, count + k, dot, k));
  }
  return 0;
}

static PetscErrorCode dual_apply(void *self, HgState x, HgState y) {
  Dual *d = self;
  const int count = HgStateCount(d->y);
  PetscCall(take(x, d->x, d->dx));
  PetscCall(HgOperatorApply(d->op, d->x, d->y));
  PetscCall(HgOperatorTangent(d->op, d->x, d->dx, d->dy));
  for (int k = 0; k < count; k++) {
    PetscCall(HgStateCopyVariable(d->y, k, y, k));
    PetscCall(HgStateCopyVariable(d->dy, k, y, count + k));
  }
  return 0;
}

/* The cotangent of y moves as that of dy does. */
static PetscErrorCode dual_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  Dual *d = self;
  const int count = HgStateCount(d->x);
  PetscCall(take(x, d->x, d->dx));
  PetscCall(take(y_bar, d->dy_bar, d->y_bar));
  PetscCall(HgOperatorSecond(d->op, d->x, d->dx, d->y_bar, d->dy_bar, d->x_bar, d->dx_bar));
  for (int k = 0; k < count; k++) {
    PetscCall(HgStateAXPYVariable(x_bar, k, 1, d->dx_bar, k));
    PetscCall(HgStateAXPYVariable(x_bar, count + k, 1, d->x_bar, k));
  }
  return 0;
}

/* Like `half`, and again with .dot. */
static PetscErrorCode twice(HgState half, HgState *both) {
  const int count = HgStateCount(half);
  HgVariable *list;
  char(*names)[NAME];
  PetscCall(PetscMalloc2(2 * count, &list, count, &names));
  for (int k = 0; k < count; k++) {
    list[k] = list[count + k] = *HgStateVariable(half, k);
    snprintf(names[k], NAME, "%.*s.dot", NAME - 5, list[k].name);
    list[count + k].name = names[k];
  }
  PetscCall(HgStateCreate(HgStateMesh(half), 2 * count, list, both));
  return PetscFree2(list, names);
}

PetscErrorCode HgOperatorDual(HgOperator op, HgOperator *dual) {
  static const HgOperatorTable table = {dual_apply, NULL, dual_adjoint, NULL, dual_destroy};
  Dual *d;
  HgState x, y;
  char name[NAME];
  PetscCall(PetscNew(&d));
  PetscCall(HgOperatorReference(op));
  d->op = op;
  HgState *const in[] = {&d->x, &d->dx, &d->x_bar, &d->dx_bar};
  HgState *const out[] = {&d->y, &d->dy, &d->y_bar, &d->dy_bar};
  for (int k = 0; k < 4; k++) {
    PetscCall(HgOperatorCreateInput(op, in[k]));
    PetscCall(HgOperatorCreateOutput(op, out[k]));
  }
  PetscCall(twice(d->x, &x));
  PetscCall(twice(d->y, &y));
  snprintf(name, sizeof name, "%.*s dual", NAME - 6, HgOperatorName(op));
  PetscCall(HgOperatorCreate(name, x, y, &table, d, dual));
  PetscCall(HgStateDestroy(&x));
  return HgStateDestroy(&y);
}
