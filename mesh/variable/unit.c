/* SPDX-License-Identifier: BSD-2-Clause */
/* Units by recursive descent: see unit.h. */
#include <ctype.h>
#include <halograd/unit_library.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS = 16, NAME = 16, DEEPEST = 8 };

typedef struct {
  char name[NAME];
  double power;
} Factor;

/* What is parsed, and the powers found so far; bad: it is no product of powers. */
typedef struct {
  const char *at;
  Factor factor[SYMBOLS];
  int factors, depth;
  bool bad;
} Unit;

static void skip_blanks(Unit *u) {
  while (*u->at == ' ') u->at++;
}

static bool accept(Unit *u, char c) {
  skip_blanks(u);
  if (*u->at != c) return false;
  u->at++;
  return true;
}

static void multiply(Unit *u, const char name[], double power) {
  int k = 0;
  while (k < u->factors && strcmp(u->factor[k].name, name)) k++;
  if (k == SYMBOLS) {
    u->bad = true;
    return;
  }
  if (k == u->factors) strcpy(u->factor[u->factors++].name, name);
  u->factor[k].power += power;
}

static void multiply_symbol(Unit *u, const char name[]) {
  static const struct {
    const char *name;
    double kg, m, s;
  } derived[] = {
      {"Hz", 0, 0, -1}, {"N", 1, 1, -2}, {"Pa", 1, -1, -2}, {"J", 1, 2, -2}, {"W", 1, 2, -3}};

  for (size_t k = 0; k < sizeof derived / sizeof *derived; k++)
    if (!strcmp(derived[k].name, name)) {
      multiply(u, "kg", derived[k].kg);
      multiply(u, "m", derived[k].m);
      multiply(u, "s", derived[k].s);
      return;
    }
  multiply(u, name, 1);
}

/* 2, -1, (3/2) */
static double exponent(Unit *u) {
  if (accept(u, '(')) {
    double value = exponent(u);
    if (accept(u, '/')) value /= exponent(u);
    u->bad = u->bad || !accept(u, ')') || !isfinite(value);
    return value;
  }
  skip_blanks(u);
  char *end;
  const double value = strtod(u->at, &end);
  u->bad = u->bad || end == u->at || !isfinite(value);
  u->at = end;
  return value;
}

/* What was multiplied since `before`, to the power. */
static void raise_since(const Unit *before, double power, Unit *u) {
  for (int k = 0; k < u->factors; k++) {
    const double old = k < before->factors ? before->factor[k].power : 0;
    u->factor[k].power = old + power * (u->factor[k].power - old);
  }
}

static void product(Unit *u);

static void factor(Unit *u) {
  const Unit before = *u;
  if (++u->depth > DEEPEST) u->bad = true;
  if (u->bad) return;
  if (accept(u, '(')) {
    product(u);
    u->bad = u->bad || !accept(u, ')');
  } else if (!accept(u, '1')) {
    size_t length = 0;
    skip_blanks(u);
    while (isalpha((unsigned char)u->at[length]) || u->at[length] == '_') length++;
    u->bad = !length || length >= NAME;
    if (u->bad) return;
    char name[NAME] = "";
    memcpy(name, u->at, length);
    u->at += length;
    multiply_symbol(u, name);
  }
  u->depth--;
  if (!u->bad && accept(u, '^')) raise_since(&before, exponent(u), u);
}

/* Factors up to the end, or to a bracket. */
static void product(Unit *u) {
  bool below = false;
  do {
    const Unit before = *u;
    factor(u);
    if (below) raise_since(&before, -1, u);
    below = accept(u, '/');
    if (!below) accept(u, '*');
    skip_blanks(u);
  } while (!u->bad && (below || (*u->at && *u->at != ')')));
}

static Unit parse(const char text[]) {
  Unit u = {.at = text};
  product(&u);
  u.bad = u.bad || *u.at;
  return u;
}

static double power_of(const Unit *u, const char name[]) {
  for (int k = 0; k < u->factors; k++)
    if (!strcmp(u->factor[k].name, name)) return u->factor[k].power;
  return 0;
}

bool HgUnitsEqual(const char a[], const char b[]) {
  static const double rounding = 1e-9;
  if (!strcmp(a, b)) return true;
  const Unit u = parse(a), v = parse(b);
  bool equal = !u.bad && !v.bad;
  for (int k = 0; equal && k < u.factors; k++)
    equal = fabs(u.factor[k].power - power_of(&v, u.factor[k].name)) < rounding;
  for (int k = 0; equal && k < v.factors; k++)
    equal = fabs(v.factor[k].power - power_of(&u, v.factor[k].name)) < rounding;
  return equal;
}
