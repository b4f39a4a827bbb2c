/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/parametrisation_library.h -- what other rooms of the library need of parametrisation.h.
   */
#ifndef HG_PARAMETRISATION_LIBRARY_H
#define HG_PARAMETRISATION_LIBRARY_H

#include <halograd/parametrisation.h>

/* ---- functions of one number (pointwise.h) ---- */

/* Has it a name, a value, a derivative and finite numbers p, and HgPointwiseBetween() bounds in
   their order? If not, `problem`: what is wrong, of at most `size` bytes. */
bool HgPointwiseSound(const HgPointwise *function, size_t size, char problem[]);

#endif
