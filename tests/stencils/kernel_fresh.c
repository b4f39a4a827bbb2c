/* An adjoint that sets: where x_bar[k] starts from nothing it holds, whatever was there, the bits of an
   x_bar that was zero; the others are added to. */
#include "kernel_harness.h"

static int cells_that_differ(const Field *a, const Field *b, const HgBox *box) {
  int cells = 0;
  for (int j = box->j0; j < box->j1; j++)
    for (int i = box->i0; i < box->i1; i++) cells += !same_bits(a->rows[j][i], b->rows[j][i]);
  return cells;
}

static int fresh(Draw *d, uint64_t seed) {
  Field start[READS_MAX], set[READS_MAX], added[READS_MAX];
  Field zeros = field_new(d->box.i1, 1, d->ghost);
  int cells = 0;
  for (int k = 0; k < d->reads; k++) {
    start[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    set[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    added[k] = field_new(d->box.i1, d->box.j1, d->ghost);
    field_random(&start[k], -1, 1);
  }
  HgBox box = d->box;
  box.zeros = zeros.rows[0];
  for (unsigned mask = 0; d->stencil->sets && mask < 1u << d->reads; mask++) {
    for (int k = 0; k < d->reads; k++) {
      const bool new = mask >> k & 1;
      field_copy(&start[k], &set[k]), field_copy(&start[k], &added[k]);
      if (new) field_fill(&set[k], NAN), field_fill(&added[k], 0);
    }
    box.fresh = mask;
    run_adjoint(d, &box, ~0u, set);
    run_adjoint(d, &d->box, ~0u, added);
    for (int k = 0; k < d->reads; k++) cells += cells_that_differ(&set[k], &added[k], &box);
  }
  for (int k = 0; k < d->reads; k++)
    field_free(&start[k]), field_free(&set[k]), field_free(&added[k]);
  field_free(&zeros);
  return cells ? failed("cells that are not as if they had been zero", d->stencil->name, cells, 0,
                        seed)
               : 0;
}

int main(void) {
  int sets = 0;
  for (int k = 0; k < SUBJECTS; k++) sets += subjects[k].stencil->sets;
  if (!sets) return fprintf(stderr, "no kernel sets: nothing was checked\n"), 1;
  return for_each_draw(11, fresh);
}
