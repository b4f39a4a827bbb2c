/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/sum.h -- exact sums of doubles: the same bits in any order, on any decomposition.

   A sum is kept as a long fixed-point number: limb k counts units of 2^(40 k - 1074), so that every
   finite double is represented exactly, additions are exact, and one MPI_SUM over int64 joins the
   ranks. The only rounding is the last one, to the nearest double (ties to even). Infinities and
   NaNs make the value NaN.

   Source: Kulisch's long accumulator; limbs filled by pre-rounding as in Demmel & Nguyen, IEEE
   Trans. Comp. 64 (2015). */
#ifndef HALOGRAD_SUM_H
#define HALOGRAD_SUM_H

#include <halograd/error.h>
#include <halograd/real.h>
#include <stdint.h>

enum { HG_SUM_LIMBS = 56 };

typedef struct {
  int64_t limb[HG_SUM_LIMBS]; /* value = sum_k limb[k] 2^(40 k - 1074) */
  int64_t not_finite;         /* how many infinities or NaNs were added */
  int64_t pending;            /* additions since the carries were last propagated */
  int64_t guess; /* the next numbers are below 2^(guess - 2048); 0: none. Changes no sum */
} HgSum;

/* sum = 0. Not collective. */
void HgSumReset(HgSum *sum);

/* sum += x_0 + ... + x_{n-1} */
void HgSumAdd(HgSum *sum, size_t n, const double x[]);

/* sum += x_0 y_0 + ... + x_{n-1} y_{n-1}, each product rounded to double once */
void HgSumAddProducts(HgSum *sum, size_t n, const double x[], const double y[]);

#ifdef HALOGRAD_SINGLE
/* The same of floats, y NULL: all 1; their products are exact. */
void HgSumAddFloats(HgSum *sum, size_t n, const float x[], const float y[]);
#define HgSumAdd(sum, n, ...)                                                                      \
  _Generic(*(__VA_ARGS__), float                                                                   \
           : HgSumAddFloats(sum, n, (const void *)(__VA_ARGS__), NULL), default                    \
           : (HgSumAdd)(sum, n, (const void *)(__VA_ARGS__)))
#define HgSumAddProducts(sum, n, x, ...)                                                           \
  _Generic(*(x), float : HgSumAddFloats, default : HgSumAddProducts)(sum, n, x, __VA_ARGS__)
#endif

/* values[k] = the k-th sum over all ranks, rounded; `sums` become the global ones. Collective: one
   MPI_Allreduce of 472 bytes for each of the `count` sums. Error: count below 0 or above 2^20. */
PetscErrorCode HgSumReduce(MPI_Comm comm, int count, HgSum sums[], double values[]);

/* y[i] = the sum of all x[k][i], k < count, of all ranks, rounded once: the same bits however the
   arrays are dealt to ranks, and on every rank. `count` may differ between ranks and be 0. Each
   rank sums a share of the elements: of every array 8 bytes per element travel there once, and 8
   bytes come back. Collective: MPI_Alltoallv and MPI_Allgatherv for every 2^14 elements. Error: the
   ranks differ in n. */
PetscErrorCode HgSumElements(MPI_Comm comm, int count, const double *const x[], size_t n,
                             double y[]);

#endif
