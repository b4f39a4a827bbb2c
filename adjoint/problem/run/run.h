/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/run.h -- what every application shares: common options, schedule and store, monitor,
   checks, digests, run.json. */
#ifndef HALOGRAD_RUN_H
#define HALOGRAD_RUN_H

#include <halograd/check.h>
#include <halograd/doctor.h>
#include <halograd/experiments.h>
#include <halograd/inversion.h>
#include <halograd/options.h>
#include <halograd/picture.h>
#include <halograd/results.h>
#include <halograd/trajectory.h>

enum { HG_PATH_SIZE = 1024 };

/* The common options; values set before HgRunCommon() are the defaults that -help shows. */
typedef struct {
  int nx, ny, px, py; /* cells; patches (0: chosen) */
  int nz;             /* levels; -nz is an option where this default is not 0 */
  long steps;         /* 0: from the final time and the stability limit */
  double dt;          /* [s]; 0: likewise */
  int slots;
  bool in_files; /* -store hdf5 */
  int in_memory; /* slots of them that are in memory: -memory_slots */
  int store;     /* -store as it was read */
  int rounded;   /* -checkpoint_storage: 0: as they are, 1: rounded to floats */
  /* Instead of slots, bytes of all ranks together: -checkpoint_memory, -checkpoint_disk. */
  bool budgets;
  long memory_budget, disk_budget;
  bool check, doctor, digest;
  char observations[HG_PATH_SIZE];
  char output[HG_PATH_SIZE]; /* "": output/<name of the run> */
} HgCommon;

/* Hessians of a misfit: exact, or J^T J of the tangent J of its residuals, without curvature. */
enum { HG_NEWTON_EXACT, HG_NEWTON_GAUSS };

/* The options of an inversion; values set before HgRunInverse() are the defaults. */
typedef struct {
  double tikhonov, h1; /* weights of the regularisation (control.h) */
  double tolerance;    /* of |g| relative to its first value */
  int iterations;      /* at most */
  int pairs;           /* that BLMVM remembers; 0: TAO's own */
  bool precondition;   /* L-BFGS and Newton by the regularisation: HgInversionRules */
  bool discrepancy;    /* the weights are scaled until the misfit is its expectation */
  bool evidence;       /* they are scaled until the data are most probable, with unknown noise */
  int newton;          /* the Hessian of products: HG_NEWTON_EXACT or HG_NEWTON_GAUSS */
  int posterior;       /* eigenpairs for standard deviations of the result; 0: none; -1: the
                          program has no such option, nor -discrepancy and the like */
  bool sums;           /* the program sums experiments; it then has no -samples */
  int samples;         /* of the posterior, each run through the model; 0: none */
  int next_sensors;    /* sensors to propose, out of candidates along x and y; 0: none */
  int candidates[2];   /* 0: 10 */
} HgInverse;

/* A run of an application. */
typedef struct HgRun_s *HgRun;

/* Starts a run of the application `name`: its options and its report. Collective on
   PETSC_COMM_WORLD. */
PetscErrorCode HgRunCreate(const char name[], const char description[], HgRun *run);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgRunDestroy(HgRun *run);

/* For options of the application's own, declared before HgRunCommon(). */
HgOptions HgRunOptions(HgRun run);

/* What run.json is going to say; the run's own. Not collective. */
HgReport HgRunReport(HgRun run);

/* Declares and reads the common options, ends the declarations. The directory -output is made and a
   run.json that an earlier run left in it is removed, so that a run.json always tells of the last
   run whose options were accepted, and is missing if that run did not come to its end. After -help
   it destroys the run and ends the program: HG_ENDED (error.h). Collective. Errors: those of
   options.h; -output cannot be written to. */
PetscErrorCode HgRunCommon(HgRun run, HgCommon *common);

/* HgRunCreate(), HgRunInverse() and HgRunCommon() of an application without options of its own.
   Collective. Errors: theirs. */
PetscErrorCode HgRunStart(const char name[], const char description[], HgCommon *common,
                          HgInverse *inverse, HgRun *run);

/* Splits the ranks into `groups` groups for `count` experiments; they belong to the run. From then
   on HgRunComm() is the caller's group. Collective. Errors: those of HgExperimentsCreate(). */
PetscErrorCode HgRunExperiments(HgRun run, int count, int groups, HgExperiments *experiments);

/* What the application's meshes are made of: all ranks, or those of one group. */
MPI_Comm HgRunComm(HgRun run);

/* Declares and reads -tikhonov -h1 -tolerance -iterations, those of noise and prior, unless
   posterior is -1 also -discrepancy -evidence -newton -posterior and what these take, and -resume:
   HgProblemInvert() then keeps every evaluation in the output directory, and goes on from those
   found there: HgRunResume(). So do gradients that were killed, every -record_interval [s], or
   stopped by a signal: restart.h. Collective. Errors: those of options.h. */
PetscErrorCode HgRunInverse(HgRun run, HgInverse *inverse);

/* Steps and dt for a final time [s] and the largest stable step: whatever of -steps and -dt was not
   given follows. final_time 0: both as they stand in `common`, of applications that choose them
   themselves. Collective. Errors: dt beyond the limit, with the limit; more than 10^9 steps. */
PetscErrorCode HgRunTimeStep(HgRun run, double final_time, double largest_dt, HgCommon *common);

/* A trajectory with revolve over -slots checkpoints in -store (common->slots = 0: without a store,
   for values only). The store belongs to the run, until it ends: trajectories of one mesh that
   carry the same variables share it, if it has as many slots as they ask for, and run one after
   another. Collective. */
PetscErrorCode HgRunTrajectory(HgRun run, HgProgram program, HgObjective objective,
                               const HgCommon *common, HgTrajectory *trajectory);

/* For a story that does without HgProblemCheck(): with -check prints a line for each stencil and
   for a step of `program` around its input x, and for each op[k] around `at`, and with -doctor
   examines the gradient of the last of them, J (doctor.h); the first group prints, if there are
   several. Which constants are active must be said before: HgProblemInvert() refuses to run another
   plan than the one that was checked. Where neither is called, -doctor examines the first gradient
   of a trajectory of HgRunTrajectory(). Collective. Error: a check failed. */
PetscErrorCode HgRunCheck(HgRun run, const HgCommon *common, HgProgram program, HgState x,
                          int count, const HgOperator op[], HgState at);

/* The next inversion of several in one run is the stage `name` (letters, digits, - _ .), such as
   "coarse": with -resume its evaluations are kept in a directory of its own. What is not named has
   the number of the inversion, the first one none at all. `apart`: each group of ranks inverts
   something of its own and keeps its own evaluations; else all groups do alike. The same on every
   rank. Errors: a name of other letters or more than 47; a name that was given before. */
PetscErrorCode HgRunStage(HgRun run, const char name[], bool apart);

/* After -resume: the evaluations of `inversion`, which is about to be solved, are kept and those
   found are taken, in the output directory's evaluations[/stage-NAME][/group-GROUP]. Without:
   nothing. HgProblemInvert() does so itself. Collective. Errors: those of HgInversionSetJournal().
   */
PetscErrorCode HgRunResume(HgRun run, HgInversion inversion);

/* Exit statuses of a run whose inversion ended as HG_FAILED or HG_NOTHING. Those that converge or
   reach the limit that was asked for end with 0, errors with 1. */
enum { HG_STATUS_FAILED = 2, HG_STATUS_NOTHING = 3 };

/* How an inversion of the run ended: iterations, evaluations and reason into the report. The worst
   of all groups' inversions is told by HgRunFinish(). HgProblemInvert() does so itself. */
PetscErrorCode HgRunEnded(HgRun run, const HgIterate *last, const char reason[]);

/* Of a twin experiment without a misfit of its own: the error of the first guess and of what was
   found, printed and reported; of a truth that is 0, to which no error is relative, neither. */
PetscErrorCode HgRunError(HgRun run, double error_start, double error_end);

/* Iterates so far, all of them: curve[0] is J by iteration, curve[1] the misfit; rank 0 and all
   others alike. The curves are the run's, until its next iterate. */
HgPanel HgRunConvergence(HgRun run);

/* J, digests of gradient and final state into the report; printed as "J <hex> gradient <xxh3> state
   <xxh3>" if `print`. A state that is NULL is left out of both. Collective. */
PetscErrorCode HgRunDigest(HgRun run, double J, HgState gradient, HgState final, bool print);

/* Recompute factor, checkpoint bytes, gradient over forward into the report, and printed.
   Collective. */
PetscErrorCode HgRunCost(HgRun run, HgTrajectory trajectory);

/* Writes run.json and says where results are. If there were inversions, run.json has how the worst
   of them ended: "converged" (true, false), "ended" ("converged", "limit reached", "nothing to do",
   "failed"), "status", the exit status of the run, and "reason", in words; the last two endings are
   told on stderr, too. Collective. */
PetscErrorCode HgRunFinish(HgRun run, const HgCommon *common, const char exit_reason[]);

/* The path of a file of the project's data folder: of the one installed with this program,
   wherever both were moved; else of the source tree, of the folder that was to be installed into,
   of the working directory. If there is none, a `path` that says where it was looked for, so that
   whoever reads it says so. Not collective. */
PetscErrorCode HgRunDataPath(const char name[], size_t size, char path[]);

#endif
