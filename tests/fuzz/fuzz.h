/* SPDX-License-Identifier: BSD-2-Clause */
/* What the harnesses of readers have in common: MPI and PETSc run once, each input becomes a file
   in memory, and what a reader says of it goes nowhere. One process; see docs/security.md. */
#ifndef HALOGRAD_TESTS_FUZZ_H
#define HALOGRAD_TESTS_FUZZ_H

#include <fcntl.h>
#include <halograd/error.h>
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char fuzz_path[64];

static void fuzz_end(void) { unlink(fuzz_path); }

/* `name`: the file's, whose ending may tell a reader the format. The fuzzer's own options are not
   PETSc's. */
static inline void fuzz_start(const char name[]) {
  static char program[] = "fuzz", plain[] = "-no_signal_handler";
  static char *words[] = {program, plain, NULL}, **argv = words;
  int argc = 2;
  snprintf(fuzz_path, sizeof fuzz_path, "/dev/shm/halograd-%ld-%s", (long)getpid(), name);
  if (HgInitialize(&argc, &argv, NULL)) abort();
  H5set_free_list_limits(-1, -1, -1, -1, -1, -1);
  atexit(fuzz_end);
}

/* The input as a file. */
static inline const char *fuzz_file(const uint8_t *data, size_t size) {
  const int file = open(fuzz_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file < 0 || write(file, data, size) != (ssize_t)size || close(file)) abort();
  return fuzz_path;
}

#endif
