/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/sum_library.h -- what other rooms of the library need of sum.h. */
#ifndef HG_SUM_LIBRARY_H
#define HG_SUM_LIBRARY_H

#include <halograd/sum.h>

/* sum += other */
void HgSumAddSum(HgSum *sum, HgSum *other);

/* The sum rounded to the nearest double. */
double HgSumValue(HgSum *sum);

/* The same without waiting: when `request` completes, `sums` are the global ones. Collective. */
PetscErrorCode HgSumReduceBegin(MPI_Comm comm, int count, HgSum sums[], MPI_Request *request);

#endif
