/* SPDX-License-Identifier: BSD-2-Clause */
/* The adjoint of a send, and its transpose, is a receive from the same rank, that of a receive a
   send, as the trace shows: run with -hg_trace_files trace. */
#include "claim.h"
#include <halograd/collective.h>

enum { NUMBERS = 5 };

/* What this rank's trace says so far. */
static void read_trace(size_t size, char text[]) {
  char path[32];
  snprintf(path, sizeof path, "trace.%d", claim.rank);
  FILE *file = fopen(path, "r");
  const size_t length = file ? fread(text, 1, size - 1, file) : 0;
  text[length] = 0;
  if (file) fclose(file);
}

/* How many lines of the trace have all of that? */
static int lines_with(const char text[], const char direction[], const char event[], int peer) {
  char wanted[2][64];
  snprintf(wanted[0], sizeof wanted[0], "direction=%s ", direction);
  snprintf(wanted[1], sizeof wanted[1], "event=%s peer=%d ", event, peer);
  char bytes[32];
  snprintf(bytes, sizeof bytes, "bytes=%d ", (int)(NUMBERS * sizeof(double)));
  int count = 0;
  for (const char *line = text; line && *line; line = strchr(line, '\n')) {
    char copy[512];
    line += *line == '\n';
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(line, "\n"), line);
    count += strstr(copy, wanted[0]) && strstr(copy, wanted[1]) && strstr(copy, bytes) &&
             strstr(copy, "operator=\"sendrecv\"");
  }
  return count;
}

static PetscErrorCode test(void) {
  const int ranks = claim.ranks;
  char text[8192];
  double x[NUMBERS] = {1, 2, 3, 4, 5}, y[NUMBERS];
  HgCollective c;
  const int last = ranks - 1, rank = claim.rank; /* from the last rank to rank 0 */
  PetscCall(HgCollectiveCreate(PETSC_COMM_WORLD,
                               &(HgCollectiveSpec){HG_SENDRECV, .to = rank == last ? 0 : HG_NOBODY,
                                                   .n = rank == last ? NUMBERS : 0,
                                                   .from = rank == 0 ? last : HG_NOBODY,
                                                   .received = rank == 0 ? NUMBERS : 0},
                               &c));
  PetscCall(HgCollectiveApply(c, x, y));
  double x_bar[NUMBERS] = {9, 9, 9, 9, 9};
  PetscCall(HgCollectiveAdjoint(c, x, y, x));
  PetscCall(HgCollectiveTranspose(c, x, y, x_bar));
  read_trace(sizeof text, text);
  if (rank == last) {
    claim_that(lines_with(text, "forward", "send", 0) == 1, "value: the last rank sends: %s", text);
    claim_that(lines_with(text, "adjoint", "recv", 0) == 2, "both ways back: it receives: %s",
               text);
    claim_that(!lines_with(text, "adjoint", "send", 0), "both ways back: it sends nothing: %s",
               text);
    claim_same(x[2], 6, "2 x");
    claim_same(x_bar[2], 3, "x");
  } else if (rank == 0) {
    claim_that(lines_with(text, "forward", "recv", last) == 1, "value: rank 0 receives: %s", text);
    claim_that(lines_with(text, "adjoint", "send", last) == 2, "both ways back: it sends: %s",
               text);
    claim_that(!lines_with(text, "adjoint", "recv", last),
               "both ways back: it receives nothing: %s", text);
  } else {
    claim_that(*text && !strstr(text, "event=send"), "the others tell nothing: %s", text);
  }
  return HgCollectiveDestroy(&c);
}

CLAIM("the adjoint of a send is a receive", 0, test)
