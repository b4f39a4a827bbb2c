/* The folder of a recording, for adjoint/record only.

     recording.yaml                    its head, written first: program, grid, steps, options
     steps.csv                         the ledger (ledger.h)
     forward-000000100-q-rank-0.h5     q_100 on rank 0, and forward-000000100.txt, its manifest
     tangent-000000100-dq-rank-0.h5, tangent-000000100-constants-rank-0.h5 (dc), ...txt
     reverse-000000100-lambda-rank-0.h5, reverse-000000100-constants-rank-0.h5, ...txt
     constants-c-rank-0.h5, ..., constants.txt          the constants c
     lock                              held by the run that writes */
#ifndef HG_RECORDING_LIBRARY_H
#define HG_RECORDING_LIBRARY_H

#include <halograd/generation_library.h>
#include <halograd/ledger_library.h>
#include <halograd/program.h>
#include <halograd/recording.h>

enum { HG_RECORD_DIRECTORY = HG_GENERATION_STEM - 32, HG_RECORD_NAME = 64, HG_RECORD_BUILD = 192 };

/* One variable that is recorded. */
typedef struct {
  char name[32], unit[96];
  HgKind kind;
  int size;
  bool constant; /* its cotangent alone is recorded */
} HgRecorded;

/* What recording.yaml says. */
typedef struct {
  char application[HG_RECORD_NAME], program[HG_RECORD_NAME], version[HG_RECORD_NAME];
  char compiler[HG_RECORD_BUILD], flags[HG_RECORD_BUILD]; /* of the library; "": not said */
  int nx, ny, px, py, periodic_x, periodic_y;
  double x0, y0, dx, dy, dt;
  long steps;
  int sweeps; /* 1: of a value; 2: of a gradient */
  int states; /* 0: the ledger alone */
  int observed; /* so many sets of steps n = first, first + every, .. last that J looks at, for pictures */
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

/* "DIRECTORY/forward-000000100". */
void HgRecordStem(const char directory[], HgMode direction, long n, char stem[HG_GENERATION_STEM]);

/* The generations of a sweep; `constants`: with their tangents or cotangents. */
HgGenerationKind HgRecordKind(HgMode direction, bool constants);

/* The constants c of the run, of which there is one generation. */
HgGenerationKind HgRecordConstantsKind(void);
void HgRecordConstantsStem(const char directory[], char stem[HG_GENERATION_STEM]);

struct HgRecording_s {
  MPI_Comm comm;
  char directory[HG_RECORD_DIRECTORY];
  HgRecordHead head;
  HgLedgerText ledger;
  long *step[HG_MODES]; /* of the ledger, rising */
  int steps[HG_MODES];
};

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
