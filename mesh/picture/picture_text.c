/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of a picture, and the numbers at its axes. */
#include "picture_private.h"
#include <float.h>
#include <halograd/error_library.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const HgColour hg_ink = {0.15, 0.16, 0.18};

/* ^2 and ^3 become superscripts, what is no UTF-8 question marks: cairo would draw nothing more. */
static void make_shown(const char text[], size_t size, char shown[]) {
  size_t used = 0;
  for (const char *from = text; *from && used + 5 < size;) {
    const char *const power = from[0] == '^' && from[1] == '2'   ? "²"
                              : from[0] == '^' && from[1] == '3' ? "³"
                                                                 : NULL;
    const size_t length = HgCharacter(from);
    memcpy(shown + used, power ? power : length ? from : "?", power ? 2 : length ? length : 1);
    used += power ? 2 : length ? length : 1;
    from += power ? 2 : length ? length : 1;
  }
  shown[used] = 0;
}

double HgTextWidth(cairo_t *c, double size, bool bold, const char text[]) {
  cairo_text_extents_t extent;
  cairo_select_font_face(c, "sans", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, size);
  cairo_text_extents(c, text, &extent);
  return extent.x_advance;
}

void HgDrawText(cairo_t *c, double x, double y, double size, bool bold, int align,
                const char text[]) {
  char shown[256];
  make_shown(text, sizeof shown, shown);
  const double width = HgTextWidth(c, size, bold, shown);
  cairo_set_source_rgb(c, hg_ink.red, hg_ink.green, hg_ink.blue);
  cairo_move_to(c, x - 0.5 * align * width, y);
  cairo_show_text(c, shown);
  cairo_new_path(c); /* the text's end is no start of a line */
}

void HgDrawTextWithin(cairo_t *c, double x, double y, double room, int align, const char text[]) {
  const double size = 11, width = HgTextWidth(c, size, false, text);
  HgDrawText(c, x, y, width > room ? size * room / width : size, false, align, text);
}

int HgTicks(double low, double high, int wanted, double ticks[HG_TICKS], int *decimals) {
  const double span = high - low;
  *decimals = 0;
  if (isinf(span) && isfinite(low) && isfinite(high)) {
    const int count = HgTicks(low / 2, high / 2, wanted, ticks, decimals);
    for (int k = 0; k < count; k++) ticks[k] *= 2;
    return count;
  }
  const double rough = span / wanted;
  if (!(rough >= DBL_MIN) || !isfinite(span)) return 0;
  const double power = pow(10, floor(log10(rough))), part = rough / power;
  const double step = power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
  *decimals = (int)-floor(log10(step * 1.0000001));
  const double first = ceil(low / step - 1e-9);
  int count = 0;
  while (count < HG_TICKS && (first + count) * step <= high + 1e-9 * step) {
    ticks[count] = (first + count) * step;
    if (fabs(ticks[count]) < 1e-9 * step) ticks[count] = 0;
    count++;
  }
  return count;
}

void HgTickText(char text[], size_t size, double tick, int decimals) {
  const double magnitude = fabs(tick);
  if (decimals <= 4 && magnitude < 1e6) {
    snprintf(text, size, "%.*f", decimals > 0 ? decimals : 0, tick);
    return;
  }
  const int digits = magnitude > 0 ? (int)floor(log10(magnitude) + 1e-9) + 1 + decimals : 1;
  snprintf(text, size, "%.*g", digits < 3 ? 3 : digits > 12 ? 12 : digits, tick);
}
