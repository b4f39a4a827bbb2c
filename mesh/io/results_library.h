/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/results_library.h -- what other rooms of the library need of results.h. */
#ifndef HG_RESULTS_LIBRARY_H
#define HG_RESULTS_LIBRARY_H

#include <halograd/results.h>

/* Abandons: removes the temporary file and this run's .vti and .pvd, frees, sets NULL; no error if
   *results is NULL. Results that are neither closed nor destroyed end as after an error when PETSc
   ends. Collective. */
PetscErrorCode HgResultsDestroy(HgResults *results);

#endif
