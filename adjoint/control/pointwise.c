/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/control_library.h>
#include <math.h>
#include <stdio.h>

static double exp_value(double m, const double p[2]) {
  (void)p;
  return exp(m);
}

static double exp_inverse(double u, const double p[2]) {
  (void)p;
  return log(u);
}

const HgPointwise HgPointwiseExp = {"exp", exp_value, exp_value, exp_inverse, {0, 0}, exp_value};

static double softplus_value(double m, const double p[2]) {
  (void)p;
  return fmax(m, 0) + log1p(exp(-fabs(m))); /* exp() of a large number would be too large */
}

static double softplus_derivative(double m, const double p[2]) {
  (void)p;
  const double e = exp(-fabs(m));
  return (m < 0 ? e : 1) / (1 + e);
}

static double softplus_second(double m, const double p[2]) {
  (void)p;
  const double e = exp(-fabs(m));
  return e / ((1 + e) * (1 + e));
}

static double softplus_inverse(double u, const double p[2]) {
  (void)p;
  return u + log(-expm1(-u));
}

const HgPointwise HgPointwiseSoftplus = {"softplus",       softplus_value, softplus_derivative,
                                         softplus_inverse, {0, 0},         softplus_second};

static double between_value(double m, const double p[2]) {
  return p[0] + (p[1] - p[0]) * (0.5 * (1 + tanh(m)));
}

static double between_derivative(double m, const double p[2]) {
  const double e = exp(-2 * fabs(m)); /* 1 - tanh^2 = 4 e / (1 + e)^2, without cancellation */
  return (p[1] - p[0]) * (2 * e / ((1 + e) * (1 + e)));
}

static double between_second(double m, const double p[2]) {
  return -2 * tanh(m) * between_derivative(m, p);
}

static double between_inverse(double u, const double p[2]) {
  return atanh((2 * u - p[0] - p[1]) / (p[1] - p[0]));
}

HgPointwise HgPointwiseBetween(double lowest, double highest) {
  return (HgPointwise){"between",       between_value,     between_derivative,
                       between_inverse, {lowest, highest}, between_second};
}

bool HgPointwiseSound(const HgPointwise *f, size_t size, char problem[]) {
  const char *const name = f->name ? f->name : "";
  *problem = 0;
  if (!f->name || !f->value || !f->derivative)
    snprintf(problem, size, "function '%s': expected a name, a value and a derivative", name);
  else if (!isfinite(f->p[0]) || !isfinite(f->p[1]))
    snprintf(problem, size, "function '%s' has the numbers (%g, %g), expected finite numbers", name,
             f->p[0], f->p[1]);
  else if (f->value == between_value && !(f->p[0] < f->p[1]))
    snprintf(problem, size, "function '%s' has the bounds (%g, %g), expected lowest < highest",
             name, f->p[0], f->p[1]);
  return !*problem;
}
