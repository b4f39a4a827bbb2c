#include "recording_private.h"
#include <limits.h>
#include <string.h>

PetscErrorCode HgRecordingOpen(MPI_Comm comm, const char directory[], HgRecording *recording) {
  char path[PETSC_MAX_PATH_LEN];
  bool found;
  HgRecording r;
  HgRequire(comm, strlen(directory) < HG_RECORD_DIRECTORY,
            "recording: the name of the folder has %zu bytes, expected less than %d",
            strlen(directory), (int)HG_RECORD_DIRECTORY);
  PetscCall(HgRecordFind(comm, directory, "recording.yaml", &found));
  HgRequire(comm, found, "recording: '%s' has none, expected a folder with a recording.yaml",
            directory);
  PetscCall(PetscNew(&r));
  r->comm = comm;
  snprintf(r->directory, sizeof r->directory, "%s", directory);
  snprintf(path, sizeof path, "%s/steps.csv", directory);
  PetscErrorCode ierr = HgRecordHeadRead(comm, directory, &r->head);
  if (!ierr) ierr = HgLedgerRead(comm, path, &r->ledger);
  if (ierr) PetscCall(HgRecordingClose(&r));
  else *recording = r;
  return ierr;
}

PetscErrorCode HgRecordingClose(HgRecording *recording) {
  HgRecording r = *recording;
  *recording = NULL;
  if (!r) return 0;
  PetscCall(HgRecordHeadDestroy(&r->head));
  PetscCall(HgLedgerTextDestroy(&r->ledger));
  return PetscFree(r);
}

bool HgRecordingWhole(HgRecording r) { return r->ledger.whole; }

long HgRecordingNext(HgRecording r, HgMode direction, long n) {
  long first = LONG_MAX;
  for (int k = 0; k < r->ledger.lines; k++) {
    const HgLedgerLine *l = &r->ledger.line[k];
    if (l->direction == direction && l->n >= n) first = PetscMin(first, l->n);
  }
  return first;
}

void HgRecordingSteps(HgRecording r, HgMode direction, long near, size_t size, char text[]) {
  enum { AROUND = 6 };

  long below = 0, count = 0, n;
  for (n = 0; (n = HgRecordingNext(r, direction, n)) < LONG_MAX; n++) below += n < near, count++;
  snprintf(text, size, "%s", count ? below > AROUND ? "step .., " : "step " : "none");
  n = 0;
  for (long k = 0; k < count && k < below + AROUND; k++, n++) {
    n = HgRecordingNext(r, direction, n);
    if (k < below - AROUND) continue;
    const bool last = k == count - 1 || k == below + AROUND - 1;
    HgSentenceAdd(size, text, "%ld%s", n, k == count - 1 ? "" : last ? ", .." : ", ");
  }
}

/* ---- states ---- */
static PetscErrorCode make_mesh(HgRecording r, HgMesh *mesh) {
  const HgRecordHead *h = &r->head;
  const HgMeshSpec spec = {.nx = h->nx,
                           .ny = h->ny,
                           .x0 = h->x0,
                           .y0 = h->y0,
                           .dx = h->dx,
                           .dy = h->dy,
                           .periodic_x = h->periodic_x,
                           .periodic_y = h->periodic_y,
                           .ghost = 1};
  return HgMeshCreate(r->comm, &spec, mesh);
}

PetscErrorCode HgRecordingReadTo(HgRecording r, HgMode direction, long n, bool constants,
                                 HgState state) {
  const HgGenerationKind kind = HgRecordKind(direction, HgRecordedConstants(&r->head));
  char stem[HG_GENERATION_STEM], steps[HG_RECORD_STEPS_TEXT];
  bool found;
  HgManifest manifest;
  HgRecordStem(r->directory, direction, n, stem);
  PetscCall(HgManifestFind(r->comm, stem, &found));
  HgRecordingSteps(r, direction, n, sizeof steps, steps);
  HgRequire(r->comm, found && (!constants || kind.states == 2),
            "recording '%s': no %s of step %ld of the %s sweep, of which it has %s", r->directory,
            constants ? "constants' derivatives" : "state", n, HgSweepName(direction), steps);
  PetscCall(HgManifestRead(r->comm, &kind, stem, &manifest));
  const PetscErrorCode ierr = HgGenerationRead(&kind, stem, &manifest, constants, n, state);
  PetscCall(HgManifestDestroy(&manifest));
  return ierr;
}

PetscErrorCode HgRecordingRead(HgRecording r, HgMode direction, long n, bool constants,
                               HgState *state) {
  const HgRecordHead *h = &r->head;
  HgVariable *list;
  HgMesh mesh;
  int count = 0;
  PetscCall(PetscMalloc1(h->variables, &list));
  for (int k = 0; k < h->variables; k++) {
    const HgRecorded *v = &h->variable[k];
    if (v->constant == constants) list[count++] = (HgVariable){v->name, v->unit, v->kind, v->size};
  }
  PetscErrorCode ierr = make_mesh(r, &mesh);
  if (!ierr) {
    ierr = HgStateCreate(mesh, count, list, state);
    PetscCall(HgMeshDestroy(&mesh)); /* the state is an owner, too */
  }
  PetscCall(PetscFree(list));
  if (ierr) return ierr;
  ierr = HgRecordingReadTo(r, direction, n, constants, *state);
  if (ierr) PetscCall(HgStateDestroy(state));
  return ierr;
}

PetscErrorCode HgRecordingReadConstants(HgRecording r, HgState constants) {
  const HgGenerationKind kind = HgRecordConstantsKind();
  char stem[HG_GENERATION_STEM];
  HgManifest manifest;
  HgRecordConstantsStem(r->directory, stem);
  PetscCall(HgManifestRead(r->comm, &kind, stem, &manifest));
  const PetscErrorCode ierr = HgGenerationRead(&kind, stem, &manifest, 0, 0, constants);
  PetscCall(HgManifestDestroy(&manifest));
  return ierr;
}

PetscErrorCode HgRecordingNearest(HgRecording r, HgMode direction, long n, long *nearest) {
  *nearest = -1;
  for (int k = 0; k < r->ledger.lines; k++) {
    const HgLedgerLine *l = &r->ledger.line[k];
    char stem[HG_GENERATION_STEM];
    bool there;
    if (l->direction != direction || l->n == *nearest) continue;
    if (direction == HG_COTANGENT ? l->n < n : l->n > n) continue;
    HgRecordStem(r->directory, direction, l->n, stem);
    PetscCall(HgManifestFind(r->comm, stem, &there));
    if (there) *nearest = l->n; /* lines come in the order of the run: towards n */
  }
  return 0;
}
