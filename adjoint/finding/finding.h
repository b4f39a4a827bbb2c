/* halograd/finding.h -- what the doctor finds (doctor.h): what is wrong with a gradient, in which
   step, part, pair of variables and cell, and how far off it is. */
#ifndef HALOGRAD_FINDING_H
#define HALOGRAD_FINDING_H

#include <stdbool.h>
#include <stddef.h>

typedef enum {
  HG_DOCTOR_ADJOINT,   /* a part: its adjoint is not the transpose of its tangent */
  HG_DOCTOR_ADDS,      /* a part: its adjoint sets a cotangent that it should add to */
  HG_DOCTOR_CONTRACT,  /* a stencil: it breaks the kernel contract, see `detail` */
  HG_DOCTOR_TANGENT,   /* a part: its tangent is not the derivative of its value */
  HG_DOCTOR_KINK,      /* a part: its value has no derivative here, see `split` */
  HG_DOCTOR_EXCHANGE,  /* ghosts that no exchange filled are read, or hold another cell's number */
  HG_DOCTOR_BOUNDARY,  /* a side of the domain: its ghosts, or the transpose of what fills them */
  HG_DOCTOR_THREADS,   /* its gradient with `other` threads is not that with one */
  HG_DOCTOR_STATE,     /* a step makes another state than the first time */
  HG_DOCTOR_STORE,     /* a state comes back otherwise than it was made */
  HG_DOCTOR_SCHEDULE,  /* steps are reversed out of order, or from the state of another step */
  HG_DOCTOR_SWEEP,     /* the sweep reverses a step otherwise than the step alone */
  HG_DOCTOR_BLOCK,     /* several steps reversed at once, otherwise than one by one */
  HG_DOCTOR_OBJECTIVE, /* dJ_n/dq_n is not the derivative of J */
  HG_DOCTOR_SUM,       /* the parts of a sum or a chain are right, the whole is not */
  HG_DOCTOR_CONTROL,   /* dJ/dm is not what differences of J give, though all parts are right */
  HG_DOCTOR_FINDINGS,
  /* remarks, which are no errors */
  HG_DOCTOR_IDLE = HG_DOCTOR_FINDINGS, /* J does not depend on a control */
  HG_DOCTOR_UNSET,                     /* a constant is 0 everywhere */
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
  long step;        /* n -> n + 1; HG_DOCTOR_OBJECTIVE: n; -1: none, or what comes before step 0 */
  long other;       /* HG_DOCTOR_SCHEDULE: the step that came in its place; -1: none */
  char detail[224]; /* of a stencil: what its check found (check_stencil.h); "": other checks did */
  int others;       /* in so many other parts, such as experiments, there is the same */
  char within[48];  /* the experiment, or part of a sum, in which it is; "": none */
  char part[64];    /* stencil, operator or term of the objective; "": the whole */
  /* the pair: x_bar of `read` from y_bar of `write`, or d`write` from d`read`; "": not known.
     HG_DOCTOR_ADDS: x_bar of `read`; `write` is "fresh" where a stencil that `sets` does not */
  char read[32], write[32];
  HgDoctorPlace place; /* of a tangent, a kink, a state or a sweep: where cell (i, j) is */
  HgDoctorSide side;   /* HG_DOCTOR_EXCHANGE, HG_DOCTOR_BOUNDARY */
  int i, j, rank; /* the global cell that is most wrong, its owner; -1: none; j = -1: number i */
  double value, bound; /* how far off, relative */
  double order; /* HG_DOCTOR_TANGENT: of |F(x + e dx) - F(x) - e F' dx| at e = 1e-3; 2 is right */
  /* HG_DOCTOR_KINK: differences along two directions are not, in sum, that along their sum; else
     differences to either side disagree */
  bool split;
  /* likewise: it jumps, by so much of the largest value; 0: it does not */
  double rounding;
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

/* A finding as a sentence: what, where, how far off, what to look at. Not collective. */
void HgDoctorText(const HgDoctorFinding *finding, size_t size, char text[]);

#endif
