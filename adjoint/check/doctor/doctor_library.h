/* SPDX-License-Identifier: BSD-2-Clause */
/* The doctor's report, for tests. */
#ifndef HG_DOCTOR_LIBRARY_H
#define HG_DOCTOR_LIBRARY_H

#include <halograd/check_library.h>
#include <halograd/doctor.h>

/* HgCheckGradient() without printing. The report is the same on every rank. Collective. */
PetscErrorCode HgExamineGradient(HgOperator functional, HgState m, const HgCheckOptions *options,
                                 HgFindings *report);

#endif
