/* SPDX-License-Identifier: BSD-2-Clause */
/* The doctor finds nothing wrong with a sound gradient; of planted errors it names step, stencil,
   pair, and where: everywhere, in one cell, at walls, at seams. */
#include "claim.h"
#include "findings.h"
#include "trajectory_case.h"
#include <halograd/heat.h>
#include <math.h>
#include <omp.h>

enum { NX = 41, NY = 36, STEPS = 12, GUILTY = 7 };

typedef enum {
  NONE,
  PAIR,      /* kappa_bar has the wrong sign */
  ONE_CELL,  /* u_bar is wrong in cell (7, 5) */
  AT_WALL,   /* u_bar is wrong in the first column */
  NARROW,    /* kappa is read further than declared: wrong at seams */
  ONE_STEP,  /* u_bar is wrong in step GUILTY */
  TANGENT,   /* du' has a wrong coefficient */
  REMEMBERS, /* u' depends on how often the kernel was called */
  IN_SWEEP,  /* u_bar is wrong while the reverse sweep runs only */
  AT_ONCE,   /* u_bar is wrong where nobody looks at single steps only */
  DATA,      /* the data of the objective change between its value and its gradient */
  SETS,      /* kappa_bar is set, not added to */
  FRESH,     /* what it `sets` is added to */
  CONSTANT,  /* kappa_bar is wrong while the reverse sweep runs only */
  OVERFLOWS, /* norms of lambda are no numbers */
  UNWANTED,  /* u_bar is wrong where kappa_bar is not wanted */
  LOCAL,     /* u' depends on local indices */
  SHARED,    /* u' is kept in memory that threads share */
  THREADED,  /* u' is another one where several threads run */
  FLOAT,     /* u' is rounded to float */
  LATE,      /* u' is wrong from step GUILTY on, du' and u_bar belong to each other */
  FAULTS
} Fault;

static const char *const names[FAULTS] = {
    "none",      "pair",     "one cell", "at a wall", "narrow",   "one step", "tangent",
    "remembers", "in sweep", "at once",  "data",      "sets",     "fresh",    "constant",
    "overflows", "unwanted", "local",    "shared",    "threaded", "float",    "late"};
static Fault fault;
static double calls;
static int gradients; /* so many have begun */
static bool reversing;
static volatile double shared[8];

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  hg_heat_conservative.apply(b, params, x, y);
  if (fault == REMEMBERS && b->step == GUILTY - 1 && !b->i_global && !b->j_global && b->i0 <= 0 &&
      b->j0 <= 0 && b->i1 > 0 && b->j1 > 0)
    y[0][0][0] += 1e-9 * calls++;
  for (int j = b->j0; fault == SHARED && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) shared[(unsigned)i % 8] = y[0][j][i];
  for (int j = b->j0; (fault == LOCAL || (fault == THREADED && omp_in_parallel())) && j < b->j1;
       j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] *= fault == LOCAL ? 1 + 1e-6 * i : 1 + 1e-9;
  for (int j = b->j0; fault == FLOAT && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] = (float)y[0][j][i];
  for (int j = b->j0; fault == LATE && b->step >= GUILTY && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) y[0][j][i] += 1e-3 * x[0][j][i];
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  hg_heat_conservative.tangent(b, params, x, dx, dy);
  for (int j = b->j0; fault == TANGENT && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) dy[0][j][i] += 1e-3 * dx[1][j][i];
}

static bool planted(const HgBox *b, int i, int j) {
  const int i_global = b->i_global + i, j_global = b->j_global + j;
  switch (fault) {
  case ONE_CELL: return i_global == 7 && j_global == 5;
  case AT_WALL: return i_global == 0;
  case ONE_STEP: return b->step == GUILTY;
  case IN_SWEEP: return reversing;
  case AT_ONCE: return gradients == 2;
  default: return false;
  }
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  HgBox box = *b;
  if (fault == FRESH) box.fresh = 0;
  for (int j = b->j0; fault == SETS && x_bar[1] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) x_bar[1][j][i] = 0;
  hg_heat_conservative.adjoint(&box, params, x, y_bar, x_bar);
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      if (x_bar[0] && planted(b, i, j)) x_bar[0][j][i] += 1e-3 * y_bar[0][j][i];
      if (x_bar[0] && !x_bar[1] && fault == UNWANTED) x_bar[0][j][i] += 0.01 * y_bar[0][j][i];
      if (x_bar[1] && fault == CONSTANT && reversing) x_bar[1][j][i] += 1e-3 * y_bar[0][j][i];
      if (x_bar[1] && fault == PAIR) x_bar[1][j][i] += 0.1 * y_bar[0][j][i] * x[0][j][i];
    }
}

/* ---- what the trajectory tells of its runs ---- */

static long last_cotangent(void *unused, HgMode direction, long n) {
  (void)unused;
  return direction == HG_COTANGENT && n <= STEPS ? STEPS : HG_NO_STEP;
}

static PetscErrorCode reversal_begins(void *data, const HgTrajectorySight *sight) {
  (void)sight;
  reversing = true;
  return fault == DATA ? HgStateSetConstant(data, "u", 0.1) : 0;
}

static PetscErrorCode run_begins(void *unused, HgMode run) {
  (void)unused;
  gradients += run == HG_COTANGENT;
  return 0;
}

static PetscErrorCode run_ends(void *unused, HgMode run, double J) {
  (void)unused, (void)run, (void)J;
  reversing = false;
  return 0;
}

/* It reads kappa around the cell, which the second of these denies. */
static const HgRead honest[] = {{"u", 1, 1}, {"kappa", 1, 1}, {NULL, 0, 0}},
                    narrow[] = {{"u", 1, 1}, {"kappa", 0, 0}, {NULL, 0, 0}};

static double bump(double x, double y, void *unused) {
  (void)unused;
  return 1 + 0.3 * sin(9 * x) * cos(7 * y);
}

static HgStencil stencil;

static PetscErrorCode create(int ny, TrajectoryCase *c) {
  const HgMeshSpec spec = {.nx = NX, .ny = ny, .dx = 0.05, .dy = 0.05};
  stencil = hg_heat_conservative;
  stencil.name = "planted", stencil.reads = fault == NARROW ? narrow : honest;
  stencil.apply = apply, stencil.tangent = tangent, stencil.adjoint = adjoint;
  stencil.only_for = NULL;
  const double sigma = fault == OVERFLOWS ? 1e-90 : 0.5;
  PetscCall(PetscOptionsSetValue(NULL, "-hg_threads", fault == THREADED ? "2" : "1"));
  calls = 0, gradients = 0, reversing = false;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c->mesh));
  PetscCall(HgProgramCreate(c->mesh, "heat", 2e-4, &c->program));
  PetscCall(HgProgramAddStencil(c->program, &stencil, NULL));
  PetscCall(HgProgramSetBoundary(c->program, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetBoundary(c->program, "kappa", HgBoundaryAll(HG_COPY, 0)));
  PetscCall(trajectory_case_begin(STEPS, 3, c));
  PetscCall(HgStateSetField(c->x, "u", bump, NULL));
  PetscCall(HgStateSetField(c->x, "kappa", bump, NULL));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", STEPS / 2, c->data, sigma));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", STEPS, c->data, sigma));
  PetscCall(trajectory_case_end(c));
  PetscCall(HgProgramSetActive(c->program, "kappa", fault != UNWANTED));
  return HgTrajectoryAddObserver(c->trajectory, &(HgTrajectoryObserver){.next = last_cotangent,
                                                                        .see = reversal_begins,
                                                                        .begin = run_begins,
                                                                        .end = run_ends,
                                                                        .context = c->data});
}

/* What the first finding must be; check HG_CHECKS: there is none; names NULL: any. */
static const struct {
  HgCheckId check;
  long step, guilty; /* -1: any */
  const char *read, *write;
  HgCheckPlace place; /* HG_PLACE_NONE: any */
  int i, j;           /* -1: any */
  const char *text;   /* NULL: any */
} expected[FAULTS] = {
    [NONE] = {HG_CHECKS, -1, 0, "", "", HG_PLACE_NONE, -1, -1, NULL},
    [PAIR] = {HG_CHECK_DOT, STEPS - 1, STEPS, "kappa", "u", HG_PLACE_EVERYWHERE, -1, -1, NULL},
    [ONE_CELL] = {HG_CHECK_DOT, STEPS - 1, STEPS, "u", "u", HG_PLACE_INSIDE, 7, 5, NULL},
    [AT_WALL] = {HG_CHECK_DOT, STEPS - 1, STEPS, "u", "u", HG_PLACE_WALL, 0, -1, NULL},
    [NARROW] = {HG_CHECK_RADIUS, -1, -1, "kappa", "", HG_PLACE_NONE, -1, -1,
                "stencil 'planted': apply reads 'kappa' at a distance of 1, but declares"},
    [ONE_STEP] = {HG_CHECK_DOT, GUILTY, 1, "u", "u", HG_PLACE_EVERYWHERE, -1, -1, NULL},
    [TANGENT] = {HG_CHECK_TAYLOR, STEPS - 1, STEPS, "kappa", "u", HG_PLACE_NONE, -1, -1, NULL},
    [IN_SWEEP] = {HG_CHECK_SWEEP, STEPS - 1, STEPS, "", "u", HG_PLACE_NONE, -1, -1,
                  "the reverse sweep gives another cotangent of 'u' than its operators alone"},
    [AT_ONCE] = {HG_CHECK_REPEAT, -1, 0, "", "", HG_PLACE_NONE, -1, -1, "the gradient is not"},
    [DATA] = {HG_CHECK_OBJECTIVE, -1, 0, "", "", HG_PLACE_NONE, -1, -1, NULL},
    [SETS] = {HG_CHECK_ADDS, STEPS - 2, STEPS - 1, "kappa", "", HG_PLACE_NONE, -1, -1,
              "'planted': adjoint overwrites the cotangent of 'kappa' instead of adding to it"},
    [FRESH] = {HG_CHECK_FRESH, -1, -1, "u", "", HG_PLACE_NONE, -1, -1,
               "'planted': adjoint: the cotangent of 'u' is not as if it had been 0"},
    [CONSTANT] = {HG_CHECK_SWEEP, STEPS - 1, STEPS, "", "", HG_PLACE_NONE, -1, -1,
                  "its operators are right, but <dq, lambda> is off by"},
    [OVERFLOWS] = {HG_CHECK_SWEEP, -1, -1, "", "", HG_PLACE_NONE, -1, -1, "off by nan"},
    [UNWANTED] = {HG_CHECK_DOT, STEPS - 1, STEPS, "u", "u", HG_PLACE_EVERYWHERE, -1, -1,
                  "'planted': the cotangent of 'u' from 'u' is not the transpose"},
    [LOCAL] = {HG_CHECK_INDEX, 2, 0, "", "u", HG_PLACE_NONE, -1, -1,
               "apply: 'u' depends on where local indices i, j begin"},
    [SHARED] = {HG_CHECK_STATIC, 2, 0, "", "", HG_PLACE_NONE, -1, -1, "apply writes static memory"},
    [THREADED] = {HG_CHECK_THREADS, -1, 0, "", "", HG_PLACE_NONE, -1, -1,
                  "with 2 threads is not that with one"},
    [FLOAT] = {HG_CHECK_KINK, -1, 0, "u", "u", HG_PLACE_NONE, -1, -1, "look for (float)"},
    [LATE] = {HG_CHECK_TAYLOR, GUILTY, 0, "u", "u", HG_PLACE_NONE, -1, -1, "look at its"},
    [REMEMBERS] = {HG_CHECK_REPEAT, GUILTY - 1, -1, "", "u", HG_PLACE_CORNER, 0, 0,
                   "stencil 'planted': computes 'u' differently each time"},
};

static void judge(Fault k, const HgFindings *r) {
  const char *const name = names[k], *const text = first_finding(r);
  const HgFinding *f = &r->finding[0];
  claim_that(k != OVERFLOWS || isnan(r->pairing), "%s: %g, expected no number", name, r->pairing);
  if (expected[k].check == HG_CHECKS) claim_that(!r->findings, "%s: found: %s", name, text);
  if (expected[k].check == HG_CHECKS) return;
  if (!claim_that(r->findings > 0, "%s: it is found", name)) return;
  claim_that(f->check == expected[k].check, "%s: what is wrong: %s", name, text);
  if (k == TANGENT) claim_that(r->findings == 1, "%s: the right adjoint is accused", name);
  if (expected[k].step >= 0)
    claim_that(f->step == expected[k].step, "%s: the step: %s", name, text);
  if (expected[k].guilty >= 0)
    claim_that(r->guilty == expected[k].guilty, "%s: %ld guilty steps", name, r->guilty);
  claim_that(!strcmp(f->read, expected[k].read) && !strcmp(f->write, expected[k].write),
             "%s: the pair: %s", name, text);
  if (expected[k].place != HG_PLACE_NONE)
    claim_that(f->place == expected[k].place, "%s: the place: %s", name, text);
  if (expected[k].text) claim_that(strstr(text, expected[k].text), "%s: the text: %s", name, text);
  if (expected[k].i >= 0) claim_that(f->i == expected[k].i, "%s: the column: %s", name, text);
  if (expected[k].j >= 0) claim_that(f->j == expected[k].j, "%s: the row: %s", name, text);
}

static PetscErrorCode test(void) {
  for (fault = NONE; fault < FAULTS; fault++) {
    TrajectoryCase c;
    HgFindings r;
    PetscCall(create(NY, &c));
    PetscCall(examine_trajectory(c.trajectory, c.x, &r));
    judge(fault, &r);
    PetscCall(trajectory_case_destroy(&c));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-hg_threads"));
  for (int ny = 1; ny <= 5 && claim.ranks == 1; ny++) { /* no cell, or one row, away from walls */
    TrajectoryCase c;
    HgFindings r;
    fault = PAIR;
    PetscCall(create(ny, &c));
    PetscCall(examine_trajectory(c.trajectory, c.x, &r));
    judge(PAIR, &r);
    PetscCall(trajectory_case_destroy(&c));
  }
  return 0;
}

CLAIM("the doctor finds planted errors, and none where there is none", 1, test)
