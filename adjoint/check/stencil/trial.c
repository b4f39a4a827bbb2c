/* SPDX-License-Identifier: BSD-2-Clause */
/* One draw of a stencil's check: a box and random inputs; see trial_private.h. */
#include "trial_private.h"
#include <halograd/real_library.h>
#include <halograd/state.h>

const double hg_trial_canary = 0x1.badcaep+77;

/* ---- numbers ---- */
double HgTrialRandom(HgTrial *t) { return HgRandom(t->seed, t->drawn++); }

static double random_between(HgTrial *t, double low, double high) {
  return low + (high - low) * (0.5 + 0.5 * HgTrialRandom(t));
}

int HgTrialRandomInt(HgTrial *t, int low, int high) {
  const int n = low + (int)((high - low + 1) * (0.5 + 0.5 * HgTrialRandom(t)));
  return n > high ? high : n;
}

unsigned HgTrialMask(const HgTrial *t, int n) {
  const uint64_t which = t->seed * HG_TRIAL_MASKS + (uint64_t)n;
  return (unsigned)((which * 0x9E3779B1u) & ((1u << t->reads) - 1));
}

/* ---- fields ---- */

/* Whether a set has a field for each read, else for each write. */
static bool of_reads(int set) {
  const bool output = set >= HG_WHOLE, input = set < HG_START;
  return output ? (set - HG_WHOLE) % HG_OUTPUTS == HG_BAR : !input || set % HG_KEPT <= HG_DX;
}

int HgTrialCount(const HgTrial *t, int set) { return of_reads(set) ? t->reads : t->writes; }

PetscErrorCode HgTrialDestroy(HgTrial **trial) {
  HgTrial *t = *trial;
  *trial = NULL;
  for (int set = 0; set < HG_SETS; set++)
    for (int k = 0; k < HgTrialCount(t, set); k++) {
      PetscCall(PetscFree(t->field[set][k].first));
      PetscCall(PetscFree(t->field[set][k].data));
    }
  PetscCall(PetscFree(t->sphere));
  return PetscFree(t);
}

void HgTrialShift(HgTrial *t, int di, int dj) {
  HgBox *const b = &t->box;
  for (int set = 0; set < HG_SETS; set++)
    for (int k = 0; k < HgTrialCount(t, set); k++) {
      HgTrialField *const f = &t->field[set][k];
      for (int j = 0; j < f->ny + 2 * t->ghost; j++) f->first[j] -= di;
      f->rows -= dj;
    }
  b->i0 += di, b->i1 += di, b->i_global -= di;
  b->j0 += dj, b->j1 += dj, b->j_global -= dj;
}

/* ---- a draw ---- */
int HgTrialCountReads(const HgStencil *s) {
  int n = 0;
  while (s->reads[n].name) n++;
  return n;
}

int HgTrialCountWrites(const HgStencil *s) {
  int n = 0;
  while (s->writes[n]) n++;
  return n;
}

/* The start of a box of n in `cells` cells: the first possible, the last, or a random one. */
static int place(HgTrial *t, int cells, int n) {
  const int third = HgTrialRandomInt(t, 0, 2);
  return third ? HgTrialRandomInt(t, 0, cells - n) * (third - 1) : cells - n;
}

static HgBox drawn_box(HgTrial *t, int largest) {
  const HgBox *given = t->options->box;
  HgBox b = {.dx = random_between(t, 0.3, 3),
             .dy = random_between(t, 0.3, 3),
             .dt = random_between(t, 1e-2, 0.5),
             .t = random_between(t, 0, 2),
             .step = HgTrialRandomInt(t, 0, 3) ? HgTrialRandomInt(t, 1, 99) : 0,
             .nx_global = 30,
             .ny_global = 30};
  int nx = HgTrialRandomInt(t, 1, largest), ny = HgTrialRandomInt(t, 1, largest);
  if (t->seed == 1) nx = ny = 1;
  b.nx_global += nx, b.ny_global += ny;
  if (given) b = *given;
  if (given && given->i1 > given->i0) { /* the box itself */
    b.i_global += b.i0, b.j_global += b.j0;
    nx = b.i1 - b.i0, ny = b.j1 - b.j0;
  } else {
    nx = PetscMin(nx, b.nx_global), ny = PetscMin(ny, b.ny_global);
    b.i_global = place(t, b.nx_global, nx), b.j_global = place(t, b.ny_global, ny);
  }
  b.i0 = b.j0 = b.k0 = 0, b.i1 = nx, b.j1 = ny, b.k1 = 1;
  if (t->stencil->levels) {
    if (!given) b.dz = random_between(t, 0.3, 3), b.z0 = random_between(t, -1, 1);
    b.k1 = HgTrialRandomInt(t, 1, HG_TRIAL_LEVELS);
  }
  b.nz = b.k1, b.pitch = nx + 2 * t->ghost;
  return b;
}

/* Different metric terms for each row, for a stencil that reads them and a box without a program.
   */
static PetscErrorCode draw_sphere(HgTrial *t) {
  const int around = t->ghost + 1;
  if (!t->stencil->spherical || t->options->box) return 0;
  PetscCall(PetscMalloc1(t->box.ny_global + 2 * around, &t->sphere));
  for (int j = 0; j < t->box.ny_global + 2 * around; j++) {
    const double at = random_between(t, 0.2, 1.2), north = random_between(t, 0.2, 1.2);
    t->sphere[j] = (HgLatitude){cos(at), sin(at), cos(north), sin(north)};
  }
  t->box.latitude = t->sphere + around;
  return 0;
}

/* Random numbers of y_bar, or of dy_bar, as they are drawn. */
static void draw_bars(HgTrial *t, int set) {
  for (int k = 0; k < t->writes; k++)
    for (size_t n = 0; n < HgTrialFieldSize(&t->field[set][k]); n++)
      t->field[set][k].data[n] = HgTrialRandom(t);
}

static void draw(HgTrial *t) {
  for (int k = 0; k < t->reads; k++) {
    const HgCheckRange r = t->range[k];
    const bool signed_ = r.low < 0 && r.high > 0;
    for (size_t n = 0; n < HgTrialFieldSize(&t->field[HG_X][k]); n++) {
      const double x = random_between(t, r.low, r.high);
      t->field[HG_KEPT + HG_X][k].data[n] = x;
      t->field[HG_KEPT + HG_DX][k].data[n] =
          HgTrialRandom(t) * (signed_ ? fmax(-r.low, r.high) : x);
    }
  }
  draw_bars(t, HG_KEPT + HG_Y_BAR);
  if (t->reverse == HG_KERNEL_SECOND) draw_bars(t, HG_KEPT + HG_DY_BAR);
  HgTrialRestore(t);
}

/* The largest numbers that the adjoint adds, for the drawn y_bar and for others: contributions may
   cancel in a cell for one y_bar. */
static void find_added(HgTrial *t) {
  const HgTrialField *const x_bar = t->field[HG_ONE + HG_BAR];
  for (int n = 0; n < 8; n++) {
    for (int k = 0; k < t->reads; k++) HgTrialFieldFill(&x_bar[k], 0);
    HgTrialCall(t, t->reverse, &t->box, ~0u, HG_ONE);
    for (int k = 0; k < t->reads; k++)
      for (size_t m = 0; m < HgTrialFieldSize(&x_bar[k]); m++)
        t->added[k] = fmax(t->added[k], fabs(x_bar[k].data[m]));
    draw_bars(t, HG_Y_BAR);
    draw_bars(t, HG_DY_BAR);
  }
  HgTrialRestore(t);
}

/* Random x_bar as large as what the adjoint adds to them. */
void HgTrialBegin(HgTrial *t) {
  find_added(t);
  for (int k = 0; k < t->reads; k++) {
    if (!(t->added[k] > 0 && isfinite(t->added[k]))) t->added[k] = 1;
    for (size_t n = 0; n < HgTrialFieldSize(&t->field[HG_START][k]); n++)
      t->field[HG_START][k].data[n] = t->added[k] * HgTrialRandom(t);
  }
  HgTrialReset(t, HG_WHOLE, hg_trial_canary);
  HgTrialRun(t, &t->box, HG_WHOLE);
}

/* Whether a field of a set has levels; else it is a surface. */
static bool has_levels(const HgTrial *t, int set, int k) {
  const HgStencil *const s = t->stencil;
  const char *const name = of_reads(set) ? s->reads[k].name : s->writes[k];
  for (const HgStated *told = s->stated; told && told->name; told++)
    if (!strcmp(told->name, name) && told->surface) return false;
  return s->levels;
}

PetscErrorCode HgTrialCreate(const HgStencil *s, const void *params, const HgCheckRange ranges[],
                             const HgCheckStencilOptions *options, uint64_t seed, HgKernel reverse,
                             HgFindings *report, HgTrial **trial) {
  HgTrial *t;
  int deepest = 0;
  PetscCall(PetscNew(&t));
  t->stencil = s, t->params = params, t->options = options, t->report = report, t->seed = seed;
  t->reverse = reverse;
  t->reads = HgTrialCountReads(s), t->writes = HgTrialCountWrites(s);
  t->dot_bound = (options->dot_bound > 0 ? options->dot_bound : 1e-13) * HG_ROUNDING;
  for (int k = 0; k < t->reads; k++) {
    t->radius = PetscMax(t->radius, s->reads[k].radius);
    deepest = PetscMax(deepest, s->reads[k].adjoint_radius);
    t->range[k] = ranges ? ranges[k] : (HgCheckRange){-1, 1};
  }
  t->ghost = t->radius + PetscMax(deepest, t->radius) +
             (s->levels ? HG_TRIAL_REACH_LEVELS : HG_TRIAL_REACH);
  t->box = drawn_box(t, options->largest ? options->largest : s->levels ? HG_TRIAL_LARGEST : 13);
  PetscCall(draw_sphere(t));
  for (int set = 0; set < HG_SETS; set++)
    for (int k = 0; k < HgTrialCount(t, set); k++)
      PetscCall(HgTrialFieldCreate(&t->box, t->ghost, has_levels(t, set, k), &t->field[set][k]));
  draw(t);
  *trial = t;
  return 0;
}

void HgTrialRestore(HgTrial *t) {
  for (int set = 0; set < HG_KEPT; set++)
    for (int k = 0; k < HgTrialCount(t, set); k++)
      HgTrialFieldCopy(&t->field[HG_KEPT + set][k], &t->field[set][k]);
}

void HgTrialReset(HgTrial *t, int set, double canary) {
  for (int k = 0; k < t->writes; k++)
    for (int n = HG_Y; n <= HG_DY; n++) HgTrialFieldFill(&t->field[set + n][k], canary);
  for (int k = 0; k < t->reads; k++)
    HgTrialFieldCopy(&t->field[HG_START][k], &t->field[set + HG_BAR][k]);
}
