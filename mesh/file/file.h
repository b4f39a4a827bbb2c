/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/file.h -- small files and directories, handled by rank 0; errors reach all ranks. */
#ifndef HALOGRAD_FILE_H
#define HALOGRAD_FILE_H

#include <halograd/error.h>
#include <stdbool.h>
#include <sys/uio.h>

/* Writes `size` bytes to `path` atomically: a temporary file in the same directory, fsync, rename,
   so that at any time `path` is the old file or the whole new one. Collective on `comm`; `bytes`
   and `size` count on rank 0 only. Errors: the directory is missing or not writable; `path` is a
   directory or a device; no space. `path` is then as it was and the temporary file is gone. */
PetscErrorCode HgFileWrite(MPI_Comm comm, const char path[], const void *bytes, size_t size);

/* Checks, before a long computation, that HgFileWrite() can write `path`: creates the temporary
   file and removes it. Collective. Errors: those of HgFileWrite(), except for missing space. */
PetscErrorCode HgFileCheckWrite(MPI_Comm comm, const char path[]);

/* Whether both exist and are the same file, under whatever names. Not collective. */
bool HgFileSame(const char a[], const char b[]);

#endif
