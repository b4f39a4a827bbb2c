/* SPDX-License-Identifier: BSD-2-Clause */
/* What each term has of the misfit, at each iterate: its share of the sum of all terms' sizes. */
#include <halograd/error_library.h>
#include <halograd/report_library.h>
#include <halograd/run_library.h>
#include <math.h>
#include <stdio.h>

enum { MOST = 6, PART_TEXT = 160 /* of the shares in a line */ };

PetscErrorCode HgPartsDestroy(HgRunParts *p) {
  PetscCall(PetscFree(p->now));
  return PetscFree(p->all);
}

PetscErrorCode HgPartsBegin(HgRunParts *p, HgObjective of) {
  const int all = of ? HgObjectiveTerms(of) : 0, terms = all > 1 ? all : 0;
  if (of != p->of || terms != p->terms) {
    PetscCall(HgPartsDestroy(p));
    *p = (HgRunParts){.of = of, .terms = terms};
    PetscCall(PetscMalloc1(terms, &p->now));
  }
  for (int k = 0; k < p->terms; k++) p->now[k] = NAN;
  if (!p->terms) return 0;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "shares of the misfit:"));
  for (int k = 0; k < PetscMin(MOST, p->terms); k++) {
    char text[PART_TEXT];
    HgObjectiveTermText(of, k, sizeof text, text);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s %s", k ? "," : "", text));
  }
  return PetscPrintf(PETSC_COMM_WORLD, "%s\n", p->terms > MOST ? ", ..." : "");
}

/* Keeps the parts of the last evaluation if its misfit is the iterate's. Otherwise the iterate has
   not moved. */
static PetscErrorCode look(HgRunParts *p, double misfit) {
  double *part, sum = 0, size = 0;
  PetscCall(PetscMalloc1(p->terms + 1, &part));
  PetscCall(HgObjectiveParts(p->of, part));
  for (int k = 0; k < p->terms; k++) sum += part[k], size += fabs(part[k]);
  if (fabs(sum - misfit) <= 1e-9 * (size + fabs(misfit)))
    PetscCall(PetscArraycpy(p->now, part, p->terms));
  return PetscFree(part);
}

PetscErrorCode HgPartsAdd(HgRunParts *p, double misfit, size_t size, char text[]) {
  double all = 0;
  *text = 0;
  if (!p->terms) return 0;
  PetscCall(look(p, misfit));
  PetscCall(PetscRealloc(sizeof *p->all * (size_t)(p->count + 1) * (size_t)p->terms, &p->all));
  for (int k = 0; k < p->terms; k++) {
    p->all[p->count * p->terms + k] = p->now[k];
    all += fabs(p->now[k]);
  }
  p->count++;
  for (int k = 0; k < PetscMin(MOST, p->terms); k++) {
    const double share = all > 0 ? 100 * p->now[k] / all : all;
    if (isnan(share)) HgSentenceAdd(size, text, "      -");
    else HgSentenceAdd(size, text, " %4.0f %%", share);
  }
  return 0;
}

PetscErrorCode HgPartsReport(const HgRunParts *p, HgReport report) {
  double *of_one;
  PetscCall(PetscMalloc1(p->count, &of_one));
  for (int k = 0; k < p->terms; k++) {
    char text[PART_TEXT], key[48];
    HgObjectiveTermText(p->of, k, sizeof text, text);
    snprintf(key, sizeof key, "terms.%d.what", k + 1);
    PetscCall(HgReportSetText(report, key, text));
    for (int n = 0; n < p->count; n++) of_one[n] = p->all[n * p->terms + k];
    snprintf(key, sizeof key, "terms.%d.J", k + 1);
    PetscCall(HgReportSetReals(report, key, p->count, of_one));
  }
  return PetscFree(of_one);
}
