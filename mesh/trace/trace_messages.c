/* MPI's messages and waits, seen by the trace: each function stands in front of MPI's own, which
   has the same name with a P (MPI-3.1, 14.2). No <petscsys.h> here: its macros would hide the
   names. */
#include "trace_private.h"

enum { MOST = 1024 };

typedef MPI_Request Requests[];
typedef MPI_Status Statuses[];

/* Messages that are there when the call returns. */
#define BLOCKING_SEND(Name)                                                                        \
  HG_IN_FRONT MPI_##Name(const void *out, int n, MPI_Datatype type, int peer, int tag,             \
                         MPI_Comm comm) {                                                          \
    if (!hg_trace_on) return PMPI_##Name(out, n, type, peer, tag, comm);                           \
    const int place = HgTraceMessage("send", n, type, peer, tag, comm);                            \
    const HgTraceWait outer = HgTraceWaitBegin("MPI_" #Name, place);                               \
    const int code = PMPI_##Name(out, n, type, peer, tag, comm);                                   \
    HgTraceWaitEnd(outer, place);                                                                  \
    return code;                                                                                   \
  }
BLOCKING_SEND(Send)
BLOCKING_SEND(Ssend)
BLOCKING_SEND(Bsend)
BLOCKING_SEND(Rsend)

/* Messages that are there when their request is complete. */
#define BEGIN_SEND(Name)                                                                           \
  HG_IN_FRONT MPI_##Name(const void *out, int n, MPI_Datatype type, int peer, int tag,             \
                         MPI_Comm comm, MPI_Request *request) {                                    \
    if (!hg_trace_on) return PMPI_##Name(out, n, type, peer, tag, comm, request);                  \
    const int place = HgTraceMessage("send", n, type, peer, tag, comm);                            \
    const int code = PMPI_##Name(out, n, type, peer, tag, comm, request);                          \
    HgTraceRequest(place, *request);                                                               \
    return code;                                                                                   \
  }
BEGIN_SEND(Isend)
BEGIN_SEND(Issend)
BEGIN_SEND(Ibsend)
BEGIN_SEND(Irsend)

HG_IN_FRONT MPI_Irecv(void *in, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                      MPI_Request *request) {
  if (!hg_trace_on) return PMPI_Irecv(in, n, type, peer, tag, comm, request);
  const int place = HgTraceMessage("recv", n, type, peer, tag, comm);
  const int code = PMPI_Irecv(in, n, type, peer, tag, comm, request);
  HgTraceRequest(place, *request);
  return code;
}

HG_IN_FRONT MPI_Recv(void *in, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                     MPI_Status *status) {
  if (!hg_trace_on) return PMPI_Recv(in, n, type, peer, tag, comm, status);
  MPI_Status own;
  const int place = HgTraceMessage("recv", n, type, peer, tag, comm);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Recv", place);
  const int code = PMPI_Recv(in, n, type, peer, tag, comm, &own);
  HgTraceGot(place, &own);
  HgTraceWaitEnd(outer, place);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

HG_IN_FRONT MPI_Sendrecv(const void *out, int n, MPI_Datatype type, int to, int tag, void *in,
                         int n_in, MPI_Datatype type_in, int from, int tag_in, MPI_Comm comm,
                         MPI_Status *status) {
  if (!hg_trace_on)
    return PMPI_Sendrecv(out, n, type, to, tag, in, n_in, type_in, from, tag_in, comm, status);
  MPI_Status own;
  const int sent = HgTraceMessage("send", n, type, to, tag, comm);
  const int place = HgTraceMessage("recv", n_in, type_in, from, tag_in, comm);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Sendrecv", sent);
  const HgTraceWait inner = HgTraceWaitBegin("MPI_Sendrecv", place);
  const int code =
      PMPI_Sendrecv(out, n, type, to, tag, in, n_in, type_in, from, tag_in, comm, &own);
  HgTraceGot(place, &own);
  HgTraceWaitEnd(inner, place);
  HgTraceWaitEnd(outer, sent);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

HG_IN_FRONT MPI_Probe(int peer, int tag, MPI_Comm comm, MPI_Status *status) {
  if (!hg_trace_on) return PMPI_Probe(peer, tag, comm, status);
  const int place = HgTraceMessage("probe", 0, MPI_DATATYPE_NULL, peer, tag, comm);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Probe", place);
  const int code = PMPI_Probe(peer, tag, comm, status);
  HgTraceWaitEnd(outer, place);
  return code;
}

/* The message that a probe has taken out of the queue: the last one, as it is received next. */
static MPI_Comm matched_comm = MPI_COMM_NULL;

HG_IN_FRONT MPI_Mprobe(int peer, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
  if (!hg_trace_on) return PMPI_Mprobe(peer, tag, comm, message, status);
  const int place = HgTraceMessage("probe", 0, MPI_DATATYPE_NULL, peer, tag, comm);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Mprobe", place);
  const int code = PMPI_Mprobe(peer, tag, comm, message, status);
  HgTraceWaitEnd(outer, place);
  matched_comm = comm;
  return code;
}

HG_IN_FRONT MPI_Mrecv(void *in, int n, MPI_Datatype type, MPI_Message *message,
                      MPI_Status *status) {
  if (!hg_trace_on || *message == MPI_MESSAGE_NO_PROC)
    return PMPI_Mrecv(in, n, type, message, status);
  MPI_Status own;
  const int place = HgTraceMessage("recv", n, type, MPI_ANY_SOURCE, MPI_ANY_TAG, matched_comm);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Mrecv", place);
  const int code = PMPI_Mrecv(in, n, type, message, &own);
  HgTraceGot(place, &own);
  HgTraceWaitEnd(outer, place);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

HG_IN_FRONT MPI_Wait(MPI_Request *request, MPI_Status *status) {
  if (!hg_trace_on) return PMPI_Wait(request, status);
  MPI_Status own;
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Wait", -1);
  HgTraceAwait(1, request);
  const int code = PMPI_Wait(request, &own);
  HgTraceComplete(0, &own);
  HgTraceWaitEnd(outer, -1);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

/* One after the other as they complete, so that the watchdog knows which ones do not. */
static int wait_for_all(int count, Requests requests, Statuses statuses) {
  static int index[MOST];
  static MPI_Status status[MOST];
  for (int k = 0; k < count && statuses != MPI_STATUSES_IGNORE; k++) {
    MPI_Request none = MPI_REQUEST_NULL;
    PMPI_Wait(&none, &statuses[k]); /* what MPI_Waitall gives for a request that is none */
  }
  for (;;) {
    int completed;
    const int code = PMPI_Waitsome(count, requests, &completed, index, status);
    if (completed == MPI_UNDEFINED) return MPI_SUCCESS;
    for (int k = 0; k < completed; k++) {
      HgTraceComplete(index[k], &status[k]);
      if (statuses != MPI_STATUSES_IGNORE) statuses[index[k]] = status[k];
    }
    if (code != MPI_SUCCESS) return code;
  }
}

HG_IN_FRONT MPI_Waitall(int count, Requests requests, Statuses statuses) {
  if (!hg_trace_on) return PMPI_Waitall(count, requests, statuses);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Waitall", -1);
  int code;
  HgTraceAwait(count, requests);
  if (count <= MOST) code = wait_for_all(count, requests, statuses);
  else {
    code = PMPI_Waitall(count, requests, statuses);
    for (int k = 0; k < count; k++)
      HgTraceComplete(k, statuses != MPI_STATUSES_IGNORE ? &statuses[k] : MPI_STATUS_IGNORE);
  }
  HgTraceWaitEnd(outer, -1);
  return code;
}

HG_IN_FRONT MPI_Waitany(int count, Requests requests, int *index, MPI_Status *status) {
  if (!hg_trace_on) return PMPI_Waitany(count, requests, index, status);
  MPI_Status own;
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Waitany", -1);
  HgTraceAwait(count, requests);
  const int code = PMPI_Waitany(count, requests, index, &own);
  if (*index != MPI_UNDEFINED) HgTraceComplete(*index, &own);
  HgTraceWaitEnd(outer, -1);
  if (status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

static void complete_some(int completed, const int index[], const MPI_Status statuses[]) {
  for (int k = 0; completed != MPI_UNDEFINED && k < completed; k++)
    HgTraceComplete(index[k], statuses != MPI_STATUSES_IGNORE ? &statuses[k] : MPI_STATUS_IGNORE);
}

HG_IN_FRONT MPI_Waitsome(int count, Requests requests, int *completed, int index[],
                         Statuses statuses) {
  if (!hg_trace_on) return PMPI_Waitsome(count, requests, completed, index, statuses);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Waitsome", -1);
  HgTraceAwait(count, requests);
  const int code = PMPI_Waitsome(count, requests, completed, index, statuses);
  complete_some(*completed, index, statuses);
  HgTraceWaitEnd(outer, -1);
  return code;
}

/* MPI_Test() is no wait, but a message that it finds complete is traced. */
HG_IN_FRONT MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
  if (!hg_trace_on) return PMPI_Test(request, flag, status);
  MPI_Status own;
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Test", -1);
  HgTraceAwait(1, request);
  const int code = PMPI_Test(request, flag, &own);
  if (*flag) HgTraceComplete(0, &own);
  HgTraceWaitEnd(outer, -1);
  if (*flag && status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

HG_IN_FRONT MPI_Testall(int count, Requests requests, int *flag, Statuses statuses) {
  if (!hg_trace_on) return PMPI_Testall(count, requests, flag, statuses);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Testall", -1);
  HgTraceAwait(count, requests);
  const int code = PMPI_Testall(count, requests, flag, statuses);
  for (int k = 0; *flag && k < count; k++)
    HgTraceComplete(k, statuses != MPI_STATUSES_IGNORE ? &statuses[k] : MPI_STATUS_IGNORE);
  HgTraceWaitEnd(outer, -1);
  return code;
}

HG_IN_FRONT MPI_Testany(int count, Requests requests, int *index, int *flag, MPI_Status *status) {
  if (!hg_trace_on) return PMPI_Testany(count, requests, index, flag, status);
  MPI_Status own;
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Testany", -1);
  HgTraceAwait(count, requests);
  const int code = PMPI_Testany(count, requests, index, flag, &own);
  if (*flag && *index != MPI_UNDEFINED) HgTraceComplete(*index, &own);
  HgTraceWaitEnd(outer, -1);
  if (*flag && status != MPI_STATUS_IGNORE) *status = own;
  return code;
}

HG_IN_FRONT MPI_Testsome(int count, Requests requests, int *completed, int index[],
                         Statuses statuses) {
  if (!hg_trace_on) return PMPI_Testsome(count, requests, completed, index, statuses);
  const HgTraceWait outer = HgTraceWaitBegin("MPI_Testsome", -1);
  HgTraceAwait(count, requests);
  const int code = PMPI_Testsome(count, requests, completed, index, statuses);
  complete_some(*completed, index, statuses);
  HgTraceWaitEnd(outer, -1);
  return code;
}

HG_IN_FRONT MPI_Request_free(MPI_Request *request) {
  if (hg_trace_on) HgTraceFreed(*request);
  return PMPI_Request_free(request);
}
