/* SPDX-License-Identifier: BSD-2-Clause */
/* The patches of a mesh cut the grid exactly once, every rank knows its neighbours, and impossible
   cuts are refused. */
#include "claim.h"
#include "patches.h"
#include "refusal.h"
#include <halograd/mesh_library.h>
#include <math.h>

/* Every cell has exactly one owner, and the patch of a rank is what that rank says it is. */
static PetscErrorCode covers(HgMesh mesh) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *own = HgMeshGetPatch(mesh), here = HgMeshPatchOf(mesh, claim.rank);
  int *owners, thin_x = s->nx, thin_y = s->ny, found_x, found_y;
  PetscCall(PetscCalloc1(s->nx * s->ny, &owners));
  claim_that(!memcmp(own, &here, offsetof(HgPatch, wall_west)), "PatchOf is GetPatch");
  claim_that(own->ix == claim.rank % s->px && own->iy == claim.rank / s->px, "rank %d is (%d, %d)",
             claim.rank, own->ix, own->iy);
  for (int r = 0; r < s->px * s->py; r++) {
    const HgPatch p = HgMeshPatchOf(mesh, r);
    claim_that(p.nx >= 1 && p.ny >= 1, "patch %d has cells", r);
    for (int j = p.j_global; j < p.j_global + p.ny; j++)
      for (int i = p.i_global; i < p.i_global + p.nx; i++) owners[j * s->nx + i]++;
    thin_x = PetscMin(thin_x, p.nx), thin_y = PetscMin(thin_y, p.ny);
    claim_that(p.wall_west == (!s->periodic_x && p.i_global == 0), "west wall of %d", r);
    claim_that(p.wall_east == (!s->periodic_x && p.i_global + p.nx == s->nx), "east wall of %d", r);
    claim_that(p.wall_south == (!s->periodic_y && p.j_global == 0), "south wall of %d", r);
    claim_that(p.wall_north == (!s->periodic_y && p.j_global + p.ny == s->ny), "north wall of %d",
               r);
  }
  for (int k = 0; k < s->nx * s->ny; k++)
    claim_that(owners[k] == 1, "cell (%d, %d) has %d owners", k % s->nx, k / s->nx, owners[k]);
  HgMeshThinnest(mesh, &found_x, &found_y);
  claim_that(found_x == thin_x && found_y == thin_y, "thinnest: %d x %d, expected %d x %d", found_x,
             found_y, thin_x, thin_y);
  return PetscFree(owners);
}

/* The neighbour owns the cell across the edge or corner. */
static void knows_neighbours(HgMesh mesh) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  const HgPatch *p = HgMeshGetPatch(mesh);
  for (int sy = -1; sy <= 1; sy++)
    for (int sx = -1; sx <= 1; sx++) {
      int i = sx < 0 ? p->i_global - 1 : sx > 0 ? p->i_global + p->nx : p->i_global;
      int j = sy < 0 ? p->j_global - 1 : sy > 0 ? p->j_global + p->ny : p->j_global;
      if (s->periodic_x) i = (i + s->nx) % s->nx;
      if (s->periodic_y) j = (j + s->ny) % s->ny;
      int owner = -1;
      for (int r = 0; r < s->px * s->py; r++) {
        const HgPatch q = HgMeshPatchOf(mesh, r);
        if (i >= q.i_global && i < q.i_global + q.nx && j >= q.j_global && j < q.j_global + q.ny)
          owner = r;
      }
      claim_that(HgMeshNeighbour(mesh, sx, sy) == owner, "neighbour (%d, %d) is %d, expected %d",
                 sx, sy, HgMeshNeighbour(mesh, sx, sy), owner);
    }
}

static PetscErrorCode check(HgMesh *mesh) {
  PetscCall(covers(*mesh));
  knows_neighbours(*mesh);
  PetscCall(HgMeshReference(*mesh));
  HgMesh again = *mesh;
  PetscCall(HgMeshDestroy(&again));
  claim_that(!again && HgMeshGetSpec(*mesh)->ghost >= 1, "a referenced mesh lives on");
  return HgMeshDestroy(mesh);
}

static PetscErrorCode good(int ranks) {
  HgMesh mesh;
  int widest = 0, thin_x, thin_y;
  for (int px = 1; px <= ranks; px++)
    for (int periodic = 0; periodic < 4 && ranks % px == 0; periodic++) {
      PetscCall(patches_mesh(MPI_COMM_WORLD, px, 1, 2, periodic & 1, periodic & 2, &mesh));
      PetscCall(check(&mesh));
      const HgMeshSpec even = {.nx = 2 * px + px / 2,
                               .ny = 3 * (ranks / px) + 1,
                               .px = px,
                               .py = periodic & 1 ? 0 : ranks / px,
                               .dx = 1,
                               .dy = 1,
                               .periodic_x = periodic & 1,
                               .periodic_y = periodic & 2,
                               .ghost = 1};
      PetscCall(HgMeshCreate(MPI_COMM_WORLD, &even, &mesh));
      claim_that(HgMeshGetSpec(mesh)->py == ranks / px, "py is filled in");
      const HgPatch first = HgMeshPatchOf(mesh, 0);
      widest = PetscMax(first.nx, first.ny);
      HgMeshThinnest(mesh, &thin_x, &thin_y);
      claim_that(first.nx - thin_x <= 1 && first.ny - thin_y <= 1, "an even split differs by 1");
      PetscCall(check(&mesh));
    }
  claim_that(widest > 0, "something was tried");
  /* Chosen: the contiguous axis is cut last. */
  const HgMeshSpec chosen = {.nx = 20, .ny = 20 * ranks, .dx = 1, .dy = 1, .ghost = 1};
  PetscCall(HgMeshCreate(MPI_COMM_WORLD, &chosen, &mesh));
  claim_that(HgMeshGetSpec(mesh)->px == 1 && HgMeshGetSpec(mesh)->py == ranks,
             "chosen %d x %d patches, expected 1 x %d", HgMeshGetSpec(mesh)->px,
             HgMeshGetSpec(mesh)->py, ranks);
  PetscCall(check(&mesh));
  const HgMeshSpec flat = {.nx = 20 * ranks, .ny = 1, .dx = 1, .dy = 1, .ghost = 1};
  PetscCall(HgMeshCreate(MPI_COMM_WORLD, &flat, &mesh));
  return check(&mesh);
}

static PetscErrorCode refused(HgMeshSpec spec, const char part[], const char other[]) {
  HgMesh mesh = NULL;
  refusal_begin();
  const PetscErrorCode ierr = HgMeshCreate(MPI_COMM_WORLD, &spec, &mesh);
  PetscCall(refusal_end(MPI_COMM_WORLD, ierr, "mesh: ", part, other, NULL));
  claim_that(!mesh, "nothing is made");
  return 0;
}

static PetscErrorCode bad(int ranks) {
  const HgMeshSpec s = {.nx = 64, .ny = 64, .px = 1, .py = ranks, .dx = 1, .dy = 1, .ghost = 1};
  HgMeshSpec t;
  int widths[64];
  char text[64];
#define WITH(member, value) (t = s, t.member = (value), t)
  PetscCall(refused(WITH(nx, 0), "0 x 64", "at least 1"));
  PetscCall(refused(WITH(ny, -3), "64 x -3", "at least 1"));
  PetscCall(refused(WITH(ghost, -1), "ghost width is -1", "1 to"));
  PetscCall(refused(WITH(ghost, 1 << 30), "ghost width", "1073741824"));
  PetscCall(refused(WITH(dx, 0), "0 x 1", "positive"));
  PetscCall(refused(WITH(dy, -1), "1 x -1", "positive"));
  PetscCall(refused(WITH(dx, NAN), "nan", "finite"));
  PetscCall(refused(WITH(dy, INFINITY), "inf", "finite"));
  PetscCall(refused(WITH(x0, NAN), "nan", "finite"));
  PetscCall(refused(WITH(px, -1), "-1", "positive"));
  snprintf(text, sizeof text, "%d ranks", ranks);
  PetscCall(refused(WITH(py, ranks + 1), "patches", text));
  t = s, t.px = ranks + 1, t.py = 0;
  PetscCall(refused(t, "patches", text));
  t = s, t.px = 65536, t.py = 65536; /* their product is 0 in 32 bits */
  PetscCall(refused(t, "65536 x 65536", text));
  if (ranks > 1) {
    PetscCall(refused(WITH(ny, ranks - 1), "at least as many cells", "64 x"));
    t = s, t.nx = t.ny = 1, t.px = t.py = 0;
    PetscCall(refused(t, "at least as many cells", "1 x 1"));
  }
  for (int k = 0; k < ranks; k++) widths[k] = 64 / ranks;
  widths[ranks - 1] += 64 - ranks * (64 / ranks) - 1;
  PetscCall(refused(WITH(widths_y, widths), "along y", "sum to 63, expected ny = 64"));
  widths[0] = 0;
  PetscCall(refused(WITH(widths_y, widths), "patch 0 along y has 0", "at least 1"));
  PetscCall(refused((HgMeshSpec){.nx = 64, .ny = 64, .dx = 1, .dy = 1, .widths_x = widths},
                    "widths of patches are given", "as many patches as widths"));
  widths[0] = 2147483647;
  PetscCall(refused(WITH(widths_y, widths), "along y", "64"));
  return 0;
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  PetscCall(good(ranks));
  return bad(ranks);
}

CLAIM("patches cut the grid exactly once and know their neighbours", 0, test)
