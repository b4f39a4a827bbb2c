/* The inside of the trace, for mesh/trace*.c and mesh/error.c only. */
#ifndef HALOGRAD_TRACE_PRIVATE_H
#define HALOGRAD_TRACE_PRIVATE_H
#include <halograd/trace.h>
#include <stdbool.h>
enum { HG_TRACE_NAME = 48 };
typedef struct {
  char name[HG_TRACE_NAME], part[HG_TRACE_NAME]; /* "": none */
  long step;
  HgTraceDirection direction;
} HgTraceFrame;
/* Is anything traced or watched? */
extern bool hg_trace_on;
/* The operator entered last. */
HgTraceFrame HgTraceTop(void);
#endif
