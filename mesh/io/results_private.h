/* SPDX-License-Identifier: BSD-2-Clause */
/* The HDF5 file of results. mesh/io/results_hdf5.c writes it under a temporary name;
   mesh/io/results.c drives it. */
#ifndef HALOGRAD_RESULTS_PRIVATE_H
#define HALOGRAD_RESULTS_PRIVATE_H

#include <halograd/state.h>
#include <stddef.h>

#ifndef OPEN_MPI
#define OPEN_MPI 0 /* mpi.h of Open MPI says 1 */
#endif

typedef struct HgResultsFile_s *HgResultsFile;

/* All functions are collective, and their errors are reported already. After an error call only
   Abandon. */
PetscErrorCode HgResultsFileCreate(HgMesh mesh, const char path[], const char title[],
                                   HgResultsFile *file);

/* See results_library.h. Not collective. */
void HgResultsFileCount(HgResultsFile file, const char counter[]);

/* Checks that variables `indices` of `state`, under the names `as`, may come next: without a time
   axis (`constant`), at the last time (`adds`) or at a new one. Writes nothing. */
PetscErrorCode HgResultsFileAccept(HgResultsFile file, HgState state, int count,
                                   const int indices[], const char *const as[], bool constant,
                                   bool adds);

/* Reserves space for one more time and `count` variables on the file system, before anything is
   written. */
PetscErrorCode HgResultsFileReserve(HgResultsFile file, HgState state, int count,
                                    const int indices[]);

/* Begins the next time. */
PetscErrorCode HgResultsFileAddTime(HgResultsFile file, double time);

/* Sets the length dt [s] of the steps; 0: there are none, or the time is not a multiple. Then, or
   if dt changes, the file states none. */
PetscErrorCode HgResultsFileStep(HgResultsFile file, double dt);

/* Writes variable `index` of `state` under the accepted name `as`: at the last time, or without a
   time axis. */
PetscErrorCode HgResultsFilePut(HgResultsFile file, HgState state, int index, const char as[],
                                const char long_name[], bool constant);

/* Makes all that was put readable under the temporary name, even if the run is killed. */
PetscErrorCode HgResultsFileFlush(HgResultsFile file);

/* Whether there is a time, and every variable over time has all of them. Not collective. */
bool HgResultsFileWhole(HgResultsFile file);

/* Completes the file, renames it into place and frees. After an error it is abandoned. */
PetscErrorCode HgResultsFileClose(HgResultsFile *file);

/* Removes the temporary file and frees; accepts *file = NULL. */
PetscErrorCode HgResultsFileAbandon(HgResultsFile *file);

/* One time of some fields as a .vti file (VTK image data, raw appended doubles), for ParaView. */

/* Writes the cells of `count` fields of `state`, called `names` in the file, with a time value
   unless it is NaN. Each rank writes its own rows into reserved space; then the file is renamed
   into place. Collective. Errors: not writable, no space. */
PetscErrorCode HgVtiWrite(const char path[], double time, HgState state, int count,
                          const int indices[], const char *const names[]);

/* "1.10.8", of the library that runs, not of its headers. */
void HgReportVersionHDF5(char version[], size_t size);

#endif
