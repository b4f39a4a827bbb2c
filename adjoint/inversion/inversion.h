/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/inversion.h -- TAO over the controls of a functional J(m).

   TAO sees z = W m with W^2 = dx dy, the cell area (fields; on a sphere in square degrees, as if at
   the equator), or 1 (arrays), so that its Euclidean inner product is the L2 one and iteration
   counts do not grow with the grid; its vectors add and
   multiply through exact sums (sum.h), so that every iterate has the same bits on any layout. */
#ifndef HALOGRAD_INVERSION_H
#define HALOGRAD_INVERSION_H

#include <halograd/operator.h>

/* A functional with its controls' bounds and scales, and TAO below it. */
typedef struct HgInversion_s *HgInversion;

/* How an inversion ended, the worst last. */
typedef enum {
  HG_UNDER_WAY,
  HG_CONVERGED, /* the gradient, or J, is as small as was asked for */
  HG_LIMIT,     /* the most iterations or evaluations that were allowed */
  HG_NOTHING,   /* J does not depend on the controls at the first guess */
  HG_FAILED,    /* the method found no better point, or J there is not finite */
  HG_ENDINGS
} HgEnding;

typedef struct {
  int iteration, evaluations;
  double J, gradient_norm; /* L2 norm of the (projected) gradient */
  double seconds;
  double tolerance; /* of |g| relative to the first one, at which it stops */
  HgEnding ending;
} HgIterate;

/* Called at every iterate, m being the controls (read only). */
typedef PetscErrorCode HgMonitorFn(const HgIterate *iterate, HgState m, void *context);

/* Inverts `functional` (operator.h), as one of its owners. Options -tao_* are read by Solve;
   default: BLMVM. Collective. */
PetscErrorCode HgInversionCreate(HgOperator functional, HgInversion *inversion);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgInversionDestroy(HgInversion *inversion);

/* lower <= control <= upper on every cell or entry; -INFINITY, INFINITY: free. `scale`: how much it
   may change by, > 0 [its unit], 1 unless it is said: TAO is shown m / scale, since its thresholds,
   such as that of the curvature along a step, are for numbers of order 1. |g| is scaled likewise.
   Collective. Errors: unknown control, lower > upper, NaN; a scale that is not positive and
   finite; ranks that differ. */
PetscErrorCode HgInversionSetBounds(HgInversion inversion, const char control[], double lower,
                                    double upper, double scale);

/* `part` of the functional asks for no data, such as a regularisation: where the first gradient of
   the functional is that of `part` to the last bit, the inversion ends as HG_NOTHING; if it is so
   for some of the controls, these are remarked upon. NULL: no such part. Becomes an owner. */
PetscErrorCode HgInversionSetPart(HgInversion inversion, HgOperator part);

/* Calls `monitor` at each iterate; NULL: none. */
PetscErrorCode HgInversionSetMonitor(HgInversion inversion, HgMonitorFn *monitor, void *context);

/* When it stops: ||g|| <= tolerance ||g_0||, or J <= target (0: none), or after so many iterations
   or evaluations; and how it goes on until then. */
typedef struct {
  double tolerance, target;
  int iterations;
  int evaluations; /* 0: 10 for each iteration and one */
  /* pairs of steps and changes of the gradient that BLMVM remembers: each costs two vectors, and
     more of them fewer evaluations where J has a long valley; 0: TAO's own 5 */
  int pairs;
  /* BFGS begins with the inverse of the second derivative of HgInversionSetPart(), plus a tenth of
     the rest's curvature along the first step, and Newton's equations are preconditioned with it:
     what the part makes stiff, as an H1 on a fine grid, takes no more iterations. Each rank keeps
     its sparse factor. Errors, in Solve: no part; one without second derivatives; a -tao_type that
     has no use for it. */
  bool preconditioned;
  /* a directory, made if missing, that keeps every evaluation; the next Solve takes those found
     there for its first ones. So an inversion that was killed goes on with the same bits, on any
     number of ranks. The first two are computed again and must come out the same. One directory is
     for one Solve. NULL: none. Errors: those of HgDirectoryCreate(); another run is using it;
     evaluations of another J, in Solve. */
  const char *journal;
  /* of its journal, if groups of ranks do this inversion all alike: &HgGroup.across; else NULL */
  const MPI_Comm *across;
} HgInversionRules;

/* Options -tao_gttol -tao_max_it -tao_max_funcs -tao_blmvm_mat_lmvm_... come after. Errors: a
   negative number; pairs out of range. */
PetscErrorCode HgInversionSetRules(HgInversion inversion, const HgInversionRules *rules);

/* m: first guess in; out the minimiser if last->ending is HG_CONVERGED, else (after an error, too)
   the best point that was evaluated. last->J is J there, last->gradient_norm that of the last
   iterate, *reason the ending in words. Collective. A point where J or its gradient is not finite,
   or has no finite square, is a wall that the line search steps back from; it is no iterate, and
   never counts as converged. Errors: J or its gradient not finite at the first guess; a first guess
   outside the bounds; a -tao_type or -tao_ls_type that is unknown or wants more than J, its
   gradient and, for nls, ntr, bnls, bntr and bntl, products of its Hessian (HgOperatorHessian());
   then a functional without second derivatives; lmvm, cg, nls and ntr if a control has a finite
   bound, at which they do not look; owlqn and bmrm, which minimise more than J; a tolerance of
   -tao_gatol -tao_grtol
   -tao_gttol that is not a number from 0 on. An iterate that takes more than 10 evaluations
   (Newton: 40) is remarked upon, once: its gradient may be wrong. */
PetscErrorCode HgInversionSolve(HgInversion inversion, HgState m, HgIterate *last,
                                const char **reason);

#endif
