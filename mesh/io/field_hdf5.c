#include "reader_private.h"
#include <halograd/memory.h>
#include <halograd/results.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool shape_fits(HgReader *reader, const char dataset[], const HgMeshSpec *grid) {
  HgShape shape;
  if (!HgReaderShape(reader, dataset, &shape)) return false;
  if (shape.rank == 2 && shape.size[0] == (hsize_t)grid->ny && shape.size[1] == (hsize_t)grid->nx)
    return true;
  char found[96] = "a single number";
  for (int k = 0, used = 0; k < shape.rank; k++)
    used += snprintf(found + used, sizeof found - (size_t)used, "%s%llu", k ? " x " : "",
                     (unsigned long long)shape.size[k]);
  snprintf(reader->problem, sizeof reader->problem,
           "file '%s': dataset '%s' has the shape %s, expected (y, x) = %d x %d", reader->path,
           dataset, found, grid->ny, grid->nx);
  return false;
}

/* If the file says where its cells are, they must be ours. */
static bool axis_fits(HgReader *reader, const char axis[], int size, double first, double step) {
  if (!HgReaderHas(reader, axis)) return true;
  HgShape shape;
  if (!HgReaderShape(reader, axis, &shape)) return false;
  if (shape.rank != 1 || shape.size[0] != (hsize_t)size) {
    snprintf(reader->problem, sizeof reader->problem,
             "file '%s': coordinate '%s' does not have %d numbers", reader->path, axis, size);
    return false;
  }
  const hsize_t one = 1, at[2] = {0, (hsize_t)size - 1};
  for (int k = 0; k < 2; k++) {
    double found;
    const double expected = first + step * (double)at[k];
    if (!HgReaderNumbers(reader, axis, &at[k], &one, &found)) return false;
    if (found - expected < 1e-6 * step && expected - found < 1e-6 * step) continue;
    snprintf(reader->problem, sizeof reader->problem,
             "file '%s': coordinate '%s' at [%llu] is %.9g m, expected %.9g m of the mesh",
             reader->path, axis, (unsigned long long)at[k], found, expected);
    return false;
  }
  return true;
}

PetscErrorCode HgFieldRead(HgState state, const char name[], const char path[],
                           const char dataset[]) {
  HgMesh mesh = HgStateMesh(state);
  MPI_Comm comm = HgMeshComm(mesh);
  const HgMeshSpec *grid = HgMeshGetSpec(mesh);
  const HgPatch *patch = HgMeshGetPatch(mesh);
  int index;
  PetscCall(HgStateIndex(state, name, &index));
  const HgVariable *variable = HgStateVariable(state, index);
  HgRequire(comm, variable->kind == HG_FIELD || variable->kind == HG_GHOSTED,
            "variable '%s' is an array, expected a field to read file '%s' into", name, path);
  const hsize_t start[2] = {(hsize_t)patch->j_global, (hsize_t)patch->i_global};
  const hsize_t count[2] = {(hsize_t)patch->ny, (hsize_t)patch->nx};
  double *values = HgAllocate(count[0] * count[1], sizeof(double));
  HgReader reader = {.file = -1, .problem = "no memory for a patch"};
  bool right = values && HgReaderOpen(&reader, path);
  if (right) {
    right = shape_fits(&reader, dataset, grid) &&
            axis_fits(&reader, "x", grid->nx, grid->x0, grid->dx) &&
            axis_fits(&reader, "y", grid->ny, grid->y0, grid->dy) &&
            HgReaderUnit(&reader, dataset, variable->unit[0] ? variable->unit : "1") &&
            HgReaderNumbers(&reader, dataset, start, count, values);
    HgReaderClose(&reader);
  }
  const PetscErrorCode ierr = HgAgree(comm, !right, "%s", reader.problem);
  if (!ierr) {
    double *const *u = HgStateRows(state, index);
    for (int j = 0; j < patch->ny; j++)
      memcpy(u[j], values + (size_t)j * count[1], sizeof(double) * count[1]);
    HgStateSetGhostDepth(state, index, 0);
  }
  free(values);
  return ierr;
}
