/* SPDX-License-Identifier: BSD-2-Clause */
/* What was recorded, without a run. */
#include "show_private.h"
#include <halograd/file_library.h>

enum { RATE = 8 };

static PetscErrorCode show_step(HgRecording r, HgShowItem *item, long n, const char directory[]) {
  const HgShowTime at = {item->kind, n, (double)n * r->head.dt};
  HgState state, fields;
  PetscCall(HgRecordingRead(r, HgShowSweep(item->kind), n, false, &state));
  const PetscErrorCode ierr = HgShowFields(&at, state, NULL, &fields);
  PetscCall(HgStateDestroy(&state));
  return ierr ? ierr : HgShowPut(r->comm, &at, &fields, directory, item);
}

/* All steps of its sweep whose states are there. */
static PetscErrorCode show_film(HgRecording r, HgShowItem *item, const char directory[]) {
  const HgMode sweep = HgShowSweep(item->kind);
  PetscErrorCode ierr = 0;
  for (int k = 0; !ierr && k < r->steps[sweep]; k++)
    ierr = show_step(r, item, HgRecordingStep(r, sweep, k), directory);
  if (!ierr && !item->film)
    ierr = HgError(r->comm, HG_ERR_RECORDING_LACKS,
                   "show: recording '%s' has no states of the %s sweep", r->directory,
                   HgSweepName(sweep));
  PetscCall(HgAnimationClose(&item->film, RATE));
  return ierr;
}

static PetscErrorCode show_all(HgRecording r, HgShowList *list, const char directory[]) {
  for (int k = 0; k < list->count; k++)
    HgRequire(
        r->comm, list->item[k].kind != HG_SHOW_GRADIENT, HG_ERR_RECORDING_LACKS,
        "show: a gradient of recording '%s' asked for, expected -replay DIR -window a:b -show of "
        "its program, which adds what lies in ghosts of constants",
        r->directory);
  for (int k = 0; k < list->count; k++) {
    HgShowItem *const item = &list->item[k];
    if (item->step == HG_SHOW_FILM) PetscCall(show_film(r, item, directory));
    else PetscCall(show_step(r, item, item->step, directory));
  }
  return 0;
}

PetscErrorCode HgShowRecording(MPI_Comm comm, const char recorded[], const char what[],
                               const char directory[]) {
  char path[2][HG_RECORD_DIRECTORY];
  int count;
  HgShowList list;
  HgRecording r;
  PetscCall(HgShowParse(comm, what, &list));
  PetscCall(HgRecordingsFind(comm, recorded, &count, path));
  PetscCall(HgDirectoryCreate(comm, directory));
  PetscCall(HgRecordingOpen(comm, path[0], &r));
  const PetscErrorCode ierr = show_all(r, &list, directory);
  PetscCall(HgRecordingClose(&r));
  return ierr || !list.norms ? ierr : HgNormsDraw(comm, recorded, directory);
}
