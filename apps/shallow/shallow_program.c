#include "shallow_program.h"
#include <limits.h>

PetscErrorCode ShallowProgramCreate(HgMesh mesh, const HgStencil *const step[], bool surface,
                                    double dt, const HgShallowWaterParams *params,
                                    HgProgram *program) {
  static const char *const units[][2] = {
      {"h", "m"},       {"u", "m/s"},   {"v", "m/s"},  {"h_t", "m/s"},  {"u_t", "m/s^2"},
      {"v_t", "m/s^2"}, {"b", "m"},     {"f", "1/s"},  {"nu", "m^2/s"}, {"q", "1/(m s)"},
      {"P", "m^2/s^2"}, {"F", "m^2/s"}, {"G", "m^2/s"}};
  static const char *const frozen[] = {"u", "v"};
  PetscCall(HgProgramCreate(mesh, "shallow water", dt, program));
  for (; *step; step++) PetscCall(HgProgramAddStencil(*program, *step, params));
  if (surface) PetscCall(HgProgramAddStencil(*program, &hg_shallow_surface, params));
  for (int k = 0; k < 2; k++)
    PetscCall(HgProgramSetBoundary(*program, frozen[k], HgBoundaryAll(HG_FROZEN, 0)));
  PetscCall(HgProgramSetBoundary(*program, "h", HgBoundaryAll(HG_COPY, 0)));
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    PetscCall(HgProgramSetUnit(*program, units[k][0], units[k][1]));
  if (surface) { /* gauges may stand between the outermost centres and a wall */
    PetscCall(HgProgramSetBoundary(*program, "eta", HgBoundaryAll(HG_COPY, 0)));
    PetscCall(HgProgramSetUnit(*program, "eta", "m"));
  }
  return HgProgramSetUp(*program);
}

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
