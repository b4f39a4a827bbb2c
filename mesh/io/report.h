/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/report.h -- run.json: what ran, where, how long, and what came out.

   From the start on it holds program, arguments, started (UTC), host, nodes, ranks and versions; a
   run adds its results under keys of its own. A dot makes a group: "digest.J" is {"digest": {"J":
   ...}}. */
#ifndef HALOGRAD_REPORT_H
#define HALOGRAD_REPORT_H

#include <halograd/mesh.h>
#include <halograd/options.h>

/* What run.json is going to say. */
typedef struct HgReport_s *HgReport;

/* These set or replace `key`. Rank 0 keeps what it was given, other ranks do nothing; no
   communication. Bytes that are no UTF-8 become '?'; NaN and infinities become null; NULL texts
   too. Error: `key` or a part of it is empty, or one of its groups is a value already. */
PetscErrorCode HgReportSetInteger(HgReport report, const char key[], int64_t value);
PetscErrorCode HgReportSetReal(HgReport report, const char key[], double value);
PetscErrorCode HgReportSetReals(HgReport report, const char key[], int count, const double value[]);

/* "mesh": nx, ny, px, py, dx, dy, ghost and the widest and narrowest patch. */
PetscErrorCode HgReportSetMesh(HgReport report, HgMesh mesh);

#endif
