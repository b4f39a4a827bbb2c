/* SPDX-License-Identifier: BSD-2-Clause */
/* The control of a basin as an operator: from a control m on the mesh to the input of the
   shallow-water program, water of thickness h over a bottom b, at rest except for its surface eta.
     surface      m [m] is added to the surface:      D = depth,            S = surface + m
     bathymetry   m [1] is the log of a factor:       D = depth exp(m),     S = surface
     h = S + D,  b = -D,  eta = S;   all other variables as in `base`
   The sea level is 0 m. Adjoint: m_bar += h_bar + eta_bar, or m_bar += D (h_bar - b_bar). */
#ifndef GAUGE_CONTROL_H
#define GAUGE_CONTROL_H
#include <halograd/kernel.h>
#include <halograd/operator.h>

typedef enum { GAUGE_SURFACE, GAUGE_BATHYMETRY } GaugeWay;

/* `known` has the fields depth and surface [m]; `base` has h, b, eta and the program's other
   inputs. Copies both. The control is called "m". Collective. */
PetscErrorCode GaugeControlCreate(GaugeWay way, HgState known, HgState base, HgOperator *op);

/* The variables of the program's input that depend on m, ended by NULL. */
const char *const *GaugeControlled(GaugeWay way);

#endif
