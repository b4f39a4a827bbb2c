/* SPDX-License-Identifier: BSD-2-Clause */
/* The middle sections of a field with levels as three walls of a box that one looks into: below the
   one across z, at the back that across y, to the left that across x. x points to the right, z
   upward, y away from the eye: upward to the right and shortened. */
#include "picture_private.h"
#include <math.h>
#include <stdio.h>

static const double AWAY_X = 0.45, AWAY_Z = 0.3, /* on paper, of a length along y */
    LEAST = 0.2;                                 /* of the longest axis, for thin domains */

typedef struct {
  double x, y;
} Point;

typedef struct {
  double length[3], across, up; /* of the axes as they are drawn; of the whole on paper */
  HgAxis axis[3];
  const HgFrame *frame;
} Box;

static Box box_of(const HgPanel *p, const HgFrame *f) {
  const HgMeshSpec *const g = HgMeshGetSpec(HgStateMesh(p->state));
  Box b = {.frame = f};
  double longest = 0;
  for (int k = 0; k < 3; k++) {
    b.axis[k] = HgAxisOf(g, k);
    b.length[k] = b.axis[k].cells * b.axis[k].step;
    longest = fmax(longest, b.length[k]);
  }
  for (int k = 0; k < 3; k++) b.length[k] = fmax(b.length[k], LEAST * longest);
  b.across = b.length[0] + AWAY_X * b.length[1], b.up = b.length[2] + AWAY_Z * b.length[1];
  return b;
}

double HgBoxAspect(const HgPanel *panel) {
  const Box b = box_of(panel, NULL);
  return b.across / b.up;
}

/* Where a place, from 0 to 1 along each axis, is on paper. */
static Point at(const Box *b, double x, double y, double z) {
  const HgFrame *const f = b->frame;
  const double right = x * b->length[0] + AWAY_X * y * b->length[1],
               up = z * b->length[2] + AWAY_Z * y * b->length[1];
  return (Point){f->x + (f->width - HG_BOX_NUMBERS) * right / b->across,
                 f->y + f->height * (1 - up / b->up)};
}

/* The same, on the wall that shows a section. */
static Point on_wall(const Box *b, const HgSection *s, double across, double up) {
  double place[3];
  place[s->cut] = s->cut == 1, place[s->across] = across, place[s->up] = up;
  return at(b, place[0], place[1], place[2]);
}

static void line(cairo_t *c, Point from, Point to, double width, double lightness) {
  HgDrawLine(c, from.x, from.y, to.x, to.y, width, lightness);
}

/* A section, and where the two others cut it. */
static void draw_wall(cairo_t *c, const Box *b, const HgRaster *r, const HgRaster all[3],
                      const HgPanel *p) {
  const HgSection *const s = &r->section;
  const Point corner = on_wall(b, s, 0, 0), right = on_wall(b, s, 1, 0), top = on_wall(b, s, 0, 1);
  HgDrawRaster(c, r, &all[0], p,
               &(cairo_matrix_t){.xx = (right.x - corner.x) / r->width,
                                 .yx = (right.y - corner.y) / r->width,
                                 .xy = (corner.x - top.x) / r->height,
                                 .yy = (corner.y - top.y) / r->height,
                                 .x0 = top.x,
                                 .y0 = top.y});
  for (int k = 0; k < 3; k++) {
    const HgSection *const other = &all[k].section;
    const double cut = (other->at + 0.5) / b->axis[other->cut].cells;
    if (other->cut == s->across) line(c, on_wall(b, s, cut, 0), on_wall(b, s, cut, 1), 0.6, 0.75);
    if (other->cut == s->up) line(c, on_wall(b, s, 0, cut), on_wall(b, s, 1, cut), 0.6, 0.75);
  }
  for (int k = 0; k < 4; k++)
    line(c, on_wall(b, s, k == 1 || k == 2, k > 1), on_wall(b, s, k < 2, k == 1 || k == 2), 1, 0.2);
}

/* Ticks along the lower front edge, the left front edge or the lower right one, and the name. */
static void draw_axis(cairo_t *c, const Box *b, int axis, const char label[]) {
  const HgFrame *const f = b->frame;
  const HgAxis *const a = &b->axis[axis];
  const double low = (a->first - 0.5 * a->step) / f->metres, size = a->cells * a->step / f->metres;
  const Point from = at(b, axis == 1, 0, 0), to = at(b, axis < 2, axis == 1, axis == 2);
  const double room = hypot(to.x - from.x, to.y - from.y);
  double ticks[HG_TICKS];
  char text[32];
  int decimals;
  const int count = HgTicks(low, low + size, room < 100 ? 2 : room < 300 ? 4 : 6, ticks, &decimals);
  for (int k = 0; k < count; k++) {
    const double t = (ticks[k] - low) / size;
    const Point p = {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y)};
    line(c, p, (Point){p.x + (axis == 0 ? 0 : axis == 1 ? 5 : -5), p.y + (axis ? 0 : 5)}, 1, 0.3);
    HgTickText(text, sizeof text, ticks[k], decimals);
    if (axis == 0) HgDrawTextWithin(c, p.x, p.y + 18, room / 4, HG_MIDDLE, text);
    else
      HgDrawTextWithin(c, p.x + (axis == 1 ? 8 : -8), p.y + 4, HG_BOX_NUMBERS - 4,
                       axis == 1 ? HG_LEFT : HG_RIGHT, text);
  }
  const Point middle = {(from.x + to.x) / 2, (from.y + to.y) / 2};
  if (axis == 0) HgDrawText(c, middle.x, middle.y + 37, 12, false, HG_MIDDLE, label);
  if (axis == 1) HgDrawText(c, middle.x + 36, middle.y + 20, 12, false, HG_LEFT, label);
  if (axis < 2) return;
  cairo_save(c);
  cairo_translate(c, middle.x - 50, middle.y);
  cairo_rotate(c, -M_PI / 2);
  HgDrawText(c, 0, 0, 12, false, HG_MIDDLE, label);
  cairo_restore(c);
}

void HgDrawBox(cairo_t *c, const HgFrame *f, const HgRaster rasters[3], const HgPanel *p) {
  const Box b = box_of(p, f);
  for (int k = 0; k < 3; k++) draw_wall(c, &b, &rasters[k], rasters, p);
  for (int k = 0; k < 3; k++) {
    char label[32];
    HgAxisLabel(label, k, HgMeshGetSpec(HgStateMesh(p->state))->radius > 0, f);
    draw_axis(c, &b, k, label);
  }
}
