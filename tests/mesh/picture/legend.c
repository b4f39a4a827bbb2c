/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a legend stands in the corner where it covers least of the curves. A flat curve runs below
   the top of its frame, then one above the foot: nothing of them turns pale. */
#include "claim.h"
#include <halograd/file.h>
#include <halograd/picture.h>
#include <png.h>
#include <stdlib.h>

enum { LEFT = 68, TOP = 46, WIDTH = 460, HEIGHT = 400 }; /* of the frame, in points of 1.5 pixels */

/* From 0 it jumps to 1 at once, or the other way round, and stays there. */
static PetscErrorCode draw(const char name[], double end) {
  const double x[] = {0, 0.001, 10}, y[] = {1 - end, end, end};
  const HgCurve curve = {.label = "a label that is nearly as wide as the frame in which it stands",
                         .count = 3,
                         .x = x,
                         .y = y};
  const HgPanel panel = {.x_label = "x", .y_label = "y", .curves = 1, .curve = &curve};
  return HgPictureWrite(PETSC_COMM_WORLD, ".", name, 1, &panel);
}

/* Is the row of the curve at that end of the same blue from side to side? */
static bool clear(const char path[], double end, char problem[], size_t size) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  png_byte *pixels = NULL;
  bool right = png_image_begin_read_from_file(&image, path) != 0;
  image.format = PNG_FORMAT_RGB;
  if (right) pixels = malloc(PNG_IMAGE_SIZE(image));
  right = right && pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL);
  if (!right) snprintf(problem, size, "'%s' is no PNG: %s", path, image.message);
  const double down = (0.06 + (1 - end)) / 1.12; /* the range has 6 % more on both sides */
  const unsigned row = (unsigned)(1.5 * (TOP + down * HEIGHT));
  for (unsigned x = 3 * (LEFT + 40) / 2; right && x < 3 * (LEFT + WIDTH - 40) / 2; x++) {
    const png_byte *p = pixels + 3 * ((size_t)row * image.width + x);
    if (p[0] < 12 && abs(p[1] - 115) < 12 && abs(p[2] - 179) < 12) continue;
    snprintf(problem, size, "'%s': the curve has the colour %d %d %d at pixel %u of row %u", path,
             p[0], p[1], p[2], x, row);
    right = false;
  }
  free(pixels);
  return right;
}

static PetscErrorCode run(void) {
  char problem[512] = "", name[32], path[64];
  int rank;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  for (int end = 0; end < 2; end++) {
    snprintf(name, sizeof name, "legend_%d", end);
    snprintf(path, sizeof path, "%s.png", name);
    PetscCall(draw(name, end));
    const bool right = rank || clear(path, end, problem, sizeof problem);
    PetscCall(HgAgree(PETSC_COMM_WORLD, !right, HG_ERR_CHECK_FAILED, "claim broken: %s", problem));
  }
  return 0;
}

CLAIM("a legend stands in the corner where it covers least of the curves", 0, run)
