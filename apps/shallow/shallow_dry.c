#include "shallow_dry.h"
#include <limits.h>

void ShallowFindDry(long step, HgState q, ShallowDry *dry) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(q));
  double *const *h = HgStateRows(q, HgStateFind(q, "h"));
  for (int j = 0; j < p->ny && !dry->found; j++) {
    int wet = 0, i = 0;
    for (int k = 0; k < p->nx; k++) wet += h[j][k] > 0;
    if (wet == p->nx) continue;
    while (h[j][i] > 0) i++;
    *dry = (ShallowDry){true, step, p->i_global + i, p->j_global + j, h[j][i]};
  }
}

PetscErrorCode ShallowRequireWet(HgMesh mesh, const ShallowDry *dry) {
  const MPI_Comm comm = HgMeshComm(mesh);
  const long cell = (long)dry->j * HgMeshGetSpec(mesh)->nx + dry->i;
  const long step = dry->found ? dry->step : LONG_MAX;
  long first;
  int rank;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Allreduce(&step, &first, 1, MPI_LONG, MPI_MIN, comm));
  const bool mine = dry->found && dry->step == first;
  const long own = mine ? cell : LONG_MAX;
  PetscCallMPI(MPI_Allreduce(&own, &first, 1, MPI_LONG, MPI_MIN, comm));
  return HgAgree(comm, mine && cell == first,
                 "shallow water: the thickness is %g m in cell (%d, %d) on rank %d after %ld "
                 "steps, expected water deeper than 0 m everywhere",
                 dry->h, dry->i, dry->j, rank, dry->step);
}
