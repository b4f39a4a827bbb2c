/* SPDX-License-Identifier: BSD-2-Clause */
/* The inside of the options, for mesh/base/options*.c only. */
#ifndef HG_OPTIONS_LIBRARY_H
#define HG_OPTIONS_LIBRARY_H

#include <halograd/options.h>

enum {
  HG_OPTIONS_MOST = 96,
  HG_OPTIONS_OWN = 32,
  HG_OPTION_TEXT = 256,
  HG_OPTION_VALUE = 1024 /* a path */
};

typedef struct {
  char name[64]; /* with its - */
  char unit[32], text[HG_OPTION_TEXT], range[HG_OPTION_TEXT], initial[HG_OPTION_VALUE],
      value[HG_OPTION_VALUE];
  int group; /* index of its title; -1: none */
  bool given;
} HgOption;

struct HgOptions_s {
  MPI_Comm comm;
  char program[64], description[HG_OPTION_TEXT];
  int groups, count;
  bool ended; /* by HgOptionsEnd() */
  char title[HG_OPTIONS_MOST + 1][64];
  HgOption option[HG_OPTIONS_MOST + HG_OPTIONS_OWN]; /* the library's own are last */
};

/* ---- options_file.c ---- */

/* Checks the arguments before PETSc reads them. All ranks must have the same words; a -help or
   -log_view on one rank only would leave the others waiting. Files of options, which the words,
   PETSC_OPTIONS or such files name, must be regular, readable text without zero bytes, at most 16
   MiB together. No word has ${ without }. Rank 0 checks the files, as PETSc opens them on rank 0.
   Collective on MPI_COMM_WORLD. */
PetscErrorCode HgOptionsCheck(int argc, char *const argv[]);

/* Checks one file, which `option` names; false: the sentence is in `why`. Not collective. */
bool HgOptionsFileCheck(const char option[], const char path[], size_t size, char why[]);

/* As HgOptionsInt(). */
PetscErrorCode HgOptionsLong(HgOptions options, const char name[], const char text[],
                             const char unit[], long min, long max, long *value);

/* The same, but the option may have no value, and then means `bare`. */
PetscErrorCode HgOptionsBareLong(HgOptions options, const char name[], const char text[],
                                 const char unit[], long min, long max, long bare, long *value);

/* Bytes in [min, max]: 262144, 256KiB, 2MiB, 1GiB. Refuses what HgOptionsInt() refuses, and other
   units. */
PetscErrorCode HgOptionsBytes(HgOptions options, const char name[], const char text[], long min,
                              long max, long *value);

/* The meaning of an option of the library's own, as -help of every program prints it. Not
   collective. */
const char *HgOptionText(const char name[]);

/* Read an option of the library's own when a part of the library needs it. Such options are
   declared in options_end.c. Collective on `comm`. */
PetscErrorCode HgOptionReadBytes(MPI_Comm comm, const char name[], long min, long max, long *value);
PetscErrorCode HgOptionReadInt(MPI_Comm comm, const char name[], int min, int max, int *value);
PetscErrorCode HgOptionReadReal(MPI_Comm comm, const char name[], double min, double max,
                                double *value);
PetscErrorCode HgOptionReadFlag(MPI_Comm comm, const char name[], bool *value);

/* Name and value, as text, of declared option number `index`; false after the last. Not
   collective. */
bool HgOptionsValue(HgOptions options, int index, const char **name, const char **value);

#endif
