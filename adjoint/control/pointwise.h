/* halograd/pointwise.h -- smooth functions of one number, with derivative and inverse. */
#ifndef HALOGRAD_POINTWISE_H
#define HALOGRAD_POINTWISE_H

#include <stdbool.h>
#include <stddef.h>

/* phi(m), phi'(m) and, NULL if there is none, phi^-1(u), which turns a first guess or a bound of
   the result into one of m, and phi''(m), which Hessians need. p: numbers of the function's own.
   Pure, the same bits for the same arguments. */
typedef struct {
  const char *name;
  double (*value)(double m, const double p[2]);
  double (*derivative)(double m, const double p[2]);
  double (*inverse)(double u, const double p[2]);
  double p[2];
  double (*second)(double m, const double p[2]);
} HgPointwise;

/* exp(m) > 0; its inverse is log(u) */
HgPointwise HgPointwiseExp(void);

/* log(1 + exp(m)) > 0, near m for large m; its inverse is u + log(1 - exp(-u)) */
HgPointwise HgPointwiseSoftplus(void);

/* lowest + (highest - lowest) (1 + tanh(m)) / 2, between two bounds, lowest < highest; its inverse
   is atanh((2 u - lowest - highest) / (highest - lowest)) */
HgPointwise HgPointwiseBetween(double lowest, double highest);

#endif
