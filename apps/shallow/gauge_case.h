/* SPDX-License-Identifier: BSD-2-Clause */
/* A tsunami in a closed basin and the gauges that see it: what is known of both, what is hidden.
   For shallow_water_inverse. */
#ifndef GAUGE_CASE_H
#define GAUGE_CASE_H
#include "gauge_control.h"
#include <halograd/program.h>
#include <halograd/run.h>
#include <halograd/shallow_water.h>
#include <halograd/topography.h>

typedef struct {
  GaugeWay way;       /* -control: what is sought */
  const char *sought; /* its variable in the program: eta (at the start) or b */
  HgInverse inverse;  /* defaults for this control */
  double lowest, highest,
      colours[2];                /* bounds of the control; range of the picture's colours [m] */
  double length, width, time;    /* of the basin along x and y [m]; of the run [s] */
  char topography[HG_PATH_SIZE]; /* the chart; "": the case's own */
  HgTopographyOrigin origin;     /* of a chart in degrees: the basin's south-west corner */
  bool degrees, truth_known;     /* is there an origin; can errors be told? */
  HgMesh mesh;
  HgProgram program;
  HgState known, hidden; /* depth and surface [m]: of the first guess, and the truth */
  HgOperator control;    /* m -> x */
  HgState m, x, truth;   /* control and input of the program at the first guess; with the truth */
} GaugeCase;

/* Options -control -topography -longitude -latitude -length -width -time (first of all the
   options): they tell the defaults of the others. */
PetscErrorCode GaugeOptions(HgRun run, GaugeCase *gauge);

/* A basin with walls all round, f = 1e-4 /s, of a chart in degrees that of the south-west corner.
   Sets steps and dt. Collective. Errors: those of HgTopographyRead(), HgTopographyStillWater() and
   HgRunTimeStep(); water not deeper than 0 m at the start, in the first guess or the truth. */
PetscErrorCode GaugeCreate(HgRun run, HgCommon *common, GaugeCase *gauge);
PetscErrorCode GaugeDestroy(GaugeCase *gauge);

/* Where and when the case measures; values 0, sigma 1. */
PetscErrorCode GaugeSensors(const GaugeCase *gauge, HgObservations **observations);

/* What they see of the truth on this mesh, with noise of standard deviation `noise` [m] that
   depends on `seed` only, into the file `path`: as text if it ends in .csv, else HDF5.
   Collective. */
PetscErrorCode GaugeTwin(HgRun run, const GaugeCase *gauge, const HgCommon *common,
                         const char path[], double noise, uint64_t seed);

/* The picture: the truth (if it is not known, the chart), what was found (in gauge->x),
   convergence, the three gauges that the first guess explained worst; guess[] and fitted[] as
   HgObjectivePredicted() has them. Collective. */
PetscErrorCode GaugePicture(HgRun run, const HgCommon *common, const GaugeCase *gauge,
                            const HgObservations *observations, const double guess[],
                            const double fitted[]);

#endif
