/* SPDX-License-Identifier: BSD-2-Clause */
/* HgReal in messages, in files, as bits, and to the compiler of kernels. */
#ifndef HG_REAL_LIBRARY_H
#define HG_REAL_LIBRARY_H

#include <float.h>
#include <halograd/real.h>
#include <stdint.h>

#ifdef HALOGRAD_SINGLE
typedef int32_t HgRealBits;
#define HG_MPI_REAL MPI_FLOAT
#define HG_H5_REAL H5T_NATIVE_FLOAT
#define HG_H5_REAL_FILE H5T_IEEE_F32LE
#define HG_PRECISION_FLAG " -DHALOGRAD_SINGLE"

enum { HG_REAL_SHIFT = DBL_MANT_DIG - FLT_MANT_DIG }; /* bits of a double that an HgReal lacks */
#else
typedef int64_t HgRealBits;
#define HG_MPI_REAL MPI_DOUBLE
#define HG_H5_REAL H5T_NATIVE_DOUBLE
#define HG_H5_REAL_FILE H5T_IEEE_F64LE
#define HG_PRECISION_FLAG ""

enum { HG_REAL_SHIFT = 0 };
#endif

enum { HG_LINE = 64 / sizeof(HgReal) /* HgReals in a line of the cache */ };

/* Bytes of a vector of the processor. The compiler accepts longer ones and works them off number by
   number: on AVX2 exact sums took ten times as long with 64 bytes. */
#if defined(__AVX512F__)
enum { HG_VECTOR_BYTES = 64 };
#elif defined(__AVX2__)
enum { HG_VECTOR_BYTES = 32 };
#else
enum { HG_VECTOR_BYTES = 16 };
#endif

/* Bounds of rounding are stated for double; multiply by HG_ROUNDING for HgReal. */
#define HG_ROUNDING (HG_REAL_EPSILON / DBL_EPSILON)

#endif
