/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/recordings.h -- lists, compares and draws what -record has kept on disk, on any number
   of ranks and without the program that recorded it. */
#ifndef HALOGRAD_RECORDINGS_H
#define HALOGRAD_RECORDINGS_H

#include <petscsys.h>

/* Runs a command of `count` words. A DIR holds a recording, or the recordings first/ and last/ of
   an inversion; list and verify also take the evaluations that -resume goes on from:
     list DIR        prints what was kept, and verifies every file
     verify DIR      verifies every file, and prints a line for each recording
     compare A B     prints "same bits", or where A and B part first
     export DIR WHAT writes fields of the first recording as files, by a list of q@120, lambda@120,
                     q@film and lambda@film with commas between, as -show does in a run
     plot DIR        draws |q_n| and |lambda_n| over the steps
   Files are written to `output`, which is created if missing. Collective. Errors: other words; no
   recording; a damaged file (named); recordings that differ. */
PetscErrorCode HgRecordingsLook(MPI_Comm comm, int count, char *const words[], const char output[]);

#endif
