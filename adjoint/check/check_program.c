/* The checks of a program: its stencils one by one at values of its own, then a step; see
   check.h. */
#include <halograd/check_library.h>
#include <math.h>

enum { READS_MOST = 16 };

/* x at step 0 becomes x at step `step`. */
static PetscErrorCode advance(HgProgram p, long step, HgState x) {
  HgState q, next, constants;
  PetscCall(HgProgramCreateCarried(p, &q));
  PetscCall(HgProgramCreateCarried(p, &next));
  PetscCall(HgProgramCreateConstants(p, &constants));
  PetscCall(HgProgramSplit(p, x, q, constants));
  for (long n = 0; n < step; n++) {
    PetscCall(HgProgramStep(p, n, constants, q, next));
    HgStateSwap(q, next);
  }
  for (int k = 0; k < HgStateCount(q); k++) PetscCall(HgStateCopyVariable(q, k, x, k));
  PetscCall(HgStateDestroy(&constants));
  PetscCall(HgStateDestroy(&next));
  return HgStateDestroy(&q);
}

/* A tenth more on either side, but never beyond 0. */
static HgCheckRange widened(double low, double high) {
  if (low == 0 && high == 0) return (HgCheckRange){-1, 1};
  return (HgCheckRange){low > 0 ? 0.9 * low : 1.1 * low, high < 0 ? 0.9 * high : 1.1 * high};
}

/* Of the values of variable k on all ranks. */
static PetscErrorCode range_of(HgProgram p, HgState x, int k, HgCheckRange *range) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(x));
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(x));
  double *const *rows = HgStateRows(x, k), ends[2] = {INFINITY, INFINITY}; /* low, -high */
  int finite = 1;
  for (int j = 0; j < patch->ny; j++)
    for (int i = 0; i < patch->nx; i++) {
      finite = finite && isfinite(rows[j][i]);
      ends[0] = fmin(ends[0], rows[j][i]), ends[1] = fmin(ends[1], -rows[j][i]);
    }
  PetscCall(HgAgree(comm, !finite, "check of program '%s': '%s' is not finite, expected numbers",
                    HgProgramName(p), HgStateVariable(x, k)->name));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MIN, comm));
  *range = widened(ends[0], -ends[1]);
  return 0;
}

/* The box and the values that a stencil has in a step. */
static PetscErrorCode find_values(HgProgram p, long step, const HgStencil *s, HgState at,
                                  HgBox *box, HgCheckRange ranges[READS_MOST]) {
  *box = HgProgramBox(p, step);
  box->i0 = box->i1 = box->j0 = box->j1 = 0; /* drawn */
  for (int k = 0; s->reads[k].name; k++)
    PetscCall(range_of(p, at, HgStateFind(at, s->reads[k].name), &ranges[k]));
  return 0;
}

PetscErrorCode HgCheckTerm(HgProgram p, long step, const HgStencil *s, const void *params,
                           HgState at, const HgCheckStencilOptions *options,
                           HgStencilReport *report) {
  HgCheckRange ranges[READS_MOST];
  HgCheckStencilOptions o = *options;
  HgBox box;
  PetscCall(find_values(p, step, s, at, &box, ranges));
  o.box = &box;
  return HgCheckStencil(s, params, ranges, &o, report);
}

static PetscErrorCode check_stencil(HgProgram p, long step, const HgStencil *s, const void *params,
                                    HgState at, const HgCheckOptions *options, bool *passed) {
  HgCheckRange ranges[READS_MOST];
  HgBox box;
  PetscCall(find_values(p, step, s, at, &box, ranges));
  const HgCheckStencilOptions o = {
      .seed = options ? options->seed : 0, .box = &box, .quiet = options && options->quiet};
  return HgCheckStencilPrint(HgMeshComm(HgStateMesh(at)), s, params, ranges, &o, passed);
}

/* The parts of a step are its terms; a step that is a single stencil has none but itself. */
PetscErrorCode HgCheckProgram(HgProgram p, long step, HgState x, const HgCheckOptions *options,
                              bool *passed) {
  HgOperator op, part;
  HgState here, at;
  const HgStencil *stencil;
  const void *params;
  bool ok;
  PetscCall(HgStateDuplicate(x, &here));
  PetscCall(HgStateCopy(x, here));
  PetscCall(advance(p, step, here));
  PetscCall(HgProgramOperator(p, step, &op));
  *passed = true;
  for (int k = 0; HgProgramTerm(p, k, &stencil, &params); k++) {
    PetscCall(HgOperatorPart(op, here, k, &part, &at));
    if (stencil) PetscCall(check_stencil(p, step, stencil, params, at ? at : here, options, &ok));
    *passed = *passed && (!stencil || ok);
    PetscCall(HgStateDestroy(&at));
  }
  PetscCall(HgCheckPrint(op, here, options, &ok));
  *passed = *passed && ok;
  PetscCall(HgOperatorDestroy(&op));
  const PetscErrorCode ierr = HgCheckMask(p, step, here);
  PetscCall(HgStateDestroy(&here));
  return ierr;
}
