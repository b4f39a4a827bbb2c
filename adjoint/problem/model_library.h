/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/model_library.h -- what other rooms of the library need of model.h. */
#ifndef HG_MODEL_LIBRARY_H
#define HG_MODEL_LIBRARY_H

#include <halograd/model.h>

/* Variable g->variable of x is what `g` says, on owned cells; number n of an array by .time is that
   at n dt. Collective. Errors: those of HgStateSetField(); .time of a field. */
PetscErrorCode HgGivenFill(HgState x, const HgGiven *g, double dt);

#endif
