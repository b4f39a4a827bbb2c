/* SPDX-License-Identifier: BSD-2-Clause */
/* -next_sensors: which of a grid of candidates tell most about what was found; see problem.h. */
#include "problem_private.h"
#include <halograd/inversion_library.h>
#include <halograd/state_library.h>
#include <math.h>

struct HgNext_s {
  HgProblem p;
  HgObservations *candidate; /* like the first observations: variable, times, noise */
  int samples, taken;
  Vec *z;    /* the controls of each sample */
  double *Y; /* [candidates][times][samples]: what they read */
};

/* Root mean square of the readings' standard deviations. */
static double noise_of(const HgObservations *o) {
  double square = 0;
  int count = 0;
  for (int k = 0; k < o->times * o->sensors; k++)
    if (!isinf(o->sigma[k]))
      square += pow(fmax(o->sigma[k], o->relative * fabs(o->value[k])), 2), count++;
  return sqrt(square / count);
}

/* The mean height of its sensors. */
static double height_of(const HgObservations *o) {
  double sum = 0;
  for (int k = 0; k < o->sensors; k++) sum += o->z[k];
  return sum / o->sensors;
}

PetscErrorCode HgProblemNextCreate(HgProblem p, HgNext *next) {
  HgNext n;
  Vec z;
  *next = NULL;
  if (!p->asked.next_sensors) return 0;
  const HgObservations *const o = p->observations[0];
  const HgSensors grid = {.variable = o->name,
                          .columns = p->asked.candidates[0],
                          .rows = p->asked.candidates[1],
                          .times = o->times,
                          .sigma = noise_of(o)};
  const double end = (double)p->common.steps * HgProgramTimeStep(p->program);
  HgObservations *candidate;
  PetscCall(HgSensorsPlace(&grid, o->unit, HgProgramMesh(p->program), end, &candidate));
  PetscCall(PetscArraycpy(candidate->time, o->time, o->times));
  for (int k = 0; k < candidate->sensors && o->levels; k++) candidate->z[k] = height_of(o);
  PetscCall(PetscNew(&n));
  *n = (struct HgNext_s){.p = p, .candidate = candidate, .samples = p->asked.samples};
  PetscCall(HgExactVecCreate(HgProblemComm(p), HgControlsSize(p->m), &z));
  PetscCall(VecDuplicateVecs(z, n->samples, &n->z));
  PetscCall(VecDestroy(&z));
  PetscCall(
      PetscMalloc1((size_t)candidate->sensors * (size_t)o->times * (size_t)n->samples, &n->Y));
  *next = n;
  return 0;
}

PetscErrorCode HgProblemNextAdd(HgNext n, HgState m, HgState x) {
  HgObservations *const c = n->candidate;
  const int k = n->taken++;
  PetscCall(HgControlsToVec(m, HgInversionRanges(n->p->inversion), 1, n->z[k]));
  PetscCall(HgTwinObserve(n->p->program, n->p->common.steps, x, c));
  for (int s = 0; s < c->sensors; s++)
    for (int t = 0; t < c->times; t++)
      n->Y[((size_t)s * (size_t)c->times + (size_t)t) * (size_t)n->samples + (size_t)k] =
          c->value[t * c->sensors + s];
  return 0;
}

/* Subtracts the mean of the samples. */
static PetscErrorCode centre(HgNext n) {
  const int count = n->samples;
  Vec mean;
  PetscCall(VecDuplicate(n->z[0], &mean));
  for (int k = 0; k < count; k++) PetscCall(VecAXPY(mean, 1.0 / count, n->z[k]));
  for (int k = 0; k < count; k++) PetscCall(VecAXPY(n->z[k], -1, mean));
  for (int r = 0; r < n->candidate->sensors * n->candidate->times; r++) {
    double *const y = n->Y + (size_t)r * (size_t)count, sum = 0;
    for (int k = 0; k < count; k++) sum += y[k] / count;
    for (int k = 0; k < count; k++) y[k] -= sum;
  }
  return VecDestroy(&mean);
}

/* If errors are correlated in time, keeps of each reading what the one before does not tell. The
   results are independent, with equal noise. */
static void whiten(HgNext n) {
  const HgObservations *const c = n->candidate, *const o = n->p->observations[0];
  const size_t count = (size_t)n->samples;
  for (int r = c->sensors * c->times - 1; r >= 0 && o->correlation > 0; r--) {
    const int t = r % c->times;
    double *const y = n->Y + (size_t)r * count;
    if (!t) continue;
    const double x = (c->time[t] - c->time[t - 1]) / o->correlation;
    const double phi = exp(-x), new = sqrt(-expm1(-2 * x));
    for (size_t k = 0; k < count; k++) y[k] = (y[k] - phi * (y - count)[k]) / new;
  }
}

static PetscErrorCode report_sensors(HgNext n, int count, const int chosen[], const double left[]) {
  const HgObservations *const c = n->candidate;
  const HgReport report = HgRunReport(n->p->run);
  const double chance = 1.0 / (n->samples - 1);
  double *x, *y, *z;
  PetscCall(PetscMalloc3(count, &x, count, &y, count, &z));
  for (int s = 0; s < count; s++) {
    char height[32] = "";
    x[s] = c->x[chosen[s]], y[s] = c->y[chosen[s]], z[s] = c->z[chosen[s]];
    if (c->levels) snprintf(height, sizeof height, ", %.6g", z[s]);
    PetscCall(PetscPrintf(HgProblemComm(n->p),
                          "next sensor %d at (%.6g, %.6g%s) %s: variance of the controls x %.3f\n",
                          s + 1, x[s], y[s], height,
                          HgMeshGetMetric(HgProgramMesh(n->p->program))->unit, left[s]));
  }
  if (1 - left[0] < 2 * chance)
    PetscCall(
        PetscPrintf(HgProblemComm(n->p),
                    "next sensors: of %d samples one reading that tells nothing seems to take "
                    "%.2g of the variance, which is too near; take more -samples\n",
                    n->samples, chance));
  PetscCall(HgReportSetReals(report, "posterior.next_sensors.x", count, x));
  PetscCall(HgReportSetReals(report, "posterior.next_sensors.y", count, y));
  if (c->levels) PetscCall(HgReportSetReals(report, "posterior.next_sensors.z", count, z));
  PetscCall(HgReportSetReals(report, "posterior.next_sensors.variance", count, left));
  return PetscFree3(x, y, z);
}

PetscErrorCode HgProblemNextChoose(HgNext n) {
  const HgCandidates candidates = {n->samples, n->candidate->sensors, n->candidate->times,
                                   n->candidate->sigma[0]};
  const int count = n->p->asked.next_sensors;
  double *M, *left;
  int *chosen;
  PetscCall(centre(n));
  whiten(n);
  PetscCall(
      PetscMalloc3((size_t)n->samples * (size_t)n->samples, &M, count, &left, count, &chosen));
  for (int k = 0; k < n->samples; k++)
    PetscCall(VecMDot(n->z[k], n->samples, n->z, M + (size_t)k * (size_t)n->samples));
  PetscCall(HgNextSensors(&candidates, count, M, n->Y, chosen, left));
  PetscCall(report_sensors(n, count, chosen, left));
  return PetscFree3(M, left, chosen);
}

PetscErrorCode HgProblemNextDestroy(HgNext *next) {
  HgNext n = *next;
  *next = NULL;
  if (!n) return 0;
  PetscCall(VecDestroyVecs(n->samples, &n->z));
  PetscCall(PetscFree(n->Y));
  PetscCall(HgObservationsDestroy(&n->candidate));
  return PetscFree(n);
}
