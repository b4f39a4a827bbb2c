/* A stencil tried alone: what its checks share; for adjoint/trial, and its fields for the doctor.
   */
#ifndef HG_TRIAL_LIBRARY_H
#define HG_TRIAL_LIBRARY_H

#include <halograd/check_stencil.h>
#include <math.h>

enum {
  HG_TRIAL_MOST = 16, /* reads, writes */
  HG_TRIAL_REACH = 8, /* cells further than declared that a wrong kernel may read or write */
  HG_TRIAL_MASKS = 16 /* selections of cotangents that a draw tries */
};

/* Cells [-ghost, nx + ghost) x [-ghost, ny + ghost), read as rows[j][i]. */
typedef struct {
  int nx, ny, ghost;
  double *data, **first, **rows;
} HgTrialField;

/* What the kernels write; x_bar: what the adjoint does, or `second`. */
typedef struct {
  HgTrialField y[HG_TRIAL_MOST], dy[HG_TRIAL_MOST], x_bar[HG_TRIAL_MOST];
} HgTrialOutputs;

/* One draw: a box, the stencil's inputs, and what it makes of them. */
typedef struct {
  const HgStencil *stencil;
  const void *params;
  const HgCheckStencilOptions *options;
  HgStencilReport *report;
  uint64_t seed, drawn;
  HgStencilKernel reverse; /* the kernel that adds to x_bar in this trial: adjoint, or second */
  int reads, writes, radius, ghost;
  double dot_bound;
  HgBox box;          /* [0, nx) x [0, ny) */
  HgLatitude *sphere; /* that the box lies on; NULL: a plane, or a program's */
  HgCheckRange range[HG_TRIAL_MOST];
  HgTrialField x[HG_TRIAL_MOST], dx[HG_TRIAL_MOST], y_bar[HG_TRIAL_MOST], dy_bar[HG_TRIAL_MOST];
  HgTrialField x_kept[HG_TRIAL_MOST], dx_kept[HG_TRIAL_MOST], y_bar_kept[HG_TRIAL_MOST],
      dy_bar_kept[HG_TRIAL_MOST];
  double added[HG_TRIAL_MOST];       /* the largest that several y_bar add to x_bar */
  HgTrialField start[HG_TRIAL_MOST]; /* of x_bar: as large as that */
  HgTrialOutputs whole, one, two;    /* whole: of the box in one piece, with all x_bar wanted */
  bool beyond;                       /* do apply or tangent read beyond it? */
  bool bars, nulls;                  /* does the adjoint bear x_bar, and x, that are NULL? */
} HgTrial;

/* ---- trial.c: draws ---- */

/* A draw; the kernels are called for the first time by HgTrialBegin(). */
PetscErrorCode HgTrialCreate(const HgStencil *stencil, const void *params,
                             const HgCheckRange ranges[], const HgCheckStencilOptions *options,
                             uint64_t seed, HgStencilKernel reverse, HgStencilReport *report,
                             HgTrial **trial);
void HgTrialBegin(HgTrial *trial);
PetscErrorCode HgTrialDestroy(HgTrial **trial);
double HgTrialRandom(HgTrial *trial); /* in [-1, 1) */
int HgTrialRandomInt(HgTrial *trial, int low, int high);
int HgTrialCountReads(const HgStencil *stencil);
int HgTrialCountWrites(const HgStencil *stencil);

/* The same cells have local indices that are larger by di, dj. */
void HgTrialShift(HgTrial *t, int di, int dj);

/* The n-th selection of cotangents of this draw: over all draws, all there are. */
unsigned HgTrialMask(const HgTrial *t, int n);

/* x, dx, y_bar and dy_bar as drawn; y and dy are full of `canary`, x_bar is as at the start. */
void HgTrialRestore(HgTrial *t);
void HgTrialReset(HgTrial *t, const HgTrialOutputs *outputs, double canary);

extern const double hg_trial_canary;

/* ---- trial_calls.c ---- */

/* y = F(x), dy = F'(x) dx, x_bar += F'(x)^T y_bar on a box, or what `second` adds. Bit k of
   `wanted`: x_bar[k] is handed over, else NULL; x that the adjoint does not use then is NULL too.
   Both only if it bears that. */
void HgTrialApply(const HgTrial *t, const HgBox *box, const HgTrialField x[],
                  const HgTrialField y[]);
void HgTrialTangent(const HgTrial *t, const HgBox *box, const HgTrialField dx[],
                    const HgTrialField dy[]);
void HgTrialAdjoint(const HgTrial *t, const HgBox *box, unsigned wanted,
                    const HgTrialField x_bar[]);

/* All three, all x_bar wanted. */
void HgTrialRun(const HgTrial *t, const HgBox *box, const HgTrialOutputs *outputs);

/* Does the call end, or does a kernel, *crashed, leave memory that is its own? */
bool HgTrialEnds(void (*call)(void *), void *context, HgStencilKernel *crashed);

/* Does the kernel end, which writes to `one`, if what it writes (y, dy or x_bar) is NULL but for
   `wanted`, and x of the reads in `no_x`, for the adjoint and `second`? */
bool HgTrialSurvives(HgTrial *t, HgStencilKernel kernel, unsigned wanted, unsigned no_x);

/* Whether the adjoint may use x of read k, given the x_bar that are wanted. */
bool HgTrialUses(const HgTrial *t, int k, unsigned wanted);

/* ---- check_stencil.c: what is found ---- */

/* Is it one of the checks that are asked for? */
bool HgTrialChosen(const HgTrial *t, HgStencilCheck check);

/* Notes a value; a finding unless `ok`. read, write: -1 for none. */
void HgTrialNote(HgTrial *t, HgStencilCheck check, HgStencilKernel kernel, int read, int write,
                 double value, double bound, bool ok);

/* The same, of variables by name; NULL for none. */
void HgTrialNoteNames(HgTrial *t, HgStencilCheck check, HgStencilKernel kernel, const char read[],
                      const char write[], double value, double bound, bool ok);

/* Notes numbers of cells, which must be 0. */
void HgTrialCells(HgTrial *t, HgStencilCheck check, HgStencilKernel kernel, int read, int write,
                  int cells);

/* Notes, for each variable, the cells in which the outputs of `kernel` differ. */
void HgTrialCompare(HgTrial *t, HgStencilCheck check, HgStencilKernel kernel,
                    const HgTrialOutputs *a, const HgTrialOutputs *b);

/* ---- trial_field.c ---- */

/* A field of zeros of the box's size, [0, i1) x [0, j1). */
PetscErrorCode HgTrialFieldCreate(const HgBox *box, int ghost, HgTrialField *f);
PetscErrorCode HgTrialFieldDestroy(HgTrialField *f);

static inline size_t HgTrialFieldSize(const HgTrialField *f) {
  return (size_t)(f->nx + 2 * f->ghost) * (size_t)(f->ny + 2 * f->ghost);
}

void HgTrialFieldFill(const HgTrialField *f, double value);
void HgTrialFieldCopy(const HgTrialField *from, const HgTrialField *to);
int HgTrialFieldDiffers(const HgTrialField *a, const HgTrialField *b); /* in so many cells */
int HgTrialFieldDiffersIn(const HgBox *box, const HgTrialField *a, const HgTrialField *b);

/* f = a p + b q; f may be p or q. */
void HgTrialFieldCombine(double a, const HgTrialField *p, double b, const HgTrialField *q,
                         const HgTrialField *f);

/* Is the cell within `margin` of the box? margin < 0: no cell is. */
static inline bool HgTrialInside(const HgBox *b, int margin, int i, int j) {
  return margin >= 0 && i >= b->i0 - margin && i < b->i1 + margin && j >= b->j0 - margin &&
         j < b->j1 + margin;
}

/* <a, b> within `margin` of the box: finer than what is checked. */
long double HgTrialFieldDot(const HgTrialField *a, const HgTrialField *b, const HgBox *box,
                            int margin);

static inline double HgTrialFieldNorm(const HgTrialField *f, const HgBox *box) {
  return (double)sqrtl(HgTrialFieldDot(f, f, box, 0));
}

/* |a - b - e d| in the box: of a Taylor remainder, in which d is a derivative. */
double HgTrialFieldRemainder(const HgTrialField *a, const HgTrialField *b, double e,
                             const HgTrialField *d, const HgBox *box);

/* |r - a p - b q| in the box, relative to |(a p, b q)|; 0 if r is exactly that */
double HgTrialFieldNonlinearity(const HgTrialField *r, double a, const HgTrialField *p, double b,
                                const HgTrialField *q, const HgBox *box);

/* ---- the checks ---- */

/* The read that a write is said to be a copy of; -1: none. */
int HgTrialCopied(const HgTrial *t, int write);

bool HgTrialCheckInputs(HgTrial *t); /* all others rest on this one and the next */
bool HgTrialCheckFinite(HgTrial *t);
void HgTrialCheckUnused(HgTrial *t);
void HgTrialCheckRadius(HgTrial *t);
void HgTrialCheckBox(HgTrial *t);
void HgTrialCheckCut(HgTrial *t);
void HgTrialCheckIndex(HgTrial *t);
void HgTrialCheckPure(HgTrial *t);
void HgTrialCheckStatic(HgTrial *t);
void HgTrialCheckZero(HgTrial *t);
void HgTrialCheckLinearity(HgTrial *t);
void HgTrialCheckTaylor(HgTrial *t);
void HgTrialCheckDot(HgTrial *t);
void HgTrialCheckAdds(HgTrial *t);
void HgTrialCheckWanted(HgTrial *t);
void HgTrialCheckFresh(HgTrial *t);
void HgTrialCheckMirror(HgTrial *t);
void HgTrialCheckCopies(HgTrial *t);

/* Of the kernel `second`: zero, linear, the derivative of the adjoint, symmetric. */
void HgTrialCheckSecond(HgTrial *t);

#endif
