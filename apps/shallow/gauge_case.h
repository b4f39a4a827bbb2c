/* SPDX-License-Identifier: BSD-2-Clause */
/* A tsunami in a closed basin and its gauges: what is known and what is hidden. For
   shallow_water_inverse. */
#ifndef GAUGE_CASE_H
#define GAUGE_CASE_H
#include "gauge_control.h"
#include <halograd/program.h>
#include <halograd/run.h>
#include <halograd/shallow_water.h>
#include <halograd/topography.h>

typedef struct {
  GaugeWay way;                       /* -control: what is sought */
  const char *sought;                 /* its variable in the program: eta (at the start) or b */
  HgInverse inverse;                  /* defaults for this control */
  double lowest, highest, colours[2]; /* bounds of the control; colour range of the picture [m] */
  double length, width, time;         /* of the basin along x and y [m]; of the run [s] */
  char topography[HG_PATH_SIZE];      /* the chart; "": the case's own */
  HgTopographyOrigin origin;          /* of a chart in degrees: the basin's south-west corner */
  bool degrees, truth_known;          /* whether there is an origin; whether the truth is known */
  HgMesh mesh;
  HgProgram program;
  HgState known, hidden; /* depth and surface [m]: first guess, and truth */
  HgOperator control;    /* m -> x */
  HgState m, x, truth;   /* control and input at the first guess; input of the truth */
} GaugeCase;

/* Options -control -topography -longitude -latitude -length -width -time. Call it first: they set
   the defaults of the others. */
PetscErrorCode GaugeOptions(HgRun run, GaugeCase *gauge);

/* Creates the basin, with walls all round and f = 1e-4 /s, or that of the south-west corner for a
   chart in degrees. Sets steps and dt. Collective. Errors: those of HgTopographyRead(),
   HgTopographyStillWater() and HgRunTimeStep(); a depth of 0 m or less at the start, in the first
   guess or the truth. */
PetscErrorCode GaugeCreate(HgRun run, HgCommon *common, GaugeCase *gauge);
PetscErrorCode GaugeDestroy(GaugeCase *gauge);

/* Creates the case's gauges and times; values 0, sigma 1. */
PetscErrorCode GaugeSensors(const GaugeCase *gauge, HgObservations **observations);

/* Computes what the gauges read of the truth on this mesh, with noise of standard deviation `noise`
   [m] that depends only on `seed`, and writes it to the file `path`: as text if it ends in .csv,
   else HDF5. Collective. */
PetscErrorCode GaugeTwin(HgRun run, const GaugeCase *gauge, const HgCommon *common,
                         const char path[], double noise, uint64_t seed);

/* Writes the picture: the truth (if not known, the chart), the result in gauge->x, convergence, and
   the three gauges with the worst fit at the first guess; guess[] and fitted[] as of
   HgObjectivePredicted(). Collective. */
PetscErrorCode GaugePicture(HgRun run, const HgCommon *common, const GaugeCase *gauge,
                            const HgObservations *observations, const double guess[],
                            const double fitted[]);

#endif
