/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a head of a recording that tells wrongly which steps J looks at is refused, and
   one without such steps is drawn; where recordings of two builds part, both are named. */
#include "heat_case.h"
#include "recorded.h"
#include "refusal.h"
#include <halograd/show_library.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const HeatSpec spec = {
    .nx = 23, .ny = 21, .steps = 12, .slots = 4, .ghost = 2, .snapshot = true};

/* Puts `observed` in the place of the head's line that begins so, and `flags`. The digest at its end
   is that of the new text. */
static PetscErrorCode rewrite(const char observed[], const char flags[]) {
  char *text, head[8192];
  size_t used = 0;
  PetscCall(recorded_text(PETSC_COMM_WORLD, "other", "recording.yaml", &text));
  for (const char *c = text, *end; strncmp(c, "# end", 5) && (end = strchr(c, '\n')); c = end + 1) {
    const char *const other = !strncmp(c, "observed:", 9) ? observed
                              : !strncmp(c, "flags:", 6)  ? flags
                                                          : NULL;
    used += (size_t)snprintf(head + used, sizeof head - used, "%.*s",
                             other ? (int)strlen(other) : (int)(end + 1 - c), other ? other : c);
  }
  PetscCall(PetscFree(text));
  used += (size_t)snprintf(head + used, sizeof head - used, "# end %016llx\n",
                           (unsigned long long)XXH3_64bits(head, used));
  return HgFileWrite(PETSC_COMM_WORLD, "other/recording.yaml", head, used);
}

static PetscErrorCode test(void) {
  HeatCase c;
  HgRecording other;
  char text[256];
  PetscCall(heat_create(PETSC_COMM_WORLD, &spec, &c));
  PetscCall(record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "now", text));
  PetscCall(record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "other", text));
  PetscCall(rewrite("observed: 3:4:0 # by none\n", "flags: none\n"));
  REFUSED(HgRecordingOpen(PETSC_COMM_WORLD, "other", &other),
          "'other/recording.yaml' is not what was written");
  PetscCall(rewrite("observed: # none\n", "flags: none\n"));
  PetscCall(HgNormsDraw(PETSC_COMM_WORLD, "other", NULL));
  PetscCall(HgStateSetConstant(c.x, "kappa", 0.9));
  PetscCall(record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "other", text));
  PetscCall(rewrite("observed: # none\n",
                    "flags: -Oother\n")); /* so that the next run finds a recording */
  REFUSED(HgRecordingsCompare(PETSC_COMM_WORLD, "now", "other"), "then they part", "; built by ",
          " -ffp-contract=off", " -Oother (halograd ");
  return heat_destroy(&c);
}

CLAIM("a head that tells steps wrongly is refused, two builds are named", 0, test)
