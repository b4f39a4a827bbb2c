/* A stencil's kernels compute the box they are handed: nothing else, all of it, the same however it
   is cut and whatever was computed before. */
#include <halograd/trial_library.h>
#include <math.h>
#include <string.h>

/* ---- finite ---- */
static int not_finite(const HgTrialField *f, const HgBox *b) {
  int cells = 0;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) cells += !isfinite(f->rows[j][i]);
  return cells;
}

/* ---- zeros, as fields have that begin at rest ---- */

/* x of the reads in `zero` is 0, of the others as drawn: how many results of the kernel are not
   finite; *write: the first variable that has one. */
static int run_with_zeros(HgTrial *t, HgStencilKernel kernel, unsigned zero, int *write) {
  const bool back = kernel == HG_STENCIL_ADJOINT;
  const HgTrialField *const out = kernel == HG_STENCIL_APPLY ? t->one.y
                                  : back                     ? t->one.x_bar
                                                             : t->one.dy;
  int cells = 0;
  for (int k = 0; k < t->reads; k++)
    if (zero >> k & 1) HgTrialFieldFill(&t->x[k], 0);
  HgTrialReset(t, &t->one, 0);
  if (kernel == HG_STENCIL_APPLY) HgTrialApply(t, &t->box, t->x, t->one.y);
  else if (back) HgTrialAdjoint(t, &t->box, ~0u, t->one.x_bar);
  else HgTrialTangent(t, &t->box, t->dx, t->one.dy);
  HgTrialRestore(t);
  for (int k = (back ? t->reads : t->writes) - 1; k >= 0; k--) {
    const int own = not_finite(&out[k], &t->box);
    if (own) *write = k;
    cells += own;
  }
  return cells;
}

/* The finding names the fewest reads that must be 0. */
static int check_zeros(HgTrial *t, HgStencilKernel kernel, unsigned zero) {
  int write = 0, unused;
  if (!zero || !run_with_zeros(t, kernel, zero, &write)) return 0;
  for (int k = 0; k < t->reads; k++)
    if (zero >> k & 1 && run_with_zeros(t, kernel, zero & ~(1u << k), &unused)) zero &= ~(1u << k);
  const int cells = run_with_zeros(t, kernel, zero, &write);
  const bool back = kernel == HG_STENCIL_ADJOINT;
  HgTrialCells(t, HG_STENCIL_FINITE, kernel, back ? write : -1, back ? -1 : write, cells);
  HgStencilFinding *const f = &t->report->finding[t->report->findings - 1];
  size_t used = 0;
  for (int k = 0; k < t->reads && HgTrialChosen(t, HG_STENCIL_FINITE); k++)
    if (zero >> k & 1 && used < sizeof f->at)
      used += (size_t)snprintf(f->at + used, sizeof f->at - used, "%s%s = 0", used ? ", " : "",
                               t->stencil->reads[k].name);
  return cells;
}

/* In the first draw, of the reads whose range has 0 in it. */
static int check_all_zeros(HgTrial *t) {
  unsigned zero = 0;
  int all = 0;
  if (t->seed != t->options->seed || t->reverse != HG_STENCIL_ADJOINT) return 0;
  for (int k = 0; k < t->reads; k++)
    if (t->range[k].low <= 0 && t->range[k].high >= 0) zero |= 1u << k;
  for (HgStencilKernel kernel = HG_STENCIL_APPLY; kernel <= HG_STENCIL_ADJOINT && !all; kernel++)
    all = check_zeros(t, kernel, zero);
  return all;
}

bool HgTrialCheckFinite(HgTrial *t) {
  int all = check_all_zeros(t);
  for (int k = 0; k < t->writes; k++) {
    const int y = not_finite(&t->whole.y[k], &t->box), dy = not_finite(&t->whole.dy[k], &t->box);
    HgTrialCells(t, HG_STENCIL_FINITE, HG_STENCIL_APPLY, -1, k, y);
    HgTrialCells(t, HG_STENCIL_FINITE, HG_STENCIL_TANGENT, -1, k, dy);
    all += y + dy;
  }
  for (int k = 0; k < t->reads; k++) {
    const int x_bar = not_finite(&t->whole.x_bar[k], &t->box);
    HgTrialCells(t, HG_STENCIL_FINITE, t->reverse, k, -1, x_bar);
    all += x_bar;
  }
  return all == 0;
}

/* ---- inputs ---- */

/* Inputs that a kernel has changed, and which are then as drawn again. */
static int note_inputs(HgTrial *t, HgStencilKernel kernel) {
  int all = 0;
  for (int k = 0; k < t->reads; k++) {
    const int cells = HgTrialFieldDiffers(&t->x[k], &t->x_kept[k]) +
                      HgTrialFieldDiffers(&t->dx[k], &t->dx_kept[k]);
    HgTrialCells(t, HG_STENCIL_INPUTS, kernel, k, -1, cells);
    all += cells;
  }
  for (int k = 0; k < t->writes; k++) {
    const int cells = HgTrialFieldDiffers(&t->y_bar[k], &t->y_bar_kept[k]) +
                      HgTrialFieldDiffers(&t->dy_bar[k], &t->dy_bar_kept[k]);
    HgTrialCells(t, HG_STENCIL_INPUTS, kernel, -1, k, cells);
    all += cells;
  }
  HgTrialRestore(t);
  return all;
}

bool HgTrialCheckInputs(HgTrial *t) {
  int all = 0;
  HgTrialRestore(t);
  HgTrialReset(t, &t->one, hg_trial_canary);
  HgTrialApply(t, &t->box, t->x, t->one.y);
  all += note_inputs(t, HG_STENCIL_APPLY);
  HgTrialTangent(t, &t->box, t->dx, t->one.dy);
  all += note_inputs(t, HG_STENCIL_TANGENT);
  HgTrialAdjoint(t, &t->box, ~0u, t->one.x_bar);
  all += note_inputs(t, t->reverse);
  return all == 0;
}

/* ---- what is written ---- */

/* Cells outside the box that are not as `before`; `before` NULL: they were the canary. */
static int touched(const HgBox *box, const HgTrialField *f, const HgTrialField *before) {
  int cells = 0;
  for (int j = -f->ghost; j < f->ny + f->ghost; j++)
    for (int i = -f->ghost; i < f->nx + f->ghost; i++)
      cells += !HgTrialInside(box, 0, i, j) &&
               f->rows[j][i] != (before ? before->rows[j][i] : hg_trial_canary);
  return cells;
}

void HgTrialCheckBox(HgTrial *t) {
  const HgBox *b = &t->box;
  HgTrialReset(t, &t->one, NAN);
  HgTrialRun(t, b, &t->one);
  for (int k = 0; k < t->writes; k++) {
    HgTrialCells(t, HG_STENCIL_BOX, HG_STENCIL_APPLY, -1, k,
                 touched(b, &t->whole.y[k], NULL) +
                     HgTrialFieldDiffersIn(b, &t->whole.y[k], &t->one.y[k]));
    HgTrialCells(t, HG_STENCIL_BOX, HG_STENCIL_TANGENT, -1, k,
                 touched(b, &t->whole.dy[k], NULL) +
                     HgTrialFieldDiffersIn(b, &t->whole.dy[k], &t->one.dy[k]));
  }
  for (int k = 0; k < t->reads; k++)
    HgTrialCells(t, HG_STENCIL_BOX, t->reverse, k, -1,
                 touched(b, &t->whole.x_bar[k], &t->start[k]));
}

/* ---- cuts ---- */

/* Cuts the box at random, down to single cells now and then, and runs the parts in random order. */
static void run_in_parts(HgTrial *t, HgBox b, const HgTrialOutputs *o) {
  const int nx = b.i1 - b.i0, ny = b.j1 - b.j0;
  if ((nx == 1 && ny == 1) || HgTrialRandomInt(t, 0, 4) == 0) {
    HgTrialRun(t, &b, o);
    return;
  }
  HgBox first = b, second = b;
  if (ny == 1 || (nx > 1 && HgTrialRandomInt(t, 0, 1)))
    first.i1 = second.i0 = b.i0 + HgTrialRandomInt(t, 1, nx - 1);
  else first.j1 = second.j0 = b.j0 + HgTrialRandomInt(t, 1, ny - 1);
  const bool swap = HgTrialRandomInt(t, 0, 1);
  run_in_parts(t, swap ? second : first, o);
  run_in_parts(t, swap ? first : second, o);
}

static void compare_all(HgTrial *t, HgStencilCheck check, const HgTrialOutputs *o) {
  HgTrialCompare(t, check, HG_STENCIL_APPLY, o, &t->whole);
  HgTrialCompare(t, check, HG_STENCIL_TANGENT, o, &t->whole);
  HgTrialCompare(t, check, t->reverse, o, &t->whole);
}

void HgTrialCheckCut(HgTrial *t) {
  HgTrialReset(t, &t->one, hg_trial_canary);
  run_in_parts(t, t->box, &t->one);
  compare_all(t, HG_STENCIL_CUT, &t->one);
}

void HgTrialCheckIndex(HgTrial *t) {
  const int di = HgTrialRandomInt(t, -40, 40), dj = HgTrialRandomInt(t, -40, 40);
  HgTrialReset(t, &t->one, hg_trial_canary);
  HgTrialShift(t, di, dj);
  HgTrialRun(t, &t->box, &t->one);
  HgTrialShift(t, -di, -dj);
  compare_all(t, HG_STENCIL_INDEX, &t->one);
}

/* ---- state of its own ---- */
static void run_again(HgTrial *t) {
  HgTrialReset(t, &t->one, hg_trial_canary);
  HgTrialRun(t, &t->box, &t->one);
  compare_all(t, HG_STENCIL_PURE, &t->one);
}

void HgTrialCheckPure(HgTrial *t) {
  HgBox other = t->box;
  run_again(t);
  other.dx *= 1.25, other.dy *= 0.75, other.t += 1, other.step++;
  other.i_global = other.i_global ? other.i_global - 1 : 1;
  for (int k = 0; k < t->reads; k++)
    for (size_t n = 0; n < HgTrialFieldSize(&t->x[k]); n++) {
      const HgCheckRange r = t->range[k];
      t->x[k].data[n] = r.low + (r.high - r.low) * (0.5 + 0.5 * HgTrialRandom(t));
      t->dx[k].data[n] *= -0.5;
    }
  for (int k = 0; k < t->writes; k++)
    for (size_t n = 0; n < HgTrialFieldSize(&t->y_bar[k]); n++)
      t->y_bar[k].data[n] *= 1.5, t->dy_bar[k].data[n] *= 0.5;
  HgTrialReset(t, &t->two, hg_trial_canary);
  HgTrialRun(t, &other, &t->two);
  HgTrialRestore(t);
  run_again(t);
}

/* ---- mirrored data ---- */
static bool turns(const HgTrial *t, bool along_x, const char name[]) {
  const char *const *odd = t->options->odd[along_x ? 0 : 1];
  for (; odd && *odd; odd++)
    if (!strcmp(*odd, name)) return true;
  return false;
}

static void mirror(const HgTrialField *f, bool along_x, bool turned) {
  const double sign = turned ? -1 : 1;
  for (int j = -f->ghost; j < f->ny + f->ghost; j++)
    for (int i = -f->ghost; i < f->nx + f->ghost; i++) {
      const int p = along_x ? f->nx - 1 - i : i, q = along_x ? j : f->ny - 1 - j;
      if (along_x ? p < i : q < j) continue;
      const double here = f->rows[j][i];
      f->rows[j][i] = sign * f->rows[q][p];
      if (p != i || q != j) f->rows[q][p] = sign * here;
    }
}

static void check_mirror(HgTrial *t, bool along_x) {
  const HgStencil *s = t->stencil;
  const HgStencilCheck check = HG_STENCIL_MIRROR;
  for (int k = 0; k < t->reads; k++) {
    const bool turned = turns(t, along_x, s->reads[k].name);
    mirror(&t->x[k], along_x, turned), mirror(&t->dx[k], along_x, turned);
    mirror(&t->start[k], along_x, turned);
  }
  for (int k = 0; k < t->writes; k++) {
    const bool turned = turns(t, along_x, s->writes[k]);
    mirror(&t->y_bar[k], along_x, turned), mirror(&t->dy_bar[k], along_x, turned);
  }
  HgTrialReset(t, &t->one, hg_trial_canary);
  HgTrialRun(t, &t->box, &t->one);
  for (int k = 0; k < t->writes; k++) {
    const bool turned = turns(t, along_x, s->writes[k]);
    mirror(&t->one.y[k], along_x, turned), mirror(&t->one.dy[k], along_x, turned);
    HgTrialCells(t, check, HG_STENCIL_APPLY, -1, k,
                 HgTrialFieldDiffersIn(&t->box, &t->one.y[k], &t->whole.y[k]));
    HgTrialCells(t, check, HG_STENCIL_TANGENT, -1, k,
                 HgTrialFieldDiffersIn(&t->box, &t->one.dy[k], &t->whole.dy[k]));
  }
  for (int k = 0; k < t->reads; k++) {
    const bool turned = turns(t, along_x, s->reads[k].name);
    mirror(&t->start[k], along_x, turned), mirror(&t->one.x_bar[k], along_x, turned);
    HgTrialCells(t, check, t->reverse, k, -1,
                 HgTrialFieldDiffersIn(&t->box, &t->one.x_bar[k], &t->whole.x_bar[k]));
  }
  HgTrialRestore(t);
}

void HgTrialCheckMirror(HgTrial *t) {
  if (!t->options->mirrored) return;
  check_mirror(t, true);
  check_mirror(t, false);
}
