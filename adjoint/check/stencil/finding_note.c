/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings as numbers, for a program's monitor; see check_stencil.h. */
#include <halograd/finding_library.h>

static const char *const checks[HG_CHECKS] = {[HG_CHECK_DECLARATION] = "declaration",
                                              [HG_CHECK_INPUTS] = "inputs",
                                              [HG_CHECK_FINITE] = "finite",
                                              [HG_CHECK_RADIUS] = "radius",
                                              [HG_CHECK_UNUSED] = "unused",
                                              [HG_CHECK_NULL] = "null",
                                              [HG_CHECK_BOX] = "box",
                                              [HG_CHECK_CUT] = "cut",
                                              [HG_CHECK_PURE] = "pure",
                                              [HG_CHECK_ZERO] = "zero",
                                              [HG_CHECK_LINEARITY] = "linearity",
                                              [HG_CHECK_TAYLOR] = "Taylor",
                                              [HG_CHECK_DOT] = "dot",
                                              [HG_CHECK_ADDS] = "adds",
                                              [HG_CHECK_WANTED] = "wanted",
                                              [HG_CHECK_FRESH] = "fresh",
                                              [HG_CHECK_MIRROR] = "mirror",
                                              [HG_CHECK_SYMMETRY] = "symmetry",
                                              [HG_CHECK_COPY] = "copy",
                                              [HG_CHECK_INDEX] = "index",
                                              [HG_CHECK_STATIC] = "static",
                                              [HG_CHECK_KINK] = "kink",
                                              [HG_CHECK_THREADS] = "threads",
                                              [HG_CHECK_REPEAT] = "repeat",
                                              [HG_CHECK_SWEEP] = "sweep",
                                              [HG_CHECK_OBJECTIVE] = "objective",
                                              [HG_CHECK_SUM] = "sum",
                                              [HG_CHECK_CONTROL] = "control",
                                              [HG_CHECK_IDLE] = "idle",
                                              [HG_CHECK_UNSET] = "unset",
                                              [HG_CHECK_PINNED] = "pinned"};

static struct {
  HgCheckMonitorFn *see;
  void *context;
} monitor;

void HgCheckSetMonitor(HgCheckMonitorFn *see, void *context) {
  monitor.see = see, monitor.context = context;
}

static void note(const char name[], const HgFinding *f, const char sentence[]) {
  static const char *const kernels[] = {"apply", "tangent", "adjoint", "second", ""};
  const HgCheckNote found = {.of = name,
                             .what = checks[f->check],
                             .off = f->value,
                             .bound = f->bound,
                             .remark = f->check >= HG_CHECK_IDLE,
                             .sentence = sentence,
                             .part = f->part,
                             .kernel = kernels[f->kernel],
                             .read = f->read,
                             .write = f->write,
                             .within = f->within,
                             .step = f->step,
                             .i = f->i,
                             .j = f->j,
                             .level = f->level,
                             .rank = f->rank};
  monitor.see(&found, monitor.context);
}

void HgFindingsNote(const char name[], bool measured, const HgFindings *r) {
  char text[1024];
  if (!monitor.see) return;
  for (int k = 0; measured && k < HG_CHECKS; k++) {
    HgFindings one = {.findings = 0};
    HgFinding *const f = HgFindingsAdd(&one, (HgCheckId)k, -1);
    f->value = r->worst[k], f->bound = NAN;
    if (!isnan(f->value)) note(name, f, NULL);
  }
  for (int k = 0; k < r->findings + r->remarks; k++) {
    const HgFinding *f = k < r->findings ? &r->finding[k] : &r->remark[k - r->findings];
    HgFindingText(f, sizeof text, text);
    note(name, f, text);
  }
}
