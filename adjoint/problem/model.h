/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/model.h -- the forward half of an application: mesh, program and input of a physics.

     const HgGiven given[] = {{"u", .field = first}, {"kappa", 1.5, .most = 4}, {NULL}};
     HgModelCreate(run, &common, &spec, &physics, &params, given, &model);
     ... model.program, model.x ...
     HgModelDestroy(&model); */
#ifndef HALOGRAD_MODEL_H
#define HALOGRAD_MODEL_H

#include <halograd/run.h>

/* A function of the place: that of a cell's centre [m]. */
typedef double HgFieldFn(double x, double y);

/* The same on a mesh with levels, z being the level's centre [m]. */
typedef double HgVolumeFn(double x, double y, double z);

/* A function of the time [s]. */
typedef double HgTimeFn(double t);

/* What a variable of the input is at the start; or what a number or a table of the physics' params
   is, which needs no struct of params then. */
typedef struct {
  const char *variable;
  double value;     /* in all cells; of a number */
  HgFieldFn *field; /* instead, unless NULL */
  /* Between which values it may get, as time passes or by an inversion: the time step must be
     stable for both. Both 0: it counts as it is given. */
  double least, most;
  HgTimeFn *time;     /* of a table, or of numbers by step: entry n is time(n dt) */
  HgVolumeFn *volume; /* instead of `field`, of a field with levels */
} HgGiven;

typedef struct {
  HgMesh mesh;
  HgProgram program; /* set up; its step is common->dt */
  HgState x;         /* its input: variables that are not given are 0 */
  void *params;      /* made of numbers and tables that are given; NULL: there are none */
} HgModel;

/* The model of `physics`, which is borrowed, with `params` on the mesh that `spec` says, cells and
   patches as in `common`, and as many levels; `given` is ended by a variable NULL. params NULL: it
   takes none, or all of its numbers and tables are given; `number q[step]` has one for each step,
   0 unless it is given. Mesh and limit of the time step go to the
   report. Collective. Errors: those of HgMeshCreate() and HgProgramCreatePhysics(); dt beyond the
   physics' limit for what is given; an unknown variable; a number or table that is not given; least
   > most. */
PetscErrorCode HgModelCreate(HgRun run, const HgCommon *common, const HgMeshSpec *spec,
                             const HgPhysics *physics, const void *params, const HgGiven given[],
                             HgModel *model);

/* Frees what it is made of, sets all to NULL. Collective. */
PetscErrorCode HgModelDestroy(HgModel *model);

#endif
