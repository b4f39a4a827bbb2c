/* SPDX-License-Identifier: BSD-2-Clause */
/* The order of a Taylor remainder; see finding_library.h. */
#include <halograd/finding_library.h>

enum { WINDOW = 4 };

#ifdef HALOGRAD_SINGLE
const double hg_taylor_noise[HG_TAYLOR_NOISES] = {5e-5, 2.5e-5, 2e-4}, hg_taylor_first = 0.02,
             hg_taylor_hidden = 3e-4;
#else
const double hg_taylor_noise[HG_TAYLOR_NOISES] = {1e-13, 5e-14, 1e-10}, hg_taylor_first = 1e-2,
             hg_taylor_hidden = 1e-8;
#endif
const double hg_taylor_factor = 0.31622776601683794; /* two steps per decade */
static const double clean_factor = 100, /* rounding then changes the order by 1e-2 at most */
    kinked = 1e4;                       /* what is no rounding after one more step, at order 4 */

static bool clean(const HgTaylorSweep *s, int k) {
  return isfinite(s->R[k]) && s->R[k] > clean_factor * s->floor[k];
}

/* Least squares of log R over log e. */
static double slope(int count, const double e[], const double R[]) {
  double me = 0, mr = 0, top = 0, bottom = 0;
  for (int k = 0; k < count; k++) me += log(e[k]) / count, mr += log(R[k]) / count;
  for (int k = 0; k < count; k++) {
    top += (log(e[k]) - me) * (log(R[k]) - mr);
    bottom += (log(e[k]) - me) * (log(e[k]) - me);
  }
  return top / bottom;
}

double HgTaylorOrder(const HgTaylorSweep *s, double rate) {
  int last = s->count - 1;
  while (last >= 0 && !clean(s, last)) last--;
  if (last < 0) return isfinite(s->R[s->count - 1]) ? INFINITY : NAN;
  int first = last;
  while (first > 0 && last - first + 1 < WINDOW && clean(s, first - 1)) first--;
  const bool ends = last + 1 < s->count && isfinite(s->R[last + 1]);
  const double next = ends ? s->R[last + 1] - s->floor[last + 1] : 0;
  if (first == last) /* barely nonlinear: the best there is */
    return next > 0 ? slope(2, s->e + last, (double[]){s->R[last], next}) : INFINITY;
  const bool kink = s->R[last] > kinked * s->floor[last] && s->R[last] <= s->e[last] * rate;
  return ends && kink ? INFINITY : slope(last - first + 1, s->e + first, s->R + first);
}

bool HgTaylorAdd(HgTaylorSweep *s, double e, double R, double floor) {
  const int k = s->count++;
  s->e[k] = e, s->R[k] = R, s->floor[k] = floor;
  return clean(s, k);
}
