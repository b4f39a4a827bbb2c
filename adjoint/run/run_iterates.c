/* The iterates of all inversions of a run, one after another. */
#include "run_private.h"
#include <math.h>

enum { VALUES = 4, CURVES = 2 /* of J and misfit */ };

struct HgRunIterates_s {
  int count, room; /* so far; that there is room for */
  int begun;       /* the first one of the inversion under way */
  double *iteration, *J, *misfit, *gradient;
  HgCurve curve[CURVES];
};

PetscErrorCode HgRunIteratesCreate(HgRunIterates *iterates) { return PetscNew(iterates); }

PetscErrorCode HgRunIteratesDestroy(HgRunIterates *iterates) {
  HgRunIterates r = *iterates;
  if (!r) return 0;
  double **const values[VALUES] = {&r->iteration, &r->J, &r->misfit, &r->gradient};
  for (int k = 0; k < VALUES; k++) PetscCall(PetscFree(*values[k]));
  return PetscFree(*iterates);
}

void HgRunIteratesBegin(HgRunIterates r) { r->begun = r->count; }

PetscErrorCode HgRunIteratesAdd(HgRunIterates r, const HgIterate *it, double R) {
  double **const values[VALUES] = {&r->iteration, &r->J, &r->misfit, &r->gradient};
  const double new[VALUES] = {it->iteration, it->J, it->J - R, it->gradient_norm};
  if (r->count == r->room) {
    r->room = PetscMax(64, 2 * r->room);
    for (int k = 0; k < VALUES; k++)
      PetscCall(PetscRealloc(sizeof **values[k] * (size_t)r->room, values[k]));
  }
  for (int k = 0; k < VALUES; k++) (*values[k])[r->count] = new[k];
  r->count++;
  return 0;
}

double HgRunIteratesRemaining(HgRunIterates r, const HgIterate *it) {
  const int k = r->count - 1;
  const double first = r->gradient[r->begun];
  if (k < r->begun + 3 || !(r->gradient[k] > 0) || !(r->gradient[k] < first)) return -1;
  if (!(it->tolerance > 0)) return -1;
  const double pace = log(first / r->gradient[k]), whole = log(1 / it->tolerance);
  return PetscMax(0.0, it->seconds * (whole / pace - 1));
}

int HgRunIteratesGet(HgRunIterates r, const double **iteration, const double **J,
                     const double **misfit) {
  *iteration = r->iteration, *J = r->J, *misfit = r->misfit;
  return r->count;
}

HgPanel HgRunIteratesPanel(HgRunIterates r) {
  const double *const y[CURVES] = {r->J, r->misfit};
  static const char *const labels[CURVES] = {"J", "misfit"};
  for (int k = 0; k < CURVES; k++)
    r->curve[k] = (HgCurve){.label = labels[k], .count = r->count, .x = r->iteration, .y = y[k]};
  return (HgPanel){.title = "convergence",
                   .x_label = "iteration",
                   .y_label = "J",
                   .log_y = true,
                   .curves = CURVES,
                   .curve = r->curve};
}
