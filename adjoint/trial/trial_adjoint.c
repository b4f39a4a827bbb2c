/* A stencil's adjoint, or its `second`, adds to each cotangent that is wanted, whichever others
   are, or sets it where that is new. */
#include <float.h>
#include <halograd/trial_library.h>
#include <math.h>
#include <string.h>

static const double adding_bound = 10 * DBL_EPSILON;

/* p + (F'^T y_bar from zero) = (F'^T y_bar added to p), p as large as what is added. Contributions
   that are added one by one round as they are, however small their sum is in a cell. */
void HgTrialCheckAdds(HgTrial *t) {
  for (int k = 0; k < t->reads; k++) HgTrialFieldFill(&t->one.x_bar[k], 0);
  HgTrialAdjoint(t, &t->box, ~0u, t->one.x_bar);
  for (int k = 0; k < t->reads; k++) {
    const double size = 2 * t->added[k];
    double worst = 0;
    for (int j = 0; j < t->box.j1; j++)
      for (int i = 0; i < t->box.i1; i++) {
        const double p = t->start[k].rows[j][i], added = t->one.x_bar[k].rows[j][i],
                     error = fabs(t->whole.x_bar[k].rows[j][i] - (p + added));
        worst = fmax(worst, error == 0 ? 0 : error / size);
      }
    HgTrialNote(t, HG_STENCIL_ADDS, t->reverse, k, -1, worst, adding_bound, worst <= adding_bound);
  }
}

void HgTrialCheckWanted(HgTrial *t) {
  for (int n = 0; t->bars && n < HG_TRIAL_MASKS; n++) {
    const unsigned wanted = HgTrialMask(t, n);
    HgTrialReset(t, &t->one, hg_trial_canary);
    HgTrialAdjoint(t, &t->box, wanted, t->one.x_bar);
    for (int k = 0; k < t->reads; k++) {
      const HgTrialField *expected = wanted >> k & 1 ? &t->whole.x_bar[k] : &t->start[k];
      HgTrialCells(t, HG_STENCIL_WANTED, t->reverse, k, -1,
                   HgTrialFieldDiffers(&t->one.x_bar[k], expected));
    }
  }
}

/* x_bar that are new, as bits of `fresh`: NaN before in `one`, which the adjoint sets; 0 in `two`,
   to which it adds. The others are as at the start. */
static void check_fresh(HgTrial *t, unsigned fresh, unsigned wanted, const double *zeros) {
  HgBox box = t->box;
  box.fresh = fresh, box.zeros = zeros;
  HgTrialReset(t, &t->one, 0);
  HgTrialReset(t, &t->two, 0);
  for (int k = 0; k < t->reads; k++)
    if (fresh >> k & 1)
      HgTrialFieldFill(&t->one.x_bar[k], NAN), HgTrialFieldFill(&t->two.x_bar[k], 0);
  HgTrialAdjoint(t, &box, wanted, t->one.x_bar);
  HgTrialAdjoint(t, &t->box, wanted, t->two.x_bar);
  for (int k = 0; k < t->reads; k++) {
    const HgTrialField *a = &t->one.x_bar[k], *b = &t->two.x_bar[k];
    int cells = 0;
    for (int j = 0; (wanted >> k & 1) && j < box.j1; j++)
      for (int i = 0; i < box.i1; i++)
        cells += memcmp(&a->rows[j][i], &b->rows[j][i], sizeof(double)) != 0;
    HgTrialCells(t, HG_STENCIL_FRESH, t->reverse, k, -1, cells);
  }
}

/* The zeros are a row of y, which the adjoint does not know of. */
void HgTrialCheckFresh(HgTrial *t) {
  if (!t->stencil->sets) return;
  for (int n = 0; n < HG_TRIAL_MASKS; n++) {
    const unsigned fresh = HgTrialMask(t, n),
                   wanted = n % 2 && t->bars ? HgTrialMask(t, HG_TRIAL_MASKS - n) : ~0u;
    check_fresh(t, fresh, wanted, t->one.y[0].rows[0]);
  }
}
