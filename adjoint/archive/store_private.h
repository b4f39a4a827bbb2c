/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of a store, for adjoint/archive/store*.c only. */
#ifndef HALOGRAD_STORE_PRIVATE_H
#define HALOGRAD_STORE_PRIVATE_H

#include <halograd/fault_library.h>
#include <halograd/file_library.h>
#include <halograd/image_library.h>
#include <halograd/store_library.h>

enum { HG_STORE_PATH = PETSC_MAX_PATH_LEN, HG_STORE_ROOT = HG_STORE_PATH - 128 };

struct HgStore_s {
  MPI_Comm comm;
  int slots, files, rank; /* the first `files` slots are in this rank's file */
  long *step;             /* [slots] of the state kept, or HG_EMPTY */
  long puts;              /* HgStorePuts() */
  int states;             /* of slots in memory; of floats, those to read into in turn */
  HgState *state;         /* [states] */
  float **rounded;        /* [slots]: floats that slots keep; NULL: they keep states */

  /* for slots in files */
  char directory[HG_STORE_ROOT];
  bool made; /* this rank created it */
  int file;  /* -1: none */
  HgImage image;
  uint64_t *digest; /* [files] */
};

enum { HG_EMPTY = -1 };

/* Reserves store->files slots like `pattern` in a file of each rank. Collective. */
PetscErrorCode HgStoreReserve(HgStore store, HgState pattern);

/* Closes the file. Not collective. */
PetscErrorCode HgStoreRemove(HgStore store);

PetscErrorCode HgStoreWrite(HgStore store, int slot, long step, HgState q);
PetscErrorCode HgStoreRead(HgStore store, int slot, HgState q);

/* *wanted: the sum of `own` over the ranks of this machine; *least: the smallest `there`.
   Collective. */
PetscErrorCode HgStoreOnMachine(MPI_Comm comm, double own, double there, double *wanted,
                                double *least);

#endif
