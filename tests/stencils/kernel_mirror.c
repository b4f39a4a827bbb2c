/* SPDX-License-Identifier: BSD-2-Clause */
/* Mirrored data give mirrored numbers, in value, tangent and adjoint, along x and along y; kernels
   of staggered grids, where mirroring a cell mirrors other faces, are left out. */
#include "stencil_checks.h"

int main(void) { return check_subjects(CHECK(MIRROR), 0, 15); }
