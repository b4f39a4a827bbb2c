/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef HG_RESULTS_LIBRARY_H
#define HG_RESULTS_LIBRARY_H

#include <halograd/results.h>

/* What HgResultsWrite() calls time counts `counter`, a literal such as "sample", from 1: the
   coordinate has that name. Before the first time. Not collective. */
void HgResultsCount(HgResults results, const char counter[]);

#endif
