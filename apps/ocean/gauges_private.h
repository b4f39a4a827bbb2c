/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by apps/ocean/gauges.c and apps/ocean/gauges_text.c. */
#ifndef HALOGRAD_GAUGES_PRIVATE_H
#define HALOGRAD_GAUGES_PRIVATE_H

#include <halograd/gauges.h>
#include <halograd/observations_library.h>

/* HgGaugesRead() of one file. Collective. */
PetscErrorCode HgGaugesReadFile(MPI_Comm comm, const char path[], bool degrees, double sigma,
                                HgObservations **observations);

#endif
