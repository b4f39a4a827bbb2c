/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/okada.h -- how the surface of an elastic half space moves when a rectangular fault under
   it slips.

   The half space is z <= 0, z upwards; x runs along the strike, y to the left of it, so that a
   fault of a dip between 0 and 90 degrees dips towards -y. The fault is the rectangle
     x = a,   y = b cos(dip),   z = -depth + b sin(dip),   0 <= a <= length,   0 <= b <= width
   and its upper side moves relative to the lower one by `strike` along x (left-lateral) and by
   `dip` up the fault (a thrust). Lame's constants are equal (Poisson's ratio 1/4).
   Source: Okada, Bull. Seism. Soc. Am. 75 (1985) 1135, equations 25 to 30. */
#ifndef HALOGRAD_OKADA_H
#define HALOGRAD_OKADA_H

typedef struct {
  double length, width; /* [m] */
  double depth;         /* of the lower edge [m], at least width sin(dip) */
  double dip;           /* [degrees] */
} HgOkadaFault;

typedef struct {
  double strike, dip; /* [m] */
} HgOkadaSlip;

typedef struct {
  double x, y, z; /* [m] */
} HgOkadaMotion;

/* The motion of the surface at (x, y). Lengths may have any one unit, slip and motion another. On
   the edge of a fault that breaks the surface, where the motion has no limit, singular terms count
   as 0. Within 0.001 degrees of a dip of 90, where the formulas cancel, the error is up to 4e-6 of
   the slip. */
HgOkadaMotion HgOkadaSurface(const HgOkadaFault *fault, HgOkadaSlip slip, double x, double y);

#endif
