/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/check_stencil.h -- checks that a stencil keeps the kernel contract (kernel.h). Runs its
   kernels on boxes of random numbers, without a mesh.

     const HgCheckRange ranges[] = {{-1, 1}, {0.5, 2}};          the values of each read
     PetscCall(HgCheckStencil(comm, &my_stencil, &my_params, ranges, NULL, &passed)); */
#ifndef HALOGRAD_CHECK_STENCIL_H
#define HALOGRAD_CHECK_STENCIL_H

#include <halograd/error.h>
#include <halograd/kernel.h>
#include <stdbool.h>
#include <stdint.h>

/* Range of the values of a read. If it excludes 0, perturbed values exclude 0, too. */
typedef struct {
  double low, high;
} HgCheckRange;

typedef struct {
  uint64_t seed;   /* of the first draw; later draws have seed + 1, ... */
  int draws;       /* 0: 24 */
  int largest;     /* largest number of cells of a box along each axis; 0: 13 */
  unsigned checks; /* bit k: check k in the library's order; 0: all. Crashes are always reported */
  /* 0: 1e-13. Narrow ranges far from 0 need more. In single precision eps(float) / eps(double)
     times as much */
  double dot_bound;
  /* Cell size, position of the domain, sphere, t, step, ... to use; NULL: drawn. If i1 > i0, also
     the box itself; otherwise its size and its place in the domain of nx_global x ny_global cells
     are drawn: at either end of an axis in a third of the draws, else anywhere. */
  const HgBox *box;
  /* Also checks that mirrored data give mirrored numbers, along x and along y, where the variables
     odd[0], odd[1] change their sign (names, terminated by NULL; NULL: none). */
  bool mirrored;
  const char *const *odd[2];
  bool quiet;
} HgCheckStencilOptions;

/* Checks `stencil` against the kernel contract (kernel.h), on boxes of random numbers, without a
   mesh. `params` are borrowed and handed to the kernels. ranges[k]: the values of read k; NULL:
   [-1, 1] for all. `options` may be NULL. Prints "check stencil <name>: linearity 1e-16 dot 3e-17
   Taylor 2.00 ok" or "... FAILED:" and the findings. Takes some 20 ms, 80 ms with a `second`. The
   first rank checks. Collective on `comm`; not thread-safe. Errors: ranges and options out of
   range; more than 16 reads or writes; a kernel missing. */
PetscErrorCode HgCheckStencil(MPI_Comm comm, const HgStencil *stencil, const void *params,
                              const HgCheckRange ranges[], const HgCheckStencilOptions *options,
                              bool *passed);

/* Findings as numbers, for programs that do more than print them. */

/* One measured number of a check (sentence NULL, bound NAN), or one finding. Names that do not
   apply are "", numbers -1. */
typedef struct {
  const char *of;           /* the stencil, operator or program that is checked */
  const char *what;         /* what is compared: "dot", "Taylor", "radius", ... */
  double off, bound;        /* how far off, and the limit; for "Taylor": the order, and the least */
  bool remark;              /* not an error, such as a control that J does not depend on */
  const char *sentence;     /* what, where, how far off, what to look at */
  const char *part;         /* the stencil, operator, or term of the objective */
  const char *kernel;       /* of a stencil: "apply", "tangent", "adjoint" or "second" */
  const char *read, *write; /* the variables: of x_bar and y_bar, or of dx and dy */
  const char *within;       /* the experiment, or part of a sum */
  long step;                /* n -> n + 1, or n for a term of the objective */
  int i, j, level,
      rank; /* the global cell that is most wrong, and its owner; level -1: no levels */
} HgCheckNote;

typedef void HgCheckMonitorFn(const HgCheckNote *note, void *context);

/* From now on, each check that is not `quiet` calls see(note, context) for everything it prints, on
   the first rank of its communicator, in the order of printing. A note is valid during the call.
   Only one monitor at a time; see = NULL: none. Not collective. */
void HgCheckSetMonitor(HgCheckMonitorFn *see, void *context);

#endif
