/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a problem, for adjoint/problem only. */
#ifndef HALOGRAD_PROBLEM_PRIVATE_H
#define HALOGRAD_PROBLEM_PRIVATE_H

#include <halograd/posterior_library.h>
#include <halograd/problem_library.h>
#include <halograd/program_library.h>
#include <halograd/run_library.h>

enum { HG_PROBLEM_NAME = 32 };

/* Returns `panel` with markers at the sensors of the first observations. */
HgPanel HgProblemMark(HgProblem problem, HgPanel panel);

typedef struct {
  char name[HG_PROBLEM_NAME];
  HgOperator parametrisation; /* NULL: the variable itself */
} HgSought;

typedef struct {
  char control[HG_PROBLEM_NAME];
  double lower, upper;
  double scale; /* for HgInversionSetBounds() */
} HgBound;

typedef struct {
  char name[HG_PROBLEM_NAME];
  HgRegularisation weights; /* of `name` */
  HgOperator R;             /* on x or on m; made by HgProblemSetUp() */
} HgPenalty;

struct HgProblem_s {
  HgRun run;
  HgCommon common;
  HgModel own; /* of HgProblemCreatePhysics(); all NULL: the caller's own */
  HgProgram program;
  HgState x;
  bool ready;

  /* what was given */
  int observed, snapshots, sought, bounds, penalties;
  HgObservations **observations;
  HgState *snapshot;  /* data of the objective */
  HgSought *variable; /* those of x that depend on m; with a map, parametrisations are NULL */
  HgBound *bound;
  HgPenalty *penalty;

  /* what is made of it */
  HgObjective objective;
  HgTrajectory trajectory;
  HgOperator map;         /* m -> x; NULL: no controls */
  HgOperator misfit;      /* x -> misfit */
  HgOperator R, R_x, R_m; /* m -> R(m) = R_x(x(m)) + R_m(m); NULL: no such terms */
  HgOperator fit, J;      /* m -> misfit, m -> J(m); NULL: not needed yet */
  HgState m, gradient;    /* gradient: of J, created with it */
  HgInversion inversion;
  HgExperiments all; /* of HgProblemSum(); NULL: the misfit is this problem's own */
  int experiments;
  HgProblem *each;    /* [experiments], borrowed; NULL: another group's; or only this problem */
  const char *reason; /* why the last inversion ended; NULL: none has */
  HgInverse asked;    /* of the last inversion */
  int pairs;          /* eigenpairs of -posterior; 0: not requested, or nothing was found */
  HgState prior, deviation; /* standard deviations of m; NULL: not computed */
  HgState predicted;        /* what sensors predict, with bands; NULL: no samples */
  double value;             /* J at the last gradient; NAN: none yet */

  HgState truth; /* NULL: not known */
  int hidden;    /* its variable */
  double error;  /* of the first guess; NAN: not known yet */
};

static inline MPI_Comm HgProblemComm(HgProblem p) { return HgMeshComm(HgProgramMesh(p->program)); }

/* ---- problem_sum.c: over all summed problems, or this one ---- */

/* *count: number of measurements. Collective. */
PetscErrorCode HgProblemCount(HgProblem problem, double *count);

/* *ratio: misfit / expectation of the last run. Collective. */
PetscErrorCode HgProblemRatio(HgProblem problem, double *ratio);

/* Runs from m, without recording, and gives that ratio. Collective. Errors: it is not finite. */
PetscErrorCode HgProblemLook(HgProblem problem, double *ratio);

/* HgObjectiveDisturb(), HgObjectiveSetGaussNewton() and HgRegularisationSetGaussNewton(). */
PetscErrorCode HgProblemDisturb(HgProblem problem, bool yes);
void HgProblemSetGaussNewton(HgProblem problem, bool of_misfit, bool of_R);

/* HgRunSolve() of J. */
PetscErrorCode HgProblemSolve(HgProblem problem, HgInversion inversion, HgIterate *last,
                              const char **reason);

/* ---- problem_weights.c ---- */

/* Whether R has a weight above 0. */
bool HgProblemHasWeights(HgProblem problem);

/* Inverts repeatedly from m until the misfit is its expectation, multiplying the weights of R by a
   factor, which it prints. `last` and `reason` are the last inversion's. Collective. Errors: no
   regularisation; those of HgRunSolve(). */
PetscErrorCode HgProblemBalance(HgProblem problem, HgInversion inversion, HgIterate *last,
                                const char **reason);

/* The same until the data are likeliest, even if sigma is wrong by a factor. Errors also: those of
   HgObjectiveDisturb(). */
PetscErrorCode HgProblemWeigh(HgProblem problem, HgInversion inversion, HgIterate *last,
                              const char **reason);

/* ---- problem_posterior.c ---- */

/* Checks that -posterior and -samples are possible where the inversion starts. Collective. Errors:
   those of HgPosteriorRequire(); samples of a total variation. */
PetscErrorCode HgProblemPosteriorRequire(HgProblem problem, const HgInverse *inverse);

/* Computes, prints and reports the spectrum and the deviations at m, if requested. If there is no
   posterior, prints a sentence, and the inversion counts as failed; no error. Collective. */
PetscErrorCode HgProblemPosterior(HgProblem problem);

/* ---- problem_samples.c ---- */

/* Draws, writes and runs the requested samples, and keeps what sensors predict. The last run is
   that of x(m). Collective. Errors: those of HgTrajectoryValue() and HgResultsWrite(). */
PetscErrorCode HgProblemSamples(HgProblem problem, HgPosterior posterior);

/* ---- problem_next.c: candidates for sensors ---- */

typedef struct HgNext_s *HgNext;

/* Creates the candidates; *next = NULL without -next_sensors. Collective. Errors: those of
   HgSensorsPlace(). */
PetscErrorCode HgProblemNextCreate(HgProblem problem, HgNext *next);
PetscErrorCode HgProblemNextDestroy(HgNext *next);

/* Adds what they read at a sample m of the posterior, with x = x(m); call it once for each sample.
   Collective. Errors: those of HgTwinObserve(). */
PetscErrorCode HgProblemNextAdd(HgNext next, HgState m, HgState x);

/* Prints and reports the chosen sensors. Collective. */
PetscErrorCode HgProblemNextChoose(HgNext next);

#endif
