/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/problem.h -- the problem of an application, as a paper states it.

     minimise J(m) = misfit(x(m)) + R(m)   for controls m between bounds

     x(m)     the input of the program: its first guess with the variables that controls replace
     misfit   1/2 sum_k ((H_k q - d_k) / sigma_k)^2 over the trajectory from x (objective.h)
     R        Tikhonov and H1, of controls or of variables of x (control.h)

   An application declares data, controls and regularisation in any order, sets up, and then checks,
   inverts and writes:

     HgProblemCreate(run, &common, program, x, &problem);
     HgProblemObserve(problem, &observations);
     HgProblemControl(problem, "kappa", parametrisation);         m -> kappa
     HgProblemBound(problem, "m", log(0.2), log(2.5), 0);
     HgProblemRegularise(problem, &(HgRegularisation){"m", tikhonov, h1, m_0});
     HgProblemSetUp(problem);
     HgProblemTruth(problem, "kappa", &truth);                    if it is known: to be filled
     HgProblemCheck(problem, x);
     HgProblemInvert(problem, &inverse, &reason);
     HgProblemDigest(problem);
     HgProblemWrite(problem, 0, NULL);

   HgProblemTwin() replaces HgProblemObserve() and HgProblemTruth() in a twin experiment;
   HgProblemComplete() does everything after HgProblemRegularise().

   Without controls it is a forward problem: J is the misfit of x, and x its own control.
   HgProblemGet() returns its parts, which belong to the problem and live as long as it does. */
#ifndef HALOGRAD_PROBLEM_H
#define HALOGRAD_PROBLEM_H

#include <halograd/control.h>
#include <halograd/results.h>
#include <halograd/run.h>
#include <halograd/trajectory.h>

/* The value of a variable of the input at the start, or of a number or a table of the physics; an
   application that gives all of these needs no struct of params. */
typedef struct {
  const char *variable;
  double value;                        /* in all cells; of a number */
  double (*field)(double x, double y); /* instead, at cell centres [m], unless NULL */
  /* The range of its values during the run or the inversion: the time step must be stable for both.
     Both 0: only the given values count. */
  double least, most;
  double (*time)(double t); /* [s], of a table, or of numbers by step: entry n is time(n dt) */
  double (*volume)(double x, double y, double z); /* instead of `field`, with levels */
  /* Instead of `time`, of several numbers a step: of number s, or of that of the cells whose centre
     is at x or y = s [m] */
  double (*along)(double t, double s);
} HgGiven;

/* Twin experiments: data from a run whose truth is known. */

/* A rectangle is divided into columns x rows boxes, with a sensor in the middle of each. They read
   at the times from + (end - from) n / times, n = 1 .. times. `whole`: snapshots of all cells after
   the steps nearest to these times instead. */
typedef struct {
  const char *variable;
  int columns, rows;
  double west, east, south, north; /* the rectangle [m]; both 0 of an axis: from the first cell's
                                      centre to the last one's */
  int times;                       /* how often they read, the last time at the end of the run */
  double from;                     /* [s] */
  double sigma;                    /* standard deviation of the noise, in its unit, above 0 */
  uint64_t seed;                   /* of the noise */
  bool whole;                      /* snapshots; columns, rows and rectangle stay 0 */
  int layers;                      /* sensors above each other, on a mesh with levels; 0: one */
  double below, above;             /* between these heights [m]; both 0: all levels */
} HgSensors;

/* observations->value: what its sensors see, without noise, while `program` makes `steps` steps
   from the input `x`. Nothing is stored. Collective. Errors: those of HgObjectiveAddSensors() and
   HgTrajectoryValue(). */
PetscErrorCode HgTwinObserve(HgProgram program, long steps, HgState x,
                             HgObservations *observations);

/* A problem: what is given, and what was made of it. */
typedef struct HgProblem_s *HgProblem;

/* A problem of a program over common->steps steps with checkpoints as `common` says, which is
   copied. `program` is borrowed, and so is its input `x`: first guess of what controls replace, and
   the values of all else; it holds x(m) after HgProblemInvert(). Collective. */
PetscErrorCode HgProblemCreate(HgRun run, const HgCommon *common, HgProgram program, HgState x,
                               HgProblem *problem);

/* Makes mesh, program and input, too, which are the problem's:

     const HgGiven given[] = {{"u", .field = first}, {"kappa", 1.5, .most = 4}, {NULL}};
     HgProblemCreatePhysics(run, &common, &spec, &physics, &params, given, &problem);

   The physics is borrowed; `spec` says the mesh, but cells, patches and levels are as in `common`;
   `given` is ended by a variable NULL; variables that are not given are 0. params NULL: it takes
   none, or all of its numbers and tables are given; numbers by step are for all steps, 0 unless
   they are given. Mesh and limit of the time step go to the report. Collective. Errors: those of
   HgProblemCreate(), HgMeshCreate() and HgProgramCreatePhysics(); dt beyond the physics' limit for
   what is given; an unknown variable; a number or table that is not given; least > most. */
PetscErrorCode HgProblemCreatePhysics(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                                      const HgPhysics *physics, const void *params,
                                      const HgGiven given[], HgProblem *problem);

/* Frees all that it made or was given, sets NULL; to be called before its run is destroyed.
   Collective. */
PetscErrorCode HgProblemDestroy(HgProblem *problem);

/* ---- what is given ---- */

/* Adds what sensors measured to the misfit. The observations belong to the problem from then on,
   and *observations is NULL; those that it refuses are freed. Collective. Errors: those of
   HgObjectiveAddSensors(). */
PetscErrorCode HgProblemObserve(HgProblem problem, HgObservations **observations);

/* A twin experiment: observations of what `sensors` see, or, if they are `whole`, snapshots, with
   noise, in a run from x where hidden->variable is as given there, which is the truth; x holds all
   else by then. Such as &(HgGiven){"kappa", .field = hidden} for hidden(x, y) at cell centres.
   With -observations FILE those of the file instead, of sensors->variable; no truth is known then.
   Collective. Errors: those of HgTwinSense(), HgTwinSnapshots(), HgObservationsRead() and
   HgProblemObserve(); a file of another variable. */
PetscErrorCode HgProblemTwin(HgProblem problem, const HgGiven *hidden, const HgSensors *sensors);

/* `variable` of x is sought: P(m) with P the parametrisation, of which the problem becomes an
   owner; NULL: the variable itself. Errors (here or in HgProblemSetUp()): those of
   HgControlCreate(); after HgProblemMap(). */
PetscErrorCode HgProblemControl(HgProblem problem, const char variable[],
                                HgOperator parametrisation);

/* Instead: x(m) as one operator of one's own, of which the problem becomes an owner; `variables`,
   ended by NULL, are those of x that depend on m. Errors: after HgProblemControl(), or twice; none
   of them. */
PetscErrorCode HgProblemMap(HgProblem problem, HgOperator map, const char *const variables[]);

/* lower <= control <= upper, replacing earlier bounds; -INFINITY, INFINITY: free. `scale`: a
   typical change of the control (HgInversionSetBounds()); 0: as set before, or 1.
   Errors, by HgProblemInvert(): those of HgInversionSetBounds(). */
PetscErrorCode HgProblemBound(HgProblem problem, const char control[], double lower, double upper,
                              double scale);

/* HgProblemControl() of `variable` itself, HgProblemBound() from `lower` to `upper` and
   HgProblemRegularise() around `reference` with the weights of -tikhonov and -h1. The scale is
   upper - lower, if these are finite. Errors: theirs. */
PetscErrorCode HgProblemSeek(HgProblem problem, const char variable[], double reference,
                             double lower, double upper, const HgInverse *weights);

/* Adds to R: -prior_deviation and -prior_length replace its weights, -prior_mean its mean, and -tv
   is added; numbers by step are a time step apart. The name is that of a control or, if no control
   is called so, of a variable of x: R(x(m)). Factors and mean must live until HgProblemSetUp(),
   which gives the errors of HgRegularisationCreate(). */
PetscErrorCode HgProblemRegularise(HgProblem problem, const HgRegularisation *regularisation);

/* Makes controls, trajectory, R and J; of the program's constants only those stay active
   (HgProgramSetActive()) that depend on m, of this problem or of another one of the run on the same
   program; all of them if one has no controls. Nothing is stored for a reverse sweep if there is
   none: no controls, no -check, -doctor or -digest. Collective. Errors: those of the parts; options
   of checkpoints where nothing is stored. */
PetscErrorCode HgProblemSetUp(HgProblem problem);

/* After HgProblemSetUp(): *truth is the input of the program, zeros for the caller to fill, whose
   `variable` is hidden. Collective. Errors: no such variable. */
PetscErrorCode HgProblemTruth(HgProblem problem, const char variable[], HgState *truth);

/* After HgProblemSetUp() of all: the misfit is the sum of those of `each` of the `count`
   experiments of `all` from now on (experiments.h), of which it may be one, as they have the same
   controls; NULL is another group's, and `each` is borrowed. R, bounds and -posterior are its own.
   Each group of ranks makes one such problem, and does the same with it; no -samples are drawn.
   Collective. Errors: those of HgExperimentsFunctional(). */
PetscErrorCode HgProblemSum(HgProblem problem, HgExperiments all, int count, HgProblem each[]);

/* ---- what is wanted, after HgProblemSetUp() ---- */

/* With -check, a line for each: the stencils, a step and the trajectory around the input `x`, NULL:
   the problem's own (HgCheckProgram()), and if there are controls x(m), R and J around the first
   guess, as they will run: with the constants that are active. With -doctor, the trajectory's
   gradient at the first guess is examined step by step before (doctor.h). Collective. Error: a
   check failed. */
PetscErrorCode HgProblemCheck(HgProblem problem, HgState x);

/* Inverts from m, with a line for each iterate; m and x(m) are those found, before an error, too.
   *reason: why it ended. Prints and reports how well x(m) fits: J, misfit over expectation and,
   where the truth is known, the error of the first guess and of what was found. With -posterior
   also the leading eigenvalues of the misfit's Hessian over the regularisation's, and standard
   deviations of the controls, which HgProblemWrite() writes as "kappa_deviation_prior" and
   "kappa_deviation". With -samples some are run and written into <name of the run>_samples, and
   what sensors predict has its band: "u_predicted", "u_predicted_deviation", ... If the Hessian of
   J or of R is not positive definite, a sentence says so, there are none, and the run ends as
   HG_FAILED. Collective. Errors: no controls; those of HgInversionSolve(). */
PetscErrorCode HgProblemInvert(HgProblem problem, const HgInverse *inverse, const char **reason);

/* J, digests of gradient and final state (printed with -digest), and what they cost: HgRunDigest(),
   HgRunCost(); those of m, where nothing was inverted. Collective. Errors: J is not finite, as of
   HgTrajectoryValue(). */
PetscErrorCode HgProblemDigest(HgProblem problem);

/* What is left of the run, in common->output under the name of the run: results (each variable that
   was sought, as "kappa", and its truth, as "kappa_truth"; "u_0" and "u_0_truth" if it is carried;
   the final state), the picture of `panels`, and run.json (HgRunFinish()). count 0: what was found,
   the truth, what the first sensors see at the end, and the convergence. With -posterior the
   deviation of a control is one panel more. Collective. Errors: those of HgResultsCreate(),
   HgResultsWrite() and HgPictureWrite(). */
PetscErrorCode HgProblemWrite(HgProblem problem, int count, const HgPanel panels[]);

/* For a story that writes results of its own: adds what -posterior has found, as HgProblemWrite()
   does, which is nothing without it. Collective. Errors: those of HgResultsWriteConstant(). */
PetscErrorCode HgProblemWriteDeviations(HgProblem problem, HgResults results);

/* The end of a story with nothing of its own to tell: HgProblemSetUp(), HgProblemCheck() around the
   first guess x, HgProblemInvert(), HgProblemDigest(), HgProblemWrite() with the usual picture, and
   both are freed and NULL. Collective. Errors: theirs. */
PetscErrorCode HgProblemComplete(HgProblem *problem, HgRun *run, const HgInverse *inverse);

/* ---- its nouns ---- */

typedef struct {
  HgProgram program;
  HgState x;                     /* its input */
  HgObservations **observations; /* of each HgProblemObserve(); may be changed: J has a copy */
  HgObjective objective;         /* for more terms before HgProblemSetUp() */
  HgTrajectory trajectory;       /* below the misfit */
  HgState controls;          /* m, for first guesses; what controls itself begins as in x. Else x */
  HgState final;             /* q_N of the last run */
  HgOperator input;          /* m -> x; NULL: no controls */
  HgOperator regularisation; /* m -> R(m); NULL: none */
  HgOperator sum;            /* m -> J(m) of HgProblemSum(); NULL: it is none */
  HgState prior, deviation;  /* of controls, as -posterior has found them; NULL: it has not */
} HgProblemParts;

/* They are the problem's: the first four at any time, the others after HgProblemSetUp(). Not
   collective. */
HgProblemParts HgProblemGet(HgProblem problem);

/* m -> misfit(x(m)), made when first asked for. Collective. Error: before HgProblemSetUp(). */
PetscErrorCode HgProblemMisfit(HgProblem problem, HgOperator *misfit);

#endif
