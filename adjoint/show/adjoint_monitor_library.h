/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/adjoint_monitor.h -- prints how lambda_n = dJ/dq_n grows on its way back.

     adjoint     step       t [s] variable        |lambda|        largest at cell         growth
     adjoint      500         0.5 u             1.2345e+00    -6.7000e-02 (12, 40)             -
     adjoint      475       0.475 u             1.3000e+00     ...                        1.0530

   A line for each variable; |lambda|, and the number of largest magnitude, in 1 / unit of the
   variable; growth: |lambda_n| over what the line before said. */
#ifndef HG_ADJOINT_MONITOR_LIBRARY_H
#define HG_ADJOINT_MONITOR_LIBRARY_H

#include <halograd/trajectory.h>

typedef struct HgAdjointMonitor_s *HgAdjointMonitor;

/* Steps N, N - every, N - 2 every, ..., and 0, of every gradient of `trajectory`; every = 0: about
   20 of them. Either may be destroyed first. Collective. */
PetscErrorCode HgAdjointMonitorCreate(HgTrajectory trajectory, long every,
                                      HgAdjointMonitor *monitor);
PetscErrorCode HgAdjointMonitorDestroy(HgAdjointMonitor *monitor);

/* Has anything been printed? Not collective. */
bool HgAdjointMonitorPrinted(HgAdjointMonitor monitor);

#endif
