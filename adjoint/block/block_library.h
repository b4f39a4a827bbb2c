/* SPDX-License-Identifier: BSD-2-Clause */
/* A block: T steps of a program, or one of its terms alone, planned in one mode. Its calls, cut
   into stages; where values lie; the states that a run binds to them. For adjoint/block,
   adjoint/engine, which runs it, and adjoint/program only. */
#ifndef HG_BLOCK_LIBRARY_H
#define HG_BLOCK_LIBRARY_H

#include <halograd/step_library.h>
#include <halograd/time_block.h>

/* ---- calls ---- */

/* A value is a version in one mode: value = mode * versions + version. */
typedef struct {
  int value, radius;
  bool walls; /* on ghosts outside walls, too */
} HgUse;

/* One kernel at work in one direction. */
typedef struct {
  int term, step; /* of the program; of the block, from 0 */
  HgMode mode;
  int *x, *second; /* values; second: dx or y_bar */
  int outs, *out;  /* values: y but for copies, dy or x_bar */
  bool *fresh;     /* x_bar: starts from nothing here */
  bool *folds; /* x_bar: the last of its step to add; then ghosts outside walls are added inside */
  int uses;    /* what is read, and how far around a cell */
  HgUse *use;
  int outside; /* layers outside walls that are computed too */
  int overlap; /* layers beyond a tile's seams that are computed too */
  int skew;    /* rows that it is ahead of the last call of its stage */
} HgCall;

/* ---- stages ---- */

/* A value whose ghosts a stage needs; depth 0: only those outside walls. */
typedef struct {
  int value, depth;
} HgNeed;

typedef struct HgStageWork_s *HgStageWork; /* tile_private.h of the engine */

/* Consecutive calls between two exchanges. */
typedef struct {
  int first, last; /* calls [first, last) */
  int needs;
  HgNeed *need;
  int depth;        /* the deepest need */
  HgStageWork work; /* what the engine has made to run it; NULL: it has not run yet */
  PetscErrorCode (*destroy_work)(HgStageWork *work);
} HgStage;

/* ---- the block ---- */

/* Where a value's numbers lie during a run. */
typedef struct {
  HgProgramVariable *variable;
  bool buffered;   /* in row buffers of each tile; else in a state */
  bool handed_out; /* in row buffers and, what tiles own, in a state, too */
  bool taken_in;   /* in row buffers, as the caller gives it and with what calls add to it */
  bool filled; /* ghosts outside walls are filled, or added to the cells inside, as rows come by */
  int span;    /* rows that a row buffer has beside those of a turn of the sweep */
  int first_out, last_out; /* calls; -1: none */
  int last_use;
  int last_here; /* the last call of first_out's stage that writes or reads it, if it is buffered */
  bool walls;    /* an adjoint reads it outside walls */
} HgValue;

/* HG_PRIMAL: the terms applied; HG_TANGENT: tangents and terms applied; HG_COTANGENT: the terms
   whose results adjoints read, then the adjoints. */
struct HgBlock_s {
  HgProgram program;
  HgMode mode;
  int steps;
  bool stored;    /* reversed with the states between its steps given; forward: gives all of them */
  bool lone;      /* a term alone */
  int near_walls; /* rows beside southern and northern walls that each call does at once */
  int versions, works; /* works: of them HG_AT_WORK */
  HgVersion *version;
  HgState work[HG_MODES]; /* of several steps; those of one are the program's: HgBlockWork() */
  int calls, stages;
  HgCall *call;
  int *numbers; /* what the arrays of all calls lie in */
  HgUse *use;
  bool *marks;
  HgStage *stage;
  HgValue *value;
};

/* Plans `steps` steps, `stored` as HgBlock_s says. Not collective. */
PetscErrorCode HgBlockCreate(HgProgram program, HgMode mode, int steps, bool stored,
                             HgBlock *block);

/* Plans one term alone, a stencil: the variables it reads, and after them those that it only
   writes, are at the start, in this order; those it writes, at the end, in its order. */
PetscErrorCode HgBlockCreateTerm(HgProgram program, HgMode mode, int term, HgBlock *block);
PetscErrorCode HgBlockDestroy(HgBlock *block);

/* The program's own block of so many steps, planned when it is first wanted. */
PetscErrorCode HgProgramBlock(HgProgram program, HgMode mode, int steps, bool stored,
                              HgBlock *block);

/* The calls of a block are cut into stages. */
PetscErrorCode HgBlockCut(HgBlock block);
PetscErrorCode HgStageDestroy(HgStage *stage);

/* Where versions HG_AT_WORK live that no row buffer holds; NULL: not needed so far. */
static inline HgState *HgBlockWork(HgBlock b, HgMode mode) {
  return b->steps == 1 ? &b->program->work[mode] : &b->work[mode];
}

/* ---- values ---- */
static inline int HgValueOf(HgBlock b, HgMode mode, int version) {
  return (int)mode * b->versions + version;
}

static inline HgMode HgValueMode(HgBlock b, int value) { return (HgMode)(value / b->versions); }

static inline HgVersion *HgValueVersion(HgBlock b, int value) {
  return &b->version[value % b->versions];
}

static inline HgProgramVariable *HgValueVariable(HgBlock b, int value) {
  return b->value[value].variable;
}

/* The levels of its rows. */
static inline HgLevels HgValueLevels(HgBlock b, int value) {
  return HgLevelsOf(b->program->mesh, HgValueVariable(b, value)->surface);
}

/* Is it of a constant whose cotangent is not wanted? */
static inline bool HgValueInactive(HgBlock b, int value) {
  const HgProgramVariable *v = HgValueVariable(b, value);
  return HgValueMode(b, value) == HG_COTANGENT && v->role == HG_CONSTANT && !v->active;
}

/* Is the call the first that adds to a cotangent of the block's end in row buffers? */
static inline bool HgTakesIn(HgBlock b, const HgCall *c, int out) {
  const HgValue *s = &b->value[c->out[out]];
  return s->taken_in && &b->call[s->first_out] == c;
}

/* The value at the start that a primal one of a carried variable has the frozen ghosts of; -1:
   none. */
static inline int HgValueStart(HgBlock b, int value) {
  return HgValueMode(b, value) == HG_PRIMAL ? HgValueVersion(b, value)->start : -1;
}

/* ---- stage.c ---- */

/* The value at the start that a result has the frozen ghosts of; -1: it has none. */
int HgValueFrozenStart(HgBlock block, int value);

/* ---- binding.c: which of the caller's states holds which value ---- */

/* Fresh zero state of all variables of one or two roles, carried first. */
PetscErrorCode HgProgramCreateState(HgProgram program, bool carried, bool constants,
                                    HgState *state);

/* Where versions live, in one mode. */
typedef struct {
  HgState start, end, constants;
} HgPlaces;

typedef struct {
  HgPlaces of[HG_MODES];
  const HgState *saved; /* the states between several steps; NULL: they are not wanted */
  HgSaving saving;      /* which variables of them */
} HgBinding;

/* Is it the value of a variable between several steps, in a state of the caller's? */
bool HgValueSaved(HgBlock block, const HgBinding *binding, int value);
HgState HgValueState(HgBlock block, const HgBinding *binding, int value);
int HgValueIndex(HgBlock block, const HgBinding *binding, int value); /* in that state */

/* NULL if it has no state. */
HgReal *const *HgValueRows(HgBlock block, const HgBinding *binding, int value);

/* What a step of a block costs by count that is reversed, states stored on the way included
   (block_cost.c). */
double HgBlockCost(HgBlock block);

/* Is a term of a step an operator, no stencil? */
bool HgProgramHasOperators(HgProgram program);

/* Bytes of all variables that a step reads and makes, of a rank on average. */
double HgProgramStepBytes(HgProgram program);

/* Is it reversed in one stage, in which no state that is given is computed again? */
bool HgBlockReversible(HgBlock block);

/* Does it, reversed, read a primal state, or make one again? */
bool HgBlockReadsState(HgBlock block);

#endif
