/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a recording from before its head told which steps J looks at, and how the library was
   built, is read, compared and drawn as ever; a line that tells it wrongly is refused; where
   recordings of two builds part, both are named. */
#include "heat_case.h"
#include "recorded.h"
#include "refusal.h"
#include <halograd/show_library.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const HeatSpec spec = {
    .nx = 23, .ny = 21, .steps = 12, .slots = 4, .ghost = 2, .snapshot = true};

/* Puts `observed` in the place of the head's line that begins so, and `flags`; of "" none, nor of
   the compiler. The digest at its end is that of the new text. */
static PetscErrorCode rewrite(const char observed[], const char flags[]) {
  char *text, head[8192];
  size_t used = 0;
  PetscCall(recorded_text(PETSC_COMM_WORLD, "before", "recording.yaml", &text));
  for (const char *c = text, *end; strncmp(c, "# end", 5) && (end = strchr(c, '\n')); c = end + 1) {
    const char *const other = !strncmp(c, "observed:", 9) ? observed
                              : !strncmp(c, "flags:", 6)  ? flags
                                                          : NULL;
    if (!*flags && !strncmp(c, "compiler:", 9)) continue;
    used += (size_t)snprintf(head + used, sizeof head - used, "%.*s",
                             other ? (int)strlen(other) : (int)(end + 1 - c), other ? other : c);
  }
  PetscCall(PetscFree(text));
  used += (size_t)snprintf(head + used, sizeof head - used, "# end %016llx\n",
                           (unsigned long long)XXH3_64bits(head, used));
  return HgFileWrite(PETSC_COMM_WORLD, "before/recording.yaml", head, used);
}

static PetscErrorCode test(void) {
  HeatCase c;
  HgRecording now, before;
  HgRecordingDifference d;
  char text[256];
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "now", text));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "before", text));
  PetscCall(rewrite("", ""));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, "now", &now));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, "before", &before));
  PetscCall(HgRecordingCompare(now, before, &d));
  claim_that(!d.differ && d.compared == 10, "%d steps compared, expected 10", d.compared);
  PetscCall(HgRecordingClose(&now));
  PetscCall(HgRecordingClose(&before));
  PetscCall(HgNormsDraw(PETSC_COMM_WORLD, "before", NULL));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "before", text));
  PetscCall(rewrite("observed: 3:4:0 # by none\n", "flags: none\n"));
  REFUSED(HgRecordingOpen(PETSC_COMM_WORLD, "before", &before),
          "'before/recording.yaml' is not what was written");
  PetscCall(rewrite("observed: # none\n", "flags: none\n"));
  PetscCall(HgStateSetConstant(c.x, "kappa", 0.9));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "before", text));
  PetscCall(rewrite("observed: # none\n",
                    "flags: -Oother\n")); /* so that the next run finds a recording */
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "now", "before"), "then they part", "; built by ",
          " -ffp-contract=off", " -Oother (halograd ");
  return heat_destroy(&c);
}

CLAIM("a recording without the steps that J looks at is read", 0, test)
