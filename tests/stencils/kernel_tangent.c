/* SPDX-License-Identifier: BSD-2-Clause */
/* Every kernel's tangent is linear and is the derivative of its value: Taylor order 2 of each write
   in each read and in all. So is every `second`, of the adjoint, in each read and in y_bar. */
#include "stencil_checks.h"

int main(void) { return check_subjects(CHECK(TAYLOR) | CHECK(LINEARITY) | CHECK(ZERO), 0, 17); }
