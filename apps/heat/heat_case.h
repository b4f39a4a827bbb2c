/* SPDX-License-Identifier: BSD-2-Clause */
/* The heat equation's cases: what is known of them, what is hidden. Shared by heat_forward and
   heat_inverse. */
#ifndef HEAT_CASE_H
#define HEAT_CASE_H
#include <halograd/heat.h>
#include <halograd/run.h>

typedef double Function(double x, double y, void *context);

typedef struct {
  const char *name, *text;
  double final_time;             /* [s] */
  double decay;                  /* f(x, y, t) = exp(-decay t) f(x, y) [1/s] */
  Function *kappa, *source;      /* hidden diffusivity [m^2/s]; known source f [K/s] */
  double guess, lowest, highest; /* of kappa [m^2/s] */
  /* first guess of (a, b, c); in the exercise b != c, because its misfit is symmetric in b and c */
  double affine[3];
  /* a regular pattern of sensors x sensors places (or the exercise's two); 0 times: every 1/1000 of
     the final time */
  int sensors, times;
} HeatCase;

typedef struct {
  const HeatCase *which;
  bool conservative, insulated;
  HgMesh mesh;
  HgProgram program;
  HgState x; /* u_0 = 0, kappa = guess, f */
} Heat;

/* Options -case -form -walls. Call it first: heat->which has the defaults of other options. */
PetscErrorCode HeatOptions(HgRun run, Heat *heat);

/* Creates the unit square. Walls held at 0 are one cell beyond the outermost nodes, insulated walls
   half a cell beyond the outermost centres. Sets steps and dt. */
PetscErrorCode HeatCreate(HgRun run, HgCommon *common, Heat *heat);

/* The same with the given steps and dt, on the ranks of `comm`; reports nothing. */
PetscErrorCode HeatMake(MPI_Comm comm, const HgCommon *common, Heat *heat);
PetscErrorCode HeatDestroy(Heat *heat);

/* The case's sensors and times; values 0, sigma 1. `side`: side x side places in a regular pattern
   instead; 0: the case's own. */
PetscErrorCode HeatSensors(const Heat *heat, double final_time, int side,
                           HgObservations **observations);

#endif
