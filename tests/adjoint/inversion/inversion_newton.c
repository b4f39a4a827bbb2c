/* SPDX-License-Identifier: BSD-2-Clause */
/* Newton's method finds the minimum that L-BFGS finds, of heat's diffusivity from sensors, in fewer
   iterations, with the same bits on any decomposition; parametrisation and regularisation have
   second derivatives of their own. */
#include "heat_case.h"
#include "same_bits.h"
#include <halograd/control.h>
#include <halograd/inversion.h>

static const char *const methods[] = {"blmvm", "bntr", "ntr", "nls", "bnls"};

enum { METHODS = sizeof methods / sizeof *methods };

typedef struct {
  HeatCase heat;
  HgOperator functional;
} Case;

/* J(m) = misfit(exp(m)) + regularisation(m) */
static PetscErrorCode create(MPI_Comm comm, Layout layout, Case *c) {
  const HeatSpec spec = {.nx = 15,
                         .ny = 13,
                         .px = layout.px,
                         .py = layout.py,
                         .steps = 30,
                         .walls = WALLS_INSULATED,
                         .slots = 6};
  const HgRegularisation weights = {.control = "m", .alpha = 20, .beta = 0.2};
  HgOperator log_kappa, parts[2], terms[2];
  HgState m;
  PetscCall(heat_create(comm, &spec, &c->heat));
  PetscCall(HgProgramSetActive(c->heat.program, "f", false));
  PetscCall(HgParametrisationLog(c->heat.mesh, "m", "kappa", "1", &log_kappa));
  PetscCall(HgControlCreate(c->heat.x, 1, &(HgControl){"kappa", log_kappa}, &parts[0]));
  parts[1] = c->heat.op;
  PetscCall(HgOperatorChain("misfit", 2, parts, &terms[0]));
  PetscCall(HgOperatorCreateInput(terms[0], &m));
  PetscCall(HgRegularisationCreate(m, &weights, &terms[1]));
  PetscCall(HgOperatorSum("J", 2, terms, &c->functional));
  return DESTROY(&m, &log_kappa, &parts[0], &terms[0], &terms[1]);
}

static PetscErrorCode destroy(Case *c) {
  PetscCall(HgOperatorDestroy(&c->functional));
  return heat_destroy(&c->heat);
}

static PetscErrorCode solve(MPI_Comm comm, Layout layout, const char method[], HgIterate *last,
                            char digest[17]) {
  Case c;
  HgInversion inversion;
  HgState m;
  const char *reason;
  PetscCall(create(comm, layout, &c));
  PetscCall(PetscOptionsSetValue(NULL, "-tao_type", method));
  PetscCall(HgInversionCreate(c.functional, &inversion));
  PetscCall(HgOperatorCreateInput(c.functional, &m));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-7, .iterations = 200, .evaluations = 1000}));
  PetscCall(HgInversionSolve(inversion, m, last, &reason));
  PetscCall(HgStateDigest(m, NULL, digest));
  PetscCall(DESTROY(&m, &inversion));
  PetscCall(PetscOptionsClearValue(NULL, "-tao_type"));
  return destroy(&c);
}

static PetscErrorCode run(MPI_Comm comm, Layout layout, long method, char text[LAYOUT_TEXT]) {
  HgIterate last;
  char digest[17];
  PetscCall(solve(comm, layout, methods[method], &last, digest));
  snprintf(text, LAYOUT_TEXT, "J %a after %d iterations, m %s", last.J, last.iteration, digest);
  return 0;
}

/* The same minimum in fewer iterations, which one rank shows for all. */
static PetscErrorCode compare(void) {
  HgIterate first = {0}, last;
  char digest[17];
  for (int k = 0; k < METHODS; k++) {
    PetscCall(solve(PETSC_COMM_WORLD, (Layout){0, 0}, methods[k], &last, digest));
    if (!k) first = last;
    claim_at_most(fabs(last.J - first.J), 1e-9 * first.J, "%s: J away from that of %s", methods[k],
                  methods[0]);
    if (k)
      claim_at_most(last.iteration, 0.67 * first.iteration, "%s: iterations, %s takes %d",
                    methods[k], methods[0], first.iteration);
  }
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("Newton finds the minimum that L-BFGS finds, in fewer iterations", 0);
  if (!ierr && claim.ranks == 1) ierr = compare();
  for (int k = 1; k < METHODS && claim.ranks > 1 && !ierr; k += claim.ranks > 4 ? 2 : 1)
    ierr = expect_same_on_layouts(methods[k], run, k);
  return claim_end(ierr);
}
