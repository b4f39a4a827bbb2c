/* For adjoint/inversion*.c only. */
#ifndef HALOGRAD_INVERSION_PRIVATE_H
#define HALOGRAD_INVERSION_PRIVATE_H

#include <halograd/inversion.h>

/* Can TAO do with J and its gradient alone what -tao_type and -tao_ls_type say? *by_gradient: the
   method looks at gradients. Collective. Errors: a method that is unknown or wants more. */
PetscErrorCode HgInversionMethod(MPI_Comm comm, bool *by_gradient);

#endif
