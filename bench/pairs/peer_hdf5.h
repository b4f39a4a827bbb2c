/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/pairs/peer_hdf5.h -- a field of doubles in one HDF5 file that all ranks write, and read,
   together. */
#ifndef HALOGRAD_PEER_HDF5_H
#define HALOGRAD_PEER_HDF5_H

#include <petscsys.h>

typedef struct PeerHDF5_s *PeerHDF5;

/* nx x ny doubles in `path`, of which this rank has the box from (i0, j0) of ni x nj; the file has
   its room from the start. Collective. */
PetscErrorCode PeerHDF5Create(MPI_Comm comm, const char path[], int nx, int ny, const int box[4],
                              PeerHDF5 *peer);

/* The file is removed. Collective. */
PetscErrorCode PeerHDF5Destroy(PeerHDF5 *peer);

/* Opens the file, moves `values` of [nj][ni] in one collective call, closes it. Collective. */
PetscErrorCode PeerHDF5Write(PeerHDF5 peer, const double values[]);
PetscErrorCode PeerHDF5Read(PeerHDF5 peer, double values[]);

#endif
