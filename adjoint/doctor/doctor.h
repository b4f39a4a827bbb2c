/* halograd/doctor.h -- finds what is wrong with the gradient of a trajectory, without being told
   where to look.

   Step. A direction (dq_0, dc), carried forward by the tangent, meets the lambda_n of the gradient:

     <dq_n, lambda_n - g_n> + <dc, c_bar_n>  =  <dq_{n+1}, lambda_{n+1}> + <dc, c_bar_{n+1}>

   in every step, with g_n = dJ_n/dq_n and c_bar_n the cotangent of the constants from the steps n
   .. N-1. Sums are exact, so what is left is the rounding of one step: the first step of the
   reverse sweep that leaves more is wrong, and no bisection is needed.

   Part. Inside that step each stencil or operator is run alone, where the run has it: the dot
   product for each pair of a variable that it reads and one that it writes, and differences of
   values against the tangent.

   Cell. Directions restricted to the inside, to seams, walls and corners, and then to quarters of
   the domain, down to a cell.

   And faults outside kernels: ghosts that nothing filled, sides of the domain, a state that the
   reverse sweep had otherwise than the first one, a step of another number, a step that the sweep
   reverses otherwise than alone, several steps at once, a term of the objective and its time, a
   parametrisation, a sum over experiments and its weights, a control that is not differentiated by.
   */
#ifndef HALOGRAD_DOCTOR_H
#define HALOGRAD_DOCTOR_H

#include <halograd/operator.h>
#include <halograd/trajectory.h>

typedef enum {
  HG_DOCTOR_ADJOINT,  /* a part: its adjoint is not the transpose of its tangent */
  HG_DOCTOR_ADDS,     /* a part: its adjoint sets a cotangent that it should add to */
  HG_DOCTOR_TANGENT,  /* a part: its tangent is not the derivative of its value */
  HG_DOCTOR_KINK,     /* a part: its value has no derivative here, one-sided differences disagree */
  HG_DOCTOR_EXCHANGE, /* ghosts that no exchange filled are read, or hold another cell's number */
  HG_DOCTOR_BOUNDARY, /* a side of the domain: its ghosts, or the transpose of what fills them */
  HG_DOCTOR_STATE,    /* a step makes another state than the first time */
  HG_DOCTOR_STORE,    /* a state comes back otherwise than it was made */
  HG_DOCTOR_SCHEDULE, /* steps are reversed out of order, or from the state of another step */
  HG_DOCTOR_SWEEP,    /* the sweep reverses a step otherwise than the step alone */
  HG_DOCTOR_BLOCK,    /* several steps reversed at once, otherwise than one by one */
  HG_DOCTOR_OBJECTIVE, /* dJ_n/dq_n is not the derivative of J */
  HG_DOCTOR_SUM,       /* the parts of a sum or a chain are right, the whole is not */
  HG_DOCTOR_CONTROL,   /* dJ/dm is not what differences of J give, though all parts are right */
  HG_DOCTOR_FINDINGS,
  /* remarks, which are no errors */
  HG_DOCTOR_IDLE = HG_DOCTOR_FINDINGS, /* J does not depend on a control */
  HG_DOCTOR_PINNED,                    /* a bound keeps a control from moving */
  HG_DOCTOR_KINDS
} HgDoctorKind;

typedef enum {
  HG_DOCTOR_NOWHERE, /* not a matter of cells, or not known */
  HG_DOCTOR_EVERYWHERE,
  HG_DOCTOR_INSIDE, /* only that cell and others away from seams and walls */
  HG_DOCTOR_SEAM,   /* only where patches meet */
  HG_DOCTOR_WALL,
  HG_DOCTOR_CORNER, /* only where a wall meets another one, or a seam */
  HG_DOCTOR_PLACES
} HgDoctorPlace;

typedef enum {
  HG_DOCTOR_NO_SIDE,
  HG_DOCTOR_WEST,
  HG_DOCTOR_EAST,
  HG_DOCTOR_SOUTH,
  HG_DOCTOR_NORTH,
  HG_DOCTOR_SIDES
} HgDoctorSide;

typedef struct {
  HgDoctorKind kind;
  long step;       /* n -> n + 1; HG_DOCTOR_OBJECTIVE: n; -1: none, or what comes before step 0 */
  long other;      /* HG_DOCTOR_SCHEDULE: the step that came in its place; -1: none */
  char within[48]; /* the experiment, or part of a sum, in which it is; "": none */
  char part[64];   /* stencil, operator or term of the objective; "": the whole */
  /* the pair: x_bar of `read` from y_bar of `write`, or d`write` from d`read`; "": not known.
     HG_DOCTOR_ADDS: x_bar of `read`; `write` is "fresh" where a stencil that `sets` does not */
  char read[32], write[32];
  HgDoctorPlace place; /* of a tangent, a kink, a state or a sweep: where cell (i, j) is */
  HgDoctorSide side;   /* HG_DOCTOR_EXCHANGE, HG_DOCTOR_BOUNDARY */
  int i, j, rank; /* the global cell that is most wrong, its owner; -1: none; j = -1: number i */
  double value, bound; /* how far off, relative */
  double order;   /* HG_DOCTOR_TANGENT: of |F(x + e dx) - F(x) - e F' dx| at e = 1e-3; 2 is right */
  double was, is; /* HG_DOCTOR_STATE, HG_DOCTOR_SWEEP of a `write`: both values in that cell */
  bool near;      /* x it is not found at, but near it, see HgDoctorTrajectory() */
} HgDoctorFinding;

enum { HG_DOCTOR_MOST = 16, HG_DOCTOR_REMARKS = 8 };

typedef struct {
  double J, dJ;       /* of the run; its derivative along the direction, by the tangent */
  double defect;      /* |dJ - <gradient, direction>|, relative */
  char program[32];   /* that of the last trajectory */
  int trajectories;   /* that were examined; the next two: of all of them */
  long steps, guilty; /* how many there are; how many leave more than rounding */
  double worst;       /* defect of a step, relative */
  int findings;
  HgDoctorFinding finding[HG_DOCTOR_MOST];
  int remarks;
  HgDoctorFinding remark[HG_DOCTOR_REMARKS];
} HgDoctorReport;

/* lower <= control <= upper */
typedef struct {
  const char *control;
  double lower, upper;
} HgDoctorBound;

typedef struct {
  uint64_t seed;        /* of the directions */
  double bound;         /* of dot products; 0: 100 eps */
  size_t memory;        /* bytes of tangents kept in memory on this rank; 0: 1 GiB */
  char directory[1024]; /* where the others are kept; "": the current one */
  int bounds;           /* of controls */
  const HgDoctorBound *of_control;
} HgDoctorOptions;

/* Examines the gradient at x and, if that is sound, near x, at x_k (1 - r_k / 1000) with 0 <= r_k <
   1 drawn: where fields are uniform or equal much that is wrong does not show. Costs two tangent
   runs, four gradients, ten of the value and, of what is wrong, some of a step; keeps N + 1 states.
   Parts are examined in the guilty step or, if none is, in the third. `options` may be NULL. The
   report is the same on every rank. Collective. Errors: a trajectory without a store; J is not
   finite; states of so many steps that 100 000 files do not hold them. */
PetscErrorCode HgDoctorTrajectory(HgTrajectory trajectory, HgState x,
                                  const HgDoctorOptions *options, HgDoctorReport *report);

/* Examines the gradient of a functional at m: its trajectories as above, its other parts
   (parametrisations, regularisation, the experiments of a sum) by the dot product for each pair and
   by differences, sums and chains against their parts, and each control by differences of J. Groups
   of ranks that share the parts examine them side by side. Collective, on all groups. Errors: as
   above. */
PetscErrorCode HgDoctorFunctional(HgOperator functional, HgState m, const HgDoctorOptions *options,
                                  HgDoctorReport *report);

/* A finding as a sentence: what, where, how far off, what to look at. Not collective. */
void HgDoctorText(const HgDoctorFinding *finding, size_t size, char text[]);

/* HgDoctorFunctional(), printed as "doctor <name>: <N> steps, <dq, lambda> kept to 1e-16 in each,
   gradient to 1e-15: sound", or with the findings, a line each with the command that replays that
   step; *sound on every rank: nothing was found but remarks. Collective. */
PetscErrorCode HgDoctorPrint(HgOperator functional, HgState m, const HgDoctorOptions *options,
                             bool *sound);

#endif
