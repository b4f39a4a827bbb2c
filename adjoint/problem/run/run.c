/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/error_library.h>
#include <halograd/file_library.h>
#include <halograd/measure_library.h>
#include <halograd/memory_library.h>
#include <halograd/options_library.h>
#include <halograd/real_library.h>
#include <halograd/report_library.h>
#include <halograd/run_library.h>
#include <halograd/trajectory_library.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double most_steps = 1e9;

PetscErrorCode HgRunCreate(const char name[], const char description[], HgRun *run) {
  HgRun r;
  PetscCall(PetscNew(&r));
  PetscCall(PetscStrncpy(r->name, name, sizeof r->name));
  PetscCall(PetscStrncpy(r->description, description, sizeof r->description));
  PetscCall(HgOptionsCreate(PETSC_COMM_WORLD, name, description, &r->options));
  PetscCall(HgReportCreate(PETSC_COMM_WORLD, name, &r->report));
  r->record.application = r->name, r->record.output = r->output;
  r->record.monitor = HG_MONITOR_OFF, r->record.found = -1;
  r->resume.interval = 600, r->resume.compared = 2;
  *run = r;
  return 0;
}

PetscErrorCode HgRunDestroy(HgRun *run) {
  HgRun r = *run;
  *run = NULL;
  if (!r) return 0;
  PetscCall(HgRunWatchedDestroy(r));
  PetscCall(HgReportDestroy(&r->report));
  PetscCall(HgRunStoresDestroy(&r->stores));
  PetscCall(HgStateDestroy(&r->R));
  PetscCall(HgOperatorDestroy(&r->regularisation));
  PetscCall(HgIteratesDestroy(&r->iterates));
  PetscCall(HgPartsDestroy(&r->parts));
  PetscCall(HgRunStagesDestroy(r));
  PetscCall(PetscFree(r->sought));
  PetscCall(HgExperimentsDestroy(&r->experiments));
  return PetscFree(r);
}

HgOptions HgRunOptions(HgRun run) { return run->options; }

HgReport HgRunReport(HgRun run) { return run->report; }

PetscErrorCode HgRunExperiments(HgRun run, int count, int groups, HgExperiments *experiments) {
  PetscCall(HgExperimentsCreate(PETSC_COMM_WORLD, count, groups, &run->experiments));
  run->record.experiments = count;
  *experiments = run->experiments;
  return 0;
}

PetscErrorCode HgRunSeek(HgRun run, const void *problem, HgProgram program, const char variable[]) {
  PetscCall(PetscRealloc(sizeof *run->sought * (size_t)(run->seeks + 1), &run->sought));
  HgRunSought *s = &run->sought[run->seeks++];
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
    const HgRunSought *s = &run->sought[k];
    if (s->program == program && (!s->variable[0] || !strcmp(s->variable, variable))) return true;
  }
  return false;
}

MPI_Comm HgRunComm(HgRun run) {
  return run->experiments ? HgExperimentsGroup(run->experiments)->comm : PETSC_COMM_WORLD;
}

bool HgRunIsFirst(HgRun run) {
  return !run->experiments || !HgExperimentsGroup(run->experiments)->number;
}

void HgRunGroup(HgRun run, size_t size, char part[]) {
  *part = 0;
  if (run->experiments && HgExperimentsGroup(run->experiments)->count > 1)
    snprintf(part, size, "/group-%d", HgExperimentsGroup(run->experiments)->number);
}

/* Reports errors of the directory before a long computation. */
static PetscErrorCode open_output(const char directory[]) {
  char path[HG_PATH_SIZE + 16];
  PetscCall(HgDirectoryCreate(PETSC_COMM_WORLD, directory));
  PetscCall(HgDirectoryLock(PETSC_COMM_WORLD, directory));
  snprintf(path, sizeof path, "%s/run.json", directory);
  return HgFileRemove(PETSC_COMM_WORLD, path);
}

static PetscErrorCode read_common(HgRun run, HgCommon *c) {
  HgOptions o = run->options;
  if (!c->output[0]) snprintf(c->output, sizeof c->output, "output/%s", run->name);
  if (HG_REAL_SHIFT > 0) PetscCall(PetscStrlcat(c->output, "_single", sizeof c->output));
  PetscCall(HgOptionsGroup(o, "Grid and patches"));
  PetscCall(HgOptionsInt(o, "-nx", "cells along x", "", 1, 1 << 20, &c->nx));
  PetscCall(HgOptionsInt(o, "-ny", "cells along y", "", 1, 1 << 20, &c->ny));
  if (c->nz) PetscCall(HgOptionsInt(o, "-nz", "cells along z", "", 1, 1 << 20, &c->nz));
  PetscCall(
      HgOptionsInt(o, "-px", "patches along x (0: the library chooses)", "", 0, 1 << 20, &c->px));
  PetscCall(
      HgOptionsInt(o, "-py", "patches along y (0: the library chooses)", "", 0, 1 << 20, &c->py));
  PetscCall(HgOptionsGroup(o, "Time"));
  PetscCall(HgOptionsLong(o, "-steps", "number of time steps (not given: from the final time)", "",
                          1, (long)most_steps, &c->steps));
  PetscCall(HgOptionsReal(o, "-dt", "length of a time step (not given: from the stability limit)",
                          "s", "(0, inf)", &c->dt));
  PetscCall(HgRunStoreDeclare(o, c));
  PetscCall(HgOptionsGroup(o, "Files and checks"));
  PetscCall(HgOptionsString(o, "-observations", "HDF5 file with the readings of sensors",
                            sizeof c->observations, c->observations));
  PetscCall(HgOptionsString(o, "-output", "folder for results, picture and run.json",
                            sizeof c->output, c->output));
  PetscCall(
      HgOptionsFlag(o, "-check", "check the kernels, the step and the gradient first", &c->check));
  PetscCall(HgOptionsFlag(
      o, "-doctor", "search the gradient for a wrong derivative first, step by step", &c->doctor));
  PetscCall(
      HgOptionsFlag(o, "-digest", "print J and digests of gradient and final state", &c->digest));
  PetscCall(HgRunRecordDeclare(&run->record, o));
  PetscCall(HgOptionsEnd(o));
  PetscCall(HgRunStoreCheck(o, c));
  PetscCall(PetscStrncpy(run->output, c->output, sizeof run->output));
  run->doctor.asked = c->doctor;
  const char *const whole = c->doctor            ? "-doctor"
                            : c->check           ? "-check"
                            : run->resume.wanted ? "-resume"
                                                 : NULL;
  if (run->resume.wanted) run->record.values = HG_RUN_VALUES_NEVER;
  PetscCall(HgRunRecordBegin(&run->record, o, whole));
  return open_output(c->output);
}

PetscErrorCode HgRunCommon(HgRun run, HgCommon *c) {
  const PetscErrorCode ierr = read_common(run, c);
  if (ierr == HG_ENDED) PetscCall(HgRunDestroy(&run));
  return ierr;
}

static PetscErrorCode declare_prior(HgRun run) {
  static const char *const weights[] = {"-tikhonov", "-h1", NULL},
                           *const length[] = {"-prior_length", NULL},
                           *const variation[] = {"-tv", NULL},
                           *const epsilon[] = {"-tv_epsilon", NULL};
  HgOptions o = run->options;
  PetscCall(HgOptionsReal(o, "-prior_deviation",
                          "standard deviation of each control before the data, in its unit; with "
                          "-prior_length it replaces -tikhonov and -h1 (0: off)",
                          "", "[0, inf)", &run->deviation));
  PetscCall(HgOptionsReal(
      o, "-prior_length",
      "correlation length of the controls before the data; in seconds for controls by step", "m",
      "(0, inf)", &run->length));
  PetscCall(HgOptionsString(o, "-prior_mean",
                            "HDF5 file with the mean of the controls before the data, each by its "
                            "name (not given: the program's own)",
                            sizeof run->mean, run->mean));
  PetscCall(HgOptionsReal(o, "-tv", "weight of the total variation of the controls", "1 / (unit m)",
                          "[0, inf)", &run->tv));
  PetscCall(HgOptionsReal(o, "-tv_epsilon",
                          "slope below which the total variation treats a control as smooth",
                          "unit/m", "(0, inf)", &run->epsilon));
  if (!(run->tv > 0)) PetscCall(HgOptionsRefuse(o, "without -tv", epsilon));
  HgRequire(PETSC_COMM_WORLD, !(run->tv > 0) || run->epsilon > 0, HG_ERR_OPTION_CONFLICT,
            "option -tv: given without -tv_epsilon, expected both");
  if (run->tv > 0 && run->deviation > 0)
    PetscCall(HgOptionsRefuse(o, "with -prior_deviation", variation));
  if (!(run->deviation > 0)) return HgOptionsRefuse(o, "without -prior_deviation", length);
  HgRequire(PETSC_COMM_WORLD, run->length > 0, HG_ERR_OPTION_CONFLICT,
            "option -prior_deviation: given without -prior_length, expected both");
  return HgOptionsRefuse(o, "with -prior_deviation", weights);
}

/* Options of every problem, also of one of several. */
static PetscErrorCode declare_terms(HgRun run, HgInverse *v) {
  HgOptions o = run->options;
  PetscCall(HgOptionsReal(o, "-huber",
                          "residual from which a reading counts linearly, not squared (0: never)",
                          "sigma", "[0, inf)", &run->huber));
  PetscCall(HgOptionsReal(
      o, "-student",
      "degrees of freedom of the readings' errors, if these follow Student's t (0: normal errors)",
      "", "[0, inf)", &run->student));
  if (run->huber > 0 && run->student > 0)
    PetscCall(HgOptionsRefuse(o, "with -huber", (const char *const[]){"-student", NULL}));
  PetscCall(HgOptionsReal(o, "-correlation", "correlation time of the errors of a sensor", "s",
                          "[0, inf)", &run->correlation));
  PetscCall(HgOptionsReal(o, "-relative", "smallest error of a reading, as a fraction of its value",
                          "", "[0, inf)", &run->relative));
  PetscCall(HgOptionsFlag(
      o, "-shape", "compare only the shape of a sensor's readings, not their size", &run->shape));
  PetscCall(HgOptionsFlag(o, "-envelope",
                          "compare the envelope of a sensor's readings, not their phase",
                          &run->envelope));
  PetscCall(declare_prior(run));
  return HgOptionsFlag(o, "-precondition",
                       "precondition with the regularisation, which saves iterations",
                       &v->precondition);
}

static PetscErrorCode declare_samples(HgOptions o, HgInverse *v) {
  PetscCall(HgOptionsInt(o, "-samples",
                         "samples to draw of the controls before the data and after; unless "
                         "experiments are summed, each is run to its readings (0: none)",
                         "", 0, 100000, &v->samples));
  HgRequire(PETSC_COMM_WORLD, v->samples != 1, HG_ERR_OPTION_RANGE,
            "option -samples: 1 sample, which has no deviation, expected 0 or at least 2");
  if (v->posterior > 0) return 0;
  return HgOptionsRefuse(o, "without -posterior", (const char *[]){"-samples", NULL});
}

static PetscErrorCode declare_next(HgOptions o, HgInverse *v) {
  static const char *const next[] = {"-next_sensors", "-candidates", NULL};
  int two = 2;
  PetscCall(HgOptionsInt(o, "-next_sensors",
                         "number of new sensors to place, chosen with -samples (0: none)", "", 0,
                         1000, &v->next_sensors));
  for (int axis = 0; axis < 2; axis++)
    if (!v->candidates[axis]) v->candidates[axis] = 10;
  PetscCall(HgOptionsInts(o, "-candidates", "candidate places for -next_sensors along x and y", 1,
                          1000, 2, 2, &two, v->candidates));
  if (!v->samples) PetscCall(HgOptionsRefuse(o, "without -samples", next));
  if (!v->next_sensors) return HgOptionsRefuse(o, "without -next_sensors", next + 1);
  HgRequire(PETSC_COMM_WORLD, v->next_sensors <= v->candidates[0] * v->candidates[1],
            HG_ERR_OPTION_RANGE,
            "option -next_sensors: %d of %d x %d candidates, expected at most all of them "
            "(-candidates)",
            v->next_sensors, v->candidates[0], v->candidates[1]);
  return HgOptionsRefuse(o, "with -next_sensors", (const char *[]){"-shape", "-envelope", NULL});
}

/* Options of a problem or of a sum of problems. */
static PetscErrorCode declare_for_problem(HgRun run, HgInverse *v) {
  static const char *const newton[] = {"exact", "gauss"}, *const evidence[] = {"-evidence", NULL},
                           *const others[] = {"-tv",    "-huber",    "-student",
                                              "-shape", "-envelope", NULL};
  HgOptions o = run->options;
  PetscCall(HgOptionsFlag(o, "-discrepancy",
                          "scale the regularisation until the misfit equals its expectation",
                          &v->discrepancy));
  PetscCall(HgOptionsFlag(
      o, "-evidence", "scale the regularisation by the evidence of the data, if sigma is unknown",
      &v->evidence));
  if (v->discrepancy) PetscCall(HgOptionsRefuse(o, "with -discrepancy", evidence));
  if (v->evidence) PetscCall(HgOptionsRefuse(o, "with -evidence", others));
  PetscCall(HgOptionsChoice(o, "-newton",
                            "Hessian of the misfit for Newton methods (-tao_type) and -posterior",
                            2, newton, &v->newton));
  PetscCall(HgOptionsInt(o, "-posterior",
                         "eigenpairs for standard deviations of the controls (0: none)", "", 0,
                         10000, &v->posterior));
  PetscCall(declare_samples(o, v));
  return v->sums ? 0 : declare_next(o, v);
}

PetscErrorCode HgRunInverse(HgRun run, HgInverse *v) {
  HgOptions o = run->options;
  PetscCall(HgOptionsGroup(o, "Inversion (exit status 0: done, 2: failed, 3: nothing to do)"));
  PetscCall(
      HgOptionsReal(o, "-tikhonov", "weight of |m - m_0|^2 / 2", "", "[0, inf)", &v->tikhonov));
  PetscCall(HgOptionsReal(o, "-h1", "weight of |grad m|^2 / 2", "", "[0, inf)", &v->h1));
  PetscCall(HgOptionsReal(o, "-tolerance", "stop when |g| is this fraction of the first one", "",
                          "[0, 1)", &v->tolerance));
  PetscCall(HgOptionsInt(o, "-iterations", "largest number of iterations", "", 0, 1000000,
                         &v->iterations));
  PetscCall(declare_terms(run, v));
  if (v->posterior >= 0) PetscCall(declare_for_problem(run, v));
  return HgRunResumeDeclare(run);
}

PetscErrorCode HgRunStart(const char name[], const char description[], HgCommon *common,
                          HgInverse *inverse, HgRun *run) {
  PetscCall(HgRunCreate(name, description, run));
  PetscCall(HgRunInverse(*run, inverse));
  return HgRunCommon(*run, common);
}

PetscErrorCode HgRunTimeStep(HgRun run, double final_time, double largest, HgCommon *c) {
  const bool steps_given = HgOptionsGiven(run->options, "-steps"),
             dt_given = HgOptionsGiven(run->options, "-dt");
  if (final_time == 0) return HgRequireStable(PETSC_COMM_WORLD, "option -dt", c->dt, largest);
  if (dt_given) {
    PetscCall(HgRequireStable(PETSC_COMM_WORLD, "option -dt", c->dt, largest));
    const double steps = ceil(final_time / c->dt * (1 - 1e-12));
    HgRequire(PETSC_COMM_WORLD, steps_given || steps <= most_steps, HG_ERR_OPTION_RANGE,
              "option -dt: %g s would need %g steps, expected at most %g", c->dt, steps,
              most_steps);
    if (!steps_given) c->steps = (long)steps;
  } else {
    const double steps = ceil(final_time / largest);
    HgRequire(PETSC_COMM_WORLD, steps <= most_steps, HG_ERR_TIME_STEP,
              "options -nx %d -ny %d: the stability limit of %.6g s means %g steps to %g s, "
              "expected at most %g",
              c->nx, c->ny, HgRoundDown(largest), steps, final_time, most_steps);
    if (!steps_given) c->steps = (long)steps;
    c->dt = final_time / (double)c->steps;
    HgRequire(PETSC_COMM_WORLD, c->dt <= HgRoundUp(largest), HG_ERR_TIME_STEP,
              "option -steps: %ld steps of %g s are beyond the stability limit of %.6g s, expected "
              "at least %ld steps",
              c->steps, c->dt, HgRoundDown(largest), (long)steps);
  }
  return 0;
}

PetscErrorCode HgRunTrajectory(HgRun run, HgProgram program, HgObjective objective,
                               const HgCommon *c, HgTrajectory *trajectory) {
  HgStore store = NULL;
  HgWatched *w;
  if (c->slots || c->budgets)
    PetscCall(HgRunStoreOf(&run->stores, HgRunComm(run), program, c, &store));
  PetscCall(HgTrajectoryCreate(program, c->steps, objective, store, trajectory));
  PetscCall(HgRunWatch(run, *trajectory, &w));
  w->own = true, w->goes_on = store && run->resume.wanted;
  return store ? HgRunKeepGradients(w) : 0;
}

PetscErrorCode HgRunDigest(HgRun run, double J, HgState gradient, HgState final, bool print) {
  static const char *const names[] = {"gradient", "state"};
  const HgState states[] = {gradient, final};
  char line[256], key[32], digest[17];
  snprintf(line, sizeof line, "%a", J);
  PetscCall(HgReportSetText(run->report, "digest.J", line));

  for (int k = 0; k < 2; k++) {
    if (!states[k]) continue;
    PetscCall(HgStateDigest(states[k], NULL, digest));
    snprintf(key, sizeof key, "digest.%s", names[k]);
    PetscCall(HgReportSetText(run->report, key, digest));
    HgSentenceAdd(sizeof line, line, " %s %s", names[k], digest);
  }

  return print ? PetscPrintf(PETSC_COMM_WORLD, "J %s\n", line) : 0;
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
  if (!isnan(c.rounded)) PetscCall(HgReportSetReal(run->report, "checkpoint_rounding", c.rounded));
  return HgTrajectoryView(trajectory, PETSC_VIEWER_STDOUT_(PETSC_COMM_WORLD));
}

PetscErrorCode HgRunFinish(HgRun run, const HgCommon *c, const char exit_reason[]) {
  for (HgWatched *w = run->watched; w; w = w->before) /* nothing is to go on */
    if (w->restart) PetscCall(HgRestartClear(w->restart));
  PetscCall(HgIteratesTell(&run->iterates, run->name, run->report));
  PetscCall(HgReportSetOptions(run->report, run->options));
  PetscCall(HgReportWrite(run->report, c->output, exit_reason));
  /* Last, as what it refuses must not keep the results from being whole. */
  PetscCall(HgRunRecordEnd(run));
  return PetscPrintf(PETSC_COMM_WORLD, "%s: what it wrote is in %s\n", run->name, c->output);
}

/* The folder of data installed with this program, also if both were moved. */
static void beside_program(size_t size, char folder[]) {
  const ssize_t length = readlink("/proc/self/exe", folder, size - 1);
  folder[length > 0 ? length : 0] = 0;
  char *slash = strrchr(folder, '/');
  if (slash) *slash = 0;
  HgSentenceAdd(size, folder, "/%s", HALOGRAD_DATA_FROM_PROGRAM);
  char *whole = realpath(folder, NULL); /* without ".." */
  if (whole) snprintf(folder, size, "%s", whole);
  free(whole);
}

PetscErrorCode HgRunDataPath(const char name[], size_t size, char path[]) {
  char beside[HG_PATH_SIZE];
  const char *const folders[] = {beside, HALOGRAD_DATA_SOURCE, HALOGRAD_DATA_INSTALLED};
  beside_program(sizeof beside, beside);
  for (int k = 0; k < 3; k++) {
    snprintf(path, size, "%s/%s", folders[k], name);
    if (!access(path, R_OK)) return 0;
  }
  if (!access(name, R_OK)) return PetscStrncpy(path, name, size);
  snprintf(path, size, "%s (in none of %s:%s:%s)", name, folders[0], folders[1], folders[2]);
  return 0;
}
