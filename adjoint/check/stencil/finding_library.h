/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings of checks; for adjoint/check and tests. */
#ifndef HG_FINDING_LIBRARY_H
#define HG_FINDING_LIBRARY_H

#include <halograd/check_stencil.h>
#include <math.h>
#include <string.h>

/* The checks: what is compared, then the value (and its bound). "Cells" are cells with different
   bits (bound 0). The checks of a stencil run in this order; if one fails, checks that rely on it
   are left out. */
typedef enum {
  /* no variable is read or written twice; radii are at least 0; only_for names reads; copies are
     the last writes, but not all: number of faults (0) */
  HG_CHECK_DECLARATION,
  /* x, dx and y_bar do not change: cells (0) */
  HG_CHECK_INPUTS,
  /* apply, tangent, adjoint are finite for values in their ranges and for 0: cells (0) */
  HG_CHECK_FINITE,
  /* x, dx, y_bar beyond the declared radii become NaN, then other numbers: distance in cells (the
     radius); INFINITY if a kernel crashes, which ends the check */
  HG_CHECK_RADIUS,
  /* x becomes NaN, then other numbers, where the adjoint must not use it: HG_ADJOINT_UNUSED, or
     only_for with cotangents that are NULL: cells */
  HG_CHECK_UNUSED,
  /* such an x is NULL: INFINITY if the adjoint crashes (0) */
  HG_CHECK_NULL,
  /* y, dy, x_bar outside the box do not change; inside, y and dy do not depend on their old
     contents: cells */
  HG_CHECK_BOX,
  /* the box is divided into boxes, down to single cells: cells */
  HG_CHECK_CUT,
  /* the same call again, and again after one with other data, box and time: cells */
  HG_CHECK_PURE,
  /* F'(x) 0 = 0: cells that are not, or ||F'(x) 0|| + ||F'(x)^T 0|| (0) */
  HG_CHECK_ZERO,
  /* |F'(a p + b q) - a F'p - b F'q| relative to its terms, or to ||F'|| ||a p + b q|| */
  HG_CHECK_LINEARITY,
  /* order of |F(x + e dx) - F(x) - e F'dx|: 2, INFINITY if affine (1.9); 1 if the tangent is wrong,
     0 if F jumps or is not the same twice. Of `second`: of |A(x + e dx) - A(x - e dx) - 2 e
     second|, A the adjoint: 3. The doctor compares central differences with the tangent */
  HG_CHECK_TAYLOR,
  /* |<dy, y_bar> - <dx, x_bar>| / max(|dy| |y_bar|, |dx| |x_bar|), for each pair of a read and a
     write, and all together */
  HG_CHECK_DOT,
  /* the adjoint adds: x_bar = p becomes p + F'^T y_bar, relative to the largest of several F'^T
     y_bar (10 eps) */
  HG_CHECK_ADDS,
  /* some x_bar are NULL: cells of the others; INFINITY if the adjoint crashes */
  HG_CHECK_WANTED,
  /* a stencil with `sets`: x_bar holds NaN where box->fresh is set; compared with zeros: cells */
  HG_CHECK_FRESH,
  /* mirrored data give mirrored numbers, if claimed: cells */
  HG_CHECK_MIRROR,
  /* second, for fixed y_bar and with dy_bar = 0, is symmetric in two directions, as DOT */
  HG_CHECK_SYMMETRY,
  /* writes of `copies`: cells where y or dy differs from the read; then with y of all copies NULL:
     cells of the others, INFINITY if apply or tangent crashes */
  HG_CHECK_COPY,
  /* the same cells with other local indices i, j and the same i_global + i, j_global + j: cells */
  HG_CHECK_INDEX,
  /* static memory that a kernel writes, shared by all threads of a rank: words of 4 bytes that
     depend on its inputs (0) */
  HG_CHECK_STATIC,
  HG_CHECK_STENCIL, /* number of checks of a stencil */
  /* the doctor's */
  HG_CHECK_KINK = HG_CHECK_STENCIL, /* a value has no derivative here: `split`, `jump` */
  HG_CHECK_THREADS,                 /* the gradient depends on the number of threads */
  HG_CHECK_REPEAT,                  /* a repeated computation gives something else */
  HG_CHECK_SWEEP,                   /* <dq, lambda> is not kept, but all operators are right */
  HG_CHECK_OBJECTIVE,               /* dJ_n/dq_n is not the derivative of J */
  HG_CHECK_SUM,                     /* the parts of a sum or chain are right, the whole is not */
  HG_CHECK_CONTROL, /* dJ/dm does not match differences of J, but all parts are right */
  /* remarks, not errors */
  HG_CHECK_IDLE,   /* J does not depend on a control */
  HG_CHECK_UNSET,  /* a constant is 0 everywhere */
  HG_CHECK_PINNED, /* a bound keeps a control from moving */
  HG_CHECKS
} HgCheckId;

typedef enum {
  HG_KERNEL_APPLY,
  HG_KERNEL_TANGENT,
  HG_KERNEL_ADJOINT,
  HG_KERNEL_SECOND,
  HG_KERNEL_NONE /* an operator, or more */
} HgKernel;

typedef enum {
  HG_PLACE_NONE, /* not about cells, or not known */
  HG_PLACE_EVERYWHERE,
  HG_PLACE_INSIDE, /* only cells away from seams and walls */
  HG_PLACE_SEAM,   /* only where patches meet */
  HG_PLACE_WALL,
  HG_PLACE_CORNER, /* only where a wall meets another wall or a seam */
  HG_PLACES
} HgCheckPlace;

typedef struct {
  HgCheckId check;
  HgKernel kernel;
  long step;       /* step n -> n + 1; OBJECTIVE: n; -1: none, or before step 0 */
  char within[48]; /* the experiment or part of a sum; "": none */
  int others;      /* how many other parts, such as experiments, have the same finding */
  char part[64];   /* stencil, operator or term of the objective; "": the whole */
  /* the pair: x_bar of `read` from y_bar of `write`, or d`write` from d`read`; "": none, or all */
  char read[32], write[32];
  HgCheckPlace place;
  int i, j, rank;      /* global cell of the largest error, its owner; -1: none; j = -1: number i */
  int level;           /* level of that cell; -1: no levels */
  double value, bound; /* how far off, and the limit */
  double order;        /* TAYLOR of the doctor: order from e = 1e-3 to 1e-4; else 0 */
  double was, is;      /* two values that should be equal: expected, found */
  bool split;    /* KINK: differences along two directions do not add up to that along their sum */
  double jump;   /* KINK: jump relative to the largest value; 0: none */
  uint64_t seed; /* seed of the draw; HgCheckStencilOptions.seed repeats it */
  char at[96];   /* FINITE: where it happens, "u = 0, v = 0"; "": anywhere */
  bool near;     /* found beside x, not at x */
} HgFinding;

enum { HG_FINDINGS = 32, HG_REMARKS = 8 };

/* The findings of a check: the worst of all draws, one for each check, kernel and pair. */
typedef struct {
  char name[64];           /* of the stencil or operator; for the doctor, of the program */
  double worst[HG_CHECKS]; /* value of each check, passed or not; NAN: not made */
  int findings, remarks;
  HgFinding finding[HG_FINDINGS], remark[HG_REMARKS];
  /* the doctor: */
  double J, dJ;       /* of the run; its derivative along the direction, by the tangent */
  double defect;      /* |dJ - <gradient, direction>|, relative */
  double pairing;     /* the largest defect of a step, relative */
  int trajectories;   /* how many were examined; the next two count over all of them */
  long steps, guilty; /* steps; steps with more than rounding */
} HgFindings;

void HgFindingsBegin(const char name[], HgFindings *report);

/* A finding with what is known of it, and no cell. */
HgFinding HgFindingOf(HgCheckId check, HgKernel kernel, long step);

/* Adds a finding to a report and fills in what is known; NULL: the report is full. Remarks are kept
   apart. */
HgFinding *HgFindingsAdd(HgFindings *report, HgCheckId check, long step);
void HgFindingName(HgFinding *finding, const char part[], const char read[], const char write[]);

/* Gives all ranks the findings of the lowest rank of `comm` that has any. Collective. */
PetscErrorCode HgFindingsAgree(MPI_Comm comm, HgFindings *report);

/* Adds the findings of `more`, or only its remarks, to `report`; `within`: the part they are in
   ("": already set). */
void HgFindingsMerge(const HgFindings *more, const char within[], HgFindings *report);
void HgFindingsMergeRemarks(const HgFindings *more, HgFindings *report);

/* A finding as a sentence: what, where, how far off, what to look at. Not collective. */
void HgFindingText(const HgFinding *finding, size_t size, char text[]);

/* Passes measured numbers (if `measured`), findings and remarks to the monitor of check_stencil.h.
   Not collective. */
void HgFindingsNote(const char name[], bool measured, const HgFindings *report);

/* Prints "<head> <name>: <numbers> ok" or "FAILED:" and a line for each finding, and calls
   HgFindingsNote(), on the first rank. */
PetscErrorCode HgFindingsPrint(MPI_Comm comm, const char head[], const HgFindings *report);

/* HgCheckStencil() on this rank only. Not collective. */
PetscErrorCode HgExamineStencil(const HgStencil *stencil, const void *params,
                                const HgCheckRange ranges[], const HgCheckStencilOptions *options,
                                HgFindings *report);

/* |a - b| / size; 0 if a is b. */
static inline double HgCheckOff(double a, double b, double size) {
  return a == b ? 0 : fabs(a - b) / size;
}

/* ---- the order of a Taylor remainder (taylor.c) ----

   R(e) = ||F(x + e dx) - F(x) - e F'(x) dx|| falls like e^2 if the tangent is that of F, else like
   e. The order is fitted where e is smallest and R still well above rounding, since a wrong
   first-order term shows best there. If R falls to rounding at once, F is affine there and has
   kinks further away. Rounding is measured with steps so small that hardly anything else is left;
   one of them is large enough not to vanish when x is added to a large number. */
#ifdef HALOGRAD_SINGLE /* steps are so large that smooth functions may look less smooth */
#define HG_TAYLOR_BOUND 1.1
#else
#define HG_TAYLOR_BOUND 1.9
#endif

enum { HG_TAYLOR_STEPS = 24, HG_TAYLOR_NOISES = 3 };

/* Remainders R(e) for falling e, and the part of each that may be rounding. */
typedef struct {
  int count;
  double e[HG_TAYLOR_STEPS], R[HG_TAYLOR_STEPS], floor[HG_TAYLOR_STEPS];
} HgTaylorSweep;

extern const double hg_taylor_first,   /* e of the first remainder of an operator */
    hg_taylor_noise[HG_TAYLOR_NOISES], /* e so small that R is rounding */
    hg_taylor_hidden,                  /* relative noise that would hide everything */
    hg_taylor_factor;                  /* of e from one to the next */

bool HgTaylorAdd(HgTaylorSweep *sweep, double e, double R, double floor); /* R is above rounding */

/* The order of R where e is smallest and R well above rounding. INFINITY: R is never above
   rounding, or is at most e `rate` there and rounding one step later, with rate = ||dy||. */
double HgTaylorOrder(const HgTaylorSweep *sweep, double rate);

#endif
