/* SPDX-License-Identifier: BSD-2-Clause */
#include "learning.h"
#include <halograd/file.h>
#include <math.h>
#include <string.h>

const char *const learning_names[] = {"lbfgs", "sync", "async", "all"};

PetscErrorCode LearningOptions(HgRun run, Learning *l) {
  static const char *const rules[] = {"momentum", "adam"};
  HgOptions o = HgRunOptions(run);
  int rule = l->step.rule;
  PetscCall(HgOptionsGroup(o, "Learning"));
  PetscCall(HgOptionsChoice(
      o, "-method",
      "L-BFGS, synchronous or asynchronous mini-batches, or all three one after another",
      LEARN_WAYS + 1, learning_names, &l->way));
  PetscCall(HgOptionsInt(o, "-batch", "experiments in a mini-batch", "", 1, 1 << 16, &l->batch));
  PetscCall(
      HgOptionsInt(o, "-epochs", "how often each experiment is used", "", 1, 1 << 20, &l->epochs));
  PetscCall(HgOptionsChoice(o, "-rule", "rule of a step", 2, rules, &rule));
  l->step.rule = (HgStochasticRule)rule;
  if (l->step.rule == HG_MOMENTUM) l->step.rate = 1e-8; /* it does not scale the gradient */
  PetscCall(HgOptionsReal(o, "-rate", "learning rate", "", "(0, inf)", &l->step.rate));
  PetscCall(HgOptionsReal(o, "-decay", "decay of the learning rate: rate / (1 + decay n) in step n",
                          "", "[0, inf)", &l->step.decay));
  PetscCall(HgOptionsReal(o, "-momentum", "fraction of the last step that the next one keeps", "",
                          "[0, 1)", &l->step.first));
  PetscCall(HgOptionsInt(o, "-max_staleness",
                         "largest number of updates by which a gradient may lag behind (-1: any)",
                         "", HG_UNBOUNDED, 1 << 20, &l->max_staleness));
  PetscCall(HgOptionsReal(o, "-patience", "time to wait for a worker's gradient", "s", "(0, inf)",
                          &l->patience));
  return HgRunInverse(run, &l->inverse);
}

/* Are there a server and a worker? */
static bool serves(const Learning *l) { return HgExperimentsGroup(l->all)->count > 1; }

PetscErrorCode LearningCheck(HgRun run, const Learning *l) {
  static const char *const of_lbfgs[] = {"-iterations", "-tolerance", "-precondition", NULL},
                           *const of_steps[] = {"-batch",         "-epochs",   "-rule",
                                                "-rate",          "-decay",    "-momentum",
                                                "-max_staleness", "-patience", NULL},
                           *const of_workers[] = {"-max_staleness", "-patience", NULL};
  const bool steps = l->way == LEARN_SYNC || l->way == LEARN_ASYNC;
  char with[32];
  HgRequire(PETSC_COMM_WORLD, !steps || !HgOptionsGiven(HgRunOptions(run), "-resume"),
            HG_ERR_OPTION_CONFLICT,
            "option -resume: given with -method %s, expected lbfgs or all, of which L-BFGS goes on",
            learning_names[l->way]);
  snprintf(with, sizeof with, "with -method %s", learning_names[l->way]);
  if (steps) PetscCall(HgOptionsRefuse(HgRunOptions(run), with, of_lbfgs));
  if (l->way == LEARN_LBFGS) PetscCall(HgOptionsRefuse(HgRunOptions(run), with, of_steps));
  if (l->way == LEARN_SYNC) PetscCall(HgOptionsRefuse(HgRunOptions(run), with, of_workers));
  if (!serves(l))
    PetscCall(HgOptionsRefuse(HgRunOptions(run), "with one group of ranks", of_workers));
  HgRequire(PETSC_COMM_WORLD, l->batch <= l->experiments, HG_ERR_OPTION_RANGE,
            "option -batch: %d experiments in a mini-batch, expected at most %d, as many as there "
            "are",
            l->batch, l->experiments);
  HgRequire(
      PETSC_COMM_WORLD, serves(l) || l->way != LEARN_ASYNC, HG_ERR_OPTION_RANGE,
      "option -method async: one group of ranks, expected at least two, a server and a worker");
  return 0;
}

static PetscErrorCode make_room(LearningCurve *c, int points) {
  double **const numbers[] = {&c->evaluations, &c->seconds, &c->J, &c->above};
  if (points <= c->room) return 0;
  c->room = PetscMax(points, 2 * c->room);
  for (int k = 0; k < 4; k++)
    PetscCall(PetscRealloc(sizeof **numbers[k] * (size_t)c->room, numbers[k]));
  return PetscRealloc(sizeof *c->m * (size_t)c->room, &c->m);
}

/* One more point of the curve; `J`: what is known of the loss, for the reader. */
static PetscErrorCode record(LearningWay way, LearningCurve *c, double evaluations, double seconds,
                             double J, HgState m) {
  PetscCall(make_room(c, c->count + 1));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-6s %8.0f %9.2f s %13.6e\n", learning_names[way],
                        evaluations, seconds, J));
  c->evaluations[c->count] = evaluations, c->seconds[c->count] = seconds;
  PetscCall(HgStateDuplicate(m, &c->m[c->count]));
  return HgStateCopy(m, c->m[c->count++]);
}

static long steps_in_epoch(const Learning *l) { return l->experiments / l->batch; }

/* Points are kept once an epoch; of more epochs than a picture can show, at even distances. */
static bool worth_recording(const Learning *l, long n) {
  enum { SHOWN = 510 };

  const long every = steps_in_epoch(l) * (l->epochs / SHOWN + 1);
  return n % every == 0 || n == steps_in_epoch(l) * l->epochs;
}

static PetscErrorCode start_steps(Learning *l, HgState m) {
  l->step.control = l->control, l->step.lower = l->lowest, l->step.upper = l->highest;
  return HgStochasticCreate(m, &l->step, &l->stochastic);
}

static PetscErrorCode check_finite(MPI_Comm comm, long n, double J) {
  HgRequire(comm, isfinite(J), HG_ERR_INVERSION_FAILED,
            "learning: J is %g in step %ld, expected a finite number; a smaller -rate may help", J,
            n);
  return 0;
}

static PetscErrorCode run_sync(Learning *l, HgState m) {
  const long steps = steps_in_epoch(l) * l->epochs;
  const double start = MPI_Wtime();
  HgState gradient;
  double J;
  PetscCall(start_steps(l, m));
  PetscCall(HgStateDuplicate(m, &gradient));
  for (long n = 0; n < steps; n++) {
    PetscCall(HgExperimentsDraw(l->all, l->batch, l->seed, n));
    PetscCall(HgOperatorGradient(l->J, m, &J, gradient));
    PetscCall(check_finite(HgExperimentsGroup(l->all)->comm, n, J));
    if (n == 0) PetscCall(record(LEARN_SYNC, &l->curve[LEARN_SYNC], 0, 0, J, m));
    PetscCall(HgStochasticStep(l->stochastic, gradient, m));
    if (worth_recording(l, n + 1))
      PetscCall(record(LEARN_SYNC, &l->curve[LEARN_SYNC], (double)(n + 1) * l->batch,
                       MPI_Wtime() - start, J, m));
  }
  PetscCall(HgExperimentsDraw(l->all, 0, 0, 0));
  return HgStateDestroy(&gradient);
}

/* ---- asynchronous: by workers, by the server ---- */
static PetscErrorCode work(long ticket, HgState m, double *J, HgState gradient, void *context) {
  const Learning *l = context;
  PetscCall(HgExperimentsDraw(l->alone, l->batch, l->seed, ticket));
  return HgOperatorGradient(l->own, m, J, gradient);
}

static PetscErrorCode update(const HgUpdate *u, HgState gradient, HgState m, void *context) {
  Learning *l = context;
  LearningCurve *c = &l->curve[LEARN_ASYNC];
  const size_t used = strlen(l->log);
  PetscCall(check_finite(HgExperimentsGroup(l->all)->comm, u->number, u->J));
  snprintf(l->log + used, l->log_size - used, "%ld,%ld,%d,%ld,%.17g,%.6f\n", u->number, u->ticket,
           u->worker, u->staleness, u->J, u->seconds);
  if (u->number == 1) PetscCall(record(LEARN_ASYNC, c, 0, 0, u->J, m));
  PetscCall(HgStochasticStep(l->stochastic, gradient, m));
  if (worth_recording(l, u->number))
    PetscCall(record(LEARN_ASYNC, c, (double)u->number * l->batch, u->seconds, u->J, m));
  return 0;
}

static PetscErrorCode lost(int workers, HgState m, void *context) {
  const Learning *l = context;
  (void)workers;
  return l->keep(l, m);
}

/* The curve of the server for all groups. */
static PetscErrorCode share(const Learning *l, LearningCurve *c, HgState m) {
  const MPI_Comm across = HgExperimentsGroup(l->all)->across;
  const bool server = HgExperimentsGroup(l->all)->number == 0;
  const size_t length = HgStateLength(m);
  double *packed;
  PetscCall(PetscMalloc1(length, &packed));
  PetscCallMPI(MPI_Bcast(&c->count, 1, MPI_INT, 0, across));
  PetscCall(make_room(c, c->count));
  PetscCallMPI(MPI_Bcast(c->evaluations, c->count, MPI_DOUBLE, 0, across));
  PetscCallMPI(MPI_Bcast(c->seconds, c->count, MPI_DOUBLE, 0, across));
  for (int k = 0; k < c->count; k++) {
    if (!server) PetscCall(HgStateDuplicate(m, &c->m[k]));
    HgStatePack(c->m[k], packed);
    PetscCallMPI(MPI_Bcast(packed, (int)length, MPI_DOUBLE, 0, across));
    HgStateUnpack(packed, c->m[k]);
  }
  return PetscFree(packed);
}

static PetscErrorCode run_async(Learning *l, HgState m) {
  static const char header[] = "update,mini_batch,worker,staleness,J,seconds\n";
  const long updates = steps_in_epoch(l) * l->epochs;
  const HgServerSpec spec = {updates, l->max_staleness, l->patience};
  HgServerReport report;
  const HgServerTable table = {work, update, lost, l};
  l->log_size = (size_t)(updates + 1) * 128;
  PetscCall(PetscCalloc1(l->log_size, &l->log));
  PetscCall(PetscStrcpy(l->log, header));
  PetscCall(start_steps(l, m));
  PetscCall(HgServerRun(l->all, &spec, &table, m, &report));
  PetscCall(HgExperimentsDraw(l->alone, 0, 0, 0));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "async: %ld updates, staleness at most %ld\n", updates,
                        report.staleness));
  return share(l, &l->curve[LEARN_ASYNC], m);
}

/* ---- L-BFGS ---- */
typedef struct {
  HgRun run;
  Learning *learning;
} Watch;

static PetscErrorCode watch(const HgIterate *it, HgState m, void *context) {
  const Watch *w = context;
  if (it->iteration == 0) PetscCall(HgOptionsCheckUnused(HgRunOptions(w->run)));
  return record(LEARN_LBFGS, &w->learning->curve[LEARN_LBFGS],
                (double)(it->iteration ? it->evaluations : 0) * w->learning->experiments,
                it->iteration ? it->seconds : 0, it->J, m);
}

static PetscErrorCode run_lbfgs(HgRun run, Learning *l, HgState m) {
  Watch w = {run, l};
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  PetscCall(HgInversionCreate(l->J, &inversion));
  PetscCall(HgInversionSetBounds(inversion, l->control, l->lowest, l->highest, 1));
  PetscCall(HgInversionSetRules(inversion,
                                &(HgInversionRules){.tolerance = l->inverse.tolerance,
                                                    .iterations = l->inverse.iterations,
                                                    .preconditioned = l->inverse.precondition}));
  PetscCall(HgInversionSetPart(inversion, l->R));
  PetscCall(HgInversionSetMonitor(inversion, watch, &w));
  PetscCall(HgRunResume(run, inversion));
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "lbfgs: %s after %d iterations\n", reason, last.iteration));
  PetscCall(HgRunEnded(run, &last, reason));
  return HgInversionDestroy(&inversion);
}

PetscErrorCode LearningRun(HgRun run, LearningWay way, Learning *l, HgState m) {
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-6s %8s %11s %13s\n", "method", "experim.", "elapsed",
                        way == LEARN_LBFGS ? "J" : "J of batch"));
  if (way == LEARN_LBFGS) PetscCall(run_lbfgs(run, l, m));
  else PetscCall(HgOptionsCheckUnused(HgRunOptions(run)));
  if (way == LEARN_SYNC) PetscCall(run_sync(l, m));
  if (way == LEARN_ASYNC) PetscCall(run_async(l, m));
  return HgStochasticDestroy(&l->stochastic);
}

PetscErrorCode LearningLosses(HgRun run, LearningWay way, Learning *l) {
  LearningCurve *c = &l->curve[way];
  char key[64];
  HgState J;
  PetscCall(HgOperatorCreateOutput(l->J, &J));
  for (int k = 0; k < c->count; k++) {
    PetscCall(HgOperatorApply(l->J, c->m[k], J));
    c->J[k] = HgStateArray(J, 0)[0];
  }
  PetscCall(HgStateDestroy(&J));
  if (!c->count) return 0;
  const double *const columns[] = {c->evaluations, c->seconds, c->J};
  for (int k = 0; k < 3; k++) {
    snprintf(key, sizeof key, "%s.%s", learning_names[way],
             (const char *[]){"evaluations", "seconds", "J"}[k]);
    PetscCall(HgReportSetReals(HgRunReport(run), key, c->count, columns[k]));
  }
  const int last = c->count - 1;
  return PetscPrintf(PETSC_COMM_WORLD, "%s: J %.6e -> %.6e with %.0f gradients, %.2f s\n",
                     learning_names[way], c->J[0], c->J[last], c->evaluations[last],
                     c->seconds[last]);
}

PetscErrorCode LearningBest(HgRun run, Learning *l, HgState guess, HgState best) {
  double J = INFINITY;
  HgState m;
  PetscCall(HgStateDuplicate(guess, &m));
  for (int way = 0; way < LEARN_WAYS; way++) {
    if (l->way != way && l->way != LEARN_WAYS) continue;
    if (way == LEARN_ASYNC && !serves(l)) {
      PetscCall(
          PetscPrintf(PETSC_COMM_WORLD, "async: left out, as it needs two groups of ranks\n"));
      continue;
    }
    PetscCall(HgStateCopy(guess, m));
    PetscCall(LearningRun(run, (LearningWay)way, l, m));
    PetscCall(LearningLosses(run, (LearningWay)way, l));
    const LearningCurve *curve = &l->curve[way];
    if (curve->J[curve->count - 1] >= J) continue;
    J = curve->J[curve->count - 1];
    PetscCall(HgStateCopy(m, best));
  }
  return HgStateDestroy(&m);
}

int LearningCurves(Learning *l, HgCurve by_seconds[LEARN_WAYS], HgCurve by_gradients[LEARN_WAYS]) {
  int count = 0;
  double lowest = INFINITY;
  for (int way = 0; way < LEARN_WAYS; way++)
    for (int k = 0; k < l->curve[way].count; k++) lowest = fmin(lowest, l->curve[way].J[k]);
  for (int way = 0; way < LEARN_WAYS; way++) {
    LearningCurve *c = &l->curve[way];
    if (!c->count) continue;
    for (int k = 0; k < c->count; k++) c->above[k] = c->J[k] - lowest;
    by_seconds[count] =
        (HgCurve){.label = learning_names[way], .count = c->count, .x = c->seconds, .y = c->above};
    by_gradients[count++] = (HgCurve){
        .label = learning_names[way], .count = c->count, .x = c->evaluations, .y = c->above};
  }
  return count;
}

PetscErrorCode LearningLog(const Learning *l, const char directory[]) {
  char path[HG_PATH_SIZE + 16];
  if (!l->log || HgExperimentsGroup(l->all)->number) return 0;
  snprintf(path, sizeof path, "%s/updates.csv", directory);
  return HgFileWrite(HgExperimentsGroup(l->all)->comm, path, l->log, strlen(l->log));
}

PetscErrorCode LearningDestroy(Learning *l) {
  for (int way = 0; way < LEARN_WAYS; way++) {
    LearningCurve *c = &l->curve[way];
    for (int k = 0; k < c->count; k++) PetscCall(HgStateDestroy(&c->m[k]));
    PetscCall(PetscFree(c->evaluations));
    PetscCall(PetscFree(c->seconds));
    PetscCall(PetscFree(c->J));
    PetscCall(PetscFree(c->above));
    PetscCall(PetscFree(c->m));
  }
  return PetscFree(l->log);
}
