/* SPDX-License-Identifier: BSD-2-Clause */
/* Does a program's mask of wet cells leave what comes of a step as it is? See check_library.h.
   */
#include <halograd/check_library.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

/* The first cell, in natural order, where two states differ, with both numbers. */
typedef struct {
  long cell; /* PETSC_MAX_INT: nowhere on this rank */
  double a, b;
} Difference;

static Difference first_difference(HgState a, HgState b, int k) {
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(a));
  const HgMeshSpec *s = HgMeshGetSpec(HgStateMesh(a));
  for (int n = 0; n < HgStateRowCount(a, k); n++)
    for (int i = 0; i < p->nx; i++) {
      const HgReal *const x = &HgStateRow(a, k, n)[i], *const y = &HgStateRow(b, k, n)[i];
      const long row = (long)(n / p->ny) * s->ny + p->j_global + n % p->ny;
      if (memcmp(x, y, sizeof *x)) return (Difference){row * s->nx + p->i_global + i, *x, *y};
    }
  return (Difference){PETSC_MAX_INT, 0, 0};
}

static PetscErrorCode require_same(HgProgram p, const char what[], HgState with, HgState without) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(with));
  const int nx = HgMeshGetSpec(HgStateMesh(with))->nx, ny = HgMeshGetSpec(HgStateMesh(with))->ny;
  for (int k = 0; k < HgStateCount(with); k++) {
    if (HgStateVariable(with, k)->kind != HG_FIELD) continue;
    const Difference mine = first_difference(with, without, k);
    long first = mine.cell;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_LONG, MPI_MIN, comm));
    PetscCall(HgAgree(
        comm, mine.cell == first && first < PETSC_MAX_INT, HG_ERR_CHECK_FAILED,
        "program '%s': with its mask of wet cells %s '%s' is %g in cell (%ld, %ld), without %g; "
        "expected kernels that leave 0 where nothing is wet within their radius "
        "(HgProgramSetMask())",
        HgProgramName(p), what, HgStateVariable(with, k)->name, mine.a, first % nx, first / nx % ny,
        mine.b));
  }
  return 0;
}

/* HgCheckInput() also masks. */
PetscErrorCode HgCheckMask(HgProgram p, long step, HgState x) {
  HgOperator op;
  HgState at, random, y_bar, y[2], x_bar[2];
  bool had;
  PetscCall(HgProgramUseMask(p, true, &had));
  if (!had) return 0;
  HgState *const inputs[] = {&at, &random, &x_bar[0], &x_bar[1]}, *const outputs[] = {&y_bar, &y[0],
                                                                                      &y[1]};
  for (int k = 0; k < 4; k++) PetscCall(HgStateDuplicate(x, inputs[k]));
  for (int k = 0; k < 3; k++) PetscCall(HgProgramCreateCarried(p, outputs[k]));
  PetscCall(HgProgramOperator(p, step, &op));
  PetscCall(HgCheckInput(p, x, 0, at));
  PetscCall(HgStateRandom(x_bar[0], 1));
  PetscCall(HgCheckInput(p, x_bar[0], 0, random));
  PetscCall(HgStateZero(x_bar[0]));
  PetscCall(HgStateCopyShared(random, y_bar));
  for (int k = 0; k < 2; k++) {
    PetscCall(HgProgramUseMask(p, !k, &had));
    PetscCall(HgOperatorApply(op, at, y[k]));
    PetscCall(HgOperatorAdjoint(op, at, y_bar, x_bar[k]));
  }
  PetscCall(HgProgramUseMask(p, true, &had));
  PetscErrorCode ierr = require_same(p, "", y[0], y[1]);
  if (!ierr) ierr = require_same(p, "the cotangent of", x_bar[0], x_bar[1]);
  PetscCall(HgStatesDestroy(&at, &random, &x_bar[0], &x_bar[1], &y_bar, &y[0], &y[1]));
  PetscCall(HgOperatorDestroy(&op));
  return ierr;
}
