/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of the trace, for mesh/trace only. */
#ifndef HALOGRAD_TRACE_PRIVATE_H
#define HALOGRAD_TRACE_PRIVATE_H

#include <halograd/trace_library.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HG_TRACE_NAME = 48, HG_TRACE_MOST = 256 };

typedef struct {
  /* names of the operator, of its part, of what it is within; "": none */
  char name[HG_TRACE_NAME], part[HG_TRACE_NAME], around[HG_TRACE_NAME];
  long step;
  HgMode mode;
} HgTraceFrame;

/* A message or a collective that has begun. */
typedef struct {
  const char *event; /* "send", "recv", "allreduce", ...; NULL: the entry is free */
  bool message;
  int peer;    /* of a message, or the root; rank in MPI_COMM_WORLD; -1: any or none */
  int tag;     /* -1: any */
  int awaited; /* index among the awaited requests; -1: not awaited */
  int64_t bytes;
  int communicator, ranks; /* 0: MPI_COMM_WORLD, others in order of appearance; its size */
  long number;             /* of a collective: its number on this communicator and rank */
  MPI_Comm comm;
  MPI_Request request;
  HgTraceFrame frame; /* where it began */
} HgTraceItem;

static inline const char *HgTraceOperator(const HgTraceFrame *f) {
  return *f->part ? f->part : f->name;
}

static inline const char *HgTraceWithin(const HgTraceFrame *f) {
  return *f->part ? f->name : f->around;
}

/* The present or last wait of this rank. */
typedef struct {
  const char *call; /* "MPI_Allreduce"; NULL: in no call of MPI */
  double since;     /* start [s] */
  int requests;     /* not complete yet */
} HgTraceWait;

/* A copy of all that the watchdog may print. */
typedef struct {
  HgTraceWait wait;
  HgTraceFrame frame;
  int awaited; /* number of awaited items; the first of them follow */
  HgTraceItem item[8];
  const char *last; /* the last call that ended, its time, and its item (event NULL: none) */
  double last_ended;
  HgTraceItem last_item;
} HgTraceSnapshot;

/* Whether anything is traced or watched; and whether the library's own calls do it, as no library
   in front of MPI sees all calls. */
extern bool hg_trace_on, hg_trace_own;

/* Called by traced calls of MPI. Each item has a place; -1: none. `peer` and `root` are ranks in
   `comm`. */
int HgTraceMessage(const char event[], int count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm);
int HgTraceCollective(const char event[], int64_t bytes, int root, MPI_Comm comm);
void HgTraceRequest(int place, MPI_Request request);

/* Begins a wait for the item at `place`, or for those of HgTraceAwait(). Pass the result to
   HgTraceWaitEnd(), which restores the outer wait and frees `place`. */
HgTraceWait HgTraceWaitBegin(const char call[], int place);
void HgTraceAwait(int count, const MPI_Request requests[]);
void HgTraceWaitEnd(HgTraceWait outer, int place);

/* Notes that awaited request `index` is complete; status may be MPI_STATUS_IGNORE. */
void HgTraceComplete(int index, const MPI_Status *status);

/* Notes what the blocking receive at `place` got. */
void HgTraceGot(int place, const MPI_Status *status);
void HgTraceFreed(MPI_Request request);
void HgTraceCommFreed(MPI_Comm comm);

/* Forgets everything when the library ends, so that a new start has nothing entered, begun or
   known. */
void HgTraceForget(void);
void HgTraceSnap(HgTraceSnapshot *snapshot);

/* Seconds of CLOCK_MONOTONIC: never set back. */
double HgTraceTime(void);

/* Prints one line of -hg_trace, if HgTracePrints(). */
bool HgTracePrints(void);
void HgTracePrint(const char event[], const HgTraceItem *item);

/* ---- the watchdog ---- */

/* A shared page where every rank of the job notes how long it has been idle: waiting in one and the
   same call of MPI. HgIdleBegin() is collective; false on all ranks: they are on several machines,
   or there is no shared memory. The others are for the watchdog's thread: HgIdleSet() notes it for
   this rank, HgIdleLeast() is the smallest of all ranks. */
bool HgIdleBegin(void);
void HgIdleSet(double seconds);
double HgIdleLeast(void);
void HgIdleEnd(void);

/* How long one rank may wait, and all ranks together [s]; 0: for ever. */
typedef struct {
  double one, all;
} HgPatience;

/* Starts a thread that watches the waits of this rank; false: not possible. */
bool HgWatchdogBegin(HgPatience patience, int rank);

/* Makes a signal to end the program be obeyed silently from now on. */
void HgWatchdogRest(void);
void HgWatchdogEnd(void);

#endif
