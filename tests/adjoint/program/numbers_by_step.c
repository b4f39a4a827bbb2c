/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: of numbers by step a cell reads those of its step, and of its row or column where there is
   one for each; J and its gradient have the same bits on every decomposition, with any number of
   checkpoints, threads and steps at once; <dy, y_bar> = <dx, x_bar>, and differences agree; numbers
   of steps that are not made have the derivative 0. Copies that differ between ranks are refused. A
   given .along fills them, but not beside .time; the doctor finds an adjoint that hands a number its
   neighbour's share. A table that says no more has one number a step. No steps, an index beyond the
   numbers of a step, and .along of a field, are refused. */
#include "claim.h"
#include "findings.h"
#include "refusal.h"
#include "same_bits.h"
#include "trajectory_case.h"
#include "trajectory_claims.h"
#include <halograd/problem_library.h>
#include <halograd/program_library.h>
#include <math.h>
#include <stddef.h>

enum { NX = 21, NY = 17, STEPS = 7, ARRAYS = 3 };

typedef struct {
  long steps;
} Params;

static const char *const names[ARRAYS] = {"tide", "top", "w"};
static const int each[ARRAYS] = {NY, NX, 2};
static bool planted;

/* u' = 0.3 u_W + (0.5 + tide_j) u + w_1 top_i + w_0^2 */
static void apply(const HgBox *b, const void *unused, const HgRows x[], const HgRowsOut y[]) {
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      y[0][j][i] = (HgReal)(0.3 * x[0][j][i - 1] + (0.5 + x[1][j][i]) * x[0][j][i] +
                            x[4][j][i] * x[2][j][i] + x[3][j][i] * x[3][j][i]);
}

static void tangent(const HgBox *b, const void *unused, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      dy[0][j][i] = (HgReal)(0.3 * dx[0][j][i - 1] + (0.5 + x[1][j][i]) * dx[0][j][i] +
                             x[0][j][i] * dx[1][j][i] + x[4][j][i] * dx[2][j][i] +
                             x[2][j][i] * dx[4][j][i] + 2 * x[3][j][i] * dx[3][j][i]);
}

static void adjoint(const HgBox *b, const void *unused, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const HgRows w = y_bar[0];
  (void)unused;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double of_row = planted && b->j_global + j == 5 ? 0 : x[0][j][i] * w[j][i],
                   more = planted && b->j_global + j == 6 ? x[0][j - 1][i] * w[j - 1][i] : 0;
      if (x_bar[0]) x_bar[0][j][i] += (HgReal)(0.3 * w[j][i + 1] + (0.5 + x[1][j][i]) * w[j][i]);
      if (x_bar[1]) x_bar[1][j][i] += (HgReal)(of_row + more);
      if (x_bar[2]) x_bar[2][j][i] += x[4][j][i] * w[j][i];
      if (x_bar[3]) x_bar[3][j][i] += 2 * x[3][j][i] * w[j][i];
      if (x_bar[4]) x_bar[4][j][i] += x[2][j][i] * w[j][i];
    }
}

static const HgStencil feed = {.name = "feed",
                               .reads = (const HgRead[]){{"u", 1, 1},
                                                         {"tide[step, j]", 0, 0},
                                                         {"top[step, i]", 0, 0},
                                                         {"w[step, 0]", 0, 0},
                                                         {"w[step, 1]", 0, 0},
                                                         {NULL, 0, 0}},
                               .writes = (const char *const[]){"u", NULL},
                               .apply = apply,
                               .tangent = tangent,
                               .adjoint = adjoint};
static const HgPhysics fed = {
    .name = "fed",
    .variables = (const HgPhysicsVariable[]){HG_VARIABLE("u", "m", HG_CENTRE),
                                             HG_VARIABLE("tide[step, j]", "1", HG_CENTRE),
                                             HG_VARIABLE("top[step, i]", "m", HG_CENTRE),
                                             HG_VARIABLE("w[step, 0]", "1", HG_CENTRE),
                                             HG_VARIABLE("w[step, 1]", "1", HG_CENTRE),
                                             {.name = NULL}},
    .stencils = (const HgStencil *const[]){&feed, NULL},
    .params_size = sizeof(Params),
    .series =
        (const HgPhysicsSeries[]){{"tide", "tide[step, j]", offsetof(Params, steps), 1, 0, 'j'},
                                  {"top", "top[step, i]", offsetof(Params, steps), 1, 0, 'i'},
                                  {"w", "w[step, 0]", offsetof(Params, steps), 2, 0, 0},
                                  {"w", "w[step, 1]", offsetof(Params, steps), 2, 1, 0},
                                  {.name = NULL}}};

static double number(int array, long step, int k) {
  return 0.1 * sin(3 * array + 1.7 * (double)step + k * k);
}

static double first(double x, double y) { return cos(x) + y; }

static PetscErrorCode create(MPI_Comm comm, Layout layout, int steps, int slots,
                             TrajectoryCase *c) {
  const HgMeshSpec spec = {
      .nx = NX, .ny = NY, .px = layout.px, .py = layout.py, .dx = 0.1, .dy = 0.1};
  PetscCall(HgMeshCreate(comm, &spec, &c->mesh));
  PetscCall(HgProgramCreatePhysics(c->mesh, &fed, &(Params){steps}, 1, &c->program));
  PetscCall(trajectory_case_begin(STEPS, slots, c));
  PetscCall(HgGivenFill(c->program, c->x, &(HgGiven){"u", .field = first}));
  for (int a = 0; a < ARRAYS; a++)
    for (int k = 0; k < steps * each[a]; k++)
      HgStateArray(c->x, HgStateFind(c->x, names[a]))[k] = number(a, k / each[a], k % each[a]);
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", STEPS, c->data, 1));
  PetscCall(HgObjectiveAddSnapshot(c->objective, "u", 3, c->data, 2));
  return trajectory_case_end(c);
}

static const struct {
  int slots, threads, leap, rows;
} cuts[] = {{1, 1, 1, 8}, {4, 2, 3, 2}, {7, 3, 7, 1}, {3, 1, 2, 4}};

static PetscErrorCode run(MPI_Comm comm, Layout layout, long cut, char text[LAYOUT_TEXT]) {
  static char first_text[LAYOUT_TEXT];
  char digest[17];
  double J;
  HgOperator op;
  HgState x_bar;
  TrajectoryCase c;
  PetscCall(set_option("-hg_threads", cuts[cut].threads));
  PetscCall(set_option("-hg_time_block", cuts[cut].leap));
  PetscCall(set_option("-hg_tile_rows", cuts[cut].rows));
  PetscCall(create(comm, layout, STEPS, cuts[cut].slots, &c));
  PetscCall(HgTrajectoryOperator(c.trajectory, &op));
  PetscCall(HgStateDuplicate(c.x, &x_bar));
  PetscCall(HgOperatorGradient(op, c.x, &J, x_bar));
  PetscCall(HgStateDigest(x_bar, NULL, digest));
  snprintf(text, LAYOUT_TEXT, "%a %s", J, digest);
  if (!*first_text) snprintf(first_text, sizeof first_text, "%s", text);
  claim_that(!strcmp(text, first_text), "cut %ld: '%s', expected '%s'", cut, text, first_text);
  PetscCall(DESTROY(&x_bar, &op));
  return trajectory_case_destroy(&c);
}

/* The step that a cell makes by itself. */
static PetscErrorCode reads_its_own(const TrajectoryCase *c) {
  const HgPatch *p = HgMeshGetPatch(c->mesh);
  HgState q, next, constants;
  int wrong = 0;
  PetscCall(HgProgramCreateCarried(c->program, &q));
  PetscCall(HgProgramCreateCarried(c->program, &next));
  PetscCall(HgProgramCreateConstants(c->program, &constants));
  PetscCall(HgProgramSplit(c->program, c->x, q, constants));
  PetscCall(HgProgramStep(c->program, 4, constants, q, next));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const double u = HgStateRow(q, 0, j)[i], tide = number(0, 4, p->j_global + j),
                   west = p->i_global + i
                              ? first(0.1 * (p->i_global + i - 1), 0.1 * (p->j_global + j))
                              : 0,
                   top = number(1, 4, p->i_global + i), w0 = number(2, 4, 0), w1 = number(2, 4, 1);
      wrong += HgStateRow(next, 0, j)[i] != 0.3 * west + (0.5 + tide) * u + w1 * top + w0 * w0;
    }
  claim_same(wrong, 0, "cells that read another number");
  claim_that(!strcmp(HgStateVariable(c->x, HgStateFind(c->x, "top"))->unit, "m"),
             "numbers have the unit of what stencils read");
  return HgStatesDestroy(&q, &next, &constants);
}

/* Against differences of fourth order, and what is left where numbers are for more steps. */
static PetscErrorCode derivatives(TrajectoryCase *c, int steps) {
  static const double at[] = {1, -1, 2, -2}, weight[] = {8, -8, -1, 1};
  const HgCheckOptions options = {.seed = 3, .dot_bound = 1e-13};
  HgFindings report;
  HgOperator op;
  HgState x_bar;
  double J, moved;
  PetscCall(HgTrajectoryOperator(c->trajectory, &op));
  PetscCall(HgExamineOperator(op, c->x, &options, &report));
  claim_that(!report.findings, "%s", first_finding(&report));
  claim_at_most(fabs(report.worst[HG_CHECK_TAYLOR] - 2), 0.1, "Taylor order");
  PetscCall(HgStateDuplicate(c->x, &x_bar));
  PetscCall(HgOperatorGradient(op, c->x, &J, x_bar));
  for (int a = 0; a < ARRAYS; a++)
    for (int k = 0; k < steps * each[a]; k += 13) {
      const int v = HgStateFind(c->x, names[a]);
      const double was = HgStateArray(c->x, v)[k], e = 1e-3;
      double slope = 0;
      for (int d = 0; d < 4; d++) {
        HgStateArray(c->x, v)[k] = was + at[d] * e;
        PetscCall(HgTrajectoryValue(c->trajectory, c->x, &moved));
        slope += weight[d] * moved / (12 * e);
      }
      HgStateArray(c->x, v)[k] = was;
      claim_at_most(fabs(slope - HgStateArray(x_bar, v)[k]), 1e-9 * J, "number %d of '%s'", k,
                    names[a]);
      if (k >= STEPS * each[a]) claim_same(HgStateArray(x_bar, v)[k], 0, "beyond the last step");
    }
  return DESTROY(&x_bar, &op);
}

static PetscErrorCode doctor(TrajectoryCase *c) {
  HgFindings r;
  PetscCall(examine_trajectory(c->trajectory, c->x, &r));
  claim_that(!r.findings, "the doctor: %s", first_finding(&r));
  planted = true;
  PetscCall(examine_trajectory(c->trajectory, c->x, &r));
  claim_that(r.findings && !strcmp(r.finding[0].part, "feed") &&
                 !strcmp(r.finding[0].read, "tide[step, j]"),
             "a planted fault: %s", first_finding(&r));
  planted = false;
  return 0;
}

/* A copy of numbers that differs on one rank. */
static PetscErrorCode differ(TrajectoryCase *c) {
  double *const first = HgStateArray(c->x, HgStateFind(c->x, "w")), J;
  if (claim.ranks == 1) return 0;
  first[3] += claim.rank == 1;
  REFUSED(HgTrajectoryValue(c->trajectory, c->x, &J), "a rank has 'w' with the digest", "give all");
  first[3] -= claim.rank == 1;
  return 0;
}

static double along(double t, double s) { return t + 100 * s; }

static PetscErrorCode given(TrajectoryCase *c) {
  for (int a = 0; a < ARRAYS; a++)
    PetscCall(HgGivenFill(c->program, c->x, &(HgGiven){names[a], .along = along}));
  for (int a = 0; a < ARRAYS; a++)
    claim_at_most(fabs(HgStateArray(c->x, HgStateFind(c->x, names[a]))[3 * each[a] + 1] -
                       (3 + 100 * (a < 2 ? 0.1 : 1))),
                  1e-14, "number 1 of step 3 of '%s'", names[a]);
  REFUSED(HgGivenFill(c->program, c->x, &(HgGiven){"u", .along = along}), "given 'u'", ".along");
  REFUSED(HgGivenFill(c->program, c->x, &(HgGiven){"w", .time = fabs, .along = along}),
          "given 'w': it has 2 of .value, .field, .volume, .time and .along, expected one");
  return 0;
}

/* A table that says no more than which array is which field has one number a step. */
static PetscErrorCode one_each(HgMesh mesh) {
  const size_t steps = offsetof(Params, steps);
  HgPhysics plain = fed;
  HgProgram program;
  plain.series = (const HgPhysicsSeries[]){{"a", "tide[step, j]", steps},
                                           {"b", "top[step, i]", steps},
                                           {"c", "w[step, 0]", steps},
                                           {"d", "w[step, 1]", steps},
                                           {.name = NULL}};
  PetscCall(HgProgramCreatePhysics(mesh, &plain, &(Params){STEPS}, 1, &program));
  claim_same(HgProgramEachStep(program, "c", NULL), 1, "numbers a step");
  PetscCall(HgProgramDestroy(&program));
  plain.series = (const HgPhysicsSeries[]){{"w", "w[step, 1]", steps, 2, 2}, {.name = NULL}};
  REFUSED(HgProgramCreatePhysics(mesh, &plain, &(Params){STEPS}, 1, &program),
          "'w[step, 1]' is number 2 of 'w', which has 2 a step");
  return 0;
}

static PetscErrorCode test(void) {
  static const char *const options[] = {"-hg_threads", "-hg_time_block", "-hg_tile_rows"};
  TrajectoryCase c;
  HgProgram none;
  for (size_t cut = 0; cut < sizeof cuts / sizeof *cuts; cut++)
    PetscCall(expect_same_on_layouts("numbers by step", run, (long)cut));
  for (size_t k = 0; k < sizeof options / sizeof *options; k++)
    PetscCall(PetscOptionsClearValue(NULL, options[k]));
  for (int more = 0; more <= 2; more += 2) {
    PetscCall(create(PETSC_COMM_WORLD, (Layout){0, 0}, STEPS + more, 3, &c));
    PetscCall(reads_its_own(&c));
    PetscCall(derivatives(&c, STEPS + more));
    if (more) {
      PetscCall(doctor(&c));
      PetscCall(differ(&c));
      PetscCall(given(&c));
      PetscCall(one_each(c.mesh));
      REFUSED(HgProgramCreatePhysics(c.mesh, &fed, &(Params){0}, 1, &none),
              "'tide' has numbers for 0 steps, 17 a step, expected one step or more");
    }
    PetscCall(trajectory_case_destroy(&c));
  }
  return 0;
}

CLAIM("numbers by step are read, and summed in the gradient", 0, test)
