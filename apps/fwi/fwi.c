/* SPDX-License-Identifier: BSD-2-Clause */
/* fwi: full-waveform inversion. Finds the speed of sound below the floor of the sea from shots
   along its surface, fired one after another, and receivers that listen to each of them.

     minimise J(c) = sum_e 1/2 sum ((p_e(x_k, t_n; m(c)) - d_ekn) / sigma_e)^2 + R(c)
     subject to acoustic.stencil with the source of shot e; m is the square of the speed

   in stages: with a wavelet of up to 5 Hz, which sees what is large, then 8 and 15 Hz, each from
   where the one before has ended. m(c) stays between bounds, and is that of water in the sea.
   Without -observations FILES this is a twin experiment: the data come from the same equation on
   the same mesh, with noise. With -seek_wavelet the wavelet is sought, too, a number for each step.

   Sample runs:
     mpirun -n 4 fwi
     mpirun -n 4 fwi -shots 8 -groups 2 -digest -resume
     mpirun -n 2 fwi -nx 150 -ny 75 -frequencies 5,8,12 -check
     mpirun -n 4 fwi -shots_table survey.csv -wavelet airgun.csv -observations 'shot-%d.h5'
     mpirun -n 4 fwi -shots_table survey.csv -wavelet airgun.csv -observations 'shot-%d.h5' \
       -seek_wavelet */
#include "control.h"
#include "illumination.h"
#include "shots.h"
#include <math.h>

typedef struct {
  HgProblem model;   /* wave.h over the ground, from the first guess: */
  HgProgram program; /* its parts */
  HgState first;
  HgState truth;               /* the input of the twin; NULL: shots were recorded */
  HgState weights;             /* of the control */
  HgOperator m_of_c, x_of_c;   /* control.h; the input of the model, of all controls */
  HgState c, gradient;         /* the controls: c, and a wavelet that is sought; dJ/dc */
  HgState x;                   /* x(c) */
  HgState speed[3];            /* hidden, first, found [m/s] */
  HgState deviation;           /* of the speed, before the data and after; NULL: no -posterior */
  HgCurve curve[SHOTS_STAGES]; /* J of each stage, by iteration of the stage */
  HgCurve wavelet[2];          /* first, found, of the last stage */
  char label[SHOTS_STAGES][16];
  int begun[SHOTS_STAGES + 1]; /* iterates of all stages before each */
  double *iteration, *time;    /* of each iterate within its stage; of each step [s] */
} Fwi;

/* Steps that are stable for any m between its bounds. */
static PetscErrorCode choose_steps(HgRun run, const HgMeshSpec *s, double listen,
                                   HgCommon *common) {
  HgRange range[5] = {{0, 0}}; /* p, p_old, m, damping, source */
  range[2] = (HgRange){pow(EarthSlowest(), 2), pow(EarthGet()->fastest, 2)};
  const HgPhysics *const physics = WavePhysics(common->nz, false);
  return HgRunTimeStep(run, listen, physics->largest_step(NULL, s->dx, s->dy, s->dz, range),
                       common);
}

/* The program over the ground as it is supposed, and as it is. */
static PetscErrorCode create_model(HgRun run, HgCommon *common, Shots *shots, Fwi *f) {
  /* what steps must be stable for; EarthFirst() takes its place */
  const HgGiven given[] = {{"m", .value = pow(EarthGet()->fastest, 2)}, {.variable = NULL}};
  const HgMeshSpec mesh = EarthMesh(common);
  PetscCall(choose_steps(run, &mesh, shots->listen, common));
  PetscCall(ShotsWavelets(shots, 0, common));
  const WaveParams params = ShotsParams(shots, 0, common);
  PetscCall(HgProblemCreatePhysics(run, common, &mesh, WavePhysics(common->nz, shots->seek),
                                   WaveTaken(&params, shots->seek), given, &f->model));
  f->program = shots->program[0] = HgProblemGet(f->model).program;
  f->first = HgProblemGet(f->model).x;
  PetscCall(EarthSet(f->first, "damping", EarthDamping, NULL));
  PetscCall(EarthFirst(f->first));
  if (*common->observations) return 0;
  PetscCall(HgStateDuplicate(f->first, &f->truth));
  PetscCall(HgStateCopy(f->first, f->truth));
  return EarthSet(f->truth, "m", EarthHidden, NULL);
}

/* x(c) for c and, if it is sought, the wavelet; the first guess of c. */
static PetscErrorCode create_controls(const Shots *shots, Fwi *f) {
  const HgControl sought[] = {{"m", f->m_of_c}, {"wavelet", NULL}};
  HgState c;
  PetscCall(HgControlCreate(f->first, shots->seek ? 2 : 1, sought, &f->x_of_c));
  PetscCall(HgOperatorCreateInput(f->x_of_c, &f->c));
  PetscCall(HgOperatorCreateInput(f->x_of_c, &f->gradient));
  PetscCall(HgOperatorCreateOutput(f->x_of_c, &f->x));
  PetscCall(HgOperatorCreateInput(f->m_of_c, &c));
  PetscCall(ControlGuess(f->first, f->weights, c));
  PetscCall(HgStateCopyVariable(c, 0, f->c, 0));
  return HgStateDestroy(&c);
}

static PetscErrorCode create_control(const HgCommon *common, Shots *shots, Fwi *f) {
  static const HgVariable speed = {.name = "speed", .unit = "m/s"},
                          weight = {.name = "weight", .unit = "1"};
  PetscCall(HgStateCreate(HgStateMesh(f->first), 1, &weight, &f->weights));
  PetscCall(EarthWeigh(f->first, f->weights));
  if (shots->illumination) PetscCall(Illuminate(common, f->first, shots, f->weights));
  PetscCall(ControlCreate(f->weights, &f->m_of_c));
  PetscCall(create_controls(shots, f));
  for (int k = 0; k < 3; k++) {
    PetscCall(HgStateCreate(HgStateMesh(f->first), 1, &speed, &f->speed[k]));
    if (k || f->truth) PetscCall(ControlSpeed(k ? f->first : f->truth, f->speed[k]));
  }
  return 0;
}

/* The derivatives as they will run. */
static PetscErrorCode check(HgRun run, const HgCommon *common, Shots *shots, Fwi *f) {
  const HgOperator checked[] = {f->x_of_c, HgProblemGet(shots->sum).sum};
  return HgRunCheck(run, common, f->program, f->first, 2, checked, f->c);
}

/* With the same J, from the c where those before have ended; in stage k, `round` of `rounds`, each
   with other signs. */
static PetscErrorCode invert(HgRun run, int k, int round, int rounds, const HgInverse *inverse,
                             const Shots *shots, Fwi *f) {
  const HgState c = HgProblemGet(shots->sum).controls;
  const char *reason;
  char name[32];
  if (rounds == 1) snprintf(name, sizeof name, "%d-%dHz", k + 1, shots->frequency[k]);
  else snprintf(name, sizeof name, "%d-%dHz-%d", k + 1, shots->frequency[k], round + 1);
  PetscCall(HgRunStage(run, name, false));
  PetscCall(HgStateCopy(f->c, c));
  PetscCall(HgProblemInvert(shots->sum, inverse, &reason));
  return HgStateCopy(c, f->c);
}

/* Stage k, from the c where the one before has ended. */
static PetscErrorCode stage(HgRun run, int k, const HgCommon *common, const HgInverse *inverse,
                            Shots *shots, Fwi *f) {
  const int most = inverse->iterations, each = shots->encode ? PetscMin(shots->redraw, most) : most;
  const int rounds = each ? (most + each - 1) / each : 1;
  HgInverse part = *inverse;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "stage %d of %d: %d shots of up to %d Hz\n", k + 1,
                        shots->stages, shots->count, shots->frequency[k]));
  PetscCall(ShotsStage(shots, k, common, f->c));
  PetscCall(ShotsListen(common, k, f->truth, shots));
  for (int round = 0; round < rounds; round++) {
    part.iterations = PetscMin(each, most - round * each);
    part.posterior = k + 1 == shots->stages && round + 1 == rounds ? inverse->posterior : 0;
    if (shots->sum) PetscCall(ShotsClear(shots));
    if (shots->encode)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "signs %d of %d: %d sums of %d shots\n", round + 1,
                            rounds, shots->encode, shots->count));
    PetscCall(HgStateCopy(f->first, f->x));
    PetscCall(ShotsPose(run, common, &part, f->m_of_c, f->x, shots));
    if (!k && !round) PetscCall(check(run, common, shots, f));
    PetscCall(invert(run, k, round, rounds, &part, shots, f));
  }
  f->begun[k + 1] = HgRunConvergence(run).curve[0].count;
  return 0;
}

/* The speed that is known now, and how far it is from the hidden one. */
static PetscErrorCode look(HgRun run, Fwi *f) {
  double start, end;
  PetscCall(HgOperatorApply(f->x_of_c, f->c, f->x));
  PetscCall(ControlSpeed(f->x, f->speed[2]));
  if (!f->truth) return 0;
  PetscCall(HgStateRelativeError(f->speed[1], f->speed[0], "speed", &start));
  PetscCall(HgStateRelativeError(f->speed[2], f->speed[0], "speed", &end));
  return HgRunError(run, start, end);
}

/* With -posterior, what it says of the speed. */
static PetscErrorCode find_deviation(HgRun run, const Shots *shots, Fwi *f) {
  static const HgVariable both[] = {{.name = "prior", .unit = "m/s"},
                                    {.name = "posterior", .unit = "m/s"}};
  const HgProblemParts found = HgProblemGet(shots->sum);
  double mean[2];
  if (!found.deviation) return 0;
  PetscCall(HgStateCreate(HgStateMesh(f->first), 2, both, &f->deviation));
  for (int k = 0; k < 2; k++)
    PetscCall(ControlDeviation(f->m_of_c, f->c, k ? found.deviation : found.prior, f->deviation, k,
                               &mean[k]));
  PetscCall(HgReportSetReals(HgRunReport(run), "speed_deviation", 2, mean));
  return PetscPrintf(PETSC_COMM_WORLD,
                     "standard deviation of the speed %.4g m/s -> %.4g m/s (prior -> posterior)\n",
                     mean[0], mean[1]);
}

/* J by iteration, a curve for each stage. */
static PetscErrorCode convergence(HgRun run, const Shots *shots, Fwi *f, HgPanel *panel) {
  const HgCurve *J = &HgRunConvergence(run).curve[0];
  PetscCall(PetscMalloc1(J->count, &f->iteration));
  for (int k = 0; k < shots->stages; k++) {
    const int from = f->begun[k], to = f->begun[k + 1];
    for (int n = from; n < to; n++) f->iteration[n] = n - from;
    snprintf(f->label[k], sizeof f->label[k], "%d Hz", shots->frequency[k]);
    f->curve[k] = (HgCurve){
        .label = f->label[k], .count = to - from, .x = f->iteration + from, .y = J->y + from};
  }
  *panel = (HgPanel){.title = "J",
                     .x_label = "iteration",
                     .log_y = true,
                     .curves = shots->stages,
                     .curve = f->curve};
  return 0;
}

/* A wavelet that is sought, by time: *panels more. */
static PetscErrorCode show_wavelet(const HgCommon *common, const Shots *shots, HgResults results,
                                   Fwi *f, int *panels, HgPanel panel[]) {
  static const char *const name[] = {"wavelet_first", "wavelet"}, *const title[] = {"first",
                                                                                    "found"};
  int k;
  if (!shots->seek) return 0;
  PetscCall(HgStateIndex(f->x, "wavelet", &k));
  const int count = HgStateVariable(f->x, k)->size;
  PetscCall(PetscArraycpy(HgStateArray(f->first, k), shots->sample[0], count));
  PetscCall(PetscMalloc1(count, &f->time));
  for (int n = 0; n < count; n++) f->time[n] = n * common->dt;
  for (int l = 0; l < 2; l++) {
    const HgState x = l ? f->x : f->first;
    PetscCall(HgResultsWriteConstant(results, x, "wavelet", name[l], name[l]));
    f->wavelet[l] = (HgCurve){title[l], count, f->time, HgStateArray(x, k)};
  }
  panel[(*panels)++] =
      (HgPanel){.title = "wavelet", .x_label = "time [s]", .curves = 2, .curve = f->wavelet};
  return 0;
}

static PetscErrorCode show_deviation(HgResults results, const Fwi *f, int *panels,
                                     HgPanel panel[]) {
  if (!f->deviation) return 0;
  PetscCall(HgResultsWriteConstant(results, f->deviation, "prior", "speed_deviation_prior",
                                   "standard deviation of the speed before the data"));
  PetscCall(HgResultsWriteConstant(results, f->deviation, "posterior", "speed_deviation",
                                   "standard deviation of the speed"));
  panel[(*panels)++] =
      (HgPanel){.title = "standard deviation", .state = f->deviation, .field = "posterior"};
  return 0;
}

static PetscErrorCode show(HgRun run, const HgCommon *common, const Shots *shots, Fwi *f) {
  static const char *const titles[] = {"hidden", "first guess", "found"};
  static const char *const names[] = {"speed_truth", "speed_first", "speed"};
  const int first = f->truth ? 0 : 1; /* of those that are known */
  const double highest = *EarthGet()->first ? 0 : 3700;
  int count = 4;
  HgResults results;
  HgPanel panels[6];
  PetscCall(
      HgResultsCreate(HgStateMesh(f->first), common->output, "fwi", "speed of sound", &results));
  for (int k = first; k < 3; k++) {
    PetscCall(HgResultsWriteConstant(results, f->speed[k], "speed", names[k], titles[k]));
    panels[k] = (HgPanel){.title = titles[k],
                          .state = f->speed[k],
                          .field = "speed",
                          .low = highest > 0 ? 1500 : 0,
                          .high = highest};
  }
  PetscCall(convergence(run, shots, f, &panels[3]));
  PetscCall(show_wavelet(common, shots, results, f, &count, panels));
  PetscCall(show_deviation(results, f, &count, panels));
  PetscCall(HgProblemWriteDeviations(shots->sum, results));
  PetscCall(HgResultsClose(&results));
  return HgPictureWrite(HgRunComm(run), common->output, "fwi", count - first, panels + first);
}

static PetscErrorCode destroy(Fwi *f) {
  HgState *const states[] = {&f->truth, &f->weights, &f->c, &f->gradient, &f->x, &f->deviation};
  for (int k = 0; k < 3; k++) PetscCall(HgStateDestroy(&f->speed[k]));
  for (int k = 0; k < 6; k++) PetscCall(HgStateDestroy(states[k]));
  PetscCall(HgOperatorDestroy(&f->m_of_c));
  PetscCall(HgOperatorDestroy(&f->x_of_c));
  PetscCall(PetscFree(f->iteration));
  PetscCall(PetscFree(f->time));
  return HgProblemDestroy(&f->model);
}

/* The last stage is too late for a posterior that there cannot be. */
static PetscErrorCode require_prior(HgRun run, const HgInverse *inverse, const Shots *shots) {
  const HgOptions o = HgRunOptions(run);
  if (shots->seek) /* whose mean is free */
    PetscCall(HgOptionsRefuse(o, "with -seek_wavelet", (const char *[]){"-posterior", NULL}));
  HgRequire(PETSC_COMM_WORLD,
            inverse->posterior == 0 || inverse->tikhonov > 0 ||
                HgOptionsGiven(o, "-prior_deviation"),
            HG_ERR_OPTION_CONFLICT,
            "option -posterior: nothing says how large the speed is before the data, expected "
            "-prior_deviation and -prior_length, or -tikhonov above 0");
  return 0;
}

static PetscErrorCode fwi(void) {
  HgCommon common = {.nx = 300, .ny = 150, .slots = 400};
  HgInverse inverse = {
      .tolerance = 1e-3, .iterations = 18, .pairs = 20, .newton = HG_NEWTON_GAUSS, .sums = true};
  Shots shots = {.count = 8,
                 .receivers = 100,
                 .stages = 3,
                 .frequency = {5, 8, 15},
                 .redraw = 10,
                 .listen = 2.3,
                 .noise = 0.05,
                 .smooth = 1e4,
                 .seed = 1,
                 .progress = {.every = 10}};
  Fwi f = {.c = NULL};
  HgRun run;

  /* 1. Options; groups of ranks; in each a mesh, a program, the ground as it is supposed. */
  PetscCall(HgRunCreate("fwi", "full-waveform inversion, shot by shot", &run));
  PetscCall(ShotsOptions(run, &shots));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(EarthCommon(run, &common));
  PetscCall(require_prior(run, &inverse, &shots));
  const HgMeshSpec mesh = EarthMesh(&common);
  PetscCall(ShotsSplit(run, &common, 4 * EarthCell(&mesh), &shots));
  PetscCall(create_model(run, &common, &shots, &f));
  PetscCall(create_control(&common, &shots, &f));

  /* 2. Stage by stage: shots are fired, the sum of their misfits is minimised. */
  PetscCall(ShotsRecord(&common, HgStateMesh(f.first), f.truth, &shots));
  for (int k = 0; k < shots.stages; k++) {
    PetscCall(stage(run, k, &common, &inverse, &shots, &f));
    PetscCall(look(run, &f));
  }
  PetscCall(find_deviation(run, &shots, &f));

  /* 3. What was found: its digest, what it took. */
  double J;
  PetscCall(HgOperatorGradient(HgProblemGet(shots.sum).sum, f.c, &J, f.gradient));
  PetscCall(HgRunDigest(run, J, f.gradient, f.c, common.digest));
  PetscCall(HgRunCost(run, HgProblemGet(shots.sum).trajectory));

  /* 4. Results and picture by the first group, run.json. */
  const PetscErrorCode ierr =
      HgExperimentsGroup(shots.all)->number ? 0 : show(run, &common, &shots, &f);
  PetscCall(HgExperimentsTell(shots.all, ierr));
  PetscCall(HgRunFinish(run, &common, "completed"));
  PetscCall(ShotsClear(&shots));
  PetscCall(ShotsDestroy(&shots));
  PetscCall(destroy(&f));
  return HgRunDestroy(&run);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "fwi: full-waveform inversion, shot by shot\n", fwi);
}
