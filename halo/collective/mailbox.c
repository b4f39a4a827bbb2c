/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/error_library.h>
#include <halograd/mailbox_library.h>
#include <halograd/trace_library.h>
#include <limits.h>
#include <string.h>
#include <time.h>

typedef struct {
  char *in, *out;
  MPI_Request receive, send;
  int length;        /* bytes of the letter that has arrived */
  bool arrived;      /* and was not taken */
  int posted, heard; /* letters to it, and from it */
} Peer;

struct HgMailbox_s {
  MPI_Comm comm;
  int rank, size;
  size_t words, numbers; /* bytes of a letter's two parts */
  Peer *peer;            /* [size]; used: all workers, or the server alone */
};

enum { TAG = 1 };

static bool is_peer(HgMailbox m, int peer) {
  return peer >= 0 && peer < m->size && peer != m->rank && (!m->rank || !peer);
}

static PetscErrorCode listen(HgMailbox m, int k) {
  PetscCallMPI(MPI_Irecv(m->peer[k].in, (int)(m->words + m->numbers), MPI_BYTE, k, TAG, m->comm,
                         &m->peer[k].receive));
  return 0;
}

PetscErrorCode HgMailboxCreate(MPI_Comm comm, int words, size_t numbers, HgMailbox *mailbox) {
  const size_t bytes = sizeof(int64_t) * (size_t)words + sizeof(double) * numbers;
  PetscCall(HgRequireAlike(comm, "letters of %zu bytes", bytes));
  HgRequire(comm, bytes <= INT_MAX, HG_ERR_OPERATOR,
            "mailbox: a letter of %zu bytes, expected at most %d", bytes, INT_MAX);
  HgMailbox m;
  PetscCall(PetscNew(&m));
  PetscCallMPI(MPI_Comm_dup(comm, &m->comm));
  PetscCallMPI(MPI_Comm_rank(comm, &m->rank));
  PetscCallMPI(MPI_Comm_size(comm, &m->size));
  m->words = sizeof(int64_t) * (size_t)words, m->numbers = sizeof(double) * numbers;
  PetscCall(PetscCalloc1(m->size, &m->peer));
  for (int k = 0; k < m->size; k++) {
    m->peer[k].send = m->peer[k].receive = MPI_REQUEST_NULL;
    if (!is_peer(m, k)) continue;
    PetscCall(PetscMalloc2(m->words + m->numbers, &m->peer[k].in, m->words + m->numbers,
                           &m->peer[k].out));
    PetscCall(listen(m, k));
  }
  *mailbox = m;
  return 0;
}

/* Receives all letters to this rank, also unread ones: a long letter is not sent until it is
   received. */
static PetscErrorCode drain(HgMailbox m) {
  int *posted, *expected;
  PetscCall(PetscMalloc2(m->size, &posted, m->size, &expected));
  for (int k = 0; k < m->size; k++) posted[k] = m->peer[k].posted;
  PetscCallMPI(MPI_Alltoall(posted, 1, MPI_INT, expected, 1, MPI_INT, m->comm));
  for (int k = 0; k < m->size; k++)
    for (Peer *p = &m->peer[k]; p->heard < expected[k]; p->heard++) {
      if (p->arrived) PetscCall(listen(m, k));
      PetscCallMPI(MPI_Wait(&p->receive, MPI_STATUS_IGNORE));
      p->arrived = true;
    }
  return PetscFree2(posted, expected);
}

PetscErrorCode HgMailboxDestroy(HgMailbox *mailbox) {
  HgMailbox m = *mailbox;
  *mailbox = NULL;
  if (!m) return 0;
  PetscCall(drain(m));
  for (int k = 0; k < m->size; k++) {
    Peer *p = &m->peer[k];
    if (!is_peer(m, k)) continue;
    if (!p->arrived) PetscCallMPI(MPI_Cancel(&p->receive));
    PetscCallMPI(MPI_Wait(&p->receive, MPI_STATUS_IGNORE));
    PetscCallMPI(MPI_Wait(&p->send, MPI_STATUS_IGNORE));
    PetscCall(PetscFree2(p->in, p->out));
  }
  PetscCall(PetscFree(m->peer));
  PetscCallMPI(MPI_Comm_free(&m->comm));
  return PetscFree(m);
}

static PetscErrorCode check_peer(HgMailbox m, int peer) {
  HgRequire(MPI_COMM_SELF, is_peer(m, peer), HG_ERR_OPERATOR,
            "mailbox: rank %d and rank %d, expected %s", m->rank, peer,
            m->rank ? "the server, rank 0" : "a worker");
  return 0;
}

PetscErrorCode HgMailboxPost(HgMailbox m, int peer, const int64_t words[], const double numbers[]) {
  PetscCall(check_peer(m, peer));
  Peer *p = &m->peer[peer];
  PetscCallMPI(MPI_Wait(&p->send, MPI_STATUS_IGNORE)); /* it has been answered */
  memcpy(p->out, words, m->words);
  if (numbers) memcpy(p->out + m->words, numbers, m->numbers);
  p->posted++;
  const int outside = HgTraceEnter("mailbox", HG_PRIMAL);
  PetscCallMPI(MPI_Isend(p->out, (int)(m->words + (numbers ? m->numbers : 0)), MPI_BYTE, peer, TAG,
                         m->comm, &p->send));
  HgTraceLeave(outside);
  return 0;
}

/* Tests one peer; also advances what is being sent to it. */
static PetscErrorCode look(HgMailbox m, int k) {
  Peer *p = &m->peer[k];
  int done;
  MPI_Status status;
  PetscCallMPI(MPI_Test(&p->send, &done, MPI_STATUS_IGNORE));
  if (p->arrived) return 0;
  PetscCallMPI(MPI_Test(&p->receive, &done, &status));
  if (!done) return 0;
  p->arrived = true, p->heard++;
  PetscCallMPI(MPI_Get_count(&status, MPI_BYTE, &p->length));
  return 0;
}

PetscErrorCode HgMailboxWait(HgMailbox m, int peer, double seconds, bool *arrived) {
  const double start = MPI_Wtime();
  long pause = 20000; /* [ns] */
  PetscCall(check_peer(m, peer));
  while (!(*arrived = HgMailboxArrived(m, peer)) && MPI_Wtime() - start < seconds) {
    nanosleep(&(struct timespec){0, pause}, NULL);
    if (pause < 1000000) pause += pause / 4;
  }
  return 0;
}

bool HgMailboxArrived(HgMailbox m, int peer) {
  return is_peer(m, peer) && !look(m, peer) && m->peer[peer].arrived;
}

PetscErrorCode HgMailboxTake(HgMailbox m, int peer, int64_t words[], double numbers[]) {
  HgRequire(MPI_COMM_SELF, HgMailboxArrived(m, peer), HG_ERR_OPERATOR,
            "mailbox: rank %d takes a letter of rank %d, but there is none", m->rank, peer);
  Peer *p = &m->peer[peer];
  memcpy(words, p->in, m->words);
  if (numbers && (size_t)p->length == m->words + m->numbers)
    memcpy(numbers, p->in + m->words, m->numbers);
  p->arrived = false;
  return listen(m, peer);
}
