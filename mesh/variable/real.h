/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/real.h -- HgReal, the number that states and kernels hold: double, or float where
   HALOGRAD_SINGLE is defined, as it is for programs that link libhalograd_single.

   Objectives, sums, times, numbers of a physics, bounds and whatever an optimiser moves stay
   double. */
#ifndef HALOGRAD_REAL_H
#define HALOGRAD_REAL_H

#ifdef HALOGRAD_SINGLE
typedef float HgReal;
#define HG_REAL_EPSILON 0x1p-23
#define HG_MATH(name) name##f /* HG_MATH(exp)(x) is expf(x) */
#else
typedef double HgReal;
#define HG_REAL_EPSILON 0x1p-52
#define HG_MATH(name) name
#endif

#endif
