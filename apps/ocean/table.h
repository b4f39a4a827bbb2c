/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines, cells and numbers of text tables: cells between commas, comments that begin with #. All
   but HgTableRead() cut the text that they are given, and are not collective. */
#ifndef HALOGRAD_TABLE_H
#define HALOGRAD_TABLE_H

#include <ctype.h>
#include <halograd/error.h>
#include <stdbool.h>
#include <string.h>

/* The text of `path` on all ranks: *text, for PetscFree(), and *begin, behind the three bytes with
   which some editors begin UTF-8. `expected` is for the sentence. Collective. Errors: those of
   HgFileReadAll(), `limit` being the most bytes; a zero byte; *text is then NULL. */
PetscErrorCode HgTableRead(MPI_Comm comm, const char path[], size_t limit, const char expected[],
                           char **text, char **begin);

/* Cuts the next line off, counts it, and takes the blanks from its ends; NULL at the end. */
char *HgTableLine(char **rest, int *line);

/* Cuts the next cell off, up to a comma or the end, likewise; NULL after the last. */
char *HgTableCell(char **rest);

/* A finite decimal number of at most `most`, the text as a whole; strtod() takes hexadecimal ones,
   too. */
bool HgTableNumber(const char text[], double most, double *number);

/* Lines that are neither empty nor comments, which begin with #. */
int HgTableRows(const char text[]);

/* Does a comment begin with the word `setting`, as "# sigma 1", "#sigma: 1" and "# sigma" do? */
static inline bool HgTableSets(const char comment[], const char setting[]) {
  while (*comment == '#' || isspace((unsigned char)*comment)) comment++;
  if (strncmp(comment, setting, strlen(setting))) return false;
  const unsigned char next = (unsigned char)comment[strlen(setting)];
  return !isalnum(next) && next != '_';
}

#endif
