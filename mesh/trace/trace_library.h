/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/trace_library.h -- what every rank is doing: -hg_trace prints each message and
   collective,
   -hg_watchdog SECONDS ends a job that waits too long and says on every rank what it waits for;
   without being asked, one all of whose ranks have waited for ten minutes (-hg_watchdog_all).

   The library's own calls of MPI are seen without a word at the place of the call; all calls with
   libhalograd_trace (trace_calls_private.h). What MPI cannot know, the operator, the step and the
   direction, is told here. Off, a message costs one branch and so does a call of these functions;
   on, nothing is allocated either. Only the thread that calls MPI may call them. */
#ifndef HG_TRACE_LIBRARY_H
#define HG_TRACE_LIBRARY_H

#include <halograd/mode.h>

/* What comes next belongs to the part `name` of the operator entered last (a stencil, a boundary,
   an exchange; NULL: to none in particular), to step `step` (-1: to none) and to `mode`; holds
   until the next such call or until that operator is left. `name` is copied. Not collective. */
void HgTraceContext(const char name[], long step, HgMode mode);

/* The operator `name` begins; its step is that of the operator around it. Returns the depth for
   HgTraceLeave(), which also leaves what an error has left open within. Not collective. */
int HgTraceEnter(const char name[], HgMode mode);
void HgTraceLeave(int depth);

#endif
