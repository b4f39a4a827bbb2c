/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <halograd/trace_library.h>
#include <string.h>

struct HgOperator_s {
  int owners;
  char name[48];
  HgState x, y; /* patterns */
  HgOperatorTable table;
  HgOperatorPartFn *part;           /* NULL: a primitive */
  MPI_Comm across;                  /* groups that share the parts, or MPI_COMM_NULL */
  HgOperatorActiveFn *active;       /* NULL: all are */
  HgOperatorTransposeFn *transpose; /* NULL: zeros, and the adjoint */
  HgOperatorHessiansFn *hessians;   /* NULL: one direction after another */
  void *self;
  PetscLogEvent apply, tangent, adjoint, tangent_of_adjoint;
};

static PetscErrorCode log_events(HgOperator op) {
  char name[64];
  PetscCall(PetscLogEventRegister(op->name, PETSC_OBJECT_CLASSID, &op->apply));
  snprintf(name, sizeof name, "%s tangent", op->name);
  PetscCall(PetscLogEventRegister(name, PETSC_OBJECT_CLASSID, &op->tangent));
  snprintf(name, sizeof name, "%s adjoint", op->name);
  PetscCall(PetscLogEventRegister(name, PETSC_OBJECT_CLASSID, &op->adjoint));
  snprintf(name, sizeof name, "%s second", op->name);
  PetscCall(PetscLogEventRegister(name, PETSC_OBJECT_CLASSID, &op->tangent_of_adjoint));
  return 0;
}

PetscErrorCode HgOperatorCreate(const char name[], HgState x, HgState y,
                                const HgOperatorTable *table, void *self, HgOperator *op) {
  HgOperator o;
  PetscCall(PetscNew(&o));
  PetscCall(PetscStrncpy(o->name, name, sizeof o->name));
  PetscCall(HgStateDuplicate(x, &o->x));
  if (y) PetscCall(HgStateDuplicate(y, &o->y));
  else PetscCall(HgFunctionalOutput(HgStateMesh(x), &o->y));
  PetscCall(log_events(o));
  o->table = *table, o->self = self, o->across = MPI_COMM_NULL, o->owners = 1;
  *op = o;
  return 0;
}

PetscErrorCode HgOperatorReference(HgOperator op) {
  if (op) op->owners++;
  return 0;
}

PetscErrorCode HgOperatorDestroy(HgOperator *op) {
  HgOperator o = *op;
  *op = NULL;
  if (!o || --o->owners) return 0;
  if (o->table.destroy) PetscCall(o->table.destroy(o->self));
  PetscCall(HgStatesDestroy(&o->x, &o->y));
  return PetscFree(o);
}

void HgOperatorSetParts(HgOperator op, HgOperatorPartFn *part) { op->part = part; }

PetscErrorCode HgOperatorPart(HgOperator op, HgState x, int k, HgOperator *part, HgState *at) {
  *part = NULL, *at = NULL;
  return op->part ? op->part(op->self, x, k, part, at) : 0;
}

void HgOperatorSetAcross(HgOperator op, MPI_Comm across) { op->across = across; }

MPI_Comm HgOperatorAcross(HgOperator op) { return op->across; }

void HgOperatorSetTranspose(HgOperator op, HgOperatorTransposeFn *transpose) {
  op->transpose = transpose;
}

void HgOperatorSetHessians(HgOperator op, HgOperatorHessiansFn *hessians) {
  op->hessians = hessians;
}

void HgOperatorSetLinear(HgOperator op) { op->table.linear = true; }

bool HgOperatorLinear(HgOperator op) { return op->table.linear; }

bool HgOperatorHasSecondDerivative(HgOperator op) { return op->table.linear || op->table.second; }

void HgOperatorSetActive(HgOperator op, HgOperatorActiveFn *active) { op->active = active; }

bool HgOperatorActive(HgOperator op, int k) { return !op->active || op->active(op->self, k); }

const char *HgOperatorName(HgOperator op) { return op->name; }

void *HgOperatorSelf(HgOperator op, PetscErrorCode (*apply)(void *self, HgState x, HgState y)) {
  return op->table.apply == apply ? op->self : NULL;
}

bool HgOperatorApplies(HgOperator op) { return op->table.apply; }

PetscErrorCode HgOperatorCreateInput(HgOperator op, HgState *x) {
  return HgStateDuplicate(op->x, x);
}

PetscErrorCode HgOperatorCreateOutput(HgOperator op, HgState *y) {
  return HgStateDuplicate(op->y, y);
}

/* `what`: a value, tangent or adjoint. */
static PetscErrorCode require_entry(HgOperator op, bool there, const char what[]) {
  HgRequire(HgMeshComm(HgStateMesh(op->x)), there, HG_ERR_NO_DERIVATIVE, "operator '%s' has no %s",
            op->name, what);
  return 0;
}

static PetscErrorCode check_pattern(HgOperator op, HgState state, HgState pattern,
                                    const char role[]) {
  HgRequire(
      HgMeshComm(HgStateMesh(pattern)), HgStateSame(state, pattern), HG_ERR_OPERATOR,
      "operator '%s': its %s must have the mesh and variables of the pattern it was created with",
      op->name, role);
  return 0;
}

PetscErrorCode HgOperatorApply(HgOperator op, HgState x, HgState y) {
  PetscCall(require_entry(op, op->table.apply, "value by itself"));
  PetscCall(check_pattern(op, x, op->x, "input"));
  PetscCall(check_pattern(op, y, op->y, "output"));
  const int outside = HgTraceEnter(op->name, HG_PRIMAL);
  PetscCall(PetscLogEventBegin(op->apply, 0, 0, 0, 0));
  PetscCall(op->table.apply(op->self, x, y));
  HgTraceLeave(outside);
  PetscCall(PetscLogEventEnd(op->apply, 0, 0, 0, 0));
  return 0;
}

PetscErrorCode HgOperatorTangent(HgOperator op, HgState x, HgState dx, HgState dy) {
  const bool itself = op->table.linear && !op->table.tangent;
  PetscCall(require_entry(op, itself || op->table.tangent, "tangent"));
  PetscCall(check_pattern(op, x, op->x, "input"));
  PetscCall(check_pattern(op, dx, op->x, "input tangent"));
  PetscCall(check_pattern(op, dy, op->y, "output tangent"));
  const int outside = HgTraceEnter(op->name, HG_TANGENT);
  PetscCall(PetscLogEventBegin(op->tangent, 0, 0, 0, 0));
  PetscCall(itself ? op->table.apply(op->self, dx, dy) : op->table.tangent(op->self, x, dx, dy));
  HgTraceLeave(outside);
  PetscCall(PetscLogEventEnd(op->tangent, 0, 0, 0, 0));
  return 0;
}

static PetscErrorCode backwards(HgOperator op, HgOperatorTransposeFn *f, HgState x, HgState y_bar,
                                HgState x_bar) {
  PetscCall(require_entry(op, f, "adjoint"));
  PetscCall(check_pattern(op, x, op->x, "input"));
  PetscCall(check_pattern(op, y_bar, op->y, "output adjoint"));
  PetscCall(check_pattern(op, x_bar, op->x, "input adjoint"));
  const int outside = HgTraceEnter(op->name, HG_COTANGENT);
  PetscCall(PetscLogEventBegin(op->adjoint, 0, 0, 0, 0));
  PetscCall(f(op->self, x, y_bar, x_bar));
  HgTraceLeave(outside);
  PetscCall(PetscLogEventEnd(op->adjoint, 0, 0, 0, 0));
  return 0;
}

PetscErrorCode HgOperatorAdjoint(HgOperator op, HgState x, HgState y_bar, HgState x_bar) {
  return backwards(op, op->table.adjoint, x, y_bar, x_bar);
}

PetscErrorCode HgOperatorTranspose(HgOperator op, HgState x, HgState y_bar, HgState x_bar) {
  if (op->transpose) return backwards(op, op->transpose, x, y_bar, x_bar);
  PetscCall(check_pattern(op, x_bar, op->x, "input adjoint"));
  PetscCall(HgStateZero(x_bar));
  return HgOperatorAdjoint(op, x, y_bar, x_bar);
}

PetscErrorCode HgOperatorSecond(HgOperator op, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                                HgState x_bar, HgState dx_bar) {
  if (op->table.linear) {
    if (x_bar) PetscCall(HgOperatorTranspose(op, x, y_bar, x_bar));
    return HgOperatorTranspose(op, x, dy_bar, dx_bar);
  }
  HgRequire(HgMeshComm(HgStateMesh(op->x)), op->table.second, HG_ERR_NO_DERIVATIVE,
            "operator '%s' has no second derivatives (second or linear of HgOperatorTable)",
            op->name);
  PetscCall(check_pattern(op, x, op->x, "input"));
  PetscCall(check_pattern(op, dx, op->x, "input tangent"));
  PetscCall(check_pattern(op, y_bar, op->y, "output adjoint"));
  PetscCall(check_pattern(op, dy_bar, op->y, "tangent of the output adjoint"));
  if (x_bar) PetscCall(check_pattern(op, x_bar, op->x, "input adjoint"));
  PetscCall(check_pattern(op, dx_bar, op->x, "tangent of the input adjoint"));
  const int outside = HgTraceEnter(op->name, HG_COTANGENT);
  PetscCall(PetscLogEventBegin(op->tangent_of_adjoint, 0, 0, 0, 0));
  PetscCall(op->table.second(op->self, x, dx, y_bar, dy_bar, x_bar, dx_bar));
  HgTraceLeave(outside);
  PetscCall(PetscLogEventEnd(op->tangent_of_adjoint, 0, 0, 0, 0));
  return 0;
}

void HgUnitQuotient(const char y[], const char x[], size_t size, char unit[]) {
  const bool plain = !strpbrk(x, " /*");
  if (!*x || !strcmp(x, "1")) snprintf(unit, size, "%s", y);
  else snprintf(unit, size, plain ? "%s/%s" : "%s/(%s)", y, x);
}

PetscErrorCode HgOperatorCreateGradient(HgOperator op, HgState *x_bar) {
  const int count = HgStateCount(op->x);
  const char *const unit = HgStateVariable(op->y, 0)->unit;
  HgVariable *variables;
  char(*units)[128];
  PetscCall(PetscMalloc2(count, &variables, count, &units));
  for (int k = 0; k < count; k++) {
    variables[k] = *HgStateVariable(op->x, k);
    HgUnitQuotient(unit, variables[k].unit, sizeof units[k], units[k]);
    variables[k].unit = units[k];
  }
  PetscCall(HgStateCreate(HgStateMesh(op->x), count, variables, x_bar));
  for (int k = 0; k < count; k++) HgStateSetLocation(*x_bar, k, HgStateLocation(op->x, k));
  return PetscFree2(variables, units);
}

PetscErrorCode HgFunctionalOutput(HgMesh mesh, HgState *J) {
  const HgVariable variable = {"J", "1", HG_REPLICATED, 1};
  return HgStateCreate(mesh, 1, &variable, J);
}

static PetscErrorCode check_functional(HgOperator op, const char asked[]) {
  HgRequire(HgMeshComm(HgStateMesh(op->y)),
            HgStateCount(op->y) == 1 && !strcmp(HgStateVariable(op->y, 0)->name, "J"),
            HG_ERR_OPERATOR,
            "operator '%s': a %s was asked for, but its output is not the single number J",
            op->name, asked);
  return 0;
}

/* x_bar NULL: not wanted. */
static PetscErrorCode hessian(HgOperator op, HgState x, HgState dx, HgState x_bar, HgState h) {
  HgState J_bar, dJ_bar;
  PetscCall(check_functional(op, "Hessian"));
  PetscCall(HgOperatorCreateOutput(op, &J_bar));
  PetscCall(HgOperatorCreateOutput(op, &dJ_bar));
  HgStateArray(J_bar, 0)[0] = 1;
  const PetscErrorCode ierr = HgOperatorSecond(op, x, dx, J_bar, dJ_bar, x_bar, h);
  PetscCall(HgStatesDestroy(&J_bar, &dJ_bar));
  return ierr;
}

PetscErrorCode HgOperatorHessian(HgOperator op, HgState x, HgState dx, HgState h) {
  return hessian(op, x, dx, NULL, h);
}

PetscErrorCode HgOperatorHessians(HgOperator op, HgState x, int directions, const HgState dx[],
                                  HgState x_bar, const HgState h[]) {
  PetscCall(check_pattern(op, x, op->x, "input"));
  if (!op->hessians) {
    for (int v = 0; v < directions; v++) PetscCall(hessian(op, x, dx[v], v ? NULL : x_bar, h[v]));
    return 0;
  }
  for (int v = 0; v < directions; v++) {
    PetscCall(check_pattern(op, dx[v], op->x, "input tangent"));
    PetscCall(check_pattern(op, h[v], op->x, "tangent of the input adjoint"));
  }
  const int outside = HgTraceEnter(op->name, HG_COTANGENT);
  PetscCall(PetscLogEventBegin(op->tangent_of_adjoint, 0, 0, 0, 0));
  PetscCall(op->hessians(op->self, x, directions, dx, x_bar, h));
  HgTraceLeave(outside);
  return PetscLogEventEnd(op->tangent_of_adjoint, 0, 0, 0, 0);
}

PetscErrorCode HgOperatorGradient(HgOperator op, HgState x, double *J, HgState x_bar) {
  PetscCall(check_functional(op, "gradient"));
  PetscCall(check_pattern(op, x, op->x, "input"));
  PetscCall(check_pattern(op, x_bar, op->x, "gradient"));
  if (op->table.gradient) {
    PetscCall(HgStateZero(x_bar));
    const int outside = HgTraceEnter(op->name, HG_COTANGENT);
    PetscCall(op->table.gradient(op->self, x, J, x_bar));
    HgTraceLeave(outside);
    return 0;
  }
  HgState y;
  PetscCall(HgOperatorCreateOutput(op, &y));
  PetscCall(HgOperatorApply(op, x, y));
  *J = HgStateArray(y, 0)[0];
  HgStateArray(y, 0)[0] = 1;
  PetscCall(HgOperatorTranspose(op, x, y, x_bar));
  return HgStateDestroy(&y);
}
