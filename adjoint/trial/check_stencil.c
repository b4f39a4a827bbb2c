/* Whether a stencil keeps the kernel contract: draws and findings; see check_stencil.h. */
#include <halograd/trial_library.h>
#include <math.h>
#include <string.h>

/* ---- findings ---- */
bool HgTrialChosen(const HgTrial *t, HgStencilCheck check) {
  return !t->options->checks || t->options->checks >> check & 1;
}

/* Is `value` worse? Taylor orders are better if larger. NaN is never handed over. */
static bool worse(HgStencilCheck check, double value, double than) {
  return check == HG_STENCIL_TAYLOR ? value < than : value > than;
}

static HgStencilFinding *find(HgStencilReport *r, const HgStencilFinding *f) {
  for (int k = 0; k < r->findings; k++) {
    HgStencilFinding *known = &r->finding[k];
    if (known->check == f->check && known->kernel == f->kernel && known->read == f->read &&
        known->write == f->write)
      return known;
  }
  if (r->findings == HG_STENCIL_FINDINGS) return NULL;
  r->finding[r->findings] = *f;
  return &r->finding[r->findings++];
}

void HgTrialNoteNames(HgTrial *t, HgStencilCheck check, HgStencilKernel kernel, const char read[],
                      const char write[], double value, double bound, bool ok) {
  HgStencilReport *r = t->report;
  const bool crash = check == HG_STENCIL_RADIUS && isinf(value);
  if (!crash && !HgTrialChosen(t, check)) return;
  if (isnan(value)) value = check == HG_STENCIL_TAYLOR ? -INFINITY : INFINITY;
  if (isnan(r->worst[check]) || worse(check, value, r->worst[check])) r->worst[check] = value;
  if (ok) return;
  const HgStencilFinding f = {check, kernel, read, write, value, bound, t->seed, ""};
  HgStencilFinding *known = find(r, &f);
  r->passed = false;
  if (known && worse(check, value, known->value)) *known = f;
}

void HgTrialNote(HgTrial *t, HgStencilCheck check, HgStencilKernel kernel, int read, int write,
                 double value, double bound, bool ok) {
  HgTrialNoteNames(t, check, kernel, read < 0 ? NULL : t->stencil->reads[read].name,
                   write < 0 ? NULL : t->stencil->writes[write], value, bound, ok);
}

void HgTrialCells(HgTrial *t, HgStencilCheck check, HgStencilKernel kernel, int read, int write,
                  int cells) {
  HgTrialNote(t, check, kernel, read, write, cells, 0, cells == 0);
}

static const HgTrialField *written(const HgTrialOutputs *o, HgStencilKernel kernel) {
  return kernel == HG_STENCIL_APPLY ? o->y : kernel == HG_STENCIL_TANGENT ? o->dy : o->x_bar;
}

void HgTrialCompare(HgTrial *t, HgStencilCheck check, HgStencilKernel kernel,
                    const HgTrialOutputs *a, const HgTrialOutputs *b) {
  const bool bars = kernel >= HG_STENCIL_ADJOINT;
  for (int k = 0; k < (bars ? t->reads : t->writes); k++)
    HgTrialCells(t, check, kernel, bars ? k : -1, bars ? -1 : k,
                 HgTrialFieldDiffers(&written(a, kernel)[k], &written(b, kernel)[k]));
}

/* ---- draws ---- */

static bool named(const HgTrial *t, const char name[], bool read) {
  for (int k = 0; k < (read ? t->reads : t->writes); k++)
    if (!strcmp(name, read ? t->stencil->reads[k].name : t->stencil->writes[k])) return true;
  return false;
}

/* Copies that a program refuses: only the last writes may be, and not all. */
static int misplaced_copies(const HgTrial *t) {
  int other = t->writes - 1, faults = 0;
  while (other >= 0 && HgTrialCopied(t, other) >= 0) other--;
  for (int k = 0; k < other; k++) faults += HgTrialCopied(t, k) >= 0;
  return faults + (other < 0);
}

/* One variable twice would be one row twice; a name in only_for that is not read is a slip, as are
   copies of or to what is not there. */
static void check_declaration(HgTrial *t) {
  const HgStencil *s = t->stencil;
  for (int k = 0; k < t->reads; k++) {
    int faults = s->reads[k].radius < 0 || s->reads[k].adjoint_radius < HG_ADJOINT_UNUSED;
    for (int l = 0; l < k; l++) faults += !strcmp(s->reads[k].name, s->reads[l].name);
    HgTrialCells(t, HG_STENCIL_DECLARATION, HG_STENCIL_APPLY, k, -1, faults);
  }
  for (int k = 0; k < t->writes; k++) {
    int faults = 0;
    for (int l = 0; l < k; l++) faults += !strcmp(s->writes[k], s->writes[l]);
    HgTrialCells(t, HG_STENCIL_DECLARATION, HG_STENCIL_APPLY, -1, k, faults);
  }
  int strangers = 0, copies = 0;
  for (const char *const(*pair)[2] = s->only_for; pair && (*pair)[0]; pair++)
    strangers += !named(t, (*pair)[0], true) + !named(t, (*pair)[1], true);
  HgTrialCells(t, HG_STENCIL_DECLARATION, HG_STENCIL_ADJOINT, -1, -1, strangers);
  for (const char *const(*pair)[2] = s->copies; pair && (*pair)[0]; pair++)
    copies += !named(t, (*pair)[0], false) + !named(t, (*pair)[1], true);
  HgTrialCells(t, HG_STENCIL_DECLARATION, HG_STENCIL_APPLY, -1, -1, copies);
  if (!copies)
    HgTrialCells(t, HG_STENCIL_DECLARATION, HG_STENCIL_TANGENT, -1, -1, misplaced_copies(t));
}

/* What does not concern `second` has been checked in a trial of the adjoint. */
static bool concerns(const HgTrial *t, HgStencilCheck check) {
  return t->reverse == HG_STENCIL_ADJOINT ||
         (check != HG_STENCIL_ZERO && check != HG_STENCIL_DOT && check != HG_STENCIL_LINEARITY &&
          check != HG_STENCIL_TAYLOR && check != HG_STENCIL_COPY && check != HG_STENCIL_STATIC);
}

static void check_all(void *trial) {
  HgTrial *const t = trial;
  void (*const checks[HG_STENCIL_CHECKS])(HgTrial *) = {
      [HG_STENCIL_RADIUS] = HgTrialCheckRadius, [HG_STENCIL_BOX] = HgTrialCheckBox,
      [HG_STENCIL_CUT] = HgTrialCheckCut,       [HG_STENCIL_PURE] = HgTrialCheckPure,
      [HG_STENCIL_ZERO] = HgTrialCheckZero,     [HG_STENCIL_LINEARITY] = HgTrialCheckLinearity,
      [HG_STENCIL_TAYLOR] = HgTrialCheckTaylor, [HG_STENCIL_DOT] = HgTrialCheckDot,
      [HG_STENCIL_ADDS] = HgTrialCheckAdds,     [HG_STENCIL_WANTED] = HgTrialCheckWanted,
      [HG_STENCIL_FRESH] = HgTrialCheckFresh,   [HG_STENCIL_MIRROR] = HgTrialCheckMirror,
      [HG_STENCIL_COPY] = HgTrialCheckCopies,   [HG_STENCIL_INDEX] = HgTrialCheckIndex,
      [HG_STENCIL_STATIC] = HgTrialCheckStatic};
  check_declaration(t);
  HgTrialBegin(t);
  if (!HgTrialCheckInputs(t) || !HgTrialCheckFinite(t)) return;
  if (HgTrialChosen(t, HG_STENCIL_UNUSED) || HgTrialChosen(t, HG_STENCIL_NULL) ||
      HgTrialChosen(t, HG_STENCIL_WANTED) || HgTrialChosen(t, HG_STENCIL_FRESH))
    HgTrialCheckUnused(t);
  for (int k = 0; k < HG_STENCIL_CHECKS; k++)
    if (checks[k] && HgTrialChosen(t, (HgStencilCheck)k) && concerns(t, (HgStencilCheck)k))
      checks[k](t);
  if (t->reverse == HG_STENCIL_SECOND) HgTrialCheckSecond(t);
}

/* A box that is given has cells, or a domain to draw it from. */
static PetscErrorCode check_box(const HgStencil *s, const HgBox *b) {
  HgRequire(PETSC_COMM_SELF,
            !b || (b->i1 > b->i0
                       ? b->j1 > b->j0
                       : b->i1 == b->i0 && b->j1 == b->j0 && b->nx_global > 0 && b->ny_global > 0),
            "check of stencil '%s': box [%d, %d) x [%d, %d) in a domain of %d x %d cells, expected "
            "cells, or none and a domain to draw a box from",
            s->name, b->i0, b->i1, b->j0, b->j1, b->nx_global, b->ny_global);
  return 0;
}

static PetscErrorCode check_arguments(const HgStencil *s, const void *params,
                                      const HgCheckRange ranges[], const HgCheckStencilOptions *o) {
  const int reads = HgTrialCountReads(s), writes = HgTrialCountWrites(s);
  const MPI_Comm self = PETSC_COMM_SELF;
  HgRequire(self, s->apply && s->tangent && s->adjoint,
            "check of stencil '%s': it lacks a kernel, expected apply, tangent and adjoint",
            s->name);
  HgRequire(self, reads >= 1 && reads <= HG_TRIAL_MOST && writes >= 1 && writes <= HG_TRIAL_MOST,
            "check of stencil '%s': it reads %d and writes %d variables, expected 1 to %d of each",
            s->name, reads, writes, HG_TRIAL_MOST);
  HgRequire(self, !params == !s->params_size,
            "check of stencil '%s': its params_size is %zu bytes, but %s params were given",
            s->name, s->params_size, params ? "some" : "no");
  for (int k = 0; ranges && k < reads; k++)
    HgRequire(self, ranges[k].low < ranges[k].high && isfinite(ranges[k].high - ranges[k].low),
              "check of stencil '%s': values of '%s' from %g to %g, expected a finite range",
              s->name, s->reads[k].name, ranges[k].low, ranges[k].high);
  HgRequire(
      self, o->draws >= 0 && o->largest >= 0 && o->largest <= 1000 && o->dot_bound >= 0,
      "check of stencil '%s': %d draws of boxes of up to %d cells, bound %g: expected none to "
      "be negative, at most 1000 cells",
      s->name, o->draws, o->largest, o->dot_bound);
  HgRequire(self, !(o->checks >> HG_STENCIL_CHECKS),
            "check of stencil '%s': checks %#x, expected bits of the %d checks that there are",
            s->name, o->checks, HG_STENCIL_CHECKS);
  return check_box(s, o->box);
}

PetscErrorCode HgCheckStencil(const HgStencil *s, const void *params, const HgCheckRange ranges[],
                              const HgCheckStencilOptions *options, HgStencilReport *report) {
  const HgCheckStencilOptions defaults = {.seed = 1}, *o = options ? options : &defaults;
  PetscCall(check_arguments(s, params, ranges, o));
  *report = (HgStencilReport){.stencil = s->name, .passed = true};
  for (int k = 0; k < HG_STENCIL_CHECKS; k++) report->worst[k] = NAN;
  bool ends = true;
  for (HgStencilKernel reverse = HG_STENCIL_ADJOINT;
       reverse <= (s->second ? HG_STENCIL_SECOND : HG_STENCIL_ADJOINT); reverse++)
    for (int n = 0; n < (o->draws ? o->draws : 24) && ends; n++) {
      HgStencilKernel crashed;
      HgTrial *t;
      PetscCall(HgTrialCreate(s, params, ranges, o, o->seed + (uint64_t)n, reverse, report, &t));
      ends = HgTrialEnds(check_all, t, &crashed);
      if (!ends)
        HgTrialNote(t, HG_STENCIL_RADIUS, crashed, -1, -1, INFINITY, HG_TRIAL_REACH, false);
      PetscCall(HgTrialDestroy(&t));
    }
  return 0;
}
