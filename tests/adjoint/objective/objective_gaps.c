/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: sensors with times of their own, as terms of their own or as one table with gaps, give the
   same bits of J and its gradient, and predict the same where there are values. */
#include "heat_case.h"
#include "same_bits.h"
#include <halograd/objective_library.h>

enum { FEW = 3, MANY = 4, ALL = FEW + MANY };

static const double early[FEW] = {0.07, 0.31, 0.77}, late[MANY] = {0, 0.31, 0.55, 1};

static double value_of(int sensor, double time) { return 0.3 * sensor - time; }

/* Sensors first .. last - 1 of seven at `times` (fractions of the run). */
static PetscErrorCode table(const HeatCase *c, double end, int first, int last, int times,
                            const double time[], HgObservations **o) {
  PetscCall(HgObservationsCreate(HgMeshComm(c->mesh), "u", "K", times, last - first, o));
  for (int k = first; k < last; k++) (*o)->x[k - first] = 0.1 + 0.12 * k;
  for (int k = first; k < last; k++) (*o)->y[k - first] = 0.7 - 0.09 * k;
  for (int n = 0; n < times; n++) (*o)->time[n] = end * time[n];
  for (int n = 0; n < times; n++)
    for (int k = first; k < last; k++) {
      (*o)->value[n * (last - first) + k - first] = value_of(k, time[n]);
      (*o)->sigma[n * (last - first) + k - first] = 0.1 + 0.01 * k;
    }
  return 0;
}

/* The two tables in one, with gaps. */
static PetscErrorCode joined(const HeatCase *c, double end, HgObservations **o) {
  static const double time[] = {0, 0.07, 0.31, 0.55, 0.77, 1};
  static const bool is_early[] = {false, true, true, false, true, false},
                    is_late[] = {true, false, true, true, false, true};
  PetscCall(table(c, end, 0, ALL, 6, time, o));
  for (int n = 0; n < 6; n++)
    for (int k = 0; k < ALL; k++)
      if (!(k < FEW ? is_early : is_late)[n])
        (*o)->value[n * ALL + k] = 0, (*o)->sigma[n * ALL + k] = INFINITY;
  return 0;
}

static PetscErrorCode gradient(HeatCase *c, const HeatSpec *s, HgObjective objective, double *J,
                               char digest[17]) {
  HgTrajectory trajectory;
  HgOperator op;
  HgState g;
  PetscCall(HgTrajectoryCreate(c->program, s->steps, objective, c->store, &trajectory));
  PetscCall(HgTrajectoryOperator(trajectory, &op));
  PetscCall(HgOperatorCreateInput(op, &g));
  PetscCall(HgOperatorGradient(op, c->x, J, g));
  PetscCall(HgStateDigest(g, NULL, digest));
  return DESTROY(&g, &op, &trajectory);
}

static PetscErrorCode run_on(MPI_Comm comm, Layout l, long seed, char text[LAYOUT_TEXT]) {
  const HeatSpec s = {.nx = 37,
                      .ny = 29,
                      .px = l.px,
                      .py = l.py,
                      .steps = 20,
                      .walls = seed ? WALLS_PERIODIC : WALLS_MIXED,
                      .slots = 4};
  HeatCase c;
  HgObjective terms, gaps;
  HgObservations *few, *many, *all;
  double J[2], seen_few[FEW * FEW], seen_many[MANY * MANY], seen[6 * ALL];
  char digest[2][17];
  PetscCall(heat_create(comm, &s, &c));
  const double end = (double)s.steps * HgProgramTimeStep(c.program);
  PetscCall(table(&c, end, 0, FEW, FEW, early, &few));
  PetscCall(table(&c, end, FEW, ALL, MANY, late, &many));
  PetscCall(joined(&c, end, &all));
  PetscCall(HgObjectiveCreate(c.program, s.steps, &terms));
  PetscCall(HgObjectiveAddSensors(terms, few));
  PetscCall(HgObjectiveAddSensors(terms, many));
  PetscCall(HgObjectiveCreate(c.program, s.steps, &gaps));
  PetscCall(HgObjectiveAddSensors(gaps, all));
  PetscCall(gradient(&c, &s, terms, &J[0], digest[0]));
  PetscCall(gradient(&c, &s, gaps, &J[1], digest[1]));
  PetscCall(HgObjectivePredicted(terms, 0, seen_few));
  PetscCall(HgObjectivePredicted(terms, 1, seen_many));
  PetscCall(HgObjectivePredicted(gaps, 0, seen));
  claim_same(HgObjectiveCount(terms), FEW * FEW + MANY * MANY, "count of two terms");
  claim_same(HgObjectiveCount(gaps), FEW * FEW + MANY * MANY, "count of one term with gaps");
  claim_same(J[1], J[0], "J with gaps, layout %d x %d", l.px, l.py);
  claim_that(!strcmp(digest[0], digest[1]), "gradient with gaps has digest %s, expected %s",
             digest[1], digest[0]);
  for (int n = 0, row_few = 0, row_many = 0; n < 6; n++) {
    for (int k = 0; k < ALL; k++) {
      const bool is_few = k < FEW;
      if (isinf(all->sigma[n * ALL + k])) continue;
      claim_same(seen[n * ALL + k],
                 is_few ? seen_few[row_few * FEW + k] : seen_many[row_many * MANY + k - FEW],
                 "prediction of sensor %d at time %d", k, n);
    }
    row_few += !isinf(all->sigma[n * ALL]);
    row_many += !isinf(all->sigma[n * ALL + FEW]);
  }
  snprintf(text, LAYOUT_TEXT, "%a %s", J[0], digest[0]);
  PetscCall(DESTROY(&few, &many, &all, &terms, &gaps));
  return heat_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  claim_begin("terms and gaps give the same bits", 0);
  for (long seed = 0; !ierr && seed < 2; seed++)
    ierr = expect_same_on_layouts("J and gradient", run_on, seed);
  return claim_end(ierr);
}
