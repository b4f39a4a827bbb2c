/* halograd/doctor.h -- finds what is wrong with the gradient of a trajectory, without being told
   where to look.

   Step. A direction (dq_0, dc), carried forward by the tangent, meets the lambda_n of the gradient:

     <dq_n, lambda_n - g_n> + <dc, c_bar_n>  =  <dq_{n+1}, lambda_{n+1}> + <dc, c_bar_{n+1}>

   in every step, with g_n = dJ_n/dq_n and c_bar_n the cotangent of the constants from the steps n ..
   N-1. Sums are exact, so what is left is the rounding of one step: the first step of the reverse
   sweep that leaves more is wrong, and no bisection is needed.

   Part. Inside that step each stencil or operator is run alone, where the run has it: the dot
   product for each pair of a variable that it reads and one that it writes, and differences of
   values against the tangent.

   Cell. Directions restricted to the inside, to seams, walls and corners, and then to quarters of
   the domain, down to a cell.

   And what no kernel is guilty of: a state that the reverse sweep had otherwise than the first one,
   a step that the sweep reverses otherwise than alone, several steps at once, the objective. */
#ifndef HALOGRAD_DOCTOR_H
#define HALOGRAD_DOCTOR_H

#include <halograd/trajectory.h>

typedef enum {
  HG_DOCTOR_ADJOINT,   /* a part: its adjoint is not the transpose of its tangent */
  HG_DOCTOR_TANGENT,   /* a part: its tangent is not the derivative of its value */
  HG_DOCTOR_STATE,     /* a step makes another state than the first time, or it comes back as one */
  HG_DOCTOR_SWEEP,     /* the sweep reverses a step otherwise than the step alone */
  HG_DOCTOR_BLOCK,     /* several steps reversed at once, otherwise than one by one */
  HG_DOCTOR_OBJECTIVE, /* dJ_n/dq_n is not the derivative of J */
  HG_DOCTOR_FINDINGS
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

typedef struct {
  HgDoctorKind kind;
  long step;     /* n -> n + 1; -1: none, or what comes before step 0 */
  char part[64]; /* stencil or operator of the step; "": the whole */
  /* the pair: x_bar of `read` from y_bar of `write`, or d`write` from d`read`; "": not known */
  char read[32], write[32];
  HgDoctorPlace place;
  int i, j, rank;      /* the global cell that is most wrong, its owner; -1: none */
  double value, bound; /* how far off, relative */
  double was, is;      /* HG_DOCTOR_STATE, HG_DOCTOR_SWEEP: both values in that cell */
} HgDoctorFinding;

enum { HG_DOCTOR_MOST = 16 };

typedef struct {
  double J, dJ;       /* of the run; its derivative along the direction, by the tangent */
  double defect;      /* |dJ - <gradient, direction>|, relative */
  long steps, guilty; /* how many there are; how many leave more than rounding */
  double worst;       /* defect of a step, relative */
  int findings;
  HgDoctorFinding finding[HG_DOCTOR_MOST];
} HgDoctorReport;

typedef struct {
  uint64_t seed;        /* of the directions */
  double bound;         /* of dot products; 0: 100 eps */
  size_t memory;        /* bytes of tangents kept in memory on this rank; 0: 1 GiB */
  char directory[1024]; /* where the others are kept; "": the current one */
} HgDoctorOptions;

/* Examines the gradient at x. Costs a tangent run, two gradients and, of what is wrong, some runs of
   a step; keeps N + 1 states. Parts are examined in the guilty step or, if none is, in the third.
   `options` may be NULL. The report is the same on every rank. Collective. Errors: a trajectory
   without a store; J is not finite. */
PetscErrorCode HgDoctorTrajectory(HgTrajectory trajectory, HgState x,
                                  const HgDoctorOptions *options, HgDoctorReport *report);

/* A finding as a sentence: what, where, how far off, what to look at. Not collective. */
void HgDoctorText(const HgDoctorFinding *finding, size_t size, char text[]);

/* Prints "doctor <name>: <N> steps, each keeps <dq, lambda> to 1e-16, gradient to 1e-15: nothing
   found", or the findings, a line each; *sound on every rank. Collective. */
PetscErrorCode HgDoctorPrint(HgTrajectory trajectory, HgState x, const HgDoctorOptions *options,
                             bool *sound);

#endif
