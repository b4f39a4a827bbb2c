/* SPDX-License-Identifier: BSD-2-Clause */
/* shallow_water_assimilate: 4D-Var. Where the eddies of a sea are, day after day, from moorings
   that see how deep its warm layer is.

   In each window of a day
     minimise J(x) = 1/2 sum ((h(x_k, t_n; x) - d_kn) / sigma)^2 + R(x - x_b)
     subject to shallow water of reduced gravity (stencils/shallow/shallow_water.h)
   x = (h, u, v) is the sea at the window's start, x_b its background, and R says what the error of
   that is like: Matern's prior. The state at the window's end is the next window's background.
   A twin: the moorings see a hidden sea, with noise. A free run, which sees nothing, starts from
   the same first background.

   With -model_error the model counts as wrong (weak constraint): x also has an acceleration
   (wx, wy) of u and v, constant within the window (wind.stencil), 0 in the first background and
   then -model_error_kept times what the window before has found. -wind gives the hidden sea one.

   Sample runs:
     mpirun -n 4 shallow_water_assimilate
     mpirun -n 4 shallow_water_assimilate -windows 20 -resume
     mpirun -n 4 shallow_water_assimilate -wind 1 -model_error 0.3
     mpirun -n 2 shallow_water_assimilate -windows 1 -tao_type nls -newton gauss */
#include "seas.h"
#include <math.h>

enum { WINDOWS = 100, TIMES = 8 /* in a window */ };

/* What this program is asked for beside the inversion. */
typedef struct {
  int windows, moorings;
  double sigma; /* of moorings [m] */
  int seed;
  double deviation[2], reach;            /* of the background's error: h [m], u and v [m/s]; [m] */
  double wind;                           /* over the hidden sea [um/s^2] */
  double error, error_reach, error_kept; /* of the model: deviation [um/s^2], 0: none; [m]; [1] */
} Asked;

typedef struct {
  Seas seas;
  double off[2][WINDOWS]; /* of the free run, of what was found: rms of h [m] by window */
  double day[WINDOWS];
} Story;

static PetscErrorCode read_options(HgRun run, HgCommon *common, HgInverse *inverse, Asked *a) {
  const HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsInt(o, "-windows", "windows of one day each", "", 1, WINDOWS, &a->windows));
  PetscCall(HgOptionsInt(o, "-moorings", "moorings along x and along y", "", 1, 100, &a->moorings));
  PetscCall(HgOptionsReal(o, "-sigma", "standard deviation of a mooring's error", "m", "(0, 100]",
                          &a->sigma));
  PetscCall(HgOptionsInt(o, "-seed", "seed of the moorings' noise", "", 0, 1 << 30, &a->seed));
  PetscCall(HgOptionsReal(o, "-deviation_h", "standard deviation of the background's error in h",
                          "m", "(0, 1000]", &a->deviation[0]));
  PetscCall(HgOptionsReal(o, "-deviation_u",
                          "standard deviation of the background's error in u and v", "m/s",
                          "(0, 10]", &a->deviation[1]));
  PetscCall(HgOptionsReal(o, "-length", "correlation length of the background's error", "m",
                          "(0, 1e6]", &a->reach));
  PetscCall(HgOptionsReal(o, "-wind", "largest acceleration by a wind that only the hidden sea has",
                          "um/s^2", "[0, 100]", &a->wind));
  PetscCall(HgOptionsReal(o, "-model_error",
                          "standard deviation of an acceleration that the model lacks (0: none)",
                          "um/s^2", "[0, 1000]", &a->error));
  PetscCall(HgOptionsReal(o, "-model_error_length", "correlation length of the model error", "m",
                          "(0, 1e6]", &a->error_reach));
  PetscCall(HgOptionsReal(o, "-model_error_kept",
                          "fraction of the model error that carries over to the next window", "",
                          "[0, 1]", &a->error_kept));
  PetscCall(HgRunInverse(run, inverse));
  PetscCall(HgRunCommon(run, common));
  if (!(a->error > 0))
    PetscCall(
        HgOptionsRefuse(o, "without -model_error",
                        (const char *const[]){"-model_error_length", "-model_error_kept", NULL}));
  return HgOptionsRefuse(o, "to windows, whose prior is -deviation_h, -deviation_u and -length",
                         (const char *const[]){"-tikhonov", "-h1", "-discrepancy", "-evidence",
                                               "-prior_deviation", "-prior_length", "-prior_mean",
                                               "-tv", "-posterior", "-samples", "-observations",
                                               NULL});
}

static PetscErrorCode check_length(const Seas *s, const char option[], double length) {
  const HgMeshSpec *const mesh = HgMeshGetSpec(s->mesh);
  const double least = 2 * fmax(mesh->dx, mesh->dy),
               most = fmax(mesh->nx * mesh->dx, mesh->ny * mesh->dy);
  HgRequire(PETSC_COMM_WORLD, length >= least && length <= most, HG_ERR_OPTION_RANGE,
            "option %s: %g m, expected at least two cells, %g m, and at most the sea's side, %g m",
            option, length, least, most);
  return 0;
}

/* ---- a window ---- */

/* What is sought, its deviation and length. */
typedef struct {
  const char *variable;
  double deviation, reach;
} Sought;

/* A bump as high and as wide as the prior expects has a norm near 100, whatever it is of: TAO's
   first steps are up to 100. */
static PetscErrorCode seek(HgProblem problem, int count, const Sought sought[],
                           HgState background) {
  for (int k = 0; k < count; k++) {
    const double scale = 0.01 * sought[k].deviation * sought[k].reach;
    const HgRegularisation prior = {.control = sought[k].variable,
                                    .deviation = sought[k].deviation,
                                    .length = sought[k].reach,
                                    .mean = background};
    PetscCall(HgProblemControl(problem, prior.control, NULL));
    PetscCall(HgProblemBound(problem, prior.control, -INFINITY, INFINITY, scale));
    PetscCall(HgProblemRegularise(problem, &prior));
  }
  return HgProblemSetUp(problem);
}

/* x *= factor in a variable. */
static PetscErrorCode keep(HgState x, const char variable[], double factor) {
  int k;
  PetscCall(HgStateIndex(x, variable, &k));
  return HgStateAXPYVariable(x, k, factor - 1, x, k);
}

/* The background becomes the state at the window's end that fits what the moorings saw. */
static PetscErrorCode assimilate(HgRun run, const HgCommon *common, const HgInverse *inverse,
                                 const Asked *a, int window, const Seas *s) {
  const HgState found = s->sea[SEAS_FOUND];
  const Sought sought[] = {{"h", a->deviation[0], a->reach},
                           {"u", a->deviation[1], a->reach},
                           {"v", a->deviation[1], a->reach},
                           {"wx", a->error, a->error_reach},
                           {"wy", a->error, a->error_reach}};
  const char *reason;
  char name[32];
  HgObservations *seen;
  HgProblem problem;
  PetscCall(SeasLook(s, common, a->moorings, TIMES, a->sigma, (uint64_t)a->seed + (uint64_t)window,
                     &seen));
  PetscCall(HgProblemCreate(run, common, s->program, found, &problem));
  PetscCall(HgProblemObserve(problem, &seen));
  PetscCall(seek(problem, a->error > 0 ? 5 : 3, sought, found));
  snprintf(name, sizeof name, "window-%d", window + 1);
  PetscCall(HgRunStage(run, name, false));
  if (!window) PetscCall(HgProblemCheck(problem, found));
  PetscCall(HgProblemInvert(problem, inverse, &reason));
  PetscCall(HgProblemDigest(problem));
  PetscCall(SeasGoOn(HgProblemGet(problem).final, found));
  PetscCall(keep(found, "wx", a->error_kept));
  PetscCall(keep(found, "wy", a->error_kept));
  return HgProblemDestroy(&problem);
}

static PetscErrorCode compare(const Asked *a, int window, Story *s) {
  double off[2];
  PetscCall(SeasCompare(&s->seas, off));
  for (int k = 0; k < 2; k++) s->off[k][window] = off[k];
  s->day[window] = window + 1;
  return PetscPrintf(PETSC_COMM_WORLD,
                     "window %d of %d: h is off by %.3f m at its end, in the free run by %.3f m\n",
                     window + 1, a->windows, off[1], off[0]);
}

/* The root mean square over all windows. */
static double over_all(const Asked *a, const double off[]) {
  double squares = 0;
  for (int k = 0; k < a->windows; k++) squares += off[k] * off[k];
  return sqrt(squares / a->windows);
}

/* ---- what is left ---- */

static PetscErrorCode draw(const HgCommon *common, const Asked *a, const Story *s) {
  const HgCurve curves[] = {{.label = "free run", .count = a->windows, .x = s->day, .y = s->off[0]},
                            {.label = "4D-Var", .count = a->windows, .x = s->day, .y = s->off[1]}};
  const HgPanel panels[] = {
      {.title = "hidden: h", .state = s->seas.depths, .field = "h_hidden", .low = 80, .high = 120},
      {.title = "free run", .state = s->seas.depths, .field = "h_free", .low = 80, .high = 120},
      {.title = "4D-Var", .state = s->seas.depths, .field = "h", .low = 80, .high = 120},
      {.title = "error of h", .x_label = "day", .y_label = "m", .curves = 2, .curve = curves}};
  return HgPictureWrite(PETSC_COMM_WORLD, common->output, "shallow_water_assimilate", 4, panels);
}

static PetscErrorCode shallow_water_assimilate(void) {
  HgCommon common = {.nx = 50, .ny = 50, .slots = 100, .output = "output/shallow_water_assimilate"};
  HgInverse inverse = {.tolerance = 1e-2, .iterations = 40, .precondition = true};
  Asked asked = {.windows = 10,
                 .moorings = 8,
                 .sigma = 0.5,
                 .seed = 1,
                 .deviation = {1, 0.03},
                 .reach = 1e5,
                 .error_reach = 2e5,
                 .error_kept = 1};
  Story story = {.off = {{0}}};
  HgResults results;
  HgRun run;

  /* 1. Options; the seas: hidden, free, and what is known of it. */
  PetscCall(HgRunCreate("shallow_water_assimilate", "where eddies are, day after day", &run));
  PetscCall(read_options(run, &common, &inverse, &asked));
  PetscCall(SeasCreate(run, &common, asked.wind, &story.seas));
  PetscCall(check_length(&story.seas, "-length", asked.reach));
  if (asked.error > 0)
    PetscCall(check_length(&story.seas, "-model_error_length", asked.error_reach));
  PetscCall(HgResultsCreate(story.seas.mesh, common.output, "shallow_water_assimilate",
                            "eddies of a sea, window by window", &results));

  /* 2. Window by window: the sea that fits the moorings; both other seas go on. */
  for (int window = 0; window < asked.windows; window++) {
    PetscCall(assimilate(run, &common, &inverse, &asked, window, &story.seas));
    PetscCall(SeasForecast(&story.seas, common.steps, story.seas.sea[SEAS_HIDDEN]));
    PetscCall(SeasForecast(&story.seas, common.steps, story.seas.sea[SEAS_FREE]));
    PetscCall(compare(&asked, window, &story));
    PetscCall(HgResultsWrite(results, (double)common.steps * common.dt * (window + 1),
                             story.seas.depths, NULL));
  }

  /* 3. Results, picture, run.json. */
  const double *const off[] = {story.off[0], story.off[1]};
  const int last = asked.windows - 1;
  PetscCall(HgReportSetReal(HgRunReport(run), "error_free", off[0][last]));
  PetscCall(HgReportSetReal(HgRunReport(run), "error", off[1][last]));
  PetscCall(HgReportSetReal(HgRunReport(run), "error_all_free", over_all(&asked, off[0])));
  PetscCall(HgReportSetReal(HgRunReport(run), "error_all", over_all(&asked, off[1])));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "all windows: h is off by %.3f m, in the free run by %.3f m\n",
                        over_all(&asked, off[1]), over_all(&asked, off[0])));
  PetscCall(HgResultsClose(&results));
  PetscCall(draw(&common, &asked, &story));
  PetscCall(HgRunFinish(run, &common, "all windows"));
  PetscCall(SeasDestroy(&story.seas));
  return HgRunDestroy(&run);
}

int main(int n, char **words) { return HgMain(n, words, "", shallow_water_assimilate); }
