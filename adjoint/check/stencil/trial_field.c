/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of random numbers that kernels are tried on: no mesh, no state. */
#include "trial_private.h"

PetscErrorCode HgTrialFieldCreate(const HgBox *b, int ghost, bool levels, HgTrialField *f) {
  const int width = b->i1 + 2 * ghost, height = b->j1 + 2 * ghost;
  *f = (HgTrialField){.nx = b->i1, .ny = b->j1, .nz = 1, .ghost = ghost, .pitch = width};
  if (levels) f->nz = b->k1, f->beside = ghost;
  const size_t slab = (size_t)width * (size_t)(f->nz + 2 * f->beside);
  PetscCall(PetscCalloc1(slab * (size_t)height, &f->data));
  PetscCall(PetscMalloc1(height, &f->first));
  for (int j = 0; j < height; j++)
    f->first[j] = f->data + (size_t)j * slab + f->beside * f->pitch + ghost;
  f->rows = f->first + ghost;
  return 0;
}

void HgTrialFieldFill(const HgTrialField *f, double value) {
  for (size_t n = 0; n < HgTrialFieldSize(f); n++) f->data[n] = value;
}

void HgTrialFieldCopy(const HgTrialField *from, const HgTrialField *to) {
  memcpy(to->data, from->data, HgTrialFieldSize(from) * sizeof(HgReal));
}

void HgTrialFieldCombine(double a, const HgTrialField *p, double b, const HgTrialField *q,
                         const HgTrialField *f) {
  for (size_t n = 0; n < HgTrialFieldSize(f); n++) f->data[n] = a * p->data[n] + b * q->data[n];
}

int HgTrialFieldDiffers(const HgTrialField *a, const HgTrialField *b) {
  int cells = 0;
  for (size_t n = 0; n < HgTrialFieldSize(a); n++)
    cells += memcmp(&a->data[n], &b->data[n], sizeof(HgReal)) != 0;
  return cells;
}

int HgTrialFieldDiffersIn(const HgBox *b, const HgTrialField *f, const HgTrialField *g) {
  int cells = 0;
  HG_TRIAL_BOX(f, b, i, j, k) cells += *HgTrialAt(f, i, j, k) != *HgTrialAt(g, i, j, k);
  return cells;
}

long double HgTrialFieldDot(const HgTrialField *a, const HgTrialField *b, const HgBox *box) {
  long double sum = 0;
  HG_TRIAL_BOX(a, box, i, j, k)
  sum += (long double)*HgTrialAt(a, i, j, k) * *HgTrialAt(b, i, j, k);
  return sum;
}

double HgTrialFieldRemainder(const HgTrialField *r, double a, const HgTrialField *p, double b,
                             const HgTrialField *q, const HgBox *box, double *scale) {
  long double squares = 0, sizes = 0;
  HG_TRIAL_BOX(r, box, i, j, k) {
    const long double ap = (long double)a * *HgTrialAt(p, i, j, k),
                      bq = (long double)b * *HgTrialAt(q, i, j, k),
                      e = *HgTrialAt(r, i, j, k) - ap - bq;
    squares += e * e, sizes += ap * ap + bq * bq;
  }
  *scale = (double)sqrtl(sizes);
  return (double)sqrtl(squares);
}
