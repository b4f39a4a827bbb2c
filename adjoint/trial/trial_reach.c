/* What a stencil's kernels read: within their radii, in the adjoint and in `second` only the x that
   it says. */
#include <halograd/trial_library.h>
#include <math.h>
#include <string.h>

/* What becomes NaN, then other numbers: of each field what lies further from the box than that.
   NOTHING: none of it; -1: all of it. */
enum { NOTHING = 1 << 20, ALL = -1 };

typedef struct {
  int x[HG_TRIAL_MOST], dx[HG_TRIAL_MOST], y_bar[HG_TRIAL_MOST], dy_bar[HG_TRIAL_MOST];
} Poison;

static Poison no_poison(void) {
  Poison p;
  for (int k = 0; k < HG_TRIAL_MOST; k++) p.x[k] = p.dx[k] = p.y_bar[k] = p.dy_bar[k] = NOTHING;
  return p;
}

static void poison(HgTrial *t, const HgTrialField *f, int margin, bool nan) {
  if (margin == NOTHING) return;
  for (int j = -f->ghost; j < f->ny + f->ghost; j++)
    for (int i = -f->ghost; i < f->nx + f->ghost; i++)
      if (!HgTrialInside(&t->box, margin, i, j))
        f->rows[j][i] = nan ? NAN : f->rows[j][i] * (1.5 + 0.4 * HgTrialRandom(t));
}

static void run(HgTrial *t, HgStencilKernel kernel, unsigned wanted, const HgTrialOutputs *o) {
  if (kernel == HG_STENCIL_APPLY) HgTrialApply(t, &t->box, t->x, o->y);
  if (kernel == HG_STENCIL_TANGENT) HgTrialTangent(t, &t->box, t->dx, o->dy);
  if (kernel == t->reverse) HgTrialAdjoint(t, &t->box, wanted, o->x_bar);
}

/* Cells of what the kernel writes that depend on what is poisoned. */
static int cells_changed(HgTrial *t, HgStencilKernel kernel, unsigned wanted, const Poison *p) {
  int cells = 0;
  HgTrialRestore(t);
  HgTrialReset(t, &t->one, hg_trial_canary);
  run(t, kernel, wanted, &t->one);
  for (int nan = 0; nan < 2; nan++) {
    for (int k = 0; k < t->reads; k++)
      poison(t, &t->x[k], p->x[k], nan), poison(t, &t->dx[k], p->dx[k], nan);
    for (int k = 0; k < t->writes; k++)
      poison(t, &t->y_bar[k], p->y_bar[k], nan), poison(t, &t->dy_bar[k], p->dy_bar[k], nan);
    HgTrialReset(t, &t->two, hg_trial_canary);
    run(t, kernel, wanted, &t->two);
    for (int k = 0; k < t->writes; k++)
      cells += HgTrialFieldDiffers(&t->one.y[k], &t->two.y[k]) +
               HgTrialFieldDiffers(&t->one.dy[k], &t->two.dy[k]);
    for (int k = 0; k < t->reads; k++)
      cells += HgTrialFieldDiffers(&t->one.x_bar[k], &t->two.x_bar[k]);
    HgTrialRestore(t);
  }
  return cells;
}

/* ---- x that the adjoint must not use, x_bar that is not wanted ---- */
static bool check_unused(HgTrial *t, unsigned wanted) {
  bool honest = true;
  for (int k = 0; k < t->reads; k++) {
    Poison p = no_poison();
    p.x[k] = p.dx[k] = ALL;
    if (HgTrialUses(t, k, wanted)) continue;
    const int cells = cells_changed(t, t->reverse, wanted, &p);
    HgTrialCells(t, HG_STENCIL_UNUSED, t->reverse, k, -1, cells);
    honest = honest && !cells;
  }
  return honest;
}

static bool survives(HgTrial *t, HgStencilCheck check, int k, unsigned wanted, unsigned no_x) {
  const bool ends = HgTrialSurvives(t, t->reverse, wanted, no_x);
  HgTrialNote(t, check, t->reverse, k, -1, ends ? 0 : INFINITY, 0, ends);
  return ends;
}

/* Each x_bar alone is NULL, and selections; each x that is not used, and all of them, with
   selections of x_bar. What becomes NULL was NaN before, which tells what is read where a NULL
   would only crash. */
void HgTrialCheckUnused(HgTrial *t) {
  bool honest = check_unused(t, ~0u);
  t->bars = true;
  for (int k = 0; k < t->reads; k++)
    t->bars = survives(t, HG_STENCIL_WANTED, k, ~(1u << k), 0) && t->bars;
  for (int n = 0; n < HG_TRIAL_MASKS; n++)
    t->bars = t->bars && survives(t, HG_STENCIL_WANTED, -1, HgTrialMask(t, n), 0);
  if (!t->bars) return;
  for (int n = 0; t->stencil->only_for && n < HG_TRIAL_MASKS; n++)
    honest = check_unused(t, HgTrialMask(t, n)) && honest;
  if (!honest) return;
  t->nulls = true;
  for (int n = -1; n < HG_TRIAL_MASKS; n++) {
    const unsigned wanted = n < 0 ? ~0u : HgTrialMask(t, n);
    unsigned no_x = 0;
    for (int k = 0; k < t->reads; k++) {
      if (HgTrialUses(t, k, wanted)) continue;
      t->nulls = survives(t, HG_STENCIL_NULL, k, wanted, 1u << k) && t->nulls;
      no_x |= 1u << k;
    }
    t->nulls = t->nulls && survives(t, HG_STENCIL_NULL, -1, wanted, no_x);
  }
}

/* ---- radii ---- */

/* How far the kernel reads what `margin` points at in `p`: beyond `declared`. */
static int reach(HgTrial *t, HgStencilKernel kernel, Poison *p, int *margin, int *second,
                 int declared) {
  int far = declared;
  do {
    far++;
    *margin = far;
    if (second) *second = far;
  } while (far < t->ghost && cells_changed(t, kernel, ~0u, p));
  *margin = NOTHING;
  if (second) *second = NOTHING;
  return far;
}

static void note_radius(HgTrial *t, HgStencilKernel kernel, int read, int write, int found,
                        int declared) {
  t->beyond = t->beyond || (found > declared && kernel != t->reverse);
  HgTrialNote(t, HG_STENCIL_RADIUS, kernel, read, write, found, declared, found <= declared);
}

static void check_forward(HgTrial *t, HgStencilKernel kernel) {
  const HgRead *reads = t->stencil->reads;
  const bool tangent = kernel == HG_STENCIL_TANGENT;
  Poison p = no_poison();
  for (int k = 0; k < t->reads; k++) {
    p.x[k] = reads[k].radius;
    p.dx[k] = tangent ? reads[k].radius : NOTHING;
  }
  if (!cells_changed(t, kernel, ~0u, &p)) {
    note_radius(t, kernel, -1, -1, 0, 0);
    return;
  }
  for (int k = 0; k < t->reads; k++) {
    Poison only = no_poison();
    only.x[k] = reads[k].radius;
    only.dx[k] = tangent ? reads[k].radius : NOTHING;
    if (cells_changed(t, kernel, ~0u, &only))
      note_radius(
          t, kernel, k, -1,
          reach(t, kernel, &only, &only.x[k], tangent ? &only.dx[k] : NULL, reads[k].radius),
          reads[k].radius);
  }
}

static void check_reverse(HgTrial *t) {
  const HgStencilKernel kernel = t->reverse;
  for (int k = 0; k < t->reads; k++) {
    const int declared = t->stencil->reads[k].adjoint_radius;
    Poison p = no_poison();
    p.x[k] = p.dx[k] = declared;
    if (!HgTrialUses(t, k, ~0u)) continue;
    if (cells_changed(t, kernel, ~0u, &p))
      note_radius(t, kernel, k, -1, reach(t, kernel, &p, &p.x[k], &p.dx[k], declared), declared);
  }
  for (int l = 0; l < t->writes; l++) {
    Poison p = no_poison();
    p.y_bar[l] = p.dy_bar[l] = t->radius;
    if (cells_changed(t, kernel, ~0u, &p))
      note_radius(t, kernel, -1, l, reach(t, kernel, &p, &p.y_bar[l], &p.dy_bar[l], t->radius),
                  t->radius);
  }
}

void HgTrialCheckRadius(HgTrial *t) {
  check_forward(t, HG_STENCIL_APPLY);
  check_forward(t, HG_STENCIL_TANGENT);
  check_reverse(t);
}
