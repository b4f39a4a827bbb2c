/* SPDX-License-Identifier: BSD-2-Clause */
/* bench/where/bare.h -- the kernels of a program by themselves: no ghosts, walls, tiles or copies.

   Each term in turn computes nx x ny cells, or columns of nz levels, in fields of its own. */
#ifndef HALOGRAD_BARE_H
#define HALOGRAD_BARE_H

#include <halograd/program_library.h>

typedef struct {
  HgProgram program; /* borrowed */
  HgBox box;
  long laps;
  int fields;
  struct BareField_s *field; /* of each name that a term reads or writes */
  HgReal *zeros;
} Bare;

/* For the patch of the program. small: all rows of a field are one, so short that all fields stay
   in the first-level cache; what is left is arithmetic. One run makes about `laps` steps. Error:
   out of memory. */
PetscErrorCode BareCreate(HgProgram program, bool small, long laps, Bare *bare);
PetscErrorCode BareDestroy(Bare *bare);

/* The steps of a run, and cells of one of them. */
double BareCells(const Bare *bare);

/* The values of all terms, and their adjoints; BenchFns of bench.h for a Bare. */
PetscErrorCode BareApply(void *bare);
PetscErrorCode BareAdjoint(void *bare);

#endif
