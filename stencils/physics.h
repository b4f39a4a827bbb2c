/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/physics.h -- a physics as one value: variables, stencils, largest time step. Plain C.

   A program is made from it in one call (program.h):

     HgProgramCreatePhysics(mesh, &hg_heat_physics, NULL, dt, &program) */
#ifndef HALOGRAD_PHYSICS_H
#define HALOGRAD_PHYSICS_H

#include <halograd/kernel.h>
#include <halograd/location.h>

typedef struct {
  const char *name, *unit; /* unit as in results; NULL: that of its .stencil, or "1", none */
  HgLocation location;
  HgBoundary
      boundary; /* at walls that stencils read across (location.h), unless a program says so */
  bool surface; /* of a physics with levels: it has one */
} HgPhysicsVariable;

/* What is known of a number: nothing, >= 0, > 0. */
typedef enum { HG_ANY_SIGN, HG_NOT_NEGATIVE, HG_POSITIVE } HgSign;

/* A number among the params, and a table by step among them: entries, and how many there are; a
   `long`. Where they lie in their struct [bytes]. */
typedef struct {
  const char *name, *unit; /* unit NULL: nothing said */
  size_t offset;
  HgSign sign; /* of a number, which is finite */
} HgPhysicsNumber;

typedef struct {
  const char *name, *unit;
  size_t offset, count;
} HgPhysicsTable;

/* Numbers by step: an array `name` among the variables, which J is differentiated by, step after
   step. Stencils read those of their step as fields: `now` is number `index` of the `of` ones of a
   step, the same in all cells; or it is that of the cell, one for each i or j. The entries of an
   array follow each other. */
typedef struct {
  const char *name, *now;
  size_t count;  /* of steps; a `long`, where it lies in the params [bytes] */
  int of, index; /* of: 0 counts as 1 */
  char along;    /* 'i', 'j': nx or ny numbers a step, `of` and `index` count for nothing; else 0 */
} HgPhysicsSeries;

/* The least and the largest value of a variable. */
typedef struct {
  double least, largest;
} HgRange;

typedef struct {
  const char *name;
  const HgPhysicsVariable *variables; /* ended by a NULL name; an input lists them in this order */
  const HgStencil *const *stencils;   /* ended by NULL: one time step, in order */
  bool levels;                        /* it is for meshes with levels, and for no others */
  /* The largest stable dt [s] where variable k has values in range[k], NULL: none is known.
     `params` as the stencils take them; dz is of levels. */
  double (*largest_step)(const void *params, double dx, double dy, double dz,
                         const HgRange range[]);
  /* Bytes of the params, of which each stencil takes none or as many of the first ones as it
     says. */
  size_t params_size;
  const char *const *positive; /* variables above 0 in every state, and constants that are so in
                                  every input, ended by NULL; NULL: none */
  /* What the params are made of, ended by a NULL name, so that a model can fill them by name; NULL:
     none, or not told. */
  const HgPhysicsNumber *numbers;
  const HgPhysicsTable *tables;
  const HgPhysicsSeries *series; /* ended by a NULL name; NULL: none */
} HgPhysics;

/* A variable that is 0 beyond walls. */
#define HG_VARIABLE(name, unit, location)                                                          \
  { (name), (unit), (location), HG_ALL_SIDES(HG_FIXED, 0), false }

/* The same side all round; one at the walls in the west and east, another in the south and
   north. */
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
