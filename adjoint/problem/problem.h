/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/problem.h -- an application's inverse problem, stated as in a paper.

     minimise J(m) = misfit(x(m)) + R(m)   for controls m between bounds

     x(m)     the input of the program: its first guess, with the controlled variables replaced
     misfit   1/2 sum_k ((H_k q - d_k) / sigma_k)^2 over the trajectory from x (objective.h)
     R        the regularisation, of controls or of variables of x (control.h)

   First declare what is given, in any order; then set up; then ask for what you want:

     HgProblemCreate(run, &common, program, x, &problem);
     HgProblemObserve(problem, &observations);
     HgProblemControl(problem, "kappa", parametrisation);         m -> kappa
     HgProblemBound(problem, "m", log(0.2), log(2.5), 0);
     HgProblemRegularise(problem, &(HgRegularisation){"m", tikhonov, h1, m_0});
     HgProblemSetUp(problem);
     HgProblemTruth(problem, "kappa", &truth);                    if it is known: fill it
     HgProblemCheck(problem, x);
     HgProblemInvert(problem, &inverse, &reason);
     HgProblemDigest(problem);
     HgProblemWrite(problem, 0, NULL);

   HgProblemTwin() gives observations and truth of a twin experiment. HgProblemComplete() does
   everything after HgProblemRegularise().

   A problem without controls is a forward problem: J is the misfit of x. HgProblemGet() hands out
   the objects that the problem consists of. They belong to the problem and live as long as it does.
   */
#ifndef HALOGRAD_PROBLEM_H
#define HALOGRAD_PROBLEM_H

#include <halograd/control.h>
#include <halograd/results.h>
#include <halograd/run.h>
#include <halograd/trajectory.h>

/* The initial value of a variable of the input; or the value of a number or table in the physics'
   params, which then need no struct. */
typedef struct {
  const char *variable;
  double value;                        /* in all cells; or of the number */
  double (*field)(double x, double y); /* if not NULL, at cell centres [m] instead */
  /* The range that the variable may reach as time passes or during an inversion: the time step must
     be stable at both ends. Both 0: only its given value counts. */
  double least, most;
  double (*time)(double t); /* of a table, or of numbers by step: entry n is time(n dt [s]) */
  double (*volume)(double x, double y, double z); /* instead of `field` on meshes with levels */
  /* Instead of `time`, for several numbers by step: the value of number s; or, for numbers along a
     side, of the cells with their centre at x or y = s [m] */
  double (*along)(double t, double s);
} HgGiven;

/* Twin experiments: data from a run whose truth is known. */

/* A rectangle is divided into columns x rows boxes, with a sensor in the middle of each. They read
   at the times from + (end - from) n / times, n = 1 .. times. `whole`: snapshots of all cells after
   the steps nearest to these times instead. */
typedef struct {
  const char *variable;
  int columns, rows;
  double west, east, south, north; /* the rectangle [m]; both ends of an axis 0: from the first
                                      cell's centre to the last one's */
  int times;                       /* how often they read, the last time at the end of the run */
  double from;                     /* [s] */
  double sigma;  /* standard deviation of the noise, > 0, in the variable's unit */
  uint64_t seed; /* of the noise */
  bool whole;    /* snapshots; leave columns, rows and rectangle 0 */
  int layers;    /* on a mesh with levels: how many are above each other; 0: one */
  /* range of heights [m], cut into `layers` equal parts with sensors in the middle; both 0: all
     levels */
  double below, above;
} HgSensors;

/* Sets observations->value to what the sensors see, without noise, while `program` makes `steps`
   steps from the input `x`. Stores no states. Collective. Errors: those of HgObjectiveAddSensors()
   and HgTrajectoryValue(). */
PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x,
                             HgObservations *observations);

/* A problem: what was declared, and the objects made of it. */
typedef struct HgProblem_s *HgProblem;

/* Creates a problem for common->steps steps of a program, with checkpoints as `common` says
   (copied). Borrows `program` and its input `x`. `x` holds the first guess of the controlled
   variables and the values of all others; after HgProblemInvert() it holds x(m). Collective. */
PetscErrorCode HgProblemCreate(HgRun run, const HgCommon *common, HgProgram program, HgState x,
                               HgProblem *problem);

/* Like HgProblemCreate(), but also makes mesh, program and input, which belong to the problem:

     const HgGiven given[] = {{"u", .field = first}, {"kappa", 1.5, .most = 4}, {NULL}};
     HgProblemCreatePhysics(run, &common, &spec, &physics, &params, given, &problem);

   `physics` is borrowed. `spec` describes the mesh; cells, patches and levels come from `common`.
   `given` ends with the variable NULL. Variables that are not given are 0. Pass params = NULL if
   the physics takes none, or if all its numbers and tables are given. Numbers by step cover all
   steps, and are 0 unless given. Writes the mesh and the largest stable time step to the report.
   Collective. Errors: those of HgProblemCreate(), HgMeshCreate() and HgProgramCreatePhysics(); dt
   above the physics' limit for the given values; an unknown variable; a number or table that is not
   given; least > most. */
PetscErrorCode HgProblemCreatePhysics(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                                      const HgPhysics *physics, const void *params,
                                      const HgGiven given[], HgProblem *problem);

/* Frees the problem and all it owns, sets NULL. Call it before HgRunDestroy(). Collective. */
PetscErrorCode HgProblemDestroy(HgProblem *problem);

/* ---- what is given ---- */

/* Adds the readings of sensors to the misfit. Takes ownership of the observations and sets
   *observations to NULL, also if it refuses them. Collective. Errors: those of
   HgObjectiveAddSensors(). */
PetscErrorCode HgProblemObserve(HgProblem problem, HgObservations **observations);

/* Makes a twin experiment. The truth is a copy of x with hidden->variable as given there, such as
   &(HgGiven){"kappa", .field = hidden} for hidden(x, y) at cell centres. Set all other variables of
   x before. Runs the program from the truth and observes it with `sensors`, with noise; if they are
   `whole`, as snapshots. With -observations FILE it reads the observations of sensors->variable
   from the file instead, and no truth is known. Collective. Errors: no such variable, or one that
   is not carried; less than one column or row; times not within the run; sigma not positive and
   finite; two snapshots of one step; those of HgObservationsRead() and HgProblemObserve(); a file
   of another variable. */
PetscErrorCode HgProblemTwin(HgProblem problem, const HgGiven *hidden, const HgSensors *sensors);

/* Makes `variable` of x a control: x_variable = P(m). The problem becomes an owner of the
   parametrisation P; NULL: the variable itself is the control. Errors (here or in
   HgProblemSetUp()): those of HgControlCreate(); HgProblemMap() was called. */
PetscErrorCode HgProblemControl(HgProblem problem, const char variable[],
                                HgOperator parametrisation);

/* Instead of controls: one operator of your own for x(m), of which the problem becomes an owner.
   `variables`, ended by NULL, are those of x that depend on m. Errors: after HgProblemControl(); a
   second call; no variables. */
PetscErrorCode HgProblemMap(HgProblem problem, HgOperator map, const char *const variables[]);

/* Sets bounds lower <= control <= upper, and replaces earlier ones; -INFINITY, INFINITY: no bound.
   `scale` is the expected size of a change (HgInversionSetBounds()); 0: as set before, else 1.
   Errors, in HgProblemInvert(): those of HgInversionSetBounds(). */
PetscErrorCode HgProblemBound(HgProblem problem, const char control[], double lower, double upper,
                              double scale);

/* HgProblemControl() of `variable` itself, HgProblemBound() from `lower` to `upper`, and
   HgProblemRegularise() around `reference` with the weights of -tikhonov and -h1. If both bounds
   are finite, the scale is upper - lower. Errors: theirs. */
PetscErrorCode HgProblemSeek(HgProblem problem, const char variable[], double reference,
                             double lower, double upper, const HgInverse *weights);

/* Adds a term to R. `control` names a control or, if no control has this name, a variable of x:
   then R(x(m)). -prior_deviation and -prior_length replace the weights, -prior_mean replaces the
   mean, and -tv is added. Numbers by step are one time step apart. Factors and mean must live until
   HgProblemSetUp(), which gives the errors of HgRegularisationCreate(). */
PetscErrorCode HgProblemRegularise(HgProblem problem, const HgRegularisation *regularisation);

/* Creates controls, trajectory, R and J. Keeps only those constants of the program active
   (HgProgramSetActive()) that depend on m, in this problem or in another one of the run on the same
   program; all of them if one of these problems has no controls. If nothing needs a reverse sweep
   (no controls, no -check, -doctor or -digest), it stores no checkpoints. Collective. Errors: those
   of the parts; options of checkpoints although none are stored. */
PetscErrorCode HgProblemSetUp(HgProblem problem);

/* After HgProblemSetUp(): *truth is an input of the program, all zeros, for you to fill with the
   truth. `variable` is the hidden one. Collective. Errors: no such variable. */
PetscErrorCode HgProblemTruth(HgProblem problem, const char variable[], HgState *truth);

/* After HgProblemSetUp() of all: makes the misfit the sum of the misfits of `each` of the `count`
   experiments of `all` (experiments.h). `problem` may be one of them. All have the same controls.
   each[k] = NULL: experiment k belongs to another group. `each` is borrowed. R, bounds and
   -posterior are those of `problem`; -samples are not run to readings. Every group of ranks makes
   one such problem and makes the same calls on it. Collective. Errors: those of
   HgExperimentsFunctional(). */
PetscErrorCode HgProblemSum(HgProblem problem, HgExperiments all, int count, HgProblem each[]);

/* ---- what is wanted, after HgProblemSetUp() ---- */

/* With -check, checks and prints one line for each stencil, for a step and for the trajectory
   around the input `x` (NULL: the problem's; HgCheckProgram()). With controls it also checks x(m),
   R and J around the first guess. All are checked as they will run, with the active constants. With
   -doctor, it first examines the trajectory's gradient at the first guess step by step (doctor.h).
   Collective. Error: a check failed. */
PetscErrorCode HgProblemCheck(HgProblem problem, HgState x);

/* Inverts from the first guess m and prints a line for each iterate. Afterwards, also after an
   error, m and x(m) are those found. *reason says why it ended. Prints and reports how well x(m)
   fits: J, misfit over expectation and, if the truth is known, the error of the first guess and of
   the result. With -posterior it adds the leading eigenvalues of the misfit's Hessian over that of
   the regularisation, and standard deviations of the controls; HgProblemWrite() writes them as
   "kappa_deviation_prior" and "kappa_deviation". With -samples it also draws samples, runs them,
   writes them into <name of the run>_samples, and adds bands to what sensors predict:
   "u_predicted", "u_predicted_deviation", ... If the Hessian of J or of R is not positive definite,
   it prints a sentence, finds no posterior, and the run ends as HG_FAILED. Collective. Errors: no
   controls; those of HgInversionSolve(). */
PetscErrorCode HgProblemInvert(HgProblem problem, const HgInverse *inverse, const char **reason);

/* Reports J, the digests of gradient and final state (printed with -digest), and what they cost:
   HgRunDigest(), HgRunCost(). If nothing was inverted, it computes them at the first guess.
   Collective. Errors: J is not finite, as of HgTrajectoryValue(). */
PetscErrorCode HgProblemDigest(HgProblem problem);

/* Writes the results of the run to common->output, under the name of the run: each variable that
   was inverted for, as "kappa", and its truth, as "kappa_truth" (carried variables as "u_0",
   "u_0_truth"); the final state; a picture of `panels`; and run.json (HgRunFinish()). count 0:
   panels of the result, the truth, the final state of the first observed variable, and the
   convergence. With -posterior there is one more panel with the standard deviation. Collective.
   Errors: those of HgResultsCreate(), HgResultsWrite() and HgPictureWrite(). */
PetscErrorCode HgProblemWrite(HgProblem problem, int count, const HgPanel panels[]);

/* For programs that write their own results: adds what -posterior found, as HgProblemWrite() does.
   Does nothing without -posterior. Collective. Errors: those of HgResultsWriteConstant(). */
PetscErrorCode HgProblemWriteDeviations(HgProblem problem, HgResults results);

/* Does all the rest: HgProblemSetUp(), HgProblemCheck() around the first guess x,
   HgProblemInvert(), HgProblemDigest(), and HgProblemWrite() with the default picture. Frees
   problem and run and sets them to NULL. Collective. Errors: theirs. */
PetscErrorCode HgProblemComplete(HgProblem *problem, HgRun *run, const HgInverse *inverse);

/* ---- the objects of a problem ---- */

typedef struct {
  HgProgram program;
  HgState x;                     /* its input */
  HgObservations **observations; /* of each HgProblemObserve(); J has a copy of its own */
  HgObjective objective;         /* you may add terms before HgProblemSetUp() */
  HgTrajectory trajectory;       /* of the misfit */
  HgState controls;              /* m; set your first guess here. Without controls: x */
  HgState final;                 /* q_N of the last run */
  HgOperator input;              /* m -> x; NULL: no controls */
  HgOperator regularisation;     /* m -> R(m); NULL: none */
  HgOperator sum;                /* m -> J(m) after HgProblemSum(), else NULL */
  HgState prior, deviation;      /* standard deviations that -posterior found, else NULL */
} HgProblemParts;

/* All belong to the problem. The first four are there at any time, the others after
   HgProblemSetUp(). Not collective. */
HgProblemParts HgProblemGet(HgProblem problem);

/* The operator m -> misfit(x(m)), created at the first call. Collective. Error: before
   HgProblemSetUp(). */
PetscErrorCode HgProblemMisfit(HgProblem problem, HgOperator *misfit);

#endif
