/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact_box.h"

enum { BOX, A, B_X, B_Y, FACTORS };

/* all[k][j nx + i]: the factors of all cells, each from its owner, the sum of one number and zeros.
   */
static PetscErrorCode gather(const TohokuSea *sea, const TohokuSource *source, size_t size,
                             double *all) {
  static const char *const names[FACTORS] = {"box", "a", "b_x", "b_y"};
  const HgPatch *p = HgMeshGetPatch(sea->mesh);
  const int nx = HgMeshGetSpec(sea->mesh)->nx;
  for (int k = 0; k < FACTORS; k++) {
    const int index = HgStateFind(source->factors, names[k]);
    for (int j = 0; j < p->ny; j++)
      for (int i = 0; i < p->nx; i++)
        all[(size_t)k * size + (size_t)((p->j_global + j) * nx + p->i_global + i)] =
            HgStateRows(source->factors, index)[j][i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, (int)(FACTORS * size), MPI_DOUBLE, MPI_SUM,
                             HgMeshComm(sea->mesh)));
  return 0;
}

/* Cell c, where it is, what it weighs. */
static void fill_cell(const TohokuSea *sea, const double *all, int c, ExactBox *box) {
  const HgMeshSpec *m = HgMeshGetSpec(sea->mesh);
  const size_t size = (size_t)(box->nx * box->ny);
  const int at = box->at[c], i = at % box->nx, j = at / box->nx;
  const HgLatitude row = HgMeshGetMetric(sea->mesh)->latitudes[j],
                   south = HgMeshGetMetric(sea->mesh)->latitudes[j - 1];
  const double dx = HgMeshGetMetric(sea->mesh)->width, dy = HgMeshGetMetric(sea->mesh)->height;
  const double *const b_x = all + B_X * size, *const b_y = all + B_Y * size;
  box->area[c] = dx * dy * row.cosine;
  box->east[c] = m->x0 + i * m->dx, box->north[c] = m->y0 + j * m->dy;
  box->a[c] = all[A * size + (size_t)at];
  box->w[c][0] = b_x[at] * (dy / (dx * row.cosine));
  box->w[c][1] = i ? b_x[at - 1] * (dy / (dx * row.cosine)) : 0;
  box->w[c][2] = b_y[at] * (dx / dy * row.north_cosine);
  box->w[c][3] = j ? b_y[at - box->nx] * (dx / dy * south.north_cosine) : 0;
}

PetscErrorCode ExactBoxCreate(const TohokuSea *sea, const TohokuSource *source, ExactBox *box) {
  const HgMeshSpec *m = HgMeshGetSpec(sea->mesh);
  const size_t size = (size_t)m->nx * (size_t)m->ny;
  double *all;
  *box = (ExactBox){.nx = m->nx, .ny = m->ny};
  PetscCall(PetscCalloc1(FACTORS * size, &all));
  PetscCall(gather(sea, source, size, all));
  PetscCall(PetscMalloc1(size, &box->number));
  for (size_t k = 0; k < size; k++) box->number[k] = all[k] > 0 ? box->cells++ : -1;
  PetscCall(PetscMalloc6(box->cells, &box->at, box->cells, &box->area, box->cells, &box->east,
                         box->cells, &box->north, box->cells, &box->a, box->cells, &box->w));
  for (int k = 0; k < (int)size; k++)
    if (box->number[k] >= 0) box->at[box->number[k]] = k;
  for (int c = 0; c < box->cells; c++) fill_cell(sea, all, c, box);
  return PetscFree(all);
}

PetscErrorCode ExactBoxDestroy(ExactBox *box) {
  PetscCall(PetscFree(box->number));
  return PetscFree6(box->at, box->area, box->east, box->north, box->a, box->w);
}

int ExactBoxBeside(const ExactBox *box, int cell, int side) {
  const int i = box->at[cell] % box->nx + (side == 0) - (side == 1),
            j = box->at[cell] / box->nx + (side == 2) - (side == 3);
  return i < 0 || i == box->nx || j < 0 || j == box->ny ? -1 : box->number[j * box->nx + i];
}

void ExactBoxSpread(const ExactBox *box, const double value[], HgState state) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(state));
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++) {
      const int c = box->number[(p->j_global + j) * box->nx + p->i_global + i];
      HgStateRows(state, 0)[j][i] = c < 0 ? 0 : value[c];
    }
  HgStateSetGhostDepth(state, 0, 0);
}

void ExactBoxEnergy(const ExactBox *box, double h1, double tikhonov, const double m[],
                    double parts[2]) {
  double faces = 0, cells = 0;
  for (int c = 0; c < box->cells; c++) {
    cells += box->a[c] * box->area[c] * (m[c] * m[c]);
    for (int side = 0; side < EXACT_SIDES; side++) {
      const int d = ExactBoxBeside(box, c, side);
      const double step = m[c] - (d < 0 ? 0 : m[d]);
      faces += (d < 0 ? 1 : 0.5) * box->w[c][side] * (step * step); /* within, it comes twice */
    }
  }
  parts[0] = 0.5 * h1 * faces, parts[1] = 0.5 * tikhonov * cells;
}

/* ---- the prior ---- */

/* held[c]: cell c is bound to 0 by its own weight or by water outside the box. */
static int hold_cells(const ExactBox *box, double h1, double tikhonov, bool held[], int stack[]) {
  int count = 0;
  for (int c = 0; c < box->cells; c++) {
    held[c] = tikhonov * box->a[c] > 0;
    for (int side = 0; side < EXACT_SIDES; side++)
      held[c] = held[c] || (h1 * box->w[c][side] > 0 && ExactBoxBeside(box, c, side) < 0);
    if (held[c]) stack[count++] = c;
  }
  return count;
}

PetscErrorCode ExactBoxRequireProper(MPI_Comm comm, const ExactBox *box, double h1,
                                     double tikhonov) {
  bool *held;
  int *stack, reached = 0, first = 0;
  HgRequire(comm, h1 > 0 || tikhonov > 0, HG_ERR_CONTROL,
            "exact posterior: -h1 and -tikhonov are 0, expected a prior, -tikhonov above 0");
  PetscCall(PetscMalloc2(box->cells, &held, box->cells, &stack));
  for (int left = hold_cells(box, h1, tikhonov, held, stack); left;) {
    const int c = stack[--left];
    reached++;
    for (int side = 0; side < EXACT_SIDES; side++) {
      const int d = ExactBoxBeside(box, c, side);
      if (d < 0 || held[d] || !(h1 * box->w[c][side] > 0)) continue;
      held[d] = true, stack[left++] = d;
    }
  }
  while (first < box->cells - 1 && held[first]) first++;
  PetscCall(PetscFree2(held, stack));
  HgRequire(
      comm, reached == box->cells, HG_ERR_CONTROL,
      "exact posterior: the prior leaves the mean of %d of %d cells free, the first of them "
      "at %.4g E, %.4g N, where only coasts are around, so that its deviation before the data "
      "is infinite; expected -tikhonov above 0",
      box->cells - reached, box->cells, box->east[first], box->north[first]);
  return 0;
}

PetscErrorCode ExactBoxAssemble(const ExactBox *box, double h1, double tikhonov, Mat *P) {
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, box->cells, box->cells, 1 + EXACT_SIDES, NULL, P));
  for (PetscInt c = 0; c < box->cells; c++) {
    double diagonal = tikhonov * (box->a[c] * box->area[c]);
    for (int side = 0; side < EXACT_SIDES; side++) {
      const PetscInt d = ExactBoxBeside(box, (int)c, side);
      const double w = h1 * box->w[c][side];
      diagonal += w;
      if (d >= 0) PetscCall(MatSetValue(*P, c, d, -w, INSERT_VALUES));
    }
    PetscCall(MatSetValue(*P, c, c, diagonal, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*P, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(*P, MAT_FINAL_ASSEMBLY);
}
