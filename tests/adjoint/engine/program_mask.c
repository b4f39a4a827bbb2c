/* SPDX-License-Identifier: BSD-2-Clause */
/* A program with a mask of wet cells is M F: states, gradient and tangent of kernels that mask by
   themselves have the same bits, whatever is wet; land breaks no limit; a mask may be set anew, and
   is refused if it changes what comes out; the plan tells what is skipped. */
#include "refusal.h"
#include "trajectory_claims.h"
#include <halograd/program_library.h>
#include <halograd/trajectory_library.h>

enum { NX = 70, NY = 36, STEPS = 7 };

/* Which cells are wet, and M = 1 where one is within 1; [j][i] of the whole domain. */
typedef struct {
  bool wet[NY][NX], m[NY][NX];
} Map;

/* ---- u' = M (u + 0.3 u u_E - 0.2 (u_N - u_S)), M as the map says, which only one of two programs
   has ---- */
typedef struct {
  const Map *map; /* NULL: M = 1 */
} Params;

static double masked(const HgBox *b, const Params *p, int i, int j, double x) {
  const int column = b->i_global + i, line = b->j_global + j;
  const bool inside = column >= 0 && column < NX && line >= 0 && line < NY;
  return p->map && inside && !p->map->m[line][column] ? 0 : x;
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  const HgRows u = x[0];
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      y[0][j][i] =
          masked(b, params, i, j,
                 u[j][i] + (0.3 * u[j][i] * u[j][i + 1] - 0.2 * (u[j + 1][i] - u[j - 1][i])));
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  const HgRows u = x[0], du = dx[0];
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++)
      dy[0][j][i] = masked(b, params, i, j,
                           du[j][i] + (0.3 * (du[j][i] * u[j][i + 1] + u[j][i] * du[j][i + 1]) -
                                       0.2 * (du[j + 1][i] - du[j - 1][i])));
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  const HgRows u = x[0], w = y_bar[0];
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      const double here = masked(b, params, i, j, w[j][i]),
                   west = masked(b, params, i - 1, j, w[j][i - 1]),
                   south = masked(b, params, i, j - 1, w[j - 1][i]),
                   north = masked(b, params, i, j + 1, w[j + 1][i]);
      x_bar[0][j][i] +=
          here + (0.3 * (here * u[j][i + 1] + west * u[j][i - 1]) - 0.2 * (south - north));
    }
}

static const HgStencil move = {.name = "move",
                               .reads = (const HgRead[]){{"u", 1, 1}, {NULL, 0, 0}},
                               .writes = (const char *const[]){"u", NULL},
                               .params_size = sizeof(Params),
                               .apply = apply,
                               .tangent = tangent,
                               .adjoint = adjoint};

/* ---- what is wet ---- */
enum { NOTHING, ALL, ONE, COAST, ISLANDS, WETS };

static void draw(int kind, Map *map) {
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++)
      map->wet[j][i] = kind == ALL || (kind == ONE && i == 40 && j == 20) ||
                       (kind == COAST && i > 30 + (j * j) % 17) ||
                       (kind == ISLANDS && HgRandom(7, (uint64_t)(j / 3 * NX + i / 9)) < -0.5);
  for (int j = 0; j < NY; j++)
    for (int i = 0; i < NX; i++) {
      map->m[j][i] = false;
      for (int l = PetscMax(0, j - 1); l < PetscMin(NY, j + 2); l++)
        for (int k = PetscMax(0, i - 1); k < PetscMin(NX, i + 2); k++)
          map->m[j][i] = map->m[j][i] || map->wet[l][k];
    }
}

/* Field `k` of x by the map: 1 where wet; or it is 0 where M is. */
static void by_map(HgState x, const Map *map, bool wet) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(x));
  HgReal *const *rows = HgStateRows(x, 0);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int line = p->j_global + j, column = p->i_global + i;
      if (wet) rows[j][i] = map->wet[line][column];
      else if (!map->m[line][column]) rows[j][i] = 0;
    }
}

/* ---- masked by the engine, and by hand ---- */
typedef struct {
  HgProgram program;
  HgObjective objective;
  HgStore store;
  HgTrajectory trajectory;
  HgOperator op;
  HgState x, data;
} Toy;

static PetscErrorCode create(HgMesh mesh, const Params *params, Toy *t) {
  PetscCall(HgProgramCreate(mesh, params->map ? "by hand" : "masked", 0.1, &t->program));
  PetscCall(HgProgramAddStencil(t->program, &move, params));
  PetscCall(HgProgramSetBoundary(
      t->program, "u", (HgBoundary){{HG_COPY, 0}, {HG_MIRROR, -1}, {HG_FIXED, 0.3}, {HG_COPY, 0}}));
  PetscCall(HgProgramSetUp(t->program));
  PetscCall(HgProgramCreateInput(t->program, &t->x));
  PetscCall(HgProgramCreateCarried(t->program, &t->data));
  PetscCall(HgObjectiveCreate(t->program, STEPS, &t->objective));
  PetscCall(HgObjectiveAddSnapshot(t->objective, "u", 3, t->data, 0.3));
  PetscCall(HgObjectiveAddSnapshot(t->objective, "u", STEPS, t->data, 0.2));
  PetscCall(make_trajectory(t->program, t->objective, t->data, STEPS, STEPS, false, &t->store,
                            &t->trajectory, &t->op));
  return HgStateRandom(t->x, 5);
}

static PetscErrorCode destroy(Toy *t) {
  return DESTROY(&t->op, &t->trajectory, &t->store, &t->objective, &t->data, &t->x, &t->program);
}

/* J, tangent, digests of gradient and final state; by hand what is given, and the gradient, are
   masked here. */
static PetscErrorCode describe(Toy *t, const Map *map, char text[256]) {
  HgState x_bar, dx;
  double J, dJ;
  char gradient[17], state[17];
  PetscCall(HgStateDuplicate(t->x, &x_bar));
  PetscCall(HgStateDuplicate(t->x, &dx));
  PetscCall(HgStateRandom(dx, 9));
  if (map) by_map(t->x, map, false), by_map(dx, map, false);
  PetscCall(HgTrajectoryGradient(t->trajectory, t->x, 1, &J, x_bar));
  if (map) by_map(x_bar, map, false);
  PetscCall(HgStateDigest(x_bar, NULL, gradient));
  PetscCall(HgStateDigest(HgTrajectoryFinal(t->trajectory), NULL, state));
  PetscCall(HgTrajectoryTangent(t->trajectory, t->x, dx, &J, &dJ));
  snprintf(text, 256, "J %a tangent %a gradient %s state %s", J, dJ, gradient, state);
  return HgStatesDestroy(&dx, &x_bar);
}

/* Masked first as another map says, then as this one does. */
static PetscErrorCode as_by_hand(const HgMeshSpec *spec, int kind) {
  static Map map, other;
  HgMesh mesh;
  HgState wet;
  Toy engine, hand;
  char text[2][256];
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, spec, &mesh));
  draw(kind, &map), draw((kind + 3) % WETS, &other);
  PetscCall(create(mesh, &(Params){NULL}, &engine));
  PetscCall(create(mesh, &(Params){&map}, &hand));
  PetscCall(HgStateDuplicate(engine.data, &wet));
  by_map(wet, &other, true);
  PetscCall(HgProgramSetMask(engine.program, wet, "u"));
  PetscCall(describe(&engine, NULL, text[0]));
  by_map(wet, &map, true);
  PetscCall(HgProgramSetMask(engine.program, wet, "u"));
  PetscCall(describe(&engine, NULL, text[0]));
  PetscCall(describe(&hand, &map, text[1]));
  claim_that(!strcmp(text[0], text[1]), "wet cells of kind %d: '%s', by hand '%s'", kind, text[0],
             text[1]);
  PetscCall(claim_checks("masked", engine.op, engine.x, 1e-12, 3));
  PetscCall(HgStateDestroy(&wet));
  PetscCall(destroy(&hand));
  PetscCall(destroy(&engine));
  return HgMeshDestroy(&mesh);
}

/* ---- limits, words ---- */
static PetscErrorCode at_the_coast(const HgMeshSpec *spec) {
  static Map map;
  HgMesh mesh;
  HgProgram p;
  HgState q, next, wet;
  char *text = NULL;
  size_t size = 0;
  PetscViewer viewer;
  draw(COAST, &map);
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "limited", 0.1, &p));
  PetscCall(HgProgramAddStencil(p, &move, &(Params){NULL}));
  PetscCall(HgProgramSetBoundary(p, "u", HgBoundaryAll(HG_FIXED, 0)));
  PetscCall(HgProgramRequireAbove(p, "u", 0));
  PetscCall(HgStateCreate(mesh, 1, (const HgVariable[]){{"u", "1", HG_FIELD, 0}}, &wet));
  REFUSED(HgProgramSetMask(p, wet, "u"), "program 'limited'", "before HgProgramSetUp");
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramCreateCarried(p, &next));
  REFUSED(HgProgramSetMask(p, wet, "wet"), "'wet'", "u");
  by_map(wet, &map, true);
  PetscCall(HgProgramSetMask(p, wet, "u"));
  PetscCall(HgStateRandom(q, 3));
  for (int j = 0; j < HgMeshGetPatch(mesh)->ny; j++)
    for (int i = 0; i < HgMeshGetPatch(mesh)->nx; i++) HgStateRows(q, 0)[j][i] = 1;
  by_map(q, &map, false);
  HgProgramStartLimits(p, 0, q);
  PetscCall(HgProgramStep(p, 0, NULL, q, next));
  PetscCall(HgProgramCheckLimits(p, 0, NULL));
  REFUSED(HgCheckMask(p, 0, q), "program 'limited': with its mask of wet cells",
          "'u' is 0 in cell");
  PetscCall(HgProgramSetMask(p, NULL, NULL));
  PetscCall(HgCheckMask(p, 0, q));
  PetscCall(HgProgramSetMask(p, wet, "u"));
  FILE *memory = open_memstream(&text, &size);
  PetscCall(PetscViewerASCIIOpenWithFILE(PETSC_COMM_WORLD, memory, &viewer));
  PetscCall(HgProgramView(p, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  fclose(memory);
  claim_that(claim.rank || strstr(text, "a mask of wet cells skips"), "the plan is '%s'", text);
  free(text);
  return DESTROY(&wet, &next, &q, &p, &mesh);
}

/* ---- with levels: wet are columns ---- */

/* u' = u + 1 on level 2, where u is 0, too. */
static void lift(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  for (int j = b->j0; j < b->j1; j++)
    for (int k = b->k0; k < b->k1; k++)
      for (int i = b->i0; i < b->i1; i++)
        y[0][j][k * b->pitch + i] = x[0][j][k * b->pitch + i] + (k == 2);
}

static void lift_tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                         const HgRowsOut dy[]) {
  (void)params, (void)x;
  for (int j = b->j0; j < b->j1; j++)
    for (int k = b->k0; k < b->k1; k++)
      for (int i = b->i0; i < b->i1; i++) dy[0][j][k * b->pitch + i] = dx[0][j][k * b->pitch + i];
}

static void lift_adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                         const HgRowsOut x_bar[]) {
  (void)params, (void)x;
  for (int j = b->j0; x_bar[0] && j < b->j1; j++)
    for (int k = b->k0; k < b->k1; k++)
      for (int i = b->i0; i < b->i1; i++)
        x_bar[0][j][k * b->pitch + i] += y_bar[0][j][k * b->pitch + i];
}

static const HgStencil lifted = {.name = "lift",
                                 .reads = (const HgRead[]){{"u", 0, -1}, {NULL, 0, 0}},
                                 .writes = (const char *const[]){"u", NULL},
                                 .levels = true,
                                 .apply = lift,
                                 .tangent = lift_tangent,
                                 .adjoint = lift_adjoint};

static PetscErrorCode with_levels(HgMeshSpec spec) {
  HgMesh mesh;
  HgProgram p;
  HgState q;
  spec.nz = 4, spec.dz = 1;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgProgramCreate(mesh, "lifted", 0.1, &p));
  PetscCall(HgProgramAddStencil(p, &lifted, NULL));
  PetscCall(HgProgramSetUp(p));
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramSetMask(p, q, "u")); /* all land */
  REFUSED(HgCheckMask(p, 0, q), "'u' is 0 in cell (0, 0), without 1");
  return DESTROY(&q, &p, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  int size = 1;
  claim_begin("a program with a mask of wet cells is M F", 0);
  if (!ierr) MPI_Comm_size(PETSC_COMM_WORLD, &size);
  const HgMeshSpec spec = {.nx = NX,
                           .ny = NY,
                           .px = size % 2 ? 1 : 2,
                           .py = size % 2 ? size : size / 2,
                           .dx = 1,
                           .dy = 1};
  for (int kind = 0; kind < WETS && !ierr; kind++) ierr = as_by_hand(&spec, kind);
  if (!ierr) ierr = at_the_coast(&spec);
  if (!ierr) ierr = with_levels(spec);
  return claim_end(ierr);
}
