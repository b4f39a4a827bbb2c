/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/regularisation_library.h -- what other rooms of the library need of regularisation.h. */
#ifndef HG_REGULARISATION_LIBRARY_H
#define HG_REGULARISATION_LIBRARY_H

#include <halograd/regularisation.h>

/* Both weights of an operator that HgRegularisationCreate() made are multiplied by `factor` > 0
   from now on: of all composites that it is a part of, too. Not collective. */
void HgRegularisationScale(HgOperator op, double factor);

#endif
