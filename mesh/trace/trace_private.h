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
  /* of the operator, of its part, of what it is within; "": none */
  char name[HG_TRACE_NAME], part[HG_TRACE_NAME], around[HG_TRACE_NAME];
  long step;
  HgMode mode;
} HgTraceFrame;

/* A message or a collective that has begun. */
typedef struct {
  const char *event; /* "send", "recv", "allreduce", ...; NULL: this place is free */
  bool message;
  int peer;    /* of a message, or root; a rank in MPI_COMM_WORLD; -1: any or none */
  int tag;     /* -1: any */
  int awaited; /* index among the requests that are waited for; -1: not waited for */
  int64_t bytes;
  int communicator, ranks; /* 0: MPI_COMM_WORLD, others as they come; its size */
  long number;             /* of a collective among those of its communicator on this rank */
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

/* What this rank is in, or was in last. */
typedef struct {
  const char *call; /* "MPI_Allreduce"; NULL: in no call of MPI */
  double since;     /* when it began [s] */
  int requests;     /* that are not complete yet */
} HgTraceWait;

/* For the watchdog: a copy of all that it may tell. */
typedef struct {
  HgTraceWait wait;
  HgTraceFrame frame;
  int awaited; /* items waited for; the first of them follow */
  HgTraceItem item[8];
  const char *last; /* the last call that ended, when, and its item (event NULL: none) */
  double last_ended;
  HgTraceItem last_item;
} HgTraceSnapshot;

/* Is anything traced or watched? And by the library's own calls, as there is no library in front of
   MPI that sees them all? */
extern bool hg_trace_on, hg_trace_own;

/* What traced calls of MPI say. Each item has a place; -1: it has none.
   `peer` and `root` are ranks in `comm`. */
int HgTraceMessage(const char event[], int count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm);
int HgTraceCollective(const char event[], int64_t bytes, int root, MPI_Comm comm);
void HgTraceRequest(int place, MPI_Request request);

/* A wait for the item at `place`, or for those of HgTraceAwait(). Returns what HgTraceWaitEnd()
   restores; that frees `place`. */
HgTraceWait HgTraceWaitBegin(const char call[], int place);
void HgTraceAwait(int count, const MPI_Request requests[]);
void HgTraceWaitEnd(HgTraceWait outer, int place);

/* Request `index` of those awaited is complete; status may be MPI_STATUS_IGNORE. */
void HgTraceComplete(int index, const MPI_Status *status);

/* What the blocking receive at `place` got. */
void HgTraceGot(int place, const MPI_Status *status);
void HgTraceFreed(MPI_Request request);
void HgTraceCommFreed(MPI_Comm comm);

/* The end of a start of the library: the next one begins with nothing entered, begun or known. */
void HgTraceForget(void);
void HgTraceSnap(HgTraceSnapshot *snapshot);

/* Seconds of CLOCK_MONOTONIC: never set back. */
double HgTraceTime(void);

/* One line of -hg_trace, if it is on. */
bool HgTracePrints(void);
void HgTracePrint(const char event[], const HgTraceItem *item);

/* ---- the watchdog ---- */

/* A page in which every rank of the job says for how long it has been idle: waiting in one and the
   same call of MPI. HgIdleBegin() is collective; false on all ranks: they are on several machines,
   or there is no shared memory. The others are for the watchdog's thread: HgIdleSet() says it of
   this rank, HgIdleLeast() is the smallest of all ranks. */
bool HgIdleBegin(void);
void HgIdleSet(double seconds);
double HgIdleLeast(void);
void HgIdleEnd(void);

/* How long a rank may wait, and all ranks together; 0: for ever. [s] */
typedef struct {
  double one, all;
} HgPatience;

/* Starts a thread that looks after the waits of this rank; false: there can be none. */
bool HgWatchdogBegin(HgPatience patience, int rank);

/* From here on a signal to end is obeyed in silence. */
void HgWatchdogRest(void);
void HgWatchdogEnd(void);

#endif
