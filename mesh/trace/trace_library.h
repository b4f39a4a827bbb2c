/* halograd/trace_library.h -- what other rooms of the library need of trace.h. */
#ifndef HG_TRACE_LIBRARY_H
#define HG_TRACE_LIBRARY_H

#include <halograd/trace.h>

/* The operator `name` begins; its step is that of the operator around it. Returns the depth for
   HgTraceLeave(), which also leaves what an error has left open within. Not collective. */
int HgTraceEnter(const char name[], HgMode mode);
void HgTraceLeave(int depth);

#endif
