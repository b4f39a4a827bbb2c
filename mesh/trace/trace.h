/* halograd/trace.h -- what every rank is doing: -hg_trace prints each message and collective,
   -hg_watchdog SECONDS ends a job that waits too long and says on every rank what it waits for;
   without being asked, one all of whose ranks have waited for ten minutes (-hg_watchdog_all).

   Every MPI call is seen without a word at the place of the call, PETSc's and HDF5's calls too: the
   library stands between the program and MPI by MPI's own profiling interface (MPI-3.1, chapter 14:
   each function also has the name PMPI_...). What MPI cannot know, the operator, the step and the
   direction, is told here. Off, a message costs one branch and so does a call of these functions;
   on, nothing is allocated either. Only the thread that calls MPI may call them. */
#ifndef HALOGRAD_TRACE_H
#define HALOGRAD_TRACE_H

#include <halograd/mode.h>

/* What comes next belongs to the part `name` of the operator entered last (a stencil, a boundary,
   an exchange; NULL: to none in particular), to step `step` (-1: to none) and to `mode`; holds
   until the next such call or until that operator is left. `name` is copied. Not collective. */
void HgTraceContext(const char name[], long step, HgMode mode);

#endif
