/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by apps/ocean/topography*.c. What a file holds, and how its rows become the calling rank's
   cells. Not collective: each function returns false on failure and leaves one sentence in
   grid->problem. */
#ifndef HALOGRAD_TOPOGRAPHY_PRIVATE_H
#define HALOGRAD_TOPOGRAPHY_PRIVATE_H

#include <halograd/topography.h>

/* A row of the file lies along its fast axis; rows follow each other along its slow one. */
typedef struct {
  int size;             /* points */
  double *at;           /* [size] coordinate in the file's unit, increasing or decreasing */
  bool degrees, metres; /* does the file say so? Text does not */
  double shift;         /* whole turns that `at` has more than the file [degrees] */
  /* joined round the globe: point k is the file's (begin + k) % period; period 0: point k */
  int period, begin;
  /* where the calling rank's cells lie, ghosts included: at or after point `before`, the next
     point counts with `weight` */
  int cells, *before;
  double *weight;
  int first, last; /* points that are needed, first <= last */
} HgTopographyAxis;

typedef struct {
  char path[4096];
  const char *variable; /* behind a ? of what was asked for; NULL: none */
  HgTopographyAxis fast, slow;
  bool fast_is_y;
  double nodata[2];     /* numbers that mean: no data; NaN: none */
  bool assumed;         /* nodata[0] is the format's default, the file does not say it */
  double scale, offset; /* elevation = scale * number + offset */
  double *row[2];       /* points first .. last of the two rows that came last */
  int rows;             /* how many came */
  double *b; /* [slow.cells][fast.cells] elevation; NaN: no data; or what is none of the Earth */
  char problem[1200];
} HgTopographyGrid;

__attribute__((format(printf, 2, 3))) bool HgTopographyRefuse(HgTopographyGrid *grid,
                                                              const char format[], ...);

/* Sizes an axis; false, with a problem, without memory or with less than two points. */
bool HgTopographyAxisCreate(HgTopographyGrid *grid, HgTopographyAxis *axis, const char name[],
                            double size);

/* The file's number of point k; *run: how many points from k on follow each other in the file. */
int HgTopographyPoint(const HgTopographyAxis *axis, int k, int *run);

/* Row number grid->rows, points fast.first .. fast.last of it: makes all cells between it and the
   one before. */
void HgTopographyTakeRow(HgTopographyGrid *grid, const double row[]);

/* A format: `open` fills the axes, `rows` then hands every needed row to HgTopographyTakeRow(),
   those from slow.first to slow.last, in order. `close` also after a failure. */
typedef struct {
  bool (*open)(HgTopographyGrid *grid, void **file);
  bool (*rows)(HgTopographyGrid *grid, void *file);
  void (*close)(void *file);
} HgTopographyFormat;

extern const HgTopographyFormat hg_topography_text, hg_topography_hdf5;

#endif
