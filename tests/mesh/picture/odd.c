/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: whatever bytes a title has and whatever finite numbers a panel shows, it is drawn: what is
   no UTF-8 as question marks, a field whose range overflows in its colours. */
#include "claim.h"
#include <halograd/picture.h>
#include <png.h>
#include <stdlib.h>

enum { LEFT = 68, TOP = 46, SIDE = 400 }; /* of the first frame, in points of 1.5 pixels */

static const double huge = 1.5e308;

/* -huge, 0 and huge from west to east. */
static double steps(double x, double y, void *unused) {
  (void)y, (void)unused;
  return huge * (x - 1);
}

static PetscErrorCode titles(HgState q) {
  char cut[400] = "x";
  for (int k = 0; k < 150; k++) memcpy(cut + 1 + 2 * k, "\xc3\xa9", 2); /* 252 bytes end in one */
  const HgPanel panels[] = {{.title = "caf\xe9 \xed\xa0\x80 \xf5 \xc3", .state = q, .field = "u"},
                            {.title = cut, .state = q, .field = "u"}};
  claim_that(!HgPictureWrite(PETSC_COMM_WORLD, ".", "titles", 2, panels), "titles are drawn");
  return 0;
}

static PetscErrorCode decades(void) {
  const double x[] = {1, 2, 1.7e9}, y[] = {1e-320, 1, 1e308};
  const HgCurve curve = {.label = "J", .count = 3, .x = x, .y = y};
  const HgPanel panel = {
      .x_label = "x", .y_label = "J", .log_y = true, .curves = 1, .curve = &curve};
  claim_that(!HgPictureWrite(PETSC_COMM_WORLD, ".", "decades", 1, &panel), "decades are drawn");
  return 0;
}

static bool has(const png_image *image, const png_byte *pixels, double share, const int rgb[3]) {
  const int row = (int)(1.5 * (TOP + SIDE / 2)), column = (int)(1.5 * (LEFT + share * SIDE));
  const png_byte *p = pixels + 3 * ((size_t)row * image->width + (size_t)column);
  return abs(p[0] - rgb[0]) < 12 && abs(p[1] - rgb[1]) < 12 && abs(p[2] - rgb[2]) < 12;
}

static PetscErrorCode range(HgState q) {
  static const int violet[] = {0x44, 0x01, 0x54}, green[] = {0x22, 0x90, 0x8c},
                   yellow[] = {0xfd, 0xe7, 0x25};
  const HgPanel panel = {.title = "range", .state = q, .field = "u"};
  png_image image = {.version = PNG_IMAGE_VERSION};
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, ".", "range", 1, &panel));
  if (claim.rank) return 0;
  const bool begun = png_image_begin_read_from_file(&image, "range.png") != 0;
  image.format = PNG_FORMAT_RGB;
  png_byte *pixels = begun ? malloc(PNG_IMAGE_SIZE(image)) : NULL;
  if (claim_that(pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL), "range.png")) {
    claim_that(has(&image, pixels, 1 / 6.0, violet), "the least number is not violet");
    claim_that(has(&image, pixels, 3 / 6.0, green), "0 is not in the middle");
    claim_that(has(&image, pixels, 5 / 6.0, yellow), "the largest number is not yellow");
  }
  free(pixels);
  return 0;
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = 3, .ny = 3, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  HgMesh mesh;
  HgState q;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &q));
  PetscCall(HgStateSetField(q, "u", steps, NULL));
  PetscCall(titles(q));
  PetscCall(decades());
  PetscCall(range(q));
  return DESTROY(&q, &mesh);
}

CLAIM("any text and any finite number is drawn", 0, test)
