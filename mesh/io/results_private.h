/* SPDX-License-Identifier: BSD-2-Clause */
/* The HDF5 file behind results: written by mesh/io/results_hdf5.c under a temporary name, driven by
   mesh/io/results.c. */
#ifndef HALOGRAD_RESULTS_PRIVATE_H
#define HALOGRAD_RESULTS_PRIVATE_H

#include <halograd/state.h>
#include <stddef.h>

#ifndef OPEN_MPI
#define OPEN_MPI 0 /* mpi.h of Open MPI says 1 */
#endif

typedef struct HgResultsFile_s *HgResultsFile;

/* All collective; every error has been told. After an error only Abandon may follow. */
PetscErrorCode HgResultsFileCreate(HgMesh mesh, const char path[], const char title[],
                                   HgResultsFile *file);

/* See results_library.h. Not collective. */
void HgResultsFileCount(HgResultsFile file, const char counter[]);

/* Whether variables `indices` of `state`, under the names `as`, may come next: without a time axis
   (constant), at the last time (adds) or at a new one. Nothing is written; errors leave the file as
   it is. */
PetscErrorCode HgResultsFileAccept(HgResultsFile file, HgState state, int count,
                                   const int indices[], const char *const as[], bool constant,
                                   bool adds);

/* Reserves space for one more time and `count` variables on the file system, before anything is
   written. */
PetscErrorCode HgResultsFileReserve(HgResultsFile file, HgState state, int count,
                                    const int indices[]);

/* Begins the next time. */
PetscErrorCode HgResultsFileAddTime(HgResultsFile file, double time);

/* Its steps are of dt [s]; 0: they are not, or its time is not a number of them. Then, or where dt
   changes, the file says of none. */
PetscErrorCode HgResultsFileStep(HgResultsFile file, double dt);

/* Variable `index` of `state` under the name `as`, which has been accepted: at the last time, or
   without a time axis. */
PetscErrorCode HgResultsFilePut(HgResultsFile file, HgState state, int index, const char as[],
                                const char long_name[], bool constant);

/* All that was put so far can be read from now on under the temporary name, even if the run is
   killed. */
PetscErrorCode HgResultsFileFlush(HgResultsFile file);

/* Is there a time, and every variable over time at each? Not collective. */
bool HgResultsFileWhole(HgResultsFile file);

/* Completes the file, renames it into place and frees. On error it is abandoned. */
PetscErrorCode HgResultsFileClose(HgResultsFile *file);

/* Removes the temporary file and frees; no error if *file is NULL. */
PetscErrorCode HgResultsFileAbandon(HgResultsFile *file);

/* One time of some fields as a .vti file (VTK image data, raw appended doubles), for ParaView. */

/* Cells of `count` fields of `state`, called `names` in the file, with a time value unless it is
   NaN. Each rank writes its own rows into space that is reserved first; the file is renamed into
   place. Collective. Errors: not writable, no space. */
PetscErrorCode HgVtiWrite(const char path[], double time, HgState state, int count,
                          const int indices[], const char *const names[]);

/* "1.10.8" */
void HgReportVersionHDF5(char version[], size_t size);

#endif
