/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kernel's `second` is symmetric in two directions; a stencil without one reads no x in its
   adjoint, or is the published friction. That it is the tangent of the adjoint: kernel_tangent.c.
   */
#include "stencil_checks.h"

/* Does the adjoint read x? */
static bool reads_x(const HgStencil *s) {
  for (int k = 0; s->reads[k].name; k++)
    if (s->reads[k].adjoint_radius >= 0) return true;
  return false;
}

int main(void) {
  int found = 0;
  for (int k = 0; k < SUBJECTS; k++) {
    const HgStencil *const s = subjects[k].stencil;
    const bool excepted = strstr(s->name, "friction_");
    if (!excepted && !s->second != !reads_x(s))
      return failed("kernel second, expected where the adjoint reads x", s->name, !!s->second,
                    reads_x(s), 0);
    found += s->second != NULL;
  }
  if (found < 20) return failed("kernels second", "all", found, 20, 0);
  return check_subjects(CHECK(SYMMETRY), 0, 17);
}
