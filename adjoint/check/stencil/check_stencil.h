/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/check_stencil.h -- does a stencil keep the kernel contract (kernel.h)? Its kernels are
   run on boxes of random numbers, without a mesh.

     const HgCheckRange ranges[] = {{-1, 1}, {0.5, 2}};          the values of each read
     PetscCall(HgCheckStencil(comm, &my_stencil, &my_params, ranges, NULL, &passed)); */
#ifndef HALOGRAD_CHECK_STENCIL_H
#define HALOGRAD_CHECK_STENCIL_H

#include <halograd/error.h>
#include <halograd/kernel.h>
#include <stdbool.h>
#include <stdint.h>

/* The values of a read are drawn from [low, high]. If 0 is outside, it stays outside after a
   perturbation. */
typedef struct {
  double low, high;
} HgCheckRange;

typedef struct {
  uint64_t seed;   /* of the first draw; the next ones have seed + 1, ... */
  int draws;       /* 0: 24 */
  int largest;     /* cells of a box along each axis; 0: 13 */
  unsigned checks; /* bit k: check k (finding_library.h); 0: all. A crash is always reported */
  /* 0: 1e-13. Narrow ranges far from 0 need more. Floats: eps(float) / eps(double) times as much */
  double dot_bound;
  /* Cell size, position of the domain, sphere, t, step ... as here; NULL: drawn. The box itself,
     too, if i1 > i0; else its size and where in the domain of nx_global x ny_global cells it lies
     are drawn: at either end of an axis in a third of the draws, else anywhere. */
  const HgBox *box;
  /* Mirrored data are claimed to give mirrored numbers, along x and along y, where the variables of
     odd[0], odd[1] change their sign (names, terminated by NULL; NULL: none). */
  bool mirrored;
  const char *const *odd[2];
  bool quiet;
} HgCheckStencilOptions;

/* Checks `stencil` with `params` (borrowed, handed to the kernels) against the kernel contract
   (kernel.h), on boxes of random numbers, without a mesh. ranges[k]: of the values of read k; NULL:
   [-1, 1] for all. `options` may be NULL. Prints "check stencil <name>: linearity 1e-16 dot 3e-17
   Taylor 2.00 ok" or "... FAILED:" and the findings. Costs some 20 ms, 80 ms with a `second`.
   Collective on `comm`, not for several threads at once; the first rank checks. Errors: ranges and
   options out of range; more than 16 reads or writes; a kernel missing. */
PetscErrorCode HgCheckStencil(MPI_Comm comm, const HgStencil *stencil, const void *params,
                              const HgCheckRange ranges[], const HgCheckStencilOptions *options,
                              bool *passed);

/* What checks find, as numbers: for a program that does not only print it. */

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
