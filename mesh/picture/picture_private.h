/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by mesh/picture*.c: what rank 0 draws. */
#ifndef HALOGRAD_PICTURE_PRIVATE_H
#define HALOGRAD_PICTURE_PRIVATE_H

#include <cairo.h>
#include <halograd/picture.h>

enum { HG_RASTER_MOST = 512, HG_TICKS = 12 };

enum { HG_BOX_NUMBERS = 44 }; /* room for the numbers of y, right of a box in its frame */

/* One of the axes 0, 1, 2 of a mesh: its cells, the centre of the first, their size. */
typedef struct {
  int cells;
  double first, step;
} HgAxis;

HgAxis HgAxisOf(const HgMeshSpec *spec, int axis);

/* The plane through cell `at` of the axis `cut`, seen with two other axes across and up. */
typedef struct {
  int cut, at, across, up;
} HgSection;

/* The sections of a field panel: as the panel says, else -hg_section, else the middle level. *count
   is 1, or 3 for the middle ones across x, y and z. Collective. Errors: those of
   HgPictureCheck(). */
PetscErrorCode HgSectionsOf(const HgPanel *panel, HgSection sections[3], int *count);

/* A section of a field averaged to width x height points; value[] on rank 0 only, NaN where a cell
   was not finite. */
typedef struct {
  int width, height;
  HgSection section;
  double least, most; /* of all finite cells; NaN: there are none */
  double *value;
} HgRaster;

typedef struct {
  double red, green, blue;
} HgColour;

extern const HgColour hg_ink; /* of texts and frames */

typedef struct {
  double x, y, width, height;      /* of the plot's frame, y downward */
  double west, east, south, north; /* data at its sides */
  bool log_y;
  double metres; /* of a field: metres in a unit of the axes, 1 or 1000 */
} HgFrame;

/* Computes the raster of a section of a panel's field. Collective. The caller frees
   raster->value. */
PetscErrorCode HgRasterCreate(const HgPanel *panel, const HgSection *section, HgRaster *raster);

/* The colour of t in [0, 1]: viridis, or blue-white-red. */
HgColour HgColourOf(double t, bool diverging);

/* Returns how many round numbers, at most HG_TICKS, are in ticks[] within [low, high]; *decimals:
   how many they need. */
int HgTicks(double low, double high, int wanted, double ticks[HG_TICKS], int *decimals);

/* A tick as text, with enough digits to differ from its neighbours. */
void HgTickText(char text[], size_t size, double tick, int decimals);

enum { HG_LEFT, HG_MIDDLE, HG_RIGHT };

/* Draws text with its baseline at y; ^2 and ^3 become superscripts, and 253 bytes at most are
   shown. */
void HgDrawText(cairo_t *c, double x, double y, double size, bool bold, int align,
                const char text[]);

/* Sets the font of texts, and returns the width of `text` in it. */
double HgTextWidth(cairo_t *c, double size, bool bold, const char text[]);

/* Draws the number at an axis, as small as `room` needs. */
void HgDrawTextWithin(cairo_t *c, double x, double y, double room, int align, const char text[]);

void HgDrawLine(cairo_t *c, double x0, double y0, double x1, double y1, double width,
                double lightness);

/* Draws frame, ticks and labels of both axes. */
void HgDrawAxes(cairo_t *c, const HgFrame *frame, bool grid, const char x_label[],
                const char y_label[]);
double HgFrameX(const HgFrame *frame, double x);
double HgFrameY(const HgFrame *frame, double y);
void HgAxisLabel(char label[32], int axis, bool sphere, const HgFrame *frame);

/* Draws one section, or `count` = 3 as the walls of a box; with the colour bar. */
void HgDrawField(cairo_t *c, const HgFrame *frame, int count, const HgRaster rasters[],
                 const HgPanel *panel, const char unit[]);

/* Draws the colours of a raster in the range of `range`, its points, from the upper left one on,
   placed by `matrix`. */
void HgDrawRaster(cairo_t *c, const HgRaster *raster, const HgRaster *range, const HgPanel *panel,
                  const cairo_matrix_t *matrix);

/* Draws three middle sections as walls of a box, with axes; HgBoxAspect(): its width over its
   height. */
void HgDrawBox(cairo_t *c, const HgFrame *frame, const HgRaster rasters[3], const HgPanel *panel);
double HgBoxAspect(const HgPanel *panel);

void HgDrawCurves(cairo_t *c, const HgFrame *frame, const HgPanel *panel);

/* The range of a panel's curves, a little wider than the data. */
void HgCurvesRange(const HgPanel *panel, HgFrame *frame);

#endif
