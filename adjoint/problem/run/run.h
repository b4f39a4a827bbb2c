/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/run.h -- what all applications share: common options, checkpoints, monitor, checks,
   digests, run.json. */
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

/* The common options. Values set before HgRunCommon() are the defaults that -help shows. */
typedef struct {
  int nx, ny, px, py; /* cells; patches (0: the library chooses) */
  int nz;             /* levels; if it is not 0 before, -nz is an option */
  long steps;         /* 0: from the final time and the stability limit */
  double dt;          /* [s]; 0: likewise */
  int slots;
  bool in_files; /* -store hdf5 */
  int in_memory; /* -memory_slots: with -store hdf5, those still in memory */
  int store;     /* -store as it was read */
  int rounded;   /* -checkpoint_storage: 0 exact, 1 rounded to floats */
  /* Instead of slots, bytes for all ranks together: -checkpoint_memory, -checkpoint_disk. */
  bool budgets;
  long memory_budget, disk_budget;
  bool check, doctor, digest;
  char observations[HG_PATH_SIZE];
  /* "": output/<name of the run>; what is set before ends with _single in single precision */
  char output[HG_PATH_SIZE];
} HgCommon;

/* Hessian of a misfit: exact, or Gauss-Newton's J^T J with the tangent J of the residuals. */
enum { HG_NEWTON_EXACT, HG_NEWTON_GAUSS };

/* Options of an inversion. Values set before HgRunInverse() are the defaults. */
typedef struct {
  double tikhonov, h1; /* weights of the regularisation (control.h) */
  double tolerance;    /* stop at |g| <= tolerance |g_0| */
  int iterations;      /* largest number */
  int pairs;           /* that BLMVM remembers; 0: as HgInversionRules says */
  bool precondition;   /* with the regularisation: HgInversionRules */
  bool discrepancy;    /* scale the weights until the misfit equals its expectation */
  bool evidence;       /* scale them until the data are likeliest, whatever their noise */
  int newton;          /* the Hessian: HG_NEWTON_EXACT or HG_NEWTON_GAUSS */
  int posterior;       /* eigenpairs for standard deviations of the result; 0: none; -1: the
                          program has neither this option nor -discrepancy and the like */
  bool sums;           /* the program sums experiments and has no -next_sensors */
  int samples;         /* of the posterior, each run through the model; 0: none */
  int next_sensors;    /* new sensors to place where they tell most; 0: none */
  int candidates[2];   /* places to choose from along x and y; 0: 10 */
} HgInverse;

/* A run of an application. */
typedef struct HgRun_s *HgRun;

/* Starts a run of the application `name`: its options and its report. Collective on
   PETSC_COMM_WORLD. */
PetscErrorCode HgRunCreate(const char name[], const char description[], HgRun *run);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgRunDestroy(HgRun *run);

/* The options of the run. Declare your own before HgRunCommon(). */
HgOptions HgRunOptions(HgRun run);

/* The contents of run.json so far, owned by the run. Not collective. */
HgReport HgRunReport(HgRun run);

/* Declares and reads the common options, and ends the declarations. Creates the folder -output and
   removes a run.json that an earlier run left there: a run.json always describes the last run whose
   options were accepted, and is missing if that run did not finish. With -help it destroys the run
   and ends the program: HG_ENDED (error.h). Collective. Errors: those of options.h; -output cannot
   be written to. */
PetscErrorCode HgRunCommon(HgRun run, HgCommon *common);

/* HgRunCreate(), HgRunInverse() and HgRunCommon() for an application without options of its own.
   Collective. Errors: theirs. */
PetscErrorCode HgRunStart(const char name[], const char description[], HgCommon *common,
                          HgInverse *inverse, HgRun *run);

/* Splits the ranks into `groups` groups for `count` experiments, which belong to the run.
   HgRunComm() is the caller's group from now on. Collective. Errors: those of
   HgExperimentsCreate(). */
PetscErrorCode HgRunExperiments(HgRun run, int count, int groups, HgExperiments *experiments);

/* The communicator for the application's meshes: all ranks, or those of the caller's group. */
MPI_Comm HgRunComm(HgRun run);

/* Declares and reads -tikhonov -h1 -tolerance -iterations, the options of noise and prior, and
   -resume; unless posterior is -1 also -discrepancy -evidence -newton -posterior and what these
   take. With -resume, HgProblemInvert() keeps every evaluation in the output folder and continues
   from those found there (HgRunResume()). A gradient that was killed also continues, from its last
   record: these are written every -record_interval [s] and at a signal. Collective. Errors: those
   of options.h. */
PetscErrorCode HgRunInverse(HgRun run, HgInverse *inverse);

/* Sets common->steps and common->dt for a final time [s]. If only -dt or only -steps is given, the
   other follows; if neither is, dt is the largest not above `largest_dt` that divides the final
   time. final_time 0: keeps both as they are in `common`, for applications that choose them
   themselves. Collective. Errors: dt above the limit, which the sentence gives; more than 10^9
   steps. */
PetscErrorCode HgRunTimeStep(HgRun run, double final_time, double largest_dt, HgCommon *common);

/* Creates a trajectory with -slots checkpoints in -store (common->slots = 0: without a store, for
   values only). The run owns the store. Trajectories of one mesh share it if they carry the same
   variables and ask for as many slots; they must run one after another. Collective. */
PetscErrorCode HgRunTrajectory(HgRun run, HgProgram program, HgObjective objective,
                               const HgCommon *common, HgTrajectory *trajectory);

/* For programs without HgProblemCheck(). With -check, prints one line for each stencil, for a step
   of `program` around its input x, and for each op[k] around `at`. With -doctor, examines the
   gradient of the last of them, J (doctor.h). If there are several groups, the first one prints.
   Set the active constants before: HgProblemInvert() refuses to run another plan than the one that
   was checked. If neither function is called, -doctor examines the first gradient of a trajectory
   of HgRunTrajectory(). Collective. Error: a check failed. */
PetscErrorCode HgRunCheck(HgRun run, const HgCommon *common, HgProgram program, HgState x,
                          int count, const HgOperator op[], HgState at);

/* Names the next of several inversions of a run as the stage `name` (letters, digits, - _ .), such
   as "coarse". With -resume, each stage keeps its evaluations in a folder of its own. A stage
   without a name is called by the number of its inversion; the first inversion needs no stage.
   `apart`: each group of ranks inverts for something of its own and keeps its own evaluations;
   otherwise all groups do the same. Pass the same on every rank. Errors: a name with other letters
   or longer than 47; a name used before; the stage named before has no inversion yet. */
PetscErrorCode HgRunStage(HgRun run, const char name[], bool apart);

/* With -resume, keeps the evaluations of `inversion`, which is about to be solved, and takes those
   found, in the output folder's evaluations[/stage-NAME][/group-GROUP]. Does nothing without
   -resume. HgProblemInvert() calls it itself. Collective. Errors: those of
   HgInversionRules.journal. */
PetscErrorCode HgRunResume(HgRun run, HgInversion inversion);

/* Exit statuses of a run whose inversion ended as HG_FAILED or HG_NOTHING. Inversions that converge
   or reach the requested limit end with 0, errors with 1. */
enum { HG_STATUS_FAILED = 2, HG_STATUS_NOTHING = 3 };

/* Puts the end of an inversion into the report: iterations, evaluations and reason. HgRunFinish()
   tells the worst of all groups' inversions. HgProblemInvert() calls it itself. */
PetscErrorCode HgRunEnded(HgRun run, const HgIterate *last, const char reason[]);

/* For a twin experiment without a misfit of its own: prints and reports the error of the first
   guess and of the result; nothing if the truth is 0, to which no error is relative. */
PetscErrorCode HgRunError(HgRun run, double error_start, double error_end);

/* All iterates so far, the same on all ranks: curve[0] is J over the iteration, curve[1] the
   misfit. The curves belong to the run and are valid until its next iterate. */
HgPanel HgRunConvergence(HgRun run);

/* Reports J and the digests of gradient and final state. If `print`, prints them as "J <hex>
   gradient <xxh3> state <xxh3>". A state that is NULL is left out. Collective. */
PetscErrorCode HgRunDigest(HgRun run, double J, HgState gradient, HgState final, bool print);

/* Reports and prints recompute factor, checkpoint bytes and the time of a gradient over that of a
   forward run. Collective. */
PetscErrorCode HgRunCost(HgRun run, HgTrajectory trajectory);

/* Writes run.json and prints where the results are. After inversions, run.json says how the worst
   of them ended: "converged" (true, false), "ended" ("converged", "limit reached", "nothing to do",
   "failed"), "status" (the exit status) and "reason" (in words). The last two endings also go to
   stderr. Collective. */
PetscErrorCode HgRunFinish(HgRun run, const HgCommon *common, const char exit_reason[]);

/* The path of a file in the project's data folder. Looks in the folder installed with this program,
   wherever both were moved; then in the source tree, in the planned installation folder, and in the
   working directory. If the file is nowhere, `path` says where it was looked for, so that the error
   of its reader does, too. Not collective. */
PetscErrorCode HgRunDataPath(const char name[], size_t size, char path[]);

#endif
