/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture_private.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static void set_colour(cairo_t *c, HgColour colour) {
  cairo_set_source_rgb(c, colour.red, colour.green, colour.blue);
}

/* Room for the numbers beside a frame, left of it together with the gap, and right of a bar. */
static const double BESIDE = 48;

double HgFrameX(const HgFrame *f, double x) {
  return f->x + (x - f->west) / (f->east - f->west) * f->width;
}

double HgFrameY(const HgFrame *f, double y) {
  const double t = f->log_y ? (log10(y) - log10(f->south)) / (log10(f->north) - log10(f->south))
                            : (y - f->south) / (f->north - f->south);
  return f->y + (1 - t) * f->height;
}

void HgDrawLine(cairo_t *c, double x0, double y0, double x1, double y1, double width,
                double lightness) {
  cairo_set_line_width(c, width);
  cairo_set_source_rgb(c, lightness, lightness, lightness);
  cairo_move_to(c, x0, y0);
  cairo_line_to(c, x1, y1);
  cairo_stroke(c);
}

static void draw_x_ticks(cairo_t *c, const HgFrame *f, bool grid) {
  double ticks[HG_TICKS];
  char text[32];
  int decimals;
  const int wanted = f->width < 160 ? 2 : f->width < 300 ? 4 : 6;
  const int count = HgTicks(f->west, f->east, wanted, ticks, &decimals);
  for (int k = 0; k < count; k++) {
    const double x = HgFrameX(f, ticks[k]);
    if (grid) HgDrawLine(c, x, f->y, x, f->y + f->height, 0.7, 0.88);
    HgDrawLine(c, x, f->y + f->height, x, f->y + f->height + 5, 1, 0.3);
    HgTickText(text, sizeof text, ticks[k], decimals);
    HgDrawTextWithin(c, x, f->y + f->height + 18, f->width / (wanted > 2 ? wanted - 1 : 1),
                     HG_MIDDLE, text);
  }
}

static void draw_log_ticks(cairo_t *c, const HgFrame *f) {
  const int first = (int)ceil(log10(f->south) - 1e-9), last = (int)floor(log10(f->north) + 1e-9);
  const int stride = (last - first) / 8 + 1;
  for (int k = first; k <= last; k += stride) {
    const double y = HgFrameY(f, pow(10, k));
    char text[16];
    HgDrawLine(c, f->x, y, f->x + f->width, y, 0.7, 0.88);
    HgDrawLine(c, f->x - 5, y, f->x, y, 1, 0.3);
    snprintf(text, sizeof text, "%d", k);
    HgDrawText(c, f->x - 8, y - 1.5, 8.5, false, HG_RIGHT, text);
    HgDrawText(c, f->x - 9 - HgTextWidth(c, 8.5, false, text), y + 4, 11, false, HG_RIGHT, "10");
  }
}

static void draw_y_ticks(cairo_t *c, const HgFrame *f, bool grid) {
  double ticks[HG_TICKS];
  char text[32];
  int decimals;
  const int wanted = f->height < 160 ? 2 : f->height < 300 ? 4 : 6;
  const int count = HgTicks(f->south, f->north, wanted, ticks, &decimals);
  for (int k = 0; k < count; k++) {
    const double y = HgFrameY(f, ticks[k]);
    if (grid) HgDrawLine(c, f->x, y, f->x + f->width, y, 0.7, 0.88);
    HgDrawLine(c, f->x - 5, y, f->x, y, 1, 0.3);
    HgTickText(text, sizeof text, ticks[k], decimals);
    HgDrawTextWithin(c, f->x - 8, y + 4, BESIDE - 8, HG_RIGHT, text);
  }
}

void HgDrawAxes(cairo_t *c, const HgFrame *f, bool grid, const char x_label[],
                const char y_label[]) {
  draw_x_ticks(c, f, grid);
  if (f->log_y) draw_log_ticks(c, f);
  else draw_y_ticks(c, f, grid);
  cairo_set_line_width(c, 1);
  set_colour(c, hg_ink);
  cairo_rectangle(c, f->x, f->y, f->width, f->height);
  cairo_stroke(c);
  HgDrawText(c, f->x + f->width / 2, f->y + f->height + 37, 12, false, HG_MIDDLE, x_label);
  cairo_save(c);
  cairo_translate(c, f->x - 50, f->y + f->height / 2);
  cairo_rotate(c, -M_PI / 2);
  HgDrawText(c, 0, 0, 12, false, HG_MIDDLE, y_label);
  cairo_restore(c);
}

/* Colours at the ends of the bar: as asked for, or the field's own range. */
static void colour_range(const HgRaster *r, const HgPanel *p, double *low, double *high) {
  *low = p->low;
  *high = p->high;
  if (p->low < p->high) return;
  *low = r->least;
  *high = r->most;
  if (p->diverging) {
    *high = fmax(fabs(r->least), fabs(r->most));
    *low = -*high;
  }
}

/* So many that the two can be told apart. */
static int range_digits(double least, double most) {
  const double largest = fmax(fabs(least), fabs(most)), span = most / 2 - least / 2;
  const double digits = span > 0 ? ceil(log10(largest / span)) + 2 : 3;
  return (int)fmin(fmax(digits, 3), 9);
}

/* Where v is between low and high; halves cannot overflow. */
static double share(double v, double low, double high) {
  return (v / 2 - low / 2) / (high / 2 - low / 2);
}

static void draw_bar(cairo_t *c, const HgFrame *f, const HgRaster *r, const HgPanel *p,
                     const char unit[]) {
  const double x = f->x + f->width + 16, width = 15;
  const int steps = 256;
  double low, high;
  colour_range(r, p, &low, &high);
  cairo_set_antialias(c, CAIRO_ANTIALIAS_NONE);
  for (int k = 0; k < steps; k++) {
    set_colour(c, HgColourOf((k + 0.5) / steps, p->diverging));
    cairo_rectangle(c, x, f->y + f->height * (1 - (k + 1.0) / steps), width,
                    f->height / steps + 0.5);
    cairo_fill(c);
  }
  cairo_set_antialias(c, CAIRO_ANTIALIAS_DEFAULT);
  cairo_set_line_width(c, 1);
  set_colour(c, hg_ink);
  cairo_rectangle(c, x, f->y, width, f->height);
  cairo_stroke(c);
  double ticks[HG_TICKS];
  char text[64];
  int decimals;
  const int count = HgTicks(low, high, f->height < 200 ? 3 : 6, ticks, &decimals);
  for (int k = 0; k < count; k++) {
    const double y = f->y + (1 - share(ticks[k], low, high)) * f->height;
    HgDrawLine(c, x + width, y, x + width + 4, y, 1, 0.3);
    HgTickText(text, sizeof text, ticks[k], decimals);
    HgDrawTextWithin(c, x + width + 7, y + 4, BESIDE, HG_LEFT, text);
  }
  if (count == 0) {
    snprintf(text, sizeof text, "%.6g", low == 0 ? 0 : low); /* no -0 */
    HgDrawTextWithin(c, x + width + 7, f->y + f->height / 2, BESIDE, HG_LEFT, text);
  }
  snprintf(text, sizeof text, "[%s]", unit[0] ? unit : "1");
  HgDrawText(c, x + width, f->y - 9, 11, false, HG_MIDDLE, text);
  const int digits = range_digits(r->least, r->most);
  snprintf(text, sizeof text, "%.*g to %.*g", digits, r->least, digits, r->most);
  HgDrawText(c, x + width + 56, f->y + f->height + 37, 10.5, false, HG_RIGHT, text);
}

void HgAxisLabel(char label[32], int axis, bool sphere, const HgFrame *f) {
  static const char *const on_sphere[] = {"longitude [degrees]", "latitude [degrees]", "z [m]"};
  const char *const unit = f->metres > 1 ? "km" : "m";
  if (sphere) snprintf(label, 32, "%s", on_sphere[axis]);
  else snprintf(label, 32, "%c [%s]", "xyz"[axis], unit);
}

void HgDrawRaster(cairo_t *c, const HgRaster *r, const HgRaster *range, const HgPanel *p,
                  const cairo_matrix_t *matrix) {
  double low, high;
  colour_range(range, p, &low, &high);
  cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, r->width, r->height);
  unsigned char *bytes = cairo_image_surface_get_data(image);
  const int stride = cairo_image_surface_get_stride(image);
  for (int y = 0; bytes && y < r->height; y++)
    for (int x = 0; x < r->width; x++) {
      const double v = r->value[(size_t)y * (size_t)r->width + (size_t)x];
      const HgColour k = HgColourOf(high > low ? share(v, low, high) : v * 0 + 0.5, p->diverging);
      const uint32_t pixel = (uint32_t)lround(255 * k.red) << 16 |
                             (uint32_t)lround(255 * k.green) << 8 | (uint32_t)lround(255 * k.blue);
      memcpy(bytes + (size_t)(r->height - 1 - y) * (size_t)stride + 4 * (size_t)x, &pixel, 4);
    }
  cairo_surface_mark_dirty(image);
  cairo_save(c);
  cairo_transform(c, matrix);
  cairo_rectangle(c, 0, 0, r->width, r->height);
  cairo_clip(c);
  cairo_set_source_surface(c, image, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(c), CAIRO_FILTER_NEAREST);
  cairo_paint(c);
  cairo_restore(c);
  cairo_surface_destroy(image);
}

enum { MARKERS = 4000 }; /* at most; more would hide the field */

static void draw_section(cairo_t *c, const HgFrame *f, const HgRaster *r, const HgPanel *p) {
  cairo_matrix_t matrix = {
      .xx = f->width / r->width, .yy = f->height / r->height, .x0 = f->x, .y0 = f->y};
  HgDrawRaster(c, r, r, p, &matrix);
  const bool sphere = HgMeshGetSpec(HgStateMesh(p->state))->radius > 0;
  char x[32], y[32];
  HgAxisLabel(x, r->section.across, sphere, f);
  HgAxisLabel(y, r->section.up, sphere, f);
  HgDrawAxes(c, f, false, p->x_label ? p->x_label : x, p->y_label ? p->y_label : y);
  const bool seen_from_above = r->section.cut == 2;
  const int stride = 1 + p->markers / MARKERS;
  for (int k = 0; k < p->markers && seen_from_above; k += stride) {
    if (!isfinite(p->marker_x[k]) || !isfinite(p->marker_y[k])) continue;
    cairo_arc(c, HgFrameX(f, p->marker_x[k] / f->metres), HgFrameY(f, p->marker_y[k] / f->metres),
              p->markers > 100 ? 2.2 : 3.6, 0, 2 * M_PI);
    cairo_set_source_rgb(c, 1, 1, 1);
    cairo_fill_preserve(c);
    cairo_set_line_width(c, 1.1);
    cairo_set_source_rgb(c, 0.05, 0.05, 0.05);
    cairo_stroke(c);
  }
}

void HgDrawField(cairo_t *c, const HgFrame *f, int count, const HgRaster rasters[],
                 const HgPanel *p, const char unit[]) {
  if (count == 3) HgDrawBox(c, f, rasters, p);
  else draw_section(c, f, &rasters[0], p);
  draw_bar(c, f, &rasters[0], p, unit);
}
