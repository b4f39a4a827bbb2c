/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by apps/ocean/topography*.c: the contents of a file, and how its rows become the calling
   rank's cells. Not collective: each function returns false on failure and leaves one sentence in
   grid->problem. */
#ifndef HALOGRAD_TOPOGRAPHY_PRIVATE_H
#define HALOGRAD_TOPOGRAPHY_PRIVATE_H

#include <halograd/topography.h>

/* A row of the file runs along its fast axis; rows follow each other along its slow axis. */
typedef struct {
  int size;             /* points */
  double *at;           /* [size] coordinate in the file's unit, increasing or decreasing */
  bool degrees, metres; /* the file says so; text does not */
  double shift;         /* whole turns added to the file's coordinates [degrees] */
  /* joined round the globe: point k is point (begin + k) % period of the file; period 0: point k */
  int period, begin;
  /* interpolation to the rank's cells, with ghosts: between point `before` and the next one, whose
     weight is `weight` */
  int cells, *before;
  double *weight;
  int first, last; /* points needed, first <= last */
} HgTopographyAxis;

typedef struct {
  char path[4096];
  const char *variable; /* after a ? in the name; NULL: none */
  HgTopographyAxis fast, slow;
  bool fast_is_y;
  double nodata[2];     /* numbers that mean no data; NaN: none */
  bool assumed;         /* nodata[0] is the format's default, not stated in the file */
  double scale, offset; /* elevation = scale * number + offset */
  double *row[2];       /* points first .. last of the last two rows */
  int rows;             /* rows taken so far */
  double *b; /* [slow.cells][fast.cells] elevation; NaN: no data, or impossible on Earth */
  char problem[1200];
} HgTopographyGrid;

__attribute__((format(printf, 2, 3))) bool HgTopographyRefuse(HgTopographyGrid *grid,
                                                              const char format[], ...);

/* Sets the size of an axis; false, with a problem: no memory, or less than two points. */
bool HgTopographyAxisCreate(HgTopographyGrid *grid, HgTopographyAxis *axis, const char name[],
                            double size);

/* The number in the file of point k; *run: points from k on that are consecutive in the file. */
int HgTopographyPoint(const HgTopographyAxis *axis, int k, int *run);

/* Takes row number grid->rows, points fast.first .. fast.last, and computes all cells between it
   and the row before. */
void HgTopographyTakeRow(HgTopographyGrid *grid, const double row[]);

/* A file format. `open` fills the axes. `rows` passes the rows slow.first .. slow.last, in order,
   to HgTopographyTakeRow(). `close` is called after a failure, too. */
typedef struct {
  bool (*open)(HgTopographyGrid *grid, void **file);
  bool (*rows)(HgTopographyGrid *grid, void *file);
  void (*close)(void *file);
} HgTopographyFormat;

extern const HgTopographyFormat hg_topography_text, hg_topography_hdf5;

#endif
