/* The parts of a step, run alone where the run has them: the dot product for each pair of a
   variable read and one written, and differences of values against the tangent; and whether it is
   the kernels that are wrong or what surrounds them. See doctor.h. */
#include "doctor_private.h"
#include <float.h>
#include <halograd/check_library.h>
#include <halograd/taylor_library.h>
#include <math.h>

typedef struct {
  HgOperator op;
  HgState x, dx, x_bar, moved; /* of its input */
  HgState y, dy, y_bar, one;   /* of its output */
  HgDoctorFinding about;       /* kind and pair are for each finding to say */
  double bound;
  uint64_t seed;
  const HgDoctorTerm *term; /* NULL: an operator */
  HgDoctorReport *report;
} Part;

static PetscErrorCode part_create(HgOperator op, HgState x, Part *p) {
  p->op = op, p->x = x;
  HgState *const inputs[] = {&p->dx, &p->x_bar, &p->moved};
  HgState *const outputs[] = {&p->y, &p->dy, &p->y_bar, &p->one};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDuplicate(x, inputs[k]));
  for (int k = 0; k < 4; k++) PetscCall(HgOperatorCreateOutput(op, outputs[k]));
  return 0;
}

static PetscErrorCode part_destroy(Part *p) {
  HgState *const all[] = {&p->dx, &p->x_bar, &p->moved, &p->y, &p->dy, &p->y_bar, &p->one};
  for (int k = 0; k < 7; k++) PetscCall(HgStateDestroy(all[k]));
  return 0;
}

static HgDoctorFinding *find_pair(Part *p, HgDoctorKind kind, int read, int write, double value,
                                  double bound) {
  HgDoctorFinding *f = HgDoctorFind(p->report, kind, p->about.step);
  if (!f) return NULL;
  (void)PetscStrncpy(f->part, p->about.part, sizeof f->part);
  (void)PetscStrncpy(f->read, HgStateVariable(p->x, read)->name, sizeof f->read);
  (void)PetscStrncpy(f->write, HgStateVariable(p->y, write)->name, sizeof f->write);
  f->value = value, f->bound = bound;
  return f;
}

/* *off = |<dy, y_bar> - <dx, x_bar>|, relative */
static PetscErrorCode dot(HgState dy, HgState y_bar, HgState dx, HgState x_bar, double *off) {
  double forward, back, norm[4];
  HgState const all[] = {dy, y_bar, dx, x_bar};
  PetscCall(HgStateDot(dy, y_bar, &forward));
  PetscCall(HgStateDot(dx, x_bar, &back));
  for (int k = 0; k < 4; k++) PetscCall(HgStateDot(all[k], all[k], &norm[k]));
  const double most = fmax(sqrt(norm[0]) * sqrt(norm[1]), sqrt(norm[2]) * sqrt(norm[3]));
  *off = forward == back ? 0 : fabs(forward - back) / most;
  return 0;
}

/* Kernels that are right by themselves are not to blame: then it is the boundary or the exchange
   around them, or how the step is reversed. */
static PetscErrorCode blame(Part *p, HgDoctorFinding *f) {
  double off;
  if (!p->term) return 0;
  PetscCall(HgDoctorKernel(p->term, p->x, f->read, f->write, p->seed, &off));
  if (off > 10 * p->bound) return 0;
  const bool wall = f->place == HG_DOCTOR_WALL || f->place == HG_DOCTOR_CORNER;
  f->kind = wall                         ? HG_DOCTOR_BOUNDARY
            : f->place == HG_DOCTOR_SEAM ? HG_DOCTOR_EXCHANGE
                                         : HG_DOCTOR_SWEEP;
  f->side = HgDoctorSideOf(HgStateMesh(p->x), f);
  return 0;
}

static PetscErrorCode difference(Part *p, double e);

/* Is x_bar of `read` from y_bar of `write` the transpose of the value's differences, of which the
   tangent is not the limit? */
static PetscErrorCode is_of_value(Part *p, int write, bool *right) {
  double off;
  PetscCall(difference(p, cbrt(DBL_EPSILON)));
  PetscCall(HgCheckerRandomIn(p->y, write, p->seed + 2 * (uint64_t)write + 1, p->y_bar));
  PetscCall(dot(p->one, p->y_bar, p->dx, p->x_bar, &off));
  *right = off <= 1e-8;
  return 0;
}

/* x_bar of `read` from y_bar of `write`. */
static PetscErrorCode check_pair(Part *p, int read, int write, bool tangent_wrong) {
  bool right = false;
  double off = 0;
  PetscCall(HgCheckerRandomIn(p->x, read, p->seed + 2 * (uint64_t)read, p->dx));
  PetscCall(HgOperatorTangent(p->op, p->x, p->dx, p->dy));
  PetscCall(HgCheckerRandomIn(p->y, write, p->seed + 2 * (uint64_t)write + 1, p->y_bar));
  PetscCall(HgOperatorTranspose(p->op, p->x, p->y_bar, p->x_bar));
  for (int k = 0; k < HgStateCount(p->x); k++) /* its own pairs */
    if (k != read) PetscCall(HgStateZeroVariable(p->x_bar, k));
  PetscCall(dot(p->dy, p->y_bar, p->dx, p->x_bar, &off));
  if (off <= p->bound) return 0;
  if (tangent_wrong) PetscCall(is_of_value(p, write, &right));
  if (right) return 0;
  HgDoctorFinding *f = find_pair(p, HG_DOCTOR_ADJOINT, read, write, off, p->bound);
  if (!f) return 0;
  PetscCall(HgDoctorCell(p->op, p->x, read, p->dx, p->y_bar, p->x_bar, p->bound, f));
  return blame(p, f);
}

/* x moved by e dx. */
static PetscErrorCode moved_value(Part *p, double e, HgState y) {
  PetscCall(HgStateCopy(p->x, p->moved));
  PetscCall(HgStateAXPY(p->moved, e, p->dx));
  return HgOperatorApply(p->op, p->moved, y);
}

/* one = (F(x + e dx) - F(x - e dx)) / 2e for a dx as large as x: off by O(e^2) and rounding/e. */
static PetscErrorCode difference(Part *p, double e) {
  PetscCall(moved_value(p, e, p->one));
  PetscCall(moved_value(p, -e, p->y_bar));
  PetscCall(HgStateAXPY(p->one, -1, p->y_bar));
  return HgStateScale(p->one, 1 / (2 * e));
}

/* The largest |v| in variable k. */
static PetscErrorCode largest(HgState v, int k, HgState zero, double *size) {
  HgDoctorFinding unused;
  PetscCall(HgStateZero(zero));
  return HgDoctorDifference(v, zero, k, size, &unused);
}

/* one = F(x + e dx) - F(x) - e F' dx; *size: the largest of variable `write`. */
static PetscErrorCode remainder_of(Part *p, double e, int write, double *size) {
  PetscCall(moved_value(p, e, p->one));
  PetscCall(HgStateAXPY(p->one, -1, p->y));
  PetscCall(HgStateAXPY(p->one, -e, p->dy));
  return largest(p->one, write, p->y_bar, size);
}

/* one = (F(x + e dx) - 2 F(x) + F(x - e dx)) / e: O(e) but where one-sided differences disagree. */
static PetscErrorCode one_sided_gap(Part *p, double e) {
  PetscCall(moved_value(p, e, p->one));
  PetscCall(moved_value(p, -e, p->y_bar));
  PetscCall(HgStateAXPY(p->one, 1, p->y_bar));
  PetscCall(HgStateAXPY(p->one, -2, p->y));
  return HgStateScale(p->one, 1 / e);
}

/* How far F(x + e dx) - 2 F(x) + F(x - e dx) is off by rounding, in variable `write`. */
static PetscErrorCode noise_of(Part *p, int write, double *noise) {
  double gap;
  *noise = 0;
  for (int n = 0; n < HG_TAYLOR_NOISES; n++) {
    PetscCall(one_sided_gap(p, hg_taylor_noise[n]));
    PetscCall(largest(p->one, write, p->y_bar, &gap));
    *noise = fmax(*noise, hg_taylor_noise[n] * gap);
  }
  return one_sided_gap(p, 1e-6);
}

/* one is the gap at e = 1e-6: a finding if variable `write` has a kink, or a jump, along dx that is
   large beside dy and beside the rounding of its value: *kink. */
static PetscErrorCode check_kink(Part *p, int read, int write, bool *kink) {
  HgDoctorFinding at = {.i = -1, .j = -1, .rank = -1};
  double before, gap, value, slope, noise;
  *kink = false;
  PetscCall(HgStateZero(p->y_bar));
  PetscCall(HgDoctorDifference(p->y_bar, p->one, write, &gap, &at));
  if (!(gap > 0)) return 0;
  PetscCall(largest(p->y, write, p->y_bar, &value));
  if (!(gap > 1e4 * DBL_EPSILON / 1e-6 * value)) return 0;
  PetscCall(largest(p->dy, write, p->y_bar, &slope));
  if (!(gap > 1e-4 * slope)) return 0;
  PetscCall(noise_of(p, write, &noise)); /* as large as a jump it is none */
  if (noise <= 1e-8 * (value + slope) && gap <= 100 * noise / 1e-6) return 0;
  PetscCall(one_sided_gap(p, 1e-5));
  PetscCall(largest(p->one, write, p->y_bar, &before));
  PetscCall(one_sided_gap(p, 1e-6));
  *kink = gap > 0.5 * before;
  if (!*kink) return 0;
  HgDoctorFinding *f = find_pair(p, HG_DOCTOR_KINK, read, write, gap, 1e-6);
  if (f && gap > 3 * before) f->rounding = 1e-6 * gap / value; /* as large for any e: it jumps */
  if (f) f->place = at.place, f->i = at.i, f->j = at.j, f->rank = at.rank, f->is = at.is;
  return 0;
}

/* one = (D a + D b - D (a + b)) of variable `write` for central differences D along dx = a and
   another direction b of `read`: a finding if it is not 0 beside D (a + b), *split. As in a mean of
   slopes that are both 0 the value may be linear along each direction, and not in directions. dx is
   left as it was. */
static PetscErrorCode check_split(Part *p, double e, int read, int write, bool *split) {
  HgDoctorFinding at = {.i = -1, .j = -1, .rank = -1};
  HgState sum;
  double gap, size, value;
  PetscCall(HgOperatorCreateOutput(p->op, &sum));
  PetscCall(difference(p, e));
  PetscCall(HgStateCopy(p->one, sum));
  PetscCall(HgStateCopy(p->dx, p->x_bar));
  PetscCall(HgCheckerRandomIn(p->x, read, p->seed + 2 * (uint64_t)read + 1000, p->dx));
  PetscCall(difference(p, e));
  PetscCall(HgStateAXPY(sum, 1, p->one));
  PetscCall(HgStateAXPY(p->dx, 1, p->x_bar));
  PetscCall(difference(p, e));
  PetscCall(HgStateCopy(p->x_bar, p->dx));
  PetscCall(HgDoctorDifference(sum, p->one, write, &gap, &at));
  PetscCall(HgStateDestroy(&sum));
  PetscCall(largest(p->one, write, p->y_bar, &size));
  PetscCall(largest(p->y, write, p->y_bar, &value));
  *split = gap > 1e-6 * size + 300 * DBL_EPSILON / e * value;
  if (!*split) return 0;
  HgDoctorFinding *f = find_pair(p, HG_DOCTOR_KINK, read, write, gap, 1e-6);
  if (f) f->split = true, f->place = at.place, f->i = at.i, f->j = at.j, f->rank = at.rank;
  return 0;
}

/* How fast the remainder falls from e = 1e-3 to 1e-4. */
static PetscErrorCode find_order(Part *p, int write, HgDoctorFinding *f) {
  double one, two;
  PetscCall(remainder_of(p, 1e-3, write, &one));
  PetscCall(remainder_of(p, 1e-4, write, &two));
  f->order = log10(one / two);
  return 0;
}

/* Central differences along `read` against the tangent, in every variable written, cell by cell;
   what they are off by themselves is O(e^2) of the tangent and rounding/e of the value. */
static PetscErrorCode check_tangent(Part *p, int read) {
  const double e = cbrt(DBL_EPSILON), bound = 1e-6;
  PetscCall(HgCheckerRandomIn(p->x, read, p->seed + 2 * (uint64_t)read, p->dx));
  PetscCall(HgOperatorTangent(p->op, p->x, p->dx, p->dy));
  for (int write = 0; write < HgStateCount(p->y); write++) {
    HgDoctorFinding at = {.i = -1, .j = -1, .rank = -1};
    double off, size, value;
    bool kink;
    PetscCall(difference(p, e));
    PetscCall(HgDoctorDifference(p->one, p->dy, write, &off, &at));
    PetscCall(largest(p->one, write, p->y_bar, &size));
    PetscCall(largest(p->y, write, p->y_bar, &value));
    if (off <= bound * size + 100 * DBL_EPSILON / e * value) continue;
    PetscCall(one_sided_gap(p, 1e-6));
    PetscCall(check_kink(p, read, write, &kink));
    if (!kink) PetscCall(check_split(p, e, read, write, &kink));
    if (kink) continue;
    HgDoctorFinding *f = find_pair(p, HG_DOCTOR_TANGENT, read, write, off / size, bound);
    if (!f) continue;
    f->i = at.i, f->j = at.j, f->rank = at.rank, f->place = at.place;
    f->was = at.was, f->is = at.is;
    PetscCall(find_order(p, write, f));
  }
  return 0;
}

/* Kinks along `read` that a Taylor check does not see, as it looks to one side only. */
static PetscErrorCode check_kinks(Part *p, int read) {
  bool unused;
  PetscCall(HgCheckerRandomIn(p->x, read, p->seed + 2 * (uint64_t)read, p->dx));
  PetscCall(HgOperatorTangent(p->op, p->x, p->dx, p->dy));
  PetscCall(one_sided_gap(p, 1e-6));
  for (int write = 0; write < HgStateCount(p->y); write++)
    PetscCall(check_kink(p, read, write, &unused));
  return 0;
}

/* What only a check of the whole part can see, or names no pair. */
static PetscErrorCode check_part(Part *p) {
  const HgCheckOptions options = {.seed = p->seed, .dot_bound = p->bound};
  HgCheckReport r;
  const int before = p->report->findings;
  PetscCall(HgCheckOperator(p->op, p->x, &options, &r));
  const bool dot_wrong = !(r.dot <= p->bound), tangent_wrong = !(r.taylor >= 1.9);
  PetscCall(HgOperatorApply(p->op, p->x, p->y));
  for (int k = 0; k < HgStateCount(p->x); k++)
    if (HgOperatorActive(p->op, k)) PetscCall((tangent_wrong ? check_tangent : check_kinks)(p, k));
  for (int k = 0; k < HgStateCount(p->x) && dot_wrong; k++)
    for (int l = 0; l < HgStateCount(p->y) && HgOperatorActive(p->op, k); l++)
      PetscCall(check_pair(p, k, l, tangent_wrong));
  if ((!dot_wrong && !tangent_wrong && r.untouched) || p->report->findings > before) return 0;
  const HgDoctorKind kind = dot_wrong       ? HG_DOCTOR_ADJOINT
                            : tangent_wrong ? HG_DOCTOR_TANGENT
                                            : HG_DOCTOR_ADDS;
  HgDoctorFinding *f = HgDoctorFind(p->report, kind, p->about.step);
  if (!f) return 0;
  f->value = dot_wrong ? r.dot : r.taylor, f->bound = dot_wrong ? p->bound : 1.9;
  return PetscStrncpy(f->part, p->about.part, sizeof f->part);
}

/* What a stencil may not do and its pairs do not show: local indices, memory of its own; and a
   cotangent set instead of added to (in a step alone all are new, handed over as zeros) or added to
   where it says that it sets. */
static const unsigned rules = 1u << HG_STENCIL_INDEX | 1u << HG_STENCIL_CUT |
                              1u << HG_STENCIL_PURE | 1u << HG_STENCIL_STATIC |
                              1u << HG_STENCIL_FINITE,
                      adds = 1u << HG_STENCIL_ADDS | 1u << HG_STENCIL_FRESH;

/* A finding of each of these checks, of `adds` of each cotangent. */
static PetscErrorCode check_contract(const HgDoctorTerm *term, HgState at, unsigned checks,
                                     HgDoctorReport *report) {
  const HgCheckStencilOptions options = {.seed = 1, .draws = 4, .checks = checks};
  HgDoctorReport found = {0};
  HgStencilReport r;
  unsigned said = 0;
  PetscCall(HgCheckTerm(term->program, term->step, term->stencil, term->params, at, &options, &r));
  for (int k = 0; k < r.findings; k++) {
    const HgStencilFinding *is = &r.finding[k];
    const bool add = adds >> is->check & 1;
    if ((add && !is->read) || said >> is->check & 1) continue;
    HgDoctorFinding *f =
        HgDoctorFind(&found, add ? HG_DOCTOR_ADDS : HG_DOCTOR_CONTRACT, term->step);
    if (!f) continue;
    if (!add) said |= 1u << is->check;
    f->value = is->value, f->bound = is->bound;
    PetscCall(PetscStrncpy(f->part, r.stencil, sizeof f->part));
    PetscCall(HgStencilFindingText(is, sizeof f->detail, f->detail));
    if (is->read) PetscCall(PetscStrncpy(f->read, is->read, sizeof f->read));
    if (is->write) PetscCall(PetscStrncpy(f->write, is->write, sizeof f->write));
    if (is->check == HG_STENCIL_FRESH) PetscCall(PetscStrncpy(f->write, "fresh", sizeof f->write));
  }
  PetscCall(HgDoctorAgree(HgMeshComm(HgStateMesh(at)), &found));
  HgDoctorMerge(&found, "", report);
  return 0;
}

/* One operator of which the part knows name, step, term, bound and seed. */
static PetscErrorCode examine(HgOperator op, const char name[], HgState x, Part *p) {
  PetscCall(PetscStrncpy(p->about.part, name, sizeof p->about.part));
  PetscCall(part_create(op, x, p));
  PetscCall(check_part(p));
  return part_destroy(p);
}

PetscErrorCode HgDoctorOperator(HgOperator op, const char name[], HgState x,
                                const HgDoctorOptions *o, HgDoctorReport *report) {
  Part p = {.about = {.step = -1}, .bound = o->bound, .seed = o->seed, .report = report};
  return examine(op, name, x, &p);
}

PetscErrorCode HgDoctorParts(HgProgram program, HgOperator op, long step, HgState x, bool contract,
                             const HgDoctorOptions *o, HgDoctorReport *report) {
  HgDoctorTerm term = {.program = program, .step = step};
  HgOperator part;
  HgState at;
  for (int k = 0; HgProgramTerm(program, k, &term.stencil, &term.params); k++) {
    const int before = report->findings;
    Part p = {.about = {.step = step},
              .bound = o->bound,
              .seed = o->seed + 100 * (uint64_t)k,
              .term = term.stencil ? &term : NULL,
              .report = report};
    PetscCall(HgOperatorPart(op, x, k, &part, &at));
    term.op = part ? part : op;
    if (term.stencil)
      PetscCall(check_contract(&term, at ? at : x, adds | (contract ? rules : 0), report));
    if (report->findings == before)
      PetscCall(examine(term.op, term.stencil ? term.stencil->name : HgOperatorName(term.op),
                        at ? at : x, &p));
    PetscCall(HgStateDestroy(&at));
  }
  return 0;
}

PetscErrorCode HgDoctorContract(HgProgram program, HgOperator op, long step, HgState x,
                                HgDoctorReport *report) {
  HgDoctorTerm term = {.program = program, .step = step};
  for (int k = 0; HgProgramTerm(program, k, &term.stencil, &term.params); k++) {
    HgOperator part;
    HgState at;
    PetscCall(HgOperatorPart(op, x, k, &part, &at));
    if (term.stencil) PetscCall(check_contract(&term, at ? at : x, rules, report));
    PetscCall(HgStateDestroy(&at));
  }
  return 0;
}
