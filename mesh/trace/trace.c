/* SPDX-License-Identifier: BSD-2-Clause */
/* Which operator, step and direction a rank is in, and which messages and collectives have begun:
   see trace.h and trace_private.h. */
#include "trace_private.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEEPEST = 16, COMMUNICATORS = 256 };

typedef struct {
  MPI_Comm comm;
  int *world;           /* [peers] the rank of each in MPI_COMM_WORLD; NULL: the same */
  int id, ranks, peers; /* an intercommunicator's peers are the others; 0: not known */
  long collectives;
} Communicator;

bool hg_trace_on, hg_trace_own;

/* The watchdog reads data that the thread that calls MPI writes. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static HgTraceFrame frame[DEEPEST] = {{.step = -1, .mode = HG_NO_MODE}};
static int depth; /* of the operator entered last; may be more than there is room for */
static HgTraceItem item[HG_TRACE_MOST], last_item;
static int items; /* places in use are below */
static HgTraceWait wait;
static const char *last;
static double last_ended;
static Communicator known[COMMUNICATORS]; /* of the thread that calls MPI alone */
static int communicators, next_id;

double HgTraceTime(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static HgTraceFrame *top(void) { return &frame[depth < DEEPEST ? depth : DEEPEST - 1]; }

/* Copies a name to be printed between quotes, in one line. */
static void copy_name(const char from[], char to[HG_TRACE_NAME]) {
  int k = 0;
  for (; from && from[k] && k < HG_TRACE_NAME - 1; k++) {
    const unsigned char c = (unsigned char)from[k];
    to[k] = c < 32 || c == 127 || c == '"' ? ' ' : from[k];
  }
  to[k] = 0;
}

int HgTraceEnter(const char name[], HgMode mode) {
  if (!hg_trace_on) return 0;
  pthread_mutex_lock(&lock);
  const HgTraceFrame around = *top();
  const int before = depth++;
  HgTraceFrame *f = top();
  copy_name(name, f->name);
  copy_name(HgTraceOperator(&around), f->around);
  f->part[0] = 0, f->step = around.step, f->mode = mode;
  pthread_mutex_unlock(&lock);
  return before;
}

void HgTraceLeave(int before) {
  if (!hg_trace_on) return;
  pthread_mutex_lock(&lock);
  depth = before;
  pthread_mutex_unlock(&lock);
}

void HgTraceContext(const char name[], long step, HgMode mode) {
  if (!hg_trace_on) return;
  pthread_mutex_lock(&lock);
  HgTraceFrame *f = top();
  copy_name(name, f->part);
  f->step = step, f->mode = mode;
  pthread_mutex_unlock(&lock);
}

/* Ranks in MPI_COMM_WORLD of `peers`, looked up once because messages are many. NULL: no memory. */
static int *world_ranks(int count, MPI_Group peers) {
  MPI_Group world;
  int *const in_world = malloc(2 * (size_t)count * sizeof *in_world);
  if (!in_world) return NULL;
  int *const own = in_world + count;
  for (int k = 0; k < count; k++) own[k] = k;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(peers, count, own, world, in_world);
  PMPI_Group_free(&world);
  return in_world;
}

/* Finds a communicator; the world is the first. NULL: too many communicators, or a call without
   one. */
static Communicator *find(MPI_Comm comm) {
  MPI_Group peers;
  int remote = 0;
  if (comm == MPI_COMM_NULL) return NULL;
  if (!communicators && comm != MPI_COMM_WORLD) find(MPI_COMM_WORLD);
  for (int k = 0; k < communicators; k++)
    if (known[k].comm == comm) return &known[k];
  if (communicators == COMMUNICATORS) return NULL;
  Communicator *c = &known[communicators++];
  *c = (Communicator){.comm = comm, .id = next_id++};
  PMPI_Comm_test_inter(comm, &remote);
  if (remote) PMPI_Comm_remote_group(comm, &peers);
  else PMPI_Comm_group(comm, &peers);
  PMPI_Group_size(peers, &c->peers);
  if (comm != MPI_COMM_WORLD && !(c->world = world_ranks(c->peers, peers))) c->peers = 0;
  PMPI_Group_free(&peers);
  PMPI_Comm_size(comm, &c->ranks);
  return c;
}

void HgTraceCommFreed(MPI_Comm comm) {
  for (int k = 0; k < communicators; k++)
    if (known[k].comm == comm) {
      free(known[k].world);
      known[k] = known[--communicators];
      return;
    }
}

void HgTraceForget(void) {
  while (communicators) free(known[--communicators].world);
  frame[0] = (HgTraceFrame){.step = -1, .mode = HG_NO_MODE};
  memset(item, 0, sizeof item);
  last_item = (HgTraceItem){0}, wait = (HgTraceWait){0};
  last = NULL, last_ended = 0;
  depth = items = next_id = 0;
}

/* The rank in MPI_COMM_WORLD, -1: none, or too many communicators. */
static int world_rank(const Communicator *c, int rank) {
  if (!c || rank < 0 || rank >= c->peers) return -1;
  return c->world ? c->world[rank] : rank;
}

/* Stores a copy of `new`. Call it with the lock. */
static int store_item(const HgTraceItem *new) {
  for (int k = 0; k < HG_TRACE_MOST; k++)
    if (!item[k].event) {
      item[k] = *new;
      if (k >= items) items = k + 1;
      return k;
    }
  return -1;
}

static void drop(int place) {
  if (place < 0) return;
  last_item = item[place];
  item[place].event = NULL;
  while (items && !item[items - 1].event) items--;
}

static int enter_item(HgTraceItem *new, MPI_Comm comm) {
  const Communicator *c = find(comm);
  new->peer = world_rank(c, new->peer);
  new->communicator = c ? c->id : -1, new->ranks = c ? c->ranks : 0;
  new->comm = comm, new->request = MPI_REQUEST_NULL, new->awaited = -1;
  pthread_mutex_lock(&lock);
  new->frame = *top();
  const int place = store_item(new);
  pthread_mutex_unlock(&lock);
  HgTracePrint(new->event, new);
  return place;
}

int HgTraceMessage(const char event[], int count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm) {
  int size = 0;
  if (peer == MPI_PROC_NULL) return -1;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  HgTraceItem new = {.event = event, .message = true, .bytes = (int64_t)count * size};
  new.peer = peer == MPI_ANY_SOURCE ? -1 : peer, new.tag = tag == MPI_ANY_TAG ? -1 : tag;
  return enter_item(&new, comm);
}

int HgTraceCollective(const char event[], int64_t bytes, int root, MPI_Comm comm) {
  Communicator *c = find(comm);
  HgTraceItem new = {.event = event, .peer = root, .tag = -1, .bytes = bytes};
  new.number = c ? ++c->collectives : 0;
  return enter_item(&new, comm);
}

void HgTraceRequest(int place, MPI_Request request) {
  if (place < 0) return;
  pthread_mutex_lock(&lock);
  item[place].request = request;
  pthread_mutex_unlock(&lock);
}

HgTraceWait HgTraceWaitBegin(const char call[], int place) {
  const double now = HgTraceTime();
  pthread_mutex_lock(&lock);
  const HgTraceWait outer = wait;
  wait = (HgTraceWait){call, now, 0};
  if (place >= 0) item[place].awaited = 0;
  pthread_mutex_unlock(&lock);
  return outer;
}

/* Several requests may be equal, such as those of small messages that are sent immediately. */
void HgTraceAwait(int count, const MPI_Request requests[]) {
  pthread_mutex_lock(&lock);
  for (int index = 0; index < count; index++) {
    if (requests[index] == MPI_REQUEST_NULL) continue;
    wait.requests++;
    for (int k = 0; k < items; k++)
      if (item[k].event && item[k].awaited < 0 && item[k].request == requests[index]) {
        item[k].awaited = index;
        break;
      }
  }
  pthread_mutex_unlock(&lock);
}

void HgTraceWaitEnd(HgTraceWait outer, int place) {
  const double now = HgTraceTime();
  pthread_mutex_lock(&lock);
  last = wait.call, last_ended = now;
  if (place >= 0) drop(place);
  for (int k = 0; k < items; k++) item[k].awaited = -1;
  wait = outer;
  pthread_mutex_unlock(&lock);
}

void HgTraceGot(int place, const MPI_Status *status) {
  int bytes = 0;
  if (place < 0 || !item[place].message || *item[place].event == 's' || !HgTracePrints()) return;
  HgTraceItem got = item[place];
  if (status != MPI_STATUS_IGNORE && status->MPI_SOURCE >= 0) {
    PMPI_Get_count(status, MPI_BYTE, &bytes);
    got.peer = world_rank(find(got.comm), status->MPI_SOURCE), got.tag = status->MPI_TAG;
    got.bytes = bytes;
  }
  HgTracePrint("got", &got);
}

static int awaited_at(int index) {
  for (int k = 0; k < items; k++)
    if (item[k].event && item[k].awaited == index) return k;
  return -1;
}

void HgTraceComplete(int index, const MPI_Status *status) {
  const int place = awaited_at(index);
  HgTraceGot(place, status);
  pthread_mutex_lock(&lock);
  if (wait.requests) wait.requests--;
  drop(place);
  pthread_mutex_unlock(&lock);
}

void HgTraceFreed(MPI_Request request) {
  pthread_mutex_lock(&lock);
  for (int k = 0; k < items; k++)
    if (item[k].event && item[k].request == request) {
      drop(k);
      break;
    }
  pthread_mutex_unlock(&lock);
}

void HgTraceSnap(HgTraceSnapshot *s) {
  enum { ROOM = sizeof s->item / sizeof *s->item };

  pthread_mutex_lock(&lock);
  s->wait = wait, s->frame = *top(), s->awaited = 0;
  for (int k = 0; k < items; k++)
    if (item[k].event && item[k].awaited >= 0) {
      if (s->awaited < ROOM) s->item[s->awaited] = item[k];
      s->awaited++;
    }
  s->last = last, s->last_ended = last_ended, s->last_item = last_item;
  pthread_mutex_unlock(&lock);
}
