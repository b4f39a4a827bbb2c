/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings in words: one table of sentences, and what to look at; see finding_library.h. */
#include <halograd/error_library.h>
#include <halograd/finding_library.h>
#include <stdio.h>

/* What must be known of a finding for a sentence. */
enum {
  READ = 1,
  WRITE = 2,
  BACK = 4, /* adjoint or second */
  SECOND = 8,
  TANGENT = 16,
  CRASH = 32,
  AT = 64,
  SPLIT = 128,
  JUMP = 256,
  SINGLE = 512, /* the jump is rounding to float */
  SEAM = 1024,
  WALL = 2048,
  PART = 4096,
  STEP = 8192,
  VALUES = 16384 /* was and is */
};

static unsigned facts_of(const HgFinding *f) {
  const bool wall = f->place == HG_PLACE_WALL || f->place == HG_PLACE_CORNER;
  return (*f->read ? READ : 0) | (*f->write ? WRITE : 0) |
         (f->kernel == HG_KERNEL_ADJOINT || f->kernel == HG_KERNEL_SECOND ? BACK : 0) |
         (f->kernel == HG_KERNEL_SECOND ? SECOND : 0) |
         (f->kernel == HG_KERNEL_TANGENT ? TANGENT : 0) |
         (isinf(f->value) && f->bound >= 0 ? CRASH : 0) | (*f->at ? AT : 0) |
         (f->split ? SPLIT : 0) | (f->jump > 0 ? JUMP : 0) |
         (f->jump > 1e-9 && f->jump < 1e-6 ? SINGLE : 0) | (f->place == HG_PLACE_SEAM ? SEAM : 0) |
         (wall ? WALL : 0) | (*f->part ? PART : 0) | (f->step >= 0 ? STEP : 0) |
         (f->is != f->was ? VALUES : 0);
}

#define RADIUS_ADVICE "declare the radius that it has: ghosts are filled no further"
#define ROOT ", as of sqrt(x), a power or a quotient at 0"
#define ROOT_ADVICE "add a small number there, as in sqrt(u^2 + v^2 + 1e-12)"
#define UNUSED "declared unused (HG_ADJOINT_UNUSED, only_for)"
#define ADDS_ADVICE "use += or HgContribute()"
#define STATE_ADVICE "look at what kernels keep between calls, and at params that change"
#define WHOLE_ADVICE "look at how its parts are put together"
#define PAIR                                                                                       \
  "the cotangent of '%r' from '%w' is not the transpose of the tangent: off by %v, bound %b"
#define ORDER ": Taylor order %o, expected at least %b"
#define TERM                                                                                       \
  "its value, its tangent and its gradient have different derivatives: off by %v, bound %b"
#define TERM_ADVICE "look at the term's gradient, its weight and its times"

/* The sentence is the first row of the check whose needs are met. %k kernel, %r read, %w write, %x
   either, %y either or its cotangent, %v value, %b bound, %c cells, %o order, %i is, %a was, %p
   part, %n within, %@ at, %j jump. */
static const struct {
  HgCheckId check;
  unsigned needs;
  const char *text, *advice;
} table[] = {
    {HG_CHECK_DECLARATION, READ, "declares '%r' twice, or with a negative radius", NULL},
    {HG_CHECK_DECLARATION, WRITE, "declares '%w' twice", NULL},
    {HG_CHECK_DECLARATION, BACK, "only_for names variables that it does not read", NULL},
    {HG_CHECK_DECLARATION, TANGENT, "copies are not the last of its writes, or are all of them",
     NULL},
    {HG_CHECK_DECLARATION, 0, "copies names variables that it does not write, or not read", NULL},
    {HG_CHECK_INPUTS, READ, "%k changes its input '%r' in %c cells", NULL},
    {HG_CHECK_INPUTS, WRITE, "%k changes its input, the cotangent of '%w', in %c cells", NULL},
    {HG_CHECK_INPUTS, 0, "changes an input", "only outputs may be written"},
    {HG_CHECK_FINITE, AT, "%k: %y is not finite at %@" ROOT, ROOT_ADVICE},
    {HG_CHECK_FINITE, 0, "%k: %y is not finite in %c cells for values within the ranges", NULL},
    {HG_CHECK_RADIUS, CRASH,
     "%k crashes on a box of random numbers: it may read or write more than %b cells beyond its "
     "radii",
     NULL},
    {HG_CHECK_RADIUS, BACK | WRITE,
     "%k reads the cotangent of '%w' at a distance of %v, expected at most %b, the largest radius "
     "of its reads",
     RADIUS_ADVICE},
    {HG_CHECK_RADIUS, BACK, "%k reads '%r' at a distance of %v, but declares the adjoint radius %b",
     RADIUS_ADVICE},
    {HG_CHECK_RADIUS, 0, "%k reads '%r' at a distance of %v, but declares the radius %b",
     RADIUS_ADVICE},
    {HG_CHECK_UNUSED, 0, "%k reads '%r', which is " UNUSED ": %c cells depend on it", NULL},
    {HG_CHECK_NULL, READ, "%k crashes if '%r', which is " UNUSED ", is NULL", NULL},
    {HG_CHECK_NULL, 0, "%k crashes if all that is " UNUSED " is NULL", NULL},
    {HG_CHECK_BOX, BACK, "%k writes %y outside the box, in %c cells", NULL},
    {HG_CHECK_BOX, 0, "%k writes %y outside the box, or not everywhere in it, in %c cells", NULL},
    {HG_CHECK_CUT, 0, "%k: %y depends on how the box is cut, in %c cells", NULL},
    {HG_CHECK_PURE, 0, "%k: %y is not the same when called again, in %c cells: it has hidden state",
     "look at what it keeps between calls"},
    {HG_CHECK_ZERO, SECOND, "second of the cotangent of '%w' is not 0 at 0, in %c cells", NULL},
    {HG_CHECK_ZERO, WRITE, "its tangent of '%w' is not 0 where dx = 0, in %c cells", NULL},
    {HG_CHECK_ZERO, 0, "its tangent or its adjoint is not 0 at 0, but %v", NULL},
    {HG_CHECK_LINEARITY, SECOND,
     "second of the cotangent of '%w' is not linear: off by %v, bound %b", NULL},
    {HG_CHECK_LINEARITY, WRITE, "its tangent of '%w' is not linear: off by %v, bound %b", NULL},
    {HG_CHECK_LINEARITY, 0, "its tangent is not linear: off by %v, bound %b", NULL},
    {HG_CHECK_TAYLOR, SECOND | READ,
     "second of the cotangent of '%w' by '%r' is not the derivative of the adjoint" ORDER, NULL},
    {HG_CHECK_TAYLOR, SECOND,
     "second of the cotangent of '%w' by y_bar is not the derivative of the adjoint" ORDER, NULL},
    {HG_CHECK_TAYLOR, VALUES,
     "its tangent of '%w' by '%r' is %i, but differences of its value give %a: off by %v of the "
     "largest, bound %b, order %o from eps 1e-3 to 1e-4, expected 2",
     "look at its tangent"},
    {HG_CHECK_TAYLOR, READ | WRITE,
     "its tangent of '%w' by '%r' is not the derivative of its value" ORDER, "look at its tangent"},
    {HG_CHECK_TAYLOR, WRITE, "its tangent of '%w' is not the derivative of its value" ORDER,
     "look at its tangent"},
    {HG_CHECK_TAYLOR, 0, "its tangent is not the derivative of its value" ORDER,
     "look at its tangent"},
    {HG_CHECK_DOT, READ | WRITE | SEAM, PAIR, "look at the radii that it declares"},
    {HG_CHECK_DOT, READ | WRITE | WALL, PAIR, "look at i_global, j_global in its kernels"},
    {HG_CHECK_DOT, READ | WRITE, PAIR, "look at how its adjoint gathers the cotangent"},
    {HG_CHECK_DOT, 0, "its adjoint is not the transpose of its tangent: off by %v, bound %b", NULL},
    {HG_CHECK_ADDS, READ,
     "%k overwrites the cotangent of '%r' instead of adding to it: off by %v, bound %b",
     ADDS_ADVICE},
    {HG_CHECK_ADDS, 0,
     "its adjoint overwrites a cotangent instead of adding to it, or its transpose does not set "
     "it: off by %v, bound %b",
     ADDS_ADVICE},
    {HG_CHECK_WANTED, CRASH | READ, "%k crashes if the cotangent of '%r' is not wanted (NULL)",
     NULL},
    {HG_CHECK_WANTED, CRASH, "%k crashes if several cotangents are not wanted (NULL)", NULL},
    {HG_CHECK_WANTED, 0, "%k: %y depends on which others are wanted (not NULL), in %c cells", NULL},
    {HG_CHECK_FRESH, 0,
     "%k: %y is not as if it had been 0, in %c cells, where box->fresh says that it is new and the "
     "stencil `sets`",
     ADDS_ADVICE},
    {HG_CHECK_MIRROR, 0, "%k: %y is not mirrored where the data are, in %c cells", NULL},
    {HG_CHECK_SYMMETRY, 0, "second is not symmetric in two directions: off by %v, bound %b", NULL},
    {HG_CHECK_COPY, CRASH, "%k crashes if what it `copies` is not wanted (NULL)", NULL},
    {HG_CHECK_COPY, READ, "%k: '%w' is said to be a copy of '%r', but differs in %c cells", NULL},
    {HG_CHECK_COPY, 0, "%k: %y depends on whether copies are wanted (not NULL), in %c cells", NULL},
    {HG_CHECK_INDEX, 0, "%k: %y depends on where local indices i, j begin, in %c cells",
     "the domain's indices are i_global + i, j_global + j"},
    {HG_CHECK_STATIC, 0,
     "%k writes static memory, which all threads share: %c words depend on its inputs",
     "keep what it writes on the stack"},
    {HG_CHECK_KINK, SPLIT,
     "its '%w' has no derivative by '%r' here: differences D along directions a and b are not "
     "additive, |D(a + b) - D a - D b| = %v",
     "look at its value for conditions, |x|, min, max and limiters"},
    {HG_CHECK_KINK, SINGLE, "its '%w' jumps as '%r' moves, by %j of its largest value",
     "look for (float), float variables and functions such as sqrtf() in its value: that is their "
     "rounding"},
    {HG_CHECK_KINK, JUMP, "its '%w' jumps as '%r' moves, by %j of its largest value",
     "look at its value for conditions, rounding and tables"},
    {HG_CHECK_KINK, 0,
     "its '%w' has no derivative by '%r' here: differences to either side are %v apart",
     "look at its value for conditions, |x|, min, max and limiters"},
    {HG_CHECK_THREADS, 0, "J or its gradient with %v threads is not that with one",
     "look for static variables and buffers that kernels share; -hg_threads 1 avoids it"},
    {HG_CHECK_REPEAT, PART, "computes '%w' differently each time: %i, was %a", STATE_ADVICE},
    {HG_CHECK_REPEAT, STEP | WRITE, "the state after it is not always the same: '%w' is %i, was %a",
     STATE_ADVICE},
    {HG_CHECK_REPEAT, STEP, "the state after it was another one in another run, but not twice more",
     STATE_ADVICE},
    {HG_CHECK_REPEAT, VALUES, "J is %i, but was %a: it is not the same when it is computed again",
     STATE_ADVICE},
    {HG_CHECK_REPEAT, 0, "the gradient is not the same when it is computed again", STATE_ADVICE},
    {HG_CHECK_SWEEP, WRITE,
     "the reverse sweep gives another cotangent of '%w' than its operators alone: %i, alone %a",
     STATE_ADVICE},
    {HG_CHECK_SWEEP, 0, "its operators are right, but <dq, lambda> is off by %v, bound %b",
     STATE_ADVICE},
    {HG_CHECK_OBJECTIVE, PART, "objective, %p: " TERM, TERM_ADVICE},
    {HG_CHECK_OBJECTIVE, 0, "objective: " TERM, TERM_ADVICE},
    {HG_CHECK_SUM, PART, "sum '%n' weights '%p' by %i in its %w, expected %a", WHOLE_ADVICE},
    {HG_CHECK_SUM, WRITE, "the %w of '%n' is not that of its parts, which are right: off by %v",
     WHOLE_ADVICE},
    {HG_CHECK_SUM, 0,
     "the gradient of '%n' is not the transpose of its tangent, though its parts are right: %i "
     "along a direction, expected %a",
     WHOLE_ADVICE},
    {HG_CHECK_CONTROL, 0,
     "control '%r': the gradient along a direction is %i, but differences of J give %a",
     "look at HgProgramSetActive(), and at what lies between control and variable"},
    {HG_CHECK_IDLE, 0, "J does not depend on control '%r'",
     "look at whether what it controls is observed"},
    {HG_CHECK_UNSET, 0, "constant '%r' is 0 everywhere", "look at whether it was set"},
    {HG_CHECK_PINNED, 0,
     "control '%r': %i of its %a numbers are at a bound (%v, %b) beyond which J would fall",
     "look at its bounds"},
};

static void add_value(size_t size, char text[], char letter, const HgFinding *f) {
  static const char *const kernels[] = {"apply", "tangent", "adjoint", "second", "its value"};
  const char *const either = *f->read ? f->read : *f->write ? f->write : "all";
  switch (letter) {
  case 'k': HgSentenceAdd(size, text, "%s", kernels[f->kernel]); break;
  case 'r': HgSentenceAdd(size, text, "%s", f->read); break;
  case 'w': HgSentenceAdd(size, text, "%s", f->write); break;
  case 'x': HgSentenceAdd(size, text, "%s", either); break;
  case 'y':
    HgSentenceAdd(size, text, "%s'%s'", facts_of(f) & BACK ? "the cotangent of " : "", either);
    break;
  case 'v': HgSentenceAdd(size, text, "%.3g", f->value); break;
  case 'b': HgSentenceAdd(size, text, "%.2g", f->bound); break;
  case 'c': HgSentenceAdd(size, text, "%.0f", f->value); break;
  case 'o': HgSentenceAdd(size, text, "%.2f", f->order != 0 ? f->order : f->value); break;
  case 'i': HgSentenceAdd(size, text, "%.9g", f->is); break;
  case 'a': HgSentenceAdd(size, text, "%.9g", f->was); break;
  case 'p': HgSentenceAdd(size, text, "%s", f->part); break;
  case 'n': HgSentenceAdd(size, text, "%s", f->within); break;
  case 'j': HgSentenceAdd(size, text, "%.2g", f->jump); break;
  default: HgSentenceAdd(size, text, "%s", f->at);
  }
}

/* Whether the finding names one cell: the one where two values differ most; others may be wrong
   too. */
static bool of_cell(const HgFinding *f) { return f->check != HG_CHECK_DOT; }

static void add_place(size_t size, char text[], const HgFinding *f) {
  static const char *const places[HG_PLACES] = {
      [HG_PLACE_NONE] = "",
      [HG_PLACE_EVERYWHERE] = "everywhere, ",
      [HG_PLACE_INSIDE] = "inside patches, not everywhere, ",
      [HG_PLACE_SEAM] = "at seams between patches only, ",
      [HG_PLACE_WALL] = "at walls only, ",
      [HG_PLACE_CORNER] = "where a wall meets another one or a seam only, "};
  if (f->place == HG_PLACE_NONE && f->i >= 0)
    HgSentenceAdd(size, text, "; most at number %d of it", f->i);
  if (f->place == HG_PLACE_NONE) return;
  HgSentenceAdd(size, text, "; %s", places[of_cell(f) ? HG_PLACE_NONE : f->place]);
  char level[16] = "";
  if (f->level >= 0) snprintf(level, sizeof level, ", %d", f->level);
  if (f->rank >= 0)
    HgSentenceAdd(size, text, "most at cell (%d, %d%s) of rank %d", f->i, f->j, level, f->rank);
  else HgSentenceAdd(size, text, "at no single cell");
}

/* The step, and the stencil or operator. Sentences about a sum or an objective name it themselves.
   */
static void add_subject(size_t size, char text[], const HgFinding *f) {
  if (*f->within && f->check != HG_CHECK_SUM) HgSentenceAdd(size, text, "'%s'", f->within);
  if (*f->within && f->check != HG_CHECK_SUM && f->others)
    HgSentenceAdd(size, text, " and %d more", f->others);
  if (*f->within && f->check != HG_CHECK_SUM) HgSentenceAdd(size, text, ": ");
  if (f->step >= 0) HgSentenceAdd(size, text, "step %ld: ", f->step);
  if (!*f->part || f->check == HG_CHECK_OBJECTIVE || f->check == HG_CHECK_SUM) return;
  HgSentenceAdd(size, text, "%s '%s': ", f->kernel == HG_KERNEL_NONE ? "operator" : "stencil",
                f->part);
}

void HgFindingText(const HgFinding *f, size_t size, char text[]) {
  int row = 0;
  *text = 0;
  while (table[row].check != f->check || (table[row].needs & ~facts_of(f))) row++;
  add_subject(size, text, f);
  for (const char *c = table[row].text; *c; c++)
    if (*c == '%') add_value(size, text, *++c, f);
    else HgSentenceAdd(size, text, "%c", *c);
  add_place(size, text, f);
  if (table[row].advice) HgSentenceAdd(size, text, "; %s", table[row].advice);
  if (f->near)
    HgSentenceAdd(
        size, text,
        "; it shows beside the point, each number moved by up to a hundredth, and not at it");
}
