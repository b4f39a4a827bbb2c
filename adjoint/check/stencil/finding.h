/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/finding.h -- what checks find, as numbers: for a program that does not only print it. */
#ifndef HALOGRAD_FINDING_H
#define HALOGRAD_FINDING_H

#include <stdbool.h>

/* One number that a check has measured (sentence NULL, bound NAN), or one finding. A name that does
   not apply is "", a number -1. */
typedef struct {
  const char *of;       /* the stencil, operator or program that is checked */
  const char *what;     /* what is compared: "dot", "Taylor", "radius", ... */
  double off, bound;    /* how far off, and what is allowed; of "Taylor": an order, and the least */
  bool remark;          /* nothing is wrong with it, such as a control that J does not depend on */
  const char *sentence; /* what, where, how far off, what to look at */
  const char *part;     /* the stencil, operator, or term of the objective */
  const char *kernel;   /* of a stencil: "apply", "tangent", "adjoint" or "second" */
  const char *read, *write; /* the variables: of x_bar and y_bar, or of dx and dy */
  const char *within;       /* the experiment, or part of a sum */
  long step;                /* n -> n + 1, or n for a term of the objective */
  int i, j, level,
      rank; /* the global cell that is most wrong, and its owner; level -1: no levels */
} HgCheckNote;

typedef void HgCheckMonitorFn(const HgCheckNote *note, void *context);

/* From now on, each check that is not `quiet` calls see(note, context) for what it prints: on the
   first rank of its communicator, in the order of what is printed. A note is valid for the call.
   One monitor at a time; see = NULL: none. Not collective. */
void HgCheckSetMonitor(HgCheckMonitorFn *see, void *context);

#endif
