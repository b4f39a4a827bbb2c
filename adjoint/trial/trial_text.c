/* What a stencil's check found, in sentences; see check_stencil.h. */
#include <halograd/trial_library.h>
#include <math.h>

static const char *const kernels[] = {"apply", "tangent", "adjoint", "second"};

/* What the kernel writes: of a read in the adjoint, else of a write. */
static const char *written(const HgStencilFinding *f) {
  return f->write ? f->write : f->read ? f->read : "all";
}

/* What is wrong with `second` alone. */
static void second_text(const HgStencilFinding *f, size_t size, char text[]) {
  const char *const to = f->write ? f->write : "all", *const from = f->read ? f->read : "y_bar";
  if (f->check == HG_STENCIL_SYMMETRY)
    snprintf(text, size, "second is not symmetric in two directions: off by %.2g, bound %.2g",
             f->value, f->bound);
  else if (f->check == HG_STENCIL_TAYLOR)
    snprintf(text, size,
             "second of the cotangent of '%s' from '%s' is not the derivative of the adjoint: "
             "Taylor order %.2f, expected at least %.2f",
             to, from, f->value, f->bound);
  else if (f->check == HG_STENCIL_LINEARITY)
    snprintf(text, size, "second of the cotangent of '%s' is not linear: off by %.2g, bound %.2g",
             to, f->value, f->bound);
  else
    snprintf(text, size,
             "second of the cotangent of '%s' is not 0 where dx and dy_bar are: in %g cells, "
             "expected %g",
             to, f->value, f->bound);
}

static void derivative_text(const HgStencilFinding *f, size_t size, char text[]) {
  const char *const from = f->read ? f->read : "all", *const to = f->write ? f->write : "all";
  if (f->check == HG_STENCIL_DOT)
    snprintf(text, size,
             "cotangent of '%s' from '%s'' is not the transpose of the tangent: dot product off by "
             "%.2g, bound %.2g",
             from, to, f->value, f->bound);
  else if (f->check == HG_STENCIL_TAYLOR)
    snprintf(
        text, size,
        "tangent of '%s'' from '%s' is not the derivative of apply: Taylor order %.2f, expected "
        "at least %.2f",
        to, from, f->value, f->bound);
  else if (f->check == HG_STENCIL_LINEARITY)
    snprintf(text, size, "tangent of '%s'' is not linear: off by %.2g, bound %.2g", to, f->value,
             f->bound);
  else
    snprintf(text, size, "tangent of '%s'' is not 0 where dx = 0: in %g cells, expected %g", to,
             f->value, f->bound);
}

static void reach_text(const HgStencilFinding *f, size_t size, char text[]) {
  if (f->check == HG_STENCIL_UNUSED)
    snprintf(text, size,
             "%s reads x of '%s', which is declared unused (HG_ADJOINT_UNUSED, only_for): %g "
             "cells depend on it, expected %g",
             kernels[f->kernel], f->read, f->value, f->bound);
  else if (f->check == HG_STENCIL_NULL)
    snprintf(text, size,
             "%s crashes where x of %s%s%s, which is declared unused (HG_ADJOINT_UNUSED, "
             "only_for), is NULL",
             kernels[f->kernel], f->read ? "'" : "", f->read ? f->read : "all", f->read ? "'" : "");
  else if (isinf(f->value))
    snprintf(text, size,
             "%s crashes on a box of random numbers: it may read, or write, more than %g cells "
             "beyond its radii",
             kernels[f->kernel], f->bound);
  else if (f->kernel >= HG_STENCIL_ADJOINT && f->write)
    snprintf(text, size,
             "%s reads the cotangent of '%s'' at a distance of %g, expected at most %g, the "
             "largest radius of the reads",
             kernels[f->kernel], f->write, f->value, f->bound);
  else
    snprintf(text, size, "%s reads '%s' at a distance of %g, declared %s %g", kernels[f->kernel],
             f->read, f->value, f->kernel >= HG_STENCIL_ADJOINT ? "adjoint radius" : "radius",
             f->bound);
}

static void cells_text(const HgStencilFinding *f, size_t size, char text[]) {
  static const char *const what[HG_STENCIL_CHECKS] = {
      [HG_STENCIL_FINITE] = "is not finite for values within the ranges",
      [HG_STENCIL_CUT] = "depends on how the box is cut",
      [HG_STENCIL_INDEX] = "depends on where local indices i, j begin: the domain's are i_global + "
                           "i, j_global + j",
      [HG_STENCIL_PURE] = "is not the same when called again: there is hidden state",
      [HG_STENCIL_WANTED] = "depends on which others are wanted (not NULL)",
      [HG_STENCIL_FRESH] = "is not as if it had been 0 where box->fresh says that it is new, "
                           "though the stencil `sets`",
      [HG_STENCIL_MIRROR] = "is not mirrored where the data are",
      [HG_STENCIL_COPY] = "depends on whether copies are wanted (not NULL)"};
  const char *const cotangent = f->kernel >= HG_STENCIL_ADJOINT ? "the cotangent of " : "";
  if (f->at[0]) {
    snprintf(
        text, size,
        "%s: %s'%s'%s is not finite at %s: %s, as of sqrt(x), a power or a quotient at 0; add a "
        "small number there, as in sqrt(u^2 + v^2 + 1e-12)",
        kernels[f->kernel], cotangent, written(f), f->write ? "'" : "", f->at,
        f->kernel == HG_STENCIL_APPLY ? "its value is infinite" : "its derivative is infinite");
    return;
  }
  if (f->check == HG_STENCIL_WANTED && isinf(f->value))
    snprintf(text, size, "%s crashes where the cotangent of %s%s%s is not wanted (NULL)",
             kernels[f->kernel], f->read ? "'" : "", f->read ? f->read : "several",
             f->read ? "'" : "");
  else
    snprintf(text, size, "%s: %s'%s'%s %s: %g cells, expected %g", kernels[f->kernel], cotangent,
             written(f), f->write ? "'" : "", what[f->check], f->value, f->bound);
}

static void copy_text(const HgStencilFinding *f, size_t size, char text[]) {
  if (isinf(f->value))
    snprintf(text, size, "%s crashes where what it `copies` is not wanted (NULL)",
             kernels[f->kernel]);
  else if (f->read)
    snprintf(text, size,
             "%s: '%s'' is said to be a copy of '%s', but is not: %g cells, expected %g",
             kernels[f->kernel], f->write, f->read, f->value, f->bound);
  else cells_text(f, size, text);
}

/* An input that was changed, or what is written where it must not be. */
static void box_text(const HgStencilFinding *f, size_t size, char text[]) {
  const bool adjoint = f->kernel >= HG_STENCIL_ADJOINT;
  snprintf(text, size, "%s: %s'%s'%s %s: %g cells, expected %g", kernels[f->kernel],
           adjoint && (f->check == HG_STENCIL_BOX) == !f->write ? "the cotangent of " : "",
           written(f), f->write ? "'" : "",
           f->check == HG_STENCIL_INPUTS ? "is an input but was changed"
           : adjoint                     ? "is written outside the box"
                     : "is written outside the box, or not set everywhere in it",
           f->value, f->bound);
}

PetscErrorCode HgStencilFindingText(const HgStencilFinding *f, size_t size, char text[]) {
  switch (f->check) {
  case HG_STENCIL_DECLARATION:
    snprintf(text, size,
             f->read || f->write
                 ? "declaration of '%s': named twice, or a radius below 0: %g faults, expected %g"
                 : "declaration: %s: %g, expected %g",
             f->read || f->write               ? written(f)
             : f->kernel == HG_STENCIL_ADJOINT ? "only_for names variables that are not read"
             : f->kernel == HG_STENCIL_TANGENT
                 ? "copies are not the last of the writes, or are all of them"
                 : "copies names variables that are not written, or not read",
             f->value, f->bound);
    break;
  case HG_STENCIL_ZERO:
  case HG_STENCIL_LINEARITY:
  case HG_STENCIL_TAYLOR:
  case HG_STENCIL_DOT:
  case HG_STENCIL_SYMMETRY:
    (f->kernel == HG_STENCIL_SECOND ? second_text : derivative_text)(f, size, text);
    break;
  case HG_STENCIL_RADIUS:
  case HG_STENCIL_UNUSED:
  case HG_STENCIL_NULL: reach_text(f, size, text); break;
  case HG_STENCIL_INPUTS:
  case HG_STENCIL_BOX: box_text(f, size, text); break;
  case HG_STENCIL_COPY: copy_text(f, size, text); break;
  case HG_STENCIL_STATIC:
    snprintf(text, size,
             "%s writes static memory, which all threads share: %g words depend on its inputs, "
             "expected %g; keep what it writes on the stack",
             kernels[f->kernel], f->value, f->bound);
    break;
  case HG_STENCIL_ADDS:
    snprintf(text, size, "%s does not add to the cotangent of '%s': off by %.2g, bound %.2g",
             kernels[f->kernel], f->read, f->value, f->bound);
    break;
  default: cells_text(f, size, text);
  }
  return 0;
}

/* "2.9e-16", or "-" for a check that was not made. */
static const char *number(double value, char text[16]) {
  if (isnan(value)) return "-";
  snprintf(text, 16, "%.2g", value);
  return text;
}

static const char *order(double value, char text[16]) {
  if (isnan(value)) return "-";
  if (value == INFINITY) return "affine";
  snprintf(text, 16, "%.2f", value);
  return text;
}

static PetscErrorCode print(const HgStencilReport *r) {
  char linearity[16], dot[16], taylor[16], text[384];
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "check stencil %s: linearity %s dot %s Taylor %s %s\n",
                        r->stencil, number(r->worst[HG_STENCIL_LINEARITY], linearity),
                        number(r->worst[HG_STENCIL_DOT], dot),
                        order(r->worst[HG_STENCIL_TAYLOR], taylor), r->passed ? "ok" : "FAILED:"));
  for (int k = 0; k < r->findings; k++) {
    PetscCall(HgStencilFindingText(&r->finding[k], sizeof text, text));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  stencil '%s': %s (draw %llu)\n", r->stencil, text,
                          (unsigned long long)r->finding[k].seed));
  }
  return 0;
}

PetscErrorCode HgCheckStencilPrint(MPI_Comm comm, const HgStencil *s, const void *params,
                                   const HgCheckRange ranges[],
                                   const HgCheckStencilOptions *options, bool *passed) {
  HgStencilReport report;
  PetscErrorCode ierr = 0;
  int rank, told[2] = {0, 1};
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    ierr = HgCheckStencil(s, params, ranges, options, &report);
    told[0] = !ierr && report.passed, told[1] = ierr != 0;
    if (!ierr && !(options && options->quiet)) PetscCall(print(&report));
  }
  PetscCallMPI(MPI_Bcast(told, 2, MPI_INT, 0, comm));
  *passed = told[0];
  return told[1] ? HG_ERROR_TOLD : 0;
}
