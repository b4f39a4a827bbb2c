/* SPDX-License-Identifier: BSD-2-Clause */
/* MPI's collectives, as the trace sees them: see trace_calls_private.h. */
#include "trace_calls_private.h"

typedef const int Counts[];
typedef const MPI_Datatype Types[];

static int64_t size_of(int count, MPI_Datatype type) {
  int size = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  return (int64_t)count * size;
}

static int ranks_of(MPI_Comm comm) {
  int ranks, remote;
  PMPI_Comm_test_inter(comm, &remote);
  if (remote) PMPI_Comm_remote_size(comm, &ranks);
  else PMPI_Comm_size(comm, &ranks);
  return ranks;
}

static int64_t size_of_all(Counts counts, MPI_Datatype type, MPI_Comm comm) {
  int64_t count = 0;
  for (int k = ranks_of(comm) - 1; k >= 0; k--) count += counts[k];
  return count * size_of(1, type);
}

static int64_t size_of_own(Counts counts, MPI_Datatype type, MPI_Comm comm) {
  int rank;
  PMPI_Comm_rank(comm, &rank);
  return size_of(counts[rank], type);
}

static int64_t size_of_types(Counts counts, Types types, MPI_Comm comm) {
  int64_t size = 0;
  for (int k = ranks_of(comm) - 1; k >= 0; k--) size += size_of(counts[k], types[k]);
  return size;
}

/* `bytes`: what this rank sends (of a scatter: receives). `root`: -1 if there is none. `comm`: null
   for files, which have their own. */
#define LIST(...) __VA_ARGS__
#define ONE(Name, event, parameters, arguments, bytes, root, comm)                                 \
  HG_CALL(Name)(parameters) {                                                                      \
    if (!HG_TRACES) return HG_MPI(Name)(arguments);                                                \
    const int place = HG_TRACE->collective(event, bytes, root, comm);                              \
    const HgTraceWait outer = HG_TRACE->wait_begin("MPI_" #Name, place);                           \
    const int code = HG_MPI(Name)(arguments);                                                      \
    HG_TRACE->wait_end(outer, place);                                                              \
    return code;                                                                                   \
  }

/* The same, and the nonblocking function. */
#define BOTH(Name, IName, event, parameters, arguments, bytes, root)                               \
  ONE(Name, event, LIST(parameters), LIST(arguments), bytes, root, comm)                           \
  HG_CALL(IName)(parameters, MPI_Request * request) {                                              \
    if (!HG_TRACES) return HG_MPI(IName)(arguments, request);                                      \
    const int place = HG_TRACE->collective(event, bytes, root, comm);                              \
    const int code = HG_MPI(IName)(arguments, request);                                            \
    HG_TRACE->request(place, *request);                                                            \
    return code;                                                                                   \
  }
BOTH(Barrier, Ibarrier, "barrier", MPI_Comm comm, comm, 0, -1)
BOTH(Bcast, Ibcast, "bcast", LIST(void *x, int n, MPI_Datatype type, int root, MPI_Comm comm),
     LIST(x, n, type, root, comm), size_of(n, type), root)
BOTH(Reduce, Ireduce, "reduce",
     LIST(const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
     LIST(x, y, n, type, op, root, comm), size_of(n, type), root)
BOTH(Allreduce, Iallreduce, "allreduce",
     LIST(const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     LIST(x, y, n, type, op, comm), size_of(n, type), -1)
BOTH(Scan, Iscan, "scan",
     LIST(const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     LIST(x, y, n, type, op, comm), size_of(n, type), -1)
BOTH(Exscan, Iexscan, "exscan",
     LIST(const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     LIST(x, y, n, type, op, comm), size_of(n, type), -1)
BOTH(Reduce_scatter, Ireduce_scatter, "reduce_scatter",
     LIST(const void *x, void *y, Counts n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     LIST(x, y, n, type, op, comm), size_of_all(n, type, comm), -1)
BOTH(Reduce_scatter_block, Ireduce_scatter_block, "reduce_scatter_block",
     LIST(const void *x, void *y, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
     LIST(x, y, n, type, op, comm), ranks_of(comm) * size_of(n, type), -1)

/* With MPI_IN_PLACE, the other side has the size. */
BOTH(Gather, Igather, "gather",
     LIST(const void *x, int n, MPI_Datatype type, void *y, int n_y, MPI_Datatype type_y, int root,
          MPI_Comm comm),
     LIST(x, n, type, y, n_y, type_y, root, comm),
     x == MPI_IN_PLACE ? size_of(n_y, type_y) : size_of(n, type), root)
BOTH(Gatherv, Igatherv, "gather",
     LIST(const void *x, int n, MPI_Datatype type, void *y, Counts n_y, Counts at,
          MPI_Datatype type_y, int root, MPI_Comm comm),
     LIST(x, n, type, y, n_y, at, type_y, root, comm),
     x == MPI_IN_PLACE ? size_of_own(n_y, type_y, comm) : size_of(n, type), root)
BOTH(Allgather, Iallgather, "allgather",
     LIST(const void *x, int n, MPI_Datatype type, void *y, int n_y, MPI_Datatype type_y,
          MPI_Comm comm),
     LIST(x, n, type, y, n_y, type_y, comm),
     x == MPI_IN_PLACE ? size_of(n_y, type_y) : size_of(n, type), -1)
BOTH(Allgatherv, Iallgatherv, "allgather",
     LIST(const void *x, int n, MPI_Datatype type, void *y, Counts n_y, Counts at,
          MPI_Datatype type_y, MPI_Comm comm),
     LIST(x, n, type, y, n_y, at, type_y, comm),
     x == MPI_IN_PLACE ? size_of_own(n_y, type_y, comm) : size_of(n, type), -1)
BOTH(Scatter, Iscatter, "scatter",
     LIST(const void *x, int n, MPI_Datatype type, void *y, int n_y, MPI_Datatype type_y, int root,
          MPI_Comm comm),
     LIST(x, n, type, y, n_y, type_y, root, comm),
     y == MPI_IN_PLACE ? size_of(n, type) : size_of(n_y, type_y), root)
BOTH(Scatterv, Iscatterv, "scatter",
     LIST(const void *x, Counts n, Counts at, MPI_Datatype type, void *y, int n_y,
          MPI_Datatype type_y, int root, MPI_Comm comm),
     LIST(x, n, at, type, y, n_y, type_y, root, comm),
     y == MPI_IN_PLACE ? size_of_own(n, type, comm) : size_of(n_y, type_y), root)
BOTH(Alltoall, Ialltoall, "alltoall",
     LIST(const void *x, int n, MPI_Datatype type, void *y, int n_y, MPI_Datatype type_y,
          MPI_Comm comm),
     LIST(x, n, type, y, n_y, type_y, comm),
     ranks_of(comm) * (x == MPI_IN_PLACE ? size_of(n_y, type_y) : size_of(n, type)), -1)
BOTH(Alltoallv, Ialltoallv, "alltoall",
     LIST(const void *x, Counts n, Counts at, MPI_Datatype type, void *y, Counts n_y, Counts at_y,
          MPI_Datatype type_y, MPI_Comm comm),
     LIST(x, n, at, type, y, n_y, at_y, type_y, comm),
     x == MPI_IN_PLACE ? size_of_all(n_y, type_y, comm) : size_of_all(n, type, comm), -1)
BOTH(Alltoallw, Ialltoallw, "alltoall",
     LIST(const void *x, Counts n, Counts at, Types type, void *y, Counts n_y, Counts at_y,
          Types type_y, MPI_Comm comm),
     LIST(x, n, at, type, y, n_y, at_y, type_y, comm),
     x == MPI_IN_PLACE ? size_of_types(n_y, type_y, comm) : size_of_types(n, type, comm), -1)

/* Functions without a nonblocking form. */
ONE(Comm_dup, "comm_dup", LIST(MPI_Comm comm, MPI_Comm *made), LIST(comm, made), 0, -1, comm)
ONE(Comm_split, "comm_split", LIST(MPI_Comm comm, int color, int key, MPI_Comm *made),
    LIST(comm, color, key, made), 0, -1, comm)
ONE(Comm_split_type, "comm_split",
    LIST(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
    LIST(comm, type, key, info, made), 0, -1, comm)
ONE(Comm_create, "comm_create", LIST(MPI_Comm comm, MPI_Group group, MPI_Comm *made),
    LIST(comm, group, made), 0, -1, comm)
ONE(File_open, "file_open",
    LIST(MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
    LIST(comm, name, mode, info, file), 0, -1, comm)
ONE(File_close, "file_close", MPI_File *file, file, 0, -1, MPI_COMM_NULL)
ONE(File_set_size, "file_set_size", LIST(MPI_File file, MPI_Offset size), LIST(file, size), 0, -1,
    MPI_COMM_NULL)
ONE(File_set_view, "file_set_view",
    LIST(MPI_File file, MPI_Offset at, MPI_Datatype element, MPI_Datatype type, const char *form,
         MPI_Info info),
    LIST(file, at, element, type, form, info), 0, -1, MPI_COMM_NULL)
ONE(File_sync, "file_sync", MPI_File file, file, 0, -1, MPI_COMM_NULL)
ONE(File_read_at_all, "file_read",
    LIST(MPI_File file, MPI_Offset at, void *x, int n, MPI_Datatype type, MPI_Status *status),
    LIST(file, at, x, n, type, status), size_of(n, type), -1, MPI_COMM_NULL)
ONE(File_write_at_all, "file_write",
    LIST(MPI_File file, MPI_Offset at, const void *x, int n, MPI_Datatype type, MPI_Status *status),
    LIST(file, at, x, n, type, status), size_of(n, type), -1, MPI_COMM_NULL)

HG_CALL(Comm_free)(MPI_Comm *comm) {
  if (HG_TRACES) HG_TRACE->comm_freed(*comm);
  return HG_MPI(Comm_free)(comm);
}

HG_CALL(Comm_disconnect)(MPI_Comm *comm) {
  if (HG_TRACES) HG_TRACE->comm_freed(*comm);
  return HG_MPI(Comm_disconnect)(comm);
}

HG_CALL(Finalize)(void) {
  if (!HG_TRACES) return HG_MPI(Finalize)();
  const HgTraceWait outer = HG_TRACE->wait_begin("MPI_Finalize", -1);
  const int code = HG_MPI(Finalize)();
  HG_TRACE->wait_end(outer, -1);
  HG_TRACE->rest();
  return code;
}
