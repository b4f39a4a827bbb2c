/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps of an exchange and a sum, forward and back, in which one rank skips one of them or keeps
   the others waiting, as -skip exchange|sum|collective|nothing, -way forward|adjoint, -at STEP,
   -busy SECONDS say (the collective, an allgather, is there to be skipped only); -pace SECONDS is
   the time of a step; with -keep that rank keeps a sentence from its step on. With -foreign nothing
   of this: messages on communicators whose ranks are not the world's. trace.py looks at what the
   watchdog and the trace say of it. */
#include "destroy.h"
#include "toy_operators.h"
#include <halograd/collective.h>
#include <halograd/error_library.h>
#include <halograd/operator_library.h>
#include <halograd/state_library.h>
#include <halograd/trace_library.h>
#include <string.h>
#include <time.h>

enum { STEPS = 6, CULPRIT = 1 };

static struct {
  char skip[16], way[16];
  int at;
  double pace, busy;
  PetscBool keep, foreign;
} plan = {.way = "forward"};

static PetscErrorCode read_plan(void) {
  PetscCall(PetscOptionsGetString(NULL, NULL, "-skip", plan.skip, sizeof plan.skip, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-way", plan.way, sizeof plan.way, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-at", &plan.at, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-pace", &plan.pace, NULL));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-keep", &plan.keep));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-foreign", &plan.foreign));
  return PetscOptionsGetReal(NULL, NULL, "-busy", &plan.busy, NULL);
}

static void pass(double seconds) {
  struct timespec rest = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  while (nanosleep(&rest, &rest)) continue;
}

static bool skips(const char what[], const char way[], int step, int rank) {
  return rank == CULPRIT && !strcmp(plan.skip, what) && !strcmp(plan.way, way) && step == plan.at;
}

/* What the culprit does at the beginning of its step. */
static void begin_step(int step) {
  if (step != plan.at) return;
  pass(plan.busy);
  if (!plan.keep) return;
  HgErrorHold(true);
  HgError(PETSC_COMM_SELF, HG_ERR_CHECK_FAILED, "planted: this is kept in step %d", step);
}

/* From rank `from` of a communicator to rank `to`. */
static PetscErrorCode tell(MPI_Comm comm, bool from, int to, bool here, int tag) {
  int number = 0;
  if (from) PetscCallMPI(MPI_Send(&number, 1, MPI_INT, to, tag, comm));
  if (here)
    PetscCallMPI(MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE));
  return 0;
}

/* World rank 0 to 2 over an intercommunicator, as its peer 1; 0 to 3 where ranks are reversed, as
   rank 0; 0 to 1 by a communicator that may have the handle of the one before. */
static PetscErrorCode tell_foreigners(int rank) {
  MPI_Comm half, bridge, other;
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, rank > 0, rank, &half));
  PetscCallMPI(MPI_Intercomm_create(half, 0, PETSC_COMM_WORLD, rank > 0 ? 0 : 1, 5, &bridge));
  PetscCall(tell(bridge, rank == 0, 1, rank == 2, 77));
  PetscCallMPI(MPI_Comm_disconnect(&bridge));
  PetscCallMPI(MPI_Comm_disconnect(&half));
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, 0, -rank, &other));
  PetscCall(tell(other, rank == 0, 0, rank == 3, 78));
  PetscCallMPI(MPI_Comm_disconnect(&other));
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, 0, rank, &other));
  PetscCall(tell(other, rank == 0, 1, rank == 1, 79));
  PetscCallMPI(MPI_Comm_disconnect(&other));
  return 0;
}

static PetscErrorCode run(void) {
  static const char *const ways[] = {"forward", "adjoint"};
  static const HgMode directions[] = {HG_PRIMAL, HG_COTANGENT};
  const HgMeshSpec spec = {.nx = 12, .ny = 10, .dx = 1, .dy = 1, .ghost = 1};
  int rank;
  HgMesh mesh;
  HgOperator exchange;
  HgState x, y;
  HgCollective gather;
  double own = 1, all[64] = {0};
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  PetscCall(read_plan());
  if (plan.foreign) return tell_foreigners(rank);
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(exchange_operator(mesh, 1, &exchange));
  PetscCall(HgOperatorCreateInput(exchange, &x));
  PetscCall(HgOperatorCreateOutput(exchange, &y));
  PetscCall(
      HgCollectiveCreate(PETSC_COMM_WORLD, &(HgCollectiveSpec){HG_ALLGATHER, .n = 1}, &gather));
  const bool gathers = !strcmp(plan.skip, "collective");
  for (int way = 0; way < 2; way++)
    for (int k = 0; k < STEPS; k++) {
      const int step = way ? STEPS - 1 - k : k;
      double sum;
      HgTraceContext(NULL, step, directions[way]);
      if (!way && rank == CULPRIT) begin_step(step);
      pass(plan.pace);
      if (!skips("exchange", ways[way], step, rank)) {
        if (way) PetscCall(HgOperatorAdjoint(exchange, x, y, x));
        else PetscCall(HgOperatorApply(exchange, x, y));
      }
      if (gathers && !skips("collective", ways[way], step, rank)) {
        if (way) PetscCall(HgCollectiveAdjoint(gather, NULL, all, &own));
        else PetscCall(HgCollectiveApply(gather, &own, all));
      }
      HgTraceContext("sum of squares", step, directions[way]);
      if (!skips("sum", ways[way], step, rank)) PetscCall(HgStateDot(x, x, &sum));
    }
  HgTraceContext(NULL, -1, HG_NO_MODE);
  PetscCall(HgCollectiveDestroy(&gather));
  return DESTROY(&x, &y, &exchange, &mesh);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (!ierr) ierr = run();
  return HgFinalize(ierr);
}
