/* SPDX-License-Identifier: BSD-2-Clause */
/* Generated kernels compute what the hand-written ones do: apply to the bit, tangent and adjoint to
   4 units in the last place of a cell's largest term, and they declare no larger radii. */
#include "../kernel_harness.h"
#include <float.h>

enum { ULP = 4, LARGEST = 19, SEEDS = 30, COLOURS = 9 };

/* Both kernels on the same draw. */
typedef struct {
  const HgStencil *hand, *generated;
  const Subject *subject;
} Twin;

static const Subject *subject_of(const HgStencil *stencil) {
  for (int s = 0; s < SUBJECTS; s++)
    if (subjects[s].stencil == stencil) return &subjects[s];
  return NULL;
}

/* What a kernel makes of a draw with a time step `dt`: dy, or x_bar. */
static void run(const HgStencil *s, const Draw *d, double dt, bool adjoint, const Field in[],
                const Field out[]) {
  HgBox box = d->box;
  HgRows x[READS_MAX], second[READS_MAX];
  HgRowsOut rows[READS_MAX];
  rows_of(d->reads, d->x, x);
  rows_of(adjoint ? d->writes : d->reads, in, second);
  rows_out(adjoint ? d->reads : d->writes, out, rows);
  box.dt = dt;
  for (int k = 0; k < (adjoint ? d->reads : d->writes); k++) field_fill(&out[k], 0);
  if (adjoint) s->adjoint(&box, d->params, x, second, rows);
  else s->tangent(&box, d->params, x, second, rows);
}

/* Numbers of nearly the same size: what a cell reads of its neighbours is then as large as what it
   reads of itself, which may be the small sum of large terms. */
static void fill_signs(const Field *f) {
  for (size_t n = 0; n < field_size(f); n++)
    f->data[n] = random_between(0.9, 1) * (random_int(0, 1) ? 1 : -1);
}

/* 1 where a cell has that colour and belongs to that variable, else 0: an output cell within radius
   1 then sees one input cell alone. Colour COLOURS: the whole variable as it is, a term such as
   lap(kappa w). */
static void of_one_colour(const Field in[], int variables, int variable, int colour,
                          const Field out[]) {
  for (int k = 0; k < variables; k++)
    for (int j = -out[k].ghost; j < out[k].ny + out[k].ghost; j++)
      for (int i = -out[k].ghost; i < out[k].nx + out[k].ghost; i++) {
        const bool shown =
            k == variable && (i + 30) % 3 == colour % 3 && (j + 30) % 3 == colour / 3;
        const bool whole = colour == COLOURS && k == variable;
        out[k].rows[j][i] = whole ? in[k].rows[j][i] : shown;
      }
}

static Field copy_of_shape(const Field *f) { return field_new(f->nx, f->ny, f->ghost); }

/* Of one input cell alone: both terms of x + dt r, where they nearly cancel the larger one. */
static void note_terms(const Twin *t, const Draw *d, bool adjoint, const Field part[],
                       const Field term[], const Field rest[], const Field largest[]) {
  run(t->hand, d, d->box.dt, adjoint, part, term);
  run(t->hand, d, 0, adjoint, part, rest);
  for (int l = 0; l < (adjoint ? d->reads : d->writes); l++)
    for (size_t n = 0; n < field_size(&term[l]); n++) {
      const double whole = term[l].data[n], state = rest[l].data[n];
      const double terms = fmax(fabs(whole), fmax(fabs(state), fabs(whole - state)));
      largest[l].data[n] = fmax(largest[l].data[n], terms);
    }
}

/* The largest |hand - generated| / largest term over the cells of the box. */
static double differs(const Twin *t, const Draw *d, bool adjoint) {
  const int ins = adjoint ? d->writes : d->reads, outs = adjoint ? d->reads : d->writes;
  Field in[READS_MAX], part[READS_MAX], hand[READS_MAX], generated[READS_MAX], term[READS_MAX];
  Field rest[READS_MAX], largest[READS_MAX];
  double worst = 0;
  for (int k = 0; k < ins; k++) {
    in[k] = copy_of_shape(&d->x[0]), part[k] = copy_of_shape(&d->x[0]);
    fill_signs(&in[k]);
  }
  for (int k = 0; k < outs; k++) {
    hand[k] = copy_of_shape(&d->x[0]), generated[k] = copy_of_shape(&d->x[0]);
    term[k] = copy_of_shape(&d->x[0]), largest[k] = copy_of_shape(&d->x[0]);
    rest[k] = copy_of_shape(&d->x[0]);
  }
  run(t->hand, d, d->box.dt, adjoint, in, hand);
  run(t->generated, d, d->box.dt, adjoint, in, generated);
  for (int k = 0; k < ins; k++)
    for (int colour = 0; colour <= COLOURS; colour++) {
      of_one_colour(in, ins, k, colour, part);
      note_terms(t, d, adjoint, part, term, rest, largest);
    }
  for (int l = 0; l < outs; l++)
    for (size_t n = 0; n < field_size(&term[l]); n++) {
      const double off = fabs(hand[l].data[n] - generated[l].data[n]);
      if (!(off <= ULP * HG_REAL_EPSILON * largest[l].data[n]))
        worst = fmax(worst, off / (HG_REAL_EPSILON * largest[l].data[n]));
    }
  for (int k = 0; k < ins; k++) field_free(&in[k]), field_free(&part[k]);
  for (int k = 0; k < outs; k++)
    field_free(&rest[k]), field_free(&hand[k]), field_free(&generated[k]), field_free(&term[k]),
        field_free(&largest[k]);
  return worst;
}

static int apply_differs(const Twin *t, const Draw *d) {
  Field y[READS_MAX];
  Draw other = *d;
  int cells = 0;
  for (int k = 0; k < d->writes; k++) y[k] = copy_of_shape(&d->y[0]);
  other.stencil = t->generated;
  run_apply(d, &d->box, d->x, d->y);
  run_apply(&other, &d->box, d->x, y);
  for (int k = 0; k < d->writes; k++) {
    for (size_t n = 0; n < field_size(&y[k]); n++)
      cells += memcmp(&y[k].data[n], &d->y[k].data[n], sizeof(double)) != 0;
    field_free(&y[k]);
  }
  return cells;
}

/* Names, order, radii. */
static int declared_worse(const Twin *t) {
  int worse = stencil_reads(t->hand) != stencil_reads(t->generated);
  for (int k = 0; !worse && t->hand->reads[k].name; k++)
    worse = strcmp(t->hand->reads[k].name, t->generated->reads[k].name) ||
            t->generated->reads[k].radius > t->hand->reads[k].radius ||
            t->generated->reads[k].adjoint_radius > t->hand->reads[k].adjoint_radius;
  for (int k = 0; !worse && t->hand->writes[k]; k++)
    worse = !t->generated->writes[k] || strcmp(t->hand->writes[k], t->generated->writes[k]) != 0;
  return worse;
}

static int check(const Twin *t) {
  const char *name = t->hand->name;
  if (declared_worse(t)) return failed("declares what the other does", name, 1, 0, 0);
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    harness_state = seed * 1000003u;
    Draw d = draw_new(t->subject, LARGEST);
    const int cells = apply_differs(t, &d);
    if (cells) return failed("apply has other bits, in cells", name, cells, 0, seed);
    for (int adjoint = 0; adjoint < 2; adjoint++) {
      const double off = differs(t, &d, adjoint);
      if (off > ULP)
        return failed(adjoint ? "adjoint off, in ulp" : "tangent off, in ulp", name, off, ULP,
                      seed);
    }
    draw_free(&d);
  }
  return 0;
}

int main(void) {
  int twins = 0;
  for (int s = 0; s < SUBJECTS; s++) {
    const HgStencil *hand = subjects[s].stencil;
    for (int g = s + 1; g < SUBJECTS; g++)
      if (!strcmp(subjects[g].stencil->name, hand->name)) {
        const Twin t = {hand, subjects[g].stencil, subject_of(hand)};
        twins++;
        if (check(&t)) return 1;
      }
  }
  return twins == 9 ? 0 : failed("twins", "all", twins, 9, 0);
}
