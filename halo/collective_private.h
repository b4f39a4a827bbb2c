/* The inside of a collective, for halo/collective*.c only. */
#ifndef HALOGRAD_COLLECTIVE_PRIVATE_H
#define HALOGRAD_COLLECTIVE_PRIVATE_H
#include <halograd/collective.h>
enum {
  HG_BLOCK = 1 << 15 /* numbers that a rank works on at once: 256 KiB stay in the cache */
};
/* What a rank asks for; all ranks see each other's. */
typedef struct {
  char name[16];
  int64_t reduction, root, in, out, to, from;
  const int64_t *parts; /* of the calling rank only: numbers for each rank */
} HgCall;
typedef struct {
  const char *name;
  bool rooted; /* all ranks name the same root */
  bool alike;  /* all ranks give the same size `in` */
  bool equal;  /* all ranks get the same y */
  bool once;   /* x is the same on every rank and counts once */
  /* Checks calls[rank] of all ranks, sets n, m, counts and `room`. Every rank finds the same. */
  PetscErrorCode (*set_up)(HgCollective c, const HgCall calls[]);
  PetscErrorCode (*apply)(HgCollective c, const double x[], double y[]);
  /* NULL: linear, the tangent is the value */
  PetscErrorCode (*tangent)(HgCollective c, const double x[], const double dx[], double dy[]);
  PetscErrorCode (*adjoint)(HgCollective c, const double x[], const double y_bar[], double x_bar[]);
} HgCollectiveKind;
struct HgCollective_s {
  const HgCollectiveKind *kind;
  MPI_Comm comm; /* shared by all collectives on the user's communicator */
  int tag, rank, ranks, root, to, from;
  HgReduction reduction;
  bool once, checked;
  int n, m;             /* numbers of x and of y on this rank */
  int *in, *in_first;   /* x by peers: numbers and where they start */
  int *out, *out_first; /* y by peers */
  int *part[4];         /* the same for the segment at hand */
  int64_t longest;      /* of the numbers between two ranks, over all pairs */
  size_t room;          /* of each work array, doubles */
  double *work[3];      /* NULL if room is 0 */
  MPI_Request *request;
  const double **row, **row2; /* one for each rank */
  double **out_row;
  PetscLogEvent event[2]; /* value and tangent; adjoint */
};
/* The operator that `mine` describes, after all checks. Collective. */
PetscErrorCode HgCollectiveCreate(MPI_Comm comm, const HgCollectiveKind *kind, const HgCall *mine,
                                  HgCollective *collective);
/* The ranks' numbers side by side in the order of ranks: counts[s] = numbers[s] and where they
   start; *total. Error: too many. Collective, with the same arguments on every rank. */
PetscErrorCode HgCollectiveLayOut(HgCollective c, const HgCall calls[], int counts[], int first[],
                                  int *total);
/* y[i] += x[i], i < n */
void HgCollectiveAdd(size_t n, const double x[], double y[]);
/* p + n, NULL if p is: arrays that a rank does not have. */
static inline double *HgAt(double *p, size_t n) { return p ? p + n : NULL; }
static inline const double *HgAtConst(const double *p, size_t n) { return p ? p + n : NULL; }
/* ---- long messages in segments (collective_stream.c) ---- */
typedef void HgSegmentFn(void *context, size_t at, size_t length, const double numbers[]);
enum { HG_EVERYBODY = -2 };
typedef struct {
  int to, from; /* to: a rank, or HG_EVERYBODY, each rank its own part of `out` */
  const double *out;
  const int *sent, *first; /* numbers for `to`; for everybody: for rank p, from first[p] on */
  int received;
  HgSegmentFn *given; /* may be NULL: called once a segment for `to` is on its way */
  HgSegmentFn *taken; /* with what has come: numbers `at` to `at` + length */
  void *context;
} HgStream;
/* Room in work[0] for receiving n numbers; requests, before the first run. */
size_t HgStreamRoom(int64_t n);
PetscErrorCode HgStreamCreate(HgCollective c);
PetscErrorCode HgStreamRun(HgCollective c, const HgStream *stream);
/* Who gets what of x_0 o x_1 o ... */
typedef enum { HG_TO_ROOT, HG_TO_ALL, HG_SCAN, HG_SCAN_BACK } HgShape;
/* y = (or +=) the reduction of every rank's x, `n` numbers, the same on every rank. Collective. */
PetscErrorCode HgCollectiveCombine(HgCollective c, HgShape shape, HgReduction reduction,
                                   const double x[], int64_t n, bool add, double y[]);
/* The room that Combine needs for n numbers. */
size_t HgCollectiveRoom(HgCollective c, int64_t n);
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
