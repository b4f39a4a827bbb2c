/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/results.h -- fields over time in one HDF5 file that h5py, xarray, ncdump and ParaView
   open.

   directory/basename.h5    u(time, y, x) with dimension scales and CF-1.8 attributes, written by
                            all ranks with parallel HDF5
   directory/basename.pvd   for ParaView: a list of the times, each of which is a file
                            directory/basename/basename_0000.vti; constants are
                            directory/basename/<name>.vti

   In the .h5, arrays are a(time, a_index), and constants have no time axis. Variables that do not
   live at centres have the attribute location: "x face", "y face" or "corner". If the states were
   made by steps of a program, at multiples of its step, time has the attribute time_step [s].

   A file is written under a temporary name and renamed when it is complete. Its space is reserved
   before the collective write, so that a full disk is one sentence and not a hang. What a killed
   run has written stays readable: the .pvd lists the times so far, and directory/basename.h5.part
   has them, too, unless the run died while writing one. The next run in the directory overwrites
   it. Two runs at once are refused. */
#ifndef HALOGRAD_RESULTS_H
#define HALOGRAD_RESULTS_H

#include <halograd/mesh.h>
#include <halograd/options.h>
#include <halograd/state.h>

/* A set of results that is being written. */
typedef struct HgResults_s *HgResults;

/* Opens results on `mesh`; creates `directory` if missing. The .h5 appears under its final name at
   HgResultsClose(); .vti and .pvd appear at once, each complete in itself. Collective. Errors,
   which leave no file and no folder behind: directory not writable; a basename that is not a plain
   file name; no space; another run is writing the same results. */
PetscErrorCode HgResultsCreate(HgMesh mesh, const char directory[], const char basename[],
                               const char title[], HgResults *results);

/* Appends the variables `names` of `state` (ended by NULL; NULL: all but HG_LOCAL arrays) at `time`
   [s], or adds them to the last time if that is the same. Writes owned cells only. Collective.
   Errors: time not finite or going back; unknown name; an array that changed its size; a name used
   by a constant, or new after the first time; no space (with the bytes needed). After an error
   nothing more can be written. The file then keeps the earlier times, or is removed if there are
   none or if it is not whole. */
PetscErrorCode HgResultsWrite(HgResults results, double time, HgState state,
                              const char *const names[]);

/* Writes variable `name` of `state` once, without a time axis, under the name `as` (NULL: the
   same), described by `long_name` (may be NULL). Collective. Errors: as HgResultsWrite(); a name
   that was written before, or that of a coordinate (time, x, y) or of the .vti of a time. */
PetscErrorCode HgResultsWriteConstant(HgResults results, HgState state, const char name[],
                                      const char as[], const char long_name[]);

/* Completes the files, renames them into place, frees, sets NULL. Collective. Errors: a variable
   was not written at every time; no space; an earlier write ended with an error. */
PetscErrorCode HgResultsClose(HgResults *results);

/* Abandons the results: removes the temporary file and this run's .vti and .pvd, frees, sets NULL.
   Accepts *results = NULL. Results that are neither closed nor destroyed when PETSc ends are
   treated as after an error. Collective. */
PetscErrorCode HgResultsDestroy(HgResults *results);

/* Reads `dataset` (y, x), with levels (z, y, x), of the HDF5 file `path` into the field `name` of
   `state`, each rank its own part; or `dataset` (entry) into numbers that every rank holds.
   Collective. Errors, which leave the variable unchanged: file missing, short or not HDF5; dataset
   missing or of another shape; another unit than the variable's; a value not finite (names the
   cell); links, filters, layouts or HDF5 formats (without checksums) that we do not trust. */
PetscErrorCode HgFieldRead(HgState state, const char name[], const char path[],
                           const char dataset[]);

/* The same for a series: `dataset` (time, y, x) at time `index`, counted from 0, or from the end if
   negative (-1: the last). *time [s] comes from the file's coordinate "time"; in a file of samples
   it is the number of the sample (NULL: not wanted). Collective. Errors also: no such time; "time"
   is not in s, or not as long as the series. */
PetscErrorCode HgFieldReadAt(HgState state, const char name[], const char path[],
                             const char dataset[], long index, double *time);

/* Reads all fields and replicated arrays of `state` from results of HgResultsWrite(), each by its
   own name, at time `index` as above. A run continues from there with the same bits if the results
   hold all that a step carries (names NULL) and its steps go on counting. If the file has a
   time_step, the first step from there requires this: the same dt, and a number that continues that
   of the steps before. Ghosts outside walls stay as they are. Collective. Errors, which leave the
   state unchanged: those of HgFieldReadAt(); a time_step that is not a number above 0; other kinds
   of variables. */
PetscErrorCode HgResultsRead(HgState state, const char path[], long index, double *time);

/* run.json: what ran, where, how long, and what came out.

   From the start it holds program, arguments, started (UTC), host, nodes, ranks and versions. A run
   adds its results under keys of its own. A dot makes a group: "digest.J" is {"digest": {"J":
   ...}}. */

/* The contents of run.json so far. */
typedef struct HgReport_s *HgReport;

/* Sets or replaces `key`. Only rank 0 keeps the value; there is no communication. Bytes that are
   not UTF-8 become '?'; NaN, infinities and NULL texts become null. Error: `key` or a part of it is
   empty, or one of its groups is already a value. */
PetscErrorCode HgReportSetInteger(HgReport report, const char key[], int64_t value);
PetscErrorCode HgReportSetReal(HgReport report, const char key[], double value);
PetscErrorCode HgReportSetReals(HgReport report, const char key[], int count, const double value[]);

/* "mesh": nx, ny, px, py, dx, dy, ghost and the widest and narrowest patch. */
PetscErrorCode HgReportSetMesh(HgReport report, HgMesh mesh);

#endif
