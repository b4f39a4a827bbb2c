/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a collective, for halo/collective/collective*.c only. */
#ifndef HALOGRAD_COLLECTIVE_PRIVATE_H
#define HALOGRAD_COLLECTIVE_PRIVATE_H

#include <halograd/collective.h>

/* Numbers on their way: at most two transfers of two messages each. */
typedef struct {
  int count;
  MPI_Request request[4];
} HgPending;

/* A part of long arrays that is worked on at once, and its room. */
typedef struct {
  int64_t number; /* of the segment */
  size_t at;      /* where it starts, numbers */
  int length;     /* what is left of `n`, up to the segments' length */
  int *part[4];   /* layouts by ranks, in pairs: numbers and where they start */
  double *work[3];
  HgPending pending;
} HgSegment;

/* What a rank asks for; all ranks see each other's. */
typedef struct {
  char name[16];
  int64_t reduction, root, in, out, to, from;
  const int64_t *parts; /* of the calling rank only: numbers for each rank */
} HgCollectiveCall;

/* Where the results of x_0 o x_1 o ... go */
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
  int *in, *in_first;   /* x by peers: numbers and where they start */
  int *out, *out_first; /* y by peers */
  int64_t longest;      /* of the numbers between two ranks, over all pairs */
  int block;            /* numbers of each rank for each in a segment */
  size_t room;          /* of each work array, doubles */
  HgSegment segment[2]; /* one is worked on, the next is under way */
  double *window;       /* of streams */
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

/* The ranks' numbers side by side in the order of ranks: counts[s] = numbers[s] and where they
   start; *total. Error: too many. Collective, with the same arguments on every rank. */
PetscErrorCode HgCollectiveLayOut(HgCollective c, const HgCollectiveCall calls[], int counts[],
                                  int first[], int *total);

/* y[i] = (or +=) x[i], i < n; nothing if they are the same array. */
void HgCollectivePut(size_t n, const double x[], bool add, double y[]);

/* p + n, NULL if p is: arrays that a rank does not have. */
static inline double *HgAt(double *p, size_t n) { return p ? p + n : NULL; }

static inline const double *HgAtConst(const double *p, size_t n) { return p ? p + n : NULL; }

/* ---- numbers that travel (collective_transfer.c) ---- */
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
  const double *x; /* what this rank gives; of a broadcast y of the root */
  double *y;       /* what it gets */
  /* count[s] numbers from first[s] on are what rank s gives (of y: gather, allgather) or gets (of
     x: scatter, alltoall; count[0] numbers: broadcast). The same on every rank, but for alltoall.
     They may change when the transfer has ended. */
  const int *count, *first, *count_y, *first_y; /* the last two of y: alltoall */
} HgTransfer;

/* What must be done between Begin and End is none of MPI's business: arithmetic with other numbers.
   All ranks begin the same transfers in the same order. Collective. */
PetscErrorCode HgTransferBegin(HgCollective c, const HgTransfer *transfer, HgPending *pending);
PetscErrorCode HgPendingEnd(HgPending *pending);

/* Begins and ends. */
PetscErrorCode HgTransferRun(HgCollective c, const HgTransfer *transfer);

/* ---- long arrays in segments, one under way as the last is worked on (collective_segment.c)
   ---- */
typedef PetscErrorCode HgSegmentFn(HgCollective c, HgSegment *segment, void *context);

typedef struct {
  HgSegmentFn *begin;  /* begins what must come */
  HgSegmentFn *work;   /* on what has come; may begin what goes back */
  HgSegmentFn *finish; /* when that has come; may be NULL */
} HgSegmentSteps;

/* n numbers, the same on every rank, `length` at a time. Collective. */
PetscErrorCode HgSegmentsRun(HgCollective c, int64_t n, int64_t length, const HgSegmentSteps *steps,
                             void *context);

/* ---- long messages in segments (collective_long_message.c) ---- */
typedef void HgLongMessageFn(void *context, size_t at, size_t length, const double numbers[]);

enum { HG_EVERYBODY = -2 };

typedef struct {
  int to, from; /* to: a rank, or HG_EVERYBODY, each rank its own part of `out` */
  const double *out;
  const int *sent, *first; /* numbers for `to`; for everybody: for rank p, from first[p] on */
  int received;
  HgLongMessageFn *given; /* may be NULL: called once a segment for `to` is on its way */
  HgLongMessageFn *taken; /* with what has come: numbers `at` to `at` + length */
  void *context;
} HgLongMessage;

/* The window that receiving n numbers takes; requests, before the first run. */
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

/* Sets the room that these need for n numbers. */
void HgCollectiveSetRoom(HgCollective c, int64_t n);

/* ---- blocks: rank s works on part[0][s] numbers of a segment from part[1][s] on ---- */

/* Lays out the segment: a short one is the business of one rank. */
void HgBlocksCut(HgCollective c, HgDestination shape, HgSegment *s);

/* The numbers of a segment. */
int64_t HgBlocksLength(HgCollective c, int64_t n);

/* Everybody's numbers of my block; and back. They begin. */
PetscErrorCode HgBlocksDeal(HgCollective c, HgDestination shape, HgSegment *s, const double x[],
                            double rows[]);
PetscErrorCode HgBlocksDealBack(HgCollective c, HgDestination shape, HgSegment *s,
                                const double rows[], double x[]);

/* The root's numbers of my block; results of all blocks to the ranks that want them. Both only
   begin. */
PetscErrorCode HgBlocksFromRoot(HgCollective c, HgSegment *s, const double x[], double block[]);
PetscErrorCode HgBlocksCollect(HgCollective c, HgDestination shape, HgSegment *s,
                               const double block[], double y[]);

/* row[s] = what rank s gave of my block. */
void HgBlocksRows(HgCollective c, HgDestination shape, const HgSegment *s, const double rows[],
                  const double *row[]);

/* out_row: where the results go, the last row's to y, or, scanning, every row's. */
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
