/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/results.h -- fields over time in one HDF5 file that h5py, xarray, ncdump and ParaView
   open.

   directory/basename.h5       u(time, y, x) with dimension scales and CF-1.8 attributes, written by
   all ranks with parallel HDF5; time has the attribute time_step [s] if steps of a program have
   made the states, at times that are whole numbers of them; arrays become a(time, a_index);
   constants have no time axis; what does not live at centres has the attribute location: "x face",
   "y face" or "corner"
   directory/basename.pvd      for ParaView: lists the times, one
   directory/basename/basename_0000.vti each; constants are directory/basename/<name>.vti

   A file is written under a temporary name, its space reserved before the collective write (so that
   a full disk is one sentence and not a hang), and renamed into place when it is complete. What a
   run that is killed has written stays readable: the .pvd lists the times so far, and
   directory/basename.h5.part has them, too (unless the run died while it wrote one). The next run
   in the directory overwrites it; two at once are refused. */
#ifndef HALOGRAD_RESULTS_H
#define HALOGRAD_RESULTS_H

#include <halograd/mesh.h>
#include <halograd/options.h>
#include <halograd/state.h>

/* Results that are being written. */
typedef struct HgResults_s *HgResults;

/* Opens results on `mesh`; `directory` is created if missing. The .h5 appears under its final name
   with HgResultsClose(); .vti and .pvd as they are written, each complete in itself. Collective.
   Errors: directory not writable; a basename that is no plain file name; no space; another run is
   writing the same results. Nothing is left of results that are refused, nor of their folders. */
PetscErrorCode HgResultsCreate(HgMesh mesh, const char directory[], const char basename[],
                               const char title[], HgResults *results);

/* Appends `time` [s] (or adds to the last time if it is the same) with the variables `names` of
   `state`, a NULL-terminated list; NULL: all but HG_LOCAL arrays. Owned cells only. Collective.
   Errors: time not finite or going back; unknown name; an array that changed its size; a name in
   use by a constant, or new after the first time; no space (says bytes). After an error nothing
   more can be written: the times before are closed and stay; if what was written is not whole, or
   there is no time yet, all of it is gone. */
PetscErrorCode HgResultsWrite(HgResults results, double time, HgState state,
                              const char *const names[]);

/* Writes variable `name` of `state` once, without a time axis, under the name `as` (NULL: the
   same), described by `long_name` (may be NULL). Collective. Errors as HgResultsWrite(); a name
   written before, that of a coordinate (time, x, y), or that of the .vti of a time. */
PetscErrorCode HgResultsWriteConstant(HgResults results, HgState state, const char name[],
                                      const char as[], const char long_name[]);

/* Completes the files, renames them into place, frees, sets NULL. Collective. Errors: a variable
   was not written at each time; no space; a write before has told an error. */
PetscErrorCode HgResultsClose(HgResults *results);

/* Abandons: removes the temporary file and this run's .vti and .pvd, frees, sets NULL; no error if
   *results is NULL. Results that are neither closed nor destroyed end as after an error when PETSc
   ends. Collective. */
PetscErrorCode HgResultsDestroy(HgResults *results);

/* Reads the `dataset` (y, x) of the HDF5 file `path`, with levels (z, y, x), into field `name` of
   `state`, each rank its own part; or (entry) into numbers that every rank holds. Collective.
   Errors: file missing, short or not HDF5; dataset missing or not exactly of that shape; unit other
   than the variable's; a value not finite (names the cell); links, filters, layouts or HDF5 formats
   (without checksums) that we do not trust. The variable is then unchanged. */
PetscErrorCode HgFieldRead(HgState state, const char name[], const char path[],
                           const char dataset[]);

/* The same of a series: `dataset` (time, y, x) at time `index`, counted from 0, or from the end if
   it is negative: -1 is the last. *time [s] is that of the file's coordinate "time", in a file of
   samples the number of the sample (NULL: not wanted). Collective. Errors also: no such time;
   "time" is not in s, or not as long as the series. */
PetscErrorCode HgFieldReadAt(HgState state, const char name[], const char path[],
                             const char dataset[], long index, double *time);

/* All fields and replicated arrays of `state` from results that HgResultsWrite() wrote, each under
   its own name, at time `index` as above: a run goes on from there with the same bits if the
   results hold all that a step carries (names NULL) and its steps go on counting, which the first
   step from there requires where the file has a time_step: the same dt, and as number that of the
   steps before. Ghosts outside walls stay as they are. Collective. Errors: those of
   HgFieldReadAt(); a time_step that is no number above 0; other kinds of variables. The state is
   then unchanged. */
PetscErrorCode HgResultsRead(HgState state, const char path[], long index, double *time);

/* Run.json: what ran, where, how long, and what came out.

   From the start on it holds program, arguments, started (UTC), host, nodes, ranks and versions; a
   run adds its results under keys of its own. A dot makes a group: "digest.J" is {"digest": {"J":
   ...}}. */

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
