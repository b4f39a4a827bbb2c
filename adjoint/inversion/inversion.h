/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/inversion.h -- minimises a functional J(m) of the controls with TAO.

   TAO sees z = W m, where W^2 is the cell area dx dy for fields (on a sphere in square degrees, as
   if at the equator) and 1 for arrays. Its Euclidean inner product is then that of L2, and
   iteration counts do not grow with the grid. Its vectors add and multiply through exact sums
   (sum.h), so every iterate has the same bits on any layout. */
#ifndef HALOGRAD_INVERSION_H
#define HALOGRAD_INVERSION_H

#include <halograd/operator.h>

/* A functional with bounds and scales of its controls, and the TAO solver. */
typedef struct HgInversion_s *HgInversion;

/* How an inversion ended, in order from best to worst. */
typedef enum {
  HG_UNDER_WAY,
  HG_CONVERGED, /* the gradient, or J, is as small as requested */
  HG_LIMIT,     /* the largest number of iterations or evaluations */
  HG_NOTHING,   /* J does not depend on the controls at the first guess */
  HG_FAILED,    /* the method found no better point, or J there is not finite */
  HG_ENDINGS
} HgEnding;

typedef struct {
  int iteration, evaluations;
  double J, gradient_norm; /* L2 norm of the (projected) gradient */
  double seconds;
  double tolerance; /* it stops at |g| <= tolerance |g_0| */
  HgEnding ending;
} HgIterate;

/* Called at every iterate; m are the controls (read only). */
typedef PetscErrorCode HgMonitorFn(const HgIterate *iterate, HgState m, void *context);

/* Creates an inversion of `functional` (operator.h), of which it becomes an owner.
   HgInversionSolve() reads the options -tao_*; the default method is BLMVM. Collective. */
PetscErrorCode HgInversionCreate(HgOperator functional, HgInversion *inversion);

/* Frees, sets NULL. Collective. */
PetscErrorCode HgInversionDestroy(HgInversion *inversion);

/* Bounds lower <= control <= upper on every cell or entry; -INFINITY, INFINITY: no bound. `scale` >
   0 is the expected size of a change, in the control's unit (default 1). TAO sees m / scale, since
   its thresholds, such as that of the curvature along a step, suit numbers of order 1; |g| is
   scaled likewise. Collective. Errors: unknown control, lower > upper, NaN; a scale that is not
   positive and finite; values that differ between ranks. */
PetscErrorCode HgInversionSetBounds(HgInversion inversion, const char control[], double lower,
                                    double upper, double scale);

/* Says that `part` of the functional uses no data, such as a regularisation. If the first gradient
   of the functional equals that of `part` to the last bit, the inversion ends as HG_NOTHING; if
   this holds for some of the controls only, a remark names them. NULL: no such part. Becomes an
   owner. */
PetscErrorCode HgInversionSetPart(HgInversion inversion, HgOperator part);

/* Sets the function to call at each iterate; NULL: none. */
PetscErrorCode HgInversionSetMonitor(HgInversion inversion, HgMonitorFn *monitor, void *context);

/* When an inversion stops: at ||g|| <= tolerance ||g_0||, at J <= target (0: none), or at the
   largest number of iterations or evaluations. And how it works until then. */
typedef struct {
  double tolerance, target;
  int iterations;
  int evaluations; /* 0: 10 per iteration, plus one */
  /* pairs of steps and gradient changes that BLMVM remembers. Each costs two vectors; more pairs
     save evaluations if J has a long valley. 0: 20 if preconditioned, else TAO's default, 5 */
  int pairs;
  /* Preconditions with HgInversionSetPart(). BFGS begins with the inverse of the part's second
     derivative, plus a tenth of the rest's curvature along the first step; Newton's equations are
     preconditioned with it. Then a stiff part, such as an H1 on a fine grid, takes no more
     iterations. Each rank keeps the sparse factor. Errors, in HgInversionSolve(): no part; a part
     without second derivatives; a -tao_type that cannot use it. */
  bool preconditioned;
  /* folder, created if missing, that keeps every evaluation. The next HgInversionSolve() uses those
     found there for its first evaluations, so an inversion that was killed continues with the same
     bits, on any number of ranks. It computes the first two again and requires the same result. Use
     one folder for one HgInversionSolve(). NULL: none. Errors: the folder cannot be created or
     written; another run is using it; evaluations of another J (in HgInversionSolve()) */
  const char *journal;
  /* if several groups of ranks make this same inversion and share its folder: &HgGroup.across; else
     NULL */
  const MPI_Comm *across;
  /* TAO's name of a method, such as "bqnls"; keep it until HgInversionSolve(). NULL: BLMVM. The
     option -tao_type overrides it */
  const char *method;
} HgInversionRules;

/* Sets the rules. The options -tao_gttol -tao_max_it -tao_max_funcs -tao_blmvm_mat_lmvm_...
   override them. Errors: a negative number; pairs out of range. */
PetscErrorCode HgInversionSetRules(HgInversion inversion, const HgInversionRules *rules);

/* Minimises the functional from the first guess m. Afterwards m is the minimiser if last->ending is
   HG_CONVERGED; otherwise, also after an error, it is the best point evaluated. last->J is J at m,
   last->gradient_norm belongs to the last iterate, and *reason is the ending in words. Collective.

   A point where J or its gradient is not finite, or has no finite square, is a wall: the line
   search steps back from it, it is no iterate, and it never counts as converged. If an iterate
   takes more than 10 evaluations (Newton: 40), one remark says that the gradient may be wrong.

   Errors: J or its gradient not finite at the first guess; a first guess outside the bounds; a
   -tao_type or -tao_ls_type that is unknown, or that needs more than J, its gradient and, for nls,
   ntr, bnls, bntr and bntl, products of its Hessian (HgOperatorHessian()); one of these five if the
   functional has no second derivatives; lmvm, cg, nls and ntr if a control has a finite bound,
   which they ignore; owlqn and bmrm, which minimise more than J; a -tao_gatol, -tao_grtol or
   -tao_gttol that is not a number >= 0. */
PetscErrorCode HgInversionSolve(HgInversion inversion, HgState m, HgIterate *last,
                                const char **reason);

#endif
