/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/model_library.h -- what other rooms of the library need of model.h. */
#ifndef HG_MODEL_LIBRARY_H
#define HG_MODEL_LIBRARY_H

#include <halograd/model.h>

/* field(cell) = f(x, y) on owned cells of variable `name`. Collective. Errors: those of
   HgStateSetField(). */
PetscErrorCode HgFieldFill(HgState x, const char name[], HgFieldFn *f);
PetscErrorCode HgVolumeFill(HgState x, const char name[], HgVolumeFn *f);

#endif
