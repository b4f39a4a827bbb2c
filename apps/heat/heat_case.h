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
  /* first guess of (a, b, c); of the exercise b != c: its misfit is symmetric in both */
  double affine[3];
  /* sensors x sensors places, regular (or the two of the exercise); 0 times: every 1/1000 of the
     time */
  int sensors, times;
} HeatCase;

typedef struct {
  const HeatCase *which;
  bool conservative, insulated;
  HgMesh mesh;
  HgProgram program;
  HgState x; /* u_0 = 0, kappa = guess, f */
} Heat;

/* Options -case -form -walls (first of all the options); *which tells the defaults of the others.
   */
PetscErrorCode HeatOptions(HgRun run, Heat *heat);

/* Unit square: walls held at 0 lie one cell beyond the outermost nodes, insulated walls half a cell
   beyond the outermost centres. Sets steps and dt. */
PetscErrorCode HeatCreate(HgRun run, HgCommon *common, Heat *heat);

/* The same for steps and dt as they stand, on the ranks of `comm`; nothing is reported. */
PetscErrorCode HeatMake(MPI_Comm comm, const HgCommon *common, Heat *heat);
PetscErrorCode HeatDestroy(Heat *heat);

/* Where and when the case measures; values 0, sigma 1. `side`: a regular pattern of side x side
   places instead of the case's own, 0: those. */
PetscErrorCode HeatSensors(const Heat *heat, double final_time, int side,
                           HgObservations **observations);

#endif
