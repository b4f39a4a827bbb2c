/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a stencil keeps the kernel contract: draws and findings; see finding_library.h. */
#include "trial_private.h"

/* ---- findings ---- */
bool HgTrialChosen(const HgTrial *t, HgCheckId check) {
  return !t->options->checks || t->options->checks >> check & 1;
}

/* Whether `value` is worse. A larger Taylor order is better. Never called with NaN. */
static bool worse(HgCheckId check, double value, double than) {
  return check == HG_CHECK_TAYLOR ? value < than : value > than;
}

/* The finding of that check, kernel and pair, added to the report if it is new. */
static HgFinding *find(HgFindings *r, const HgFinding *f) {
  for (int k = 0; k < r->findings; k++) {
    HgFinding *known = &r->finding[k];
    if (known->check == f->check && known->kernel == f->kernel && !strcmp(known->read, f->read) &&
        !strcmp(known->write, f->write))
      return known;
  }
  HgFinding *const added = HgFindingsAdd(r, f->check, -1);
  if (added) *added = *f;
  return added;
}

void HgTrialNoteNames(HgTrial *t, HgCheckId check, HgKernel kernel, const char read[],
                      const char write[], double value, double bound, bool ok) {
  HgFindings *r = t->report;
  const bool crash = check == HG_CHECK_RADIUS && isinf(value);
  if (!crash && !HgTrialChosen(t, check)) return;
  if (isnan(value)) value = check == HG_CHECK_TAYLOR ? -INFINITY : INFINITY;
  if (isnan(r->worst[check]) || worse(check, value, r->worst[check])) r->worst[check] = value;
  if (ok) return;
  HgFinding f = HgFindingOf(check, kernel, -1);
  f.value = value, f.bound = bound, f.seed = t->seed;
  HgFindingName(&f, t->stencil->name, read, write);
  HgFinding *known = find(r, &f);
  if (known && worse(check, value, known->value)) *known = f;
}

void HgTrialNote(HgTrial *t, HgCheckId check, HgKernel kernel, int read, int write, double value,
                 double bound, bool ok) {
  HgTrialNoteNames(t, check, kernel, read < 0 ? NULL : t->stencil->reads[read].name,
                   write < 0 ? NULL : t->stencil->writes[write], value, bound, ok);
}

void HgTrialCells(HgTrial *t, HgCheckId check, HgKernel kernel, int read, int write, int cells) {
  HgTrialNote(t, check, kernel, read, write, cells, 0, cells == 0);
}

void HgTrialCellsOf(HgTrial *t, HgCheckId check, HgKernel kernel, int k, int cells) {
  const bool bars = kernel >= HG_KERNEL_ADJOINT;
  HgTrialCells(t, check, kernel, bars ? k : -1, bars ? -1 : k, cells);
}

void HgTrialCompare(HgTrial *t, HgCheckId check) {
  for (int n = 0; n < HG_OUTPUTS; n++)
    for (int k = 0; k < HgTrialCount(t, HG_ONE + n); k++)
      HgTrialCellsOf(t, check, HgTrialKernel(t, n), k,
                     HgTrialFieldDiffers(&t->field[HG_ONE + n][k], &t->field[HG_WHOLE + n][k]));
}

/* ---- draws ---- */

static bool named(const HgTrial *t, const char name[], bool read) {
  for (int k = 0; k < (read ? t->reads : t->writes); k++)
    if (!strcmp(name, read ? t->stencil->reads[k].name : t->stencil->writes[k])) return true;
  return false;
}

/* Copies that a program would refuse: only the last writes may be copies, and not all of them. */
static int misplaced_copies(const HgTrial *t) {
  int other = t->writes - 1, faults = 0;
  while (other >= 0 && HgTrialCopied(t, other) >= 0) other--;
  for (int k = 0; k < other; k++) faults += HgTrialCopied(t, k) >= 0;
  return faults + (other < 0);
}

/* A variable declared twice would have its row twice. A name in only_for that is not read is a
   mistake, as are copies of or to an unknown variable. */
static void check_declaration(HgTrial *t) {
  const HgStencil *s = t->stencil;
  for (int k = 0; k < t->reads; k++) {
    int faults = s->reads[k].radius < 0 || s->reads[k].adjoint_radius < HG_ADJOINT_UNUSED;
    for (int l = 0; l < k; l++) faults += !strcmp(s->reads[k].name, s->reads[l].name);
    HgTrialCells(t, HG_CHECK_DECLARATION, HG_KERNEL_APPLY, k, -1, faults);
  }
  for (int k = 0; k < t->writes; k++) {
    int faults = 0;
    for (int l = 0; l < k; l++) faults += !strcmp(s->writes[k], s->writes[l]);
    HgTrialCells(t, HG_CHECK_DECLARATION, HG_KERNEL_APPLY, -1, k, faults);
  }
  int strangers = 0, copies = 0;
  for (const char *const(*pair)[2] = s->only_for; pair && (*pair)[0]; pair++)
    strangers += !named(t, (*pair)[0], true) + !named(t, (*pair)[1], true);
  HgTrialCells(t, HG_CHECK_DECLARATION, HG_KERNEL_ADJOINT, -1, -1, strangers);
  for (const char *const(*pair)[2] = s->copies; pair && (*pair)[0]; pair++)
    copies += !named(t, (*pair)[0], false) + !named(t, (*pair)[1], true);
  HgTrialCells(t, HG_CHECK_DECLARATION, HG_KERNEL_APPLY, -1, -1, copies);
  if (!copies)
    HgTrialCells(t, HG_CHECK_DECLARATION, HG_KERNEL_TANGENT, -1, -1, misplaced_copies(t));
}

/* Whether the check belongs to this trial. In a trial of `second`, checks of the adjoint are done
   already. */
static bool concerns(const HgTrial *t, int check) {
  return t->reverse == HG_KERNEL_ADJOINT ||
         (check != HG_CHECK_DOT && check != HG_CHECK_COPY && check != HG_CHECK_STATIC);
}

static void check_all(void *trial) {
  HgTrial *const t = trial;
  void (*const checks[HG_CHECK_STENCIL])(HgTrial *) = {
      [HG_CHECK_RADIUS] = HgTrialCheckRadius, [HG_CHECK_BOX] = HgTrialCheckBox,
      [HG_CHECK_CUT] = HgTrialCheckCut,       [HG_CHECK_PURE] = HgTrialCheckPure,
      [HG_CHECK_ZERO] = HgTrialCheckZero,     [HG_CHECK_LINEARITY] = HgTrialCheckLinearity,
      [HG_CHECK_TAYLOR] = HgTrialCheckTaylor, [HG_CHECK_DOT] = HgTrialCheckDot,
      [HG_CHECK_ADDS] = HgTrialCheckAdds,     [HG_CHECK_WANTED] = HgTrialCheckWanted,
      [HG_CHECK_FRESH] = HgTrialCheckFresh,   [HG_CHECK_MIRROR] = HgTrialCheckMirror,
      [HG_CHECK_COPY] = HgTrialCheckCopies,   [HG_CHECK_INDEX] = HgTrialCheckIndex,
      [HG_CHECK_STATIC] = HgTrialCheckStatic, [HG_CHECK_SYMMETRY] = HgTrialCheckSymmetry};
  check_declaration(t);
  HgTrialBegin(t);
  if (!HgTrialCheckInputs(t) || !HgTrialCheckFinite(t)) return;
  if (HgTrialChosen(t, HG_CHECK_UNUSED) || HgTrialChosen(t, HG_CHECK_NULL) ||
      HgTrialChosen(t, HG_CHECK_WANTED) || HgTrialChosen(t, HG_CHECK_FRESH))
    HgTrialCheckUnused(t);
  for (int k = 0; k < HG_CHECK_STENCIL; k++)
    if (checks[k] && HgTrialChosen(t, (HgCheckId)k) && concerns(t, k)) checks[k](t);
}

/* A given box must have cells, or a domain to draw them from. */
static PetscErrorCode check_box(const HgStencil *s, const HgBox *b) {
  HgRequire(PETSC_COMM_SELF,
            !b || (b->i1 > b->i0
                       ? b->j1 > b->j0
                       : b->i1 == b->i0 && b->j1 == b->j0 && b->nx_global > 0 && b->ny_global > 0),
            HG_ERR_STENCIL,
            "check of stencil '%s': box [%d, %d) x [%d, %d) in a domain of %d x %d cells, expected "
            "cells, or none and a domain to draw a box from",
            s->name, b->i0, b->i1, b->j0, b->j1, b->nx_global, b->ny_global);
  return 0;
}

static PetscErrorCode check_arguments(const HgStencil *s, const void *params,
                                      const HgCheckRange ranges[], const HgCheckStencilOptions *o) {
  const int reads = HgTrialCountReads(s), writes = HgTrialCountWrites(s);
  const MPI_Comm self = PETSC_COMM_SELF;
  HgRequire(self, s->apply && s->tangent && s->adjoint, HG_ERR_STENCIL,
            "check of stencil '%s': it lacks a kernel, expected apply, tangent and adjoint",
            s->name);
  HgRequire(self, reads >= 1 && reads <= HG_TRIAL_MOST && writes >= 1 && writes <= HG_TRIAL_MOST,
            HG_ERR_STENCIL,
            "check of stencil '%s': it reads %d and writes %d variables, expected 1 to %d of each",
            s->name, reads, writes, HG_TRIAL_MOST);
  HgRequire(self, !params == !s->params_size, HG_ERR_STENCIL,
            "check of stencil '%s': its params_size is %zu bytes, but %s params were given",
            s->name, s->params_size, params ? "some" : "no");
  for (int k = 0; ranges && k < reads; k++)
    HgRequire(self, ranges[k].low < ranges[k].high && isfinite(ranges[k].high - ranges[k].low),
              HG_ERR_STENCIL,
              "check of stencil '%s': values of '%s' from %g to %g, expected a finite range",
              s->name, s->reads[k].name, ranges[k].low, ranges[k].high);
  HgRequire(
      self, o->draws >= 0 && o->largest >= 0 && o->largest <= 1000 && o->dot_bound >= 0,
      HG_ERR_STENCIL,
      "check of stencil '%s': %d draws of boxes of up to %d cells, bound %g: expected none to "
      "be negative, at most 1000 cells",
      s->name, o->draws, o->largest, o->dot_bound);
  HgRequire(self, !(o->checks >> HG_CHECK_STENCIL), HG_ERR_STENCIL,
            "check of stencil '%s': checks %#x, expected bits of the %d checks that there are",
            s->name, o->checks, HG_CHECK_STENCIL);
  return check_box(s, o->box);
}

PetscErrorCode HgExamineStencil(const HgStencil *s, const void *params, const HgCheckRange ranges[],
                                const HgCheckStencilOptions *options, HgFindings *report) {
  const HgCheckStencilOptions defaults = {.seed = 1}, *o = options ? options : &defaults;
  PetscCall(check_arguments(s, params, ranges, o));
  HgFindingsBegin(s->name, report);
  bool ends = true;
  for (HgKernel reverse = HG_KERNEL_ADJOINT;
       reverse <= (s->second ? HG_KERNEL_SECOND : HG_KERNEL_ADJOINT); reverse++)
    for (int n = 0; n < (o->draws ? o->draws : 24) && ends; n++) {
      HgKernel crashed;
      HgTrial *t;
      PetscCall(HgTrialCreate(s, params, ranges, o, o->seed + (uint64_t)n, reverse, report, &t));
      ends = HgTrialEnds(check_all, t, &crashed);
      if (!ends) HgTrialNote(t, HG_CHECK_RADIUS, crashed, -1, -1, INFINITY, HG_TRIAL_REACH, false);
      PetscCall(HgTrialDestroy(&t));
    }
  return 0;
}

PetscErrorCode HgCheckStencil(MPI_Comm comm, const HgStencil *s, const void *params,
                              const HgCheckRange ranges[], const HgCheckStencilOptions *options,
                              bool *passed) {
  HgFindings report;
  PetscErrorCode ierr = 0;
  int rank, told[2] = {0, 1};
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    ierr = HgExamineStencil(s, params, ranges, options, &report);
    told[0] = !ierr && !report.findings, told[1] = ierr != 0;
    if (!ierr && !(options && options->quiet))
      PetscCall(HgFindingsPrint(PETSC_COMM_SELF, "check stencil", &report));
  }
  PetscCallMPI(MPI_Bcast(told, 2, MPI_INT, 0, comm));
  *passed = told[0];
  return told[1] ? HG_ERROR_TOLD : 0;
}
