/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/error_library.h>
#include <halograd/recording_library.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b) {
  const long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

/* Lists its steps of each sweep. Lines of a step are adjacent. */
static PetscErrorCode list_steps(HgRecording r) {
  const HgLedgerText *const l = &r->ledger;
  for (int d = 0; d < HG_MODES; d++) PetscCall(PetscMalloc1(l->lines + 1, &r->step[d]));
  for (int k = 0; k < l->lines; k++) {
    const HgLedgerLine *const at = &l->line[k];
    if (k && at[-1].direction == at->direction && at[-1].n == at->n) continue;
    r->step[at->direction][r->steps[at->direction]++] = at->n;
  }
  for (int d = 0; d < HG_MODES; d++)
    qsort(r->step[d], (size_t)r->steps[d], sizeof *r->step[d], by_number);
  return 0;
}

PetscErrorCode HgRecordingOpen(MPI_Comm comm, const char directory[], HgRecording *recording) {
  char path[PETSC_MAX_PATH_LEN];
  bool found;
  HgRecording r;
  HgRequire(comm, strlen(directory) < HG_RECORD_DIRECTORY, HG_ERR_FILE_NAME,
            "recording: the name of the folder has %zu bytes, expected less than %d",
            strlen(directory), (int)HG_RECORD_DIRECTORY);
  PetscCall(HgRecordFind(comm, directory, "recording.yaml", &found));
  HgRequire(comm, found, HG_ERR_FILE_READ,
            "recording: '%s' has none, expected a folder with a recording.yaml", directory);
  PetscCall(PetscNew(&r));
  r->comm = comm;
  snprintf(r->directory, sizeof r->directory, "%s", directory);
  snprintf(path, sizeof path, "%s/steps.csv", directory);
  PetscErrorCode ierr = HgRecordHeadRead(comm, directory, &r->head);
  if (!ierr) ierr = HgLedgerRead(comm, path, &r->ledger);
  if (!ierr) ierr = list_steps(r);
  if (ierr) PetscCall(HgRecordingClose(&r));
  else *recording = r;
  return ierr;
}

PetscErrorCode HgRecordingClose(HgRecording *recording) {
  HgRecording r = *recording;
  *recording = NULL;
  if (!r) return 0;
  for (int d = 0; d < HG_MODES; d++) PetscCall(PetscFree(r->step[d]));
  PetscCall(HgRecordHeadDestroy(&r->head));
  PetscCall(HgLedgerTextDestroy(&r->ledger));
  return PetscFree(r);
}

/* The number of its steps of that sweep before step n. */
static int before(HgRecording r, HgMode direction, long n) {
  int from = 0, to = r->steps[direction];
  while (from < to) {
    const int middle = from + (to - from) / 2;
    if (r->step[direction][middle] < n) from = middle + 1;
    else to = middle;
  }
  return from;
}

long HgRecordingNext(HgRecording r, HgMode direction, long n) {
  const int k = before(r, direction, n);
  return k < r->steps[direction] ? r->step[direction][k] : LONG_MAX;
}

long HgRecordingStep(HgRecording r, HgMode direction, int k) {
  return r->step[direction][direction == HG_COTANGENT ? r->steps[direction] - 1 - k : k];
}

void HgRecordingSteps(HgRecording r, HgMode direction, long near, size_t size, char text[]) {
  enum { AROUND = 6 };

  const int below = before(r, direction, near), count = r->steps[direction],
            first = PetscMax(0, below - AROUND), end = PetscMin(count, below + AROUND);
  snprintf(text, size, "%s", count ? first ? "step .., " : "step " : "none");
  for (int k = first; k < end; k++)
    HgSentenceAdd(size, text, "%ld%s", r->step[direction][k],
                  k == count - 1 ? ""
                  : k == end - 1 ? ", .."
                                 : ", ");
}

/* ---- states ---- */
PetscErrorCode HgRecordingFind(HgRecording r, HgMode direction, long n, bool *found) {
  char stem[HG_GENERATION_STEM];
  HgRecordStem(r->directory, direction, n, stem);
  return HgManifestFind(r->comm, stem, found);
}

PetscErrorCode HgRecordingManifest(HgRecording r, HgMode direction, long n,
                                   char stem[HG_GENERATION_STEM], HgManifest *manifest) {
  const HgGenerationKind kind = HgRecordKind(direction, HgRecordedConstants(&r->head));
  HgRecordStem(r->directory, direction, n, stem);
  return HgManifestRead(r->comm, &kind, stem, manifest);
}

static PetscErrorCode read_to(HgRecording r, HgMode direction, long n, bool constants,
                              HgState state) {
  char stem[HG_GENERATION_STEM];
  HgManifest manifest;
  PetscCall(HgRecordingManifest(r, direction, n, stem, &manifest));
  const PetscErrorCode ierr = HgGenerationRead(stem, &manifest, constants, n, state);
  PetscCall(HgManifestDestroy(&manifest));
  return ierr;
}

PetscErrorCode HgRecordingReadTo(HgRecording r, HgMode direction, long n, bool constants,
                                 HgState state) {
  const HgGenerationKind kind = HgRecordKind(direction, HgRecordedConstants(&r->head));
  char stem[HG_GENERATION_STEM], steps[HG_RECORD_STEPS_TEXT];
  bool found;
  PetscCall(HgRecordingFind(r, direction, n, &found));
  HgRecordStem(r->directory, direction, n, stem);
  HgRecordingSteps(r, direction, n, sizeof steps, steps);
  HgRequire(r->comm, found || HgRecordingNext(r, direction, n) != n, HG_ERR_FILE_DAMAGED,
            "recording '%s': step %ld of the %s sweep is in its ledger, but '%s.txt' is missing",
            r->directory, n, HgSweepName(direction), stem);
  HgRequire(r->comm, found && (!constants || kind.states == 2), HG_ERR_RECORDING_LACKS,
            "recording '%s': no %s of step %ld of the %s sweep, of which it has %s", r->directory,
            constants ? "constants' derivatives" : "state", n, HgSweepName(direction), steps);
  return read_to(r, direction, n, constants, state);
}

PetscErrorCode HgRecordingReadConstants(HgRecording r, HgState constants) {
  return read_to(r, HG_NO_MODE, 0, false, constants);
}

PetscErrorCode HgRecordingCreateState(HgRecording r, HgMesh mesh, bool constants, HgState *state) {
  HgVariable *list;
  int count = 0;
  *state = NULL;
  PetscCall(PetscMalloc1(r->head.variables, &list));
  for (int k = 0; k < r->head.variables; k++) {
    const HgRecorded *v = &r->head.variable[k];
    if (v->constant == constants)
      list[count++] = (HgVariable){v->name, v->unit, v->kind, v->size, v->surface};
  }
  const PetscErrorCode ierr = count ? HgStateCreate(mesh, count, list, state) : 0;
  PetscCall(PetscFree(list));
  return ierr;
}

PetscErrorCode HgRecordingRead(HgRecording r, HgMode direction, long n, bool constants,
                               HgState *state) {
  HgMeshSpec grid = r->head.grid;
  HgMesh mesh;
  grid.px = grid.py = 0, grid.ghost = 1;
  PetscCall(HgMeshCreate(r->comm, &grid, &mesh));
  PetscErrorCode ierr = HgRecordingCreateState(r, mesh, constants, state);
  PetscCall(HgMeshDestroy(&mesh)); /* the state is an owner, too */
  if (!ierr) ierr = HgRecordingReadTo(r, direction, n, constants, *state);
  if (ierr) PetscCall(HgStateDestroy(state));
  return ierr;
}

PetscErrorCode HgRecordingNearest(HgRecording r, HgMode direction, long n, long *nearest) {
  const bool back = direction == HG_COTANGENT;
  const long *const step = r->step[direction];
  *nearest = -1;
  for (int k = back ? before(r, direction, n) : before(r, direction, n + 1) - 1;
       *nearest < 0 && k >= 0 && k < r->steps[direction]; k += back ? 1 : -1) {
    bool there;
    PetscCall(HgRecordingFind(r, direction, step[k], &there));
    if (there) *nearest = step[k];
  }
  return 0;
}
