/* SPDX-License-Identifier: BSD-2-Clause */
#include "inversion_private.h"
#include <halograd/inversion_library.h>
#include <halograd/state_library.h>
#include <math.h>
#include <petscksp.h>

struct HgMetric_s {
  Mat R;           /* R'' of vectors like z */
  HgState pattern; /* of the controls */
  double *shift;   /* of each control */
  HgPrior prior;   /* of R'' + shift, from the second iterate on; NULL: 1 */
  Mat H0;          /* (R'' + shift) / factor */
  double factor;   /* along the last step J is 1 / factor times as curved as R'' + shift */
  bool begun;      /* there is an iterate */
  Vec z, g, work;  /* the last iterate, the (projected) gradient there */
  Vec free; /* 1; 0 where a bound holds a control, which would hold others that it is coupled to */
};

/* The share of the misfit's curvature along the first step, which is that of what the data see
   best. With R'' alone, these directions would be the stiffest by far, many of them where the
   regularisation is weak. */
static const double share = 0.1;

/* ---- what R'' leaves free ---- */

enum { CONSTANT = -1 };

/* The longest wave along an axis in a field, or its constant; 0 in other variables. */
static PetscErrorCode set_wave(HgState w, int k, int axis) {
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(w));
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(w));
  const int n[3] = {s->nx, s->ny, HgStateLevels(w, k)};
  const bool periodic[3] = {s->periodic_x, s->periodic_y, s->periodic_z};
  PetscCall(HgStateZero(w));
  if (axis == CONSTANT) return HgStateSetConstant(w, HgStateVariable(w, k)->name, 1);
  const double rate = (periodic[axis] ? 2 : 1) * PETSC_PI / n[axis];
  for (int row = 0; row < HgStateRowCount(w, k); row++)
    for (int i = 0; i < p->nx; i++) {
      const int at[3] = {p->i_global + i, p->j_global + row % p->ny, row / p->ny};
      HgStateRow(w, k, row)[i] = (HgReal)cos(rate * (at[axis] + 0.5));
    }
  return 0;
}

/* <w, R'' w> / <w, w> */
static PetscErrorCode curvature(HgMetric metric, const HgControlRange range[], HgState w, int k,
                                int axis, double *value) {
  double square;
  PetscCall(set_wave(w, k, axis));
  PetscCall(HgControlsToVec(w, range, 1, metric->z));
  PetscCall(MatMult(metric->R, metric->z, metric->g));
  PetscCall(VecDot(metric->z, metric->g, value));
  PetscCall(VecDot(metric->z, metric->z, &square));
  *value /= square;
  return 0;
}

/* Makes a constant at least as stiff as the longest wave: H1 leaves it free. */
static PetscErrorCode find_shift(HgMetric metric, const HgControlRange range[]) {
  const HgState w = metric->pattern;
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(w));
  for (int k = 0; k < HgStateCount(w); k++) {
    double constant, least = INFINITY;
    if (!HgIsField(HgStateVariable(w, k))) continue;
    const int n[3] = {s->nx, s->ny, HgStateLevels(w, k)};
    PetscCall(curvature(metric, range, w, k, CONSTANT, &constant));
    for (int axis = 0; axis < 3; axis++) {
      double wave;
      if (n[axis] == 1) continue;
      PetscCall(curvature(metric, range, w, k, axis, &wave));
      least = fmin(least, wave);
    }
    if (isfinite(least)) metric->shift[k] = fmax(0, least - constant);
  }
  return 0;
}

/* ---- H0 ---- */

/* x = (R'' + shift)^-1 b restricted to free controls. */
static PetscErrorCode solve_free(HgMetric c, Vec b, Vec x) {
  PetscCall(VecPointwiseMult(x, b, c->free));
  if (c->prior) PetscCall(HgPriorSolve(c->prior, x, x));
  return VecPointwiseMult(x, x, c->free);
}

static PetscErrorCode solve(Mat H0, Vec b, Vec x) {
  HgMetric metric;
  PetscCall(MatShellGetContext(H0, &metric));
  PetscCall(solve_free(metric, b, x));
  return VecScale(x, metric->factor);
}

static PetscErrorCode multiply(Mat H0, Vec x, Vec y) {
  HgMetric metric;
  PetscCall(MatShellGetContext(H0, &metric));
  PetscCall(MatMult(metric->R, x, y));
  return VecScale(y, 1 / metric->factor);
}

static PetscErrorCode create_matrix(HgMetric metric) {
  PetscInt size;
  PetscCall(VecGetLocalSize(metric->z, &size));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)metric->z), size, size, PETSC_DETERMINE,
                           PETSC_DETERMINE, metric, &metric->H0));
  PetscCall(MatShellSetOperation(metric->H0, MATOP_MULT, (void (*)(void))multiply));
  PetscCall(MatShellSetOperation(metric->H0, MATOP_SOLVE, (void (*)(void))solve));
  return MatSetOption(metric->H0, MAT_SYMMETRIC, PETSC_TRUE);
}

PetscErrorCode HgMetricCreate(HgOperator R, const HgControlRange range[], HgState m, Vec z,
                              HgMetric *metric) {
  HgMetric c;
  PetscCall(PetscNew(&c));
  c->factor = 1;
  PetscCall(HgStateDuplicate(m, &c->pattern));
  PetscCall(PetscCalloc1(HgStateCount(m), &c->shift));
  Vec *const vectors[] = {&c->z, &c->g, &c->work, &c->free};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    PetscCall(VecDuplicate(z, vectors[k]));
  PetscCall(VecSet(c->free, 1));
  PetscErrorCode ierr = HgHessianCreate(R, range, z, m, &c->R);
  if (!ierr) ierr = find_shift(c, range);
  if (!ierr) ierr = create_matrix(c);
  if (ierr) PetscCall(HgMetricDestroy(&c));
  *metric = c;
  return ierr;
}

PetscErrorCode HgMetricDestroy(HgMetric *metric) {
  HgMetric c = *metric;
  *metric = NULL;
  if (!c) return 0;
  PetscCall(MatDestroy(&c->R));
  PetscCall(MatDestroy(&c->H0));
  PetscCall(HgPriorDestroy(&c->prior));
  PetscCall(HgStateDestroy(&c->pattern));
  PetscCall(PetscFree(c->shift));
  PetscCall(VecDestroy(&c->z));
  PetscCall(VecDestroy(&c->g));
  PetscCall(VecDestroy(&c->work));
  PetscCall(VecDestroy(&c->free));
  return PetscFree(c);
}

/* ---- in use ---- */

/* free_i = 0 where z_i is at a bound and the projected g_i is 0. */
static PetscErrorCode find_free(HgMetric c, Tao tao, Vec z, Vec g) {
  const PetscScalar *at, *slope, *least, *most;
  PetscScalar *free;
  PetscInt n;
  Vec lower, upper;
  PetscCall(TaoGetVariableBounds(tao, &lower, &upper));
  PetscCall(VecGetLocalSize(z, &n));
  PetscCall(VecGetArrayRead(z, &at));
  PetscCall(VecGetArrayRead(g, &slope));
  PetscCall(VecGetArrayRead(lower, &least));
  PetscCall(VecGetArrayRead(upper, &most));
  PetscCall(VecGetArray(c->free, &free));
  for (PetscInt i = 0; i < n; i++) free[i] = slope[i] != 0 || (at[i] > least[i] && at[i] < most[i]);
  PetscCall(VecRestoreArray(c->free, &free));
  PetscCall(VecRestoreArrayRead(upper, &most));
  PetscCall(VecRestoreArrayRead(lower, &least));
  PetscCall(VecRestoreArrayRead(g, &slope));
  return VecRestoreArrayRead(z, &at);
}

/* After the first step s = c->z, along which the gradient has changed by y: sy = <s, y>. */
static PetscErrorCode create_prior(HgMetric c, double sy) {
  double ss, sRs;
  PetscCall(VecDot(c->z, c->z, &ss));
  PetscCall(MatMult(c->R, c->z, c->work));
  PetscCall(VecDot(c->z, c->work, &sRs));
  for (int k = 0; k < HgStateCount(c->pattern); k++)
    if (ss > 0) c->shift[k] = fmax(c->shift[k], share * (sy - sRs) / ss);
  return HgPriorCreate(c->pattern, c->R, c->shift, &c->prior);
}

PetscErrorCode HgMetricMove(HgMetric c, Tao tao, double J) {
  double top, bottom;
  Vec z, g;
  PetscCall(TaoGetSolution(tao, &z));
  PetscCall(TaoGetGradient(tao, &g, NULL, NULL));
  PetscCall(find_free(c, tao, z, g));
  if (c->begun) { /* <s, y> / <y, P y> */
    PetscCall(VecAYPX(c->z, -1, z));
    PetscCall(VecAYPX(c->g, -1, g));
    PetscCall(VecDot(c->z, c->g, &top));
    if (!c->prior) PetscCall(create_prior(c, top));
  } else { /* the first step is no longer than one that makes J 0 */
    PetscCall(VecCopy(g, c->g));
    top = 2 * fabs(J);
  }
  PetscCall(solve_free(c, c->g, c->work));
  PetscCall(VecDot(c->g, c->work, &bottom));
  if (top > 0 && bottom > 0) c->factor = c->begun ? top / bottom : fmin(1, top / bottom);
  c->begun = true;
  PetscCall(VecCopy(z, c->z));
  return VecCopy(g, c->g);
}

/* Newton's equations are those of the free controls; at a bound the metric is 1. */
static PetscErrorCode apply(PC pc, Vec b, Vec x) {
  HgMetric metric;
  PetscInt all, free;
  PetscCall(PCShellGetContext(pc, &metric));
  PetscCall(VecGetSize(metric->z, &all));
  PetscCall(VecGetSize(b, &free));
  return free == all && metric->prior ? HgPriorSolve(metric->prior, b, x) : VecCopy(b, x);
}

PetscErrorCode HgMetricUse(HgMetric metric, HgMethod method, Tao tao) {
  PetscBool lmvm;
  TaoType type;
  KSP ksp;
  PC pc;
  PetscCall(TaoGetType(tao, &type));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)tao, &lmvm, TAOBLMVM, TAOLMVM, ""));
  HgRequire(PetscObjectComm((PetscObject)tao), lmvm || method == HG_METHOD_HESSIAN,
            HG_ERR_OPTION_RANGE,
            "option -tao_type: '%s' cannot be preconditioned by the regularisation; expected one "
            "of: blmvm, lmvm, bnls, bntr, bntl, nls, ntr, or no -precondition",
            type);
  if (lmvm) return TaoLMVMSetH0(tao, metric->H0);
  PetscCall(TaoGetKSP(tao, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetContext(pc, metric));
  return PCShellSetApply(pc, apply);
}
