/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a collective, for halo/collective/collective*.c only. */
#ifndef HALOGRAD_COLLECTIVE_PRIVATE_H
#define HALOGRAD_COLLECTIVE_PRIVATE_H

#include <halograd/collective.h>

/* Transfers on their way: at most two, of two messages each. */
typedef struct {
  int count;
  MPI_Request request[4];
} HgPending;

/* A part of long arrays that is worked on at once, with its work space. */
typedef struct {
  size_t at;    /* its start [numbers] */
  int length;   /* numbers in it */
  int *part[4]; /* layouts by ranks, in pairs: counts and starts */
  double *work[3];
  HgPending pending;
} HgSegment;

/* The operator that a rank creates; all ranks see each other's. */
typedef struct {
  char name[16];
  int64_t reduction, root, in, out, to, from;
  const int64_t *parts; /* of the calling rank only: how many for each rank */
} HgCollectiveCall;

/* Where the results of x_0 o x_1 o ... go. */
typedef enum { HG_TO_ROOT, HG_TO_ALL, HG_TO_LATER, HG_TO_EARLIER } HgDestination;

typedef struct {
  const char *name;
  HgDestination shape; /* of reduce, allreduce and scan */
  bool rooted;         /* all ranks name the same root */
  bool alike;          /* all ranks give the same size `in` */
  bool equal;          /* all ranks get the same y */
  bool once;           /* x is the same on every rank and counts once */
  /* Checks calls[rank] of all ranks, sets n, m, counts and `room`. Every rank finds the same. */
  PetscErrorCode (*set_up)(HgCollective c, const HgCollectiveCall calls[]);
  PetscErrorCode (*apply)(HgCollective c, const double x[], double y[]);
  /* NULL: linear, the tangent is the value */
  PetscErrorCode (*tangent)(HgCollective c, const double x[], const double dx[], double dy[]);
  /* x_bar = (or +=) C'(x)^T y_bar */
  PetscErrorCode (*adjoint)(HgCollective c, const double x[], const double y_bar[], bool add,
                            double x_bar[]);
} HgCollectiveTable;

struct HgCollective_s {
  const HgCollectiveTable *table;
  MPI_Comm comm; /* shared by all collectives on the user's communicator */
  int tag, rank, ranks, root, to, from;
  HgReduction reduction;
  bool once, checked;
  int n, m;             /* numbers of x and of y on this rank */
  int *in, *in_first;   /* x by peers: counts and starts */
  int *out, *out_first; /* y by peers; of gather and scatter, the ranks' parts at the root */
  int64_t longest;      /* largest count between two ranks */
  int block;            /* how many numbers of each rank for each in a segment */
  size_t room;          /* size of each work array [doubles] */
  HgSegment segment[2]; /* one is worked on while the next is on its way */
  double *window;       /* for streams */
  size_t window_room;
  MPI_Request *request;
  const double **row, **row2; /* one for each rank */
  double **out_row;
  PetscLogEvent event[2]; /* value and tangent; adjoint */
};

/* Each kind, in the file that is named after it or after its family. */
extern const HgCollectiveTable hg_collective_sum, hg_collective_reduce, hg_collective_allreduce,
    hg_collective_scan, hg_collective_broadcast, hg_collective_spread, hg_collective_gather,
    hg_collective_allgather, hg_collective_scatter, hg_collective_alltoall, hg_collective_sendrecv,
    hg_collective_barrier;

/* Lays the ranks' numbers side by side in the order of ranks: counts[s] numbers of rank s from
   first[s] on; *total. Error: too many. Collective, with the same arguments on every rank. */
PetscErrorCode HgCollectiveLayOut(HgCollective c, const HgCollectiveCall calls[], int counts[],
                                  int first[], int *total);

/* y[i] = (or +=) x[i], i < n; nothing if they are the same array. */
void HgCollectivePut(size_t n, const double x[], bool add, double y[]);

/* p + n; NULL if p is NULL: an array that a rank does not have. */
static inline double *HgAt(double *p, size_t n) { return p ? p + n : NULL; }

static inline const double *HgAtConst(const double *p, size_t n) { return p ? p + n : NULL; }

/* ---- transfers (collective_transfer.c) ---- */
typedef enum {
  HG_TRANSFER_BROADCAST,
  HG_TRANSFER_GATHER,
  HG_TRANSFER_SCATTER,
  HG_TRANSFER_ALLGATHER,
  HG_TRANSFER_ALLTOALL
} HgTransferKind;

typedef struct {
  HgTransferKind kind;
  int root;
  const double *x; /* what this rank gives; for broadcast, y of the root */
  double *y;       /* what it gets */
  /* count[s] numbers from first[s] on are what rank s gives (in y: gather, allgather) or gets (in
     x: scatter, alltoall; broadcast: count[0] numbers). The same on every rank, except for
     alltoall. You may change them after the transfer. */
  const int *count, *first, *count_y, *first_y; /* the last two for y of alltoall */
} HgTransfer;

/* Starts a transfer; only arithmetic with other numbers may come before End. All ranks begin the
   same transfers in the same order. Collective. */
PetscErrorCode HgTransferBegin(HgCollective c, const HgTransfer *transfer, HgPending *pending);
PetscErrorCode HgPendingEnd(HgPending *pending);

/* Begin and End. */
PetscErrorCode HgTransferRun(HgCollective c, const HgTransfer *transfer);

/* ---- long arrays in segments: one is on its way while another is worked on (collective_segment.c)
   ---- */
typedef PetscErrorCode HgSegmentFn(HgCollective c, HgSegment *segment, void *context);

typedef struct {
  HgSegmentFn *begin;  /* starts the transfers to this rank */
  HgSegmentFn *work;   /* uses what has come; may start transfers back */
  HgSegmentFn *finish; /* after these; may be NULL */
} HgSegmentSteps;

/* Works on n numbers (the same n on every rank), `length` at a time. Collective. */
PetscErrorCode HgSegmentsRun(HgCollective c, int64_t n, int64_t length, const HgSegmentSteps *steps,
                             void *context);

/* ---- long messages in segments (collective_long_message.c) ---- */
typedef void HgLongMessageFn(void *context, size_t at, size_t length, const double numbers[]);

enum { HG_EVERYBODY = -2 };

typedef struct {
  int to, from; /* to: a rank, or HG_EVERYBODY: each rank gets its own part of `out` */
  const double *out;
  const int *sent, *first; /* how many for `to`; HG_EVERYBODY: for rank p, from first[p] on */
  int received;
  HgLongMessageFn *given; /* called once a segment for `to` is on its way; may be NULL */
  /* called with numbers `at` to `at` + length that have come; NULL: adds them to the array
     `context` */
  HgLongMessageFn *taken;
  void *context;
} HgLongMessage;

/* HgLongMessageRoom(): the size of the window to receive n numbers. Create makes the requests; call
   it before the first Run. */
size_t HgLongMessageRoom(int64_t n);
PetscErrorCode HgLongMessageCreate(HgCollective c);
PetscErrorCode HgLongMessageRun(HgCollective c, const HgLongMessage *stream);

/* y = (or +=) the reduction of every rank's x, `n` numbers, the same on every rank. Collective. */
PetscErrorCode HgCollectiveCombine(HgCollective c, HgDestination shape, HgReduction reduction,
                                   const double x[], int64_t n, bool add, double y[]);

/* The tangent dy and the adjoint x_bar = (or +=) of the reduction that `c` is. Collective. */
PetscErrorCode HgCollectiveCombineTangent(HgCollective c, const double x[], const double dx[],
                                          double dy[]);
PetscErrorCode HgCollectiveCombineAdjoint(HgCollective c, const double x[], const double y_bar[],
                                          bool add, double x_bar[]);

/* y = (or +=) x of the root, `n` numbers, the same on every rank. Collective. */
PetscErrorCode HgCollectiveFromRoot(HgCollective c, const double x[], int n, bool add, double y[]);

/* Sets the work space that the functions above need for n numbers. */
void HgCollectiveSetRoom(HgCollective c, int64_t n);

/* ---- blocks: rank s works on part[0][s] numbers of a segment from part[1][s] on ---- */

/* Lays out the segment; a short one is given to one rank. */
void HgBlocksCut(HgCollective c, HgDestination shape, HgSegment *s);

/* How many numbers a segment has. */
int64_t HgBlocksLength(HgCollective c, int64_t n);

/* Starts the transfer of all ranks' numbers of my block to me, from x to rows; or back, from rows
   to x. */
PetscErrorCode HgBlocksDeal(HgCollective c, HgDestination shape, HgSegment *s, bool back,
                            const double from[], double to[]);

/* Starts the transfer of the root's numbers of my block to me; or of the results of all blocks to
   the ranks that want them. */
PetscErrorCode HgBlocksFromRoot(HgCollective c, HgSegment *s, const double x[], double block[]);
PetscErrorCode HgBlocksCollect(HgCollective c, HgDestination shape, HgSegment *s,
                               const double block[], double y[]);

/* row[s] = the numbers of my block that rank s gave. */
void HgBlocksRows(HgCollective c, HgDestination shape, const HgSegment *s, const double rows[],
                  const double *row[]);

/* Sets out_row, where results go: to y the last row's or, for scans, every row's. */
void HgBlocksResults(HgCollective c, HgDestination shape, const HgSegment *s, double y[]);

/* ---- kernels: rows r = 0..rows-1 of n numbers, p_r = x_0 o ... o x_r elementwise ---- */

/* y_r = (or +=) p_r for every row r with y[r] not NULL. */
void HgFoldValue(HgReduction reduction, int rows, size_t n, const double *const x[], bool add,
                 double *const y[]);

/* dy_r = p_r'(x) dx likewise; not for sums. */
void HgFoldTangent(HgReduction reduction, int rows, size_t n, const double *const x[],
                   const double *const dx[], double *const dy[]);

/* w_s = sum_r dp_r/dx_s y_bar_r over the rows r with y_bar[r] not NULL; not for sums. */
void HgFoldAdjoint(HgReduction reduction, int rows, size_t n, const double *const x[],
                   const double *const y_bar[], double *const w[]);

#endif
