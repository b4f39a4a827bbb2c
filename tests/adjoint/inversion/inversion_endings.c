/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: however an inversion ends, its controls are the best that were evaluated, or those where
   it converged; points without finite numbers are stepped back from and never converged, and data
   that depend on no control are no success. */
#include "claim.h"
#include "valley.h"
#include <halograd/inversion.h>
#include <halograd/operator_library.h>
#include <string.h>

/* What a point has that the model has no numbers for. */
typedef enum { J_NAN, J_INFINITE, J_LARGE, G_NAN, G_INFINITE, G_LARGE, FAULTS } Fault;

typedef enum { NEVER, ONCE, FROM_THEN_ON, BEYOND, WAYS } Way; /* the points that are so */

enum { AT = 3 /* evaluation */ };

static const double most_c = 0.3; /* of the controls' array: what is beyond */

static struct {
  Fault fault;
  Way way;
  int evaluation;
  double lowest;
  char best[17]; /* digest of its controls */
} model;

static bool is_outside(HgState m) {
  switch (model.way) {
  case NEVER: return false;
  case ONCE: return model.evaluation == AT;
  case FROM_THEN_ON: return model.evaluation >= AT;
  default: return fabs(HgStateArray(m, 2)[0]) > most_c;
  }
}

static PetscErrorCode gradient(void *self, HgState m, double *J, HgState g) {
  PetscCall(valley_gradient(self, m, J, g));
  const bool outside = is_outside(m);
  model.evaluation++;
  if (!outside) {
    if (*J > model.lowest) return 0;
    model.lowest = *J;
    return HgStateDigest(m, NULL, model.best);
  }
  const HgPatch *p = HgMeshGetPatch(HgStateMesh(g));
  const bool here = p->i_global + p->nx == VALLEY_NX && p->j_global == 0; /* on one rank only */
  const double J_of[] = {NAN, INFINITY, 1e305}, g_of[] = {NAN, -INFINITY, 1e200};
  if (model.fault <= J_LARGE) *J = J_of[model.fault];
  else if (here) HgStateRows(g, 0)[0][p->nx - 1] = g_of[model.fault - G_NAN];
  return 0;
}

/* Ends as it ends, which *last and *reason tell. */
static PetscErrorCode solve(Fault fault, Way way, HgIterate *last, const char **reason) {
  HgMesh mesh;
  HgOperator valley, op;
  HgState m;
  HgInversion inversion;
  char digest[17];
  model.fault = fault, model.way = way, model.evaluation = 0, model.lowest = INFINITY;
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &mesh, &valley, &m));
  PetscCall(HgOperatorCreate("model", m, NULL,
                             &(HgOperatorTable){.gradient = gradient, .second = valley_second},
                             NULL, &op));
  PetscCall(HgInversionCreate(op, &inversion));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-4, .iterations = 15, .evaluations = 60}));
  PetscCall(HgInversionSolve(inversion, m, last, reason));
  PetscCall(HgStateDigest(m, NULL, digest));
  claim_that(isfinite(last->J), "fault %d, way %d: J is %g (%s)", fault, way, last->J, *reason);
  if (last->ending != HG_CONVERGED) {
    claim_same(last->J, model.lowest, "fault %d, way %d: J (%s)", fault, way, *reason);
    claim_that(!strcmp(digest, model.best), "fault %d, way %d: not the best controls (%s)", fault,
               way, *reason);
  }
  PetscCall(DESTROY(&inversion, &op));
  return valley_destroy(&mesh, &valley, &m);
}

/* Faults in each way, with the method and the line search that options choose. */
static PetscErrorCode faults(const char method[], int stride) {
  HgIterate last;
  const char *reason;
  for (int way = ONCE; way < WAYS; way++)
    for (int fault = 0; fault < FAULTS; fault += stride) {
      PetscCall(solve((Fault)fault, (Way)way, &last, &reason));
      claim_that(way != FROM_THEN_ON || last.ending != HG_CONVERGED,
                 "%s, fault %d: '%s' after no point was better", method, fault, reason);
    }
  return 0;
}

static PetscErrorCode endings(void) {
  static const struct {
    const char *option, *value, *reason;
    HgEnding ending;
  } cases[] = {{"-tao_gttol", "0.1", "gradient below the tolerance", HG_CONVERGED},
               {"-tao_fmin", "1e9", "J below the target", HG_CONVERGED},
               {"-tao_max_it", "2", "iteration limit reached", HG_LIMIT},
               {"-tao_max_funcs", "4", "evaluation limit reached", HG_LIMIT},
               {"-tao_ls_max_funcs", "1", "line search found no better point", HG_FAILED}};

  HgIterate last;
  const char *reason;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    PetscCall(PetscOptionsSetValue(NULL, cases[k].option, cases[k].value));
    PetscCall(solve(J_NAN, cases[k].ending == HG_FAILED ? FROM_THEN_ON : NEVER, &last, &reason));
    claim_that(last.ending == cases[k].ending && strstr(reason, cases[k].reason),
               "%s %s: '%s', ending %d, expected '%s', %d", cases[k].option, cases[k].value, reason,
               last.ending, cases[k].reason, cases[k].ending);
    PetscCall(PetscOptionsClearValue(NULL, cases[k].option));
  }
  return 0;
}

/* ---- data that depend on no control ---- */

/* J = data, whose derivative by the first `seen` of the array 'c' is 1. */
typedef struct {
  double J;
  int seen;
} Data;

static PetscErrorCode data_gradient(void *self, HgState m, double *J, HgState g) {
  const Data *data = self;
  *J = data->J;
  for (int k = 0; k < data->seen; k++) {
    *J += HgStateArray(m, 2)[k];
    HgStateArray(g, 2)[k] += 1;
  }
  return 0;
}

/* J = data + prior, or without it. The prior's gradient is not 0 at the first guess. */
static PetscErrorCode blind(Data data, bool prior, HgEnding *ending) {
  HgMesh mesh;
  HgOperator valley, op, sum;
  HgState m;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  char before[17], after[17];
  PetscCall(valley_create(PETSC_COMM_WORLD, 0, 0, &mesh, &valley, &m));
  PetscCall(
      HgOperatorCreate("data", m, NULL, &(HgOperatorTable){.gradient = data_gradient}, &data, &op));
  PetscCall(HgOperatorSum("J", prior ? 2 : 1, (HgOperator[]){op, valley}, &sum));
  PetscCall(HgInversionCreate(sum, &inversion));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-1, .iterations = 5, .evaluations = 60}));
  PetscCall(HgInversionSetPart(inversion, prior ? valley : NULL));
  PetscCall(HgStateDigest(m, NULL, before));
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  PetscCall(HgStateDigest(m, NULL, after));
  *ending = last.ending;
  if (last.ending == HG_NOTHING) {
    claim_that(!strcmp(before, after), "nothing to do: the first guess is kept");
    claim_same(last.evaluations, 1, "nothing to do: evaluations");
    claim_that(strstr(reason, "J does not depend on the controls") != NULL, "'%s'", reason);
  }
  PetscCall(DESTROY(&inversion, &sum, &op));
  return valley_destroy(&mesh, &valley, &m);
}

static PetscErrorCode data_unseen(void) {
  static const struct {
    Data data;
    bool prior, nothing;
  } cases[] = {{{5, 0}, false, true},  {{0, 0}, false, false}, /* the data are met */
               {{-5, 0}, false, true}, {{5, 0}, true, true},
               {{0, 0}, true, false}, /* the data are met, the prior is not */
               {{5, 1}, true, false},  {{5, 3}, true, false}};

  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    HgEnding ending = HG_UNDER_WAY;
    PetscCall(blind(cases[k].data, cases[k].prior, &ending));
    claim_that((ending == HG_NOTHING) == cases[k].nothing,
               "J = %g that depends on %d, %s prior: %d", cases[k].data.J, cases[k].data.seen,
               cases[k].prior ? "a" : "no", ending);
  }
  return 0;
}

static PetscErrorCode run(void) {
  static const char *const methods[] = {"blmvm", "bncg", "bqnls", "bqnktr", "lmvm", "cg",
                                        "nm",    "bnls", "bntr",  "nls",    "ntr"};
  static const char *const searches[] = {"more-thuente", "armijo", "unit"};
  HgIterate last;
  const char *reason;
  PetscCall(endings());
  PetscCall(data_unseen());
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    PetscCall(PetscOptionsSetValue(NULL, "-tao_type", methods[k]));
    PetscCall(faults(methods[k], k < 2 ? 1 : G_NAN));
  }
  PetscCall(PetscOptionsSetValue(NULL, "-tao_type", "bncg"));
  for (size_t k = 0; k < sizeof searches / sizeof *searches; k++) {
    PetscCall(PetscOptionsSetValue(NULL, "-tao_ls_type", searches[k]));
    PetscCall(faults(searches[k], G_NAN));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-tao_ls_type"));
  PetscCall(PetscOptionsSetValue(NULL, "-tao_ls_max_funcs", "2"));
  PetscCall(solve(J_NAN, NEVER, &last, &reason));
  claim_that(last.ending == HG_FAILED && strstr(reason, "inside of TAO"),
             "two evaluations for a line search of bncg: '%s'", reason);
  return faults("two evaluations", G_NAN);
}

CLAIM("an inversion ends at the best controls, and says how", 0, run)
