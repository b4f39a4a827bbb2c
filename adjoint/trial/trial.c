/* One draw of a stencil's check: a box and random inputs; see check_stencil.h. */
#include <halograd/state.h>
#include <halograd/trial_library.h>
#include <math.h>

const double hg_trial_canary = 0x1.badcafep+77;

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
enum { OF_READS = 8, OF_WRITES = 10, FIELDS = (OF_READS + OF_WRITES) * HG_TRIAL_MOST };

/* All fields of a trial: how many there are. */
static int fields_of(HgTrial *t, HgTrialField *all[FIELDS]) {
  HgTrialField *const reads[OF_READS] = {t->x,     t->dx,          t->x_kept,    t->dx_kept,
                                         t->start, t->whole.x_bar, t->one.x_bar, t->two.x_bar};
  HgTrialField *const writes[OF_WRITES] = {t->y_bar,   t->y_bar_kept, t->dy_bar, t->dy_bar_kept,
                                           t->whole.y, t->whole.dy,   t->one.y,  t->one.dy,
                                           t->two.y,   t->two.dy};
  int count = 0;
  for (int k = 0; k < t->reads; k++)
    for (int n = 0; n < OF_READS; n++) all[count++] = &reads[n][k];
  for (int k = 0; k < t->writes; k++)
    for (int n = 0; n < OF_WRITES; n++) all[count++] = &writes[n][k];
  return count;
}

PetscErrorCode HgTrialDestroy(HgTrial **trial) {
  HgTrialField *all[FIELDS];
  HgTrial *t = *trial;
  *trial = NULL;
  for (int n = fields_of(t, all) - 1; n >= 0; n--) { PetscCall(HgTrialFieldDestroy(all[n])); }
  PetscCall(PetscFree(t->sphere));
  return PetscFree(t);
}

void HgTrialShift(HgTrial *t, int di, int dj) {
  HgTrialField *all[FIELDS];
  HgBox *const b = &t->box;
  for (int n = fields_of(t, all) - 1; n >= 0; n--) {
    for (int j = 0; j < all[n]->ny + 2 * t->ghost; j++) all[n]->first[j] -= di;
    all[n]->rows -= dj;
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

/* Where in `cells` cells a box of n lies: at the start, at the end, or anywhere. */
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
  b.i0 = b.j0 = 0, b.i1 = nx, b.j1 = ny;
  return b;
}

/* Rows of a sphere, none like another, for a stencil that knows of them and a box of no program. */
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

static void draw(HgTrial *t) {
  for (int k = 0; k < t->reads; k++) {
    const HgCheckRange r = t->range[k];
    const bool signed_ = r.low < 0 && r.high > 0;
    for (size_t n = 0; n < HgTrialFieldSize(&t->x[k]); n++) {
      const double x = random_between(t, r.low, r.high);
      t->x_kept[k].data[n] = x;
      t->dx_kept[k].data[n] = HgTrialRandom(t) * (signed_ ? fmax(-r.low, r.high) : x);
    }
  }
  for (int k = 0; k < t->writes; k++)
    for (size_t n = 0; n < HgTrialFieldSize(&t->y_bar[k]); n++)
      t->y_bar_kept[k].data[n] = HgTrialRandom(t);
  for (int k = 0; t->reverse == HG_STENCIL_SECOND && k < t->writes; k++)
    for (size_t n = 0; n < HgTrialFieldSize(&t->dy_bar[k]); n++)
      t->dy_bar_kept[k].data[n] = HgTrialRandom(t);
  HgTrialRestore(t);
}

/* What the adjoint adds, at most, for y_bar as drawn and for others: in a cell of one of them its
   contributions may cancel. */
static void find_added(HgTrial *t) {
  for (int n = 0; n < 8; n++) {
    for (int k = 0; k < t->reads; k++) HgTrialFieldFill(&t->one.x_bar[k], 0);
    HgTrialAdjoint(t, &t->box, ~0u, t->one.x_bar);
    for (int k = 0; k < t->reads; k++)
      for (size_t m = 0; m < HgTrialFieldSize(&t->x[k]); m++)
        t->added[k] = fmax(t->added[k], fabs(t->one.x_bar[k].data[m]));
    for (int k = 0; k < t->writes; k++)
      for (size_t m = 0; m < HgTrialFieldSize(&t->y_bar[k]); m++)
        t->y_bar[k].data[m] = HgTrialRandom(t), t->dy_bar[k].data[m] = HgTrialRandom(t);
  }
  HgTrialRestore(t);
}

/* Random x_bar as large as what the adjoint adds to them. */
void HgTrialBegin(HgTrial *t) {
  find_added(t);
  for (int k = 0; k < t->reads; k++) {
    if (!(t->added[k] > 0 && isfinite(t->added[k]))) t->added[k] = 1;
    for (size_t n = 0; n < HgTrialFieldSize(&t->start[k]); n++)
      t->start[k].data[n] = t->added[k] * HgTrialRandom(t);
  }
  HgTrialReset(t, &t->whole, hg_trial_canary);
  HgTrialRun(t, &t->box, &t->whole);
}

PetscErrorCode HgTrialCreate(const HgStencil *s, const void *params, const HgCheckRange ranges[],
                             const HgCheckStencilOptions *options, uint64_t seed,
                             HgStencilKernel reverse, HgStencilReport *report, HgTrial **trial) {
  HgTrialField *all[FIELDS];
  HgTrial *t;
  int deepest = 0;
  PetscCall(PetscNew(&t));
  t->stencil = s, t->params = params, t->options = options, t->report = report, t->seed = seed;
  t->reverse = reverse;
  t->reads = HgTrialCountReads(s), t->writes = HgTrialCountWrites(s);
  t->dot_bound = options->dot_bound > 0 ? options->dot_bound : 1e-13;
  for (int k = 0; k < t->reads; k++) {
    t->radius = PetscMax(t->radius, s->reads[k].radius);
    deepest = PetscMax(deepest, s->reads[k].adjoint_radius);
    t->range[k] = ranges ? ranges[k] : (HgCheckRange){-1, 1};
  }
  t->ghost = t->radius + PetscMax(deepest, t->radius) + HG_TRIAL_REACH;
  t->box = drawn_box(t, options->largest ? options->largest : 13);
  PetscCall(draw_sphere(t));
  for (int n = fields_of(t, all) - 1; n >= 0; n--)
    PetscCall(HgTrialFieldCreate(&t->box, t->ghost, all[n]));
  draw(t);
  *trial = t;
  return 0;
}

void HgTrialRestore(HgTrial *t) {
  for (int k = 0; k < t->reads; k++) {
    HgTrialFieldCopy(&t->x_kept[k], &t->x[k]);
    HgTrialFieldCopy(&t->dx_kept[k], &t->dx[k]);
  }
  for (int k = 0; k < t->writes; k++) {
    HgTrialFieldCopy(&t->y_bar_kept[k], &t->y_bar[k]);
    HgTrialFieldCopy(&t->dy_bar_kept[k], &t->dy_bar[k]);
  }
}

void HgTrialReset(HgTrial *t, const HgTrialOutputs *o, double canary) {
  for (int k = 0; k < t->writes; k++)
    HgTrialFieldFill(&o->y[k], canary), HgTrialFieldFill(&o->dy[k], canary);
  for (int k = 0; k < t->reads; k++) HgTrialFieldCopy(&t->start[k], &o->x_bar[k]);
}
