/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture_private.h"
#include <halograd/file_library.h>
#include <halograd/memory_library.h>
#include <math.h>
#include <png.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 8, IN_ROW = 3 };

/* Sizes in points; the picture has SCALE pixels per point. */
static const double SCALE = 1.5, LEFT = 68, RIGHT = 88, TOP = 46, BOTTOM = 52, TALLEST = 400,
                    WIDEST = 520;

/* The sections of a panel: one, or three as walls of a box; 0: a panel of curves. */
typedef struct {
  int count;
  HgRaster raster[3];
} Walls;

/* As tall or as wide as there is room, in the proportions of the domain unless it is a thin strip.
   */
static HgFrame frame_of(const HgPanel *p, const Walls *w) {
  HgFrame f = {.width = 460, .height = TALLEST, .metres = 1};
  if (!p->state) {
    HgCurvesRange(p, &f);
    return f;
  }
  const HgMeshSpec *g = HgMeshGetSpec(HgStateMesh(p->state));
  const HgSection *const s = &w->raster[0].section;
  const HgAxis x = HgAxisOf(g, w->count == 3 ? 0 : s->across),
               y = HgAxisOf(g, w->count == 3 ? 1 : s->up);
  if (g->radius == 0 && fmin(x.cells * x.step, y.cells * y.step) >= 2e4) f.metres = 1000;
  f.west = (x.first - 0.5 * x.step) / f.metres;
  f.south = (y.first - 0.5 * y.step) / f.metres;
  f.east = f.west + x.cells * x.step / f.metres;
  f.north = f.south + y.cells * y.step / f.metres;
  const HgLatitude *row =
      HgMeshGetMetric(HgStateMesh(p->state))->latitudes; /* a degree east is shorter */
  const double ratio =
      w->count == 3 ? HgBoxAspect(p)
                    : (f.east - f.west) / (f.north - f.south) * (row ? row[g->ny / 2].cosine : 1);
  const double aspect = ratio < 0.2 ? 0.2 : ratio > 5 ? 5 : ratio;
  f.width = fmin(WIDEST, TALLEST * aspect);
  f.height = (f.width - (w->count == 3 ? HG_BOX_NUMBERS : 0)) / aspect;
  return f;
}

typedef struct {
  unsigned char *bytes;
  size_t size;
} Buffer;

/* The pixels of a surface as a PNG file; NULL, or why not. libpng's fast way, where cairo's own
   writer tries all filters of a row: a fifth of the time for up to half as many bytes more, and a
   film is hundreds of pictures. */
static const char *encode(cairo_surface_t *surface, png_image *image, Buffer *png) {
  *image = (png_image){.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)cairo_image_surface_get_width(surface),
                       .height = (png_uint_32)cairo_image_surface_get_height(surface),
                       .format = PNG_FORMAT_RGB,
                       .flags = PNG_IMAGE_FLAG_FAST};
  const unsigned char *const pixels = cairo_image_surface_get_data(surface);
  const size_t stride = (size_t)cairo_image_surface_get_stride(surface);
  unsigned char *const colours = HgAllocate(PNG_IMAGE_SIZE(*image), 1);
  png->size = PNG_IMAGE_PNG_SIZE_MAX(*image);
  png->bytes = HgAllocate(png->size, 1);
  if (!colours || !png->bytes) {
    free(colours);
    return "no memory";
  }
  unsigned char *colour = colours;
  for (size_t y = 0; y < image->height; y++)
    for (size_t x = 0; x < image->width; x++, colour += 3) {
      uint32_t pixel; /* CAIRO_FORMAT_RGB24: 0x00RRGGBB */
      memcpy(&pixel, pixels + y * stride + 4 * x, sizeof pixel);
      for (int k = 0; k < 3; k++) colour[k] = (unsigned char)(pixel >> (16 - 8 * k));
    }
  const int written = png_image_write_to_memory(image, png->bytes, &png->size, 0, colours, 0, NULL);
  free(colours);
  return written ? NULL : image->message;
}

static void draw_panel(cairo_t *c, const HgFrame *f, const HgPanel *p, const Walls *w) {
  if (p->title) HgDrawText(c, f->x, f->y - 14, 14, true, HG_LEFT, p->title);
  if (p->state) {
    const int index = HgStateFind(p->state, p->field);
    HgDrawField(c, f, w->count, w->raster, p,
                p->unit ? p->unit : HgStateVariable(p->state, index)->unit);
  } else {
    HgDrawCurves(c, f, p);
  }
}

static double right_of(const HgPanel *panel) { return panel->state ? RIGHT : 24; }

/* Places panels first .. end side by side from height `top` on, in columns as wide as given;
   returns the height used. Curves are as tall as the fields beside them and as wide as their
   column. */
static double place_row(int first, int end, const HgPanel panels[], const double columns[],
                        double top, HgFrame frames[]) {
  double tallest = 0, x = 0;
  for (int k = first; k < end; k++)
    if (panels[k].state) tallest = fmax(tallest, frames[k].height);
  if (tallest == 0) tallest = TALLEST;
  if (tallest < 200) tallest = 200; /* thin strips, with curves beside them */
  for (int k = first; k < end; k++) {
    frames[k].x = x + LEFT;
    x += columns[k - first];
    if (!panels[k].state) {
      frames[k].height = tallest;
      frames[k].width = columns[k - first] - LEFT - right_of(&panels[k]);
    }
    frames[k].y = top + TOP + 0.5 * (tallest - frames[k].height);
  }
  return TOP + tallest + BOTTOM;
}

/* Rank 0: the panels as a PNG file; NULL, or why not. */
static const char *draw(int count, const HgPanel panels[], const Walls walls[], png_image *image,
                        Buffer *png) {
  HgFrame frames[PANELS];
  double columns[PANELS] = {0}, width = 0, height = 0;
  const int in_row = count > IN_ROW ? (count + 1) / 2 : count;
  for (int k = 0; k < count; k++) {
    frames[k] = frame_of(&panels[k], &walls[k]);
    double *column = &columns[k % in_row];
    *column = fmax(*column, LEFT + frames[k].width + right_of(&panels[k]));
  }
  for (int k = 0; k < in_row; k++) width += columns[k];
  for (int k = 0; k < count; k += in_row)
    height +=
        place_row(k, k + in_row < count ? k + in_row : count, panels, columns, height, frames);
  cairo_surface_t *surface = cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, (int)ceil(SCALE * width), (int)ceil(SCALE * height));
  cairo_t *c = cairo_create(surface);
  cairo_scale(c, SCALE, SCALE);
  cairo_set_source_rgb(c, 1, 1, 1);
  cairo_paint(c);
  for (int k = 0; k < count; k++) draw_panel(c, &frames[k], &panels[k], &walls[k]);
  const cairo_status_t status = cairo_status(c);
  cairo_destroy(c);
  cairo_surface_flush(surface);
  const char *const reason = status ? cairo_status_to_string(status) : encode(surface, image, png);
  cairo_surface_destroy(surface);
  return reason;
}

/* Of all walls the first one has the range. */
static PetscErrorCode create_walls(const HgPanel *panel, Walls *w) {
  HgSection sections[3];
  PetscCall(HgSectionsOf(panel, sections, &w->count));
  for (int k = 0; k < w->count; k++) {
    PetscCall(HgRasterCreate(panel, &sections[k], &w->raster[k]));
    w->raster[0].least = fmin(w->raster[0].least, w->raster[k].least);
    w->raster[0].most = fmax(w->raster[0].most, w->raster[k].most);
  }
  return 0;
}

PetscErrorCode HgPictureWrite(MPI_Comm comm, const char directory[], const char name[], int count,
                              const HgPanel panels[]) {
  PetscMPIInt rank;
  char path[4096];
  Walls walls[PANELS] = {0};
  Buffer png = {0};
  PetscErrorCode ierr = 0;
  HgRequire(comm, count >= 1 && count <= PANELS, HG_ERR_ARGUMENT,
            "picture '%s': %d panels, expected 1 to %d", name, count, PANELS);
  for (int k = 0; k < count; k++) {
    int index;
    if (!panels[k].state) continue;
    PetscCall(HgStateIndex(panels[k].state, panels[k].field, &index));
    const HgVariable *v = HgStateVariable(panels[k].state, index);
    HgRequire(comm, v->kind == HG_FIELD || v->kind == HG_GHOSTED, HG_ERR_VARIABLE,
              "picture '%s': '%s' is an array, expected a field", name, v->name);
  }
  HgRequire(comm, snprintf(path, sizeof path, "%s/%s.png", directory, name) < (int)sizeof path,
            HG_ERR_FILE_NAME, "picture '%s': the directory's name is too long", name);
  PetscCall(HgDirectoryCreate(comm, directory));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  for (int k = 0; !ierr && k < count; k++)
    if (panels[k].state) ierr = create_walls(&panels[k], &walls[k]);
  if (!ierr) {
    png_image image; /* has the text of libpng's reason */
    const char *const reason = rank ? NULL : draw(count, panels, walls, &image, &png);
    ierr = HgAgree(comm, reason != NULL, HG_ERR_FILE_WRITE, "picture '%s' cannot be drawn: %s",
                   path, reason);
  }
  if (!ierr) ierr = HgFileWrite(comm, path, png.bytes, png.size);
  for (int k = 0; k < 3 * count; k++) free(walls[k / 3].raster[k % 3].value);
  free(png.bytes);
  return ierr;
}
