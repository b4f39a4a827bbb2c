/* SPDX-License-Identifier: BSD-2-Clause */
#include "peer_process.h"
#include <halograd/real_library.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ANSWER = 256, ARGUMENTS = 5 };

extern char **environ;

/* MPI_Bcast() from rank 0, for which the other ranks sleep: one that looked for it all the time
   would have a core that the peer needs, all of it at real-time priority. They look at once, and
   then less and less often, every millisecond at last. */
static PetscErrorCode broadcast(const PeerProcess *p, int count, MPI_Datatype type, void *buffer) {
  struct timespec moment = {.tv_nsec = 20000};
  MPI_Request request;
  PetscCallMPI(MPI_Ibcast(buffer, count, type, 0, p->comm, &request));
  for (;;) {
    int here;
    PetscCallMPI(MPI_Test(&request, &here, MPI_STATUS_IGNORE));
    if (here) return 0;
    nanosleep(&moment, NULL);
    moment.tv_nsec = PetscMin(2 * moment.tv_nsec, 1000000);
  }
}

/* Rank 0's next answer, on all ranks. */
static PetscErrorCode receive(PeerProcess *p, char text[ANSWER]) {
  int rank;
  PetscCallMPI(MPI_Comm_rank(p->comm, &rank));
  if (rank == 0 && !(p->answers && fgets(text, ANSWER, p->answers))) text[0] = 0;
  PetscCall(broadcast(p, ANSWER, MPI_CHAR, text));
  text[strcspn(text, "\n")] = 0;
  HgRequire(p->comm, text[0], HG_ERR_CHECK_FAILED, "bench: the peer '%s' ended before it answered",
            p->name);
  return 0;
}

/* A process that has ended is found out by its missing answer. */
static void ask(const PeerProcess *p, const char line[]) {
  if (p->answers) send(p->line, line, strlen(line), MSG_NOSIGNAL);
}

/* `command` with one socket as stdin and stdout; without answers if it cannot be started. */
static void spawn(PeerProcess *p, const char *const command[]) {
  int ends[2];
  posix_spawn_file_actions_t actions;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  if (!posix_spawn(&p->pid, command[0], &actions, NULL, (char *const *)command, environ))
    p->answers = fdopen(ends[0], "r");
  p->line = ends[0];
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
}

PetscErrorCode PeerProcessStart(MPI_Comm comm, const char program[], const char *const arguments[],
                                PeerProcess *p, bool *installed) {
  char ranks[16], text[ANSWER];
  const char *command[4 + ARGUMENTS + 1] = {PEERS_SOURCE "/start", PEERS_BUILT, program, ranks};
  int rank, size;
  *p = (PeerProcess){.comm = comm, .name = program};
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  snprintf(ranks, sizeof ranks, "%d", size);
  for (int k = 0; k < ARGUMENTS && arguments[k]; k++) command[4 + k] = arguments[k];
  setenv("PEERS_PRECISION", HG_ROUNDING > 1 ? "single" : "double", 1);
  if (rank == 0) spawn(p, command);
  PetscCall(receive(p, text));
  *installed = !strcmp(text, "ready");
  if (*installed) return 0;
  PetscCall(PetscPrintf(comm, "(%s left out: %s)\n", program, text));
  return PeerProcessEnd(p);
}

PetscErrorCode PeerProcessEnd(PeerProcess *p) {
  int status = 0;
  if (p->answers) {
    fclose(p->answers);
    waitpid(p->pid, &status, 0);
  }
  p->answers = NULL;
  return HgAgree(p->comm, status, HG_ERR_CHECK_FAILED,
                 "bench: the peer '%s' ended with status %d, expected 0", p->name,
                 WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

PetscErrorCode PeerProcessRun(void *self) {
  PeerProcess *p = self;
  char text[ANSWER], *end;
  ask(p, "run\n");
  PetscCall(receive(p, text));
  p->value = strtod(text, &end);
  HgRequire(p->comm, !*end, HG_ERR_CHECK_FAILED,
            "bench: the peer '%s' answered '%s', expected a number", p->name, text);
  return 0;
}

/* The largest difference and the largest value of a field whose rows come one by one. */
static PetscErrorCode compare(const PeerProcess *p, HgState state, const char name[],
                              double largest[2]) {
  const HgPatch *patch = HgMeshGetPatch(HgStateMesh(state));
  const HgMeshSpec *m = HgMeshGetSpec(HgStateMesh(state));
  const size_t nx = (size_t)m->nx;
  bool whole = true;
  int index;
  double *row;
  PetscCall(HgStateIndex(state, name, &index));
  HgReal *const *ours = HgStateRows(state, index);
  PetscCall(PetscMalloc1(nx, &row));
  largest[0] = largest[1] = 0;
  const ptrdiff_t pitch = m->nz ? HgMeshGetPatch(HgStateMesh(state))->pitch : 0;
  for (int n = 0; n < m->ny * PetscMax(m->nz, 1); n++) {
    const int j = m->nz ? n / m->nz : n, k = m->nz ? n % m->nz : 0;
    if (p->answers) whole = whole && fread(row, sizeof *row, nx, p->answers) == nx;
    PetscCall(broadcast(p, m->nx, MPI_DOUBLE, row));
    if (j < patch->j_global || j >= patch->j_global + patch->ny) continue;
    for (int i = 0; i < patch->nx; i++) {
      const double theirs = row[patch->i_global + i];
      const double difference = fabs(ours[j - patch->j_global][k * pitch + i] - theirs);
      largest[0] = fmax(largest[0], isfinite(difference) ? difference : INFINITY);
      largest[1] = fmax(largest[1], fabs(theirs));
    }
  }
  PetscCall(PetscFree(row));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_DOUBLE, MPI_MAX, p->comm));
  return HgAgree(p->comm, !whole, HG_ERR_CHECK_FAILED,
                 "bench: the peer '%s' ended before '%s' was there", p->name, name);
}

PetscErrorCode PeerProcessSame(PeerProcess *p, HgState state, int count,
                               const PeerResult fields[]) {
  const double bound = 1e-12 * HG_ROUNDING;
  double largest[PEER_RESULTS_MOST][2]; /* difference, value */
  PetscCheck(count <= PEER_RESULTS_MOST, p->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%d fields to compare, expected at most %d", count, PEER_RESULTS_MOST);
  ask(p, "fields\n");
  for (int k = 0; k < count; k++) PetscCall(compare(p, state, fields[k].name, largest[k]));
  for (int k = 0; k < count; k++) {
    const double scale = fields[k].factor * largest[fields[k].like][1];
    HgRequire(p->comm, largest[k][1] > 0 && scale > 0 && largest[k][0] <= bound * scale,
              HG_ERR_CHECK_FAILED,
              "bench: '%s' differs from that of '%s' by %g, expected at most %g of %g",
              fields[k].name, p->name, largest[k][0], bound, scale);
  }
  return 0;
}

PetscErrorCode PeerProcessSameValue(const PeerProcess *p, double J) {
  HgRequire(p->comm, fabs(J - p->value) <= 1e-12 * HG_ROUNDING * p->value, HG_ERR_CHECK_FAILED,
            "bench: our J is %.17g, that of '%s' %.17g", J, p->name, p->value);
  return 0;
}
