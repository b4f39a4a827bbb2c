/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/report_library.h -- what other rooms of the library need of results.h. */
#ifndef HG_REPORT_LIBRARY_H
#define HG_REPORT_LIBRARY_H

#include <halograd/results.h>

/* Creates the report of `program` and starts its clock. Collective. */
PetscErrorCode HgReportCreate(MPI_Comm comm, const char program[], HgReport *report);

/* Frees, sets NULL; accepts *report = NULL. Not collective. */
PetscErrorCode HgReportDestroy(HgReport *report);

/* As HgReportSetInteger() (results.h). */
PetscErrorCode HgReportSetText(HgReport report, const char key[], const char value[]);
PetscErrorCode HgReportSetFlag(HgReport report, const char key[], bool value);

/* Sets "options": every declared option with the value in use, as text. */
PetscErrorCode HgReportSetOptions(HgReport report, HgOptions options);

/* Writes directory/run.json atomically, with "exit" (why the run ended, such as "converged"),
   "seconds" since Create, and "peak_bytes", the largest resident memory of a rank. A later call
   replaces the file. Collective. Errors: those of HgFileWrite() (file.h). */
PetscErrorCode HgReportWrite(HgReport report, const char directory[], const char exit_reason[]);

#endif
