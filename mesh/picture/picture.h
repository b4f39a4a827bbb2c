/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/picture.h -- a quick look: panels side by side in one PNG, more than three in two rows.

   A panel is a field with its colour bar, or a set of curves. Before anything travels a field is
   averaged down to at most 512 x 512 points, in integers, so that the picture is the same on any
   decomposition. y points upward. Of a field with levels it shows a section: the middle level, or
   what -hg_section says, where z points upward; -hg_section xyz are the middle ones across x, y and
   z as left, back and lower wall of a box. */
#ifndef HALOGRAD_PICTURE_H
#define HALOGRAD_PICTURE_H

#include <halograd/state.h>

typedef struct {
  const char *label; /* may be NULL */
  int count;
  const double *x, *y; /* values that are not finite (or not positive on a log axis) leave a gap */
  bool points;         /* points only: no line joins them */
} HgCurve;

enum { HG_ALL_SECTIONS = 'a' };

typedef struct {
  const char *title;
  /* a field panel: */
  HgState state; /* NULL: this is a panel of curves */
  const char *field;
  /* of a field with levels, in the middle: across 'x', 'y', 'z', HG_ALL_SECTIONS; 0: -hg_section */
  char section;
  const char *unit;                  /* at the colour bar; NULL: the field's own */
  bool diverging;                    /* colours symmetric about 0: for errors and gradients */
  double low, high;                  /* range of the colours; low == high: that of the field */
  int markers;                       /* sensors, sources, gauges */
  const double *marker_x, *marker_y; /* [m] */
  /* a panel of curves: */
  /* also used by a field panel if given; else "x [m]", "y [m]", or in km if both sides are 20 km */
  const char *x_label, *y_label;
  bool log_y;
  int curves;
  const HgCurve *curve; /* [curves], used on rank 0 only */
} HgPanel;

/* Writes `count` panels to directory/name.png, atomically. Zeroed members take their defaults.
   Collective on `comm`. Errors: unknown field; directory not writable; disk full. */
PetscErrorCode HgPictureWrite(MPI_Comm comm, const char directory[], const char name[], int count,
                              const HgPanel panels[]);

#endif
