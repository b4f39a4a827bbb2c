/* With -resume: gradients that were killed go on, too. */
#include <halograd/restart.h>
#include <halograd/run_library.h>
#include <string.h>

struct HgRunRestart_s {
  bool wanted; /* -resume */
  double interval;
  int compared;
  int count;
  HgRestart *restart; /* of every trajectory */
};

PetscErrorCode HgRunRestartCreate(HgRunRestart *restart) {
  PetscCall(PetscNew(restart));
  (*restart)->interval = 600, (*restart)->compared = 2;
  return 0;
}

PetscErrorCode HgRunRestartDestroy(HgRunRestart *restart) {
  HgRunRestart r = *restart;
  *restart = NULL;
  for (int k = 0; k < r->count; k++) PetscCall(HgRestartDestroy(&r->restart[k]));
  PetscCall(PetscFree(r->restart));
  return PetscFree(r);
}

PetscErrorCode HgRunRestartDeclare(HgRunRestart r, HgOptions o) {
  static const char *const more[] = {"-record_interval", "-resume_compare"};
  PetscCall(HgOptionsFlag(o, "-resume",
                          "keep every evaluation in the output directory, go on from those there, "
                          "inside of a gradient, too",
                          &r->wanted));
  PetscCall(HgOptionsReal(o, "-record_interval",
                          "between two records of a gradient under way, with -resume", "s",
                          "[0, inf)", &r->interval));
  PetscCall(HgOptionsInt(o, "-resume_compare",
                         "evaluations found by -resume that are computed again", "", 0, 2,
                         &r->compared));
  for (int k = 0; k < 2; k++)
    HgRequire(PETSC_COMM_WORLD, r->wanted || !HgOptionsGiven(o, more[k]),
              "option %s: given without -resume, expected both", more[k]);
  return 0;
}

bool HgRunRestartWanted(HgRunRestart r) { return r->wanted; }

int HgRunRestartCompared(HgRunRestart r) { return r->compared; }

PetscErrorCode HgRunRestartAttach(HgRunRestart r, HgTrajectory trajectory, const char directory[]) {
  const HgRestartSpec spec = {.directory = directory, .interval = r->interval};
  if (!r->wanted) return 0;
  PetscCall(PetscRealloc(sizeof *r->restart * (size_t)(r->count + 1), &r->restart));
  PetscCall(HgRestartCreate(trajectory, &spec, &r->restart[r->count]));
  r->count++;
  return 0;
}

void HgRunRestartPause(HgRunRestart r, bool pause) {
  for (int k = 0; k < r->count; k++) HgRestartPause(r->restart[k], pause);
}

PetscErrorCode HgRunRestartEnd(HgRunRestart r) {
  for (int k = 0; k < r->count; k++) PetscCall(HgRestartClear(r->restart[k]));
  return 0;
}
