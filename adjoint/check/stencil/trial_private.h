/* SPDX-License-Identifier: BSD-2-Clause */
/* A stencil run alone on a box of random numbers: functions for its checks. */
#ifndef HG_TRIAL_PRIVATE_H
#define HG_TRIAL_PRIVATE_H

#include <halograd/finding_library.h>

enum {
  HG_TRIAL_MOST = 16,        /* most reads, most writes */
  HG_TRIAL_REACH = 8,        /* cells beyond the declared radius that a wrong kernel may touch */
  HG_TRIAL_REACH_LEVELS = 3, /* the same with levels */
  HG_TRIAL_LEVELS = 4,       /* most levels */
  HG_TRIAL_LARGEST = 7,      /* most columns along each axis of boxes with levels */
  HG_TRIAL_MASKS = 16        /* selections of cotangents in a draw */
};

/* Cells [-ghost, nx + ghost) x [-ghost, ny + ghost), as rows[j][i]; levels [-beside, nz + beside),
   `pitch` numbers apart. */
typedef struct {
  int nx, ny, nz, ghost, beside;
  ptrdiff_t pitch;
  HgReal *data, **first, **rows;
} HgTrialField;

static inline HgReal *HgTrialAt(const HgTrialField *f, int i, int j, int k) {
  return &f->rows[j][k * f->pitch + i];
}

/* Loops over all cells (i, j, k) of a field; over those of a box. */
#define HG_TRIAL_ALL(f, i, j, k)                                                                   \
  for (int j = -(f)->ghost; j < (f)->ny + (f)->ghost; j++)                                         \
    for (int k = -(f)->beside; k < (f)->nz + (f)->beside; k++)                                     \
      for (int i = -(f)->ghost; i < (f)->nx + (f)->ghost; i++)
#define HG_TRIAL_BOX(f, b, i, j, k)                                                                \
  for (int j = (b)->j0; j < (b)->j1; j++)                                                          \
    for (int k = (f)->beside ? (b)->k0 : 0; k < ((f)->beside ? (b)->k1 : 1); k++)                  \
      for (int i = (b)->i0; i < (b)->i1; i++)

/* Sets of fields: one field for each read, or for each write.
     HG_X ...          inputs as kernels get them
     HG_KEPT + HG_X    the inputs as drawn, and so on
     HG_START          x_bar before the adjoint adds to it
     HG_WHOLE + HG_Y   outputs of the box in one piece, with all x_bar wanted, and so on
     HG_ONE, HG_TWO    the same of something else
   HG_BAR is x_bar of the adjoint or of `second`. */
enum {
  HG_X,
  HG_DX,
  HG_Y_BAR,
  HG_DY_BAR,
  HG_KEPT,
  HG_START = 8,
  HG_WHOLE,
  HG_ONE = 12,
  HG_TWO = 15,
  HG_SETS = 18
};

enum { HG_Y, HG_DY, HG_BAR, HG_OUTPUTS };

/* One draw: a box, the stencil's inputs and its outputs. */
typedef struct {
  const HgStencil *stencil;
  const void *params;
  const HgCheckStencilOptions *options;
  HgFindings *report;
  uint64_t seed, drawn;
  HgKernel reverse; /* the kernel that adds to x_bar here: adjoint or second */
  int reads, writes, radius, ghost;
  double dot_bound;
  HgBox box;          /* [0, nx) x [0, ny) */
  HgLatitude *sphere; /* sphere of the box; NULL: a plane, or a program's */
  HgCheckRange range[HG_TRIAL_MOST];
  HgTrialField field[HG_SETS][HG_TRIAL_MOST];
  double added[HG_TRIAL_MOST]; /* the largest addition to x_bar of several y_bar */
  bool beyond;                 /* apply or tangent read beyond the box */
  bool bars, nulls;            /* the adjoint survives x_bar, and x, that are NULL */
} HgTrial;

/* ---- trial.c: draws ---- */

/* Draws a trial; HgTrialBegin() calls the kernels for the first time. */
PetscErrorCode HgTrialCreate(const HgStencil *stencil, const void *params,
                             const HgCheckRange ranges[], const HgCheckStencilOptions *options,
                             uint64_t seed, HgKernel reverse, HgFindings *report, HgTrial **trial);
void HgTrialBegin(HgTrial *trial);
PetscErrorCode HgTrialDestroy(HgTrial **trial);
double HgTrialRandom(HgTrial *trial); /* in [-1, 1) */
int HgTrialRandomInt(HgTrial *trial, int low, int high);
int HgTrialCountReads(const HgStencil *stencil);
int HgTrialCountWrites(const HgStencil *stencil);
int HgTrialCount(const HgTrial *t, int set); /* fields of a set */

/* Raises the local indices of the same cells by di, dj. */
void HgTrialShift(HgTrial *t, int di, int dj);

/* The n-th selection of cotangents of this draw; over all draws, all selections occur. */
unsigned HgTrialMask(const HgTrial *t, int n);

/* Restore sets inputs as drawn. Reset fills Y and DY of a set of outputs with `canary`, and BAR as
   at the start. */
void HgTrialRestore(HgTrial *t);
void HgTrialReset(HgTrial *t, int set, double canary);

extern const double hg_trial_canary;

/* ---- trial_calls.c ---- */

/* The kernel that writes an output: apply, tangent, reverse; and the output of a kernel. */
static inline HgKernel HgTrialKernel(const HgTrial *t, int output) {
  return output == HG_BAR ? t->reverse : (HgKernel)output;
}

static inline int HgTrialOutput(HgKernel kernel) { return PetscMin((int)kernel, (int)HG_BAR); }

/* Calls a kernel on a box; it writes to its output of `set`. x_bar[k] is NULL unless bit k of
   `wanted` is set; x that the adjoint does not use then is NULL, too. Both only if it survives
   that. */
void HgTrialCall(const HgTrial *t, HgKernel kernel, const HgBox *box, unsigned wanted, int set);

/* Calls all three kernels, with all x_bar wanted. */
void HgTrialRun(const HgTrial *t, const HgBox *box, int set);

/* Whether the call ends without a kernel, *crashed, touching memory that is not its own. */
bool HgTrialEnds(void (*call)(void *), void *context, HgKernel *crashed);

/* Whether the kernel ends if its outputs in ONE are NULL except `wanted`, and, for the adjoint and
   `second`, x of the reads in `no_x` is NULL. */
bool HgTrialSurvives(HgTrial *t, HgKernel kernel, unsigned wanted, unsigned no_x);

/* Whether the adjoint may use x of read k, given the x_bar that are wanted. */
bool HgTrialUses(const HgTrial *t, int k, unsigned wanted);

/* ---- check_stencil.c: findings ---- */

/* Whether the check was requested. */
bool HgTrialChosen(const HgTrial *t, HgCheckId check);

/* Notes a value; it is a finding unless `ok`. read, write: -1 for none. */
void HgTrialNote(HgTrial *t, HgCheckId check, HgKernel kernel, int read, int write, double value,
                 double bound, bool ok);

/* The same with names of variables; NULL for none. */
void HgTrialNoteNames(HgTrial *t, HgCheckId check, HgKernel kernel, const char read[],
                      const char write[], double value, double bound, bool ok);

/* Notes a number of cells, which must be 0: of a pair, or of variable k of the kernel's output. */
void HgTrialCells(HgTrial *t, HgCheckId check, HgKernel kernel, int read, int write, int cells);
void HgTrialCellsOf(HgTrial *t, HgCheckId check, HgKernel kernel, int k, int cells);

/* Notes in how many cells the outputs ONE and WHOLE differ, for each kernel and variable. */
void HgTrialCompare(HgTrial *t, HgCheckId check);

/* ---- trial_field.c ---- */

/* Creates a field of zeros of the size of the box, [0, i1) x [0, j1); with levels [0, k1). */
PetscErrorCode HgTrialFieldCreate(const HgBox *box, int ghost, bool levels, HgTrialField *f);

static inline size_t HgTrialFieldSize(const HgTrialField *f) {
  return (size_t)(f->nx + 2 * f->ghost) * (size_t)(f->ny + 2 * f->ghost) *
         (size_t)(f->nz + 2 * f->beside);
}

void HgTrialFieldFill(const HgTrialField *f, double value);
void HgTrialFieldCopy(const HgTrialField *from, const HgTrialField *to);
int HgTrialFieldDiffers(const HgTrialField *a, const HgTrialField *b); /* cells that differ */
int HgTrialFieldDiffersIn(const HgBox *box, const HgTrialField *a, const HgTrialField *b);

/* f = a p + b q; f may be p or q. */
void HgTrialFieldCombine(double a, const HgTrialField *p, double b, const HgTrialField *q,
                         const HgTrialField *f);

/* Whether the cell is within `margin` of the box; margin < 0: no cell is. */
static inline bool HgTrialInside(const HgBox *b, int margin, int i, int j, int k) {
  return margin >= 0 && i >= b->i0 - margin && i < b->i1 + margin && j >= b->j0 - margin &&
         j < b->j1 + margin && k >= b->k0 - margin && k < b->k1 + margin;
}

/* <a, b> in the box, more precise than the checks need. */
long double HgTrialFieldDot(const HgTrialField *a, const HgTrialField *b, const HgBox *box);

static inline double HgTrialFieldNorm(const HgTrialField *f, const HgBox *box) {
  return (double)sqrtl(HgTrialFieldDot(f, f, box));
}

/* |r - a p - b q| in the box; *scale = |(a p, b q)|. */
double HgTrialFieldRemainder(const HgTrialField *r, double a, const HgTrialField *p, double b,
                             const HgTrialField *q, const HgBox *box, double *scale);

/* ---- the checks ---- */

/* The read that a write is declared to copy; -1: none. */
int HgTrialCopied(const HgTrial *t, int write);

bool HgTrialCheckInputs(HgTrial *t); /* all others rely on this one and the next */
bool HgTrialCheckFinite(HgTrial *t);
void HgTrialCheckUnused(HgTrial *t);
void HgTrialCheckRadius(HgTrial *t);
void HgTrialCheckBox(HgTrial *t);
void HgTrialCheckCut(HgTrial *t);
void HgTrialCheckIndex(HgTrial *t);
void HgTrialCheckPure(HgTrial *t);
void HgTrialCheckStatic(HgTrial *t);
void HgTrialCheckZero(HgTrial *t); /* of the tangent or `second`, as are the next two */
void HgTrialCheckLinearity(HgTrial *t);
void HgTrialCheckTaylor(HgTrial *t);
void HgTrialCheckDot(HgTrial *t);
void HgTrialCheckAdds(HgTrial *t);
void HgTrialCheckWanted(HgTrial *t);
void HgTrialCheckFresh(HgTrial *t);
void HgTrialCheckMirror(HgTrial *t);
void HgTrialCheckCopies(HgTrial *t);
void HgTrialCheckSymmetry(HgTrial *t); /* of `second` */

#endif
