/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: the N-th point of a kind fails, once, on the rank that was named, and no other does; at a
   pause the process waits for SIGCONT and goes on. */
#include "claim.h"
#include "refusal.h"
#include <errno.h>
#include <halograd/fault_library.h>
#include <halograd/memory.h>
#include <halograd/state.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POINTS = 5 };

/* Passes POINTS points of every kind; the one that is to fail is number n of `kind` (0: none). */
static void pass(HgFaultKind kind, long n, const char what[]) {
  for (int at = 1; at <= POINTS; at++)
    for (int k = 0; k < HG_FAULTS; k++) {
      errno = 0;
      const bool fails = HgFault((HgFaultKind)k), expected = n == at && (int)kind == k;
      claim_that(fails == expected, "%s: %s number %d: %s", what, HgFaultName((HgFaultKind)k), at,
                 fails ? "fails" : "does not fail");
      claim_that(!fails == !errno, "%s: %s number %d leaves errno %d", what,
                 HgFaultName((HgFaultKind)k), at, errno);
    }
}

static void counted(long expected, const char what[]) {
  for (int k = 0; k < HG_FAULTS; k++)
    claim_same((double)HgFaultCount((HgFaultKind)k), (double)expected, "%s: points of %s", what,
               HgFaultName((HgFaultKind)k));
}

static void points(int ranks) {
  const int last = ranks - 1;
  pass(HG_FAULT_MEMORY, 0, "off");
  counted(0, "off");
  for (int k = 0; k < HG_FAULT_PAUSE; k++) {
    HgFaultSet((HgFaultKind)k, 3, -1);
    pass((HgFaultKind)k, 3, "on every rank");
    counted(POINTS, "on every rank");
    HgFaultSet((HgFaultKind)k, POINTS, last);
    pass((HgFaultKind)k, claim.rank == last ? POINTS : 0, "on the last rank");
  }
  HgFaultSet(HG_FAULT_WRITE, 0, -1);
  pass(HG_FAULT_WRITE, 0, "counted");
  counted(POINTS, "counted");
  HgFaultClear();
  pass(HG_FAULT_WRITE, 0, "cleared");
  counted(POINTS, "cleared");
}

/* A process of its own pauses at its second point alone, and goes on as if nothing had been. */
static void pause_once(void) {
  int status = 0;
  const pid_t child = fork();
  if (!child) {
    bool fails = false;
    HgFaultSet(HG_FAULT_PAUSE, 2, -1);
    for (int at = 1; at <= POINTS; at++) fails |= HgFault(HG_FAULT_PAUSE);
    _exit(fails ? 1 : (int)HgFaultCount(HG_FAULT_PAUSE));
  }
  claim_that(child > 0 && waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) &&
                 WSTOPSIG(status) == SIGSTOP,
             "a pause stops the process, status %d", status);
  claim_that(child > 0 && !kill(child, SIGCONT) && waitpid(child, &status, WUNTRACED) == child &&
                 WIFEXITED(status) && WEXITSTATUS(status) == POINTS,
             "after SIGCONT it goes on, pauses no more and has failed nowhere, status %d", status);
}

/* No memory on one rank is a sentence on all; then there is. */
static PetscErrorCode memory(int ranks) {
  const HgMeshSpec spec = {
      .nx = 4 * ranks, .ny = 4, .px = ranks, .py = 1, .dx = 1, .dy = 1, .ghost = 1};
  const HgVariable variable = {"u", "1", HG_FIELD, 0};
  HgMesh mesh;
  HgState q;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  HgFaultSet(HG_FAULT_MEMORY, 1, ranks - 1);
  REFUSED(HgStateCreate(mesh, 1, &variable, &q), "state: no memory for", "bytes");
  PetscCall(HgStateCreate(mesh, 1, &variable, &q));
  HgFaultClear();
  return DESTROY(&q, &mesh);
}

int main(int argc, char **argv) {
  int ranks;
  PetscErrorCode ierr = HgInitialize(&argc, &argv, "");
  if (ierr) return HgFinalize(ierr);
  claim_begin("the N-th point of a kind fails, once, where it was named", 0);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  points(ranks);
  pause_once();
  return claim_end(memory(ranks));
}
