/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/picture.h>
#include <halograd/recording_library.h>
#include <halograd/show_library.h>
#include <math.h>
#include <string.h>

enum { PANELS = 2, MARKS = 4096 };

/* The panel of one sweep. */
typedef struct {
  HgMode direction;
  int curves, *first; /* lines of the ledger */
  HgCurve *curve;
  char (*label)[176];
  double *numbers; /* of all curves */
  char title[128];
} Sweep;

/* Whether the variable of line k is among those whose first lines are listed. */
static bool is_known(const HgLedgerText *l, int k, int count, const int first[]) {
  for (int m = 0; m < count; m++)
    if (!strcmp(l->line[first[m]].variable, l->line[k].variable)) return true;
  return false;
}

/* Each variable of the sweep is a curve, in the order of the ledger. */
static PetscErrorCode create(const HgLedgerText *l, int variables, HgMode direction, Sweep *s) {
  *s = (Sweep){.direction = direction};
  PetscCall(PetscCalloc4(variables + 1, &s->first, variables + 1, &s->curve, variables + 1,
                         &s->label, 2 * (l->lines + MARKS), &s->numbers));
  for (int k = 0; k < l->lines && s->curves < variables; k++)
    if (l->line[k].direction == direction && !is_known(l, k, s->curves, s->first))
      s->first[s->curves++] = k;
  return 0;
}

/* The curve of the variable in line `first`; returns the numbers used. */
static int add_curve(const HgLedgerText *l, int first, double *numbers, Sweep *s, int which) {
  HgCurve *const c = &s->curve[which];
  const HgLedgerLine *const like = &l->line[first];
  int count = 0;
  for (int k = first; k < l->lines; k++)
    count += l->line[k].direction == s->direction && !strcmp(l->line[k].variable, like->variable);
  double *const x = numbers, *const y = numbers + count;
  for (int k = first, i = 0; k < l->lines; k++) {
    if (l->line[k].direction != s->direction || strcmp(l->line[k].variable, like->variable))
      continue;
    x[i] = (double)l->line[k].n, y[i++] = l->line[k].measure.norm;
  }
  snprintf(s->label[which], sizeof s->label[which], "%s [%s]", like->variable, like->unit);
  *c = (HgCurve){.label = s->label[which], .count = count, .x = x, .y = y};
  return 2 * count;
}

/* Marks steps that J reads, below all curves, at most MARKS; returns whether there are any. */
static bool add_marks(const HgRecordHead *h, double *numbers, Sweep *s) {
  double low = INFINITY, *const x = numbers, *const y = numbers + MARKS;
  long count = 0, all = 0;
  for (int k = 0; k < s->curves; k++)
    for (int i = 0; i < s->curve[k].count; i++)
      if (s->curve[k].y[i] > 0) low = fmin(low, s->curve[k].y[i]);
  for (int k = 0; k < h->observed; k++)
    all += (h->observation[k][1] - h->observation[k][0]) / h->observation[k][2] + 1;
  const long every = (all + MARKS - 1) / MARKS;
  long at = 0;
  for (int k = 0; k < h->observed; k++)
    for (long n = h->observation[k][0]; n <= h->observation[k][1]; n += h->observation[k][2])
      if (at++ % every == 0) x[count] = (double)n, y[count++] = 0.8 * low;
  if (!count || !isfinite(low)) return false;
  s->curve[s->curves] =
      (HgCurve){.label = "observed", .count = (int)count, .x = x, .y = y, .points = true};
  return true;
}

static HgPanel make_panel(HgRecording r, Sweep *s) {
  static const char *const names[HG_MODES] = {[HG_PRIMAL] = "|q_n|", [HG_COTANGENT] = "|lambda_n|"};
  const HgLedgerText *const l = &r->ledger;
  double *numbers = s->numbers;
  for (int k = 0; k < s->curves; k++) numbers += add_curve(l, s->first[k], numbers, s, k);
  const bool marks = add_marks(&r->head, numbers, s);
  snprintf(s->title, sizeof s->title, "%s: %s", r->head.program, names[s->direction]);
  return (HgPanel){.title = s->title,
                   .x_label = "step n",
                   .y_label = names[s->direction],
                   .log_y = true,
                   .curves = s->curves + marks,
                   .curve = s->curve};
}

static PetscErrorCode draw(HgRecording r, const char directory[], const char name[]) {
  static const HgMode order[PANELS] = {HG_PRIMAL, HG_COTANGENT};
  Sweep sweep[PANELS];
  HgPanel panel[PANELS];
  int count = 0;
  for (int k = 0; k < PANELS; k++) {
    PetscCall(create(&r->ledger, r->head.variables, order[k], &sweep[k]));
    if (sweep[k].curves) panel[count++] = make_panel(r, &sweep[k]);
  }
  const PetscErrorCode ierr = count ? HgPictureWrite(r->comm, directory, name, count, panel) : 0;
  for (int k = 0; k < PANELS; k++)
    PetscCall(PetscFree4(sweep[k].first, sweep[k].curve, sweep[k].label, sweep[k].numbers));
  return ierr;
}

PetscErrorCode HgNormsDraw(MPI_Comm comm, const char recorded[], const char directory[]) {
  static const char *const names[] = {"norms", "norms-last"};
  char path[2][HG_RECORD_DIRECTORY];
  int count;
  PetscErrorCode ierr = 0;
  PetscCall(HgRecordingsFind(comm, recorded, &count, path));
  for (int k = 0; !ierr && k < count; k++) {
    HgRecording r;
    PetscCall(HgRecordingOpen(comm, path[k], &r));
    ierr = draw(r, directory ? directory : path[k], names[directory ? k : 0]);
    PetscCall(HgRecordingClose(&r));
  }
  return ierr;
}
