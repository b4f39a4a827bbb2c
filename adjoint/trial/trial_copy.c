/* Writes that are declared copies of reads (HgStencil.copies) are, and apply and tangent leave them
   out where they are not wanted; see check_stencil.h. */
#include <halograd/trial_library.h>
#include <math.h>
#include <string.h>

int HgTrialCopied(const HgTrial *t, int write) {
  const HgStencil *s = t->stencil;
  for (const char *const(*pair)[2] = s->copies; pair && (*pair)[0]; pair++)
    for (int k = 0; k < t->reads; k++)
      if (!strcmp((*pair)[0], s->writes[write]) && !strcmp((*pair)[1], s->reads[k].name)) return k;
  return -1;
}

static void compare(HgTrial *t, HgStencilKernel kernel, int read, int write, const HgTrialField *a,
                    const HgTrialField *b) {
  HgTrialCells(t, HG_STENCIL_COPY, kernel, read, write, HgTrialFieldDiffersIn(&t->box, a, b));
}

static bool survives(HgTrial *t, HgStencilKernel kernel, unsigned wanted) {
  const bool ends = HgTrialSurvives(t, kernel, wanted, 0);
  HgTrialNote(t, HG_STENCIL_COPY, kernel, -1, -1, ends ? 0 : INFINITY, 0, ends);
  return ends;
}

void HgTrialCheckCopies(HgTrial *t) {
  unsigned wanted = 0;
  if (!t->stencil->copies) return;
  for (int k = 0; k < t->writes; k++) {
    const int read = HgTrialCopied(t, k);
    if (read < 0) {
      wanted |= 1u << k;
      continue;
    }
    compare(t, HG_STENCIL_APPLY, read, k, &t->whole.y[k], &t->x[read]);
    compare(t, HG_STENCIL_TANGENT, read, k, &t->whole.dy[k], &t->dx[read]);
  }
  HgTrialReset(t, &t->one, hg_trial_canary);
  const bool apply = survives(t, HG_STENCIL_APPLY, wanted),
             tangent = survives(t, HG_STENCIL_TANGENT, wanted);
  for (int k = 0; k < t->writes; k++) {
    if (!(wanted >> k & 1)) continue;
    if (apply) compare(t, HG_STENCIL_APPLY, -1, k, &t->one.y[k], &t->whole.y[k]);
    if (tangent) compare(t, HG_STENCIL_TANGENT, -1, k, &t->one.dy[k], &t->whole.dy[k]);
  }
}
