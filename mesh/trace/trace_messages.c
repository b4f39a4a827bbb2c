/* SPDX-License-Identifier: BSD-2-Clause */
/* MPI's messages and waits, as the trace sees them: see trace_calls_private.h. */
#include "trace_calls_private.h"

enum { MOST = 1024 };

typedef MPI_Request Requests[];
typedef MPI_Status Statuses[];

/* Messages that are complete when the call returns. */
#define BLOCKING_SEND(Name)                                                                        \
  HG_CALL(Name)(const void *out, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm) {     \
    if (!HG_TRACES) return HG_MPI(Name)(out, n, type, peer, tag, comm);                            \
    const int place = HG_TRACE->message("send", n, type, peer, tag, comm);                         \
    const HgTraceWait outer = HG_TRACE->wait_begin("MPI_" #Name, place);                           \
    const int code = HG_MPI(Name)(out, n, type, peer, tag, comm);                                  \
    HG_TRACE->wait_end(outer, place);                                                              \
    return code;                                                                                   \
  }
BLOCKING_SEND(Send)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Bsend)
BLOCKING_SEND(Rsend)

/* Messages that are complete when their request is. */
#define BEGIN(Name, event, Buffer)                                                                 \
  HG_CALL(Name)                                                                                    \
  (Buffer * x, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request) { \
    if (!HG_TRACES) return HG_MPI(Name)(x, n, type, peer, tag, comm, request);                     \
    const int place = HG_TRACE->message(event, n, type, peer, tag, comm);                          \
    const int code = HG_MPI(Name)(x, n, type, peer, tag, comm, request);                           \
    HG_TRACE->request(place, *request);                                                            \
    return code;                                                                                   \
  }
BEGIN(Isend, "send", const void)
BEGIN(Issend, "send", const void)
BEGIN(Ibsend, "send", const void)
BEGIN(Irsend, "send", const void)
BEGIN(Irecv, "recv", void)

HG_CALL(Recv)

(void *in, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  if (!HG_TRACES) return HG_MPI(Recv)(in, n, type, peer, tag, comm, status);
  MPI_Status own;
  const int place = HG_TRACE->message("recv", n, type, peer, tag, comm);
  const HgTraceWait outer = HG_TRACE->wait_begin("MPI_Recv", place);
  const int code = HG_MPI(Recv)(in, n, type, peer, tag, comm, &own);
  HG_TRACE->got(place, &own);
  HG_TRACE->wait_end(outer, place);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

HG_CALL(Sendrecv)

(const void *out, int n, MPI_Datatype type, int to, int tag, void *in, int n_in,
 MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm, MPI_Status *status) {
  if (!HG_TRACES)
    return HG_MPI(Sendrecv)(out, n, type, to, tag, in, n_in, type_in, from, tag_in, comm, status);
  MPI_Status own;
  const int sent = HG_TRACE->message("send", n, type, to, tag, comm);
  const int place = HG_TRACE->message("recv", n_in, type_in, from, tag_in, comm);
  const HgTraceWait outer = HG_TRACE->wait_begin("MPI_Sendrecv", sent);
  const HgTraceWait inner = HG_TRACE->wait_begin("MPI_Sendrecv", place);
  const int code =
      HG_MPI(Sendrecv)(out, n, type, to, tag, in, n_in, type_in, from, tag_in, comm, &own);
  HG_TRACE->got(place, &own);
  HG_TRACE->wait_end(inner, place);
  HG_TRACE->wait_end(outer, sent);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

HG_CALL(Probe)(int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  if (!HG_TRACES) return HG_MPI(Probe)(peer, tag, comm, status);
  const int place = HG_TRACE->message("probe", 0, MPI_DATATYPE_NULL, peer, tag, comm);
  const HgTraceWait outer = HG_TRACE->wait_begin("MPI_Probe", place);
  const int code = HG_MPI(Probe)(peer, tag, comm, status);
  HG_TRACE->wait_end(outer, place);
  return code;
}

/* The last message that a matched probe took out of the queue; it is received next. */
static MPI_Comm matched_comm = MPI_COMM_NULL;

HG_CALL(Mprobe)(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  if (!HG_TRACES) return HG_MPI(Mprobe)(peer, tag, comm, message, status);
  const int place = HG_TRACE->message("probe", 0, MPI_DATATYPE_NULL, peer, tag, comm);
  const HgTraceWait outer = HG_TRACE->wait_begin("MPI_Mprobe", place);
  const int code = HG_MPI(Mprobe)(peer, tag, comm, message, status);
  HG_TRACE->wait_end(outer, place);
  matched_comm = comm;
  return code;
}

HG_CALL(Mrecv)(void *in, int n, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {
  if (!HG_TRACES || *message == MPI_MESSAGE_NO_PROC)
    return HG_MPI(Mrecv)(in, n, type, message, status);
  MPI_Status own;
  const int place = HG_TRACE->message("recv", n, type, MPI_ANY_SOURCE, MPI_ANY_TAG, matched_comm);
  const HgTraceWait outer = HG_TRACE->wait_begin("MPI_Mrecv", place);
  const int code = HG_MPI(Mrecv)(in, n, type, message, &own);
  HG_TRACE->got(place, &own);
  HG_TRACE->wait_end(outer, place);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

#define LIST(...) __VA_ARGS__

/* Waits for or tests one of several requests: is one `done`, and which; MPI_UNDEFINED: all are
   null. MPI_Test() does not wait, but traces a message that it finds complete. */
#define ONE_OF(Name, parameters, arguments, count, requests, done, which)                          \
  HG_CALL(Name)(parameters, MPI_Status * status) {                                                 \
    if (!HG_TRACES) return HG_MPI(Name)(arguments, status);                                        \
    MPI_Status own;                                                                                \
    const HgTraceWait outer = HG_TRACE->wait_begin("MPI_" #Name, -1);                              \
    HG_TRACE->await(count, requests);                                                              \
    const int code = HG_MPI(Name)(arguments, &own);                                                \
    if (done && which != MPI_UNDEFINED) HG_TRACE->complete(which, &own);                           \
    HG_TRACE->wait_end(outer, -1);                                                                 \
    if (done && status != MPI_STATUS_IGNORE) *status = own;                                        \
    return code;                                                                                   \
  }
ONE_OF(Wait, MPI_Request *request, request, 1, request, true, 0)
ONE_OF(Test, LIST(MPI_Request *request, int *flag), LIST(request, flag), 1, request, *flag, 0)
ONE_OF(Waitany, LIST(int count, Requests requests, int *index), LIST(count, requests, index), count,
       requests, true, *index)
ONE_OF(Testany, LIST(int count, Requests requests, int *index, int *flag),
       LIST(count, requests, index, flag), count, requests, *flag, *index)

/* Waits for requests one by one as they complete, so that the watchdog knows which do not. */
static int wait_for_all(int count, Requests requests, Statuses statuses) {
  static int index[MOST];
  static MPI_Status status[MOST];
  for (int k = 0; k < count && statuses != MPI_STATUSES_IGNORE; k++) {
    MPI_Request none = MPI_REQUEST_NULL;
    HG_MPI(Wait)(&none, &statuses[k]); /* what MPI_Waitall gives for a request that is none */
  }
  for (;;) {
    int completed;
    const int code = HG_MPI(Waitsome)(count, requests, &completed, index, status);
    if (completed == MPI_UNDEFINED) return MPI_SUCCESS;
    for (int k = 0; k < completed; k++) {
      HG_TRACE->complete(index[k], &status[k]);
      if (statuses != MPI_STATUSES_IGNORE) statuses[index[k]] = status[k];
    }
    if (code != MPI_SUCCESS) return code;
  }
}

/* Which have completed: index[k]; NULL: all. */
static void complete(int completed, const int index[], const MPI_Status statuses[]) {
  for (int k = 0; completed != MPI_UNDEFINED && k < completed; k++)
    HG_TRACE->complete(index ? index[k] : k,
                       statuses != MPI_STATUSES_IGNORE ? &statuses[k] : MPI_STATUS_IGNORE);
}

HG_CALL(Waitall)(int count, Requests requests, Statuses statuses) {
  if (!HG_TRACES) return HG_MPI(Waitall)(count, requests, statuses);
  const HgTraceWait outer = HG_TRACE->wait_begin("MPI_Waitall", -1);
  int code;
  HG_TRACE->await(count, requests);
  if (count <= MOST) code = wait_for_all(count, requests, statuses);
  else {
    code = HG_MPI(Waitall)(count, requests, statuses);
    complete(count, NULL, statuses);
  }
  HG_TRACE->wait_end(outer, -1);
  return code;
}

#define SOME_OF(Name)                                                                              \
  HG_CALL(Name)(int count, Requests requests, int *completed, int index[], Statuses statuses) {    \
    if (!HG_TRACES) return HG_MPI(Name)(count, requests, completed, index, statuses);              \
    const HgTraceWait outer = HG_TRACE->wait_begin("MPI_" #Name, -1);                              \
    HG_TRACE->await(count, requests);                                                              \
    const int code = HG_MPI(Name)(count, requests, completed, index, statuses);                    \
    complete(*completed, index, statuses);                                                         \
    HG_TRACE->wait_end(outer, -1);                                                                 \
    return code;                                                                                   \
  }
SOME_OF(Waitsome)
SOME_OF(Testsome)

HG_CALL(Testall)(int count, Requests requests, int *flag, Statuses statuses) {
  if (!HG_TRACES) return HG_MPI(Testall)(count, requests, flag, statuses);
  const HgTraceWait outer = HG_TRACE->wait_begin("MPI_Testall", -1);
  HG_TRACE->await(count, requests);
  const int code = HG_MPI(Testall)(count, requests, flag, statuses);
  complete(*flag ? count : 0, NULL, statuses);
  HG_TRACE->wait_end(outer, -1);
  return code;
}

HG_CALL(Request_free)(MPI_Request *request) {
  if (HG_TRACES) HG_TRACE->freed(*request);
  return HG_MPI(Request_free)(request);
}

#ifdef HG_IN_FRONT_OF_MPI
const HgTraceTable *hg_trace_table;

HgTraceAttachFn hg_trace_attach;

bool hg_trace_attach(const HgTraceTable *table) {
  if (table && table->size != sizeof *table) return false;
  hg_trace_table = table;
  return true;
}
#endif
