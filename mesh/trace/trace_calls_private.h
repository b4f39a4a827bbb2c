/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of MPI that are traced, written once and compiled twice (MPI-3.1, 14.2):

     in the library       HgMPI_Send calls MPI_Send. own_calls_private.h turns the library's own
                          calls of MPI_Send into HgMPI_Send. A profiler in front of MPI sees them.
     HG_IN_FRONT_OF_MPI   MPI_Send calls PMPI_Send: the preloaded libhalograd_trace. It also sees
                          the calls of the program and of PETSc, and passes them to the library
                          through a table.

   Do not include <petscsys.h> before: its macros would hide the names. */
#ifndef HALOGRAD_TRACE_CALLS_PRIVATE_H
#define HALOGRAD_TRACE_CALLS_PRIVATE_H

#include "trace_private.h"

/* What a library in front of MPI calls in halograd. */
typedef struct {
  size_t size; /* of this table; another version has another size and is refused */
  const bool *on;
  int (*message)(const char event[], int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm);
  int (*collective)(const char event[], int64_t bytes, int root, MPI_Comm comm);
  void (*request)(int place, MPI_Request request);
  HgTraceWait (*wait_begin)(const char call[], int place);
  void (*await)(int count, const MPI_Request requests[]);
  void (*wait_end)(HgTraceWait outer, int place);
  void (*complete)(int index, const MPI_Status *status);
  void (*got)(int place, const MPI_Status *status);
  void (*freed)(MPI_Request request);
  void (*comm_freed)(MPI_Comm comm);
  void (*rest)(void);
} HgTraceTable;

/* halograd's own table */
extern const HgTraceTable hg_trace_calls;

/* NULL: halograd has ended. Returns whether the table is of this version. */
typedef bool HgTraceAttachFn(const HgTraceTable *table);
#define HG_TRACE_ATTACH "hg_trace_attach"

#ifdef HG_IN_FRONT_OF_MPI
extern const HgTraceTable *hg_trace_table;
#define HG_CALL(Name) int MPI_##Name
#define HG_MPI(Name) PMPI_##Name
#define HG_TRACES (hg_trace_table && *hg_trace_table->on)
#define HG_TRACE hg_trace_table
#else
#define HG_CALL(Name)                                                                              \
  __typeof__(MPI_##Name) HgMPI_##Name;                                                             \
  int HgMPI_##Name
#define HG_MPI(Name) MPI_##Name
#define HG_TRACES hg_trace_own
#define HG_TRACE (&hg_trace_calls)
#endif

#endif
