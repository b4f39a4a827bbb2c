/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a picture of a field with levels is, byte by byte, that of the flat field which lies in
   its section: across z, y and x, by the option and by the panel, the middle one and any other.
   What names no section is refused. */
#include "claim.h"
#include "refusal.h"
#include <halograd/picture_library.h>
#include <stdlib.h>

enum { NX = 13, NY = 9, NZ = 6 };

static const double first[3] = {0.5, 1, -30}, size[3] = {1, 2, 5};
static const int cells[3] = {NX, NY, NZ};

static double of(double x, double y, double z) { return sin(x) + cos(0.3 * y) * (1 + 0.1 * z); }

static double volume(double x, double y, double z, void *unused) {
  (void)unused;
  return of(x, y, z);
}

typedef struct {
  int cut, at, across, up;
} Plane;

static double plane(double a, double b, void *context) {
  const Plane *p = context;
  double x[3];
  x[p->cut] = first[p->cut] + p->at * size[p->cut], x[p->across] = a, x[p->up] = b;
  return of(x[0], x[1], x[2]);
}

/* Rank 0: have two files the same bytes? */
static bool same(const char one[], const char other[]) {
  FILE *const a = fopen(one, "rb"), *const b = fopen(other, "rb");
  bool same = a && b;
  for (int c = 0, d = 0; same && c != EOF; same = c == d) c = getc(a), d = getc(b);
  if (a) fclose(a);
  if (b) fclose(b);
  return same;
}

static PetscErrorCode draw_flat(Plane *p) {
  static const char *const label[] = {"x [m]", "y [m]", "z [m]"};
  const HgMeshSpec spec = {.nx = cells[p->across],
                           .ny = cells[p->up],
                           .px = 1,
                           .py = 1,
                           .x0 = first[p->across],
                           .y0 = first[p->up],
                           .dx = size[p->across],
                           .dy = size[p->up],
                           .ghost = 1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  HgMesh mesh;
  HgState q;
  PetscCall(HgMeshCreate(PETSC_COMM_SELF, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &q));
  PetscCall(HgStateSetField(q, "u", plane, p));
  const HgPanel panel = {
      .title = "u", .state = q, .field = "u", .x_label = label[p->across], .y_label = label[p->up]};
  PetscCall(HgPictureWrite(PETSC_COMM_SELF, ".", "flat", 1, &panel));
  return DESTROY(&q, &mesh);
}

static PetscErrorCode compare(HgState q, const char option[], char of_panel, Plane expected) {
  const HgPanel panel = {.title = "u", .state = q, .field = "u", .section = of_panel};
  if (option) PetscCall(PetscOptionsSetValue(NULL, "-hg_section", option));
  PetscCall(HgPictureWrite(PETSC_COMM_WORLD, ".", "volume", 1, &panel));
  if (option) PetscCall(PetscOptionsClearValue(NULL, "-hg_section"));
  if (claim.rank) return 0;
  PetscCall(draw_flat(&expected));
  claim_that(same("volume.png", "flat.png"), "-hg_section %s, panel %d: another picture",
             option ? option : "", of_panel);
  return 0;
}

static PetscErrorCode refuse(HgMesh mesh, const char option[], const char why[]) {
  PetscCall(PetscOptionsSetValue(NULL, "-hg_section", option));
  REFUSED(HgPictureCheck(mesh), "option -hg_section", why);
  return PetscOptionsClearValue(NULL, "-hg_section");
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = NX,
                           .ny = NY,
                           .nz = NZ,
                           .x0 = first[0],
                           .y0 = first[1],
                           .z0 = first[2],
                           .dx = size[0],
                           .dy = size[1],
                           .dz = size[2],
                           .ghost = 1};
  const HgVariable u = {"u", "K", HG_FIELD, 0};
  HgMesh mesh;
  HgState q;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, &u, &q));
  PetscCall(HgStateSetVolume(q, "u", volume, NULL));
  PetscCall(compare(q, NULL, 0, (Plane){2, NZ / 2, 0, 1}));
  PetscCall(compare(q, "z:0", 0, (Plane){2, 0, 0, 1}));
  PetscCall(compare(q, "y", 0, (Plane){1, NY / 2, 0, 2}));
  PetscCall(compare(q, "y:8", 0, (Plane){1, 8, 0, 2}));
  PetscCall(compare(q, "x:12", 0, (Plane){0, 12, 1, 2}));
  PetscCall(compare(q, "x:12", 'y', (Plane){1, NY / 2, 0, 2}));
  PetscCall(refuse(mesh, "y:9", "from 0 to 8"));
  PetscCall(refuse(mesh, "y:-1", "from 0 to 8"));
  PetscCall(refuse(mesh, "w", "expected x, y, z"));
  PetscCall(refuse(mesh, "y:3x", "expected x, y, z"));
  PetscCall(refuse(mesh, "yz", "expected x, y, z"));
  PetscCall(refuse(mesh, "xyzx", "expected x, y, z"));
  PetscCall(DESTROY(&q, &mesh));
  const HgMeshSpec flat = {.nx = NX, .ny = NY, .dx = 1, .dy = 1, .ghost = 1};
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &flat, &mesh));
  PetscCall(refuse(mesh, "y", "without levels"));
  return HgMeshDestroy(&mesh);
}

CLAIM("a picture shows the section that it is asked for", 0, test)
