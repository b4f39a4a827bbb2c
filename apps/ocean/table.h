/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines, cells and numbers of text tables: commas between cells, comments begin with #. All
   functions but HgTableRead() cut the given text, and are not collective. */
#ifndef HALOGRAD_TABLE_H
#define HALOGRAD_TABLE_H

#include <ctype.h>
#include <halograd/error.h>
#include <stdbool.h>
#include <string.h>

/* Reads `path` on all ranks. Free *text by PetscFree(); *begin is the start of the text, after a
   UTF-8 byte order mark. `expected` is for the error's sentence. Collective. Errors: those of
   HgFileReadAll(), with at most `limit` bytes; a zero byte; *text is then NULL. */
PetscErrorCode HgTableRead(MPI_Comm comm, const char path[], size_t limit, const char expected[],
                           char **text, char **begin);

/* Cuts off the next line, counts it, and trims blanks at both ends; NULL at the end. */
char *HgTableLine(char **rest, int *line);

/* Cuts off the next cell, up to a comma or the end, and trims it; NULL after the last. */
char *HgTableCell(char **rest);

/* Reads a finite decimal number of at most `most` that is the whole text. strtod() also accepts
   hexadecimal numbers. */
bool HgTableNumber(const char text[], double most, double *number);

/* The number of lines that are neither empty nor comments. */
int HgTableRows(const char text[]);

/* Whether a comment begins with the word `setting`, as in "# sigma 1", "#sigma: 1" and "# sigma".
   */
static inline bool HgTableSets(const char comment[], const char setting[]) {
  while (*comment == '#' || isspace((unsigned char)*comment)) comment++;
  if (strncmp(comment, setting, strlen(setting))) return false;
  const unsigned char next = (unsigned char)comment[strlen(setting)];
  return !isalnum(next) && next != '_';
}

#endif
