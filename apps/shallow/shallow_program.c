#include "shallow_program.h"
#include <limits.h>

PetscErrorCode ShallowWalls(HgProgram program) {
  const HgSide closed = {HG_CLOSED, 0}, copy = {HG_COPY, 0}, none = {HG_FIXED, 0};

  const struct {
    const char *name;
    HgLocation location;
    HgSide normal, along; /* at walls that it is normal to, and at those that it runs along */
  } variables[] = {
      {"h", HG_CENTRE, copy, copy},     {"nu", HG_CENTRE, copy, copy},
      {"u", HG_X_FACE, closed, copy},   {"v", HG_Y_FACE, closed, copy},
      {"u_t", HG_X_FACE, closed, none}, {"v_t", HG_Y_FACE, closed, none},
      {"F", HG_X_FACE, closed, none},   {"G", HG_Y_FACE, closed, none},
      {"q", HG_CORNER, none, none},     {"f", HG_CORNER, none, none},
  };

  for (size_t k = 0; k < sizeof variables / sizeof *variables; k++) {
    const bool y = variables[k].location == HG_Y_FACE;
    const HgSide x_walls = y ? variables[k].along : variables[k].normal,
                 y_walls = y ? variables[k].normal : variables[k].along;
    PetscCall(HgProgramSetLocation(program, variables[k].name, variables[k].location));
    PetscCall(HgProgramSetBoundary(program, variables[k].name,
                                   (HgBoundary){x_walls, x_walls, y_walls, y_walls}));
  }
  return 0;
}

PetscErrorCode ShallowProgramCreate(HgMesh mesh, const HgStencil *const step[], bool surface,
                                    double dt, const HgShallowWaterParams *params,
                                    HgProgram *program) {
  static const char *const units[][2] = {
      {"h", "m"},       {"u", "m/s"},   {"v", "m/s"},  {"h_t", "m/s"},  {"u_t", "m/s^2"},
      {"v_t", "m/s^2"}, {"b", "m"},     {"f", "1/s"},  {"nu", "m^2/s"}, {"q", "1/(m s)"},
      {"P", "m^2/s^2"}, {"F", "m^2/s"}, {"G", "m^2/s"}};
  PetscCall(HgProgramCreate(mesh, "shallow water", dt, program));
  for (; *step; step++) PetscCall(HgProgramAddStencil(*program, *step, params));
  if (surface) PetscCall(HgProgramAddStencil(*program, &hg_shallow_surface, params));
  PetscCall(ShallowWalls(*program));
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    PetscCall(HgProgramSetUnit(*program, units[k][0], units[k][1]));
  if (!surface) return 0;
  /* gauges may stand between the outermost centres and a wall */
  PetscCall(HgProgramSetBoundary(*program, "eta", HgBoundaryAll(HG_COPY, 0)));
  return HgProgramSetUnit(*program, "eta", "m");
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
