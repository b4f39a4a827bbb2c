/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/options.h -- options of a program: declared, checked, explained by -help.

   The values come from PETSc's database: command line, -options_file FILE (also YAML),
   PETSC_OPTIONS. PETSc reads `-nx 4294967360` as 64 and accepts NaN, 1e400 and misspelled names.
   Here every value is read from its whole text and must be in range. An error is one sentence on
   stderr and HG_ERROR_TOLD on every rank, and leaves `value` unchanged. If an option is given
   twice, the last value counts; the command line comes after files. With -help no value is read:
   *value stays the default.

     HgOptionsCreate(comm, "heat_inverse", "finds the diffusivity of a plate", &options)
     HgOptionsGroup(options, "Grid")
     HgOptionsInt(options, "-nx", "cells along x", "", 1, 100000, &nx)
     HgOptionsReal(options, "-dt", "time step", "s", "(0, inf)", &dt)
     HgOptionsEnd(options)                   after -help the program ends with 0

   All calls are collective on the communicator of the options. `value` is the default on entry, and
   the value on return. */
#ifndef HALOGRAD_OPTIONS_H
#define HALOGRAD_OPTIONS_H

#include <halograd/error.h>

/* The options of a program. */
typedef struct HgOptions_s *HgOptions;

/* Creates the options of `program`, one set for each program; HgFinalize() frees them. Error: the
   ranks were started with different options. */
PetscErrorCode HgOptionsCreate(MPI_Comm comm, const char program[], const char description[],
                               HgOptions *options);

/* Starts a group: -help lists the options that follow under `title`. */
PetscErrorCode HgOptionsGroup(HgOptions options, const char title[]);

/* A whole number in [min, max], in `unit` ("": none). Refuses: no value, fractions, trailing text.
   */
PetscErrorCode HgOptionsInt(HgOptions options, const char name[], const char text[],
                            const char unit[], int min, int max, int *value);

/* From `fewest` to `most` whole numbers in [min, max], separated by commas: -coarse 8,8. *count and
   values[most] are the defaults on entry. Refuses what HgOptionsInt() refuses, too few and too
   many. */
PetscErrorCode HgOptionsInts(HgOptions options, const char name[], const char text[], int min,
                             int max, int fewest, int most, int *count, int values[]);

/* A finite decimal number in `range`, an interval such as "(0, inf)", "[0, 1]" or "(-inf, inf)"; a
   round bracket excludes its end. Refuses: no value, NaN, infinity, what no double can hold (1e400,
   1e-400), hexadecimal, trailing text. */
PetscErrorCode HgOptionsReal(HgOptions options, const char name[], const char text[],
                             const char unit[], const char range[], double *value);

/* One of `count` names; *value is its index. */
PetscErrorCode HgOptionsChoice(HgOptions options, const char name[], const char text[], int count,
                               const char *const names[], int *value);

/* A switch: without a value, or true, yes, on, 1, false, no, off, 0. */
PetscErrorCode HgOptionsFlag(HgOptions options, const char name[], const char text[], bool *value);

/* A text or a path of fewer than `size` bytes, not empty and without control characters. */
PetscErrorCode HgOptionsString(HgOptions options, const char name[], const char text[], size_t size,
                               char value[]);

/* Ends the declarations. With -help, rank 0 prints them and the program ends: HG_ENDED (error.h).
   Otherwise refuses words that belong to no option, and unknown names, with the closest declared
   name. It knows the declared names, halograd's own (-hg_trace, ...), and families that PETSc reads
   later (-tao_type, -log_view, ...). */
PetscErrorCode HgOptionsEnd(HgOptions options);

/* Call this at the end of the setup, after TaoSetUp() or the like. Refuses options that nothing has
   read, such as -tao_typ, except those that PETSc reads only during or after the run. */
PetscErrorCode HgOptionsCheckUnused(HgOptions options);

/* Whether `name` was given; false with -help. Not collective. */
bool HgOptionsGiven(HgOptions options, const char name[]);

/* Refuses the options `names` (ended by NULL) if one was given: with `other` it changes nothing
   or is impossible. A name without a - is the beginning of a group's title: all options of that
   group. */
PetscErrorCode HgOptionsRefuse(HgOptions options, const char other[], const char *const names[]);

#endif
