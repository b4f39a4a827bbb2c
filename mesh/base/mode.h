/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd/mode.h -- what a number is, or how a kernel runs: the one word for q, dq and q_bar. */
#ifndef HALOGRAD_MODE_H
#define HALOGRAD_MODE_H

typedef enum {
  HG_PRIMAL,    /* a value q; y = F(x) */
  HG_TANGENT,   /* its tangent dq; dy = F'(x) dx */
  HG_COTANGENT, /* its cotangent q_bar; x_bar += F'(x)^T y_bar */
  HG_MODES,
  HG_NO_MODE = HG_MODES /* outside of all operators */
} HgMode;

#endif
