/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/five_point.h -- what five-point kernels share: three rows around a cell, and a
   Laplacian.

   Row pointers are taken once per j, so that the loop over i is plain arithmetic on contiguous
   numbers and vectorises. Sums pair opposite neighbours: mirrored data give mirrored bits. */
#ifndef HALOGRAD_FIVE_POINT_H
#define HALOGRAD_FIVE_POINT_H

#include <halograd/kernel.h>

/* Before the loop over i: no row written is a row read, so nothing has to be checked at run time.
   (gcc 12 and clang 14 ignore `restrict` on local variables: short boxes pay for the checks, and
   with many rows clang gives up. In release builds clang warns if such a loop does not vectorise.)

   HG_APART: not inlined. Where several loops over stages land in one function clang 14 does not
   vectorise all of them.
 */
#if defined(__GNUC__)
#define HG_APART __attribute__((noinline))
#else
#define HG_APART
#endif
#if defined(__clang__) && defined(NDEBUG)
#define HG_VECTOR _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__) && !defined(__clang__)
#define HG_VECTOR _Pragma("GCC ivdep")
#else
#define HG_VECTOR
#endif

/* Rows j - 1, j and j + 1 of a field. */
typedef struct {
  const HgReal *south, *at, *north;
} HgAround;

/* The rows around row j of u, patch-local. */
static inline HgAround HgRowsAround(HgRows u, int j) {
  return (HgAround){u[j - 1], u[j], u[j + 1]};
}

/* rx (u_W + u_E - 2u) + ry (u_S + u_N - 2u), with rx = 1/dx^2, ry = 1/dy^2 [1/m^2] */
static inline HgReal HgLaplacian(HgReal rx, HgReal ry, HgAround u, int i) {
  return rx * ((u.at[i - 1] + u.at[i + 1]) - 2 * u.at[i]) +
         ry * ((u.south[i] + u.north[i]) - 2 * u.at[i]);
}

#endif
