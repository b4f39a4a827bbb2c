/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of a stencil's kernels on a draw, those included that do not end; see trial_private.h. */
#include "trial_private.h"
#include <setjmp.h>
#include <signal.h>

static HgKernel running;

static void rows_of(const HgTrial *t, int set, unsigned which, HgReal *const *rows[]) {
  for (int k = 0; k < HgTrialCount(t, set); k++)
    rows[k] = which >> k & 1 ? t->field[set][k].rows : NULL;
}

static void call(const HgTrial *t, HgKernel kernel, const HgBox *b, unsigned wanted, unsigned no_x,
                 int set) {
  HgReal *const *x[HG_TRIAL_MOST], *const *dx[HG_TRIAL_MOST], *const *y_bar[HG_TRIAL_MOST],
                                                                  *const *dy_bar[HG_TRIAL_MOST],
                                                                      *const *out[HG_TRIAL_MOST];
  const HgStencil *s = t->stencil;
  rows_of(t, HG_X, ~no_x, x);
  rows_of(t, HG_DX, ~no_x, dx);
  rows_of(t, HG_Y_BAR, ~0u, y_bar);
  rows_of(t, HG_DY_BAR, ~0u, dy_bar);
  rows_of(t, set + HgTrialOutput(kernel), wanted, out);
  running = kernel;
  if (kernel == HG_KERNEL_APPLY) s->apply(b, t->params, (const HgRows *)x, out);
  else if (kernel == HG_KERNEL_TANGENT)
    s->tangent(b, t->params, (const HgRows *)x, (const HgRows *)dx, out);
  else if (kernel == HG_KERNEL_ADJOINT)
    s->adjoint(b, t->params, (const HgRows *)x, (const HgRows *)y_bar, out);
  else
    s->second(b, t->params, (const HgRows *)x, (const HgRows *)dx, (const HgRows *)y_bar,
              (const HgRows *)dy_bar, out);
}

bool HgTrialUses(const HgTrial *t, int k, unsigned wanted) {
  const HgStencil *s = t->stencil;
  bool only = false, used = false;
  for (const char *const(*pair)[2] = s->only_for; pair && (*pair)[0]; pair++) {
    if (strcmp((*pair)[0], s->reads[k].name)) continue;
    only = true;
    for (int l = 0; l < t->reads; l++)
      used = used || (!strcmp((*pair)[1], s->reads[l].name) && wanted >> l & 1);
  }
  return s->reads[k].adjoint_radius >= 0 && (used || !only);
}

/* In a trial of `second`, only `second` runs with selections and NULLs: the adjoint need not accept
   the same ones. */
void HgTrialCall(const HgTrial *t, HgKernel kernel, const HgBox *b, unsigned wanted, int set) {
  unsigned no_x = 0;
  if (kernel != t->reverse || !t->bars) wanted = ~0u;
  for (int k = 0; k < t->reads; k++)
    if (kernel == t->reverse && t->nulls && !HgTrialUses(t, k, wanted)) no_x |= 1u << k;
  call(t, kernel, b, wanted, no_x, set);
}

void HgTrialRun(const HgTrial *t, const HgBox *b, int set) {
  for (int n = 0; n < HG_OUTPUTS; n++) HgTrialCall(t, HgTrialKernel(t, n), b, ~0u, set);
}

static sigjmp_buf *before_crash;

static void crashed(int signal) {
  (void)signal;
  siglongjmp(*before_crash, 1);
}

/* Neither a kernel nor a check owns memory here, so leaving either half-way leaks nothing. */
bool HgTrialEnds(void (*function)(void *), void *context, HgKernel *kernel) {
  struct sigaction catch = {.sa_handler = crashed}, segv, bus;
  sigjmp_buf here, *const outer = before_crash;
  volatile bool ends = false;
  sigemptyset(&catch.sa_mask);
  sigaction(SIGSEGV, &catch, &segv);
  sigaction(SIGBUS, &catch, &bus);
  before_crash = &here;
  if (!sigsetjmp(here, 1)) {
    function(context);
    ends = true;
  }
  before_crash = outer;
  *kernel = running;
  sigaction(SIGSEGV, &segv, NULL);
  sigaction(SIGBUS, &bus, NULL);
  return ends;
}

typedef struct {
  HgTrial *t;
  HgKernel kernel;
  unsigned wanted, no_x;
} Call;

static void call_one(void *one) {
  const Call *c = one;
  call(c->t, c->kernel, &c->t->box, c->wanted, c->no_x, HG_ONE);
}

bool HgTrialSurvives(HgTrial *t, HgKernel kernel, unsigned wanted, unsigned no_x) {
  Call c = {t, kernel, wanted, no_x};
  return HgTrialEnds(call_one, &c, &kernel);
}
