/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HG_RESULTS_LIBRARY_H
#define HG_RESULTS_LIBRARY_H

#include <halograd/results.h>

/* Makes the times of HgResultsWrite() numbers of `counter`, a literal such as "sample", from 1; the
   coordinate has this name. Call it before the first time. Not collective. */
void HgResultsCount(HgResults results, const char counter[]);

#endif
