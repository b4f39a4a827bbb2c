/* The inside of a run, for adjoint/run and adjoint/problem only. */
#ifndef HG_RUN_LIBRARY_H
#define HG_RUN_LIBRARY_H

#include <halograd/run.h>

/* What HgRunCreate() was told. */
const char *HgRunDescription(HgRun run);

/* `problem` seeks `variable` of the program's input; "": all of them. */
PetscErrorCode HgRunSeek(HgRun run, const void *problem, HgProgram program, const char variable[]);

/* `problem` is destroyed, and its program may be: what it seeks, and that the program was checked,
   is forgotten. */
void HgRunForget(HgRun run, const void *problem, HgProgram program);

/* Does one? */
bool HgRunSeeks(HgRun run, HgProgram program, const char variable[]);

/* HgRunInvert(), but that the next gradient, which the caller makes at m, is recorded as the one at
   what was found. */
PetscErrorCode HgRunSolve(HgRun run, HgInversion inversion, HgOperator regularisation, HgState m,
                          HgIterate *last, const char **reason);

/* ---- stages: the inversions of a run ---- */
enum { HG_RUN_STAGE_NAME = 48 };

typedef struct {
  char name[HG_RUN_STAGE_NAME]; /* "": the first one, not named */
  bool apart;                   /* groups of ranks do something of their own each */
} HgInversionStage;

typedef struct HgRunStages_s *HgRunStages;

PetscErrorCode HgRunStagesCreate(HgRunStages *stages);
PetscErrorCode HgRunStagesDestroy(HgRunStages *stages);

/* HgRunStage() of run.h. */
PetscErrorCode HgRunStagesAdd(HgRunStages stages, const char name[], bool apart);

/* *stage: that of the inversion that begins; not named, it has its number, or the next that is
   free. Stays `stages`'. */
PetscErrorCode HgRunStagesBegin(HgRunStages stages, const HgInversionStage **stage);

/* ---- iterates of all inversions of a run ---- */
typedef struct HgRunIterates_s *HgRunIterates;

PetscErrorCode HgRunIteratesCreate(HgRunIterates *iterates);
PetscErrorCode HgRunIteratesDestroy(HgRunIterates *iterates);

/* Another inversion begins. */
void HgRunIteratesBegin(HgRunIterates iterates);

/* One more of them; J = misfit + R. There may be any number. */
PetscErrorCode HgRunIteratesAdd(HgRunIterates iterates, const HgIterate *it, double R);

/* Seconds until |g| has fallen by the tolerance at the pace seen so far; negative: not known yet,
   or there is none. */
double HgRunIteratesRemaining(HgRunIterates iterates, const HgIterate *it);

/* The inversion has ended so; of several the worst counts. */
PetscErrorCode HgRunIteratesEnd(HgRunIterates iterates, HgEnding ending, const char reason[]);

/* How the inversions of all groups ended, as HgRunFinish() tells it of the run `name`. Collective on
   PETSC_COMM_WORLD. */
PetscErrorCode HgRunIteratesTell(HgRunIterates iterates, const char name[], HgReport report);

/* HgRunHistory() and HgRunConvergence() of run.h. */
int HgRunIteratesGet(HgRunIterates iterates, const double **iteration, const double **J,
                     const double **misfit);
HgPanel HgRunIteratesPanel(HgRunIterates iterates);

/* ---- recordings of a run, and what is done with recordings instead of one ---- */
typedef struct HgRunRecord_s *HgRunRecord;

/* `application` is borrowed. */
PetscErrorCode HgRunRecordCreate(const char application[], HgRunRecord *record);
PetscErrorCode HgRunRecordDestroy(HgRunRecord *record);
PetscErrorCode HgRunRecordDeclare(HgRunRecord record, HgOptions options);

/* After HgOptionsEnd(). *stop: -replay or -compare was asked for, and is done; what is shown goes
   to `output`. `whole`: an option that was given and wants a whole run, NULL: none; `digest`: so
   was -digest. Collective. Errors: options that exclude each other. */
PetscErrorCode HgRunRecordBegin(HgRunRecord record, HgOptions options, const char whole[],
                                bool digest, const char output[], bool *stop);

/* Is there anything to record, to show, to look at or to replay? */
bool HgRunRecordWatches(HgRunRecord record);

/* A trajectory of the run, which may be known already. The first gradient of any of them is
   recorded and shown; a run that makes none: the first value. `goes_on`: what an earlier run has
   recorded of it may go on. Collective on the ranks of the trajectory. */
PetscErrorCode HgRunRecordAttach(HgRunRecord record, HgTrajectory trajectory, bool goes_on);

/* Are values of a trajectory what the run is for? Until a gradient comes; never, as there will be
   gradients; always, as there will be none. */
typedef enum { HG_RUN_VALUES_FIRST, HG_RUN_VALUES_NEVER, HG_RUN_VALUES_ONLY } HgRunValues;

void HgRunRecordValues(HgRunRecord record, HgRunValues values);

/* The run makes no gradient. Collective. Error: an option wants one. */
PetscErrorCode HgRunRecordNoGradient(HgRunRecord record);

/* So many evaluations of the run's first inversion were found: with some its first gradient was
   recorded before. */
void HgRunRecordResume(HgRunRecord record, int found);

/* Is the next gradient at what the run has found? Then it is recorded, too. */
void HgRunRecordLast(HgRunRecord record, bool next);
bool HgRunRecordLasts(HgRunRecord record);

/* With -window: that part of the recorded run again, by `trajectory`, compared with the recording;
   then the run ends: HG_ENDED, an error that is none. Collective. */
PetscErrorCode HgRunReplay(HgRunRecord record, HgTrajectory trajectory, const char output[]);

/* Was -window given? */
bool HgRunReplays(HgRunRecord record);

/* Was it given, to be reversed, of a recorded gradient? Collective. Error: no such recording. */
PetscErrorCode HgRunRecordReverses(HgRunRecord record, bool *reverses);
PetscErrorCode HgRunReverses(HgRun run, bool *reverses);

/* Runs of checks are neither recorded nor watched. */
void HgRunRecordPause(HgRunRecord record, bool pause);

/* Says where the recording is, and of what, if J has several `experiments`. Collective. Error:
   nothing was recorded, or something not shown. */
PetscErrorCode HgRunRecordEnd(HgRunRecord record, int experiments);

/* ---- what gradients are going to take ---- */
typedef struct HgRunPlan_s *HgRunPlan;

/* `report` is borrowed; trajectories that are attached may outlive the plan, but not their runs. */
PetscErrorCode HgRunPlanCreate(HgReport report, HgRunPlan *plan);
PetscErrorCode HgRunPlanDestroy(HgRunPlan *plan);

/* Of its first gradient is printed and goes into the report. Collective on the ranks of the
   trajectory. */
PetscErrorCode HgRunPlanAttach(HgRunPlan plan, HgTrajectory trajectory);

/* Those of checks are not. */
void HgRunPlanPause(HgRunPlan plan, bool pause);

/* ---- gradients that go on, after -resume ---- */
typedef struct HgRunRestart_s *HgRunRestart;

PetscErrorCode HgRunRestartCreate(HgRunRestart *restart);
PetscErrorCode HgRunRestartDestroy(HgRunRestart *restart);

/* Declares and reads -resume -record_interval -resume_compare. */
PetscErrorCode HgRunRestartDeclare(HgRunRestart restart, HgOptions options);

/* Was -resume given? */
bool HgRunRestartWanted(HgRunRestart restart);

/* visit(context, trajectory, its x) for each trajectory below `op` at x, those too that the
   application has made by itself. Collective. Errors: those of `visit`. */
typedef PetscErrorCode HgRunVisit(void *context, HgTrajectory trajectory, HgState x);
PetscErrorCode HgRunEachTrajectory(HgOperator op, HgState x, HgRunVisit *visit, void *context);

/* The `found` evaluations of `inversion` in `directory` must be of the same J: programs, data, steps
   and regularisation, by a digest that is kept there (functional.txt); it is written if none were
   found, or none is there. Collective, over `across` too. Error: another J. */
PetscErrorCode HgRunCheckKey(HgInversion inversion, MPI_Comm across, const char directory[],
                             int found);

/* So many evaluations found are computed again. */
int HgRunRestartCompared(HgRunRestart restart);

/* Gradients of `trajectory` are kept in `directory`, if -resume was given. Collective on its ranks.
   */
PetscErrorCode HgRunRestartAttach(HgRunRestart restart, HgTrajectory trajectory,
                                  const char directory[]);

/* Those of checks are not. */
void HgRunRestartPause(HgRunRestart restart, bool pause);

/* The run has come to its end: nothing is to go on. Collective. */
PetscErrorCode HgRunRestartEnd(HgRunRestart restart);

/* Runs of checks are neither recorded nor kept. */
void HgRunPause(HgRun run, bool pause);

/* The recordings of `run`. */
HgRunRecord HgRunRecords(HgRun run);

/* ---- the doctor of a run ---- */
typedef struct HgRunDoctor_s *HgRunDoctorWatch;

/* `output`, the directory of results, is borrowed. */
PetscErrorCode HgRunDoctorCreate(HgRun run, const char output[], HgRunDoctorWatch *doctor);
PetscErrorCode HgRunDoctorDestroy(HgRunDoctorWatch *doctor);

/* Was -doctor given? */
void HgRunDoctorAsk(HgRunDoctorWatch doctor, bool asked);

/* It was, and nothing has been examined yet. */
bool HgRunDoctorWaits(HgRunDoctorWatch doctor);

/* Then the first gradient of the trajectory is examined when it has ended. Collective. */
PetscErrorCode HgRunDoctorAttach(HgRunDoctorWatch doctor, HgTrajectory trajectory);

/* That of `run`. */
HgRunDoctorWatch HgRunDoctors(HgRun run);

#endif
