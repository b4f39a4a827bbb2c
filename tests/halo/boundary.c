/* SPDX-License-Identifier: BSD-2-Clause */
/* Boundaries fill, differentiate and transpose the ghosts outside the walls, corners included, with
   the same bits on any decomposition. */
#include "claim.h"
#include "patches.h"
#include "refusal.h"
#include <halograd/boundary_library.h>
#include <halograd/exchange_library.h>
#include <halograd/state.h>
#include <math.h>

enum { GHOST = 3 };

/* A number per cell of the plane that has no pattern; `integer`: small, so that sums and products
   are exact. */
static bool integer;

static double number(int salt, int i, int j) {
  uint64_t z = (uint64_t)(salt + 1) * 0x9E3779B97F4A7C15u;
  z += (uint64_t)(i + 100) * 0x94D049BB133111EBu + (uint64_t)(j + 100) * 0xD1342543DE82EF95u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu, z ^= z >> 31;
  return integer ? (double)(z % 201) - 100 : (double)(z >> 11) * 0x1p-52 - 1;
}

static HgBoundary boundary_of(int kind) {
  static const HgSide sides[] = {{HG_FROZEN, 0}, {HG_FIXED, 3},   {HG_COPY, 0},
                                 {HG_MIRROR, 1}, {HG_MIRROR, -1}, {HG_FIXED, -2}};
  const int n = sizeof sides / sizeof *sides;
  return (HgBoundary){sides[kind % n], sides[(kind / 2 + 1) % n], sides[(kind / 3 + 2) % n],
                      sides[(kind / 5 + 3) % n]};
}

/* The cell, along one axis, that global index i outside [0, n) takes its value from. */
static int inner(HgSideKind kind, int i, int n) {
  if (kind == HG_COPY) return i < 0 ? 0 : n - 1;
  return i < 0 ? -1 - i : 2 * n - 1 - i;
}

static int wrapped(int i, int n, bool periodic) { return periodic ? (i % n + n) % n : i; }

/* What cell (i, j) of the plane must hold, by the definition: south and north look at the rows that
   west and east have completed. tangent: frozen and fixed sides hold 0. */
static double expected(const HgMeshSpec *s, const HgBoundary *b, bool tangent, int salt, int i,
                       int j) {
  i = wrapped(i, s->nx, s->periodic_x), j = wrapped(j, s->ny, s->periodic_y);
  const bool out_y = j < 0 || j >= s->ny, out_x = i < 0 || i >= s->nx;
  if (!out_x && !out_y) return number(salt, i, j);
  const HgSide *side = out_y ? (j < 0 ? &b->south : &b->north) : i < 0 ? &b->west : &b->east;
  switch (side->kind) {
  case HG_FROZEN: return tangent ? 0 : number(77, i, j);
  case HG_FIXED: return tangent ? 0 : side->value;
  default: break;
  }
  const double factor = side->kind == HG_MIRROR ? side->value : 1;
  return factor * (out_y ? expected(s, b, tangent, salt, i, inner(side->kind, j, s->ny))
                         : expected(s, b, tangent, salt, inner(side->kind, i, s->nx), j));
}

static bool outside(const HgPatch *p, int i, int j) {
  return (p->wall_west && i < 0) || (p->wall_east && i >= p->nx) || (p->wall_south && j < 0) ||
         (p->wall_north && j >= p->ny);
}

/* Owned cells number(salt), ghosts what an initial state would put there: number(77). */
static void fill(HgMesh mesh, int salt, HgReal *const *u) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  for (int j = -GHOST; j < p->ny + GHOST; j++)
    for (int i = -GHOST; i < p->nx + GHOST; i++) {
      const int gi = wrapped(p->i_global + i, s->nx, s->periodic_x),
                gj = wrapped(p->j_global + j, s->ny, s->periodic_y);
      u[j][i] = number(outside(p, i, j) ? 77 : salt, gi, gj);
    }
}

static void compare(HgMesh mesh, const HgBoundary *b, bool tangent, int depth, int salt,
                    HgReal *const *u) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++)
      claim_at_most(fabs(u[j][i] - expected(s, b, tangent, salt, p->i_global + i, p->j_global + j)),
                    0, "%s, %d x %d patches, kinds %d %d %d %d, depth %d, cell (%d, %d)",
                    tangent ? "tangent" : "value", s->px, s->py, (int)b->west.kind,
                    (int)b->east.kind, (int)b->south.kind, (int)b->north.kind, depth, i, j);
}

/* B^T on a ring of numbers that depend on the global cell only: the owned cells get the bits that
   the undivided domain gets. */
static PetscErrorCode same_bits(HgMesh mesh, HgMesh whole, const HgBoundary *b, int depth,
                                HgReal *const *u, HgReal *const *v) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  integer = false;
  fill(mesh, 5, u);
  fill(whole, 5, v);
  HgBoundaryApply(mesh, b, false, HG_COTANGENT, depth, u);
  HgBoundaryApply(whole, b, false, HG_COTANGENT, depth, v);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      claim_same(u[j][i], v[p->j_global + j][p->i_global + i],
                 "adjoint: %d x %d patches, kinds %d %d %d %d, depth %d, cell (%d, %d)",
                 HgMeshGetSpec(mesh)->px, HgMeshGetSpec(mesh)->py, (int)b->west.kind,
                 (int)b->east.kind, (int)b->south.kind, (int)b->north.kind, depth, i, j);
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++)
      claim_that(!outside(p, i, j) || u[j][i] == 0, "adjoint: ghosts outside are zeroed");
  return 0;
}

/* <B' E dx, y> = <dx, E^T B'^T y> over owned cells and all ghosts; integers, so exactly. */
static PetscErrorCode dot_product(HgMesh mesh, HgExchange e, const HgBoundary *b, int depth,
                                  HgReal *const *dx, HgReal *const *y) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  HgReal *const *const dx_fields[1] = {dx}, *const *const y_fields[1] = {y};
  double sums[2] = {0, 0};
  integer = true;
  fill(mesh, 6, dx);
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++) y[j][i] = number(100 + claim.rank, i, j);
  PetscCall(HgExchangeApply(e, dx_fields));
  HgBoundaryApply(mesh, b, false, HG_TANGENT, depth, dx);
  compare(mesh, b, true, depth, 6, dx);
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++) sums[0] += dx[j][i] * y[j][i];
  HgBoundaryApply(mesh, b, false, HG_COTANGENT, depth, y);
  PetscCall(HgExchangeTransposed(e, y_fields));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) sums[1] += dx[j][i] * y[j][i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, HgMeshComm(mesh)));
  claim_same(sums[0], sums[1], "dot product: kinds %d %d %d %d, depth %d", (int)b->west.kind,
             (int)b->east.kind, (int)b->south.kind, (int)b->north.kind, depth);
  return 0;
}

static PetscErrorCode values(HgMesh mesh, HgExchange e, const HgBoundary *b, int depth,
                             HgReal *const *u, HgReal *const *next) {
  HgReal *const *const fields[1] = {u};
  const HgPatch *p = HgMeshGetPatch(mesh);
  integer = false;
  fill(mesh, 3, u);
  PetscCall(HgExchangeApply(e, fields));
  HgBoundaryApply(mesh, b, false, HG_PRIMAL, depth, u);
  compare(mesh, b, false, depth, 3, u);
  HgBoundaryApply(mesh, b, false, HG_PRIMAL, depth, u); /* filling twice changes nothing */
  compare(mesh, b, false, depth, 3, u);
  /* A next state that only ever got the frozen ghosts serves as well as this one. */
  for (int j = -depth; j < p->ny + depth; j++)
    for (int i = -depth; i < p->nx + depth; i++) next[j][i] = outside(p, i, j) ? 1e9 : u[j][i];
  HgBoundaryKeepFrozen(mesh, b, false, depth, (const HgReal *const *)u, next);
  HgBoundaryApply(mesh, b, false, HG_PRIMAL, depth, next);
  compare(mesh, b, false, depth, 3, next);
  return 0;
}

static PetscErrorCode layout(int px, bool periodic_x, bool periodic_y, int first) {
  const HgVariable variables[2] = {{"u", "K", HG_FIELD, 0}, {"v", "K", HG_FIELD, 0}};
  HgMesh mesh, whole;
  HgState q, all;
  PetscCall(patches_mesh(MPI_COMM_WORLD, px, GHOST, GHOST, periodic_x, periodic_y, &mesh));
  HgMeshSpec spec = *HgMeshGetSpec(mesh);
  spec.px = spec.py = 1;
  PetscCall(HgMeshCreate(MPI_COMM_SELF, &spec, &whole));
  PetscCall(HgStateCreate(mesh, 2, variables, &q));
  PetscCall(HgStateCreate(whole, 1, variables, &all));
  for (int depth = 1; depth <= GHOST; depth++) {
    HgExchange e;
    PetscCall(HgExchangeCreate(mesh, 1, NULL, &depth, &e));
    for (int kind = first; kind < 30; kind += 3) {
      const HgBoundary b = boundary_of(kind);
      PetscCall(HgBoundaryCheck(mesh, &b, false, depth, "u"));
      PetscCall(values(mesh, e, &b, depth, HgStateRows(q, 0), HgStateRows(q, 1)));
      PetscCall(dot_product(mesh, e, &b, depth, HgStateRows(q, 0), HgStateRows(q, 1)));
      PetscCall(same_bits(mesh, whole, &b, depth, HgStateRows(q, 0), HgStateRows(all, 0)));
    }
    PetscCall(HgExchangeDestroy(&e));
  }
  return DESTROY(&q, &all, &whole, &mesh);
}

static PetscErrorCode refused(HgMesh mesh, HgBoundary b, int depth, const char what[]) {
  refusal_begin();
  const PetscErrorCode ierr = HgBoundaryCheck(mesh, &b, false, depth, "u");
  return refusal_end(MPI_COMM_WORLD, ierr, "boundary of 'u'", what, NULL);
}

static PetscErrorCode contracts(int ranks) {
  HgMesh mesh;
  PetscCall(patches_mesh(MPI_COMM_WORLD, 1, 1, GHOST, true, false, &mesh));
  HgBoundary b = HgBoundaryAll(HG_FIXED, 1);
  claim_that(!HgBoundaryReflects(mesh, &b), "fixed sides do not reflect");
  b.west.kind = HG_COPY;
  claim_that(!HgBoundaryReflects(mesh, &b), "a periodic axis has no walls that reflect");
  b.north = (HgSide){HG_MIRROR, -1};
  claim_that(HgBoundaryReflects(mesh, &b), "a mirror in the north reflects");
  const HgBoundary same = b;
  HgBoundary other = b;
  other.north.value = 1;
  claim_that(HgBoundarySame(&b, &same), "a copy of a boundary is the same");
  claim_that(!HgBoundarySame(&b, &other), "mirrors of other factors are not the same");
  other = b, other.east.kind = HG_FROZEN;
  claim_that(!HgBoundarySame(&b, &other), "another kind of side is not the same");
  PetscCall(refused(mesh, HgBoundaryAll(HG_FIXED, NAN), 1, "nan"));
  PetscCall(refused(mesh, HgBoundaryAll(HG_MIRROR, 0.5), 1, "0.5"));
  PetscCall(refused(mesh, HgBoundaryAll((HgSideKind)9, 1), 1, "9"));
  if (ranks == 1) /* the patch at the wall has one row */
    PetscCall(refused(mesh, HgBoundaryAll(HG_MIRROR, 1), 2, "the mirror is 2 cells deep"));
  b = HgBoundaryAll(HG_FIXED, 1);
  b.west.value = NAN; /* ignored on a periodic axis */
  PetscCall(HgBoundaryCheck(mesh, &b, false, 1, "u"));
  return HgMeshDestroy(&mesh);
}

static PetscErrorCode test(void) {
  int ranks, first = 0;
  PetscCallMPI(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
  for (int px = 1; px <= ranks; px++)
    for (int periodic = 0; periodic < 4 && ranks % px == 0; periodic++)
      PetscCall(layout(px, periodic & 1, periodic & 2, first++ % 3));
  return contracts(ranks);
}

CLAIM("boundaries fill, differentiate and transpose the ghosts outside the walls", 0, test)
