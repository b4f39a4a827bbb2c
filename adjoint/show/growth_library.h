/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/growth.h -- does lambda grow faster than the tangent allows?

     lambda_n - g_n = F'^T lambda_{n+1}           g_n = dJ_n/dq_n
     v = lambda_n - g_n:   ||v||^2 = <v, F'^T lambda_{n+1}> = <F' v, lambda_{n+1}>, so

     ||v|| / ||lambda_{n+1}||  <=  ||F' v|| / ||v||                      (Cauchy and Schwarz)

   Where lambda grows from n + 1 to n, the tangent grows along v by as much, or the adjoint of
   that step is not the transpose of its tangent: sure, whatever the flow is like, with one
   tangent step for each step in which lambda grows, and no alarm for what is right. In norms of
   the numbers as they stand, which may be any. The other way round it does not hold: that no
   step is refused proves nothing; the doctor (doctor.h) tells more. */
#ifndef HG_GROWTH_LIBRARY_H
#define HG_GROWTH_LIBRARY_H

#include <halograd/trajectory.h>

typedef struct HgGrowth_s *HgGrowth;

/* Looks at every step of the first gradient of `trajectory` whose J is finite. An observer: no
   bit of the run changes. Either may be destroyed first. Collective. Later, by the run: an error
   in the first step, in reverse order, in which the bound does not hold; the sentence names the
   stencil or operator of the step that breaks it alone, and variable and cell of its largest
   cotangent. */
PetscErrorCode HgGrowthCreate(HgTrajectory trajectory, HgGrowth *growth);
PetscErrorCode HgGrowthDestroy(HgGrowth *growth);

typedef struct {
  long steps;   /* that were looked at */
  long growing; /* of them, in which lambda grew */
  double most;  /* the largest ||v|| / ||lambda_{n+1}|| */
  long at;      /* its n */
} HgGrowthReport;

/* Of that gradient; steps 0: there was none yet. Not collective. */
HgGrowthReport HgGrowthGet(HgGrowth growth);

#endif
