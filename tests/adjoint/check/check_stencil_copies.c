/* SPDX-License-Identifier: BSD-2-Clause */
/* A stencil that says of a write that it copies a read is found out where it does not, where it
   crashes or gives other numbers if the copy is not wanted, and where names are of nothing; the
   finding names kernel and variables. */
#include "claim.h"
#include <halograd/check_library.h>
#include <string.h>

/* p' = 2 p - p_old,  p_old' = p */
enum { P, OLD };

enum Fault { NONE, OTHER, OTHER_TANGENT, CRASHES, MATTERS, STRANGER, ALL, FIRST, FAULTS };

static enum Fault fault;

static const char *const copies[][2] = {{"p_old", "p"}, {NULL, NULL}}, *const strange[][2] = {
                                                                           {"p_old", "q"},
                                                                           {NULL, NULL}};
static const char *const all[][2] = {{"p_old", "p"}, {"p", "p_old"}, {NULL, NULL}},
                         *const first[][2] = {{"p", "p_old"}, {NULL, NULL}};

/* NULLs are written to on purpose. */
__attribute__((no_sanitize("address", "undefined"))) static void
step(const HgBox *b, const HgRows x[], const HgRowsOut y[], bool crashes, double factor) {
  const double matters = fault == MATTERS && !y[OLD] ? 1e-9 : 0;
  for (int j = b->j0; j < b->j1; j++) {
    for (int i = b->i0; i < b->i1; i++) y[P][j][i] = (2 + matters) * x[P][j][i] - x[OLD][j][i];
    if (!y[OLD] && !crashes) continue;
    for (int i = b->i0; i < b->i1; i++) y[OLD][j][i] = factor * x[P][j][i];
  }
}

static void apply(const HgBox *b, const void *params, const HgRows x[], const HgRowsOut y[]) {
  (void)params;
  step(b, x, y, fault == CRASHES, fault == OTHER ? 1 + 1e-9 : 1);
}

static void tangent(const HgBox *b, const void *params, const HgRows x[], const HgRows dx[],
                    const HgRowsOut dy[]) {
  (void)params;
  (void)x;
  step(b, dx, dy, false, fault == OTHER_TANGENT ? 1 + 1e-9 : 1);
}

static void adjoint(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                    const HgRowsOut x_bar[]) {
  (void)params;
  (void)x;
  for (int j = b->j0; j < b->j1; j++)
    for (int i = b->i0; i < b->i1; i++) {
      if (x_bar[P]) x_bar[P][j][i] += 2 * y_bar[P][j][i] + y_bar[OLD][j][i];
      if (x_bar[OLD]) x_bar[OLD][j][i] -= y_bar[P][j][i];
    }
}

static const struct {
  HgCheckId check;
  const char *text;
} expected[FAULTS] = {
    [OTHER] = {HG_CHECK_COPY, "apply: 'p_old' is said to be a copy of 'p', but differs"},
    [OTHER_TANGENT] = {HG_CHECK_COPY, "tangent: 'p_old' is said to be a copy of 'p'"},
    [CRASHES] = {HG_CHECK_COPY, "apply crashes if what it `copies` is not wanted (NULL)"},
    [MATTERS] = {HG_CHECK_COPY, "'p' depends on whether copies are wanted"},
    [ALL] = {HG_CHECK_DECLARATION, "copies are not the last of its writes, or are all of them"},
    [FIRST] = {HG_CHECK_DECLARATION, "copies are not the last of its writes"},
    [STRANGER] = {HG_CHECK_DECLARATION, "copies names variables that it does not write, or not"},
};

static PetscErrorCode test(enum Fault which) {
  const HgStencil s = {
      .name = "wave",
      .reads = (const HgRead[]){{"p", 0, HG_ADJOINT_UNUSED},
                                {"p_old", 0, HG_ADJOINT_UNUSED},
                                {NULL, 0, 0}},
      .writes = (const char *const[]){"p", "p_old", NULL},
      .apply = apply,
      .tangent = tangent,
      .adjoint = adjoint,
      .copies = which == STRANGER ? strange
                : which == ALL    ? all
                : which == FIRST  ? first
                                  : copies,
  };
  HgFindings report;
  bool found = which == NONE;
  char text[256] = "";
  fault = which;
  PetscCall(HgExamineStencil(&s, NULL, NULL, NULL, &report));
  claim_that(!report.findings == (which == NONE), "fault %d: passes %d", which, !report.findings);
  for (int k = 0; k < report.findings && !found; k++) {
    HgFindingText(&report.finding[k], sizeof text, text);
    found = report.finding[k].check == expected[which].check && strstr(text, expected[which].text);
  }
  claim_that(found, "fault %d: '%s' found, expected '%s'", which, text, expected[which].text);
  return 0;
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("what is said to be a copy is checked", 0);
  for (int which = NONE; which < FAULTS && !ierr; which++) ierr = test((enum Fault)which);
  return claim_end(ierr);
}
