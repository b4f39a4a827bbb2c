/* SPDX-License-Identifier: BSD-2-Clause */
/* An adjoint adds to x_bar, and leaving out any x_bar (NULL) changes no bit of the others. */
#include "stencil_checks.h"

int main(void) { return check_subjects(CHECK(ADDS) | CHECK(WANTED), CHECK(ADDS), 11); }
