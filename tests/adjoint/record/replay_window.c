/* SPDX-License-Identifier: BSD-2-Clause */
/* A window of a recorded gradient comes out with the same bits on other layouts, from wherever it
   starts, by the trajectory's own sweeps; where the adjoint has changed since, its first recorded
   step after that parts, with variable and cell. */
#include "claim.h"
#include "refusal.h"
#include "trajectory_case.h"
#include <halograd/heat.h>
#include <halograd/recorder_library.h>
#include <math.h>

enum { NX = 21, NY = 17, STEPS = 14, SLOTS = 3, EVERY = 3, GUILTY = 7, COLUMN = 6, ROW = 5 };

static bool changed;

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  hg_heat_conservative.adjoint(b, params, x, y_bar, x_bar);
  const int i = COLUMN - b->i_global, j = ROW - b->j_global;
  if (changed && b->step == GUILTY && x_bar[0] && i >= b->i0 && i < b->i1 && j >= b->j0 &&
      j < b->j1)
    x_bar[0][j][i] *= 1 + 1e-12;
}

static double bump(double x, double y, void *unused) {
  (void)unused;
  return 1 + 0.3 * sin(9 * x) * cos(7 * y);
}

static HgStencil stencil;

/* kappa is copied across walls: its cotangents wait in ghosts until the end. */
static PetscErrorCode create(int px, int py, TrajectoryCase *c) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .px = px, .py = py, .dx = 0.05, .dy = 0.05};
  stencil = hg_heat_conservative;
  stencil.adjoint = adjoint;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &c->mesh));
  PetscCall(HgProgramCreate(c->mesh, "heat", 2e-4, &c->program));
  PetscCall(HgProgramAddStencil(c->program, &stencil, NULL));
  PetscCall(HgProgramSetBoundary(c->program, "kappa", HgBoundaryAll(HG_COPY, 0)));
  PetscCall(HgProgramSetBoundary(c->program, "u", HgBoundaryAll(HG_MIRROR, 1)));
  PetscCall(trajectory_case_begin(STEPS, SLOTS, c));
  PetscCall(HgStateSetField(c->x, "u", bump, NULL));
  PetscCall(HgStateSetField(c->x, "kappa", bump, NULL));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", 5, c->data, 0.5));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", STEPS, c->data, 0.5));
  PetscCall(HgObjectiveAddIntegral(c->objective, &(HgIntegral){"u", .step = 6, .weight = -2}));
  PetscCall(HgObjectiveAddIntegral(c->objective, &(HgIntegral){"u", .step = 8, .sigma = 0.1}));
  return trajectory_case_end(c);
}

static PetscErrorCode record(void) {
  TrajectoryCase c;
  HgRecorder recorder;
  HgState x_bar;
  double J;
  PetscCall(create(0, 0, &c));
  PetscCall(HgRecorderCreate(c.trajectory, &(HgRecorderSpec){.every = EVERY}, &recorder));
  PetscCall(HgRecorderArm(recorder, "recorded"));
  PetscCall(HgProgramCreateInput(c.program, &x_bar));
  PetscCall(HgTrajectoryGradient(c.trajectory, c.x, 0.7, &J, x_bar));
  PetscCall(HgStateDestroy(&x_bar));
  PetscCall(HgRecorderDestroy(&recorder));
  return trajectory_case_destroy(&c);
}

/* The sweeps were the trajectory's own: so many steps, in the slots of its store. */
static void claim_own(HgTrajectory t, long steps) {
  HgTrajectoryCost cost;
  HgTrajectoryGetCost(t, &cost);
  claim_that(cost.steps >= steps && cost.slots <= SLOTS && (cost.slots || steps < STEPS),
             "a window of %ld steps: %ld steps reversed in %d slots, expected at most %d", steps,
             cost.steps, cost.slots, SLOTS);
}

/* Steps from .. to again, on px x py patches (0: chosen), beside what was recorded. */
static PetscErrorCode replay(int px, int py, long from, long to, HgRecordingDifference *d) {
  TrajectoryCase c;
  HgRecording recorded, replayed;
  PetscCall(create(px, py, &c));
  PetscCall(HgReplay(c.trajectory, "recorded", from, to, "replayed"));
  claim_own(c.trajectory, to - from);
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, "recorded", &recorded));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, "replayed", &replayed));
  PetscCall(HgRecordingCompare(recorded, replayed, d));
  claim_same((double)HgRecordingNext(replayed, HG_COTANGENT, to), (double)to,
             "the window %ld:%ld has lambda of its last step", from, to);
  PetscCall(HgRecordingClose(&recorded));
  PetscCall(HgRecordingClose(&replayed));
  return trajectory_case_destroy(&c);
}

static PetscErrorCode windows(void) {
  static const long window[][2] = {{0, STEPS}, {4, 8}, {6, 9}, {0, 3}, {11, STEPS}, {1, 13}};

  HgRecordingDifference d;
  const int ranks = claim.ranks;
  for (size_t k = 0; k < sizeof window / sizeof *window; k++)
    for (int layout = 0; layout < 3; layout++) {
      const int px = layout == 0 ? 0 : layout == 1 ? ranks : 1, py = px ? ranks / px : 0;
      PetscCall(replay(px, py, window[k][0], window[k][1], &d));
      claim_that(!d.differ && d.compared > 0,
                 "window %ld:%ld, %d x %d patches: same bits in %d steps, then step %ld, '%s'",
                 window[k][0], window[k][1], px, py, d.compared, d.n, d.variable);
    }
  return 0;
}

/* What comes out never takes the place of what is replayed, by whatever name it is called. */
static PetscErrorCode own_folder(void) {
  TrajectoryCase c;
  PetscCall(create(0, 0, &c));
  REFUSED(HgReplay(c.trajectory, "recorded", 3, 9, "recorded"), "replay of 'recorded'",
          "the same folder");
  REFUSED(HgReplay(c.trajectory, "recorded", 3, 9, "./../replay_window/recorded/."),
          "the same folder");
  return trajectory_case_destroy(&c);
}

/* lambda_GUILTY is another one; it is seen at the recorded step before, where it has spread. */
static PetscErrorCode change(void) {
  HgRecordingDifference d;
  changed = true;
  PetscCall(replay(0, 0, 0, STEPS, &d));
  changed = false;
  claim_that(d.differ && d.direction == HG_COTANGENT && d.n == GUILTY / EVERY * EVERY,
             "a changed adjoint: parts at step %ld", d.n);
  claim_that(!strcmp(d.variable, "u") && d.states, "a changed adjoint: variable '%s'", d.variable);
  claim_that(abs(d.cell[0] - COLUMN) <= 1 && abs(d.cell[1] - ROW) <= 1,
             "a changed adjoint: cell (%d, %d)", d.cell[0], d.cell[1]);
  return 0;
}

CLAIM("a window of a recording comes out with the same bits", 0, record, own_folder, windows,
      change)
