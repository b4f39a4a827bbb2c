/* SPDX-License-Identifier: BSD-2-Clause */
/* An exchange and its transpose do what PETSc's DMGlobalToLocal and DMLocalToGlobal(ADD) do on a
   box stencil. */
#include "claim.h"
#include "patches.h"
#include <halograd/exchange_library.h>
#include <halograd/mesh_library.h>
#include <halograd/state.h>
#include <petscdmda.h>

enum { GHOST = 3 };

/* Small integers, so that sums are exact in any order; different in every cell of every patch,
   ghosts included. */
static double number(int salt, int rank, int i, int j) {
  uint64_t z = (uint64_t)(salt + 1) * 0x9E3779B97F4A7C15u + (uint64_t)rank * 0xBF58476D1CE4E5B9u;
  z += (uint64_t)(i + 100) * 0x94D049BB133111EBu + (uint64_t)(j + 100) * 0xD1342543DE82EF95u;
  z ^= z >> 29, z *= 0xBF58476D1CE4E5B9u, z ^= z >> 32;
  return (double)(z % 2001) - 1000;
}

static PetscErrorCode create_oracle(HgMesh mesh, int depth, DM *dm) {
  const HgMeshSpec *s = HgMeshGetSpec(mesh);
  PetscInt lx[64], ly[64];
  for (int k = 0; k < s->px; k++) lx[k] = HgMeshPatchOf(mesh, k).nx;
  for (int k = 0; k < s->py; k++) ly[k] = HgMeshPatchOf(mesh, k * s->px).ny;
  PetscCall(DMDACreate2d(MPI_COMM_WORLD, s->periodic_x ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE,
                         s->periodic_y ? DM_BOUNDARY_PERIODIC : DM_BOUNDARY_NONE, DMDA_STENCIL_BOX,
                         s->nx, s->ny, s->px, s->py, 1, depth, lx, ly, dm));
  return DMSetUp(*dm);
}

/* Compares forward and transposed on one mesh and depth, with the seed `salt`. */
static PetscErrorCode compare(HgMesh mesh, int depth, int salt) {
  const HgPatch *p = HgMeshGetPatch(mesh);
  const HgVariable variable = {"u", "K", HG_FIELD, 0};
  DM dm;
  Vec global, local;
  HgState q;
  HgExchange e;
  PetscScalar **g, **l;
  PetscInt xs, ys, nx, ny;
  PetscCall(create_oracle(mesh, depth, &dm));
  PetscCall(DMCreateGlobalVector(dm, &global));
  PetscCall(DMCreateLocalVector(dm, &local));
  PetscCall(HgStateCreate(mesh, 1, &variable, &q));
  PetscCall(HgExchangeCreate(mesh, 1, NULL, &depth, &e));
  HgReal *const *u = HgStateRows(q, 0);
  HgReal *const *const fields[1] = {u};
  PetscCall(DMDAVecGetArray(dm, global, &g));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      u[j][i] = g[p->j_global + j][p->i_global + i] = number(salt, claim.rank, i, j);
  PetscCall(DMDAVecRestoreArray(dm, global, &g));
  PetscCall(HgExchangeApply(e, fields));
  PetscCall(DMGlobalToLocal(dm, global, INSERT_VALUES, local));
  PetscCall(DMDAGetGhostCorners(dm, &xs, &ys, NULL, &nx, &ny, NULL));
  PetscCall(DMDAVecGetArray(dm, local, &l));
  for (int j = ys; j < ys + ny; j++)
    for (int i = xs; i < xs + nx; i++) {
      claim_same(u[j - p->j_global][i - p->i_global], l[j][i],
                 "DMGlobalToLocal: depth %d, cell (%d, %d)", depth, i - p->i_global,
                 j - p->j_global);
      u[j - p->j_global][i - p->i_global] = l[j][i] =
          number(salt + 1, claim.rank, i - p->i_global, j - p->j_global);
    }
  PetscCall(DMDAVecRestoreArray(dm, local, &l));
  PetscCall(HgExchangeTransposed(e, fields));
  PetscCall(VecZeroEntries(global));
  PetscCall(DMLocalToGlobal(dm, local, ADD_VALUES, global));
  PetscCall(DMDAVecGetArray(dm, global, &g));
  for (int j = ys; j < ys + ny; j++)
    for (int i = xs; i < xs + nx; i++) {
      const int il = i - p->i_global, jl = j - p->j_global;
      const bool owned = il >= 0 && il < p->nx && jl >= 0 && jl < p->ny;
      claim_at_most(fabs(u[jl][il] - (owned ? g[j][i] : 0)), 0,
                    "DMLocalToGlobal(ADD): depth %d, cell (%d, %d)", depth, il, jl);
    }
  PetscCall(DMDAVecRestoreArray(dm, global, &g));
  PetscCall(VecDestroy(&global));
  PetscCall(VecDestroy(&local));
  PetscCall(DMDestroy(&dm));
  return DESTROY(&e, &q);
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  for (int px = 1; px <= ranks; px++)
    for (int periodic = 0; periodic < 4 && ranks % px == 0; periodic++)
      for (int depth = 1; depth <= GHOST; depth++) {
        HgMesh mesh;
        PetscCall(
            patches_mesh(MPI_COMM_WORLD, px, depth, GHOST, periodic & 1, periodic & 2, &mesh));
        PetscCall(compare(mesh, depth, px * 100 + periodic * 10 + depth));
        PetscCall(HgMeshDestroy(&mesh));
      }
  return 0;
}

CLAIM("an exchange and its transpose do what PETSc's scatters do", 0, test)
