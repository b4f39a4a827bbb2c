/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/recording_library.h -- recordings on disk (recorder_library.h): listed, compared, read,
   on any number of ranks and without a run. */
#ifndef HG_RECORDING_LIBRARY_H
#define HG_RECORDING_LIBRARY_H

#include <halograd/generation_library.h>
#include <halograd/measure_library.h>
#include <halograd/mode.h>
#include <halograd/program.h>
#include <halograd/state.h>
#include <petscviewer.h>

/* The ledger steps.csv: one line for each variable of every recorded state, so that two runs can be
   compared without their states.

     # halograd ledger 1: ...                                  what the columns are
     sweep,step,time [s],variable,unit,norm,least,least i,least j,largest,largest i,largest j,digest
     forward,0,0,u,"K",...                                      q_n, n rising
     reverse,100,0.5,u,"1/K",...                                lambda_n and the cotangents of
     reverse,100,0.5,kappa,"1/(m^2/s)",...                      constants so far, n falling
     # whole: J 0x1.8p+3, 42 lines, XXH3 0123456789abcdef       of all before; if the run finished

   The numbers are those of measure_library.h, printed such that they are read back with the same
   bits. Every step is in the file before the run continues. */

typedef struct HgLedger_s *HgLedger;

/* Creates the file `path`. `sync`: syncs each step. Collective. Errors: it cannot be written. */
PetscErrorCode HgLedgerCreate(MPI_Comm comm, const char path[], bool sync, HgLedger *ledger);

/* Whether a gradient at step `at` of `sweep` has already reached step n of `direction`. */
bool HgSweepReached(HgMode sweep, long at, HgMode direction, long n);

/* Opens the ledger `path` of a gradient that is resumed at step `at` of `sweep`: its lines up to
   there stay. Collective. Errors: it is damaged; it cannot be written. */
PetscErrorCode HgLedgerGoOn(MPI_Comm comm, const char path[], bool sync, HgMode sweep, long at,
                            HgLedger *ledger);

/* Adds a line for each variable of `state` with `kept` (NULL: all). `measuring` was begun for them,
   with digests; this ends it. HG_COTANGENT: the state is a cotangent of J, in 1 / unit. Collective.
   Errors, which leave the file unchanged: no space. */
PetscErrorCode HgLedgerAdd(HgLedger ledger, HgMode direction, long n, double t, HgState state,
                           const bool kept[], HgMeasuring *measuring);

/* Adds the last line. Collective. */
PetscErrorCode HgLedgerEnd(HgLedger ledger, double J);
PetscErrorCode HgLedgerDestroy(HgLedger *ledger);

/* ---- reading ---- */
typedef struct {
  HgMode direction;
  long n;
  double t;
  char variable[32], unit[128];
  HgMeasure measure;
} HgLedgerLine;

typedef struct {
  int lines;
  HgLedgerLine *line; /* in the order of the run */
  bool whole;         /* the run finished */
  double J;           /* if it finished */
} HgLedgerText;

/* Reads all complete lines of a ledger; a last line that is cut off is ignored. Collective. Errors:
   missing; damaged. */
PetscErrorCode HgLedgerRead(MPI_Comm comm, const char path[], HgLedgerText *text);
PetscErrorCode HgLedgerTextDestroy(HgLedgerText *text);

/* "forward" or "reverse". */
const char *HgSweepName(HgMode direction);

typedef struct HgRecording_s *HgRecording;

/* Opens the recording in `directory`. Collective on `comm`. Errors: there is none; its head or its
   ledger is damaged. */
PetscErrorCode HgRecordingOpen(MPI_Comm comm, const char directory[], HgRecording *recording);
PetscErrorCode HgRecordingClose(HgRecording *recording);

/* The first recorded step of that sweep from n on; LONG_MAX: none. */
long HgRecordingNext(HgRecording recording, HgMode direction, long n);

/* The k-th recorded step of that sweep, in the order of the run. */
long HgRecordingStep(HgRecording recording, HgMode direction, int k);

enum { HG_RECORD_STEPS_TEXT = 256 };

/* text = "step .., 14, 21, 28, ..": the recorded steps of that sweep, those around `near` if there
   are many; or "none". Not collective. */
void HgRecordingSteps(HgRecording recording, HgMode direction, long near, size_t size, char text[]);

/* Prints program, grid, options, the steps of both sweeps, bytes, and whether the recording is
   complete; verifies every file. Collective. Error: a damaged step (the first is named). */
PetscErrorCode HgRecordingView(HgRecording recording, PetscViewer viewer);

/* Verifies all states and constants on disk. Collective. Error: a file that is missing or damaged
   (the first is named). */
PetscErrorCode HgRecordingVerify(HgRecording recording);

/* Where two recordings first differ, in the order of the run: forward sweep, J, reverse sweep. */
typedef struct {
  bool differ;
  int compared;     /* common steps compared until there */
  HgMode direction; /* HG_NO_MODE: in J */
  long n;
  long before; /* the common step before n in that sweep; -1: none */
  char variable[32];
  bool states;          /* both states are there, and the following is set */
  int cell[3], rank[2]; /* first cell in natural order (level -1: none); its ranks in a and in b */
  double value[2];
  uint64_t ulps, most_ulps; /* units in the last place there; largest in any cell */
  double cells, of;         /* how many numbers differ, of how many */
} HgRecordingDifference;

/* Compares the steps that both have. Collective on the ranks of `a`. Errors: another program, grid,
   number of steps or variables; no common step; the states of the step where they differ are
   damaged. */
PetscErrorCode HgRecordingCompare(HgRecording a, HgRecording b, HgRecordingDifference *difference);

/* Creates a state on a mesh of its own over all ranks: q_n (HG_PRIMAL), lambda_n (HG_COTANGENT), or
   with `constants` the cotangents of constants so far. Collective. Errors: not recorded;
   damaged. */
PetscErrorCode HgRecordingRead(HgRecording recording, HgMode direction, long n, bool constants,
                               HgState *state);

/* The same into an existing state with these variables on the same grid. */
PetscErrorCode HgRecordingReadTo(HgRecording recording, HgMode direction, long n, bool constants,
                                 HgState state);

/* Reads the constants of the run into a state of them, with ghosts outside walls. Collective.
   Errors: not recorded; damaged; other variables. */
PetscErrorCode HgRecordingReadConstants(HgRecording recording, HgState constants);

/* *nearest: the nearest step at or before n (HG_PRIMAL), at or after n (HG_COTANGENT), whose state
   is on disk; -1: none. Collective. */
PetscErrorCode HgRecordingNearest(HgRecording recording, HgMode direction, long n, long *nearest);

/* Removes head, ledger and generations of a recording, if there is one, and no other file.
   Collective. Error: one cannot be removed. */
PetscErrorCode HgRecordingClear(MPI_Comm comm, const char directory[]);

/* ---- for recordings.h ---- */

/* Lists the recording `directory`, or the recordings `first` and `last` in it, or the evaluations
   of an inversion and its unfinished gradient. `verify`: checks all files, then prints a line for
   each. Errors: none of these; a damaged file (named). */
PetscErrorCode HgRecordingsList(MPI_Comm comm, const char directory[], bool verify);

/* Sets `directory` to that of the one recording in it: itself, `first` or `last`. Errors: none;
   both (named). */
PetscErrorCode HgRecordingsRequireOne(MPI_Comm comm, size_t size, char directory[]);

/* Prints "same bits" for what a and b have in common. Errors: where they first differ; a damaged
   file of either. */
PetscErrorCode HgRecordingsCompare(MPI_Comm comm, const char a[], const char b[]);

enum { HG_RECORD_DIRECTORY = HG_GENERATION_STEM - 32, HG_RECORD_NAME = 64, HG_RECORD_BUILD = 192 };

/* One recorded variable. */
typedef struct {
  char name[32], unit[96];
  HgKind kind;
  int size;
  bool constant; /* only its cotangent is recorded */
  bool surface;  /* on a mesh with levels: it has only one */
} HgRecorded;

/* The contents of recording.yaml. */
typedef struct {
  char application[HG_RECORD_NAME], program[HG_RECORD_NAME], version[HG_RECORD_NAME];
  char compiler[HG_RECORD_BUILD], flags[HG_RECORD_BUILD]; /* of the library */
  char stage[HG_RECORD_NAME];                             /* of a run with stages, or "" */
  HgMeshSpec grid;                                        /* a plane */
  bool single;                                            /* precision */
  double dt;
  long steps;
  int sweeps;             /* 1: a value; 2: a gradient */
  int observed;           /* for pictures: how many sets of observed steps, n = first .. last */
  long (*observation)[3]; /* first, last, every */
  char input[17];         /* digest of x of the gradient, times J_bar; "": not known */
  double J_bar;
  int variables;
  HgRecorded *variable;
  char *options;  /* one line each; "": none */
  bool no_memory; /* there was no memory while reading */
} HgRecordHead;

PetscErrorCode HgRecordHeadWrite(MPI_Comm comm, const char directory[], const HgRecordHead *head);

/* Reads it. Errors: missing; damaged. */
PetscErrorCode HgRecordHeadRead(MPI_Comm comm, const char directory[], HgRecordHead *head);
PetscErrorCode HgRecordHeadDestroy(HgRecordHead *head);

/* *found: there is a file of that name. Collective. */
PetscErrorCode HgRecordFind(MPI_Comm comm, const char directory[], const char name[], bool *found);

/* Error: there are files of a recording without a head. Collective. */
PetscErrorCode HgRecordRequireEmpty(MPI_Comm comm, const char directory[]);

/* Removes steps after step `at` of `sweep`. Collective. Error: one cannot be removed. */
PetscErrorCode HgRecordShorten(MPI_Comm comm, const char directory[], HgMode sweep, long at);

/* stem = "DIRECTORY/forward-000000100"; HG_NO_MODE: that of the constants c, which have one
   generation. */
void HgRecordStem(const char directory[], HgMode direction, long n, char stem[HG_GENERATION_STEM]);

/* The kind of generations of a sweep, or of HG_NO_MODE; `constants`: with their cotangents. */
HgGenerationKind HgRecordKind(HgMode direction, bool constants);

/* Whether both have the same cells. */
bool HgSameGrid(const HgMeshSpec *a, const HgMeshSpec *b);

struct HgRecording_s {
  MPI_Comm comm;
  char directory[HG_RECORD_DIRECTORY];
  HgRecordHead head;
  HgLedgerText ledger;
  long *step[HG_MODES]; /* in the ledger, rising */
  int steps[HG_MODES];
};

/* *found: the states of a step of that sweep, or of HG_NO_MODE, are there. Collective. */
PetscErrorCode HgRecordingFind(HgRecording recording, HgMode direction, long n, bool *found);

/* Stem and manifest of a step; the caller destroys the manifest. Collective. Error: it is
   damaged. */
PetscErrorCode HgRecordingManifest(HgRecording recording, HgMode direction, long n,
                                   char stem[HG_GENERATION_STEM], HgManifest *manifest);

/* Creates a state on `mesh` of the recorded carried variables, or constants; NULL: there are none.
   Collective. */
PetscErrorCode HgRecordingCreateState(HgRecording recording, HgMesh mesh, bool constants,
                                      HgState *state);

/* path[k], k < *count: `directory` itself if it is a recording, else its folders "first" and "last"
   that are. Collective. Error: none is. */
PetscErrorCode HgRecordingsFind(MPI_Comm comm, const char directory[], int *count,
                                char path[2][HG_RECORD_DIRECTORY]);

/* The difference in words. */
void HgRecordingTell(const HgRecordingDifference *difference, size_t size, char text[]);

/* Prints "same bits" for what two recordings have in common. Otherwise the error says where they
   first differ and which operators of `program` (NULL: unknown) write that variable. Collective. */
PetscErrorCode HgRecordingsCompareTwo(MPI_Comm comm, HgProgram program, const char recorded[],
                                      const char replayed[]);

/* Whether both have the same variables, of the same kinds and sizes. If not, a_has and b_has say
   what each has. */
bool HgRecordedAlike(const HgRecordHead *a, const HgRecordHead *b, size_t size, char a_has[],
                     char b_has[]);

/* Whether there are cotangents of constants in it. */
bool HgRecordedConstants(const HgRecordHead *head);

#endif
