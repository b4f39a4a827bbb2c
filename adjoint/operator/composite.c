/* SPDX-License-Identifier: BSD-2-Clause */
/* Chains and sums of operators: composites with the interface of a primitive. */
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <string.h>

typedef struct {
  int count;
  HgOperator *parts;
  HgState *x, *dx; /* chain: input of part k; sum: x[0] is one output */
  /* NULL: not needed so far. moved: tangent of the input of part k; d_bar: of its cotangent. A sum
     has moved[0] and d_bar[0] for what one part adds. */
  HgState *moved, *d_bar;
} Composite;

static PetscErrorCode composite_destroy(void *self) {
  Composite *c = self;
  for (int k = 0; k < c->count; k++) {
    PetscCall(HgStatesDestroy(&c->x[k], &c->dx[k], &c->moved[k], &c->d_bar[k]));
    PetscCall(HgOperatorDestroy(&c->parts[k]));
  }
  PetscCall(PetscFree5(c->parts, c->x, c->dx, c->moved, c->d_bar));
  return PetscFree(c);
}

static PetscErrorCode composite_create(int count, HgOperator parts[], Composite **composite) {
  Composite *c;
  PetscCall(PetscNew(&c));
  PetscCall(PetscCalloc5(count, &c->parts, count, &c->x, count, &c->dx, count, &c->moved, count,
                         &c->d_bar));
  c->count = count;
  memcpy(c->parts, parts, (size_t)count * sizeof *parts);
  for (int k = 0; k < count; k++) PetscCall(HgOperatorReference(parts[k]));
  *composite = c;
  return 0;
}

/* x[0] is the caller's x; x[k] the output of part k - 1. */
static PetscErrorCode chain_forward(Composite *c, int parts, HgState x) {
  for (int k = 0; k < parts; k++)
    PetscCall(HgOperatorApply(c->parts[k], k ? c->x[k] : x, c->x[k + 1]));
  return 0;
}

static PetscErrorCode chain_apply(void *self, HgState x, HgState y) {
  Composite *c = self;
  PetscCall(chain_forward(c, c->count - 1, x));
  return HgOperatorApply(c->parts[c->count - 1], c->count > 1 ? c->x[c->count - 1] : x, y);
}

static PetscErrorCode chain_tangent(void *self, HgState x, HgState dx, HgState dy) {
  Composite *c = self;
  PetscCall(chain_forward(c, c->count - 1, x));
  for (int k = 0; k < c->count; k++)
    PetscCall(HgOperatorTangent(c->parts[k], k ? c->x[k] : x, k ? c->dx[k] : dx,
                                k + 1 < c->count ? c->dx[k + 1] : dy));
  return 0;
}

/* From part `last`, whose output has the cotangent y_bar, back to the first one, which adds to
   x_bar or sets it. */
static PetscErrorCode chain_backward(Composite *c, int last, HgState x, HgState y_bar,
                                     HgOperatorBackFn *first, HgState x_bar) {
  for (int k = last; k > 0; k--)
    PetscCall(HgOperatorTranspose(c->parts[k], c->x[k], k < last ? c->dx[k + 1] : y_bar, c->dx[k]));
  return first(c->parts[0], x, last ? c->dx[1] : y_bar, x_bar);
}

static PetscErrorCode chain_back(Composite *c, HgState x, HgState y_bar, HgOperatorBackFn *first,
                                 HgState x_bar) {
  PetscCall(chain_forward(c, c->count - 1, x));
  return chain_backward(c, c->count - 1, x, y_bar, first, x_bar);
}

static PetscErrorCode chain_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  return chain_back(self, x, y_bar, HgOperatorAdjoint, x_bar);
}

static PetscErrorCode chain_transpose(void *self, HgState x, HgState y_bar, HgState x_bar) {
  return chain_back(self, x, y_bar, HgOperatorTranspose, x_bar);
}

/* Whether the first `parts` are linear. */
static bool linear(const Composite *c, int parts) {
  for (int k = 0; k < parts; k++)
    if (!HgOperatorLinear(c->parts[k])) return false;
  return true;
}

/* `table`; its value only if all parts have one. */
static HgOperatorTable applies(const Composite *c, HgOperatorTable table) {
  for (int k = 0; k < c->count; k++)
    if (!HgOperatorApplies(c->parts[k])) table.apply = NULL;
  return table;
}

static PetscErrorCode like(HgState pattern, HgState *state) {
  return *state ? 0 : HgStateDuplicate(pattern, state);
}

/* Computes moved[k], the tangents of all inputs. */
static PetscErrorCode chain_move(Composite *c, HgState x, HgState dx) {
  for (int k = 1; k < c->count; k++) {
    PetscCall(like(c->x[k], &c->moved[k]));
    PetscCall(like(c->x[k], &c->d_bar[k]));
    PetscCall(HgOperatorTangent(c->parts[k - 1], k > 1 ? c->x[k - 1] : x,
                                k > 1 ? c->moved[k - 1] : dx, c->moved[k]));
  }
  return 0;
}

/* The cotangent of an input between parts is needed if a part before it is not linear. */
static PetscErrorCode chain_second(void *self, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                                   HgState x_bar, HgState dx_bar) {
  Composite *c = self;
  PetscCall(chain_forward(c, c->count - 1, x));
  PetscCall(chain_move(c, x, dx));
  for (int k = c->count - 1; k >= 0; k--) {
    const bool last = k == c->count - 1, wanted = x_bar || !linear(c, k);
    HgState bar = k ? c->dx[k] : x_bar;
    PetscCall(HgOperatorSecond(c->parts[k], k ? c->x[k] : x, k ? c->moved[k] : dx,
                               last ? y_bar : c->dx[k + 1], last ? dy_bar : c->d_bar[k + 1],
                               wanted ? bar : NULL, k ? c->d_bar[k] : dx_bar));
  }
  return 0;
}

/* From the products of the last part, a functional, with moved[v] back to those of x. */
static PetscErrorCode chain_products(Composite *c, HgState x, HgState dx, HgState product,
                                     HgState x_bar, HgState h) {
  const int last = c->count - 1;
  PetscCall(chain_move(c, x, dx));
  for (int k = last - 1; k >= 0; k--)
    PetscCall(HgOperatorSecond(c->parts[k], k ? c->x[k] : x, k ? c->moved[k] : dx, c->dx[k + 1],
                               k + 1 == last ? product : c->d_bar[k + 1], k ? c->dx[k] : x_bar,
                               k ? c->d_bar[k] : h));
  return 0;
}

/* Only the last part takes several directions at once: the parts before it are cheap. */
static PetscErrorCode chain_hessians(void *self, HgState x, int directions, const HgState dx[],
                                     HgState x_bar, const HgState h[]) {
  Composite *c = self;
  const int last = c->count - 1;
  const HgOperator J = c->parts[last];
  HgState *moved, *product;
  if (!last) return HgOperatorHessians(J, x, directions, dx, x_bar, h);
  PetscCall(PetscMalloc2(directions, &moved, directions, &product));
  PetscCall(chain_forward(c, last, x));
  for (int v = 0; v < directions; v++) {
    PetscCall(HgOperatorCreateInput(J, &moved[v]));
    PetscCall(HgOperatorCreateInput(J, &product[v]));
    PetscCall(chain_move(c, x, dx[v]));
    PetscCall(HgStateCopy(c->moved[last], moved[v]));
  }
  PetscErrorCode ierr = HgOperatorHessians(J, c->x[last], directions, moved,
                                           x_bar || !linear(c, last) ? c->dx[last] : NULL, product);
  for (int v = 0; v < directions; v++) {
    if (!ierr) ierr = chain_products(c, x, dx[v], product[v], v ? NULL : x_bar, h[v]);
    PetscCall(HgStatesDestroy(&moved[v], &product[v]));
  }
  PetscCall(PetscFree2(moved, product));
  return ierr;
}

static PetscErrorCode give_part(HgOperator op, HgState x, HgOperator *part, HgState *at) {
  *part = op;
  PetscCall(HgOperatorCreateInput(op, at));
  return HgStateCopy(x, *at);
}

/* Part k at its input, computed from x by the parts before. */
static PetscErrorCode chain_part(void *self, HgState x, int k, HgOperator *part, HgState *at) {
  Composite *c = self;
  if (k >= c->count) return 0;
  PetscCall(chain_forward(c, k, x));
  return give_part(c->parts[k], k ? c->x[k] : x, part, at);
}

/* A chain is differentiated by the inputs of its first part; a sum by an input if each part is. */
static bool chain_active(void *self, int k) {
  return HgOperatorActive(((Composite *)self)->parts[0], k);
}

static bool sum_active(void *self, int k) {
  const Composite *c = self;
  for (int n = 0; n < c->count; n++)
    if (!HgOperatorActive(c->parts[n], k)) return false;
  return true;
}

static PetscErrorCode chain_gradient(void *self, HgState x, double *J, HgState x_bar) {
  Composite *c = self;
  const int last = c->count - 1;
  PetscCall(chain_forward(c, last, x));
  PetscCall(
      HgOperatorGradient(c->parts[last], last ? c->x[last] : x, J, last ? c->dx[last] : x_bar));
  return last ? chain_backward(c, last - 1, x, c->dx[last], HgOperatorAdjoint, x_bar) : 0;
}

PetscErrorCode HgOperatorChain(const char name[], int count, HgOperator parts[],
                               HgOperator *chain) {
  static const HgOperatorTable table = {chain_apply,    chain_tangent,     chain_adjoint,
                                        chain_gradient, composite_destroy, chain_second};
  HgState x, y;
  HgRequire(PETSC_COMM_WORLD, count >= 1, HG_ERR_OPERATOR,
            "chain '%s': %d parts given, expected at least one", name, count);
  Composite *c;
  PetscCall(composite_create(count, parts, &c));
  for (int k = 1; k < count; k++) {
    PetscCall(HgOperatorCreateOutput(parts[k - 1], &c->x[k]));
    PetscCall(HgOperatorCreateInput(parts[k], &c->dx[k]));
    if (HgStateSame(c->x[k], c->dx[k])) continue;
    const MPI_Comm comm = HgMeshComm(HgStateMesh(c->x[k]));
    PetscCall(composite_destroy(c));
    return HgError(comm, HG_ERR_OPERATOR,
                   "chain '%s': the output of '%s' does not fit the input of '%s'", name,
                   HgOperatorName(parts[k - 1]), HgOperatorName(parts[k]));
  }
  PetscCall(HgOperatorCreateInput(parts[0], &x));
  PetscCall(HgOperatorCreateOutput(parts[count - 1], &y));
  const HgOperatorTable own = applies(c, table);
  PetscCall(HgOperatorCreate(name, x, y, &own, c, chain));
  HgOperatorSetParts(*chain, chain_part);
  HgOperatorSetActive(*chain, chain_active);
  HgOperatorSetTranspose(*chain, chain_transpose);
  HgOperatorSetHessians(*chain, chain_hessians);
  if (linear(c, count)) HgOperatorSetLinear(*chain);
  return HgStatesDestroy(&x, &y);
}

static PetscErrorCode sum_apply(void *self, HgState x, HgState y) {
  Composite *c = self;
  PetscCall(HgOperatorApply(c->parts[0], x, y));
  for (int k = 1; k < c->count; k++) {
    PetscCall(HgOperatorApply(c->parts[k], x, c->x[0]));
    PetscCall(HgStateAXPY(y, 1, c->x[0]));
  }
  return 0;
}

static PetscErrorCode sum_tangent(void *self, HgState x, HgState dx, HgState dy) {
  Composite *c = self;
  PetscCall(HgOperatorTangent(c->parts[0], x, dx, dy));
  for (int k = 1; k < c->count; k++) {
    PetscCall(HgOperatorTangent(c->parts[k], x, dx, c->x[0]));
    PetscCall(HgStateAXPY(dy, 1, c->x[0]));
  }
  return 0;
}

/* The first part adds to x_bar or sets it, the others add. */
static PetscErrorCode sum_back(const Composite *c, HgState x, HgState y_bar,
                               HgOperatorBackFn *first, HgState x_bar) {
  for (int k = 0; k < c->count; k++)
    PetscCall((k ? HgOperatorAdjoint : first)(c->parts[k], x, y_bar, x_bar));
  return 0;
}

static PetscErrorCode sum_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  return sum_back(self, x, y_bar, HgOperatorAdjoint, x_bar);
}

static PetscErrorCode sum_transpose(void *self, HgState x, HgState y_bar, HgState x_bar) {
  return sum_back(self, x, y_bar, HgOperatorTranspose, x_bar);
}

static PetscErrorCode sum_second(void *self, HgState x, HgState dx, HgState y_bar, HgState dy_bar,
                                 HgState x_bar, HgState dx_bar) {
  Composite *c = self;
  PetscCall(like(x, &c->moved[0]));
  PetscCall(like(x, &c->d_bar[0]));
  for (int k = 0; k < c->count; k++) {
    HgState bar = k ? c->moved[0] : x_bar, d_bar = k ? c->d_bar[0] : dx_bar;
    PetscCall(HgOperatorSecond(c->parts[k], x, dx, y_bar, dy_bar, x_bar ? bar : NULL, d_bar));
    if (k && x_bar) PetscCall(HgStateAXPY(x_bar, 1, bar));
    if (k) PetscCall(HgStateAXPY(dx_bar, 1, d_bar));
  }
  return 0;
}

static PetscErrorCode sum_part(void *self, HgState x, int k, HgOperator *part, HgState *at) {
  Composite *c = self;
  return k < c->count ? give_part(c->parts[k], x, part, at) : 0;
}

static PetscErrorCode sum_gradient(void *self, HgState x, double *J, HgState x_bar) {
  Composite *c = self;
  *J = 0;
  for (int k = 0; k < c->count; k++) {
    double part;
    PetscCall(HgOperatorGradient(c->parts[k], x, &part, c->dx[0]));
    *J += part;
    PetscCall(HgStateAXPY(x_bar, 1, c->dx[0]));
  }
  return 0;
}

PetscErrorCode HgOperatorSum(const char name[], int count, HgOperator parts[], HgOperator *sum) {
  static const HgOperatorTable table = {sum_apply,    sum_tangent,       sum_adjoint,
                                        sum_gradient, composite_destroy, sum_second};
  HgRequire(PETSC_COMM_WORLD, count >= 1, HG_ERR_OPERATOR,
            "sum '%s': %d parts given, expected at least one", name, count);
  Composite *c;
  PetscCall(composite_create(count, parts, &c));
  PetscCall(HgOperatorCreateOutput(parts[0], &c->x[0]));
  PetscCall(HgOperatorCreateInput(parts[0], &c->dx[0]));
  const MPI_Comm comm = HgMeshComm(HgStateMesh(c->x[0]));
  for (int k = 1; k < count; k++) {
    HgState x, y;
    PetscCall(HgOperatorCreateInput(parts[k], &x));
    PetscCall(HgOperatorCreateOutput(parts[k], &y));
    const bool same = HgStateSame(x, c->dx[0]) && HgStateSame(y, c->x[0]);
    PetscCall(HgStatesDestroy(&x, &y));
    if (same) continue;
    PetscCall(composite_destroy(c));
    return HgError(comm, HG_ERR_OPERATOR, "sum '%s': '%s' has other variables than '%s'", name,
                   HgOperatorName(parts[k]), HgOperatorName(parts[0]));
  }
  const HgOperatorTable own = applies(c, table);
  PetscCall(HgOperatorCreate(name, c->dx[0], c->x[0], &own, c, sum));
  HgOperatorSetParts(*sum, sum_part);
  HgOperatorSetActive(*sum, sum_active);
  HgOperatorSetTranspose(*sum, sum_transpose);
  if (linear(c, count)) HgOperatorSetLinear(*sum);
  return 0;
}
