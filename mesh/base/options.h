/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/options.h -- options of a program: declared, checked, explained by -help.

   The values come from PETSc's database: command line, -options_file FILE (also YAML),
   PETSC_OPTIONS. PETSc takes `-nx 4294967360` for 64 and lets NaN, 1e400 and misspelled names pass;
   here every value is read from its text, in full, and must be in range. What is wrong is one
   sentence on stderr and HG_ERROR_TOLD on every rank; `value` is then unchanged. An option that is
   given twice keeps its last value, the command line coming after files. With -help no value is
   read: *value stays the default.

     HgOptionsCreate(comm, "heat_inverse", "finds the diffusivity of a plate", &options)
     HgOptionsGroup(options, "Grid")
     HgOptionsInt(options, "-nx", "cells along x", "", 1, 100000, &nx)
     HgOptionsReal(options, "-dt", "time step", "s", "(0, inf)", &dt)
     HgOptionsEnd(options)                   after -help the program ends with 0

   All calls are collective on the communicator of the options. `value` is in,out: in, the default.
   */
#ifndef HALOGRAD_OPTIONS_H
#define HALOGRAD_OPTIONS_H

#include <halograd/error.h>

/* The options of a program. */
typedef struct HgOptions_s *HgOptions;

/* The options of `program`, one set for each program; freed by HgFinalize(). Error: the ranks were
   started with different options. */
PetscErrorCode HgOptionsCreate(MPI_Comm comm, const char program[], const char description[],
                               HgOptions *options);

/* The options that follow stand under `title` in -help. */
PetscErrorCode HgOptionsGroup(HgOptions options, const char title[]);

/* A whole number in [min, max] of `unit` ("": none). Refused: no value, fractions, trailing text.
   */
PetscErrorCode HgOptionsInt(HgOptions options, const char name[], const char text[],
                            const char unit[], int min, int max, int *value);

/* `fewest` to `most` whole numbers in [min, max], with commas between: -coarse 8,8. in,out: *count
   and values[most]. Refused: what HgOptionsInt() refuses, too few, too many. */
PetscErrorCode HgOptionsInts(HgOptions options, const char name[], const char text[], int min,
                             int max, int fewest, int most, int *count, int values[]);

/* A finite decimal number in `range`, an interval such as "(0, inf)", "[0, 1]" or "(-inf, inf)"; a
   round bracket excludes its end. Refused: no value, NaN, infinity, what no double can hold (1e400,
   1e-400), hexadecimal, trailing text. */
PetscErrorCode HgOptionsReal(HgOptions options, const char name[], const char text[],
                             const char unit[], const char range[], double *value);

/* One of `count` names; *value is its index. */
PetscErrorCode HgOptionsChoice(HgOptions options, const char name[], const char text[], int count,
                               const char *const names[], int *value);

/* A switch: bare, or true, yes, on, 1, false, no, off, 0. */
PetscErrorCode HgOptionsFlag(HgOptions options, const char name[], const char text[], bool *value);

/* A text, or a path, of less than `size` bytes, neither empty nor with control characters. */
PetscErrorCode HgOptionsString(HgOptions options, const char name[], const char text[], size_t size,
                               char value[]);

/* Ends the declarations. With -help rank 0 prints them, and the program ends: HG_ENDED (error.h).
   Otherwise refuses names
   that are neither declared nor of a family that PETSc reads later (-tao_type, -log_view, ...) nor
   one of halograd's own (-hg_trace, ...), with the nearest declared name, and words that belong to
   no option. */
PetscErrorCode HgOptionsEnd(HgOptions options);

/* For the end of the setup, after TaoSetUp() or the like: refuses options that nothing has asked
   for, such as -tao_typ, except those that PETSc only reads during or after the run. */
PetscErrorCode HgOptionsCheckUnused(HgOptions options);

/* Whether `name` was given; false with -help. Not collective. */
bool HgOptionsGiven(HgOptions options, const char name[]);

/* Error: one of `names`, ended by NULL, was given, which changes nothing with `other`. A name
   without a - is how a group's title begins, and stands for all options of the group. */
PetscErrorCode HgOptionsRefuse(HgOptions options, const char other[], const char *const names[]);

#endif
