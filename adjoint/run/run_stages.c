/* The stages of a run, which are its inversions one after another. */
#include <halograd/run_library.h>
#include <stdio.h>
#include <string.h>

/* The first in the list is the last or, unless `begun`, the next one. */
typedef struct Stage_s {
  HgInversionStage stage; /* .name "": the first one, not named */
  bool begun;
  struct Stage_s *before;
} Stage;

struct HgRunStages_s {
  Stage *last;
};

PetscErrorCode HgRunStagesCreate(HgRunStages *stages) { return PetscNew(stages); }

PetscErrorCode HgRunStagesDestroy(HgRunStages *stages) {
  if (!*stages) return 0;
  for (Stage *s = (*stages)->last, *before; s; s = before) {
    before = s->before;
    PetscCall(PetscFree(s));
  }
  return PetscFree(*stages);
}

static bool has(HgRunStages stages, const char name[]) {
  for (const Stage *s = stages->last; s; s = s->before)
    if (!strcmp(s->stage.name, name)) return true;
  return false;
}

static PetscErrorCode add(HgRunStages stages, const char name[], bool apart) {
  Stage *s;
  PetscCall(PetscNew(&s));
  s->stage.apart = apart, s->before = stages->last;
  PetscCall(PetscStrncpy(s->stage.name, name, sizeof s->stage.name));
  stages->last = s;
  return 0;
}

PetscErrorCode HgRunStagesAdd(HgRunStages stages, const char name[], bool apart) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const MPI_Comm comm = PETSC_COMM_WORLD;
  const size_t length = strlen(name);
  HgRequire(comm, length > 0 && length < HG_RUN_STAGE_NAME && strspn(name, letters) == length,
            "stage '%s': expected a name of 1 to %d letters, digits, '-', '_' or '.'", name,
            HG_RUN_STAGE_NAME - 1);
  HgRequire(comm, !has(stages, name),
            "stage '%s': this run has one of that name, expected another name", name);
  HgRequire(comm, !stages->last || stages->last->begun,
            "stage '%s': stage '%s' has no inversion yet, expected HgRunInvert()", name,
            stages->last->stage.name);
  return add(stages, name, apart);
}

PetscErrorCode HgRunStagesBegin(HgRunStages stages, const HgInversionStage **stage) {
  char number[16];
  int count = 1;
  for (const Stage *s = stages->last; s; s = s->before) count++;
  do snprintf(number, sizeof number, "%d", count++);
  while (has(stages, number));
  if (!stages->last) PetscCall(add(stages, "", false));
  else if (stages->last->begun) PetscCall(add(stages, number, false));
  stages->last->begun = true;
  *stage = &stages->last->stage;
  return 0;
}
