/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/subfaults.h -- an earthquake as rectangles that slip one after another, read from a text
   table of the columns

     name, longitude, latitude [degrees], depth, length, width [km], strike, dip, rake [degrees],
     start [s], slip [m] in each window

   A subfault's upper edge begins at (longitude, latitude), `depth` below the floor, and runs
   `length` along the strike, clockwise from north. To its right the plane descends by `dip` and is
   `width` wide. rake is the direction in which the upper block moves, counter-clockwise from the
   strike: 90 is a thrust. From `start` on, each window adds its slip at a constant rate, one after
   another; windows of 0 s slip at once. data/README.md has the format in full. */
#ifndef HALOGRAD_SUBFAULTS_H
#define HALOGRAD_SUBFAULTS_H

#include <halograd/okada.h>
#include <halograd/state.h>

enum { HG_SUBFAULT_NAME = 16, HG_SUBFAULT_WINDOWS = 16 };

typedef struct {
  char name[HG_SUBFAULT_NAME];
  double longitude, latitude; /* of the upper edge's first corner along the strike [degrees] */
  double strike, rake;        /* [degrees] */
  HgOkadaFault fault;         /* its depth is that of the lower edge */
  double start;               /* since the origin time [s] */
  double slip[HG_SUBFAULT_WINDOWS]; /* [m] */
} HgSubfault;

typedef struct {
  int count, windows;
  double window; /* [s] */
  HgSubfault *fault;
} HgSubfaults;

/* Reads `path` on rank 0; all ranks get the same subfaults. Collective. Errors, with file and line:
   a missing or foreign file; other columns; a name that is empty, too long or repeated; what is no
   number or out of range; no subfault. */
PetscErrorCode HgSubfaultsRead(MPI_Comm comm, const char path[], HgSubfaults **subfaults);

/* Frees, sets NULL. Not collective. */
PetscErrorCode HgSubfaultsDestroy(HgSubfaults **subfaults);

/* The slip [m] of the k-th subfault up to the time t [s]; INFINITY: all of it. */
double HgSubfaultsSlip(const HgSubfaults *subfaults, int k, double t);

/* Seismic moment [N m] = rigidity sum length width |slip_k|, rigidity in [Pa]. */
double HgSubfaultsMoment(const HgSubfaults *subfaults, double rigidity, const double slip[]);

/* The distance [m], seen from above, between the middle of subfault `f`, on a sphere of this radius
   [m], and a place [degrees]. */
double HgSubfaultDistance(const HgSubfault *f, double radius, double longitude, double latitude);

/* The motion of the floor [m] east (x), north (y) and up (z) at a place [degrees], if subfault `f`
   slips by 1 m on a sphere of this radius [m]. It is HgOkadaSurface() on the plane
     x = R cos(latitude) (longitude - f.longitude), y = R (latitude - f.latitude)  angles in radians
   Longitudes may differ by whole turns. */
HgOkadaMotion HgSubfaultMotion(const HgSubfault *f, double radius, double longitude,
                               double latitude);

/* Field k of `units` = uplift of the water by 1 m of slip on subfault k, in cells where field
   `where` of `mask` is not 0; 0 elsewhere. It is the mean over the cell of
     u_z - (u_x z_x + u_y z_y)          z_x, z_y: mean slope of the floor in the cell
   for the motion u, at 8 x 8 points, or at one point if it is further than 2.5 (length + width)
   from the start of the upper edge. A slope that moves sideways also lifts water (Tanioka & Satake,
   Geophys. Res. Lett. 23 (1996) 861). z is field `b` of `floor` [m], with ghosts as
   HgTopographyRead() fills them, bilinear between centres; b NULL: a flat floor, u_z only. The same
   bits on any decomposition. Collective. Errors: a mesh that is no sphere; unknown names; units
   that are not one field for each subfault. */
PetscErrorCode HgSubfaultsUplift(const HgSubfaults *subfaults, HgState floor, const char b[],
                                 HgState mask, const char where[], HgState units);

#endif
