/* SPDX-License-Identifier: BSD-2-Clause */
/* An adjoint that sets: where x_bar[k] starts from nothing it holds, whatever was there, the bits
   of an x_bar that was zero; the others are added to. */
#include "stencil_checks.h"

int main(void) { return check_subjects(CHECK(FRESH), 0, 11); }
