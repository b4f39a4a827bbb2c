/* SPDX-License-Identifier: BSD-2-Clause */
#include "exact_evidence.h"
#include <math.h>
#include <petscblaslapack.h>

typedef struct {
  const ExactSource *source;
  const ExactReadings *readings;
  const double *G;
  double *X, *K;           /* G P^-1 at h1 = 1; the eigenvectors of its spectrum */
  double *lambda, *square; /* that spectrum; (d^T S^-1/2 v)^2 of each eigenvector v */
  double log_h1, noise;    /* the best of the last quotient */
  bool inside;             /* log_h1 is not at an end of what is searched */
  PetscErrorCode ierr;
} Evidence;

/* ---- the largest value of a function of one number ---- */

typedef double Function(Evidence *e, double x);

/* f at *best, the best point of [low, high]: of a grid, then by golden sections around it. *inside:
   it is not at an end. */
static double maximise(Function *f, Evidence *e, double low, double high, int grid, double *best,
                       bool *inside) {
  enum { SECTIONS = 20 }; /* to 7e-5 of two steps of the grid */

  const double golden = 0.5 * (sqrt(5) - 1), step = (high - low) / grid;
  double top = -INFINITY;
  int at = 0;
  for (int k = 0; k <= grid; k++) {
    const double value = f(e, low + k * step);
    if (value > top) top = value, at = k;
  }
  *inside = at > 0 && at < grid;
  double a = low + PetscMax(at - 1, 0) * step, b = low + PetscMin(at + 1, grid) * step,
         x[2] = {b - golden * (b - a), a + golden * (b - a)}, y[2] = {f(e, x[0]), f(e, x[1])};
  for (int k = 0; k < SECTIONS; k++) {
    const int worse = y[1] > y[0] ? 0 : 1; /* its side goes */
    if (worse == 0) a = x[0], x[0] = x[1], y[0] = y[1], x[1] = a + golden * (b - a);
    else b = x[1], x[1] = x[0], y[1] = y[0], x[0] = b - golden * (b - a);
    y[1 - worse] = f(e, x[1 - worse]);
  }
  *best = 0.5 * (a + b);
  return f(e, *best);
}

/* ---- the evidence ---- */

static PetscErrorCode find_spectrum(Evidence *e, double quotient) {
  const PetscBLASInt n = e->readings->count, cells = e->source->count;
  const PetscScalar one = 1, zero = 0;
  PetscBLASInt room = 8 * n, wrong;
  double *work;
  Mat factor;
  const ExactPrior prior = {.h1 = 1, .tikhonov = quotient};
  PetscCall(ExactSourceFactor(e->source, &prior, &factor));
  for (size_t r = 0; r < (size_t)n; r++)
    PetscCall(
        ExactSourceSolve(e->source, factor, e->G + r * (size_t)cells, e->X + r * (size_t)cells));
  PetscCall(MatDestroy(&factor));
  PetscCallBLAS("BLASgemm", BLASgemm_("T", "N", &n, &n, &cells, &one, e->X, &cells, e->G, &cells,
                                      &zero, e->K, &n));
  for (int c = 0; c < n; c++)
    for (int r = 0; r < n; r++) e->K[c * n + r] /= e->readings->sigma[c] * e->readings->sigma[r];
  PetscCall(PetscMalloc1(room, &work));
  PetscCallBLAS("LAPACKsyev", LAPACKsyev_("V", "U", &n, e->K, &n, e->lambda, work, &room, &wrong));
  PetscCall(PetscFree(work));
  for (int k = 0; k < n; k++) {
    double sum = 0;
    for (int r = 0; r < n; r++)
      sum += e->K[k * n + r] * (e->readings->value[r] / e->readings->sigma[r]);
    e->lambda[k] = fmax(e->lambda[k], 0), e->square[k] = sum * sum;
  }
  return 0;
}

static double at_h1(Evidence *e, double log_h1) {
  double sum = 0;
  for (int k = 0; k < e->readings->count; k++) {
    const double grown = e->lambda[k] * exp(-log_h1);
    sum -= e->square[k] / (1 + grown) + log1p(grown) + 2 * log(e->readings->sigma[k]) +
           log(2 * PETSC_PI);
  }
  return 0.5 * sum;
}

/* The largest for a quotient of the weights times the mean area of a cell. */
static double at_quotient(Evidence *e, double log_quotient) {
  const double decades = log(10);
  if (!e->ierr) e->ierr = find_spectrum(e, exp(log_quotient));
  return maximise(at_h1, e, -10 * decades, 10 * decades, 80, &e->log_h1, &e->inside);
}

/* The largest of a surface. A cell weighs as much by itself as by its faces at a quotient of 1 by
   its area. */
static bool search_surface(Evidence *e, ExactPrior *prior) {
  const ExactBox *box = &e->source->box;
  const double decades = log(10);
  double area = 0, log_quotient;
  bool inside;
  for (int c = 0; c < box->cells; c++) area += box->area[c] / box->cells;
  maximise(at_quotient, e, -5 * decades - log(area), 3 * decades - log(area), 16, &log_quotient,
           &inside);
  *prior = (ExactPrior){exp(e->log_h1), exp(e->log_h1 + log_quotient), 1};
  return inside && e->inside;
}

/* Of slip, at a quotient of the precision of the noise, by the sigmas, and the slip's: the best
   noise is known. */
static double at_slip(Evidence *e, double log_quotient) {
  const int n = e->readings->count;
  double sum = 0, noise = 0;
  for (int k = 0; k < n; k++) noise += e->square[k] / (1 + e->lambda[k] * exp(log_quotient)) / n;
  for (int k = 0; k < n; k++)
    sum -= 1 + log(noise * (1 + e->lambda[k] * exp(log_quotient))) +
           2 * log(e->readings->sigma[k]) + log(2 * PETSC_PI);
  e->noise = sqrt(noise);
  return 0.5 * sum;
}

static bool search_slip(Evidence *e, ExactPrior *prior) {
  const double decades = log(10);
  double log_quotient;
  bool inside;
  e->ierr = find_spectrum(e, 1);
  maximise(at_slip, e, -10 * decades, 10 * decades, 80, &log_quotient, &inside);
  *prior = (ExactPrior){0, exp(-log_quotient) / (e->noise * e->noise), e->noise};
  return inside;
}

static PetscErrorCode search(Evidence *e, ExactPrior *prior, bool *inside) {
  const size_t n = (size_t)e->readings->count;
  PetscCall(PetscMalloc4(n * (size_t)e->source->count, &e->X, n * n, &e->K, n, &e->lambda, n,
                         &e->square));
  *inside = e->source->slip ? search_slip(e, prior) : search_surface(e, prior);
  PetscCall(PetscFree4(e->X, e->K, e->lambda, e->square));
  return e->ierr;
}

PetscErrorCode ExactEvidenceMaximise(const ExactSource *source, const ExactReadings *readings,
                                     const double G[], ExactPrior *prior) {
  Evidence e = {.source = source, .readings = readings, .G = G};
  int rank;
  bool inside = true;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) PetscCall(search(&e, prior, &inside));
  PetscCallMPI(MPI_Bcast(prior, sizeof *prior / sizeof(double), MPI_DOUBLE, 0, PETSC_COMM_WORLD));
  return HgAgree(PETSC_COMM_WORLD, !inside, HG_ERR_CONTROL,
                 "exact posterior: the evidence of these readings still grows where %s is %.3g and "
                 "%s %.3g, the end of what is searched; expected %sweights by hand (-prior hand)",
                 source->slip ? "-slip_tikhonov" : "-tikhonov", prior->tikhonov,
                 source->slip ? "the factor of the noise" : "-h1",
                 source->slip ? prior->noise : prior->h1,
                 source->slip ? "" : "another -prior_power, or ");
}
