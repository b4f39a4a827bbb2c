/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left of a problem's run: results, picture, run.json; see problem.h. */
#include "problem_private.h"
#include <halograd/results.h>
#include <halograd/state_library.h>

enum { TITLE = HG_PROBLEM_NAME + 16 };

/* Writes one controlled variable and its truth. A carried variable gets another name, because its
   own name is that of its final values. */
static PetscErrorCode write_sought(HgProblem p, HgResults results, const char name[]) {
  const bool carried = HgStateFind(HgProblemGet(p).final, name) >= 0;
  char as[TITLE], text[TITLE];
  snprintf(as, sizeof as, "%s%s", name, carried ? "_0" : "");
  snprintf(text, sizeof text, "%s found", name);
  PetscCall(HgResultsWriteConstant(results, p->x, name, as, text));
  if (!p->truth || p->hidden != HgStateFind(p->truth, name)) return 0;

  snprintf(as, sizeof as, "%s%s_truth", name, carried ? "_0" : "");
  snprintf(text, sizeof text, "hidden %s", name);
  return HgResultsWriteConstant(results, p->truth, name, as, text);
}

static PetscErrorCode write_results(HgProblem p) {
  const double end = (double)p->common.steps * HgProgramTimeStep(p->program);
  HgResults results;
  PetscCall(HgResultsCreate(HgProgramMesh(p->program), p->common.output, p->run->name,
                            p->run->description, &results));
  PetscErrorCode ierr = 0;
  for (int k = 0; k < p->sought && !ierr; k++) ierr = write_sought(p, results, p->variable[k].name);
  if (!ierr) ierr = HgProblemWriteDeviations(p, results);
  if (!ierr) ierr = HgResultsWrite(results, end, HgProblemGet(p).final, NULL);
  if (ierr) PetscCall(HgResultsDestroy(&results));
  else ierr = HgResultsClose(&results);
  return ierr;
}

/* A panel of numbers shows the result, the truth if known and, with -posterior, two deviations
   above and below. If there are several numbers a step, two panels show result and truth. */
typedef struct {
  HgCurve curve[4];
  double *index, *above, *below;
  HgMesh steps;
  HgState plane[2];
} Numbers;

static PetscErrorCode numbers_panel(HgProblem p, const char name[], const char title[], Numbers *n,
                                    HgPanel *panel) {
  const int k = HgStateFind(p->x, name), count = HgStateVariable(p->x, k)->size;
  const int sure = p->deviation ? HgStateFind(p->deviation, name) : -1;
  int curves = 0;
  PetscCall(PetscMalloc3(count, &n->index, count, &n->above, count, &n->below));
  for (int l = 0; l < count; l++) n->index[l] = l;
  n->curve[curves++] = (HgCurve){"found", count, n->index, HgStateArray(p->x, k)};
  if (p->truth) n->curve[curves++] = (HgCurve){"truth", count, n->index, HgStateArray(p->truth, k)};
  for (int l = 0; l < count && sure >= 0; l++) {
    const double reach = 2 * HgStateArray(p->deviation, sure)[l];
    n->above[l] = HgStateArray(p->x, k)[l] + reach, n->below[l] = HgStateArray(p->x, k)[l] - reach;
  }
  if (sure >= 0) {
    n->curve[curves++] = (HgCurve){"two deviations above", count, n->index, n->above};
    n->curve[curves++] = (HgCurve){"two deviations below", count, n->index, n->below};
  }
  *panel = (HgPanel){.title = title,
                     .x_label = "number",
                     .y_label = HgStateVariable(p->x, k)->unit,
                     .curves = curves,
                     .curve = n->curve};
  return 0;
}

/* Numbers `name` of x, `each` a step, as a field: steps along x. */
static PetscErrorCode make_plane(HgState x, const char name[], int each, HgMesh *steps,
                                 HgState *plane) {
  const HgVariable *v = HgStateVariable(x, HgStateFind(x, name));
  const HgMeshSpec spec = {.nx = v->size / each, .ny = each, .dx = 1, .dy = 1};
  if (!*steps) PetscCall(HgMeshCreate(HgMeshComm(HgStateMesh(x)), &spec, steps));
  PetscCall(HgStateCreate(*steps, 1, &(HgVariable){v->name, v->unit, HG_FIELD, 0, false}, plane));
  const HgPatch *const p = HgMeshGetPatch(*steps);
  for (int j = 0; j < p->ny; j++)
    for (int i = 0; i < p->nx; i++)
      HgStateRow(*plane, 0, j)[i] =
          (HgReal)HgStateArray(x, HgStateFind(x, name))[(p->i_global + i) * each + p->j_global + j];
  return 0;
}

/* Adds panels of the result and, in the same colours, of the truth if known; increases *count.
   `titles` and `numbers` must outlive them. */
static PetscErrorCode sought_panels(HgProblem p, char titles[2][TITLE], Numbers *numbers,
                                    int *count, HgPanel panels[]) {
  if (!p->sought) return 0;
  const char *const name =
      p->truth ? HgStateVariable(p->truth, p->hidden)->name : p->variable[0].name;
  const int each = HgProgramEachStep(p->program, name, NULL);
  HgState found = p->x, truth = p->truth;
  double low = 0, high = 0; /* the field's own */
  if (each > 1) {
    PetscCall(make_plane(found, name, each, &numbers->steps, &numbers->plane[0]));
    if (truth) PetscCall(make_plane(truth, name, each, &numbers->steps, &numbers->plane[1]));
    found = numbers->plane[0], truth = numbers->plane[1];
  } else if (!HgIsField(HgStateVariable(p->x, HgStateFind(p->x, name))))
    return numbers_panel(p, name, name, numbers, &panels[(*count)++]);
  snprintf(titles[0], TITLE, "%s found", name);
  snprintf(titles[1], TITLE, "hidden %s", name);
  if (truth) PetscCall(HgStateRange(truth, name, &low, &high));
  const HgPanel panel = {.title = titles[0],
                         .state = found,
                         .field = name,
                         .low = low,
                         .high = high,
                         .section = each > 1 ? 'z' : 0, /* a plane has no other */
                         .x_label = each ? "step" : NULL,
                         .y_label = each ? "number" : NULL};
  panels[(*count)++] = panel;
  if (!truth) return 0;

  panels[*count] = panel;
  panels[*count].title = titles[1], panels[*count].state = truth;
  (*count)++;
  return 0;
}

/* Writes `panels` and, with -posterior, the deviations of the first control that is a field. */
static PetscErrorCode write_picture(HgProblem p, int count, const HgPanel panels[]) {
  char title[TITLE];
  HgPanel *all;
  int k = 0;
  PetscCall(PetscMalloc1(count + 1, &all));
  PetscCall(PetscArraycpy(all, panels, count));
  while (p->deviation && k < HgStateCount(p->deviation) &&
         !HgIsField(HgStateVariable(p->deviation, k)))
    k++;
  if (p->deviation && k < HgStateCount(p->deviation)) {
    const char *const name = HgStateVariable(p->deviation, k)->name;
    snprintf(title, sizeof title, "deviation of %s", name);
    all[count++] =
        HgProblemMark(p, (HgPanel){.title = title, .state = p->deviation, .field = name});
  }
  const PetscErrorCode ierr =
      HgPictureWrite(HgRunComm(p->run), p->common.output, p->run->name, count, all);
  PetscCall(PetscFree(all));
  return ierr;
}

/* The default picture: result, truth, the variable that the first sensors observe, convergence, as
   far as there are such. */
static PetscErrorCode usual_picture(HgProblem p) {
  char titles[2][TITLE], end[TITLE];
  HgPanel panels[4];
  Numbers numbers = {.index = NULL, .steps = NULL};
  int count = 0;
  PetscCall(sought_panels(p, titles, &numbers, &count, panels));
  if (p->observed || p->snapshots) {
    const char *const seen =
        p->observed ? p->observations[0]->name : HgStateVariable(p->snapshot[0], 0)->name;
    snprintf(end, sizeof end, "%s at the end", seen);
    panels[count++] =
        HgProblemMark(p, (HgPanel){.title = end, .state = HgProblemGet(p).final, .field = seen});
  }
  if (p->reason) panels[count++] = HgRunConvergence(p->run);
  PetscCall(write_picture(p, count, panels));
  PetscCall(HgStatesDestroy(&numbers.plane[0], &numbers.plane[1]));
  PetscCall(HgMeshDestroy(&numbers.steps));
  return PetscFree3(numbers.index, numbers.above, numbers.below);
}

PetscErrorCode HgProblemWrite(HgProblem p, int count, const HgPanel panels[]) {
  PetscCall(write_results(p));
  if (count) PetscCall(write_picture(p, count, panels));
  else PetscCall(usual_picture(p));
  return HgRunFinish(p->run, &p->common, p->reason ? p->reason : "completed");
}

PetscErrorCode HgProblemComplete(HgProblem *problem, HgRun *run, const HgInverse *inverse) {
  const HgProblem p = *problem;
  const char *reason;
  PetscCall(HgProblemSetUp(p));
  PetscCall(HgProblemCheck(p, NULL));
  PetscCall(HgProblemInvert(p, inverse, &reason));
  PetscCall(HgProblemDigest(p));
  PetscCall(HgProblemWrite(p, 0, NULL));
  PetscCall(HgProblemDestroy(problem));
  return HgRunDestroy(run);
}
