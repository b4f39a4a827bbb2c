/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/recording_library.h -- what recorders (recorder.h) have left on disk: listed, compared,
   read, on any number of ranks and without a run. */
#ifndef HG_RECORDING_LIBRARY_H
#define HG_RECORDING_LIBRARY_H

#include <halograd/generation_library.h>
#include <halograd/measure_library.h>
#include <halograd/mode.h>
#include <halograd/program.h>
#include <halograd/state.h>
#include <petscviewer.h>

/* Steps.csv: what every recorded state was, in a line for each of its
   variables, so that two runs can be compared without their states.

     # halograd ledger 1: ...                                  what the columns are
     sweep,step,time [s],variable,unit,norm,least,least i,least j,largest,largest i,largest j,digest
     forward,0,0,u,"K",...                                      q_n, n rising
     reverse,100,0.5,u,"1/K",...                                lambda_n and the cotangents of
     reverse,100,0.5,kappa,"1/(m^2/s)",...                      constants so far, n falling
     # whole: J 0x1.8p+3, 42 lines, XXH3 0123456789abcdef       of all before; if the run came to it

   Numbers are those of measure.h, printed so that they are read back with the same bits. Every step
   is in the file before the run goes on. */

typedef struct HgLedger_s *HgLedger;

/* A new file `path`. `sync`: each step is synced. Collective. Errors: it cannot be written. */
PetscErrorCode HgLedgerCreate(MPI_Comm comm, const char path[], bool sync, HgLedger *ledger);

/* Does a gradient that has come to step `at` of `sweep` have step n of `direction` behind it, or is
   it there? */
bool HgSweepReached(HgMode sweep, long at, HgMode direction, long n);

/* The ledger `path` of a gradient that goes on where it had come to step `at` of `sweep`: its lines
   up to there stay. Collective. Errors: it is not what was written; it cannot be written. */
PetscErrorCode HgLedgerGoOn(MPI_Comm comm, const char path[], bool sync, HgMode sweep, long at,
                            HgLedger *ledger);

/* A line for each variable of `state` with `kept` (NULL: all), of which `measuring` was begun, with
   digests, and ends. HG_COTANGENT: the state is a cotangent of J, its units are 1 / unit.
   Collective. Errors: no space; the file is then as before. */
PetscErrorCode HgLedgerAdd(HgLedger ledger, HgMode direction, long n, double t, HgState state,
                           const bool kept[], HgMeasuring *measuring);

/* The last line. Collective. */
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
  bool whole;         /* the run came to its end */
  double J;           /* if it did */
} HgLedgerText;

/* All whole lines of a ledger; a last one that is cut is left out. Collective. Errors: missing; not
   what was written. */
PetscErrorCode HgLedgerRead(MPI_Comm comm, const char path[], HgLedgerText *text);
PetscErrorCode HgLedgerTextDestroy(HgLedgerText *text);

/* "forward" or "reverse". */
const char *HgSweepName(HgMode direction);

typedef struct HgRecording_s *HgRecording;

/* The recording in `directory`. Collective on `comm`. Errors: none is there; its head or its ledger
   is not what was written. */
PetscErrorCode HgRecordingOpen(MPI_Comm comm, const char directory[], HgRecording *recording);
PetscErrorCode HgRecordingClose(HgRecording *recording);

/* Did the run that was recorded come to its end? */
bool HgRecordingWhole(HgRecording recording);

/* The first step from n on that it has of that sweep; LONG_MAX: none. */
long HgRecordingNext(HgRecording recording, HgMode direction, long n);

enum { HG_RECORD_STEPS_TEXT = 256 };

/* "step .., 14, 21, 28, ..": the steps that it has of that sweep, those around step `near` if they
   are many; "none". Not collective. */
void HgRecordingSteps(HgRecording recording, HgMode direction, long near, size_t size, char text[]);

/* Prints program, grid, options, the steps of both sweeps, bytes, and whether it is whole; every
   file is verified. Collective. Error: a damaged step (the first is named). */
PetscErrorCode HgRecordingView(HgRecording recording, PetscViewer viewer);

/* All states and constants on disk are what was written. Collective. Error: a file that is missing
   or damaged (the first is named). */
PetscErrorCode HgRecordingVerify(HgRecording recording);

/* Where recordings part first, in the order of the run: first sweep, J, reverse sweep. */
typedef struct {
  bool differ;
  int compared;     /* steps of sweeps that both have, up to there */
  HgMode direction; /* HG_NO_MODE: in J, between the sweeps */
  long n;
  long before; /* the step of that sweep before n that both have; -1: none */
  char variable[32];
  bool states;          /* both states are there: */
  int cell[3], rank[2]; /* the first cell in natural order (level -1: none); whose in a and in b */
  double value[2];
  uint64_t ulps, most_ulps; /* units in the last place there; at most, in any cell */
  double cells, of;         /* so many numbers differ, of all */
} HgRecordingDifference;

/* Steps that one of them has not got are left out. Collective on the ranks of `a`. Errors: another
   program, grid, number of steps or variables; no step that both have; the states of the step where
   they part are damaged. */
PetscErrorCode HgRecordingCompare(HgRecording a, HgRecording b, HgRecordingDifference *difference);

/* A fresh state: q_n (HG_PRIMAL), lambda_n (HG_COTANGENT), or with `constants` the cotangents of
   constants so far, on a mesh of its own over all ranks. Collective. Errors: not recorded;
   damaged. */
PetscErrorCode HgRecordingRead(HgRecording recording, HgMode direction, long n, bool constants,
                               HgState *state);

/* The same into a state that is there, which has these variables and lives on the same grid. */
PetscErrorCode HgRecordingReadTo(HgRecording recording, HgMode direction, long n, bool constants,
                                 HgState state);

/* The constants of the run into a state of them, ghosts outside walls included. Collective. Errors:
   not recorded; damaged; other variables. */
PetscErrorCode HgRecordingReadConstants(HgRecording recording, HgState constants);

/* The nearest step at or before n (HG_PRIMAL), at or after n (HG_COTANGENT), whose state
   is there; -1: none. Collective. */
PetscErrorCode HgRecordingNearest(HgRecording recording, HgMode direction, long n, long *nearest);

/* Removes head, ledger and generations of a recording, if there is one, and no other file.
   Collective. Error: one cannot be removed. */
PetscErrorCode HgRecordingClear(MPI_Comm comm, const char directory[]);

/* ---- for recordings.h ---- */

/* Lists `directory`, or the recordings `first` and `last` in it, or evaluations of an inversion and
   its gradient under way; `verify`: a line for each, once all files are compared. Errors: none of
   these; a damaged file (it is named). */
PetscErrorCode HgRecordingsList(MPI_Comm comm, const char directory[], bool verify);

/* `directory` becomes that of the one recording in it: itself, `first` or `last`. Errors: none;
   both, which are named. */
PetscErrorCode HgRecordingsRequireOne(MPI_Comm comm, size_t size, char directory[]);

/* Says "same bits" of what a and b have in common, or where they part first, which is an error, as
   is a file of either that is not what was written. */
PetscErrorCode HgRecordingsCompare(MPI_Comm comm, const char a[], const char b[]);

enum { HG_RECORD_DIRECTORY = HG_GENERATION_STEM - 32, HG_RECORD_NAME = 64, HG_RECORD_BUILD = 192 };

/* One variable that is recorded. */
typedef struct {
  char name[32], unit[96];
  HgKind kind;
  int size;
  bool constant; /* its cotangent alone is recorded */
  bool surface;  /* of a mesh with levels: it has one */
} HgRecorded;

/* What recording.yaml says. */
typedef struct {
  char application[HG_RECORD_NAME], program[HG_RECORD_NAME], version[HG_RECORD_NAME];
  char compiler[HG_RECORD_BUILD], flags[HG_RECORD_BUILD]; /* of the library */
  char stage[HG_RECORD_NAME];                             /* of a run that has several, or "" */
  HgMeshSpec grid;                                        /* of a plane */
  bool single;                                            /* precision */
  double dt;
  long steps;
  int sweeps;   /* 1: of a value; 2: of a gradient */
  int observed; /* so many sets of steps that J looks at, for pictures: n = first .. last */
  long (*observation)[3]; /* first, last, every */
  char input[17];         /* digest of x, which a gradient, times J_bar, is at; "": not said */
  double J_bar;
  int variables;
  HgRecorded *variable;
  char *options;  /* a line for each, "" for none */
  bool no_memory; /* for some of that, while it was read */
} HgRecordHead;

PetscErrorCode HgRecordHeadWrite(MPI_Comm comm, const char directory[], const HgRecordHead *head);

/* Errors: missing; not what was written. */
PetscErrorCode HgRecordHeadRead(MPI_Comm comm, const char directory[], HgRecordHead *head);
PetscErrorCode HgRecordHeadDestroy(HgRecordHead *head);

/* Is there a file of that name? Collective. */
PetscErrorCode HgRecordFind(MPI_Comm comm, const char directory[], const char name[], bool *found);

/* No such files are there that no head owns. Collective. Error: some are. */
PetscErrorCode HgRecordRequireEmpty(MPI_Comm comm, const char directory[]);

/* Removes steps that come after step `at` of `sweep`. Collective. Error: one cannot be removed. */
PetscErrorCode HgRecordShorten(MPI_Comm comm, const char directory[], HgMode sweep, long at);

/* "DIRECTORY/forward-000000100"; HG_NO_MODE: of the constants c of the run, of which there is one
   generation. */
void HgRecordStem(const char directory[], HgMode direction, long n, char stem[HG_GENERATION_STEM]);

/* The generations of a sweep, or HG_NO_MODE; `constants`: with their cotangents. */
HgGenerationKind HgRecordKind(HgMode direction, bool constants);

/* Have they the same cells? */
bool HgSameGrid(const HgMeshSpec *a, const HgMeshSpec *b);

struct HgRecording_s {
  MPI_Comm comm;
  char directory[HG_RECORD_DIRECTORY];
  HgRecordHead head;
  HgLedgerText ledger;
  long *step[HG_MODES]; /* of the ledger, rising */
  int steps[HG_MODES];
};

/* The stem of a step of that sweep, or of HG_NO_MODE; *found: is it there? Collective. */
PetscErrorCode HgRecordingFind(HgRecording recording, HgMode direction, long n,
                               char stem[HG_GENERATION_STEM], bool *found);

/* Its stem and manifest, to be destroyed. Collective. Error: it is not what was written. */
PetscErrorCode HgRecordingManifest(HgRecording recording, HgMode direction, long n,
                                   char stem[HG_GENERATION_STEM], HgManifest *manifest);

/* A fresh state on `mesh` of what it has of carried variables or constants; NULL: of none.
   Collective. */
PetscErrorCode HgRecordingCreateState(HgRecording recording, HgMesh mesh, bool constants,
                                      HgState *state);

/* path[k], k < *count: `directory` itself if it is a recording, else what it has of "first" and
   "last". Collective. Error: none of them. */
PetscErrorCode HgRecordingsFind(MPI_Comm comm, const char directory[], int *count,
                                char path[2][HG_RECORD_DIRECTORY]);

/* Where they part, in words. */
void HgRecordingTell(const HgRecordingDifference *difference, size_t size, char text[]);

/* Says "same bits" of what two recordings have in common, or where they part first, which is an
   error, and which operators of `program` (NULL: unknown) make the variable that parts. Collective.
   */
PetscErrorCode HgRecordingsCompareTwo(MPI_Comm comm, HgProgram program, const char recorded[],
                                      const char replayed[]);

/* Have they the same variables, of the same kinds and sizes? Else what one has in words, and the
   other. */
bool HgRecordedAlike(const HgRecordHead *a, const HgRecordHead *b, size_t size, char a_has[],
                     char b_has[]);

/* Are there cotangents of constants in it? */
bool HgRecordedConstants(const HgRecordHead *head);

#endif
