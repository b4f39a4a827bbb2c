/* SPDX-License-Identifier: BSD-2-Clause */
/* operators: what ranks tell each other has a value and a derivative.

   1. every collective on small arrays: L, dL along dx = 1 (tangent), dL/dx on each rank (adjoint)
   2. f(theta) = sum_r theta^r as a chain of operators: broadcast, local power, sum
   3. the driver and its workers: (theta + theta^2 + theta^3 + theta^4 - 2)^2 is minimised by
      L-BFGS; the four terms are dealt to however many ranks there are

   Sample runs:
     mpirun -n 4 operators
     mpirun -n 16 operators -theta 1.5 -hg_trace */
#include "operators_cases.h"
#include <halograd/inversion.h>
#include <halograd/options.h>
#include <math.h>

/* ---- 2: theta^rank of the rank's copy of theta, a local operator ---- */
static PetscErrorCode power_apply(void *rank, HgState x, HgState y) {
  HgStateArray(y, 0)[0] = pow(HgStateArray(x, 0)[0], *(int *)rank);
  return 0;
}

static double power_derivative(int rank, HgState x) {
  return rank ? rank * pow(HgStateArray(x, 0)[0], rank - 1) : 0;
}

static PetscErrorCode power_tangent(void *rank, HgState x, HgState dx, HgState dy) {
  HgStateArray(dy, 0)[0] = power_derivative(*(int *)rank, x) * HgStateArray(dx, 0)[0];
  return 0;
}

static PetscErrorCode power_adjoint(void *rank, HgState x, HgState y_bar, HgState x_bar) {
  HgStateArray(x_bar, 0)[0] += power_derivative(*(int *)rank, x) * HgStateArray(y_bar, 0)[0];
  return 0;
}

static PetscErrorCode power(HgMesh mesh, int rank, double theta) {
  static const HgOperatorTable table = {power_apply, power_tangent, power_adjoint, NULL, NULL};
  const HgVariable held = {"theta", "1", HG_LOCAL, rank == 0}, /* rank 0 holds it */
      one = {"theta", "1", HG_LOCAL, 1}, term = {"term", "1", HG_LOCAL, 1},
                   J = {"J", "1", HG_REPLICATED, 1};
  const MPI_Comm comm = HgMeshComm(mesh);
  HgCollective collective;
  HgState x, copies, terms, x_bar;
  HgOperator parts[3], f;
  double value, gradient = 0;
  PetscCall(HgStateCreate(mesh, 1, &held, &x));
  PetscCall(HgStateCreate(mesh, 1, &one, &copies));
  PetscCall(HgStateCreate(mesh, 1, &term, &terms));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_BROADCAST, .n = 1}, &collective));
  PetscCall(HgCollectiveOperator(x, "theta", &collective, &one, &parts[0]));
  PetscCall(HgOperatorCreate("power", copies, terms, &table, &rank, &parts[1]));
  PetscCall(HgCollectiveCreate(comm, &(HgCollectiveSpec){HG_SUM, .n = 1}, &collective));
  PetscCall(HgCollectiveOperator(terms, "term", &collective, &J, &parts[2]));
  PetscCall(HgOperatorChain("sum of powers", 3, parts, &f));
  PetscCall(HgStateDuplicate(x, &x_bar));
  PetscCall(HgStateSetConstant(x, "theta", theta));
  PetscCall(HgOperatorGradient(f, x, &value, x_bar));
  if (rank == 0) gradient = HgStateArray(x_bar, 0)[0];
  PetscCall(PetscPrintf(comm, "power        theta %g: value %.17g derivative %.17g\n", theta, value,
                        gradient));
  PetscCall(HgOperatorDestroy(&f));
  for (int k = 0; k < 3; k++) PetscCall(HgOperatorDestroy(&parts[k]));
  HgState *const states[] = {&x, &copies, &terms, &x_bar};
  for (int k = 0; k < 4; k++) PetscCall(HgStateDestroy(states[k]));
  return 0;
}

/* ---- 3: the driver is TAO on every rank, theta replicated; each rank works on its terms ---- */

/* The sum's adjoint tells a number to all terms, so the sum itself is the adjoint of telling. */
enum { TERMS = 4 };

typedef struct {
  int rank, ranks;
  HgCollective sum; /* of all terms, wherever they are: exact, so the same bits on any ranks */
} Workers;

static PetscErrorCode workers_gradient(void *self, HgState m, double *J, HgState m_bar) {
  const Workers *w = self;
  double theta[TERMS], term[TERMS], term_bar[TERMS], sum, sum_bar, contribution;
  PetscCall(HgCollectiveTranspose(w->sum, NULL, HgStateArray(m, 0), theta)); /* tell theta */
  for (int n = 0, k = w->rank; k < TERMS; n++, k += w->ranks) term[n] = pow(theta[n], k + 1);
  PetscCall(HgCollectiveApply(w->sum, term, &sum));
  *J = (sum - 2) * (sum - 2), sum_bar = 2 * (sum - 2);
  PetscCall(HgCollectiveTranspose(w->sum, NULL, &sum_bar, term_bar));
  for (int n = 0, k = w->rank; k < TERMS; n++, k += w->ranks)
    term_bar[n] *= (k + 1) * pow(theta[n], k);
  PetscCall(HgCollectiveApply(w->sum, term_bar, &contribution));
  HgStateArray(m_bar, 0)[0] += contribution;
  return 0;
}

static PetscErrorCode driver(HgMesh mesh, int rank, int ranks) {
  static const HgOperatorTable table = {.gradient = workers_gradient};
  const HgVariable theta = {"theta", "1", HG_REPLICATED, 1};
  Workers w = {rank, ranks, NULL};
  HgState m;
  HgOperator functional;
  HgInversion inversion;
  HgIterate last;
  const char *reason;
  int terms = 0;
  for (int k = rank; k < TERMS; k += ranks) terms++;
  PetscCall(HgCollectiveCreate(HgMeshComm(mesh),
                               &(HgCollectiveSpec){HG_SUM, .n = terms, .once = true}, &w.sum));
  PetscCall(HgStateCreate(mesh, 1, &theta, &m));
  PetscCall(HgOperatorCreate("driver and workers", m, NULL, &table, &w, &functional));
  PetscCall(HgInversionCreate(functional, &inversion));
  PetscCall(HgInversionSetRules(
      inversion, &(HgInversionRules){.tolerance = 1e-12, .iterations = 100, .evaluations = 1000}));
  PetscCall(HgStateSetConstant(m, "theta", 1)); /* the first guess */
  PetscCall(HgInversionSolve(inversion, m, &last, &reason));
  PetscCall(
      PetscPrintf(HgMeshComm(mesh),
                  "driver       theta + ... + theta^4 = 2: theta %.17g, J %.3g, %d iterations, "
                  "%d evaluations, %s\n",
                  HgStateArray(m, 0)[0], last.J, last.iteration, last.evaluations, reason));
  PetscCall(HgInversionDestroy(&inversion));
  PetscCall(HgOperatorDestroy(&functional));
  PetscCall(HgStateDestroy(&m));
  return HgCollectiveDestroy(&w.sum);
}

static PetscErrorCode operators(void) {
  const MPI_Comm comm = PETSC_COMM_WORLD;
  HgOptions options;
  HgMesh mesh;
  double theta = 2;
  int rank, ranks;
  PetscCall(HgOptionsCreate(comm, "operators", "collectives and their derivatives", &options));
  PetscCall(
      HgOptionsReal(options, "-theta", "exponent of the sum of powers", "", "(-inf, inf)", &theta));
  PetscCall(HgOptionsEnd(options));
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  PetscCall(OperatorsCases(comm));
  /* States live on a mesh; arrays alone need no more of it than a cell for every rank. */
  const HgMeshSpec spec = {.nx = ranks, .ny = 1, .px = ranks, .dx = 1, .dy = 1};
  PetscCall(HgMeshCreate(comm, &spec, &mesh));
  PetscCall(power(mesh, rank, theta));
  PetscCall(driver(mesh, rank, ranks));
  PetscCall(HgOptionsCheckUnused(options));
  return HgMeshDestroy(&mesh);
}

int main(int argc, char **argv) {
  return HgMain(argc, argv, "operators: what ranks tell each other, differentiated\n", operators);
}
