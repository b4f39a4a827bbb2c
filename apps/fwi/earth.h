/* SPDX-License-Identifier: BSD-2-Clause */
/* The ground of fwi: layers, a fault and a body of salt below a sloping sea floor. A section has x
   along the surface and y upwards, 0 at the surface of the sea. A volume has y across and z
   upwards; the section is its middle, y = 0. Places in [m], speeds in [m/s]. */
#ifndef EARTH_H
#define EARTH_H
#include <halograd/run.h>

typedef struct {
  double width, across,
      depth;                /* along x, from 0; of a volume along y, half of it on each side of 0;
                                  down from the surface of the sea */
  double water, fastest;    /* speed of sound in the sea; upper bound of the control */
  char first[HG_PATH_SIZE]; /* file with the first guess, "": none */
} Earth;

#define EARTH_SPONGE 150.0 /* thickness, at all sides and below */

/* As set by the options of EarthCommon(), which must be called before. Not collective. */
const Earth *EarthGet(void);

/* Lower bound of the speed. Not collective. */
double EarthSlowest(void);

/* A function of a place; y = 0 in a section. */
typedef double EarthFn(double x, double y, double depth, void *context);

/* The square of the hidden speed of sound [m^2/s^2]; the damping [1/s] of the sponge, 0 outside it.
   Neither uses `context`. */
EarthFn EarthHidden, EarthDamping;

/* Sets "m" of x to the square of the first guess of the speed: layers, or the file's. Collective.
   Errors: those of HgFieldRead() of its dataset "speed"; a speed that is not below the fastest one.
   */
PetscErrorCode EarthFirst(HgState x);

/* The only field of `weights` = the weight [1] of the control. It is 0 in the sea, where m of x is
   at most that of water; below it grows with depth, as waves get weaker. Collective. */
PetscErrorCode EarthWeigh(HgState x, HgState weights);

/* HgRunCommon() with -nz -width -across -depth -water -fastest -first. With levels, cells are cubes
   unless -nx or -ny is given. Collective. Errors: its own. */
PetscErrorCode EarthCommon(HgRun run, HgCommon *common);

/* The mesh: a section, or a volume if there are levels. */
HgMeshSpec EarthMesh(const HgCommon *common);

/* The largest side of a cell [m]. */
double EarthCell(const HgMeshSpec *mesh);

/* field(cell) = f(its centre). Collective. Errors: those of HgStateSetField(). */
PetscErrorCode EarthSet(HgState x, const char field[], EarthFn *f, void *context);

#endif
