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

   Sample runs:
     mpirun -n 4 shallow_water_assimilate
     mpirun -n 4 shallow_water_assimilate -windows 20 -resume
     mpirun -n 2 shallow_water_assimilate -windows 1 -tao_type nls -newton gauss */
#include <halograd/problem.h>
#include <halograd/shallow_water.h>
#include <math.h>

enum { WINDOWS = 100, TIMES = 8 /* in a window */ };

enum { HIDDEN = 0, FREE, FOUND, SEAS };

static const double length = 4e5, depth = 100, coriolis = 1e-4; /* [m], [m], [1/s] */
static const HgShallowWaterParams params = {{0.1}, 0.1};

/* What this program is asked for beside the inversion. */
typedef struct {
  int windows, moorings;
  double sigma; /* of moorings [m] */
  int seed;
  double deviation[2], reach; /* of the background's error: h [m], u and v [m/s]; [m] */
} Asked;

typedef struct {
  HgMesh mesh;
  HgProgram program;
  HgState sea[SEAS];      /* inputs: at the start of a window */
  HgState depths;         /* of the layer in all of them */
  double off[2][WINDOWS]; /* of the free run, of what was found: rms of h [m] by window */
  double day[WINDOWS];
} Story;

/* ---- seas ---- */

typedef struct {
  double x, y, height, radius; /* [m] */
} Eddy;

static const Eddy hidden[] = {{1.3e5, 1.5e5, 18, 3.5e4},
                              {2.6e5, 2.6e5, -15, 4e4},
                              {2.7e5, 1.2e5, 12, 3e4}},
                  supposed[] = {
                      {1.6e5, 1.3e5, 14, 4e4}, {2.3e5, 2.8e5, -11, 4e4}, {2.5e5, 1.5e5, 8, 3e4}};

enum { EDDIES = sizeof hidden / sizeof *hidden };

static double bump(const Eddy *e, double x, double y) {
  return e->height * exp(-pow(hypot(x - e->x, y - e->y) / e->radius, 2) / 2);
}

/* The pressure balances the Earth's rotation: f (-v, u) = -g grad h. */
static double at(const Eddy *eddies, char what, double x, double y) {
  double sum = what == 'h' ? depth : 0;
  for (const Eddy *e = eddies; e < eddies + EDDIES; e++) {
    const double h = bump(e, x, y), r2 = e->radius * e->radius;
    if (what == 'h') sum += h;
    if (what == 'u') sum += params.gravity / coriolis * h * (y - e->y) / r2;
    if (what == 'v') sum -= params.gravity / coriolis * h * (x - e->x) / r2;
  }
  return sum;
}

typedef struct {
  const Eddy *eddies;
  char what;
} Field;

static double field(double x, double y, void *context) {
  const Field *f = context;
  return at(f->eddies, f->what, x, y);
}

static PetscErrorCode fill(HgState x, const Eddy *eddies) {
  for (const char *what = "huv"; *what; what++)
    PetscCall(HgStateSetField(x, (char[]){*what, 0}, field, &(Field){eddies, *what}));
  PetscCall(HgStateSetConstant(x, "f", coriolis));
  return HgStateSetConstant(x, "nu", 50);
}

/* ---- options, mesh, program ---- */

static PetscErrorCode read_options(HgRun run, HgCommon *common, HgInverse *inverse, Asked *a) {
  const HgOptions o = HgRunOptions(run);
  PetscCall(HgOptionsInt(o, "-windows", "of a day", "", 1, WINDOWS, &a->windows));
  PetscCall(HgOptionsInt(o, "-moorings", "along x and along y", "", 1, 100, &a->moorings));
  PetscCall(
      HgOptionsReal(o, "-sigma", "standard deviation of moorings", "m", "(0, 100]", &a->sigma));
  PetscCall(HgOptionsInt(o, "-seed", "of their noise", "", 0, 1 << 30, &a->seed));
  PetscCall(HgOptionsReal(o, "-deviation_h", "of the background's error", "m", "(0, 1000]",
                          &a->deviation[0]));
  PetscCall(
      HgOptionsReal(o, "-deviation_u", "of that of u and v", "m/s", "(0, 10]", &a->deviation[1]));
  PetscCall(HgOptionsReal(o, "-length", "over which it changes", "m", "(0, 1e6]", &a->reach));
  PetscCall(HgRunInverse(run, inverse));
  PetscCall(HgRunCommon(run, common));
  return HgOptionsRefuse(
      o, "to windows, whose prior is -deviation_h, -deviation_u and -length",
      (const char *const[]){"-tikhonov", "-h1", "-discrepancy", "-prior_deviation", "-prior_length",
                            "-prior_mean", "-tv", "-posterior", "-samples", "-observations", NULL});
}

static PetscErrorCode create(HgRun run, HgCommon *common, Story *s) {
  const double dx = length / common->nx, dy = length / common->ny;
  const HgMeshSpec square = {.nx = common->nx,
                             .ny = common->ny,
                             .px = common->px,
                             .py = common->py,
                             .x0 = dx / 2,
                             .y0 = dy / 2,
                             .dx = dx,
                             .dy = dy};
  static const HgVariable depths[] = {{.name = "h_hidden", .unit = "m"},
                                      {.name = "h_free", .unit = "m"},
                                      {.name = "h", .unit = "m"}};
  const double day = 86400;
  PetscCall(HgRunTimeStep(
      run, day,
      HgShallowWaterLargestStep(params.gravity, params.scheme.epsilon, 1.2 * depth, 0.5, dx, dy),
      common));
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &square, &s->mesh));
  PetscCall(HgReportSetMesh(HgRunReport(run), s->mesh));
  PetscCall(
      HgProgramCreatePhysics(s->mesh, &hg_shallow_water_physics, &params, common->dt, &s->program));
  PetscCall(HgProgramSetUp(s->program));
  for (int k = 0; k < SEAS; k++) {
    PetscCall(HgProgramCreateInput(s->program, &s->sea[k]));
    PetscCall(fill(s->sea[k], k == HIDDEN ? hidden : supposed));
  }
  return HgStateCreate(s->mesh, SEAS, depths, &s->depths);
}

static PetscErrorCode destroy(Story *s) {
  for (int k = 0; k < SEAS; k++) PetscCall(HgStateDestroy(&s->sea[k]));
  PetscCall(HgStateDestroy(&s->depths));
  PetscCall(HgProgramDestroy(&s->program));
  return HgMeshDestroy(&s->mesh);
}

/* ---- a window ---- */

/* What a step carries goes on in x from the end of a run. */
static PetscErrorCode go_on(HgState final, HgState x) {
  for (int k = 0, l; k < HgStateCount(final); k++) {
    PetscCall(HgStateIndex(x, HgStateVariable(final, k)->name, &l));
    PetscCall(HgStateCopyVariable(final, k, x, l));
  }
  return 0;
}

static PetscErrorCode forecast(const Story *s, long steps, HgState x) {
  HgObjective nothing;
  HgTrajectory run;
  double J;
  PetscCall(HgObjectiveCreate(s->program, steps, &nothing));
  PetscCall(HgTrajectoryCreate(s->program, steps, nothing, NULL, &run));
  PetscErrorCode ierr = HgTrajectoryValue(run, x, &J);
  if (!ierr) ierr = go_on(HgTrajectoryFinal(run), x);
  PetscCall(HgTrajectoryDestroy(&run));
  PetscCall(HgObjectiveDestroy(&nothing));
  return ierr;
}

/* What the moorings see of the hidden sea during a window. */
static PetscErrorCode look(const HgCommon *common, const Asked *a, int window, const Story *s,
                           HgObservations **seen) {
  HgObservations *o;
  const int count = a->moorings * a->moorings;
  PetscCall(HgObservationsCreate(PETSC_COMM_WORLD, "h", "m", TIMES, count, &o));
  for (int k = 0; k < count; k++) {
    o->x[k] = (k % a->moorings + 0.5) * length / a->moorings;
    o->y[k] = ((double)(k / a->moorings) + 0.5) * length / a->moorings;
  }
  for (int n = 0; n < TIMES; n++) o->time[n] = common->dt * (double)common->steps * (n + 1) / TIMES;
  for (int k = 0; k < TIMES * count; k++) o->sigma[k] = a->sigma;
  PetscCall(HgTwinObserve(s->program, common->steps, s->sea[HIDDEN], o));
  HgObservationsAddNoise(o, a->sigma, (uint64_t)a->seed + (uint64_t)window);
  *seen = o;
  return 0;
}

/* The background becomes the state at the window's end that fits what the moorings saw. */
static PetscErrorCode assimilate(HgRun run, const HgCommon *common, const HgInverse *inverse,
                                 const Asked *a, int window, Story *s) {
  const char *reason;
  char name[32];
  HgObservations *seen;
  HgProblem problem;
  PetscCall(look(common, a, window, s, &seen));
  PetscCall(HgProblemCreate(run, common, s->program, s->sea[FOUND], &problem));
  PetscCall(HgProblemObserve(problem, &seen));
  for (const char *what = "huv"; *what; what++) {
    const HgRegularisation prior = {.control = (char[]){*what, 0},
                                    .deviation = a->deviation[*what != 'h'],
                                    .length = a->reach,
                                    .mean = s->sea[FOUND]};
    PetscCall(HgProblemControl(problem, prior.control, NULL));
    PetscCall(HgProblemRegularise(problem, &prior));
  }
  PetscCall(HgProblemSetUp(problem));
  snprintf(name, sizeof name, "window-%d", window + 1);
  PetscCall(HgRunStage(run, name, false));
  if (!window) PetscCall(HgProblemCheck(problem, s->sea[FOUND]));
  PetscCall(HgProblemInvert(problem, inverse, &reason));
  PetscCall(HgProblemFit(problem));
  PetscCall(HgProblemDigest(problem));
  PetscCall(go_on(HgProblemGet(problem).final, s->sea[FOUND]));
  return HgProblemDestroy(&problem);
}

/* The depths of all seas at the end of a window; how far two are off. */
static PetscErrorCode compare(const HgCommon *common, const Asked *a, int window, Story *s) {
  HgState off;
  PetscCall(HgStateDuplicate(s->depths, &off));
  for (int k = 0, h; k < SEAS; k++) {
    PetscCall(HgStateIndex(s->sea[k], "h", &h));
    PetscCall(HgStateCopyVariable(s->sea[k], h, s->depths, k));
  }
  for (int k = FREE; k <= FOUND; k++) {
    double squares;
    PetscCall(HgStateZero(off));
    PetscCall(HgStateAXPYVariable(off, 0, 1, s->depths, k));
    PetscCall(HgStateAXPYVariable(off, 0, -1, s->depths, HIDDEN));
    PetscCall(HgStateDot(off, off, &squares));
    s->off[k - FREE][window] = sqrt(squares / ((double)common->nx * common->ny));
  }
  s->day[window] = window + 1;
  PetscCall(HgStateDestroy(&off));
  return PetscPrintf(PETSC_COMM_WORLD,
                     "window %d of %d: h is off by %.3f m at its end, in the free run by %.3f m\n",
                     window + 1, a->windows, s->off[1][window], s->off[0][window]);
}

/* ---- what is left ---- */

static PetscErrorCode draw(const HgCommon *common, const Asked *a, const Story *s) {
  const HgCurve curves[] = {{.label = "free run", .count = a->windows, .x = s->day, .y = s->off[0]},
                            {.label = "4D-Var", .count = a->windows, .x = s->day, .y = s->off[1]}};
  const HgPanel panels[] = {
      {.title = "hidden: h", .state = s->depths, .field = "h_hidden", .low = 80, .high = 120},
      {.title = "free run", .state = s->depths, .field = "h_free", .low = 80, .high = 120},
      {.title = "4D-Var", .state = s->depths, .field = "h", .low = 80, .high = 120},
      {.title = "error of h", .x_label = "day", .y_label = "m", .curves = 2, .curve = curves}};
  return HgPictureWrite(PETSC_COMM_WORLD, common->output, "shallow_water_assimilate", 4, panels);
}

static PetscErrorCode shallow_water_assimilate(void) {
  HgCommon common = {.nx = 50, .ny = 50, .slots = 100, .output = "output/shallow_water_assimilate"};
  HgInverse inverse = {.tolerance = 1e-2, .iterations = 25, .precondition = true};
  Asked asked = {
      .windows = 10, .moorings = 8, .sigma = 0.5, .seed = 1, .deviation = {1, 0.03}, .reach = 1e5};
  Story story = {.mesh = NULL};
  HgResults results;
  HgRun run;

  /* 1. Options; the seas: hidden, free, and what is known of it. */
  PetscCall(HgRunCreate("shallow_water_assimilate", "where eddies are, day after day", &run));
  PetscCall(read_options(run, &common, &inverse, &asked));
  PetscCall(create(run, &common, &story));
  PetscCall(HgResultsCreate(story.mesh, common.output, "shallow_water_assimilate",
                            "eddies of a sea, window by window", &results));

  /* 2. Window by window: the sea that fits the moorings; both other seas go on. */
  for (int window = 0; window < asked.windows; window++) {
    PetscCall(assimilate(run, &common, &inverse, &asked, window, &story));
    PetscCall(forecast(&story, common.steps, story.sea[HIDDEN]));
    PetscCall(forecast(&story, common.steps, story.sea[FREE]));
    PetscCall(compare(&common, &asked, window, &story));
    PetscCall(HgResultsWrite(results, (double)common.steps * common.dt * (window + 1), story.depths,
                             NULL));
  }

  /* 3. Results, picture, run.json. */
  const double *const off[] = {story.off[0], story.off[1]};
  const int last = asked.windows - 1;
  PetscCall(HgReportSetReal(HgRunReport(run), "error_free", off[0][last]));
  PetscCall(HgReportSetReal(HgRunReport(run), "error", off[1][last]));
  PetscCall(HgResultsClose(&results));
  PetscCall(draw(&common, &asked, &story));
  PetscCall(HgRunFinish(run, &common, "all windows"));
  PetscCall(destroy(&story));
  return HgRunDestroy(&run);
}

int main(int n, char **words) { return HgMain(n, words, "", shallow_water_assimilate); }
