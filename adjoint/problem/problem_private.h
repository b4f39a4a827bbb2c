/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a problem, for adjoint/run/problem*.c. */
#ifndef HALOGRAD_PROBLEM_PRIVATE_H
#define HALOGRAD_PROBLEM_PRIVATE_H

#include <halograd/posterior_library.h>
#include <halograd/problem_library.h>
#include <halograd/program_library.h>
#include <halograd/run_library.h>

enum { HG_PROBLEM_NAME = 32 };

/* `panel` with a mark where each sensor of the first observations stands. */
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
  HgOperator R;             /* of x or of m; made by HgProblemSetUp() */
} HgPenalty;

struct HgProblem_s {
  HgRun run;
  HgCommon common;
  HgModel own; /* of HgProblemCreatePhysics(); all NULL: the caller's */
  HgProgram program;
  HgState x;
  bool ready;

  /* what was given */
  int observed, snapshots, sought, bounds, penalties;
  HgObservations **observations;
  HgState *snapshot; /* data of the objective */
  HgSought
      *variable; /* of x that depend on m; with a map of one's own, parametrisations are NULL */
  HgBound *bound;
  HgPenalty *penalty;

  /* what is made of it */
  HgObjective objective;
  HgTrajectory trajectory;
  HgOperator map;         /* m -> x, NULL: no controls */
  HgOperator misfit;      /* x -> misfit */
  HgOperator R, R_x, R_m; /* m -> R(m) = R_x(x(m)) + R_m(m); NULL: no such terms */
  HgOperator fit, J;      /* m -> misfit, m -> J(m); NULL: not asked for yet */
  HgState m, gradient;    /* of J, made with it */
  HgInversion inversion;
  HgExperiments all; /* of a sum; NULL: the misfit is this problem's own */
  int experiments;
  HgProblem *each;    /* [experiments], borrowed, NULL: another group's; or itself alone */
  const char *reason; /* why the last inversion ended; NULL: none did */
  int pairs;          /* eigenpairs of -posterior; 0: it was not asked for, or nothing was found */
  int samples;        /* of -samples, likewise */
  int next, candidates[2];  /* of -next_sensors and -candidates */
  HgState prior, deviation; /* standard deviations of m; NULL: not computed */
  HgState predicted;        /* what sensors predict, with its band; NULL: no samples */
  double value;             /* J at the last gradient; NAN: none yet */

  HgState truth; /* NULL: not known */
  int hidden;    /* its variable */
  double error;  /* of the first guess; NAN: not known yet */
};

static inline MPI_Comm HgProblemComm(HgProblem p) { return HgMeshComm(HgProgramMesh(p->program)); }

/* ---- problem_sum.c: of all problems whose misfits are summed, or of this one ---- */

/* How many measurements there are. Collective. */
PetscErrorCode HgProblemCount(HgProblem problem, double *count);

/* misfit / expectation of the last run. Collective. */
PetscErrorCode HgProblemRatio(HgProblem problem, double *ratio);

/* A run from m, which is not recorded, and that ratio. Collective. Errors: it is not finite. */
PetscErrorCode HgProblemLook(HgProblem problem, double *ratio);

/* HgObjectiveDisturb(), HgObjectiveSetGaussNewton() and HgRegularisationSetGaussNewton(). */
PetscErrorCode HgProblemDisturb(HgProblem problem, bool yes);
void HgProblemSetGaussNewton(HgProblem problem, bool of_misfit, bool of_R);

/* HgRunSolve() of J. */
PetscErrorCode HgProblemSolve(HgProblem problem, HgInversion inversion, HgIterate *last,
                              const char **reason);

/* ---- problem_weights.c ---- */

/* Has R a weight above 0? */
bool HgProblemHasWeights(HgProblem problem);

/* Inverts as often as it takes until the misfit is its expectation: the weights of R are multiplied
   by a factor, which is told. From m; `last` and `reason` are the last inversion's. Collective.
   Errors: no regularisation; those of HgRunSolve(). */
PetscErrorCode HgProblemBalance(HgProblem problem, HgInversion inversion, HgIterate *last,
                                const char **reason);

/* Likewise until the data are likeliest, whatever the factor is by which sigma is wrong. Errors:
   those of HgObjectiveDisturb(), too. */
PetscErrorCode HgProblemWeigh(HgProblem problem, HgInversion inversion, HgIterate *last,
                              const char **reason);

/* ---- problem_posterior.c ---- */

/* Could -posterior and -samples be answered where the inversion starts? Collective. Errors: those
   of HgPosteriorRequire(); samples of a total variation. */
PetscErrorCode HgProblemPosteriorRequire(HgProblem problem, const HgInverse *inverse);

/* Computes, prints and reports the spectrum and the deviations at m, if they were asked for.
   One that does not exist is told, and the inversion has failed; no error. Collective. */
PetscErrorCode HgProblemPosterior(HgProblem problem);

/* ---- problem_samples.c ---- */

/* Draws, writes and runs the samples that were asked for, and keeps what sensors predict. The last
   run is that of x(m). Collective. Errors: those of HgTrajectoryValue() and HgResultsWrite(). */
PetscErrorCode HgProblemSamples(HgProblem problem, HgPosterior posterior);

/* ---- problem_next.c: candidates for sensors ---- */

typedef struct HgNext_s *HgNext;

/* NULL: -next_sensors was not asked for. Collective. Errors: those of HgSensorsPlace(). */
PetscErrorCode HgProblemNextCreate(HgProblem problem, HgNext *next);
PetscErrorCode HgProblemNextDestroy(HgNext *next);

/* What they read at a sample of the posterior, m, of which x is x(m); once for each sample.
   Collective. Errors: those of HgTwinObserve(). */
PetscErrorCode HgProblemNextAdd(HgNext next, HgState m, HgState x);

/* Prints and reports the sensors chosen. Collective. */
PetscErrorCode HgProblemNextChoose(HgNext next);

#endif
