/* Claim: a recording from before its head told which steps J looks at is read, compared and
   drawn as ever; a line that tells it wrongly is refused. */
#include "heat_case.h"
#include "recorded.h"
#include "refusal.h"
#include <halograd/norms.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

static const HeatSpec spec = {.nx = 23,
                              .ny = 21,
                              .steps = 12,
                              .slots = 4,
                              .ghost = 2,
                              .policy = HG_SCHEDULE_REVOLVE,
                              .snapshot = true};

/* Puts `line` in the place of the head's line that begins with "observed", and says so at its end.
   */
static PetscErrorCode rewrite(const char line[]) {
  char *text, head[8192];
  PetscCall(recorded_text(PETSC_COMM_WORLD, "before", "recording.yaml", &text));
  const char *const at = strstr(text, "\nobserved:"), *const rest =
                                                          at ? strchr(at + 1, '\n') : NULL;
  const char *const end = strstr(text, "\n# end ");
  claim_that(rest && end && strlen(text) < sizeof head / 2, "the head says what J looks at");
  if (!rest || !end) return HG_ERROR_TOLD;
  const int used = snprintf(head, sizeof head, "%.*s\n%s%.*s", (int)(at - text), text, line,
                            (int)(end - rest), rest + 1);
  snprintf(head + used, sizeof head - (size_t)used, "# end %016llx\n",
           (unsigned long long)XXH3_64bits(head, (size_t)used));
  PetscCall(PetscFree(text));
  return HgFileWrite(PETSC_COMM_WORLD, "before/recording.yaml", head, strlen(head));
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
  PetscCall(rewrite(""));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, "now", &now));
  PetscCall(HgRecordingOpen(PETSC_COMM_WORLD, "before", &before));
  PetscCall(HgRecordingCompare(now, before, &d));
  claim_that(!d.differ && d.compared == 10, "%d steps compared, expected 10", d.compared);
  PetscCall(HgRecordingClose(&now));
  PetscCall(HgRecordingClose(&before));
  PetscCall(HgNormsDraw(PETSC_COMM_WORLD, "before", NULL));
  PetscCall(
      record_gradient(c.trajectory, c.op, c.x, &(HgRecorderSpec){.every = 3}, "before", text));
  PetscCall(rewrite("observed: 3:4:0 # by none\n"));
  REFUSED(HgRecordingOpen(PETSC_COMM_WORLD, "before", &before),
          "'before/recording.yaml' is not what was written");
  PetscCall(rewrite("observed: # none\n")); /* so that the next run finds a recording */
  return heat_destroy(&c);
}

int main(int argc, char **argv) {
  PetscErrorCode ierr = HgInitialize(&argc, &argv, NULL);
  claim_begin("a recording without the steps that J looks at is read", 0);
  if (!ierr) ierr = test();
  return claim_end(ierr);
}
