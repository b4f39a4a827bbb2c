/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: -hg_section xyz shows the middle sections as walls of a box: a spot in one of them is seen
   once, moves right with x, up with z, right and up with y, and is not seen elsewhere; a panel asks
   for the same picture, and it has the same bytes on any decomposition. */
#include "claim.h"
#include <halograd/picture.h>
#include <png.h>
#include <stdlib.h>

enum { NX = 13, NY = 9, NZ = 6 };

static double spot(double x, double y, double z, void *cell) {
  const double *const c = cell;
  return fabs(x - c[0]) + fabs(y - c[1]) + fabs(z - c[2]) < 0.5 ? 1 : 0;
}

static PetscErrorCode draw(MPI_Comm comm, const char name[], bool by_panel, double cell[3]) {
  const HgMeshSpec spec = {.nx = NX, .ny = NY, .nz = NZ, .dx = 1, .dy = 1, .dz = 1, .ghost = 1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  HgMesh mesh;
  HgState q;
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &q));
  PetscCall(HgStateSetVolume(q, "u", spot, cell));
  const HgPanel panel = {
      .state = q, .field = "u", .high = 1, .section = by_panel ? HG_ALL_SECTIONS : 0};
  if (!by_panel) PetscCall(PetscOptionsSetValue(NULL, "-hg_section", "xyz"));
  PetscCall(HgPictureWrite(comm, ".", name, 1, &panel));
  if (!by_panel) PetscCall(PetscOptionsClearValue(NULL, "-hg_section"));
  return DESTROY(&q, &mesh);
}

/* Pixels of the brightest colour left of its bar, and their middle, y upward. */
typedef struct {
  int count;
  double x, y;
} Seen;

/* The pixels of a file, to be freed; NULL: it is no picture. */
static png_byte *pixels_of(const char path[], png_image *image) {
  *image = (png_image){.version = PNG_IMAGE_VERSION};
  png_byte *pixels = NULL;
  bool right = png_image_begin_read_from_file(image, path) != 0;
  image->format = PNG_FORMAT_RGB;
  if (right) pixels = malloc(PNG_IMAGE_SIZE(*image));
  right = right && pixels && png_image_finish_read(image, NULL, pixels, 0, NULL);
  claim_that(right, "'%s' is no PNG: %s", path, image->message);
  return pixels;
}

static Seen seen_in(const char path[]) {
  png_image image;
  png_byte *const pixels = pixels_of(path, &image);
  Seen s = {0};
  for (unsigned row = 0; pixels && row < image.height; row++)
    for (unsigned x = 0; x < image.width - 120; x++) {
      const png_byte *const p = pixels + 3 * ((size_t)row * image.width + x);
      if (abs(p[0] - 253) > 3 || abs(p[1] - 231) > 3 || abs(p[2] - 37) > 3) continue;
      s.count++, s.x += x, s.y -= row;
    }
  s.x /= s.count, s.y /= s.count;
  free(pixels);
  return s;
}

static bool same(const char one[], const char other[]) {
  png_image image[2];
  png_byte *const a = pixels_of(one, &image[0]), *const b = pixels_of(other, &image[1]);
  const size_t size = PNG_IMAGE_SIZE(image[0]);
  const bool same = a && b && size == PNG_IMAGE_SIZE(image[1]) && !memcmp(a, b, size);
  free(a);
  free(b);
  return same;
}

/* How a spot moves from a cell to another, whose coordinate `axis` is larger. */
static PetscErrorCode compare(double from[3], int axis, double to) {
  double there[3] = {from[0], from[1], from[2]};
  there[axis] = to;
  PetscCall(draw(PETSC_COMM_WORLD, "from", false, from));
  PetscCall(draw(PETSC_COMM_WORLD, "to", true, there));
  if (claim.rank) return 0;
  const Seen a = seen_in("from.png"), b = seen_in("to.png");
  const double right = b.x - a.x, up = b.y - a.y;
  claim_that(a.count > 20 && abs(a.count - b.count) <= a.count / 4, "%d and %d bright pixels",
             a.count, b.count);
  claim_that(axis == 2 ? fabs(right) < 2 : right > 20, "along %d a spot moves right by %g", axis,
             right);
  claim_that(axis == 0 ? fabs(up) < 2 : up > 20, "along %d a spot moves up by %g", axis, up);
  return 0;
}

static PetscErrorCode test(void) {
  PetscCall(compare((double[]){2, NY / 2, 1}, 0, 9));
  PetscCall(compare((double[]){2, NY / 2, 1}, 2, 5));
  PetscCall(compare((double[]){NX / 2, 1, 1}, 1, 7));
  PetscCall(compare((double[]){NX / 2, 1, 1}, 2, 5));
  PetscCall(compare((double[]){2, 1, NZ / 2}, 0, 9));
  PetscCall(compare((double[]){2, 1, NZ / 2}, 1, 7));
  PetscCall(draw(PETSC_COMM_WORLD, "aside", false, (double[]){2, 1, 1}));
  PetscCall(draw(PETSC_COMM_WORLD, "all", true, (double[]){2, NY / 2, 1}));
  if (claim.rank) return 0;
  PetscCall(draw(PETSC_COMM_SELF, "alone", false, (double[]){2, NY / 2, 1}));
  claim_that(!seen_in("aside.png").count, "a spot beside all sections is seen");
  claim_that(same("all.png", "alone.png"), "one rank draws another picture");
  return 0;
}

CLAIM("-hg_section xyz shows three sections as walls of a box", 0, test)
