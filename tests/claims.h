/* SPDX-License-Identifier: BSD-2-Clause */
/* The claims of a room of tests, as CMakeLists.txt writes them down for claims.c. */
#ifndef HALOGRAD_TESTS_CLAIMS_H
#define HALOGRAD_TESTS_CLAIMS_H

/* One file of tests: its main() under a name of its own. */
typedef struct {
  const char *name;
  int (*main)(int argc, char **argv);
  const int *ranks;             /* the numbers of ranks that it is made for; ends with 0 */
  const char *const *arguments; /* ends with NULL */
} Claim;

extern const Claim claims[]; /* ends with a name that is NULL */

#endif
