/* SPDX-License-Identifier: BSD-2-Clause */
/* Planted errors in the adjoints of all kernels of shallow water and of the tsunami, the latter on
   a sphere, are caught by the dot product, which names the pair: a read forgotten, an output's
   cotangent or a read taken one row off. */
#include "stencils/stencil_checks.h"

typedef enum { NONE, READ_FORGOTTEN, BAR_OF_NEXT_ROW, READ_OF_NEXT_ROW } Fault;

static const char *const names[] = {"no error", "a read forgotten", "y_bar of the next row",
                                    "x of the next row"};

/* Whose adjoint is spoilt, how, and which read or output of it. */
static struct {
  const HgStencil *stencil;
  Fault fault;
  int which;
} planted;

static void spoilt(const HgBox *b, const void *params, const HgRows x[], const HgRows y_bar[],
                   const HgRowsOut x_bar[]) {
  HgRows read[READS_MAX], bar[READS_MAX];
  HgRowsOut given[READS_MAX];
  const int reads = stencil_reads(planted.stencil), writes = stencil_writes(planted.stencil);
  for (int k = 0; k < reads; k++) {
    const bool here = k == planted.which;
    read[k] = x[k] + (planted.fault == READ_OF_NEXT_ROW && here);
    given[k] = planted.fault == READ_FORGOTTEN && here ? NULL : x_bar[k];
  }
  for (int k = 0; k < writes; k++)
    bar[k] = y_bar[k] + (planted.fault == BAR_OF_NEXT_ROW && k == planted.which);
  planted.stencil->adjoint(b, params, read, bar, given);
}

/* The pairs that may be named: the read whose cotangent is spoilt, the output; else any. */
static bool blamed(const HgFinding *f) {
  const HgStencil *s = planted.stencil;
  if (f->check != HG_CHECK_DOT) return false;
  if (planted.fault == READ_FORGOTTEN) return !strcmp(f->read, s->reads[planted.which].name);
  if (planted.fault == BAR_OF_NEXT_ROW) return !strcmp(f->write, s->writes[planted.which]);
  return true;
}

static int caught(const Subject *subject) {
  int count = 0;
  for (uint64_t seed = 1; seed <= DRAWS; seed++) {
    HgStencil wrong = *subject->stencil;
    harness_state = seed * 6007u;
    HgBox box = {.i1 = random_int(1, 9),
                 .j1 = random_int(1, 9),
                 .i_global = random_int(0, 9),
                 .j_global = random_int(0, 9),
                 .dx = random_between(0.3, 3),
                 .dy = random_between(0.3, 3),
                 .nx_global = 40,
                 .ny_global = 40,
                 .dt = random_between(1e-2, 0.5),
                 .step = 5}; /* the Euler step does not read old tendencies */
    if (wrong.spherical) box.latitude = draw_sphere();
    wrong.adjoint = spoilt;
    const Subject spoilt_one = {&wrong, subject->draw, subject->low, subject->high, true};
    const HgFindings r = checked(&spoilt_one, &wrong, CHECK(DOT), 0, &box, seed);
    bool others = false;
    for (int k = 0; k < r.findings; k++) others = others || !blamed(&r.finding[k]);
    count += r.findings > 0 && !others;
  }
  return count;
}

static int expect(const Subject *subject, Fault fault, int which) {
  planted.fault = fault, planted.which = which;
  const int count = caught(subject), least = fault == NONE ? 0 : DRAWS;
  if (count == least) return 0;
  char what[128];
  snprintf(what, sizeof what, "draws on which it is caught: %s, number %d", names[fault], which);
  return failed(what, subject->stencil->name, count, least, 1);
}

int main(void) {
  int status = 0, kernels = 0;
  for (int s = 0; s < SUBJECTS && !status; s++) {
    const Subject *subject = &subjects[s];
    const HgStencil *stencil = planted.stencil = subject->stencil;
    if (subject->draw != draw_shallow_water && subject->draw != draw_tsunami) continue;
    kernels++;
    status = expect(subject, NONE, 0);
    for (int k = 0; k < stencil_reads(stencil) && !status; k++) {
      if (!strcmp(stencil->name, "shallow_surface") && !strcmp(stencil->reads[k].name, "eta"))
        continue; /* its cotangent is 0, see shallow_surface.c */
      status = expect(subject, READ_FORGOTTEN, k);
      if (!status && stencil->reads[k].adjoint_radius >= 0)
        status = expect(subject, READ_OF_NEXT_ROW, k);
    }
    for (int k = 0; k < stencil_writes(stencil) && !status; k++)
      status = expect(subject, BAR_OF_NEXT_ROW, k);
  }
  if (!status && kernels != 20) status = failed("kernels tried", "all", kernels, 20, 1);
  return status;
}
