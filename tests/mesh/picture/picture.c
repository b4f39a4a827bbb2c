/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a picture is a PNG with y upward, the same bytes on any decomposition, downsampled or not.
   */
#include "claim.h"
#include "refusal.h"
#include <halograd/file_library.h>
#include <halograd/picture.h>
#include <math.h>
#include <png.h>
#include <stdlib.h>

static double slope(double x, double y, void *context) {
  (void)context;
  return y + 1e-3 * sin(x);
}

static double with_a_hole(double x, double y, void *context) {
  (void)context;
  return x < 40 && y < 40 ? NAN : sin(x / 50) * cos(y / 30);
}

static PetscErrorCode draw(MPI_Comm comm, int nx, int ny, const char directory[]) {
  HgMesh mesh;
  HgState q;
  const HgMeshSpec spec = {.nx = nx, .ny = ny, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable variables[] = {{"a", "K", HG_FIELD, 0}, {"b", "m^2/s", HG_FIELD, 0}};
  const double x[] = {1, 2, 3, 4}, y[] = {100, NAN, 1, 0.01};
  const HgCurve curve = {.label = "J", .count = 4, .x = x, .y = y};
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 2, variables, &q));
  PetscCall(HgStateSetField(q, "a", slope, NULL));
  PetscCall(HgStateSetField(q, "b", with_a_hole, NULL));
  const HgPanel panels[] = {
      {.title = "slope", .state = q, .field = "a", .markers = 4, .marker_x = x, .marker_y = y},
      {.title = "hole", .state = q, .field = "b", .diverging = true},
      {.title = "curve",
       .x_label = "x",
       .y_label = "J",
       .log_y = true,
       .curves = 1,
       .curve = &curve}};
  const PetscErrorCode ierr = HgPictureWrite(comm, directory, "picture", 3, panels);
  PetscCall(DESTROY(&q, &mesh));
  return ierr;
}

/* Rank 0: is the colour at (x, y) of the image, as a fraction of its size, the given one within 12
   of 255? */
static bool near_colour(const png_image *image, const png_byte *pixels, double column, int row,
                        int red, int green, int blue) {
  const png_byte *p =
      pixels + 3 * ((size_t)row * image->width + (size_t)(column * (double)image->width));
  return abs(p[0] - red) < 12 && abs(p[1] - green) < 12 && abs(p[2] - blue) < 12;
}

/* The first panel's field is 400 points high and as wide; 1.5 pixels a point; 68 to the left, 46
   above. */
static bool upright(const char path[], char problem[], size_t size) {
  png_image image = {.version = PNG_IMAGE_VERSION};
  png_byte *pixels = NULL;
  bool right = png_image_begin_read_from_file(&image, path) != 0;
  image.format = PNG_FORMAT_RGB;
  if (right) pixels = malloc(PNG_IMAGE_SIZE(image));
  right = right && pixels && png_image_finish_read(&image, NULL, pixels, 0, NULL);
  if (!right) snprintf(problem, size, "'%s' is no PNG: %s", path, image.message);
  if (right && (image.height != 747 || image.width < 1800 || image.width > 2700)) {
    snprintf(problem, size, "'%s' is %u x %u, expected about 2300 x 747", path, image.width,
             image.height);
    right = false;
  }
  const double column = (68 + 200) * 1.5 / image.width;
  if (right && !near_colour(&image, pixels, column, (int)(1.5 * 49), 0xfd, 0xe7, 0x25)) {
    snprintf(problem, size, "'%s': the top of the slope is not yellow", path);
    right = false;
  }
  if (right && !near_colour(&image, pixels, column, (int)(1.5 * 443), 0x44, 0x01, 0x54)) {
    snprintf(problem, size, "'%s': the foot of the slope is not violet", path);
    right = false;
  }
  free(pixels);
  return right;
}

static PetscErrorCode compare(int rank, const char path[], const char alone[]) {
  char *a = NULL, *b = NULL, problem[512] = "";
  size_t a_size = 0, b_size = 0;
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, path, 1 << 24, &a, &a_size));
  PetscCall(HgFileReadAll(PETSC_COMM_WORLD, alone, 1 << 24, &b, &b_size));
  const bool same = a_size == b_size && memcmp(a, b, a_size) == 0;
  PetscCall(PetscFree(a));
  PetscCall(PetscFree(b));
  PetscCall(HgAgree(PETSC_COMM_WORLD, !same, HG_ERR_CHECK_FAILED,
                    "claim broken: '%s' (%zu bytes) differs from that of one rank (%zu bytes)",
                    path, a_size, b_size));
  const bool right = rank || upright(path, problem, sizeof problem);
  return HgAgree(PETSC_COMM_WORLD, !right, HG_ERR_CHECK_FAILED, "claim broken: %s", problem);
}

static PetscErrorCode run(void) {
  const int sizes[] = {64, 1030};
  char together[64], alone[64], path[128], path_alone[128];
  int rank, ranks;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (int k = 0; k < 2; k++) {
    snprintf(together, sizeof together, "picture_%d_of_%d", sizes[k], ranks);
    snprintf(alone, sizeof alone, "picture_%d_alone_%d", sizes[k], ranks);
    PetscCall(draw(PETSC_COMM_WORLD, sizes[k], sizes[k], together));
    if (rank == 0) PetscCall(draw(PETSC_COMM_SELF, sizes[k], sizes[k], alone));
    snprintf(path, sizeof path, "%s/picture.png", together);
    snprintf(path_alone, sizeof path_alone, "%s/picture.png", alone);
    PetscCall(compare(rank, path, path_alone));
  }
  REFUSED(draw(PETSC_COMM_WORLD, 64, 64, "/proc/none"), "/proc/none", "", "");
  HgMesh mesh;
  HgState q;
  const HgMeshSpec spec = {.nx = 16, .ny = 16, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable variable = {"a", "K", HG_FIELD, 0};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &variable, &q));
  const HgPanel panel = {.state = q, .field = "b"};
  REFUSED(HgPictureWrite(PETSC_COMM_WORLD, ".", "none", 1, &panel), "'b'", "", "");
  return DESTROY(&q, &mesh);
}

CLAIM("a picture is a PNG with the same bytes on any decomposition", 0, run)
