/* SPDX-License-Identifier: BSD-2-Clause */
/* The ground that fwi looks into: layers, a fault and a body of salt under a sloping floor of the
   sea. A section of it has x along the surface and y upwards, 0 at the surface of the sea; a volume
   has y across and z upwards, and the section in its middle, y = 0. Places in [m], speeds in [m/s].
   */
#ifndef EARTH_H
#define EARTH_H
#include <halograd/run.h>

#define EARTH_WIDTH 4500.0   /* along x, from 0 */
#define EARTH_ACROSS 2400.0  /* of a volume along y, half of it on each side of 0 */
#define EARTH_DEPTH 1500.0   /* down from the surface of the sea */
#define EARTH_SPONGE 150.0   /* thickness, at all sides and below */
#define EARTH_WATER 1500.0   /* speed of sound in the sea */
#define EARTH_SLOWEST 1300.0 /* the speed that is sought lies between these */
#define EARTH_FASTEST 4000.0

/* A function of a place; y = 0 in a section. */
typedef double EarthFn(double x, double y, double depth, void *context);

/* The square of the speed of sound [m^2/s^2], hidden and as it is supposed at first; damping [1/s]
   of the sponge, 0 inside of it; the weight [1] of the control: 0 in the sea, where nothing is
   sought, growing with depth below it, as waves get weaker. None has a context. */
EarthFn EarthHidden, EarthFirst, EarthDamping, EarthWeight;

/* HgRunCommon() with -nz: levels, for which cells are cubes unless -nx or -ny is given. Collective.
   Errors: its own. */
PetscErrorCode EarthCommon(HgRun run, HgCommon *common);

/* The mesh: a section, or a volume if there are levels. */
HgMeshSpec EarthMesh(const HgCommon *common);

/* The largest side of a cell [m]. */
double EarthCell(const HgMeshSpec *mesh);

/* field(cell) = f(its centre). Collective. Errors: those of HgStateSetField(). */
PetscErrorCode EarthSet(HgState x, const char field[], EarthFn *f, void *context);

#endif
