/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a step, run alone where the run has them: the dot product for each pair of a
   variable read and one written, and differences of values against the tangent. See doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/state_library.h>

typedef struct {
  HgOperator op;
  HgState x, dx, x_bar, moved; /* of its input */
  HgState y, dy, y_bar, one;   /* of its output */
  const char *name;
  bool stencil; /* else an operator */
  long step;
  double bound;
  uint64_t seed;
  HgFindings *report;
} Part;

static PetscErrorCode part_create(HgOperator op, HgState x, Part *p) {
  p->op = op, p->x = x;
  HgState *const inputs[] = {&p->dx, &p->x_bar, &p->moved};
  HgState *const outputs[] = {&p->y, &p->dy, &p->y_bar, &p->one};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDuplicate(x, inputs[k]));
  for (int k = 0; k < 4; k++) PetscCall(HgOperatorCreateOutput(op, outputs[k]));
  return 0;
}

/* Adds a finding about a pair (-1: no pair), at the place of `at` (NULL: nowhere). */
static HgFinding *add_finding(Part *p, HgCheckId check, HgKernel kernel, int read, int write,
                              const HgFinding *at) {
  HgFinding *f = HgFindingsAdd(p->report, check, p->step);
  if (!f) return NULL;
  HgFindingName(f, p->name, read < 0 ? NULL : HgStateVariable(p->x, read)->name,
                write < 0 ? NULL : HgStateVariable(p->y, write)->name);
  if (p->stencil) f->kernel = kernel;
  if (at)
    f->place = at->place, f->i = at->i, f->j = at->j, f->level = at->level, f->rank = at->rank;
  return f;
}

static PetscErrorCode central(Part *p, double e);

/* Checks x_bar of `read` from y_bar of `write`. If the tangent is wrong, the adjoint may still be
   the transpose of the value's differences. */
static PetscErrorCode check_pair(Part *p, int read, int write, bool tangent_wrong) {
  const uint64_t seed = p->seed + 2 * (uint64_t)write + 1;
  HgCheckPair pair, of_value = {.off = INFINITY};
  PetscCall(HgCheckRandomLike(p->x, read, p->seed + 2 * (uint64_t)read, p->dx));
  PetscCall(HgOperatorTangent(p->op, p->x, p->dx, p->dy));
  PetscCall(HgCheckRandomLike(p->y, write, seed, p->y_bar));
  PetscCall(HgOperatorTranspose(p->op, p->x, p->y_bar, p->x_bar));
  for (int k = 0; k < HgStateCount(p->x); k++) /* its own pairs */
    if (k != read) PetscCall(HgStateZeroVariable(p->x_bar, k));
  PetscCall(HgCheckDot(p->dx, p->dy, p->y_bar, p->x_bar, &pair));
  if (pair.off <= p->bound) return 0;
  if (tangent_wrong) PetscCall(central(p, cbrt(DBL_EPSILON)));
  PetscCall(HgCheckRandomLike(p->y, write, seed, p->y_bar));
  if (tangent_wrong) PetscCall(HgCheckDot(p->dx, p->one, p->y_bar, p->x_bar, &of_value));
  if (of_value.off <= 1e-8) return 0;
  HgFinding *f = add_finding(p, HG_CHECK_DOT, HG_KERNEL_ADJOINT, read, write, NULL);
  if (!f) return 0;
  f->value = pair.off, f->bound = p->bound;
  return HgDoctorCell(p->op, p->x, read, p->dx, p->y_bar, p->x_bar, p->bound, f);
}

static PetscErrorCode moved_value(Part *p, double e, HgState y) {
  PetscCall(HgStateCopy(p->x, p->moved));
  PetscCall(HgStateAXPY(p->moved, e, p->dx));
  return HgOperatorApply(p->op, p->moved, y);
}

/* one = (F(x + e dx) - F(x - e dx)) / 2e for a dx as large as x. Error: O(e^2) and rounding/e. */
static PetscErrorCode central(Part *p, double e) {
  PetscCall(moved_value(p, e, p->one));
  PetscCall(moved_value(p, -e, p->y_bar));
  PetscCall(HgStateAXPY(p->one, -1, p->y_bar));
  return HgStateScale(p->one, 1 / (2 * e));
}

/* one = (F(x + e dx) - 2 F(x) + F(x - e dx)) / e. It is O(e) unless one-sided differences disagree.
   */
static PetscErrorCode one_sided_gap(Part *p, double e) {
  PetscCall(moved_value(p, e, p->one));
  PetscCall(moved_value(p, -e, p->y_bar));
  PetscCall(HgStateAXPY(p->one, 1, p->y_bar));
  PetscCall(HgStateAXPY(p->one, -2, p->y));
  return HgStateScale(p->one, 1 / e);
}

/* The rounding error of F(x + e dx) - 2 F(x) + F(x - e dx) in variable `write`. */
static PetscErrorCode noise_of(Part *p, int write, double *noise) {
  double gap;
  *noise = 0;
  for (int n = 0; n < HG_TAYLOR_NOISES; n++) {
    PetscCall(one_sided_gap(p, hg_taylor_noise[n]));
    PetscCall(HgCheckLargest(p->one, write, 1, &gap));
    *noise = fmax(*noise, hg_taylor_noise[n] * gap);
  }
  return one_sided_gap(p, 1e-6);
}

/* `one` is the gap at e = 1e-6. *kink: variable `write` has a kink or jump along dx that is large
   compared with dy and with the rounding of its value; adds a finding. */
static PetscErrorCode check_kink(Part *p, int read, int write, bool *kink) {
  HgFinding at = {.i = -1, .j = -1, .level = -1, .rank = -1};
  double before, gap, value, slope, noise;
  *kink = false;
  PetscCall(HgStateZero(p->y_bar));
  PetscCall(HgDoctorDifference(p->y_bar, p->one, write, &gap, &at));
  if (!(gap > 0)) return 0;
  PetscCall(HgCheckLargest(p->y, write, 1, &value));
  PetscCall(HgCheckLargest(p->dy, write, 1, &slope));
  if (!(gap > 1e4 * DBL_EPSILON / 1e-6 * value) || !(gap > 1e-4 * slope)) return 0;
  PetscCall(noise_of(p, write, &noise)); /* as large as a jump it is none */
  if (noise <= 1e-8 * (value + slope) && gap <= 100 * noise / 1e-6) return 0;
  PetscCall(one_sided_gap(p, 1e-5));
  PetscCall(HgCheckLargest(p->one, write, 1, &before));
  PetscCall(one_sided_gap(p, 1e-6));
  *kink = gap > 0.5 * before;
  HgFinding *f = *kink ? add_finding(p, HG_CHECK_KINK, HG_KERNEL_APPLY, read, write, &at) : NULL;
  if (!f) return 0;
  f->value = gap, f->bound = 1e-6;
  if (gap > 3 * before) f->jump = 1e-6 * gap / value; /* as large for any e */
  return 0;
}

/* one = (D a + D b - D (a + b)) of variable `write`, for central differences D along dx = a and
   another direction b of `read`. *split: `one` is not 0 compared with D (a + b); adds a finding.
   Example: a mean of slopes that are both 0, where the value is linear along each direction, but
   not in the direction. dx is unchanged. */
static PetscErrorCode check_split(Part *p, double e, int read, int write, bool *split) {
  HgFinding at = {.i = -1, .j = -1, .level = -1, .rank = -1};
  HgState sum;
  double gap, size, value;
  PetscCall(HgOperatorCreateOutput(p->op, &sum));
  PetscCall(central(p, e));
  PetscCall(HgStateCopy(p->one, sum));
  PetscCall(HgStateCopy(p->dx, p->x_bar));
  PetscCall(HgCheckRandomLike(p->x, read, p->seed + 2 * (uint64_t)read + 1000, p->dx));
  PetscCall(central(p, e));
  PetscCall(HgStateAXPY(sum, 1, p->one));
  PetscCall(HgStateAXPY(p->dx, 1, p->x_bar));
  PetscCall(central(p, e));
  PetscCall(HgStateCopy(p->x_bar, p->dx));
  PetscCall(HgDoctorDifference(sum, p->one, write, &gap, &at));
  PetscCall(HgStateDestroy(&sum));
  PetscCall(HgCheckLargest(p->one, write, 1, &size));
  PetscCall(HgCheckLargest(p->y, write, 1, &value));
  *split = gap > 1e-6 * size + 300 * DBL_EPSILON / e * value;
  HgFinding *f = *split ? add_finding(p, HG_CHECK_KINK, HG_KERNEL_APPLY, read, write, &at) : NULL;
  if (f) f->split = true, f->value = gap, f->bound = 1e-6;
  return 0;
}

/* *size: the largest of F(x + e dx) - F(x) - e F' dx in variable `write`. */
static PetscErrorCode remainder_of(Part *p, double e, int write, double *size) {
  PetscCall(moved_value(p, e, p->one));
  PetscCall(HgStateAXPY(p->one, -1, p->y));
  PetscCall(HgStateAXPY(p->one, -e, p->dy));
  return HgCheckLargest(p->one, write, 1, size);
}

/* Compares the tangent along `read` with central differences, cell by cell in every variable
   written. These have an error of O(e^2) of the tangent and rounding/e of the value. */
static PetscErrorCode check_tangent(Part *p, int read) {
  const double e = cbrt(DBL_EPSILON), bound = 1e-6;
  PetscCall(HgCheckRandomLike(p->x, read, p->seed + 2 * (uint64_t)read, p->dx));
  PetscCall(HgOperatorTangent(p->op, p->x, p->dx, p->dy));
  for (int write = 0; write < HgStateCount(p->y); write++) {
    HgFinding at = {.i = -1, .j = -1, .level = -1, .rank = -1};
    double off, size, value, coarse, fine;
    bool kink;
    PetscCall(central(p, e));
    PetscCall(HgDoctorDifference(p->one, p->dy, write, &off, &at));
    PetscCall(HgCheckLargest(p->one, write, 1, &size));
    PetscCall(HgCheckLargest(p->y, write, 1, &value));
    if (off <= bound * size + 100 * DBL_EPSILON / e * value) continue;
    PetscCall(one_sided_gap(p, 1e-6));
    PetscCall(check_kink(p, read, write, &kink));
    if (!kink) PetscCall(check_split(p, e, read, write, &kink));
    if (kink) continue;
    PetscCall(remainder_of(p, 1e-3, write, &coarse));
    PetscCall(remainder_of(p, 1e-4, write, &fine));
    HgFinding *f = add_finding(p, HG_CHECK_TAYLOR, HG_KERNEL_TANGENT, read, write, &at);
    if (!f) continue;
    f->value = off / size, f->bound = bound, f->order = log10(coarse / fine);
    f->was = at.was, f->is = at.is;
  }
  return 0;
}

/* Finds kinks along `read`. A Taylor check misses them because it moves to one side only. */
static PetscErrorCode check_kinks(Part *p, int read) {
  bool unused;
  PetscCall(HgCheckRandomLike(p->x, read, p->seed + 2 * (uint64_t)read, p->dx));
  PetscCall(HgOperatorTangent(p->op, p->x, p->dx, p->dy));
  PetscCall(one_sided_gap(p, 1e-6));
  for (int write = 0; write < HgStateCount(p->y); write++)
    PetscCall(check_kink(p, read, write, &unused));
  return 0;
}

/* Adds findings about the whole part that no pair shows: the adjoint before the tangent before
   errors of writing or adding. */
static void add_unpaired(Part *p, const HgFindings *r) {
  static const HgCheckId order[] = {HG_CHECK_DOT, HG_CHECK_TAYLOR, HG_CHECK_ADDS, HG_CHECK_INPUTS};
  static const HgKernel kernel[] = {HG_KERNEL_ADJOINT, HG_KERNEL_TANGENT, HG_KERNEL_ADJOINT,
                                    HG_KERNEL_APPLY};
  for (int n = 0; n < 4; n++)
    for (int k = 0; k < r->findings; k++) {
      if (r->finding[k].check != order[n]) continue;
      HgFinding *f = add_finding(p, order[n], kernel[n], -1, -1, NULL);
      if (f) f->value = r->finding[k].value, f->bound = r->finding[k].bound;
      return;
    }
}

static PetscErrorCode check_part(Part *p) {
  const HgCheckOptions options = {.seed = p->seed, .dot_bound = p->bound};
  const int before = p->report->findings;
  HgFindings r;
  PetscCall(HgExamineOperator(p->op, p->x, &options, &r));
  const bool dot_wrong = !(r.worst[HG_CHECK_DOT] <= p->bound),
             tangent_wrong = !(r.worst[HG_CHECK_TAYLOR] >= HG_TAYLOR_BOUND);
  PetscCall(HgOperatorApply(p->op, p->x, p->y));
  for (int k = 0; k < HgStateCount(p->x); k++)
    if (HgOperatorActive(p->op, k)) PetscCall((tangent_wrong ? check_tangent : check_kinks)(p, k));
  for (int k = 0; k < HgStateCount(p->x) && dot_wrong; k++)
    for (int l = 0; l < HgStateCount(p->y) && HgOperatorActive(p->op, k); l++)
      PetscCall(check_pair(p, k, l, tangent_wrong));
  if (p->report->findings == before) add_unpaired(p, &r);
  return 0;
}

/* Errors of a stencil that its pairs do not show: local indices, memory of its own, reads beyond
   its radii; a cotangent set instead of added to, or added to although declared `sets`. In a step
   alone the former does not show: all cotangents are zeros before. */
static const unsigned rules = 1u << HG_CHECK_INDEX | 1u << HG_CHECK_CUT | 1u << HG_CHECK_PURE |
                              1u << HG_CHECK_STATIC | 1u << HG_CHECK_FINITE | 1u << HG_CHECK_RADIUS,
                      adds = 1u << HG_CHECK_ADDS | 1u << HG_CHECK_FRESH;

/* Adds one finding of each of these checks; of adding and of radii, one for each variable. */
static PetscErrorCode check_contract(HgProgram program, long step, const HgStencil *stencil,
                                     const void *params, HgState at, unsigned checks,
                                     HgFindings *report) {
  const HgCheckStencilOptions options = {.seed = 1, .draws = 4, .checks = checks};
  HgFindings all, found = {.findings = 0};
  unsigned said = 0;
  PetscCall(HgExamineTerm(program, step, stencil, params, at, &options, &all));
  for (int k = 0; k < all.findings; k++) {
    HgFinding *const f = &all.finding[k];
    if (said >> f->check & 1) continue;
    if (!((adds | 1u << HG_CHECK_RADIUS) >> f->check & 1)) said |= 1u << f->check;
    HgFinding *const added = HgFindingsAdd(&found, f->check, step);
    if (added) *added = *f, added->step = step;
  }
  PetscCall(HgFindingsAgree(HgMeshComm(HgStateMesh(at)), &found));
  HgFindingsMerge(&found, "", report);
  return 0;
}

/* Examines one operator; p has name, step, bound and seed. */
static PetscErrorCode examine(HgOperator op, HgState x, Part *p) {
  PetscCall(part_create(op, x, p));
  PetscCall(check_part(p));
  return HgStatesDestroy(&p->dx, &p->x_bar, &p->moved, &p->y, &p->dy, &p->y_bar, &p->one);
}

PetscErrorCode HgDoctorOperator(HgOperator op, HgState x, const HgCheckOptions *o,
                                HgFindings *report) {
  Part p = {.name = HgOperatorName(op),
            .step = -1,
            .bound = o->dot_bound,
            .seed = o->seed,
            .report = report};
  return examine(op, x, &p);
}

PetscErrorCode HgDoctorParts(HgProgram program, HgOperator op, long step, HgState x, bool contract,
                             const HgCheckOptions *o, HgFindings *report) {
  const unsigned checks = (o ? adds : 0) | (contract ? rules : 0);
  const HgStencil *s;
  const void *params;
  for (int k = 0; HgProgramTerm(program, k, &s, &params); k++) {
    const int before = report->findings;
    HgOperator part;
    HgState at;
    PetscCall(HgOperatorPart(op, x, k, &part, &at));
    const HgOperator term = part ? part : op;
    if (s) PetscCall(check_contract(program, step, s, params, at ? at : x, checks, report));
    if (o && report->findings == before) {
      Part p = {.name = s ? s->name : HgOperatorName(term),
                .stencil = s,
                .step = step,
                .bound = o->dot_bound,
                .seed = o->seed + 100 * (uint64_t)k,
                .report = report};
      PetscCall(examine(term, at ? at : x, &p));
    }
    PetscCall(HgStateDestroy(&at));
  }
  return 0;
}
