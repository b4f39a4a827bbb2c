/* SPDX-License-Identifier: BSD-2-Clause */
/* toy_operators.h -- small operators on states, right or with one planted fault, to try the
   checks on. */
#ifndef TOY_OPERATORS_H
#define TOY_OPERATORS_H
#include "destroy.h"
#include <halograd/check_library.h>
#include <halograd/exchange_library.h>
#include <halograd/mesh_library.h>
#include <halograd/operator_library.h>
#include <halograd/sum_library.h>
#include <math.h>

typedef enum {
  RIGHT,
  TANGENT_SIGN,     /* of one term */
  TANGENT_FACTOR_2, /* of one term */
  ADJOINT_SIGN,
  ADJOINT_FACTOR_2,
  ADJOINT_EAST, /* reads y_bar one cell to the east */
  ADJOINT_WEST,
  ADJOINT_NORTH,
  ADJOINT_FORGETS_V,    /* v_bar gets nothing */
  ADJOINT_FORGETS_RING, /* the ghosts of y_bar are not gathered */
  ADJOINT_FORGETS_CORNER,
  ADJOINT_SUMS_LOCALLY, /* theta_bar is not summed over ranks */
  ADJOINT_OVERWRITES_U,
  ADJOINT_OVERWRITES_THETA,
  FORGET_V,          /* tangent and adjoint agree, but know nothing of v */
  OF_ANOTHER_POINT,  /* tangent and adjoint agree, but are those of u + 1e-3 */
  SLIGHTLY_WRONG,    /* tangent and adjoint agree on 3 (1 + 1e-6) instead of 3 */
  TANGENT_AFFINE,    /* dy + 1e-3 */
  TANGENT_UNWRITTEN, /* one cell of dy is left alone */
  TANGENT_NONLINEAR, /* |du| in one term */
  ADJOINT_AFFINE,
  APPLY_UNWRITTEN,
  APPLY_CHANGES_X, /* one cell */
  TANGENT_CHANGES_X,
  TANGENT_CHANGES_DX,
  ADJOINT_CHANGES_THETA,
  ADJOINT_CHANGES_Y_BAR,
  TRANSPOSE_ADDS, /* to what was there */
  TANGENT_NAN,
  APPLY_NAN,
  APPLY_NOT_REPEATABLE, /* another value each time, by rounding only */
  FAULTS
} Fault;

/* y = u^2 v + 3 u + c theta_0 + sin(theta_1) + 1 with c = 1 + ((3 i + 5 j) mod 7) / 10; u, v
   fields, theta two numbers; y with its ghosts, each of which is twice the u of the nearest
   owned cell. */
typedef struct {
  HgMesh mesh;
  Fault fault;
  int calls; /* of apply */
} Toy;

static inline double toy_c(const HgPatch *p, int i, int j) {
  return 1 + (3 * (p->i_global + i) + 5 * (p->j_global + j)) % 7 / 10.0;
}

static inline int toy_clamp(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* The first cell of the whole grid, where the faults in one cell sit. */
static inline bool toy_first(const HgPatch *p) { return !p->i_global && !p->j_global; }

static inline PetscErrorCode toy_apply(void *self, HgState x, HgState y) {
  Toy *t = self;
  const HgPatch *p = HgMeshGetPatch(t->mesh);
  const int g = HgMeshGetSpec(t->mesh)->ghost;
  HgReal *const *u = HgStateRows(x, 0), *const *v = HgStateRows(x, 1),
                *const *r = HgStateRows(y, 0);
  const double *theta = HgStateArray(x, 2), before = r[0][0];
  for (int j = -g; j < p->ny + g; j++)
    for (int i = -g; i < p->nx + g; i++) r[j][i] = 2 * u[toy_clamp(j, p->ny)][toy_clamp(i, p->nx)];
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      r[j][i] =
          u[j][i] * u[j][i] * v[j][i] + 3 * u[j][i] + toy_c(p, i, j) * theta[0] + sin(theta[1]) + 1;
  if (t->fault == APPLY_UNWRITTEN && toy_first(p)) r[0][0] = before;
  if (t->fault == APPLY_NOT_REPEATABLE && toy_first(p)) r[0][0] *= 1 + 1e-15 * (t->calls++ % 2);
  if (t->fault == APPLY_NAN && toy_first(p)) r[0][0] = NAN;
  if (t->fault == APPLY_CHANGES_X && toy_first(p)) u[0][0] += 1e-9;
  return 0;
}

static inline PetscErrorCode toy_tangent(void *self, HgState x, HgState dx, HgState dy) {
  const Toy *t = self;
  const Fault f = t->fault;
  const HgPatch *p = HgMeshGetPatch(t->mesh);
  const int g = HgMeshGetSpec(t->mesh)->ghost;
  HgReal *const *u = HgStateRows(x, 0), *const *v = HgStateRows(x, 1),
                *const *du = HgStateRows(dx, 0), *const *dv = HgStateRows(dx, 1);
  HgReal *const *dr = HgStateRows(dy, 0);
  const double *theta = HgStateArray(x, 2), *dtheta = HgStateArray(dx, 2), before = dr[0][0];
  const double of_v = f == TANGENT_SIGN ? -1 : f == TANGENT_FACTOR_2 ? 2 : f == FORGET_V ? 0 : 1;
  const double three = f == SLIGHTLY_WRONG ? 3 * (1 + 1e-6) : 3,
               away = f == OF_ANOTHER_POINT ? 1e-3 : 0;
  for (int j = -g; j < p->ny + g; j++)
    for (int i = -g; i < p->nx + g; i++)
      dr[j][i] = 2 * du[toy_clamp(j, p->ny)][toy_clamp(i, p->nx)];
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double a = u[j][i] + away, moved = f == TANGENT_NONLINEAR ? fabs(du[j][i]) : du[j][i];
      dr[j][i] = 2 * a * v[j][i] * du[j][i] + three * moved + of_v * a * a * dv[j][i] +
                 toy_c(p, i, j) * dtheta[0] + cos(theta[1]) * dtheta[1];
    }
  if (f == TANGENT_AFFINE && toy_first(p)) dr[0][0] += 1e-3;
  if (f == TANGENT_UNWRITTEN && toy_first(p)) dr[0][0] = before;
  if (f == TANGENT_NAN && toy_first(p)) dr[0][0] = NAN;
  if (f == TANGENT_CHANGES_X && toy_first(p)) v[0][0] += 1e-9;
  if (f == TANGENT_CHANGES_DX && toy_first(p)) du[0][0] += 1e-9;
  return 0;
}

static inline PetscErrorCode toy_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  const Toy *t = self;
  const Fault f = t->fault;
  const HgPatch *p = HgMeshGetPatch(t->mesh);
  const int g = HgMeshGetSpec(t->mesh)->ghost;
  HgReal *const *u = HgStateRows(x, 0), *const *v = HgStateRows(x, 1),
                *const *w = HgStateRows(y_bar, 0);
  HgReal *const *u_bar = HgStateRows(x_bar, 0), *const *v_bar = HgStateRows(x_bar, 1);
  double *theta = HgStateArray(x, 2), *theta_bar = HgStateArray(x_bar, 2), sum[2];
  const double of_v = f == ADJOINT_SIGN                         ? -1
                      : f == ADJOINT_FACTOR_2                   ? 2
                      : f == ADJOINT_FORGETS_V || f == FORGET_V ? 0
                                                                : 1;
  const double three = f == SLIGHTLY_WRONG ? 3 * (1 + 1e-6) : 3,
               away = f == OF_ANOTHER_POINT ? 1e-3 : 0;
  const int di = f == ADJOINT_EAST   ? 1
                 : f == ADJOINT_WEST ? -1
                                     : 0,
            dj = f == ADJOINT_NORTH ? 1 : 0;
  HgSum sums[2];
  HgSumReset(&sums[0]);
  HgSumReset(&sums[1]);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double a = u[j][i] + away, w_bar = w[j + dj][i + di], c = toy_c(p, i, j), own = w[j][i];
      const double old = f == ADJOINT_OVERWRITES_U ? 0 : u_bar[j][i];
      u_bar[j][i] = old + (2 * a * v[j][i] * w_bar + three * w_bar);
      v_bar[j][i] += of_v * a * a * w_bar;
      HgSumAddProducts(&sums[0], 1, &c, &own);
      HgSumAdd(&sums[1], 1, &own);
    }
  for (int j = -g; j < p->ny + g && f != ADJOINT_FORGETS_RING; j++)
    for (int i = -g; i < p->nx + g; i++) {
      const int k = toy_clamp(i, p->nx), l = toy_clamp(j, p->ny);
      if (f == ADJOINT_FORGETS_CORNER && i == -g && j == -g && toy_first(p)) continue;
      if (i != k || j != l) u_bar[l][k] += 2 * w[j][i];
    }
  sum[0] = HgSumValue(&sums[0]), sum[1] = HgSumValue(&sums[1]);
  if (f != ADJOINT_SUMS_LOCALLY) PetscCall(HgSumReduce(HgMeshComm(t->mesh), 2, sums, sum));
  theta_bar[0] = (f == ADJOINT_OVERWRITES_THETA ? 0 : theta_bar[0]) + sum[0];
  theta_bar[1] += cos(theta[1]) * sum[1];
  if (f == ADJOINT_AFFINE && toy_first(p)) u_bar[0][0] += 1e-3;
  if (f == ADJOINT_CHANGES_THETA) theta[0] += 1e-9;
  if (f == ADJOINT_CHANGES_Y_BAR && toy_first(p))
    w[p->ny + g - 1][-1] = 0; /* the last row of ghosts, part of the value */
  return 0;
}

static inline PetscErrorCode toy_create(HgMesh mesh, Toy *toy, Fault fault, HgOperator *op,
                                        HgState *x) {
  static const HgOperatorTable table = {toy_apply, toy_tangent, toy_adjoint, NULL, NULL};
  static const HgVariable input[] = {
      {"u", "K", HG_FIELD, 0}, {"v", "1", HG_FIELD, 0}, {"theta", "1", HG_REPLICATED, 2}};
  static const HgVariable output[] = {{"y", "K", HG_GHOSTED, 0}};
  HgState y;
  *toy = (Toy){mesh, fault, 0};
  PetscCall(HgStateCreate(mesh, 3, input, x));
  PetscCall(HgStateCreate(mesh, 1, output, &y));
  PetscCall(HgStateRandom(*x, 17));
  PetscCall(HgOperatorCreate("toy", *x, y, &table, toy, op));
  if (fault == TRANSPOSE_ADDS) HgOperatorSetTranspose(*op, toy_adjoint);
  return HgStateDestroy(&y);
}

/* ---- the exchange ---- */
typedef struct {
  HgMesh mesh;
  HgExchange exchange;
  HgState copy;
} Primitive;

static inline PetscErrorCode primitive_destroy(void *self) {
  Primitive *p = self;
  PetscCall(DESTROY(&p->exchange, &p->copy));
  return PetscFree(p);
}

static inline PetscErrorCode one_field(HgMesh mesh, HgKind kind, HgState *state) {
  const HgVariable variable = {"u", "1", kind, 0, false};
  return HgStateCreate(mesh, 1, &variable, state);
}

/* y = x on owned cells, 0 elsewhere. */
static inline void copy_owned(HgMesh mesh, HgReal *const *x, HgReal *const *y) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) y[j][i] = x[j][i];
}

static inline PetscErrorCode exchange_apply(void *self, HgState x, HgState y) {
  Primitive *p = self;
  HgReal *const *fields[1] = {HgStateRows(y, 0)};
  PetscCall(HgStateZero(y));
  copy_owned(p->mesh, HgStateRows(x, 0), fields[0]);
  return HgExchangeApply(p->exchange, fields);
}

static inline PetscErrorCode exchange_adjoint(void *self, HgState x, HgState y_bar, HgState x_bar) {
  Primitive *p = self;
  (void)x;
  const HgPatch *patch = HgMeshGetPatch(p->mesh);
  PetscCall(HgStateCopy(y_bar, p->copy));
  HgReal *const *fields[1] = {HgStateRows(p->copy, 0)}, *const *u_bar = HgStateRows(x_bar, 0);
  PetscCall(HgExchangeTransposed(p->exchange, fields));
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++) u_bar[j][i] += fields[0][j][i];
  return 0;
}

/* The exchange as an operator: u (owned cells) -> u with `depth` ghosts filled (ghosts outside
   walls 0). Adjoint: the transposed exchange. */
static inline PetscErrorCode exchange_operator(HgMesh mesh, int depth, HgOperator *op) {
  static const HgOperatorTable table = {.apply = exchange_apply,
                                        .adjoint = exchange_adjoint,
                                        .destroy = primitive_destroy,
                                        .linear = true};
  Primitive *p;
  HgState x;
  if (HgMeshHasAutomaticGhosts(mesh)) PetscCall(HgMeshRequireGhosts(mesh, depth));
  PetscCall(PetscNew(&p));
  p->mesh = mesh;
  PetscCall(HgExchangeCreate(mesh, 1, NULL, &depth, &p->exchange));
  PetscCall(one_field(mesh, HG_FIELD, &x));
  PetscCall(one_field(mesh, HG_GHOSTED, &p->copy));
  PetscCall(HgOperatorCreate("exchange", x, p->copy, &table, p, op));
  return HgStateDestroy(&x);
}

#endif
