/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/trace_library.h -- what every rank is doing: -hg_trace prints each message and
   collective. -hg_watchdog SECONDS ends a job that waits too long and prints on every rank what it
   waits for. Without options, a job ends if all its ranks have waited for ten minutes
   (-hg_watchdog_all).

   The library's own calls of MPI are traced without changes at the call; all calls with
   libhalograd_trace (trace_calls_private.h). The functions below add what MPI cannot know:
   operator, step and direction. Switched off, a message or a call of these functions costs one
   branch. Nothing is allocated. Only the thread that calls MPI may call them. */
#ifndef HG_TRACE_LIBRARY_H
#define HG_TRACE_LIBRARY_H

#include <halograd/mode.h>

/* Declares that what follows belongs to the part `name` of the operator entered last (a stencil, a
   boundary, an exchange; NULL: none), to step `step` (-1: none) and to `mode`, until the next such
   call or until that operator is left. `name` is copied. Not collective. */
void HgTraceContext(const char name[], long step, HgMode mode);

/* Begins the operator `name`; its step is that of the operator around it. Returns the depth for
   HgTraceLeave(), which also leaves what an error has left open inside. Not collective. */
int HgTraceEnter(const char name[], HgMode mode);
void HgTraceLeave(int depth);

#endif
