/* SPDX-License-Identifier: BSD-2-Clause */
/* A vertical section through the ground, for fwi: y = 0 at the surface of the sea, y = -depth
   below; layers, a fault and a body of salt under a sloping floor of the sea. Places in [m], speeds
   in [m/s]. */
#ifndef SECTION_H
#define SECTION_H
#include <halograd/operator.h>

#define SECTION_WIDTH 4500.0
#define SECTION_DEPTH 1500.0
#define SECTION_SPONGE 150.0   /* thickness, at the left, the right and below */
#define SECTION_WATER 1500.0   /* speed of sound in the sea */
#define SECTION_SLOWEST 1300.0 /* the speed that is sought lies between these */
#define SECTION_FASTEST 4000.0

/* Square of the speed of sound [m^2/s^2]: hidden, and as it is supposed at first. */
double SectionHidden(double x, double y);
double SectionFirst(double x, double y);

/* Damping [1/s] of the sponge, 0 inside of it. */
double SectionDamping(double x, double y);

/* The operator from the control "c" [1] to "m" [m^2/s^2], m = phi(weight c). phi grows from
   SLOWEST^2 to FASTEST^2, which m thus never leaves, and phi(0) = WATER^2. The weight is 0 in the
   sea, where m is that of water whatever c is. Below its floor it grows to 1, since waves get
   weaker with depth and so do gradients. Collective. */
PetscErrorCode SectionControl(HgMesh mesh, HgOperator *m_of_c);

/* c such that m is that of SectionFirst(). Collective. */
PetscErrorCode SectionGuess(HgState c);

/* speed's only field = the root of "m" of x. Collective. Errors: x has no m. */
PetscErrorCode SectionSpeed(HgState x, HgState speed);

#endif
