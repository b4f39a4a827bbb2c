/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/physics.h -- a physics as one value: variables, stencils, largest time step. Plain C.

   One call makes a program of it (program.h):

     HgProgramCreatePhysics(mesh, &hg_heat_physics, NULL, dt, &program) */
#ifndef HALOGRAD_PHYSICS_H
#define HALOGRAD_PHYSICS_H

#include <halograd/kernel.h>
#include <halograd/location.h>

typedef struct {
  const char *name, *unit; /* unit as in results; NULL: that of the .stencil, or "1" */
  HgLocation location;
  HgBoundary
      boundary; /* at walls that stencils read across (location.h), unless a program says so */
  bool surface; /* in a physics with levels: it has only one */
} HgPhysicsVariable;

/* The sign of a number, which must be finite: any, >= 0, > 0. */
typedef enum { HG_ANY_SIGN, HG_NOT_NEGATIVE, HG_POSITIVE } HgSign;

/* A number among the params; and a table by step, which consists of its entries and their count, a
   `long`. `offset` and `count` are their places in the struct of params [bytes]. */
typedef struct {
  const char *name, *unit; /* unit NULL: not stated */
  size_t offset;
  HgSign sign;
} HgPhysicsNumber;

typedef struct {
  const char *name, *unit;
  size_t offset, count;
} HgPhysicsTable;

/* Numbers by step: the array `name` among the variables, step after step, by which J is
   differentiated. Stencils read those of their step as fields: `now` is number `index` of the `of`
   numbers of a step, the same in all cells; or, with `along`, the number of the cell's column i or
   row j. The entries of one array follow each other in the list. */
typedef struct {
  const char *name, *now;
  size_t count;  /* place of the number of steps, a `long`, in the params [bytes] */
  int of, index; /* of: 0 counts as 1 */
  char along;    /* 'i', 'j': nx or ny numbers a step, `of` and `index` are ignored; else 0 */
} HgPhysicsSeries;

/* The smallest and the largest value of a variable. */
typedef struct {
  double least, largest;
} HgRange;

typedef struct {
  const char *name;
  const HgPhysicsVariable *variables; /* ended by a NULL name; an input lists them in this order */
  const HgStencil *const *stencils;   /* ended by NULL: one time step, in order */
  bool levels;                        /* for meshes with levels only; else for others only */
  /* The largest stable dt [s] if variable k has values in range[k]; NULL: none is known. `params`
     as for stencils; dz is the thickness of levels. */
  double (*largest_step)(const void *params, double dx, double dy, double dz,
                         const HgRange range[]);
  /* Bytes of the params. Each stencil takes the first params_size bytes of them that it declares,
     or none. */
  size_t params_size;
  const char *const *positive; /* variables that are > 0 in every state, and constants that are > 0
                                  in every input; ended by NULL; NULL: none */
  /* The contents of the params, ended by a NULL name, so that a model can fill them by name; NULL:
     none, or not described. */
  const HgPhysicsNumber *numbers;
  const HgPhysicsTable *tables;
  const HgPhysicsSeries *series; /* ended by a NULL name; NULL: none */
} HgPhysics;

/* A variable that is 0 outside walls. */
#define HG_VARIABLE(name, unit, location)                                                          \
  { (name), (unit), (location), HG_ALL_SIDES(HG_FIXED, 0), false }

/* HG_ALL_SIDES: the same boundary on every side. HG_SIDES_X_Y: one at the walls in the west and
   east, another in the south and north. */
#define HG_ALL_SIDES(kind, value)                                                                  \
  {                                                                                                \
    {(kind), (value)}, {(kind), (value)}, {(kind), (value)}, {(kind), (value)}, {(kind), (value)}, \
    {                                                                                              \
      (kind), (value)                                                                              \
    }                                                                                              \
  }
#define HG_SIDES_X_Y(x, y)                                                                         \
  {                                                                                                \
    {(x), 0}, {(x), 0}, {(y), 0}, {(y), 0}, {HG_UNSTATED, 0}, { HG_UNSTATED, 0 }                   \
  }

#endif
