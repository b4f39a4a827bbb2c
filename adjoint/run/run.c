#include <halograd/cache_library.h>
#include <halograd/file.h>
#include <halograd/run_library.h>
#include <halograd/run_store_library.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double most_steps = 1e9;

/* What a problem of the run seeks. */
typedef struct {
  const void *problem;
  HgProgram program;
  char variable[32];
} Sought;

struct HgRun_s {
  char name[64], description[128];
  HgOptions options;
  HgReport report;
  HgExperiments experiments;
  HgRunStore stores;
  HgOperator regularisation;
  HgProgram checked; /* NULL: none was */
  uint64_t active;   /* its variables that were active then */
  HgState R;
  double start;
  HgRunRestart restart;
  HgRunStages stages;
  HgRunIterates iterates;
  char output[HG_PATH_SIZE];
  int seeks;
  Sought *sought; /* by its problems */
  HgRunRecord record;
  HgRunPlan plan;
  HgRunDoctorWatch doctor;
};

static const MPI_Comm *world(void) { return &PETSC_COMM_WORLD; }

PetscErrorCode HgRunCreate(const char name[], const char description[], HgRun *run) {
  HgRun r;
  PetscCall(PetscNew(&r));
  PetscCall(PetscStrncpy(r->name, name, sizeof r->name));
  PetscCall(PetscStrncpy(r->description, description, sizeof r->description));
  PetscCall(HgOptionsCreate(*world(), name, description, &r->options));
  PetscCall(HgReportCreate(*world(), name, &r->report));
  PetscCall(HgRunRecordCreate(r->name, &r->record));
  PetscCall(HgRunPlanCreate(r->report, &r->plan));
  PetscCall(HgRunDoctorCreate(r, r->output, &r->doctor));
  PetscCall(HgRunRestartCreate(&r->restart));
  PetscCall(HgRunStagesCreate(&r->stages));
  PetscCall(HgRunIteratesCreate(&r->iterates));
  r->start = MPI_Wtime();
  *run = r;
  return 0;
}

PetscErrorCode HgRunDestroy(HgRun *run) {
  HgRun r = *run;
  *run = NULL;
  if (!r) return 0;
  PetscCall(HgRunRestartDestroy(&r->restart));
  PetscCall(HgRunRecordDestroy(&r->record));
  PetscCall(HgRunPlanDestroy(&r->plan));
  PetscCall(HgRunDoctorDestroy(&r->doctor));
  PetscCall(HgReportDestroy(&r->report));
  PetscCall(HgRunStoresDestroy(&r->stores));
  PetscCall(HgStateDestroy(&r->R));
  PetscCall(HgOperatorDestroy(&r->regularisation));
  PetscCall(HgRunIteratesDestroy(&r->iterates));
  PetscCall(HgRunStagesDestroy(&r->stages));
  PetscCall(PetscFree(r->sought));
  PetscCall(HgExperimentsDestroy(&r->experiments));
  return PetscFree(r);
}

const char *HgRunName(HgRun run) { return run->name; }

const char *HgRunDescription(HgRun run) { return run->description; }

HgOptions HgRunOptions(HgRun run) { return run->options; }

HgReport HgRunReport(HgRun run) { return run->report; }

HgRunRecord HgRunRecords(HgRun run) { return run->record; }

HgRunDoctorWatch HgRunDoctors(HgRun run) { return run->doctor; }

PetscErrorCode HgRunReverses(HgRun run, bool *reverses) {
  return HgRunRecordReverses(run->record, reverses);
}

void HgRunPause(HgRun run, bool pause) {
  HgRunRecordPause(run->record, pause);
  HgRunRestartPause(run->restart, pause);
  HgRunPlanPause(run->plan, pause);
}

PetscErrorCode HgRunExperiments(HgRun run, int count, int groups, HgExperiments *experiments) {
  PetscCall(HgExperimentsCreate(*world(), count, groups, &run->experiments));
  *experiments = run->experiments;
  return 0;
}

PetscErrorCode HgRunSeek(HgRun run, const void *problem, HgProgram program, const char variable[]) {
  PetscCall(PetscRealloc(sizeof *run->sought * (size_t)(run->seeks + 1), &run->sought));
  Sought *s = &run->sought[run->seeks++];
  s->problem = problem, s->program = program;
  return PetscStrncpy(s->variable, variable, sizeof s->variable);
}

void HgRunForget(HgRun run, const void *problem, HgProgram program) {
  if (run->checked == program) run->checked = NULL;
  for (int k = run->seeks - 1; k >= 0; k--)
    if (run->sought[k].problem == problem) run->sought[k] = run->sought[--run->seeks];
}

bool HgRunSeeks(HgRun run, HgProgram program, const char variable[]) {
  for (int k = 0; k < run->seeks; k++) {
    const Sought *s = &run->sought[k];
    if (s->program == program && (!s->variable[0] || !strcmp(s->variable, variable))) return true;
  }
  return false;
}

MPI_Comm HgRunComm(HgRun run) {
  return run->experiments ? HgExperimentsComm(run->experiments) : *world();
}

/* What is wrong with the directory is said before a long computation. */
static PetscErrorCode open_output(const char directory[]) {
  char path[HG_PATH_SIZE + 16];
  PetscCall(HgDirectoryCreate(*world(), directory));
  PetscCall(HgDirectoryLock(*world(), directory));
  PetscCall(HgStoreSweep(*world(), directory));
  snprintf(path, sizeof path, "%s/run.json", directory);
  return HgFileRemove(*world(), path);
}

PetscErrorCode HgRunCommon(HgRun run, HgCommon *c, bool *stop) {
  HgOptions o = run->options;
  if (!c->output[0]) snprintf(c->output, sizeof c->output, "output/%s", run->name);
  PetscCall(HgOptionsGroup(o, "Grid and patches"));
  PetscCall(HgOptionsInt(o, "-nx", "cells along x", "", 1, 1 << 20, &c->nx));
  PetscCall(HgOptionsInt(o, "-ny", "cells along y", "", 1, 1 << 20, &c->ny));
  PetscCall(HgOptionsInt(o, "-px", "patches along x (0: chosen)", "", 0, 1 << 20, &c->px));
  PetscCall(HgOptionsInt(o, "-py", "patches along y (0: chosen)", "", 0, 1 << 20, &c->py));
  PetscCall(HgOptionsGroup(o, "Time"));
  PetscCall(HgOptionsLong(o, "-steps",
                          c->steps ? "time steps" : "time steps (not given: from the final time)",
                          "", 1, (long)most_steps, &c->steps));
  PetscCall(HgOptionsReal(
      o, "-dt", c->dt > 0 ? "time step" : "time step (not given: from the stability limit)", "s",
      "(0, inf)", &c->dt));
  PetscCall(HgRunStoreDeclare(o, c));
  PetscCall(HgOptionsGroup(o, "Files and checks"));
  PetscCall(HgOptionsPath(o, "-observations", "HDF5 file of sensors", sizeof c->observations,
                          c->observations));
  PetscCall(HgOptionsPath(o, "-output", "directory of results, picture, run.json", sizeof c->output,
                          c->output));
  PetscCall(HgOptionsFlag(o, "-check", "check the application's own operators first", &c->check));
  PetscCall(HgOptionsFlag(o, "-doctor", "examine the gradient of the run step by step first",
                          &c->doctor));
  PetscCall(
      HgOptionsFlag(o, "-digest", "print J and digests of gradient and final state", &c->digest));
  PetscCall(HgRunRecordDeclare(run->record, o));
  PetscCall(HgCacheDeclare(o));
  PetscCall(HgOptionsEnd(o, stop));
  if (!*stop) PetscCall(HgRunStoreCheck(o, c));
  PetscCall(PetscStrncpy(run->output, c->output, sizeof run->output));
  HgRunDoctorAsk(run->doctor, c->doctor);
  const char *const whole = c->doctor                          ? "-doctor"
                            : c->check                         ? "-check"
                            : HgRunRestartWanted(run->restart) ? "-resume"
                                                               : NULL;
  if (HgRunRestartWanted(run->restart)) HgRunRecordValues(run->record, HG_RUN_VALUES_NEVER);
  if (!*stop) PetscCall(HgRunRecordBegin(run->record, o, whole, c->digest, c->output, stop));
  return *stop ? 0 : open_output(c->output);
}

PetscErrorCode HgRunInverse(HgRun run, HgInverse *v) {
  HgOptions o = run->options;
  PetscCall(HgOptionsGroup(o, "Inversion (exit status 2: it failed, 3: nothing to do, else 0)"));
  PetscCall(
      HgOptionsReal(o, "-tikhonov", "weight of |m - m_0|^2 / 2", "", "[0, inf)", &v->tikhonov));
  PetscCall(HgOptionsReal(o, "-h1", "weight of |grad m|^2 / 2", "", "[0, inf)", &v->h1));
  PetscCall(
      HgOptionsReal(o, "-tolerance", "of |g| over the first one", "", "[0, 1)", &v->tolerance));
  PetscCall(HgOptionsInt(o, "-iterations", "at most", "", 0, 1000000, &v->iterations));
  return HgRunRestartDeclare(run->restart, o);
}

PetscErrorCode HgRunStart(const char name[], const char description[], HgCommon *common,
                          HgInverse *inverse, HgRun *run) {
  bool stop;
  PetscCall(HgRunCreate(name, description, run));
  PetscCall(HgRunInverse(*run, inverse));
  PetscCall(HgRunCommon(*run, common, &stop));
  if (!stop) return 0;

  PetscCall(HgRunDestroy(run));
  return HG_ENDED;
}

/* A limit as it is printed, in six digits: what is given back must not be above it. */
static double round_down(double limit) { return limit * (1 - 5e-6); }

PetscErrorCode HgRunTimeStep(HgRun run, double final_time, double largest, HgCommon *c) {
  const bool steps_given = HgOptionsGiven(run->options, "-steps"),
             dt_given = HgOptionsGiven(run->options, "-dt");
  if (dt_given) {
    HgRequire(
        *world(), c->dt <= largest * (1 + 1e-12),
        "option -dt: %g s is beyond the stability limit, expected at most %.6g s for this grid",
        c->dt, round_down(largest));
    const double steps = ceil(final_time / c->dt * (1 - 1e-12));
    HgRequire(*world(), steps_given || steps <= most_steps,
              "option -dt: %g s would need %g steps, expected at most %g", c->dt, steps,
              most_steps);
    if (!steps_given) c->steps = (long)steps;
  } else {
    const double steps = ceil(final_time / largest);
    HgRequire(*world(), steps <= most_steps,
              "options -nx %d -ny %d: the stability limit of %.6g s means %g steps to %g s, "
              "expected at most %g",
              c->nx, c->ny, round_down(largest), steps, final_time, most_steps);
    if (!steps_given) c->steps = (long)steps;
    c->dt = final_time / (double)c->steps;
    HgRequire(*world(), c->dt <= largest * (1 + 1e-12),
              "option -steps: %ld steps of %g s are beyond the stability limit of %.6g s, expected "
              "at least %ld steps",
              c->steps, c->dt, round_down(largest), (long)steps);
  }
  return 0;
}

PetscErrorCode HgRunOwnTimeStep(double largest, const HgCommon *c) {
  HgRequire(*world(), c->dt <= largest * (1 + 1e-12),
            "option -dt: %g s is beyond the stability limit, expected at most %.6g s for this grid",
            c->dt, round_down(largest));
  return 0;
}

/* Groups of ranks have a folder each. */
static PetscErrorCode keep_gradients(HgRun run, HgTrajectory trajectory) {
  const bool groups = run->experiments && HgExperimentsGroups(run->experiments) > 1;
  char path[HG_PATH_SIZE + 64];
  const size_t used = (size_t)snprintf(path, sizeof path, "%s/evaluations/gradient", run->output);
  if (groups)
    snprintf(path + used, sizeof path - used, "/group-%d", HgExperimentsGroup(run->experiments));
  return HgRunRestartAttach(run->restart, trajectory, path);
}

/* Is it the first group, or all of them? */
static bool is_first(HgRun run) {
  return !run->experiments || !HgExperimentsGroup(run->experiments);
}

static PetscErrorCode watch(HgRun run, HgTrajectory trajectory, bool goes_on) {
  HgRequire(*world(), !run->experiments || !HgRunReplays(run->record),
            "option -window: given to a run of several experiments, expected one trajectory");
  return is_first(run) ? HgRunRecordAttach(run->record, trajectory, goes_on) : 0;
}

PetscErrorCode HgRunTrajectory(HgRun run, HgProgram program, HgObjective objective,
                               const HgCommon *c, HgTrajectory *trajectory) {
  HgStore store = NULL;
  if (c->slots || c->budgets)
    PetscCall(HgRunStoreOf(&run->stores, HgRunComm(run), program, c, &store));
  PetscCall(HgTrajectoryCreate(program, c->steps, objective, store, trajectory));
  if (store) PetscCall(keep_gradients(run, *trajectory));
  if (!run->experiments) PetscCall(HgRunDoctorAttach(run->doctor, *trajectory));
  if (is_first(run)) PetscCall(HgRunPlanAttach(run->plan, *trajectory));
  return watch(run, *trajectory, store && HgRunRestartWanted(run->restart));
}

/* What a group checks for itself, or all for all, is told by the first. */
static HgCheckOptions check_options(HgRun run, double dot_bound) {
  const bool quiet = run->experiments && HgExperimentsGroup(run->experiments);
  return (HgCheckOptions){.seed = 1, .dot_bound = dot_bound, .quiet = quiet};
}

static PetscErrorCode all_passed(bool ok, bool *passed) {
  int all = *passed && ok;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, *world()));
  *passed = all;
  return 0;
}

PetscErrorCode HgRunCheck(HgRun run, HgOperator op, HgState x, double dot_bound, int bounds,
                          const HgCheckBound bound[], bool *passed) {
  HgCheckOptions options = check_options(run, dot_bound);
  bool ok;
  options.bounds = bounds, options.bound = bound;
  HgRunPause(run, true);
  PetscCall(HgCheckOperator(op, x, &options, &ok));
  HgRunPause(run, false);
  return all_passed(ok, passed);
}

/* Bit k: is variable k of the program's input differentiated by? */
static uint64_t active_variables(HgProgram program) {
  uint64_t active = 0;
  for (int k = 0; k < 64; k++) active |= (uint64_t)HgProgramActive(program, k) << k;
  return active;
}

PetscErrorCode HgRunCheckProgram(HgRun run, HgProgram program, HgState x, long steps,
                                 bool *passed) {
  const HgCheckOptions options = check_options(run, 0);
  bool ok;
  PetscCall(HgCheckProgram(program, PetscMin(2, steps - 1), x, &options, &ok));
  run->checked = program, run->active = active_variables(program);
  return all_passed(ok, passed);
}

static PetscErrorCode monitor(const HgIterate *it, HgState m, void *context) {
  HgRun r = context;
  double R = 0;
  if (it->iteration == 0)
    PetscCall(HgOptionsCheckUnused(r->options)); /* TAO has read its own by now */
  if (r->regularisation) {
    PetscCall(HgOperatorApply(r->regularisation, m, r->R));
    R = HgStateArray(r->R, 0)[0];
  }
  PetscCall(HgRunIteratesAdd(r->iterates, it, R));
  if (it->iteration == 0)
    PetscCall(PetscPrintf(*world(), "%5s %13s %13s %13s %10s %6s %9s %9s\n", "iter", "J", "misfit",
                          "regularis.", "|g|", "evals", "elapsed", "ETA"));
  const double eta = HgRunIteratesRemaining(r->iterates, it);
  char left[32] = "-";
  if (eta >= 0) snprintf(left, sizeof left, "%.0f s", eta);
  return PetscPrintf(*world(), "%5d %13.6e %13.6e %13.6e %10.3e %6d %7.1f s %9s\n", it->iteration,
                     it->J, it->J - R, R, it->gradient_norm, it->evaluations, it->seconds, left);
}

PetscErrorCode HgRunStage(HgRun run, const char name[], bool apart) {
  return HgRunStagesAdd(run->stages, name, apart);
}

PetscErrorCode HgRunResume(HgRun run, HgInversion inversion) {
  const bool groups = run->experiments && HgExperimentsGroups(run->experiments) > 1;
  char path[HG_PATH_SIZE + 2 * HG_RUN_STAGE_NAME];
  const HgInversionStage *s;
  int found;
  PetscCall(HgRunStagesBegin(run->stages, &s));
  if (!HgRunRestartWanted(run->restart)) return 0;
  size_t used = (size_t)snprintf(path, sizeof path, "%s/evaluations%s%s", run->output,
                                 *s->name ? "/stage-" : "", s->name);
  if (groups && s->apart)
    snprintf(path + used, sizeof path - used, "/group-%d", HgExperimentsGroup(run->experiments));
  const MPI_Comm across =
      groups && !s->apart ? HgExperimentsAcross(run->experiments) : MPI_COMM_NULL;
  PetscCall(HgInversionSetJournal(inversion, across, path, &found));
  PetscCall(HgInversionSetCompared(inversion, HgRunRestartCompared(run->restart)));
  HgRunPause(run, true);
  PetscCall(HgRunCheckKey(inversion, across, path, found));
  HgRunPause(run, false);
  HgRunRecordResume(run->record, found);
  return PetscPrintf(*world(), "resume: %d evaluations found in %s\n", found, path);
}

PetscErrorCode HgRunEnded(HgRun run, const HgIterate *last, const char reason[]) {
  PetscCall(HgReportSetInteger(run->report, "iterations", last->iteration));
  PetscCall(HgReportSetInteger(run->report, "evaluations", last->evaluations));
  return HgRunIteratesEnd(run->iterates, last->ending, reason);
}

static PetscErrorCode watch_part(void *run, HgTrajectory trajectory, HgState x) {
  (void)x;
  return watch(run, trajectory, false);
}

PetscErrorCode HgRunSolve(HgRun run, HgInversion inversion, HgOperator regularisation, HgState m,
                          HgIterate *last, const char **reason) {
  HgRequire(*world(), !run->checked || run->active == active_variables(run->checked),
            "run '%s': the active constants of program '%s' were changed after it was checked, "
            "expected HgProgramSetActive before HgRunCheckProgram",
            run->name, HgProgramName(run->checked));
  PetscCall(HgOperatorReference(regularisation));
  PetscCall(HgOperatorDestroy(&run->regularisation));
  PetscCall(HgStateDestroy(&run->R));
  run->regularisation = regularisation;
  if (regularisation) PetscCall(HgOperatorCreateOutput(regularisation, &run->R));
  PetscCall(HgInversionSetPart(inversion, regularisation));
  PetscCall(HgInversionSetMonitor(inversion, monitor, run));
  HgRunIteratesBegin(run->iterates);
  if (HgRunRecordWatches(run->record)) {
    HgRunPause(run, true);
    PetscCall(HgRunEachTrajectory(HgInversionFunctional(inversion), m, watch_part, run));
    HgRunPause(run, false);
  }
  PetscCall(HgRunResume(run, inversion));
  if (HgRunDoctorWaits(run->doctor))
    PetscCall(HgRunDoctor(run, HgInversionFunctional(inversion), m, 0, NULL));
  HgRunRecordLast(run->record, false);
  PetscCall(HgInversionSolve(inversion, m, last, reason));
  HgRunRecordLast(run->record, true);
  PetscCall(PetscPrintf(*world(),
                        "inversion ended: %s after %d iterations, %d evaluations, %.1f s\n",
                        *reason, last->iteration, last->evaluations, last->seconds));
  PetscCall(HgRunEnded(run, last, *reason));
  const double *iteration, *J, *misfit;
  const int iterates = HgRunHistory(run, &iteration, &J, &misfit);
  PetscCall(HgReportSetReals(run->report, "history.J", iterates, J));
  return HgReportSetReals(run->report, "history.misfit", iterates, misfit);
}

PetscErrorCode HgRunInvert(HgRun run, HgInversion inversion, HgOperator regularisation, HgState m,
                           HgIterate *last, const char **reason) {
  HgState gradient;
  double unused;
  PetscCall(HgRunSolve(run, inversion, regularisation, m, last, reason));
  if (!HgRunRecordLasts(run->record)) return 0;
  const HgOperator J = HgInversionFunctional(inversion);
  PetscCall(HgOperatorCreateGradient(J, &gradient));
  PetscCall(HgOperatorGradient(J, m, &unused, gradient));
  return HgStateDestroy(&gradient);
}

PetscErrorCode HgRunError(HgRun run, double start, double end) {
  PetscCall(PetscPrintf(*world(), "error %.4f -> %.4f (first guess -> found)\n", start, end));
  PetscCall(HgReportSetReal(run->report, "error_start", start));
  return HgReportSetReal(run->report, "error_end", end);
}

PetscErrorCode HgRunFit(HgRun run, HgObjective objective, double error_start, double error_end) {
  double ratio;
  PetscCall(HgObjectiveValue(objective, &ratio, NULL));
  HgRequire(*world(), HgObjectiveCount(objective) > 0,
            "%s: nothing was measured, so the misfit has no expectation", run->name);
  ratio /= HgObjectiveCount(objective) / 2;
  PetscCall(PetscPrintf(*world(), "misfit / expectation %.4f\n", ratio));
  PetscCall(HgReportSetReal(run->report, "misfit_ratio", ratio));
  return error_start < 0 ? 0 : HgRunError(run, error_start, error_end);
}

int HgRunHistory(HgRun run, const double **iteration, const double **J, const double **misfit) {
  return HgRunIteratesGet(run->iterates, iteration, J, misfit);
}

HgPanel HgRunConvergence(HgRun run) { return HgRunIteratesPanel(run->iterates); }

PetscErrorCode HgRunDigest(HgRun run, double J, HgState gradient, HgState final, bool print) {
  static const char *const names[] = {"gradient", "state"};
  const HgState states[] = {gradient, final};
  char line[256], key[32], digest[17];
  snprintf(line, sizeof line, "%a", J);
  PetscCall(HgReportSetText(run->report, "digest.J", line));

  for (int k = 0; k < 2; k++) {
    if (!states[k]) continue;
    const size_t used = strlen(line);
    PetscCall(HgStateDigest(states[k], NULL, digest));
    snprintf(key, sizeof key, "digest.%s", names[k]);
    PetscCall(HgReportSetText(run->report, key, digest));
    snprintf(line + used, sizeof line - used, " %s %s", names[k], digest);
  }

  return print ? PetscPrintf(*world(), "J %s\n", line) : 0;
}

PetscErrorCode HgRunCost(HgRun run, HgTrajectory trajectory) {
  HgTrajectoryCost c;
  HgTrajectoryGetCost(trajectory, &c);
  int64_t bytes[2] = {(int64_t)c.memory_bytes, (int64_t)c.file_bytes};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INT64_T, MPI_SUM, HgRunComm(run)));
  PetscCall(HgReportSetReal(run->report, "recompute_factor", c.recompute_factor));
  PetscCall(HgReportSetReal(run->report, "gradient_over_forward", c.gradient_over_forward));
  PetscCall(HgReportSetReal(run->report, "forward_seconds", c.forward_seconds));
  PetscCall(HgReportSetReal(run->report, "gradient_seconds", c.gradient_seconds));
  PetscCall(HgReportSetInteger(run->report, "checkpoint_bytes.memory", bytes[0]));
  PetscCall(HgReportSetInteger(run->report, "checkpoint_bytes.files", bytes[1]));
  return HgTrajectoryView(trajectory, PETSC_VIEWER_STDOUT_(*world()));
}

PetscErrorCode HgRunFinish(HgRun run, const HgCommon *c, const char exit_reason[]) {
  PetscCall(HgRunRestartEnd(run->restart));
  PetscCall(HgRunIteratesTell(run->iterates, run->name, run->report));
  PetscCall(HgReportSetOptions(run->report, run->options));
  PetscCall(HgReportWrite(run->report, c->output, exit_reason));
  /* Last, as what it refuses must not keep the results from being whole. */
  PetscCall(
      HgRunRecordEnd(run->record, run->experiments ? HgExperimentsCount(run->experiments) : 1));
  return PetscPrintf(*world(), "%s: what it wrote is in %s\n", run->name, c->output);
}
