/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings in the comments of a table, for apps/ocean only. */
#ifndef HALOGRAD_SETTING_PRIVATE_H
#define HALOGRAD_SETTING_PRIVATE_H

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

/* Does a comment begin with the word `setting`, as "# sigma 1", "#sigma: 1" and "# sigma" do? */
static inline bool HgTableSets(const char comment[], const char setting[]) {
  while (*comment == '#' || isspace((unsigned char)*comment)) comment++;
  if (strncmp(comment, setting, strlen(setting))) return false;
  const unsigned char next = (unsigned char)comment[strlen(setting)];
  return !isalnum(next) && next != '_';
}

#endif
