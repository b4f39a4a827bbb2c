/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of a step as results, pictures and frames. */
#include "show_private.h"
#include <halograd/operator_library.h>
#include <halograd/results.h>
#include <halograd/state_library.h>
#include <string.h>

enum { PANELS = 8, NAME = 32, UNIT = 128 };

const char *const hg_show_kinds[HG_SHOW_KINDS] = {"q", "lambda", "gradient"};

/* "lambda_u" [1/K]; names without room for that stay as they are. */
static void rename_variable(HgShowKind kind, const HgVariable *v, bool room, char name[NAME],
                            char unit[UNIT]) {
  const bool renamed = kind != HG_SHOW_Q && room;
  snprintf(name, NAME, "%s%s%s", renamed ? hg_show_kinds[kind] : "", renamed ? "_" : "", v->name);
  if (kind == HG_SHOW_Q) snprintf(unit, UNIT, "%s", v->unit);
  else HgUnitQuotient("1", v->unit, UNIT, unit);
}

PetscErrorCode HgShowFields(const HgShowTime *at, HgState from, const bool kept[],
                            HgState *fields) {
  const int most = HgStateCount(from);
  int count = 0, *which;
  bool room = true;
  HgVariable *list;
  char(*name)[NAME], (*unit)[UNIT];
  PetscCall(PetscMalloc4(most, &which, most, &list, most, &name, most, &unit));
  for (int k = 0; k < most; k++)
    room = room && strlen(HgStateVariable(from, k)->name) + strlen("gradient_") < NAME;
  for (int k = 0; k < most; k++) {
    const HgVariable *v = HgStateVariable(from, k);
    if (kept && !kept[k]) continue;
    rename_variable(at->kind, v, room, name[count], unit[count]);
    list[count] = (HgVariable){name[count], unit[count], v->kind, v->size, v->surface};
    which[count++] = k;
  }
  PetscErrorCode ierr = HgStateCreate(HgStateMesh(from), count, list, fields);
  for (int k = 0; !ierr && k < count; k++) {
    HgStateSetLocation(*fields, k, HgStateLocation(from, which[k]));
    ierr = HgStateCopyVariable(from, which[k], *fields, k);
  }
  PetscCall(PetscFree4(which, list, name, unit));
  return ierr;
}

/* Titles belong to the caller. */
static int make_panels(const HgShowTime *at, HgState s, HgPanel panel[PANELS],
                       char title[PANELS][96]) {
  int count = 0;
  for (int k = 0; k < HgStateCount(s) && count < PANELS; k++) {
    if (!HgIsField(HgStateVariable(s, k))) continue;
    const char *const name = HgStateVariable(s, k)->name;
    snprintf(title[count], sizeof title[count], "%s, step %ld, t = %.5g s", name, at->n, at->t);
    panel[count] = (HgPanel){
        .title = title[count], .state = s, .field = name, .diverging = at->kind != HG_SHOW_Q};
    count++;
  }
  return count;
}

static PetscErrorCode write_results(const HgShowTime *at, HgState fields, const char directory[],
                                    const char name[]) {
  HgResults results;
  char title[128];
  snprintf(title, sizeof title, "%s at step %ld, t = %.17g s", hg_show_kinds[at->kind], at->n,
           at->t);
  PetscCall(HgResultsCreate(HgStateMesh(fields), directory, name, title, &results));
  PetscErrorCode ierr = HgResultsWrite(results, at->t, fields, NULL);
  if (!ierr) return HgResultsClose(&results);
  PetscCall(HgResultsDestroy(&results));
  return ierr;
}

static PetscErrorCode write_files(const HgShowTime *at, HgState fields, const char directory[]) {
  const MPI_Comm comm = HgMeshComm(HgStateMesh(fields));
  char name[HG_SHOW_NAME], title[PANELS][96];
  HgPanel panel[PANELS];
  snprintf(name, sizeof name, "%s_%ld", hg_show_kinds[at->kind], at->n);
  PetscCall(write_results(at, fields, directory, name));
  const int count = make_panels(at, fields, panel, title);
  return count ? HgPictureWrite(comm, directory, name, count, panel) : 0;
}

static PetscErrorCode add_frame(MPI_Comm comm, const HgShowTime *at, HgState fields,
                                const char directory[], HgShowItem *item) {
  char title[PANELS][96];
  HgPanel panel[PANELS];
  const int count = make_panels(at, fields, panel, title);
  if (!item->film)
    PetscCall(HgAnimationCreate(comm, directory, hg_show_kinds[at->kind], &item->film));
  return count ? HgAnimationAdd(item->film, count, panel) : 0;
}

PetscErrorCode HgShowPut(MPI_Comm comm, const HgShowTime *at, HgState *fields,
                         const char directory[], HgShowItem *item) {
  const PetscErrorCode ierr = item->step == HG_SHOW_FILM
                                  ? add_frame(comm, at, *fields, directory, item)
                                  : write_files(at, *fields, directory);
  PetscCall(HgStateDestroy(fields));
  return ierr;
}
