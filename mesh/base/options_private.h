/* The inside of the options, for mesh/base/options*.c only. */
#ifndef HALOGRAD_OPTIONS_PRIVATE_H
#define HALOGRAD_OPTIONS_PRIVATE_H

#include <halograd/options.h>

enum { HG_OPTIONS_MOST = 96, HG_OPTION_TEXT = 256 };

typedef struct {
  char name[64]; /* with its dash */
  char unit[32], text[HG_OPTION_TEXT], range[HG_OPTION_TEXT], initial[HG_OPTION_TEXT],
      value[HG_OPTION_TEXT];
  int group; /* index of its title, -1: none */
  bool given;
} HgOption;

struct HgOptions_s {
  MPI_Comm comm;
  char program[64], description[HG_OPTION_TEXT];
  int groups, count;
  char title[HG_OPTIONS_MOST][64];
  HgOption option[HG_OPTIONS_MOST];
};

/* Prints -help on rank 0. Not collective. */
void HgOptionsHelp(HgOptions options);

/* " did you mean -steps?" for the declared name, or PETSc name, nearest to `name`; "" if none is
   near. */
void HgOptionsNearest(HgOptions options, const char name[], char hint[], size_t size);

/* ---- options_file.c ---- */

/* Before PETSc reads the file of options that `option` names: regular, readable, at most 16 MiB, and so
   are those that it names in turn. Collective on MPI_COMM_WORLD. Error: it is not. */
PetscErrorCode HgOptionsFileCheck(const char option[], const char path[]);

#endif
