/* SPDX-License-Identifier: BSD-2-Clause */
#include "picture_private.h"
#include <math.h>
#include <string.h>

static bool shown(const HgPanel *p, const HgCurve *curve, int k) {
  return isfinite(curve->x[k]) && isfinite(curve->y[k]) && (!p->log_y || curve->y[k] > 0);
}

void HgCurvesRange(const HgPanel *p, HgFrame *f) {
  f->log_y = p->log_y;
  f->west = f->south = INFINITY;
  f->east = f->north = -INFINITY;
  for (int n = 0; n < p->curves; n++)
    for (int k = 0; k < p->curve[n].count; k++) {
      if (!shown(p, &p->curve[n], k)) continue;
      f->west = fmin(f->west, p->curve[n].x[k]);
      f->east = fmax(f->east, p->curve[n].x[k]);
      f->south = fmin(f->south, p->curve[n].y[k]);
      f->north = fmax(f->north, p->curve[n].y[k]);
    }
  if (!(f->west <= f->east)) { /* nothing to show */
    f->west = 0;
    f->east = 1;
    f->south = p->log_y ? 0.1 : 0;
    f->north = 1;
  }
  if (f->west == f->east) {
    f->west -= 0.5;
    f->east += 0.5;
  }
  if (p->log_y) { /* at least a decade, so that there is a tick */
    f->south = pow(10, fmax(floor(log10(f->south) - 0.1), -307)); /* no number that is smaller */
    f->north = pow(10, fmin(ceil(log10(f->north) + 0.1), 308));
    return;
  }
  const double span = f->north - f->south;
  const double room = span > 0 ? 0.06 * span : fmax(0.5 * fabs(f->north), 0.5);
  f->south -= room;
  f->north += room;
}

static void set_colour(cairo_t *c, int curve) {
  /* Okabe and Ito's palette, which colour-blind readers can tell apart, and grey */
  static const HgColour colours[] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                                     {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91},
                                     {0.00, 0.00, 0.00}, {0.60, 0.60, 0.60}};
  const HgColour *k = &colours[curve % 8];
  cairo_set_source_rgb(c, k->red, k->green, k->blue);
}

static void draw_curve(cairo_t *c, const HgFrame *f, const HgPanel *p, int n) {
  const HgCurve *curve = &p->curve[n];
  bool pen_down = false;
  cairo_new_path(c);
  for (int k = 0; k < curve->count && !curve->points; k++) {
    if (!shown(p, curve, k)) {
      pen_down = false;
      continue;
    }
    const double x = HgFrameX(f, curve->x[k]), y = HgFrameY(f, curve->y[k]);
    if (pen_down) cairo_line_to(c, x, y);
    else cairo_move_to(c, x, y);
    pen_down = true;
  }
  set_colour(c, n);
  cairo_set_line_width(c, 1.8);
  cairo_set_line_join(c, CAIRO_LINE_JOIN_ROUND);
  cairo_stroke(c);
  for (int k = 0; (curve->points || curve->count <= 60) && k < curve->count; k++) {
    if (!shown(p, curve, k)) continue;
    cairo_arc(c, HgFrameX(f, curve->x[k]), HgFrameY(f, curve->y[k]), 2.6, 0, 2 * M_PI);
    cairo_fill(c);
  }
}

/* How much of the curves lies in a rectangle: points, and parts of lines between them. */
static int covered(const HgFrame *f, const HgPanel *p, double x, double y, double width,
                   double height) {
  enum { PARTS = 8 };

  int count = 0;
  for (int n = 0; n < p->curves; n++)
    for (int k = 0; k < p->curve[n].count; k++) {
      const int next = k + 1 < p->curve[n].count ? k + 1 : k;
      if (!shown(p, &p->curve[n], k) || !shown(p, &p->curve[n], next)) continue;
      const double x0 = HgFrameX(f, p->curve[n].x[k]), x1 = HgFrameX(f, p->curve[n].x[next]),
                   y0 = HgFrameY(f, p->curve[n].y[k]), y1 = HgFrameY(f, p->curve[n].y[next]);
      for (int part = 0; part < PARTS; part++) {
        const double at = (double)part / PARTS, a = x0 + at * (x1 - x0), b = y0 + at * (y1 - y0);
        count += a >= x && a <= x + width && b >= y && b <= y + height;
      }
    }
  return count;
}

/* The corner where a legend covers least: north-east, north-west, south-east or south-west. */
static void choose_corner(const HgFrame *f, const HgPanel *p, double width, double height,
                          double *x, double *y) {
  int least = -1;
  for (int corner = 0; corner < 4; corner++) {
    const double west = corner % 2 ? f->x + 8 : f->x + f->width - width - 8,
                 north = corner / 2 ? f->y + f->height - height - 8 : f->y + 8;
    const int covers = covered(f, p, west, north, width, height);
    if (least >= 0 && covers >= least) continue;
    least = covers, *x = west, *y = north;
  }
}

static void draw_legend(cairo_t *c, const HgFrame *f, const HgPanel *p) {
  double widest = 0;
  int rows = 0;
  for (int n = 0; n < p->curves; n++) {
    if (!p->curve[n].label) continue;
    widest = fmax(widest, HgTextWidth(c, 11.5, false, p->curve[n].label));
    rows++;
  }
  if (rows == 0) return;
  const double width = widest + 46, height = 18 * rows + 8;
  double x = 0, y = 0;
  choose_corner(f, p, width, height, &x, &y);
  cairo_rectangle(c, x, y, width, height);
  cairo_set_source_rgba(c, 1, 1, 1, 0.85);
  cairo_fill_preserve(c);
  cairo_set_line_width(c, 0.7);
  cairo_set_source_rgb(c, 0.75, 0.75, 0.75);
  cairo_stroke(c);
  for (int n = 0, row = 0; n < p->curves; n++) {
    if (!p->curve[n].label) continue;
    const double middle = y + 13 + 18 * row++;
    set_colour(c, n);
    cairo_set_line_width(c, 2);
    if (p->curve[n].points) {
      cairo_arc(c, x + 20, middle, 2.6, 0, 2 * M_PI);
      cairo_fill(c);
    } else {
      cairo_move_to(c, x + 8, middle);
      cairo_line_to(c, x + 32, middle);
      cairo_stroke(c);
    }
    HgDrawText(c, x + 38, middle + 4, 11.5, false, HG_LEFT, p->curve[n].label);
  }
}

void HgDrawCurves(cairo_t *c, const HgFrame *f, const HgPanel *p) {
  HgDrawAxes(c, f, true, p->x_label ? p->x_label : "", p->y_label ? p->y_label : "");
  cairo_save(c);
  cairo_rectangle(c, f->x, f->y, f->width, f->height);
  cairo_clip(c);
  for (int n = 0; n < p->curves; n++) draw_curve(c, f, p, n);
  cairo_restore(c);
  draw_legend(c, f, p);
}
