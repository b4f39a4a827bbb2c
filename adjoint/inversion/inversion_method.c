/* SPDX-License-Identifier: BSD-2-Clause */
/* Methods of TAO that J, its gradient and products of its Hessian suffice for, and bounds if there
   are some. TAO finds out in the middle of its work what it lacks, as an error of its own on some
   ranks, or passes bounds over: here it is one sentence before the first evaluation. */
#include "inversion_private.h"
#include <halograd/error_library.h>
#include <halograd/inversion_library.h>
#include <petscksp.h>
#include <petsctao.h>
#include <petsctaolinesearch.h>
#include <string.h>

/* PETSc's methods by the derivatives they need; _free: those without bounds. Methods that a program
   has registered are accepted too. */
static const char *const by_value[] = {TAONM, NULL};
static const char *const by_gradient[] = {TAOBLMVM,  TAOBNCG,   TAOBQNLS, TAOBQNKLS,
                                          TAOBQNKTR, TAOBQNKTL, NULL};
static const char *const by_gradient_free[] = {TAOLMVM, TAOCG, NULL};
static const char *const by_hessian[] = {TAOBNLS, TAOBNTR, TAOBNTL, NULL};
static const char *const by_hessian_free[] = {TAONLS, TAONTR, NULL};
static const char *const by_preconditioner[] = {TAONTL, NULL};
static const char *const by_matrix[] = {TAOTRON, TAOGPCG, TAOBQPIP, NULL};
static const char *const regularised[] = {TAOOWLQN, TAOBMRM, NULL};
static const char *const by_structure[] = {TAOPOUNDERS, TAOBRGN,  TAOLCL,    TAOSSILS, TAOSSFLS,
                                           TAOASILS,    TAOASFLS, TAOIPM,    TAOPDIPM, TAOADMM,
                                           TAOALMM,     TAOSHELL, TAOPYTHON, NULL};

/* What can be chosen. */
static const char *const *const chosen[] = {by_gradient, by_value, by_hessian, by_gradient_free,
                                            by_hessian_free};

enum { CHOSEN = sizeof chosen / sizeof *chosen, BOUNDED = 3 /* the first of them */ };

static bool among(const char *const names[], const char name[]) {
  for (; *names; names++)
    if (!strcmp(*names, name)) return true;
  return false;
}

static void join(const char *const names[], char text[], size_t size) {
  *text = 0;
  for (int k = 0; names[k]; k++) HgSentenceAdd(size, text, "%s%s", k ? ", " : "", names[k]);
}

static PetscErrorCode known(PetscFunctionList list, const char name[], bool *yes) {
  void (*create)(void);
  PetscCall(PetscFunctionListFind(list, name, &create));
  *yes = create;
  return 0;
}

enum { MOST_KEPT = 16 };

/* Keeps the function that creates each name, and registers it again if it is missing. */
static PetscErrorCode keep(PetscFunctionList *list, const char *const names[],
                           void (*kept[MOST_KEPT])(void)) {
  for (int k = 0; names[k]; k++) {
    void (*create)(void);
    PetscCall(PetscFunctionListFind(*list, names[k], &create));
    if (create) kept[k] = create;
    else if (kept[k]) PetscCall(PetscFunctionListAdd(list, names[k], kept[k]));
  }
  return 0;
}

/* PETSc 3.18 forgets TAO's methods and their matrices in PetscFinalize(), but not that it has
   registered them. A program that starts PETSc again would lack them. */
static PetscErrorCode know_methods(void) {
  static const char *const matrices[] = {
      MATLMVMDFP,           MATLMVMBFGS,        MATLMVMSR1,
      MATLMVMBROYDEN,       MATLMVMBADBROYDEN,  MATLMVMSYMBROYDEN,
      MATLMVMSYMBADBROYDEN, MATLMVMDIAGBROYDEN, NULL};
  static void (*methods[CHOSEN][MOST_KEPT])(void), (*mats[MOST_KEPT])(void);
  PetscCall(TaoInitializePackage());
  PetscCall(KSPInitializePackage());
  for (int k = 0; k < CHOSEN; k++) PetscCall(keep(&TaoList, chosen[k], methods[k]));
#ifdef TAOTERMCALLBACKS /* newer PETSc: terms of J, likewise */
  static const char *const terms[] = {
      TAOTERMCALLBACKS, TAOTERMSHELL,     TAOTERMSUM, TAOTERMHALFL2SQUARED,
      TAOTERML1,        TAOTERMQUADRATIC, NULL};
  static void (*makers[MOST_KEPT])(void);
  PetscCall(keep(&TaoTermList, terms, makers));
#endif
  return keep(&MatList, matrices, mats);
}

static PetscErrorCode check_line_search(MPI_Comm comm) {
  static const char *const names[] = {TAOLINESEARCHMT,   TAOLINESEARCHARMIJO, TAOLINESEARCHOWARMIJO,
                                      TAOLINESEARCHGPCG, TAOLINESEARCHUNIT,   NULL};
  char name[64], expected[256];
  PetscBool given;
  bool yes = false;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-tao_ls_type", name, sizeof name, &given));
  if (!given) return 0;
  PetscCall(TaoLineSearchInitializePackage());
  PetscCall(known(TaoLineSearchList, name, &yes));
  join(names, expected, sizeof expected);
  HgRequire(comm, yes, HG_ERR_OPTION_RANGE,
            "option -tao_ls_type: TAO has no line search '%s', expected one of: %s", name,
            expected);
  return 0;
}

/* Lists the methods with bounds, or all. */
static void expected_names(bool bounded, size_t size, char text[]) {
  *text = 0;
  for (int k = 0; k < (bounded ? BOUNDED : CHOSEN); k++) {
    char names[128];
    join(chosen[k], names, sizeof names);
    HgSentenceAdd(size, text, "%s%s", k ? ", " : "", names);
  }
}

/* Why a method cannot be chosen; NULL: it can. */
static const char *reason_against(const char name[], bool bounded) {
  static const struct {
    const char *const *names, *reason;
  } against[] = {
      {by_matrix, "needs second derivatives of J as a matrix, but an inversion has products of it "
                  "with vectors only"},
      {by_structure, "needs constraints or residuals, but an inversion has J and its derivatives "
                     "only"},
      {regularised, "adds a regularisation of its own to J, so that what it finds is no minimum of "
                    "J"},
      {by_preconditioner, "needs a preconditioner, which an inversion does not have"}};

  for (size_t k = 0; k < sizeof against / sizeof *against; k++)
    if (among(against[k].names, name)) return against[k].reason;
  if (bounded && (among(by_gradient_free, name) || among(by_hessian_free, name)))
    return "does not look at bounds, but controls have some";
  return NULL;
}

PetscErrorCode HgInversionMethod(MPI_Comm comm, bool bounded, const char other[],
                                 char name[HG_METHOD_NAME], HgMethod *method) {
  char expected[512];
  PetscBool given;
  bool yes = false;
  *method = HG_METHOD_GRADIENT;
  PetscCall(PetscStrncpy(name, other ? other : TAOBLMVM, HG_METHOD_NAME));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-tao_type", name, HG_METHOD_NAME, &given));
  PetscCall(know_methods());
  PetscCall(check_line_search(comm));
  expected_names(bounded, sizeof expected, expected);
  const char *const reason = reason_against(name, bounded);
  const char *const what = given ? "option -tao_type" : "method of an inversion";
  HgRequire(comm, !reason, HG_ERR_OPTION_RANGE, "%s: '%s' %s; expected one of: %s", what, name,
            reason, expected);
  PetscCall(known(TaoList, name, &yes));
  HgRequire(comm, yes, HG_ERR_OPTION_RANGE, "%s: TAO has no method '%s', expected one of: %s", what,
            name, expected);
  if (among(by_value, name)) *method = HG_METHOD_VALUE;
  if (among(by_hessian, name) || among(by_hessian_free, name)) *method = HG_METHOD_HESSIAN;
  return 0;
}

PetscErrorCode HgInversionUsesHessian(MPI_Comm comm, bool *yes) {
  HgMethod method;
  char name[HG_METHOD_NAME];
  PetscCall(HgInversionMethod(comm, false, NULL, name, &method));
  *yes = method == HG_METHOD_HESSIAN;
  return 0;
}

/* In the user's words: TAO's names are for programmers. */
const char *HgEndingText(TaoConvergedReason reason) {
  switch (reason) {
  case TAO_CONVERGED_GATOL: return "gradient below the absolute tolerance";
  case TAO_CONVERGED_GRTOL: return "gradient below the tolerance relative to J";
  case TAO_CONVERGED_GTTOL: return "gradient below the tolerance relative to the first one";
  case TAO_CONVERGED_STEPTOL: return "step below the tolerance";
  case TAO_CONVERGED_MINF: return "J below the target";
  case TAO_CONVERGED_USER: return "stopped by the user";
  case TAO_DIVERGED_USER: return "J does not depend on the controls at the first guess";
  case TAO_DIVERGED_MAXITS: return "iteration limit reached";
  case TAO_DIVERGED_NAN: return "J or its gradient is not finite";
  case TAO_DIVERGED_MAXFCN: return "evaluation limit reached";
  case TAO_DIVERGED_LS_FAILURE: return "line search found no better point";
  case TAO_DIVERGED_TR_REDUCTION: return "trust region shrank to nothing";
  default: return "ended by the method";
  }
}

HgEnding HgEndingOf(TaoConvergedReason reason) {
  if (reason > 0) return HG_CONVERGED;
  if (reason == TAO_DIVERGED_USER) return HG_NOTHING;
  return reason == TAO_DIVERGED_MAXITS || reason == TAO_DIVERGED_MAXFCN ? HG_LIMIT : HG_FAILED;
}
