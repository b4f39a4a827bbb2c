/* SPDX-License-Identifier: BSD-2-Clause */
/* What is added to a background: x(d) = x_b + d for d = (dh, du, dv). */
#ifndef INCREMENT_H
#define INCREMENT_H

#include <halograd/operator.h>

enum { INCREMENTS = 3 };

/* dh, du, dv; what of x depends on them, ended by NULL. */
extern const char *const increment_names[INCREMENTS];
extern const char *const increment_of[INCREMENTS + 1];

/* The background is as x is now, of which a copy is kept. Collective. */
PetscErrorCode IncrementCreate(HgState x, HgOperator *op);

#endif
