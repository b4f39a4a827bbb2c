/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of random_stencils.py: the stencils of a shared library, through the library's checks,
   or one step of each, forward and back, on a mesh of many ranks; it prints what comes out as a
   digest. pair: each second one also with the one before it inlined.
   usage: random_check FILE.so check|digest|step|pair */
#include "destroy.h"
#include <dlfcn.h>
#include <halograd/check_library.h>
#include <halograd/program.h>
#include <halograd/state_library.h>
#include <string.h>

enum { MOST = 16, CELLS = 23, GHOST = 8, WIDTH = CELLS + 2 * GHOST, NZ = 3, HIGH = NZ + 2 * GHOST };

/* Of every stencil that has params: as many of these as it takes, in this order. The tables are
   filled by main(). */
enum { ENTRIES = 400 };

typedef struct {
  double a, b;
  const double *w;
  long w_count;
  const double *p;
} Params;

static double entry[ENTRIES];
static const Params given = {0.7, 1.3, entry, 100, entry};
static const void *const params = &given;

static uint64_t state;

static double random_in(HgCheckRange r) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return r.low + (r.high - r.low) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

/* Variables called h... are positive. */
static HgCheckRange range_of(const char *name) {
  return *name == 'h' ? (HgCheckRange){0.5, 2} : (HgCheckRange){-1, 1};
}

typedef struct {
  double value[WIDTH][HIGH][WIDTH], *row[WIDTH];
} Cells;

/* Rows j from -GHOST on, levels and cells i likewise. */
static HgRowsOut filled(Cells *c, HgCheckRange range) {
  for (int j = 0; j < WIDTH; j++) {
    for (int k = 0; k < HIGH; k++)
      for (int i = 0; i < WIDTH; i++) c->value[j][k][i] = random_in(range);
    c->row[j] = c->value[j][GHOST] + GHOST;
  }
  return c->row + GHOST;
}

static uint64_t hashed(uint64_t hash, const Cells *c) {
  for (int j = GHOST; j < GHOST + CELLS; j++)
    for (int k = GHOST; k < GHOST + NZ; k++)
      for (int i = GHOST; i < GHOST + CELLS; i++) {
        uint64_t bits;
        memcpy(&bits, &c->value[j][k][i], sizeof bits);
        hash = (hash ^ bits) * 0x100000001b3u;
      }
  return hash;
}

static HgBox a_box(const HgStencil *s) {
  static HgLatitude rows[WIDTH + 2 * GHOST];
  for (int j = 0; j < WIDTH + 2 * GHOST; j++)
    rows[j] = (HgLatitude){1 - 0.01 * j, 0.013 * j, 0.995 - 0.01 * j, 0.011 + 0.013 * j};
  return (HgBox){.i1 = CELLS,
                 .j1 = CELLS,
                 .k1 = s->levels ? NZ : 1,
                 .nz = NZ,
                 .pitch = WIDTH,
                 .z0 = -0.2,
                 .dz = 0.7,
                 .i_global = 3,
                 .j_global = 5,
                 .nx_global = 60,
                 .ny_global = 50,
                 .x0 = 0.3,
                 .dx = 0.9,
                 .dy = 1.2,
                 .latitude = rows + 2 * GHOST - 5,
                 .dt = 0.2,
                 .t = 1.7,
                 .step = 4};
}

/* All bits of y, dy and x_bar of one box. */
static uint64_t digest(const HgStencil *s) {
  static Cells cells[6 * MOST];
  const HgBox box = a_box(s);
  HgRows x[MOST] = {NULL}, dx[MOST] = {NULL}, y_bar[MOST] = {NULL};
  HgRowsOut y[MOST] = {NULL}, dy[MOST] = {NULL}, x_bar[MOST] = {NULL};
  uint64_t hash = 0xcbf29ce484222325u;
  int reads = 0, writes = 0;
  state = 1;
  for (; s->reads[reads].name; reads++) {
    x[reads] = (HgRows)filled(&cells[reads], range_of(s->reads[reads].name));
    dx[reads] = (HgRows)filled(&cells[MOST + reads], (HgCheckRange){-1, 1});
    x_bar[reads] = filled(&cells[2 * MOST + reads], (HgCheckRange){-1, 1});
  }
  for (; s->writes[writes]; writes++) {
    y[writes] = filled(&cells[3 * MOST + writes], (HgCheckRange){0, 0});
    dy[writes] = filled(&cells[4 * MOST + writes], (HgCheckRange){0, 0});
    y_bar[writes] = (HgRows)filled(&cells[5 * MOST + writes], (HgCheckRange){-1, 1});
  }
  s->apply(&box, params, x, y);
  s->tangent(&box, params, x, dx, dy);
  s->adjoint(&box, params, x, y_bar, x_bar);
  if (s->second) s->second(&box, params, x, dx, y_bar, y_bar, x_bar);
  for (int k = 0; k < reads; k++) hash = hashed(hash, &cells[2 * MOST + k]);
  for (int k = 0; k < writes; k++)
    hash = hashed(hashed(hash, &cells[3 * MOST + k]), &cells[4 * MOST + k]);
  return hash;
}

static PetscErrorCode checked(const HgStencil *s) {
  const HgCheckStencilOptions options = {.draws = 6, .quiet = false, .seed = 1};
  HgCheckRange ranges[MOST];
  bool passed, reads_x = false;
  for (int k = 0; s->reads[k].name; k++) {
    ranges[k] = range_of(s->reads[k].name);
    reads_x = reads_x || s->reads[k].adjoint_radius >= 0;
  }
  HgRequire(PETSC_COMM_WORLD, reads_x || !s->second, HG_ERR_CHECK_FAILED,
            "stencil '%s': its adjoint reads no x, but it has a kernel 'second'", s->name);
  PetscCall(HgCheckStencil(PETSC_COMM_WORLD, s, s->params_size ? params : NULL, ranges, &options,
                           &passed));
  return passed ? 0 : PETSC_ERR_PLIB;
}

/* The rows of a variable, by name; random at first. */
static HgRowsOut rows_of(const char *name) {
  static Cells cells[4 * MOST];
  static const char *known[4 * MOST];
  int k = 0;
  while (known[k] && strcmp(known[k], name)) k++;
  if (known[k]) return cells[k].row + GHOST;
  known[k] = name;
  return filled(&cells[k], range_of(name));
}

/* A stencil's `apply`; it writes to y, rows of its own. */
static void applied(const HgStencil *s, Cells y[]) {
  const HgBox box = a_box(s);
  HgRows x[2 * MOST];
  HgRowsOut out[MOST];
  for (int k = 0; s->reads[k].name; k++) x[k] = (HgRows)rows_of(s->reads[k].name);
  for (int k = 0; s->writes[k]; k++) out[k] = filled(&y[k], (HgCheckRange){0, 0});
  s->apply(&box, params, x, out);
}

/* The adjoint of `s` by the kernel of s or of it as one with another; x_bar: of what s reads. */
static void reversed(const HgStencil *s, const HgStencil *kernel, Cells x_bar[]) {
  static Cells cells[MOST];
  const HgBox box = a_box(s);
  HgRows x[2 * MOST], y_bar[MOST];
  HgRowsOut out[MOST];
  state = 2;
  for (int k = 0; kernel->reads[k].name; k++) x[k] = (HgRows)rows_of(kernel->reads[k].name);
  state = 3;
  for (int k = 0; s->writes[k]; k++) y_bar[k] = (HgRows)filled(&cells[k], (HgCheckRange){-1, 1});
  for (int k = 0; s->reads[k].name; k++) out[k] = filled(&x_bar[k], (HgCheckRange){-1, 1});
  kernel->adjoint(&box, params, x, y_bar, out);
}

static PetscErrorCode same(const HgStencil *before, const HgStencil *s, const char what[],
                           const char variable[], const Cells *apart, const Cells *both) {
  HgRequire(PETSC_COMM_WORLD, hashed(1, apart) == hashed(1, both), HG_ERR_CHECK_FAILED,
            "'%s' with '%s' inlined: %s has other bits of '%s'", s->name, before->name, what,
            variable);
  return 0;
}

/* Requires a stencil with the one before it inlined to have the bits of the two, and counts those
   that have an adjoint. */
static PetscErrorCode paired(const HgStencil *before, const HgStencil *s, int *adjoints) {
  static Cells between[MOST], apart[2 * MOST], both[2 * MOST];
  HgRequire(PETSC_COMM_WORLD, s->inlined, HG_ERR_CHECK_FAILED, "'%s' and '%s' stay apart",
            before->name, s->name);
  state = 1;
  applied(before, between);
  for (int k = 0; before->writes[k]; k++) {
    HgRowsOut rows = rows_of(before->writes[k]);
    for (int j = 0; j < CELLS; j++)
      memcpy(rows[j] - GHOST, between[k].row[j + GHOST] - GHOST,
             NZ * sizeof between[k].value[0][0]);
  }
  applied(s, apart);
  applied(s->inlined, both);
  for (int k = 0; s->writes[k]; k++)
    PetscCall(same(before, s, "apply", s->writes[k], &apart[k], &both[k]));
  if (!s->inlined->adjoint) return 0;
  reversed(s, s, apart);
  reversed(s, s->inlined, both);
  for (int k = 0; s->reads[k].name; k++)
    PetscCall(same(before, s, "adjoint", s->reads[k].name, &apart[k], &both[k]));
  ++*adjoints;
  return 0;
}

static double start(double x, double y, void *context) {
  const char *name = context;
  const HgCheckRange range = range_of(name);
  return range.low + (range.high - range.low) * (0.5 + 0.4 * sin(x * 0.37 + 1.3 * y + name[1]));
}

/* A step and its transpose on all ranks. */
static PetscErrorCode step(const HgStencil *s) {
  const HgMeshSpec spec = {
      .nx = 40, .ny = 36, .dx = 0.9, .dy = 1.2, .nz = s->levels ? 5 : 0, .dz = 0.7};
  char digests[2][17];
  HgMesh mesh;
  HgProgram program;
  HgOperator operator;
  HgState x, y, x_bar;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, s->name, 0.2, &program));
  PetscCall(HgProgramAddStencil(program, s, s->params_size ? params : NULL));
  for (int k = 0; s->reads[k].name; k++)
    PetscCall(HgProgramSetBoundary(program, s->reads[k].name, HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramSetUp(program));
  PetscCall(HgProgramOperator(program, 0, &operator));
  PetscCall(HgOperatorCreateInput(operator, & x));
  PetscCall(HgOperatorCreateInput(operator, & x_bar));
  PetscCall(HgOperatorCreateOutput(operator, & y));
  for (int k = 0; s->reads[k].name; k++)
    PetscCall(HgStateSetField(x, s->reads[k].name, start, (void *)s->reads[k].name));
  PetscCall(HgOperatorApply(operator, x, y));
  PetscCall(HgOperatorTranspose(operator, x, y, x_bar));
  PetscCall(HgStateDigest(y, NULL, digests[0]));
  PetscCall(HgStateDigest(x_bar, NULL, digests[1]));
  PetscCall(DESTROY(&x, &y, &x_bar, &operator, & program, &mesh));
  return PetscPrintf(PETSC_COMM_WORLD, "%s %s %s\n", s->name, digests[0], digests[1]);
}

static PetscErrorCode run(int argc, char **argv) {
  if (argc < 3) return PETSC_ERR_USER;
  void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  const HgStencil *const *all = library ? (const HgStencil *const *)dlsym(library, "all") : NULL;
  if (!all) return PetscPrintf(PETSC_COMM_WORLD, "%s\n", dlerror()), PETSC_ERR_USER;
  int adjoints = 0;
  for (; *all; all++) {
    if (!strcmp(argv[2], "check")) PetscCall(checked(*all));
    if (!strcmp(argv[2], "pair")) {
      PetscCall(paired(all[0], all[1], &adjoints));
      all++;
    }
    if (!strcmp(argv[2], "step")) PetscCall(step(*all));
    if (!strcmp(argv[2], "digest"))
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %llx\n", (*all)->name,
                            (unsigned long long)digest(*all)));
  }
  HgRequire(PETSC_COMM_WORLD, adjoints || strcmp(argv[2], "pair"), HG_ERR_CHECK_FAILED,
            "no pair has an adjoint");
  return 0;
}

int main(int argc, char **argv) {
  for (int n = 0; n < ENTRIES; n++) entry[n] = sin(1.7 * n);
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  return HgFinalize(ierr ? ierr : run(argc, argv));
}
