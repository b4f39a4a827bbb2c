/* Findings in words; see finding.h. */
#include <halograd/finding.h>
#include <stdio.h>
#include <string.h>

static const char *const places[HG_DOCTOR_PLACES] = {
    [HG_DOCTOR_NOWHERE] = "",
    [HG_DOCTOR_EVERYWHERE] = "everywhere, ",
    [HG_DOCTOR_INSIDE] = "inside patches, not everywhere, ",
    [HG_DOCTOR_SEAM] = "at seams between patches only, ",
    [HG_DOCTOR_WALL] = "at walls only, ",
    [HG_DOCTOR_CORNER] = "where a wall meets another one or a seam only, "};

static const char *const sides[HG_DOCTOR_SIDES] = {"some", "the western", "the eastern",
                                                   "the southern", "the northern"};

/* What could be the reason, where it is wrong. */
static const char *advice(const HgDoctorFinding *f) {
  const bool seam = f->place == HG_DOCTOR_SEAM,
             wall = f->place == HG_DOCTOR_WALL || f->place == HG_DOCTOR_CORNER;
  switch (f->kind) {
  case HG_DOCTOR_ADJOINT:
    return seam   ? "look at the radii that it declares, and at what fills its ghosts"
           : wall ? "look at what the boundary hands back, and at i_global, j_global in the kernel"
                  : "look at how its adjoint gathers the cotangent";
  case HG_DOCTOR_ADDS: return "look in its adjoint for = where += or HgContribute() is due";
  case HG_DOCTOR_CONTRACT: return "docs/kernel-contract.md has the rules";
  case HG_DOCTOR_THREADS:
    return "look for static variables and buffers that kernels share; -hg_threads 1 avoids it";
  case HG_DOCTOR_TANGENT: return "look at its tangent";
  case HG_DOCTOR_KINK:
    if (f->rounding > 1e-9 && f->rounding < 1e-6)
      return "look for (float), float variables and functions such as sqrtf() in its value: that "
             "is "
             "their rounding";
    if (f->rounding > 0) return "look at its value for conditions, rounding and tables";
    return "look at its value for conditions, |x|, min, max and limiters";
  case HG_DOCTOR_EXCHANGE:
    return f->part[0] ? "look at the radii that its reads declare" : "look at the exchange";
  case HG_DOCTOR_BOUNDARY: return "look at HgProgramSetBoundary() of it, and at its transpose";
  case HG_DOCTOR_STATE:
    if (seam) return "look at the radii that its stencils declare: ghosts that nothing has filled";
    return "look at what kernels keep between calls, at params that change between steps";
  case HG_DOCTOR_STORE: return "look at the store, and at what changes between the sweeps";
  case HG_DOCTOR_SCHEDULE: return "look at the schedule, and at the slots of the store";
  case HG_DOCTOR_SWEEP:
    return f->part[0] ? "look at what the step hands to it, and at what changes between calls"
                      : "look at the schedule, and at what changes between its sweeps";
  case HG_DOCTOR_BLOCK: return "-hg_time_block 1 avoids it; please report it";
  case HG_DOCTOR_SUM: return "look at how its parts are put together, and at their weights";
  case HG_DOCTOR_CONTROL:
    return "look at HgProgramSetActive(), and at what lies between control and variable";
  case HG_DOCTOR_IDLE: return "look at whether what it controls is observed";
  case HG_DOCTOR_UNSET: return "look at whether it was set";
  case HG_DOCTOR_PINNED: return "look at its bounds";
  default: return "look at the term's gradient, its weight and its times";
  }
}

static size_t add(size_t used, size_t size, char text[], const char more[]) {
  const int n = used < size ? snprintf(text + used, size - used, "%s", more) : 0;
  return used + (size_t)(n > 0 ? n : 0);
}

/* ---- what is wrong, without where: parts and their derivatives ---- */
static void of_part(const HgDoctorFinding *f, size_t size, char text[]) {
  const char *const part = f->part[0] ? f->part : "the step";
  if (f->kind == HG_DOCTOR_KINK && f->split)
    snprintf(text, size,
             "'%s': '%s' has no derivative by '%s' here: differences D along directions a and b "
             "are not additive, |D(a + b) - D a - D b| = %.3g",
             part, f->write, f->read, f->value);
  else if (f->kind == HG_DOCTOR_KINK && f->rounding > 0)
    snprintf(text, size, "'%s': '%s' jumps as '%s' moves, by %.2g of its largest value", part,
             f->write, f->read, f->rounding);
  else if (f->kind == HG_DOCTOR_KINK)
    snprintf(text, size,
             "'%s': '%s' has no derivative by '%s' here: differences to either side are %.3g apart",
             part, f->write, f->read, f->value);
  else if (f->kind == HG_DOCTOR_TANGENT && f->read[0])
    snprintf(text, size,
             "'%s': d%s from d%s is %.6g, but differences of its value give %.6g: off by %.3g of "
             "the largest, bound %.2g, order %.2f from eps 1e-3 to 1e-4, expected 2",
             part, f->write, f->read, f->is, f->was, f->value, f->bound, f->order);
  else if (f->kind == HG_DOCTOR_TANGENT)
    snprintf(text, size,
             "'%s': its tangent is not the derivative of its value: order %.2f, expected 2", part,
             f->value);
  else if (f->detail[0]) snprintf(text, size, "'%s': %s", part, f->detail);
  else if (f->kind == HG_DOCTOR_ADDS)
    snprintf(text, size, "'%s': its adjoint does not add, or an input is changed", part);
  else if (f->read[0])
    snprintf(text, size,
             "'%s': cotangent of '%s' from '%s'' is not the transpose of the tangent: off by %.3g, "
             "bound %.2g",
             part, f->read, f->write, f->value, f->bound);
  else
    snprintf(text, size,
             "'%s': its adjoint is not the transpose of its tangent: off by %.3g, bound %.2g", part,
             f->value, f->bound);
}

/* ---- ghosts ---- */
static void of_ghosts(const HgDoctorFinding *f, size_t size, char text[]) {
  const bool boundary = f->kind == HG_DOCTOR_BOUNDARY;
  const char *const thing = boundary ? "boundary" : "exchange", *const side = sides[f->side];
  if (!strcmp(f->part, "transpose"))
    snprintf(text, size,
             "boundary of '%s' on %s side: what its transpose hands back is off by %.3g, bound "
             "%.2g",
             f->read, side, f->value, f->bound);
  else if (f->part[0] && f->value > 0)
    snprintf(text, size,
             "%s of '%s' on %s side: the kernels of '%s' are right alone, but in the step the "
             "cotangent of '%s' from '%s'' is off by %.3g, bound %.2g",
             thing, f->read, side, f->part, f->read, f->write, f->value, f->bound);
  else if (f->part[0])
    snprintf(text, size,
             "exchange of '%s' is too narrow: %s of '%s' reads it beyond the %g cells that are "
             "declared, on %s side, where nothing fills ghosts",
             f->read, f->write, f->part, f->bound, side);
  else if (f->write[0])
    snprintf(text, size,
             "exchange of '%s' is missing: the %s of the step reads ghosts on %s side that nothing "
             "has filled",
             f->read, f->write, side);
  else
    snprintf(text, size, "%s of '%s' on %s side: a ghost holds %.17g, expected %.17g", thing,
             f->read, side, f->is, f->was);
}

/* ---- states and sweeps ---- */
static void of_run(const HgDoctorFinding *f, size_t size, char text[]) {
  const char *const what = f->write[0] ? f->write : "something";
  switch (f->kind) {
  case HG_DOCTOR_THREADS:
    snprintf(text, size, "threads: J or its gradient is another one with %ld threads than with one",
             f->other);
    break;
  case HG_DOCTOR_STATE:
    if (!f->write[0])
      snprintf(text, size, "the state after it was another one in another run, but not twice more");
    else if (f->is == f->was)
      snprintf(text, size, "%s is not the same when it is computed again", what);
    else
      snprintf(text, size, "the state after it is not always the same: '%s' is %.17g, was %.17g",
               what, f->is, f->was);
    break;
  case HG_DOCTOR_STORE:
    snprintf(text, size,
             "the state after it comes back otherwise than it was made: '%s' is %.17g, was %.17g",
             what, f->is, f->was);
    if (!f->write[0]) snprintf(text, size, "dq after it comes back otherwise than it was made");
    break;
  case HG_DOCTOR_SCHEDULE:
    if (f->part[0])
      snprintf(text, size, "schedule: in its place is the state before step %ld", f->other);
    else if (f->other < 0) snprintf(text, size, "schedule: it is never reversed");
    else snprintf(text, size, "schedule: step %ld is reversed in its place", f->other);
    break;
  case HG_DOCTOR_SWEEP:
    if (f->part[0])
      snprintf(text, size,
               "the kernels of '%s' are right alone, but in the step the cotangent of '%s' from "
               "'%s'' is off by %.3g, bound %.2g",
               f->part, f->read, f->write, f->value, f->bound);
    else if (f->write[0])
      snprintf(text, size,
               "the sweep does not reverse it as the step alone: cotangent of '%s' is %.17g, alone "
               "%.17g",
               what, f->is, f->was);
    else
      snprintf(text, size, "its parts are right, but <dq, lambda> is off by %.3g, bound %.2g",
               f->value, f->bound);
    break;
  default:
    snprintf(text, size,
             "several steps reversed at once give another gradient than one by one: off by %.3g, "
             "bound %.2g",
             f->value, f->bound);
  }
}

/* ---- the functional ---- */
static void of_functional(const HgDoctorFinding *f, size_t size, char text[]) {
  switch (f->kind) {
  case HG_DOCTOR_SUM:
    if (f->part[0])
      snprintf(text, size,
               "its parts are right, but its %s is not theirs: off by %.3g; '%s' has weight %.6g, "
               "expected %.6g",
               f->write, f->value, f->part, f->is, f->was);
    else if (f->write[0])
      snprintf(text, size, "its parts are right, but its %s is not theirs: off by %.3g", f->write,
               f->value);
    else
      snprintf(text, size,
               "its parts are right, but its gradient is not the transpose of its tangent: %.17g "
               "along a direction, expected %.17g",
               f->is, f->was);
    break;
  case HG_DOCTOR_CONTROL:
    snprintf(text, size,
             "control '%s': the gradient along a direction is %.9g, but differences of J give "
             "%.9g",
             f->read, f->is, f->was);
    break;
  case HG_DOCTOR_IDLE:
    snprintf(text, size, "control '%s': J does not depend on it", f->read);
    break;
  case HG_DOCTOR_UNSET: snprintf(text, size, "constant '%s' is 0 everywhere", f->read); break;
  case HG_DOCTOR_PINNED:
    snprintf(text, size,
             "control '%s': %g of its %g numbers are at a bound (%g, %g) beyond which J would fall",
             f->read, f->is, f->was, f->value, f->bound);
    break;
  default:
    snprintf(text, size,
             "objective%s%s: its value, its tangent and its gradient have not the same derivative: "
             "off by %.3g, bound %.2g",
             f->part[0] ? ", " : "", f->part, f->value, f->bound);
  }
}

static void what(const HgDoctorFinding *f, size_t size, char text[]) {
  switch (f->kind) {
  case HG_DOCTOR_ADJOINT:
  case HG_DOCTOR_ADDS:
  case HG_DOCTOR_CONTRACT:
  case HG_DOCTOR_TANGENT:
  case HG_DOCTOR_KINK: of_part(f, size, text); break;
  case HG_DOCTOR_EXCHANGE:
  case HG_DOCTOR_BOUNDARY: of_ghosts(f, size, text); break;
  case HG_DOCTOR_THREADS:
  case HG_DOCTOR_STATE:
  case HG_DOCTOR_STORE:
  case HG_DOCTOR_SCHEDULE:
  case HG_DOCTOR_SWEEP:
  case HG_DOCTOR_BLOCK: of_run(f, size, text); break;
  default: of_functional(f, size, text);
  }
}

/* Is its place that of one cell? Others may be wrong as well: two states differ most in it, or the
   kernel reads too far on the first side of a patch that was looked at. */
static bool of_cell(const HgDoctorFinding *f) {
  return f->kind == HG_DOCTOR_TANGENT || f->kind == HG_DOCTOR_KINK || f->kind == HG_DOCTOR_STATE ||
         f->kind == HG_DOCTOR_STORE || (f->kind == HG_DOCTOR_SWEEP && !f->part[0]) ||
         (f->kind == HG_DOCTOR_EXCHANGE && f->part[0] && !(f->value > 0));
}

void HgDoctorText(const HgDoctorFinding *f, size_t size, char text[]) {
  char one[512];
  size_t used = 0;
  if (f->within[0]) {
    if (f->others) snprintf(one, sizeof one, "'%s' and %d more: ", f->within, f->others);
    else snprintf(one, sizeof one, "'%s': ", f->within);
    used = add(used, size, text, one);
  }
  if (f->step >= 0) {
    snprintf(one, sizeof one, "step %ld: ", f->step);
    used = add(used, size, text, one);
  }
  what(f, sizeof one, one);
  used = add(used, size, text, one);
  if (f->place != HG_DOCTOR_NOWHERE) {
    used = add(used, size, text, "; ");
    used = add(used, size, text, places[of_cell(f) ? HG_DOCTOR_NOWHERE : f->place]);
    snprintf(one, sizeof one, "most at cell (%d, %d) of rank %d", f->i, f->j, f->rank);
    used = add(used, size, text, f->rank >= 0 ? one : "at no single cell");
  } else if (f->i >= 0) {
    snprintf(one, sizeof one, "; most at number %d of it", f->i);
    used = add(used, size, text, one);
  }
  used = add(used, size, text, "; ");
  used = add(used, size, text, advice(f));
  if (f->near)
    used =
        add(used, size, text,
            "; it shows beside the point, each number moved by up to a hundredth, and not at it");
}
