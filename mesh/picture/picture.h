/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/picture.h -- a quick look: panels in one PNG, side by side; more than three in two rows.

   A panel is a field with its colour bar, or a set of curves. Before it is communicated, a field is
   averaged to at most 512 x 512 points, in integers, so that the picture is the same on any
   decomposition. y points upward. Of a field with levels the panel shows a section: the middle
   level, or the one that -hg_section names, with z upward. -hg_section xyz shows the middle
   sections across x, y and z as left, back and lower wall of a box. */
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
  /* section through the middle of a field with levels: across 'x', 'y', 'z', or HG_ALL_SECTIONS; 0:
     -hg_section */
  char section;
  const char *unit;                  /* at the colour bar; NULL: the field's own */
  bool diverging;                    /* colours symmetric about 0: for errors and gradients */
  double low, high;                  /* range of the colours; low == high: the field's range */
  int markers;                       /* sensors, sources, gauges */
  const double *marker_x, *marker_y; /* [m] */
  /* a panel of curves: */
  /* axis labels, also of a field panel; NULL there: "x [m]", "y [m]", or km if both sides are at
     least 20 km */
  const char *x_label, *y_label;
  bool log_y;
  int curves;
  const HgCurve *curve; /* [curves], used on rank 0 only */
} HgPanel;

/* Writes `count` panels to directory/name.png, atomically. Members that are 0 take their defaults.
   Collective on `comm`. Errors: unknown field; directory not writable; disk full. */
PetscErrorCode HgPictureWrite(MPI_Comm comm, const char directory[], const char name[], int count,
                              const HgPanel panels[]);

#endif
