/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of the report, for mesh/io/report*.c only. */
#ifndef HALOGRAD_REPORT_PRIVATE_H
#define HALOGRAD_REPORT_PRIVATE_H

#include <stddef.h>

/* "1.10.8" */
void HgReportVersionHDF5(char version[], size_t size);

#endif
