/* SPDX-License-Identifier: BSD-2-Clause */
/* What checks find; for adjoint/check and tests. */
#ifndef HG_FINDING_LIBRARY_H
#define HG_FINDING_LIBRARY_H

#include <halograd/check_stencil.h>
#include <math.h>
#include <string.h>

/* What is compared, the value (its bound); cells are those whose bits differ (0). A stencil's
   checks are made in this order; where one fails whose claim later ones rest on, these are left
   out. */
typedef enum {
  /* no variable is read or written twice; radii are at least 0; only_for names reads; copies are
     the last of the writes, not all: count of faults (0) */
  HG_CHECK_DECLARATION,
  /* x, dx and y_bar stay as they were: cells (0) */
  HG_CHECK_INPUTS,
  /* apply, tangent, adjoint are finite for values in their ranges, 0 among them: cells (0) */
  HG_CHECK_FINITE,
  /* x, dx, y_bar beyond the declared radii become NaN, and other numbers: cells away (the radius);
     INFINITY if a kernel crashes, which ends the check */
  HG_CHECK_RADIUS,
  /* x becomes NaN, and other numbers, where the adjoint must not use it: HG_ADJOINT_UNUSED, or
     only_for cotangents that are NULL: cells */
  HG_CHECK_UNUSED,
  /* such an x is NULL: INFINITY if the adjoint crashes (0) */
  HG_CHECK_NULL,
  /* y, dy, x_bar outside the box stay as they were, inside y and dy do not depend on what they
     held: cells */
  HG_CHECK_BOX,
  /* the box is cut into boxes, down to single cells: cells */
  HG_CHECK_CUT,
  /* the same call a second time, and again after one with other data, box and time: cells */
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
  /* x_bar = p becomes p + F'^T y_bar, relative to the largest of several F'^T y_bar (10 eps) */
  HG_CHECK_ADDS,
  /* some x_bar are NULL: cells of the others; INFINITY if the adjoint crashes */
  HG_CHECK_WANTED,
  /* a stencil that `sets`: where box->fresh says so x_bar holds NaN before; compared with zeros:
     cells */
  HG_CHECK_FRESH,
  /* mirrored data give mirrored numbers, where that is claimed: cells */
  HG_CHECK_MIRROR,
  /* second, for fixed y_bar and with dy_bar = 0, is symmetric in two directions, as DOT */
  HG_CHECK_SYMMETRY,
  /* writes that `copies` says are reads unchanged: cells in which y or dy is another one; y of all
     of them is NULL: INFINITY if apply or tangent crashes, else cells of the others */
  HG_CHECK_COPY,
  /* the same cells with other local indices i, j, and i_global + i, j_global + j as before: cells
   */
  HG_CHECK_INDEX,
  /* static memory that a kernel writes, which all threads of a rank share: words of 4 bytes that
     depend on its inputs (0) */
  HG_CHECK_STATIC,
  HG_CHECK_STENCIL, /* so many checks of a stencil */
  /* the doctor's */
  HG_CHECK_KINK = HG_CHECK_STENCIL, /* a value has no derivative here: see split, jump */
  HG_CHECK_THREADS,                 /* the gradient with several threads is not that with one */
  HG_CHECK_REPEAT,                  /* what is computed again is another one */
  HG_CHECK_SWEEP,                   /* <dq, lambda> is not kept, though all operators are right */
  HG_CHECK_OBJECTIVE,               /* dJ_n/dq_n is not the derivative of J */
  HG_CHECK_SUM,                     /* the parts of a sum or a chain are right, the whole is not */
  HG_CHECK_CONTROL, /* dJ/dm is not what differences of J give, though all parts are right */
  /* remarks, which are no errors */
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
  HG_PLACE_NONE, /* not a matter of cells, or not known */
  HG_PLACE_EVERYWHERE,
  HG_PLACE_INSIDE, /* only that cell and others away from seams and walls */
  HG_PLACE_SEAM,   /* only where patches meet */
  HG_PLACE_WALL,
  HG_PLACE_CORNER, /* only where a wall meets another one, or a seam */
  HG_PLACES
} HgCheckPlace;

typedef struct {
  HgCheckId check;
  HgKernel kernel;
  long step;       /* n -> n + 1; OBJECTIVE: n; -1: none, or what comes before step 0 */
  char within[48]; /* the experiment, or part of a sum, in which it is; "": none */
  int others;      /* in so many other parts, such as experiments, there is the same */
  char part[64];   /* stencil, operator or term of the objective; "": the whole */
  /* the pair: x_bar of `read` from y_bar of `write`, or d`write` from d`read`; "": none, or all */
  char read[32], write[32];
  HgCheckPlace place;
  int i, j, rank; /* the global cell that is most wrong, its owner; -1: none; j = -1: number i */
  int level;      /* of that cell; -1: the mesh has none */
  double value, bound; /* how far off */
  double order;        /* TAYLOR of the doctor: of the remainder from e = 1e-3 to 1e-4; else 0 */
  double was, is;      /* two values that should be the same: expected, found */
  bool split;    /* KINK: differences along two directions are not, in sum, that along the sum */
  double jump;   /* KINK: by so much of the largest value; 0: it does not jump */
  uint64_t seed; /* of the draw: HgCheckStencilOptions.seed repeats it */
  char at[96];   /* FINITE: "u = 0, v = 0", where it shows; "": anywhere */
  bool near;     /* found beside x, and not at x */
} HgFinding;

enum { HG_FINDINGS = 32, HG_REMARKS = 8 };

/* What a check has found: the worst of all draws, one for each check, kernel and pair. */
typedef struct {
  char name[64];           /* of the stencil, operator or (the doctor) program */
  double worst[HG_CHECKS]; /* value of each check, whether it passed or not; NAN: not made */
  int findings, remarks;
  HgFinding finding[HG_FINDINGS], remark[HG_REMARKS];
  /* the doctor: */
  double J, dJ;       /* of the run; its derivative along the direction, by the tangent */
  double defect;      /* |dJ - <gradient, direction>|, relative */
  double pairing;     /* the largest defect of a step, relative */
  int trajectories;   /* that were examined; the next two: of all of them */
  long steps, guilty; /* how many there are; how many leave more than rounding */
} HgFindings;

void HgFindingsBegin(const char name[], HgFindings *report);

/* The next finding of a report, filled with what is known of all; NULL: the report is full. Those
   of a remark's kind are kept apart. */
HgFinding *HgFindingsAdd(HgFindings *report, HgCheckId check, long step);
void HgFindingName(HgFinding *finding, const char part[], const char read[], const char write[]);

/* The findings of the lowest rank of `comm` that has any become those of all. Collective. */
PetscErrorCode HgFindingsAgree(MPI_Comm comm, HgFindings *report);

/* What is found in `more`, or its remarks alone, is added to `report`, as within `within` ("": said
   already). */
void HgFindingsMerge(const HgFindings *more, const char within[], HgFindings *report);
void HgFindingsMergeRemarks(const HgFindings *more, HgFindings *report);

/* A finding as a sentence: what, where, how far off, what to look at. Not collective. */
void HgFindingText(const HgFinding *finding, size_t size, char text[]);

/* Hands what was `measured`, found and remarked to the monitor of check_stencil.h. Not
   collective. */
void HgFindingsNote(const char name[], bool measured, const HgFindings *report);

/* "<head> <name>: <numbers> ok" or "FAILED:" and a line for each finding, and HgFindingsNote(), on
   the first rank. */
PetscErrorCode HgFindingsPrint(MPI_Comm comm, const char head[], const HgFindings *report);

/* HgCheckStencil() on this rank alone. Not collective. */
PetscErrorCode HgExamineStencil(const HgStencil *stencil, const void *params,
                                const HgCheckRange ranges[], const HgCheckStencilOptions *options,
                                HgFindings *report);

/* |a - b| / size; 0 if a is b. */
static inline double HgCheckOff(double a, double b, double size) {
  return a == b ? 0 : fabs(a - b) / size;
}

/* ---- the order of a Taylor remainder (taylor.c) ----

   R(e) = ||F(x + e dx) - F(x) - e F'(x) dx|| falls like e^2 if the tangent is that of F, like e if
   not. The order is fitted where e is smallest and R still well above rounding: there a wrong
   first-order term stands out most. What falls to rounding at once is affine there, and has kinks
   further away. Rounding is measured with steps so small that hardly anything else is left, one of
   them large enough not to vanish where x is added to a large number. */
#ifdef HALOGRAD_SINGLE /* steps are so large that what is smooth may look less */
#define HG_TAYLOR_BOUND 1.1
#else
#define HG_TAYLOR_BOUND 1.9
#endif

enum { HG_TAYLOR_STEPS = 24, HG_TAYLOR_NOISES = 3 };

/* Remainders R(e) for falling e, and how much of each may be rounding. */
typedef struct {
  int count;
  double e[HG_TAYLOR_STEPS], R[HG_TAYLOR_STEPS], floor[HG_TAYLOR_STEPS];
} HgTaylorSweep;

extern const double hg_taylor_first,   /* e of an operator's first remainder */
    hg_taylor_noise[HG_TAYLOR_NOISES], /* e so small that R is rounding */
    hg_taylor_hidden,                  /* relative noise that would hide everything */
    hg_taylor_factor;                  /* of e from one to the next */

bool HgTaylorAdd(HgTaylorSweep *sweep, double e, double R, double floor); /* R above rounding? */

/* The order of R where e is smallest and R well above rounding; INFINITY: it never is, or is at
   most e `rate` there, rate = ||dy||, and rounding one step later. */
double HgTaylorOrder(const HgTaylorSweep *sweep, double rate);

#endif
