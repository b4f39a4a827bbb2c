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

/* What a problem of the run inverts for. */
typedef struct {
  const void *problem;
  HgProgram program;
  char variable[32]; /* "": all of them */
} HgRunSought;

/* An inversion of the run. The first in the list is the last inversion or, unless `begun`, the next
   one. */
typedef struct HgRunStage_s {
  char name[HG_RUN_STAGE_NAME]; /* "": the first one, without a name */
  bool apart;                   /* each group of ranks does something else */
  bool begun;
  struct HgRunStage_s *before;
} HgInversionStage;

/* The iterates of all inversions, one after another, and how these ended. */
enum {
  HG_ITERATION,
  HG_ITERATE_J,
  HG_ITERATE_MISFIT,
  HG_ITERATE_GRADIENT,
  HG_ITERATE_VALUES,
  HG_ITERATE_CURVES = 2 /* of J and misfit */
};

typedef struct {
  int count; /* number so far */
  int begun; /* the first iterate of the present inversion */
  double *value[HG_ITERATE_VALUES];
  HgCurve curve[HG_ITERATE_CURVES];
  HgEnding ending; /* the worst ending, and why */
  char reason[96];
} HgIterates;

/* The part of each term in the misfit at each iterate. A single term is not printed. */
typedef struct {
  HgObjective of;    /* NULL: not known */
  int terms, count;  /* terms 0: nothing is printed; iterates so far */
  double *now, *all; /* [terms] at the last iterate (NAN: not known); [count * terms] */
} HgRunParts;

/* The stores, by mesh and list of carried variables. */
typedef struct HgRunStore_s *HgRunStore;

/* A trajectory of the run, with the run's observer of it and those that this one creates. */
typedef struct HgWatched_s {
  HgRun run;
  HgTrajectory trajectory; /* NULL: it is gone */
  bool goes_on;            /* a record of an earlier run may be resumed */
  bool records;            /* -record and related options use it */
  bool own;                /* of HgRunTrajectory(): its plan is printed, -doctor examines it */
  HgState x;               /* start of a gradient to examine; NULL: there is none now */
  bool plan_told;
  bool reversed; /* it has computed a gradient */
  HgRestart restart;
  HgAdjointMonitor monitor;
  HgRecorder recorder; /* this and the next: once it is chosen */
  HgShow show;
  HgTrajectorySuspended suspended; /* while the run is suspended */
  struct HgWatched_s *before;
} HgWatched;

/* Whether values of a trajectory are what the run is for: until a gradient comes; never, as there
   will be gradients; always, as there will be none. */
typedef enum { HG_RUN_VALUES_FIRST, HG_RUN_VALUES_NEVER, HG_RUN_VALUES_ONLY } HgRunValues;

/* The values of -record, -replay, -show and related options. */
typedef struct {
  const char *application, *output; /* the run's */
  char record[HG_PATH_SIZE], replay[HG_PATH_SIZE];
  char window[48], show[HG_PATH_SIZE];
  long from, to;     /* of the window */
  bool replaying;    /* a replay is running */
  int found;         /* evaluations found for the first inversion; -1: none has begun */
  HgShowWants shown; /* what -show lists */
  HgRecorderSpec spec;
  long monitor; /* HG_MONITOR_OFF; 0: such that there are about 20 lines */
  HgRunValues values;
  HgWatched *chosen;   /* the trajectory that is recorded and shown; NULL: no run has begun */
  bool differentiated; /* chosen by its gradient: this is final */
  bool last;           /* the next gradient is that of the result */
  int parts;           /* number of trajectories with gradients */
  int experiments;     /* of the run; 0: it has none */
} HgRunRecord;

struct HgRun_s {
  char name[64], description[128], output[HG_PATH_SIZE];
  HgOptions options;
  HgReport report;
  HgExperiments experiments;
  HgRunStore stores;
  HgWatched *watched; /* the last one created */
  int suspended;      /* depth; runs of checks are neither recorded nor kept */
  HgRunRecord record;
  HgTrajectoryPlan told; /* the last plan printed; units 0: none yet */

  struct {
    bool asked, done;
  } doctor;

  struct {
    bool wanted;     /* -resume */
    double interval; /* [s] */
    int compared;    /* evaluations to compute again */
  } resume;

  HgInversionStage *stage; /* the last one */
  HgIterates iterates;
  bool aside; /* an auxiliary inversion: keep neither its iterates nor its end */
  HgRunParts parts;
  double deviation, length; /* -prior_deviation and -prior_length of its problems; 0: not given */
  double tv, epsilon;       /* -tv and -tv_epsilon of its problems; 0: not given */
  char mean[HG_PATH_SIZE];  /* -prior_mean of its problems; "": not given */
  /* -huber, -student, -correlation, -relative for what its problems observe; if not given, the
     observations decide */
  double huber, student, correlation, relative;
  bool shape, envelope; /* the same for -shape and -envelope */
  HgOperator regularisation;
  HgState R;
  HgProgram checked; /* NULL: none was checked */
  uint64_t active;   /* its active variables at that time */
  int seeks;
  HgRunSought *sought; /* what its problems invert for */
};

/* ---- run.c ---- */

/* Notes that `problem` inverts for `variable` of the program's input; "": for all. */
PetscErrorCode HgRunSeek(HgRun run, const void *problem, HgProgram program, const char variable[]);

/* Forgets what `problem`, which is destroyed, inverts for, and that its program was checked. */
void HgRunForget(HgRun run, const void *problem, HgProgram program);

/* Whether some problem inverts for the variable. */
bool HgRunSeeks(HgRun run, HgProgram program, const char variable[]);

/* Whether this is the first group of ranks, or the only one. Only its output is printed and
   recorded. */
bool HgRunIsFirst(HgRun run);

/* The group's part of a path, with the '/' before it: "/group-1"; "" if there is one group. */
void HgRunGroup(HgRun run, size_t size, char part[]);

/* ---- run_watch.c: trajectories ---- */

/* Watches a trajectory, also one that the application created. Collective on its ranks. */
PetscErrorCode HgRunWatch(HgRun run, HgTrajectory trajectory, HgWatched **watched);
PetscErrorCode HgRunWatchedDestroy(HgRun run);

/* Suspends the present observers while checks run, or resumes them. */
void HgRunSuspend(HgRun run, bool suspend);

/* Calls visit(context, trajectory, its x) for each trajectory inside `op` at x, also those that the
   application created. Collective. Errors: those of `visit`. */
typedef PetscErrorCode HgRunVisit(void *context, HgTrajectory trajectory, HgState x);
PetscErrorCode HgRunEachTrajectory(HgOperator op, HgState x, HgRunVisit *visit, void *context);

/* Whether -doctor was given and nothing has been examined yet. */
bool HgRunDoctorWaits(HgRun run);

/* ---- run_record.c, run_record_options.c ---- */
PetscErrorCode HgRunRecordDeclare(HgRunRecord *record, HgOptions options);

/* Call it after HgOptionsEnd(). `whole`: a given option that needs a whole run; NULL: none.
   Collective. Errors: options that exclude each other. */
PetscErrorCode HgRunRecordBegin(HgRunRecord *record, HgOptions options, const char whole[]);

/* Whether there is anything to record, show, monitor or replay. */
bool HgRunRecordWatches(const HgRunRecord *record);

/* A run of a trajectory begins. The first gradient of any trajectory is recorded and shown; if the
   application computes none, the first value. */
PetscErrorCode HgRunRecordBegins(HgWatched *watched, HgMode run);
PetscErrorCode HgRunRecordForget(HgWatched *watched);

/* Declares that the run computes no gradient. Collective. Error: an option needs one. */
PetscErrorCode HgRunRecordNoGradient(HgRunRecord *record);

/* With -window: runs the window on the trajectory instead of the application's work, and returns
   HG_ENDED. */
PetscErrorCode HgRunReplay(HgRun run, HgTrajectory trajectory);

/* *reverses: the window is to be reversed, too. */
PetscErrorCode HgRunRecordReverses(HgRunRecord *record, bool *reverses);

/* Prints what was recorded. Collective. Errors: an option asked for something that was not
   computed. */
PetscErrorCode HgRunRecordEnd(HgRun run);

/* ---- run_store.c ---- */

/* Declares -slots -store -memory_slots -checkpoint_memory -checkpoint_disk. Collective, as
   HgOptions. */
PetscErrorCode HgRunStoreDeclare(HgOptions options, HgCommon *common);

/* Combines these options after HgOptionsEnd(). Collective. Errors: options that exclude each
   other. */
PetscErrorCode HgRunStoreCheck(HgOptions options, HgCommon *common);

/* *store: a store for the carried states of `program` with at least the slots that `common` asks
   for in memory and in files; created if there is none. Collective. Errors: a budget below one
   state; those of store.h. */
PetscErrorCode HgRunStoreOf(HgRunStore *stores, MPI_Comm comm, HgProgram program,
                            const HgCommon *common, HgStore *store);
PetscErrorCode HgRunStoresDestroy(HgRunStore *stores);

/* ---- run_resume.c ---- */

/* Declares and reads -resume -record_interval -resume_compare. */
PetscErrorCode HgRunResumeDeclare(HgRun run);
PetscErrorCode HgRunStagesDestroy(HgRun run);

/* Keeps the gradients of the trajectory if -resume was given. Collective on its ranks. */
PetscErrorCode HgRunKeepGradients(HgWatched *watched);

/* ---- run_iterates.c ---- */

/* Adds an iterate; J = misfit + R. There may be any number. */
PetscErrorCode HgIteratesAdd(HgIterates *iterates, const HgIterate *it, double R);
PetscErrorCode HgIteratesDestroy(HgIterates *iterates);

/* Seconds until |g| has fallen by the tolerance at the present pace; negative: not known yet, or
   never. */
double HgIteratesRemaining(const HgIterates *iterates, const HgIterate *it);

/* Notes how an inversion ended; the worst of several counts. */
PetscErrorCode HgIteratesEnd(HgIterates *iterates, HgEnding ending, const char reason[]);

/* Reports how the inversions of all groups ended, for HgRunFinish(). Collective on
   PETSC_COMM_WORLD. */
PetscErrorCode HgIteratesTell(HgIterates *iterates, const char name[], HgReport report);
HgPanel HgIteratesPanel(HgIterates *iterates);

/* ---- run_parts.c ---- */

/* Begins an inversion of the misfit `of` and prints its terms; NULL: they are not known. */
PetscErrorCode HgPartsBegin(HgRunParts *parts, HgObjective of);

/* Adds an iterate with this misfit; text: shares in per cent for its line, "" if there is one term.
   Collective. */
PetscErrorCode HgPartsAdd(HgRunParts *parts, double misfit, size_t size, char text[]);

/* Reports terms.1.what, terms.1.J, ... (run.json). */
PetscErrorCode HgPartsReport(const HgRunParts *parts, HgReport report);
PetscErrorCode HgPartsDestroy(HgRunParts *parts);

/* ---- run_invert.c ---- */

/* Checks an operator around x and prints one line; if there are several groups, only the first
   prints. *passed on every rank: all groups passed. Collective. */
PetscErrorCode HgRunCheckOperator(HgRun run, HgOperator op, HgState x, double dot_bound, int bounds,
                                  const HgCheckBound bound[], bool *passed);

#define HG_RUN_DOT 1e-11 /* dot_bound of a misfit: rounding of many steps */

/* The same for HgCheckProgram() on the third step, if there are so many `steps`: by then what was
   at rest may move. */
PetscErrorCode HgRunCheckProgram(HgRun run, HgProgram program, HgState x, long steps, bool *passed);

/* With -doctor: examines J and its gradient at m; `bound` are those of controls. Collective. Error:
   something is wrong; it has been printed. */
PetscErrorCode HgRunDoctor(HgRun run, HgOperator J, HgState m, int bounds,
                           const HgCheckBound bound[]);

/* Inverts and prints a line for each iterate: J, misfit, regularisation, |g|, evaluations, elapsed
   time, ETA. `regularisation` may be NULL. The history goes to the report. With -record the
   gradient at m is computed once more, and recorded. -record, -show and -adjoint_monitor watch all
   trajectories inside the functional, also those not made by HgRunTrajectory(). Collective. Errors:
   the active constants of the checked program have changed. */
PetscErrorCode HgRunInvert(HgRun run, HgInversion inversion, HgOperator regularisation, HgState m,
                           HgIterate *last, const char **reason);

/* HgRunInvert(), except that the caller computes the next gradient, at m, which is recorded as that
   of the result. `objective`: the misfit's, if it is that of one trajectory; else NULL. */
PetscErrorCode HgRunSolve(HgRun run, HgInversion inversion, HgObjective objective,
                          HgOperator regularisation, HgState m, HgIterate *last,
                          const char **reason);

#endif
