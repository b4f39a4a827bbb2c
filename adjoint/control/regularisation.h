/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/regularisation.h -- what a control should look like where the data do not say: a
   functional of the controls.

     R(m) = alpha/2 integral a (m - m_0)^2 + beta/2 integral b |grad m|^2      (Tikhonov, H1)
   with midpoint cells and two-point faces; nothing beyond walls (natural boundary condition). On a
   plane a cell has the weight dx dy and a face dy/dx or dx/dy; on a sphere, with widths of cells
   and lengths of faces by row, R^2 c dlambda dphi and dphi/(c dlambda) or c_N dlambda/dphi. The
   factors a of cells and b of faces, 1 unless they are given, say where what is known in advance
   holds: b = 0 on a coast, across which nothing is smooth. With levels a cell is dz thick, and a
   face between two levels weighs dx dy / dz; no factor holds there.
   Of numbers that every rank holds, such as the slip on each of some faults or a flux by step,
     R(m) = alpha/2 sum_k (m_k - m_0)^2 + beta/2 sum_k (m_k+1 - m_k)^2         both in [1 / unit^2]
   of which beta is for numbers whose order means something. */
#ifndef HALOGRAD_REGULARISATION_H
#define HALOGRAD_REGULARISATION_H

#include <halograd/operator.h>

typedef struct {
  const char *control; /* a field of the controls, or numbers */
  double alpha, beta;  /* weights, >= 0; [1 / (unit^2 m^2)], [1 / unit^2] */
  double reference;    /* m_0 [unit] */
  /* NULL: 1 everywhere; else a state of the fields "a" (of cells), "b_x" and "b_y" (of eastern and
     of northern faces), all >= 0, of which a copy is kept */
  HgState factors;
} HgRegularisation;

/* The functional m -> R(m) for controls like `m` (a pattern). Collective. Errors: unknown field,
   weights or factors negative or not finite; numbers with factors. */
PetscErrorCode HgRegularisationCreate(HgState m, const HgRegularisation *regularisation,
                                      HgOperator *op);

#endif
