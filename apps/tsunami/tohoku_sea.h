/* SPDX-License-Identifier: BSD-2-Clause */
/* The sea east of Japan, or any other, on a grid of longitudes and latitudes: mesh, floor and
   program of the tsunami, linear or not. For tohoku_inverse. */
#ifndef TOHOKU_SEA_H
#define TOHOKU_SEA_H
#include "tohoku_event.h"
#include <halograd/program.h>
#include <halograd/sea.h>

typedef struct {
  char topography[HG_PATH_SIZE];
  double west, south, cell; /* centre of the south-western cell and spacing [degrees] */
  int nonlinear;            /* -physics */
  HgSea sea;
  HgMesh mesh;
  HgProgram program;
  HgState floor, x; /* b and h [m]; the program's input, at rest */
} TohokuSea;

/* Sets the event's defaults, then reads -physics -topography -west -south -cell -sponge -shore
   -shallowest. */
PetscErrorCode TohokuSeaOptions(HgRun run, const TohokuEvent *event, TohokuSea *sea);

/* For nonlinear waves, -dt must be below the limit of still water raised by 20 m, which is printed,
   and no trough may reach the floor. Collective. Errors: a sea all round the globe; those of
   HgTopographyRead() and HgSeaFill(); -dt beyond the stability limit. */
PetscErrorCode TohokuSeaCreate(HgRun run, const HgCommon *common, TohokuSea *sea);
PetscErrorCode TohokuSeaDestroy(TohokuSea *sea);

/* West, east, south and north edges of the outermost cells [degrees]. Not collective. */
void TohokuSeaEdges(const TohokuSea *sea, double edges[4]);

#endif
