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
  char name[64]; /* with its dash */
  char unit[32], text[HG_OPTION_TEXT], range[HG_OPTION_TEXT], initial[HG_OPTION_VALUE],
      value[HG_OPTION_VALUE];
  int group; /* index of its title, -1: none */
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

/* Before PETSc reads them: all ranks have the same words (a -help or -log_view of one rank alone
   would leave the others waiting). The files of options that these and PETSC_OPTIONS name are
   regular, readable text without a byte 0, and so are those that they name in turn, at most 16 MiB
   together; no word has ${ without }. PETSc opens files on rank 0, so it is what rank 0 finds that
   counts. Collective on MPI_COMM_WORLD. */
PetscErrorCode HgOptionsCheck(int argc, char *const argv[]);

/* One file, which `option` names: false leaves the sentence in `why`. Not collective. */
bool HgOptionsFileCheck(const char option[], const char path[], size_t size, char why[]);

/* As HgOptionsInt(). */
PetscErrorCode HgOptionsLong(HgOptions options, const char name[], const char text[],
                             const char unit[], long min, long max, long *value);

/* The same, but the option may stand alone, and then means `bare`. */
PetscErrorCode HgOptionsBareLong(HgOptions options, const char name[], const char text[],
                                 const char unit[], long min, long max, long bare, long *value);

/* Bytes in [min, max]: 262144, 256KiB, 2MiB, 1GiB. Refused: what HgOptionsInt() refuses, other
   units. */
PetscErrorCode HgOptionsBytes(HgOptions options, const char name[], const char text[], long min,
                              long max, long *value);

/* An option of the library's own: what it means, as -help of every program says. Not collective. */
const char *HgOptionText(const char name[]);

/* The same for a part of the library that reads an option of its own once it is needed, beside the
   options of the program: it is declared in options_end.c. Collective on `comm`. */
PetscErrorCode HgOptionReadBytes(MPI_Comm comm, const char name[], long min, long max, long *value);
PetscErrorCode HgOptionReadInt(MPI_Comm comm, const char name[], int min, int max, int *value);
PetscErrorCode HgOptionReadReal(MPI_Comm comm, const char name[], double min, double max,
                                double *value);
PetscErrorCode HgOptionReadFlag(MPI_Comm comm, const char name[], bool *value);

/* Declared option number `index`, its value as text; false after the last. Not collective. */
bool HgOptionsValue(HgOptions options, int index, const char **name, const char **value);

#endif
