/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/norms.h -- |q_n| and |lambda_n| of a recording over n, as a picture.

   A panel for each sweep, on a logarithmic axis, a curve for each variable in its own unit
   (lambda: 1 / unit), cotangents of constants so far among them; dots at the lower edge mark the
   steps that J looks at. Of the ledger alone: no state is read. */
#ifndef HG_NORMS_LIBRARY_H
#define HG_NORMS_LIBRARY_H

#include <halograd/recording_library.h>

/* Draws `recorded`, or each recording in that folder, as norms.png of its own folder; or as
   directory/norms.png, directory/norms-last.png unless `directory` is NULL. Collective. Errors:
   those of HgRecordingOpen() and HgPictureWrite(). */
PetscErrorCode HgNormsDraw(MPI_Comm comm, const char recorded[], const char directory[]);

#endif
