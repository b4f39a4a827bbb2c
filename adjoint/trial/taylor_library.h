/* The order in which a Taylor remainder R(e) = ||F(x + e dx) - F(x) - e F'(x) dx|| falls with e: 2
   if the tangent is that of F, 1 if not. The order is fitted where e is smallest and R still well
   above rounding: there a wrong first-order term stands out most, since it falls slower than the
   second-order one. What falls to rounding at once is affine there, and has kinks further away. How
   large rounding is, is measured with steps so small that hardly anything but rounding is left, one
   of them large enough not to vanish where x is added to a large number. */
#ifndef HG_TAYLOR_LIBRARY_H
#define HG_TAYLOR_LIBRARY_H

#include <stdbool.h>

#define HG_TAYLOR_BOUND 1.9

enum { HG_TAYLOR_STEPS = 24, HG_TAYLOR_NOISES = 3 };

/* Remainders R(e) for falling e, and how much of each may be rounding. */
typedef struct {
  int count;
  double e[HG_TAYLOR_STEPS], R[HG_TAYLOR_STEPS], floor[HG_TAYLOR_STEPS];
} HgTaylorSweep;

extern const double hg_taylor_noise[HG_TAYLOR_NOISES], /* e so small that R is rounding */
    hg_taylor_factor;                                  /* of e from one to the next */

bool HgTaylorAdd(HgTaylorSweep *sweep, double e, double R, double floor); /* R above rounding? */

/* The order of R where e is smallest and R well above rounding; INFINITY: it never is, or is at
   most e `rate` there, rate = ||dy||, and rounding one step later. */
double HgTaylorOrder(const HgTaylorSweep *sweep, double rate);

#endif
