/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/collective_operator.h -- a collective between ranks (collective.h) as an operator on
   states, for chains, sums, checks, controls of a trajectory, inversions.

   The kinds of the variables say how copies count, here as everywhere (HgStateDot()):
     HG_LOCAL       a rank's own numbers; copies on several ranks count one by one
     HG_REPLICATED  the same numbers on every rank; they count once
     HG_FIELD       the owned cells of a patch, row by row, each counted where it is owned
   So the adjoint of an allreduce to HG_LOCAL arrays is an allreduce of their cotangents, and that
   of one to an HG_REPLICATED array is a copy: the one cotangent there is, is known to everybody. */
#ifndef HALOGRAD_COLLECTIVE_OPERATOR_H
#define HALOGRAD_COLLECTIVE_OPERATOR_H

#include <halograd/collective.h>
#include <halograd/operator.h>

/* From states like `x` to the same states with variable `in` replaced by `out` = C(in); all other
   variables stay as they are. The size of `out` is C's number of outputs (out->size is ignored). C
   belongs to the operator from then on, and *collective is NULL; after an error it is still the
   caller's. It may work on sub-communicators of the mesh's, one for each rank; where a rank belongs
   to none it is NULL, and `in` has size 0. Collective on the mesh. Errors: ranks that do not belong
   to the mesh; sizes of `in` or `out` that are not C's; HG_REPLICATED arrays where C works on a
   part of the mesh's ranks; an HG_REPLICATED `in` of another operator than spread, an HG_REPLICATED
   `out` of one whose results differ between ranks. */
PetscErrorCode HgCollectiveOperator(HgState x, const char in[], HgCollective *collective,
                                    const HgVariable *out, HgOperator *op);

#endif
