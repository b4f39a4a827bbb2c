/* SPDX-License-Identifier: BSD-2-Clause */
#include <ctype.h>
#include <halograd/file_library.h>
#include <halograd/table.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *text) {
  while (isspace((unsigned char)*text)) text++;
  char *end = text + strlen(text);
  while (end > text && isspace((unsigned char)end[-1])) *--end = 0;
  return text;
}

PetscErrorCode HgTableRead(MPI_Comm comm, const char path[], size_t limit, const char expected[],
                           char **text, char **begin) {
  static const char mark[] = "\xEF\xBB\xBF";
  size_t size;
  PetscCall(HgFileReadAll(comm, path, limit, text, &size));
  const bool is_text = strlen(*text) == size;
  if (!is_text) PetscCall(PetscFree(*text));
  HgRequire(comm, is_text, HG_ERR_FILE_FORMAT, "file '%s' is no text, expected %s", path, expected);
  *begin = strncmp(*text, mark, strlen(mark)) ? *text : *text + strlen(mark);
  return 0;
}

char *HgTableLine(char **rest, int *line) {
  if (!**rest) return NULL;
  char *text = *rest, *end = strchr(text, '\n');
  *rest = end ? end + 1 : text + strlen(text);
  if (end) *end = 0;
  ++*line;
  return trim(text);
}

char *HgTableCell(char **rest) {
  char *cell = *rest, *end = cell ? strchr(cell, ',') : NULL;
  *rest = end ? end + 1 : NULL;
  if (end) *end = 0;
  return cell ? trim(cell) : NULL;
}

bool HgTableNumber(const char text[], double most, double *number) {
  char *end;
  *number = strtod(text, &end);
  return end > text && !*end && !text[strspn(text, "0123456789+-.eE")] && fabs(*number) <= most;
}

int HgTableRows(const char text[]) {
  int rows = 0;
  for (; *text; text++) {
    while (isspace((unsigned char)*text)) text++;
    if (!*text) break;
    rows += *text != '#';
    while (*text && *text != '\n') text++;
    if (!*text) break;
  }
  return rows;
}
