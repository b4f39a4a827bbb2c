/* Calls of a stencil's kernels on a draw, those included that do not end; see check_stencil.h. */
#include <halograd/trial_library.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

static HgStencilKernel running;

static void rows_of(int count, const HgTrialField f[], double *const *rows[]) {
  for (int k = 0; k < count; k++) rows[k] = f[k].rows;
}

static void rows_wanted(int count, unsigned wanted, const HgTrialField f[], double *const *rows[]) {
  for (int k = 0; k < count; k++) rows[k] = wanted >> k & 1 ? f[k].rows : NULL;
}

static void call_apply(const HgTrial *t, const HgBox *b, unsigned wanted, const HgTrialField x[],
                       const HgTrialField y[]) {
  double *const *in[HG_TRIAL_MOST], *const *out[HG_TRIAL_MOST];
  rows_of(t->reads, x, in);
  rows_wanted(t->writes, wanted, y, out);
  running = HG_STENCIL_APPLY;
  t->stencil->apply(b, t->params, (const HgRows *)in, out);
}

static void call_tangent(const HgTrial *t, const HgBox *b, unsigned wanted, const HgTrialField dx[],
                         const HgTrialField dy[]) {
  double *const *in[HG_TRIAL_MOST], *const *din[HG_TRIAL_MOST], *const *out[HG_TRIAL_MOST];
  rows_of(t->reads, t->x, in);
  rows_of(t->reads, dx, din);
  rows_wanted(t->writes, wanted, dy, out);
  running = HG_STENCIL_TANGENT;
  t->stencil->tangent(b, t->params, (const HgRows *)in, (const HgRows *)din, out);
}

void HgTrialApply(const HgTrial *t, const HgBox *b, const HgTrialField x[],
                  const HgTrialField y[]) {
  call_apply(t, b, ~0u, x, y);
}

void HgTrialTangent(const HgTrial *t, const HgBox *b, const HgTrialField dx[],
                    const HgTrialField dy[]) {
  call_tangent(t, b, ~0u, dx, dy);
}

static void call_adjoint(const HgTrial *t, const HgBox *b, unsigned wanted, unsigned no_x,
                         const HgTrialField x_bar[]) {
  double *const *in[HG_TRIAL_MOST], *const *bar[HG_TRIAL_MOST], *const *out[HG_TRIAL_MOST];
  double *const *din[HG_TRIAL_MOST], *const *dbar[HG_TRIAL_MOST];
  rows_of(t->reads, t->x, in);
  rows_of(t->reads, t->dx, din);
  rows_of(t->writes, t->y_bar, bar);
  rows_of(t->writes, t->dy_bar, dbar);
  rows_wanted(t->reads, wanted, x_bar, out);
  for (int k = 0; k < t->reads; k++)
    if (no_x >> k & 1) in[k] = din[k] = NULL;
  running = t->reverse;
  if (t->reverse == HG_STENCIL_SECOND)
    t->stencil->second(b, t->params, (const HgRows *)in, (const HgRows *)din, (const HgRows *)bar,
                       (const HgRows *)dbar, out);
  else t->stencil->adjoint(b, t->params, (const HgRows *)in, (const HgRows *)bar, out);
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

void HgTrialAdjoint(const HgTrial *t, const HgBox *b, unsigned wanted, const HgTrialField x_bar[]) {
  unsigned no_x = 0;
  if (!t->bars) wanted = ~0u;
  for (int k = 0; k < t->reads; k++)
    if (t->nulls && !HgTrialUses(t, k, wanted)) no_x |= 1u << k;
  call_adjoint(t, b, wanted, no_x, x_bar);
}

void HgTrialRun(const HgTrial *t, const HgBox *b, const HgTrialOutputs *o) {
  HgTrialApply(t, b, t->x, o->y);
  HgTrialTangent(t, b, t->dx, o->dy);
  HgTrialAdjoint(t, b, ~0u, o->x_bar);
}

static sigjmp_buf *before_crash;

static void crashed(int signal) {
  (void)signal;
  siglongjmp(*before_crash, 1);
}

/* A kernel owns nothing, nor does a check, so that nothing is lost when it is left half-way. */
bool HgTrialEnds(void (*call)(void *), void *context, HgStencilKernel *kernel) {
  struct sigaction catch = {.sa_handler = crashed}, segv, bus;
  sigjmp_buf here, *const outer = before_crash;
  volatile bool ends = false;
  sigemptyset(&catch.sa_mask);
  sigaction(SIGSEGV, &catch, &segv);
  sigaction(SIGBUS, &catch, &bus);
  before_crash = &here;
  if (!sigsetjmp(here, 1)) {
    call(context);
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
  HgStencilKernel kernel;
  unsigned wanted, no_x;
} Call;

static void call_one(void *call) {
  const Call *c = call;
  HgTrial *const t = c->t;
  if (c->kernel == HG_STENCIL_APPLY) call_apply(t, &t->box, c->wanted, t->x, t->one.y);
  else if (c->kernel == HG_STENCIL_TANGENT) call_tangent(t, &t->box, c->wanted, t->dx, t->one.dy);
  else call_adjoint(t, &t->box, c->wanted, c->no_x, t->one.x_bar);
}

bool HgTrialSurvives(HgTrial *t, HgStencilKernel kernel, unsigned wanted, unsigned no_x) {
  Call c = {t, kernel, wanted, no_x};
  return HgTrialEnds(call_one, &c, &kernel);
}
