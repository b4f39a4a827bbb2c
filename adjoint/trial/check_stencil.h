/* halograd/check_stencil.h -- does a stencil keep the kernel contract (kernel.h)? Its kernels
   are run on boxes of random numbers, without a mesh; what is wrong is said with its name, the
   check and the pair of variables.

     const HgCheckRange ranges[] = {{-1, 1}, {0.5, 2}};          the values of each read
     PetscCall(HgCheckStencilPrint(comm, &my_stencil, &my_params, ranges, NULL, &passed));

   An order: where a check fails whose claim later ones rest on, those are left out. */
#ifndef HALOGRAD_CHECK_STENCIL_H
#define HALOGRAD_CHECK_STENCIL_H

#include <halograd/error.h>
#include <halograd/kernel.h>
#include <stdint.h>

/* Each says what is compared, the value (its bound); cells are those whose bits differ (0). */
typedef enum {
  /* no variable is read or written twice, which would make a row written a row read (the engine
     never does so otherwise); radii are at least 0; only_for names reads; copies are the last of
     the writes, not all: count of faults (0) */
  HG_STENCIL_DECLARATION,
  /* x, dx and y_bar stay as they were: numbers that were changed (0) */
  HG_STENCIL_INPUTS,
  /* apply, tangent, adjoint are finite for values in their ranges, 0 among them: numbers that are
     not (0) */
  HG_STENCIL_FINITE,
  /* x, dx, y_bar beyond the declared radii become NaN, and other numbers: cells away (the
     radius); INFINITY if a kernel crashes, which ends the check */
  HG_STENCIL_RADIUS,
  /* x becomes NaN, and other numbers, where the adjoint must not use it: HG_ADJOINT_UNUSED, or
     only_for cotangents that are NULL: cells */
  HG_STENCIL_UNUSED,
  /* such an x is NULL: INFINITY if the adjoint crashes (0) */
  HG_STENCIL_NULL,
  /* y, dy, x_bar outside the box stay as they were, inside the box y and dy do not depend on what
     they held: cells */
  HG_STENCIL_BOX,
  /* the box is cut into boxes, down to single cells: cells */
  HG_STENCIL_CUT,
  /* the same call a second time, and again after one with other data, box and time: cells */
  HG_STENCIL_PURE,
  /* F'(x) 0 = 0; second is 0 where dx and dy_bar are: cells that are not */
  HG_STENCIL_ZERO,
  /* |F'(a p + b q) - a F'p - b F'q| / |(a F'p, b F'q)| for each write (the dot product's bound);
     second, for each x_bar, in (dx, dy_bar) */
  HG_STENCIL_LINEARITY,
  /* order of |F(x + e dx) - F(x) - e F'dx| for each write from each read: 2, INFINITY if affine
     (1.9), 1 if the tangent is wrong. 3 of |A(x + e dx) - A(x - e dx) - 2 e
     second| for each x_bar of the adjoint A from each read, and from y_bar (no read) */
  HG_STENCIL_TAYLOR,
  /* for each pair of a read x_k and a write y_l, and all together:
     |<dy_l, y_bar_l> - <dx_k, x_bar_k>| / max(|dy_l| |y_bar_l|, |dx_k| |x_bar_k|), on an unbounded
     domain: y_bar is 0 outside the box, x_bar is wanted R cells around it (1e-13) */
  HG_STENCIL_DOT,
  /* x_bar = p becomes p + F'^T y_bar, relative to the largest of several F'^T y_bar (10 eps) */
  HG_STENCIL_ADDS,
  /* some x_bar are NULL: cells of the others; INFINITY if the adjoint crashes */
  HG_STENCIL_WANTED,
  /* a stencil that `sets`: where box->fresh says so x_bar holds NaN before; compared with zeros:
     cells */
  HG_STENCIL_FRESH,
  /* mirrored data give mirrored numbers, where that is claimed: cells */
  HG_STENCIL_MIRROR,
  /* second, for fixed y_bar and with dy_bar = 0, is symmetric in two directions: |<dx_2, H dx_1> -
     <dx_1, H dx_2>| / max(|dx_2| |H dx_1|, |dx_1| |H dx_2|), on an unbounded domain (1e-13) */
  HG_STENCIL_SYMMETRY,
  /* writes that `copies` says are reads unchanged: cells in which y or dy is another one; y of all
     of them is NULL: INFINITY if apply or tangent crashes, else cells of the others */
  HG_STENCIL_COPY,
  /* the same cells with other local indices i, j, and i_global + i, j_global + j as before: cells
   */
  HG_STENCIL_INDEX,
  /* static memory that a kernel writes, which all threads of a rank share: words of 4 bytes that
     depend on its inputs (0) */
  HG_STENCIL_STATIC,
  HG_STENCIL_CHECKS
} HgStencilCheck;

typedef enum {
  HG_STENCIL_APPLY,
  HG_STENCIL_TANGENT,
  HG_STENCIL_ADJOINT,
  HG_STENCIL_SECOND
} HgStencilKernel;

/* The values of a read are drawn from [low, high]. Where 0 is not within, neither is it after a
   perturbation. */
typedef struct {
  double low, high;
} HgCheckRange;

typedef struct {
  uint64_t seed;    /* of the first draw; the next ones have seed + 1, ... */
  int draws;        /* 0: 24 */
  int largest;      /* cells of a box along each axis; 0: 13 */
  unsigned checks;  /* bit k: check k; 0: all. A crash is always told */
  double dot_bound; /* 0: 1e-13. Narrow ranges far from 0 need more */
  /* Cell size, position of the domain, sphere, t, step ... as here; NULL: drawn. The box itself,
     too, if i1 > i0; else its size and where in the domain of nx_global x ny_global cells it lies
     are drawn: at either end of an axis in a third of the draws, else anywhere. */
  const HgBox *box;
  /* Mirrored data are claimed to give mirrored numbers, along x and along y, where the variables of
     odd[0], odd[1] change their sign (names, terminated by NULL; NULL: none). */
  bool mirrored;
  const char *const *odd[2];
  bool quiet; /* HgCheckStencilPrint() prints nothing */
} HgCheckStencilOptions;

/* What is wrong: the worst of all draws. Names belong to the stencil. */
typedef struct {
  HgStencilCheck check;
  HgStencilKernel kernel;
  const char *read, *write; /* the pair; NULL: none, or all together */
  double value, bound;
  uint64_t seed; /* of the draw: HgCheckStencilOptions.seed repeats it */
  char at[96];   /* HG_STENCIL_FINITE: "u = 0, v = 0", where it shows; "": anywhere */
} HgStencilFinding;

enum { HG_STENCIL_FINDINGS = 32 };

typedef struct {
  const char *stencil;
  bool passed;
  /* The worst value of all draws, whether it passed or not; NAN: never checked. */
  double worst[HG_STENCIL_CHECKS];
  int findings; /* one for each check, kernel and pair, HG_STENCIL_FINDINGS at most */
  HgStencilFinding finding[HG_STENCIL_FINDINGS];
} HgStencilReport;

/* Checks `stencil` with `params` (borrowed, handed to the kernels). ranges[k]: of the values of
   read k; NULL: [-1, 1] for all. `options` may be NULL. Costs some 20 ms, 80 ms with a `second`.
   Not collective, not for several threads at once. Errors: ranges and options out of range; more
   than 16 reads or writes; a kernel missing. */
PetscErrorCode HgCheckStencil(const HgStencil *stencil, const void *params,
                              const HgCheckRange ranges[], const HgCheckStencilOptions *options,
                              HgStencilReport *report);

/* A finding as a sentence with value and bound, such as "cotangent of 'v' from 'u'' is not ...". */
PetscErrorCode HgStencilFindingText(const HgStencilFinding *finding, size_t size, char text[]);

/* Checks on rank 0 and prints "check stencil <name>: linearity 1e-16 Taylor 2.00 dot 3e-17 ok", or
   ... "FAILED:" and a line for each finding; *passed on every rank. Collective on `comm`. */
PetscErrorCode HgCheckStencilPrint(MPI_Comm comm, const HgStencil *stencil, const void *params,
                                   const HgCheckRange ranges[],
                                   const HgCheckStencilOptions *options, bool *passed);

#endif
