/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a run, for adjoint/problem and its own files. */
#ifndef HG_RUN_LIBRARY_H
#define HG_RUN_LIBRARY_H

#include <halograd/recorder_library.h>
#include <halograd/restart_library.h>
#include <halograd/run.h>
#include <halograd/show_library.h>
#include <halograd/trajectory_library.h>

enum { HG_MONITOR_OFF = -1, HG_RUN_STAGE_NAME = 48 };

/* What a problem of the run seeks. */
typedef struct {
  const void *problem;
  HgProgram program;
  char variable[32]; /* "": all of them */
} HgRunSought;

/* An inversion of the run. The first in the list is the last or, unless `begun`, the next one. */
typedef struct HgRunStage_s {
  char name[HG_RUN_STAGE_NAME]; /* "": the first one, not named */
  bool apart;                   /* groups of ranks do something of their own each */
  bool begun;
  struct HgRunStage_s *before;
} HgInversionStage;

/* Iterates of all inversions, one after another, and how these ended. */
enum { HG_ITERATE_VALUES = 4, HG_ITERATE_CURVES = 2 /* of J and misfit */ };

typedef struct {
  int count, room; /* so far; that there is room for */
  int begun;       /* the first one of the inversion under way */
  double *iteration, *J, *misfit, *gradient;
  HgCurve curve[HG_ITERATE_CURVES];
  HgEnding ending; /* the worst, and why */
  char reason[96];
} HgIterates;

/* What each term has of the misfit at each iterate; one term alone is not told of. */
typedef struct {
  HgObjective of;         /* NULL: not known */
  int terms, count, room; /* terms 0: nothing is told; so many iterates; room for */
  double *now, *all;      /* [terms] at the last iterate, NAN: not known; [count * terms] */
} HgRunParts;

/* Stores for each mesh and list of carried variables. */
typedef struct HgRunStore_s *HgRunStore;

/* A trajectory of the run: the run's one observer of it, and those that this one makes. */
typedef struct HgWatched_s {
  HgRun run;
  HgTrajectory trajectory; /* NULL: it is gone */
  bool goes_on;            /* what an earlier run has recorded of it may go on */
  bool records;            /* -record and its relatives look at it */
  bool own;                /* of HgRunTrajectory(): its plan is told, -doctor looks at it */
  HgState x;               /* where a gradient to examine began; NULL: none is under way */
  bool plan_told;
  bool reversed; /* it has made a gradient */
  HgRestart restart;
  HgAdjointMonitor monitor;
  HgRecorder recorder; /* this and those below: once it is chosen */
  HgShow show;
  HgTrajectorySuspended suspended; /* while the run is */
  struct HgWatched_s *before;
} HgWatched;

/* Are values of a trajectory what the run is for? Until a gradient comes; never, as there will be
   gradients; always, as there will be none. */
typedef enum { HG_RUN_VALUES_FIRST, HG_RUN_VALUES_NEVER, HG_RUN_VALUES_ONLY } HgRunValues;

/* What -record, -replay, -show and their relatives say. */
typedef struct {
  const char *application, *output; /* the run's */
  char record[HG_PATH_SIZE], replay[HG_PATH_SIZE];
  char window[48], show[HG_PATH_SIZE];
  long from, to;     /* of the window */
  bool replaying;    /* it is under way */
  int found;         /* evaluations of the first inversion; -1: none has begun */
  HgShowWants shown; /* what -show lists */
  HgRecorderSpec spec;
  long monitor; /* HG_MONITOR_OFF; 0: every so many that there are about 20 lines */
  HgRunValues values;
  HgWatched *chosen;   /* what is recorded, shown, looked at; NULL: no run has begun */
  bool differentiated; /* by its gradient: for good */
  bool last;           /* the next gradient is that of what was found */
  int parts;           /* trajectories whose gradients were made */
  int experiments;     /* of the run; 0: it has none */
} HgRunRecord;

struct HgRun_s {
  char name[64], description[128], output[HG_PATH_SIZE];
  HgOptions options;
  HgReport report;
  HgExperiments experiments;
  HgRunStore stores;
  HgWatched *watched; /* the last trajectory */
  int suspended;      /* depth: runs of checks are neither recorded nor kept */
  HgRunRecord record;
  HgTrajectoryPlan told; /* the last plan; units 0: nothing yet */

  struct {
    bool asked, done;
  } doctor;

  struct {
    bool wanted;     /* -resume */
    double interval; /* [s] */
    int compared;    /* evaluations that are computed again */
  } resume;

  HgInversionStage *stage; /* the last one */
  HgIterates iterates;
  bool aside; /* what is solved is not what is asked for: none of its iterates is kept */
  HgRunParts parts;
  double deviation, length; /* -prior_deviation and -prior_length of its problems; 0: not given */
  double tv, epsilon;       /* -tv and -tv_epsilon of its problems; 0: not given */
  char mean[HG_PATH_SIZE];  /* -prior_mean of its problems, "": not given */
  /* -huber, -student, -correlation, -relative: of what its problems observe; where they are not
     given, as their observations say */
  double huber, student, correlation, relative;
  bool shape, envelope; /* likewise -shape and -envelope */
  HgOperator regularisation;
  HgState R;
  HgProgram checked; /* NULL: none was */
  uint64_t active;   /* its variables that were active then */
  int seeks;
  HgRunSought *sought; /* by its problems */
};

/* ---- run.c ---- */

/* `problem` seeks `variable` of the program's input; "": all of them. */
PetscErrorCode HgRunSeek(HgRun run, const void *problem, HgProgram program, const char variable[]);

/* `problem` is destroyed, and its program may be: what it seeks, and that the program was checked,
   is forgotten. */
void HgRunForget(HgRun run, const void *problem, HgProgram program);

/* Does one? */
bool HgRunSeeks(HgRun run, HgProgram program, const char variable[]);

/* Is this the first group of ranks, or all of them? What it does is told, and recorded. */
bool HgRunIsFirst(HgRun run);

/* The group of ranks' part of a path, with the '/' before it: "/group-1", or "" of one group. */
void HgRunGroup(HgRun run, size_t size, char part[]);

/* ---- run_watch.c: trajectories ---- */

/* A trajectory that the application has made by itself is watched, too. Collective on its ranks. */
PetscErrorCode HgRunWatch(HgRun run, HgTrajectory trajectory, HgWatched **watched);
PetscErrorCode HgRunWatchedDestroy(HgRun run);

/* Until it is resumed: what runs is a check, of which observers of now are told nothing. */
void HgRunSuspend(HgRun run, bool suspend);

/* visit(context, trajectory, its x) for each trajectory below `op` at x, those too that the
   application has made by itself. Collective. Errors: those of `visit`. */
typedef PetscErrorCode HgRunVisit(void *context, HgTrajectory trajectory, HgState x);
PetscErrorCode HgRunEachTrajectory(HgOperator op, HgState x, HgRunVisit *visit, void *context);

/* -doctor was given, and nothing has been examined yet. */
bool HgRunDoctorWaits(HgRun run);

/* ---- run_record.c, run_record_options.c ---- */
PetscErrorCode HgRunRecordDeclare(HgRunRecord *record, HgOptions options);

/* After HgOptionsEnd(). `whole`: an option that was given and wants a whole run, NULL: none.
   Collective. Errors: options that exclude each other. */
PetscErrorCode HgRunRecordBegin(HgRunRecord *record, HgOptions options, const char whole[]);

/* Is there anything to record, to show, to look at or to replay? */
bool HgRunRecordWatches(const HgRunRecord *record);

/* A run of a trajectory begins. The first gradient of any of them is recorded and shown; of an
   application that makes none: the first value. */
PetscErrorCode HgRunRecordBegins(HgWatched *watched, HgMode run);
PetscErrorCode HgRunRecordForget(HgWatched *watched);

/* The run makes no gradient. Collective. Error: an option wants one. */
PetscErrorCode HgRunRecordNoGradient(HgRunRecord *record);

/* With -window: runs it on the trajectory, instead of what the application would do: HG_ENDED. */
PetscErrorCode HgRunReplay(HgRun run, HgTrajectory trajectory);

/* *reverses: the window is to be reversed. */
PetscErrorCode HgRunRecordReverses(HgRunRecord *record, bool *reverses);

/* Says what was recorded. Collective. Errors: an option asked for what was not made. */
PetscErrorCode HgRunRecordEnd(HgRun run);

/* ---- run_store.c ---- */

/* -slots -store -memory_slots -checkpoint_memory -checkpoint_disk; collective, as HgOptions is. */
PetscErrorCode HgRunStoreDeclare(HgOptions options, HgCommon *common);

/* What they say together, once HgOptionsEnd() has read them. Collective. Errors: options that
   exclude each other. */
PetscErrorCode HgRunStoreCheck(HgOptions options, HgCommon *common);

/* Error: one of them was given to a run that reverses nothing. */
PetscErrorCode HgRunStoreRefuse(HgOptions options);

/* *store: one for states as `program` carries them with as many slots as `common` asks for, in
   memory and in files, or more; made if it is not there. Collective. Errors: a budget below one
   state; those of store.h. */
PetscErrorCode HgRunStoreOf(HgRunStore *stores, MPI_Comm comm, HgProgram program,
                            const HgCommon *common, HgStore *store);
PetscErrorCode HgRunStoresDestroy(HgRunStore *stores);

/* ---- run_resume.c ---- */

/* Declares and reads -resume -record_interval -resume_compare. */
PetscErrorCode HgRunResumeDeclare(HgRun run);
PetscErrorCode HgRunStagesDestroy(HgRun run);

/* Gradients of the trajectory are kept, if -resume was given. Collective on its ranks. */
PetscErrorCode HgRunKeepGradients(HgWatched *watched);

/* ---- run_iterates.c ---- */

/* One more of them; J = misfit + R. There may be any number. */
PetscErrorCode HgIteratesAdd(HgIterates *iterates, const HgIterate *it, double R);
PetscErrorCode HgIteratesDestroy(HgIterates *iterates);

/* Seconds until |g| has fallen by the tolerance at the pace seen so far; negative: not known yet,
   or there is none. */
double HgIteratesRemaining(const HgIterates *iterates, const HgIterate *it);

/* The inversion has ended so; of several the worst counts. */
PetscErrorCode HgIteratesEnd(HgIterates *iterates, HgEnding ending, const char reason[]);

/* How the inversions of all groups ended, as HgRunFinish() tells it of the run. Collective on
   PETSC_COMM_WORLD. */
PetscErrorCode HgIteratesTell(HgIterates *iterates, const char name[], HgReport report);
HgPanel HgIteratesPanel(HgIterates *iterates);

/* ---- run_parts.c ---- */

/* An inversion of the misfit `of` begins; NULL: its terms are not known. Prints what they are. */
PetscErrorCode HgPartsBegin(HgRunParts *parts, HgObjective of);

/* An iterate of so large a misfit; text: shares in per cent, for its line; "" of one term.
   Collective. */
PetscErrorCode HgPartsAdd(HgRunParts *parts, double misfit, size_t size, char text[]);

/* terms.1.what, terms.1.J, ... of run.json */
PetscErrorCode HgPartsReport(const HgRunParts *parts, HgReport report);
PetscErrorCode HgPartsDestroy(HgRunParts *parts);

/* ---- run_invert.c ---- */

/* Prints one line of checks for each operator around its x, of the first group if there are
   several; *passed on every rank: did all groups pass? Collective. */
PetscErrorCode HgRunCheckOperator(HgRun run, HgOperator op, HgState x, double dot_bound, int bounds,
                                  const HgCheckBound bound[], bool *passed);

#define HG_RUN_DOT 1e-11 /* dot_bound of a misfit: rounding of many steps */

/* Likewise HgCheckProgram() on the third step of `steps`, if there are so many: by then what was at
   rest may move. */
PetscErrorCode HgRunCheckProgram(HgRun run, HgProgram program, HgState x, long steps, bool *passed);

/* With -doctor: examines J and its gradient at m; `bound` are those of controls. Collective. Error:
   something is wrong, after it has been told. */
PetscErrorCode HgRunDoctor(HgRun run, HgOperator J, HgState m, int bounds,
                           const HgCheckBound bound[]);

/* Inverts with a line for each iterate: J, misfit, regularisation, |g|, evaluations, elapsed, ETA;
   `regularisation` may be NULL. The history goes to the report. With -record the gradient at m is
   computed once more, and recorded. Trajectories below the functional are watched by -record,
   -show and -adjoint_monitor, also those not made by HgRunTrajectory().
   Collective. Errors: the active constants of the program that was checked have changed. */
PetscErrorCode HgRunInvert(HgRun run, HgInversion inversion, HgOperator regularisation, HgState m,
                           HgIterate *last, const char **reason);

/* HgRunInvert(), but that the next gradient, which the caller makes at m, is recorded as the one at
   what was found. objective: the misfit's, if it is that of one trajectory; else NULL. */
PetscErrorCode HgRunSolve(HgRun run, HgInversion inversion, HgObjective objective,
                          HgOperator regularisation, HgState m, HgIterate *last,
                          const char **reason);

#endif
