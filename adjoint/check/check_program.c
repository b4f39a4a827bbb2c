/* SPDX-License-Identifier: BSD-2-Clause */
/* The checks of a program: its stencils one by one at values of its own, then a step; see
   check.h. */
#include <halograd/check_library.h>
#include <halograd/operator_library.h>
#include <halograd/program_library.h>
#include <halograd/state_library.h>

enum { READS_MOST = 16 };

/* Widens the range by a tenth on either side, but not across 0. */
static HgCheckRange widened(double low, double high) {
  if (low == 0 && high == 0) return (HgCheckRange){-1, 1};
  return (HgCheckRange){low > 0 ? 0.9 * low : 1.1 * low, high < 0 ? 0.9 * high : 1.1 * high};
}

/* The box of a stencil and the ranges of its values in a step, over all ranks. */
static PetscErrorCode find_values(HgProgram p, long step, const HgStencil *s, HgState at,
                                  HgBox *box, HgCheckRange ranges[READS_MOST]) {
  *box = HgProgramBox(p, step);
  box->i0 = box->i1 = box->j0 = box->j1 = 0; /* drawn */
  for (int k = 0; s->reads[k].name; k++) {
    double low, high, largest;
    PetscCall(HgCheckLargest(at, HgStateFind(at, s->reads[k].name), 1, &largest));
    HgRequire(HgMeshComm(HgStateMesh(at)), isfinite(largest), HG_ERR_NOT_FINITE,
              "check of program '%s': '%s' is not finite, expected numbers", HgProgramName(p),
              s->reads[k].name);
    PetscCall(HgStateRange(at, s->reads[k].name, &low, &high));
    ranges[k] = widened(low, high);
  }
  return 0;
}

PetscErrorCode HgExamineTerm(HgProgram p, long step, const HgStencil *s, const void *params,
                             HgState at, const HgCheckStencilOptions *options, HgFindings *report) {
  HgCheckRange ranges[READS_MOST];
  HgCheckStencilOptions o = *options;
  HgBox box;
  PetscCall(find_values(p, step, s, at, &box, ranges));
  o.box = &box;
  return HgExamineStencil(s, params, ranges, &o, report);
}

static PetscErrorCode check_stencil(HgProgram p, long step, const HgStencil *s, const void *params,
                                    HgState at, const HgCheckOptions *options, bool *passed) {
  HgCheckRange ranges[READS_MOST];
  HgBox box;
  PetscCall(find_values(p, step, s, at, &box, ranges));
  const HgCheckStencilOptions o = {
      .seed = options ? options->seed : 0, .box = &box, .quiet = options && options->quiet};
  return HgCheckStencil(HgMeshComm(HgStateMesh(at)), s, params, ranges, &o, passed);
}

/* The parts of a step are its terms. A step of a single stencil has no parts. */
PetscErrorCode HgCheckProgram(HgProgram p, long step, HgState x, const HgCheckOptions *options,
                              bool *passed) {
  HgOperator op, part;
  HgState here, at;
  const HgStencil *stencil;
  const void *params;
  bool ok;
  PetscCall(HgStateDuplicate(x, &here));
  PetscCall(HgCheckInput(p, x, step, here));
  PetscCall(HgProgramOperator(p, step, &op));
  *passed = true;
  for (int k = 0; HgProgramTerm(p, k, &stencil, &params); k++) {
    PetscCall(HgOperatorPart(op, here, k, &part, &at));
    if (stencil) PetscCall(check_stencil(p, step, stencil, params, at ? at : here, options, &ok));
    *passed = *passed && (!stencil || ok);
    PetscCall(HgStateDestroy(&at));
  }
  PetscCall(HgCheckOperator(op, here, options, &ok));
  *passed = *passed && ok;
  PetscCall(HgOperatorDestroy(&op));
  const PetscErrorCode ierr = HgCheckMask(p, step, here);
  PetscCall(HgStateDestroy(&here));
  return ierr;
}
