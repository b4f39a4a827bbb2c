/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/collective.h -- communication between ranks as operators on plain arrays: y = C(x).

   Rank r holds n_r numbers of x and m_r of y. Every operator has a value, a tangent dy = C'(x) dx,
   and an adjoint x_bar += C'(x)^T y_bar; the transpose x_bar = C'(x)^T y_bar does not add. The
   inner product is the sum over ranks of what each rank holds, <y, y_bar> = sum_r sum_i y_r[i]
   y_bar_r[i]: every copy counts. If all ranks get the same y (sum, allreduce, broadcast,
   allgather), `once` says that these copies are one number: it counts once, and y_bar is the same
   on every rank.

     operator        rank r gives          rank r gets                  adjoint
     sum             x_r, any size         sum of all numbers           each x_bar += sum of y_bar
     reduce          x_r                   root: x_0 o x_1 o ...        broadcast from the root
     allreduce       x_r                   x_0 o x_1 o ...              allreduce
     scan            x_r                   x_0 o ... o x_r              scan from the last rank
     broadcast       root: x               x                            sum to the root
     spread          x, the same on each   x                            sum on every rank
     gather          x_r, own size         root: x_0, x_1, ...          scatter
     allgather       x_r, own size         x_0, x_1, ...                sum of every rank's part
     scatter         root: x_0, x_1, ...   x_r, own size                gather
     alltoall        x_r0, x_r1, ...       x_0r, x_1r, ...              alltoall back
     send            x                     nothing                      receives
     recv            nothing               what was sent                sends
     sendrecv        x                     what was sent                both the other way round
     barrier         nothing               nothing                      barrier

   o is a sum, a product, the smallest or the largest. Sums are exact until they are rounded once
   (sum.h); products are taken in the order of the ranks. So a result has the same bits whatever
   algorithm MPI chooses. If several ranks attain the smallest or largest, the derivative is that of
   the lowest such rank. A NaN is the smallest and the largest.

   Order. A message is ONE operator. Sender and receiver create it in the same call and match there
   what one sends and the other expects. All ranks of the communicator apply the same operators in
   the same order, forwards or backwards, so that none waits for a message that is never sent. With
   -hg_collective_check every call checks this, and that numbers are the same on every rank where
   they should be, and explains what is not. Without it, a call sends what MPI's own call would send
   (table in docs/collectives.md). Transfers begin without waiting; a call waits once, when its own
   arithmetic is done.

   Creation is collective on `comm`, from which a private communicator is derived; you may free
   `comm` afterwards. Errors, each the same sentence on all ranks: ranks that create different
   operators; a root out of range; sizes that do not match; more than 2^31 - 1 numbers on a rank; no
   memory; an invalid communicator. Values, tangents, adjoints and transposes are collective and
   allocate nothing. x and x_bar may be NULL where a rank gives nothing, y and y_bar where it gets
   nothing, and x also where C is linear and not applied. Arrays must not overlap, with these
   exceptions: broadcast and spread work in place (x = y), and so does the transpose (x_bar = y_bar)
   on the root of a reduce, and of allreduce and broadcast with `once`. */
#ifndef HALOGRAD_COLLECTIVE_H
#define HALOGRAD_COLLECTIVE_H

#include <halograd/error.h>
#include <stdint.h>

/* A collective operator: created once, applied often. */
typedef struct HgCollective_s *HgCollective;

/* How numbers of several ranks are combined: o in the table above. */
typedef enum { HG_REDUCE_SUM, HG_REDUCE_PRODUCT, HG_REDUCE_MIN, HG_REDUCE_MAX } HgReduction;

enum { HG_NOBODY = -1 }; /* the peer of a rank that does not send, or does not receive */

typedef enum {
  HG_SUM, /* exact, rounded once: the same bits however the numbers are dealt to ranks */
  HG_REDUCE,
  HG_ALLREDUCE,
  HG_SCAN, /* inclusive: rank r gets what ranks 0 to r give together */
  HG_BROADCAST,
  /* from numbers that are the same on every rank and count once, to copies that each count: y = x
     without a message; the adjoint sums the copies' cotangents */
  HG_SPREAD,
  HG_GATHER,
  HG_ALLGATHER,
  HG_SCATTER,
  HG_ALLTOALL,
  /* one call of each rank makes one operator; a rank may send to itself */
  HG_SENDRECV,
  HG_BARRIER /* no rank leaves before all have come: forwards and backwards */
} HgCollectiveKind;

typedef struct {
  HgCollectiveKind kind;
  /* How many numbers this rank gives; for scatter, how many it gets; for broadcast, how many the
     root gives. The same on every rank for reduce, allreduce, scan, broadcast and spread. */
  int64_t n;
  HgReduction reduction; /* of reduce, allreduce and scan */
  int root;              /* of reduce, broadcast, gather and scatter */
  const int64_t *parts;  /* alltoall, instead of n: parts[s] numbers for rank s; HgCollectiveSizes()
                            tells how many come back */
  int to, from;          /* sendrecv: n numbers to rank `to`, `received` from rank `from`; */
  int64_t received;      /* HG_NOBODY and 0: none */
  bool once;             /* the ranks' equal copies of y count once */
} HgCollectiveSpec;

/* Creates a collective operator. Collective. Errors: those above; `once` for an operator that gives
   ranks different results. */
PetscErrorCode HgCollectiveCreate(MPI_Comm comm, const HgCollectiveSpec *spec,
                                  HgCollective *collective);

/* Frees, sets NULL; a NULL is left alone. Collective. */
PetscErrorCode HgCollectiveDestroy(HgCollective *collective);

/* y = C(x), dy = C'(x) dx, x_bar += C'(x)^T y_bar, x_bar = C'(x)^T y_bar. The last needs neither
   zeros nor an addition: it receives numbers in x_bar, whatever that held. It has the bits of the
   adjoint added to zeros, except that a -0 that only moves stays -0. Collective: all ranks call the
   same of the four. Errors: destroyed; with -hg_collective_check: another operator or direction on
   another rank, numbers that should be the same but differ. */
PetscErrorCode HgCollectiveApply(HgCollective collective, const double x[], double y[]);
PetscErrorCode HgCollectiveTangent(HgCollective collective, const double x[], const double dx[],
                                   double dy[]);
PetscErrorCode HgCollectiveAdjoint(HgCollective collective, const double x[], const double y_bar[],
                                   double x_bar[]);
PetscErrorCode HgCollectiveTranspose(HgCollective collective, const double x[],
                                     const double y_bar[], double x_bar[]);

/* The numbers of x (in) and of y (out) on this rank. Not collective. */
void HgCollectiveSizes(HgCollective collective, int *in, int *out);

#endif
