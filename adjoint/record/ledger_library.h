/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/ledger.h -- steps.csv: what every recorded state was, in a line for each of its
   variables, so that two runs can be compared without their states.

     # halograd ledger 1: ...                                  what the columns are
     sweep,step,time [s],variable,unit,norm,least,least i,least j,largest,largest i,largest j,digest
     forward,0,0,u,"K",...                                      q_n, n rising
     tangent,0,0,u,"K",...                                      dq_n of a tangent run, after q_n
     reverse,100,0.5,u,"1/K",...                                lambda_n and the cotangents of
     reverse,100,0.5,kappa,"1/(m^2/s)",...                      constants so far, n falling
     # whole: J 0x1.8p+3, 42 lines, XXH3 0123456789abcdef       of all before; if the run came to it

   Numbers are those of measure.h, printed so that they are read back with the same bits. Every step
   is in the file before the run goes on. */
#ifndef HG_LEDGER_LIBRARY_H
#define HG_LEDGER_LIBRARY_H

#include <halograd/measure_library.h>
#include <halograd/mode.h>

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

/* "forward", "tangent" or "reverse". */
const char *HgSweepName(HgMode direction);

#endif
