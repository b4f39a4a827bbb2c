/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kernel's adjoint is the transpose of its tangent, for each pair of a read and a write and
   for all together. */
#include "stencil_checks.h"

int main(void) { return check_subjects(CHECK(DOT), 0, 23); }
