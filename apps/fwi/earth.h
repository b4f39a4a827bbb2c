/* SPDX-License-Identifier: BSD-2-Clause */
/* The ground that fwi looks into: layers, a fault and a body of salt under a sloping floor of the
   sea. A section of it has x along the surface and y upwards, 0 at the surface of the sea; a volume
   has y across and z upwards, and the section in its middle, y = 0. Places in [m], speeds in [m/s].
   */
#ifndef EARTH_H
#define EARTH_H
#include <halograd/run.h>

typedef struct {
  double width, across,
      depth;                /* along x, from 0; of a volume along y, half of it on each side of 0;
                                  down from the surface of the sea */
  double water, fastest;    /* speed of sound in the sea; the largest that is sought */
  char first[HG_PATH_SIZE]; /* file with the first guess, "": none */
} Earth;

#define EARTH_SPONGE 150.0 /* thickness, at all sides and below */

/* As the options of EarthCommon() have set it, which comes before. Not collective. */
const Earth *EarthGet(void);

/* The smallest speed that is sought. Not collective. */
double EarthSlowest(void);

/* A function of a place; y = 0 in a section. */
typedef double EarthFn(double x, double y, double depth, void *context);

/* The square of the hidden speed of sound [m^2/s^2]; damping [1/s] of the sponge, 0 inside of it.
   Neither has a context. */
EarthFn EarthHidden, EarthDamping;

/* "m" of x: the square of the speed that is supposed at first, layers or what the file has.
   Collective. Errors: those of HgFieldRead() of its dataset "speed"; a speed that is not below the
   fastest one. */
PetscErrorCode EarthFirst(HgState x);

/* The only field of `weights` = the weight [1] of the control: 0 in the sea, where m of x is at
   most that of water and nothing is sought, growing with depth below it, as waves get weaker.
   Collective. */
PetscErrorCode EarthWeigh(HgState x, HgState weights);

/* HgRunCommon() with -nz -width -across -depth -water -fastest -first; with levels cells are cubes
   unless -nx or -ny is given. Collective. Errors: its own. */
PetscErrorCode EarthCommon(HgRun run, HgCommon *common);

/* The mesh: a section, or a volume if there are levels. */
HgMeshSpec EarthMesh(const HgCommon *common);

/* The largest side of a cell [m]. */
double EarthCell(const HgMeshSpec *mesh);

/* field(cell) = f(its centre). Collective. Errors: those of HgStateSetField(). */
PetscErrorCode EarthSet(HgState x, const char field[], EarthFn *f, void *context);

#endif
