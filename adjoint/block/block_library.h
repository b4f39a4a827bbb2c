/* SPDX-License-Identifier: BSD-2-Clause */
/* A block: T steps of a program, or a single term, planned in one mode. It has calls, cut into
   stages, and says where values are stored; a binding gives the states of a run. For adjoint/block,
   adjoint/engine, which runs it, and adjoint/program only. */
#ifndef HG_BLOCK_LIBRARY_H
#define HG_BLOCK_LIBRARY_H

#include <halograd/step_library.h>
#include <halograd/time_block.h>

/* ---- calls ---- */

/* A value is a version in one mode: value = mode * versions + version. */
typedef struct {
  int value, radius;
  bool walls; /* also on ghosts outside walls */
} HgUse;

/* One kernel in one mode. */
typedef struct {
  int term, step; /* of the program; step of the block, from 0 */
  int kernel;     /* the term whose kernel reads x: `term`, or it as one with another */
  HgMode mode;
  int *x, *second; /* values; second: dx or y_bar */
  int outs, *out;  /* values: y except copies, dy or x_bar */
  bool *fresh;     /* by x_bar: it starts from nothing here */
  /* By x_bar: the last call of its step to add; it then adds ghosts outside walls inside. */
  bool *applies_boundary_adjoint;
  int uses; /* values that it reads, and how far around a cell */
  HgUse *use;
  int outside; /* layers that it also computes outside walls */
  int overlap; /* layers that it also computes beyond a tile's seams */
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
  HgStageWork work; /* made by the engine at the first run; NULL: none yet */
  PetscErrorCode (*destroy_work)(HgStageWork *work);
} HgStage;

/* ---- the block ---- */

/* Where a value is stored during a run. */
typedef struct {
  HgProgramVariable *variable;
  bool buffered;       /* in row buffers of each tile; else only in a state */
  bool stored_through; /* buffered, and the tiles' own cells are also written to a state */
  bool loaded_first;   /* buffered, and it starts from what the caller gives; calls add to it */
  bool filled; /* ghosts outside walls are filled, or added inside, while rows are computed */
  int span;    /* rows of a row buffer beside those of one turn of the sweep */
  int first_out, last_out; /* first and last call that writes it; -1: none */
  int last_use;
  int last_here; /* buffered: the last call of first_out's stage that writes or reads it */
  bool walls;    /* an adjoint reads it outside walls */
} HgValue;

/* The calls by mode:
     HG_PRIMAL     the terms
     HG_TANGENT    the terms with their tangents
     HG_COTANGENT  the terms whose results adjoints read, then the adjoints */
struct HgBlock_s {
  HgProgram program;
  HgMode mode;
  int steps;
  bool stored;         /* reverse: the states between its steps are given; forward: it gives them */
  bool lone;           /* a single term */
  int near_walls;      /* rows beside southern and northern walls that each call does in one turn */
  int versions, works; /* works: how many of them are HG_AT_WORK */
  HgVersion *version;
  HgState work[HG_MODES]; /* for several steps; one step uses the program's: HgBlockWork() */
  int calls, stages;
  HgCall *call;
  int *numbers; /* memory of the arrays of all calls, like the next two */
  HgUse *use;
  bool *marks;
  HgStage *stage;
  HgValue *value;
};

/* Plans `steps` steps; `stored` as in HgBlock_s. Not collective. */
PetscErrorCode HgBlockCreate(HgProgram program, HgMode mode, int steps, bool stored,
                             HgBlock *block);

/* Plans a single term, which must be a stencil. Its state at the start has the variables that the
   term reads, then those that it only writes; its state at the end those that it writes, in its
   order. */
PetscErrorCode HgBlockCreateTerm(HgProgram program, HgMode mode, int term, HgBlock *block);
PetscErrorCode HgBlockDestroy(HgBlock *block);

/* The program's own block of `steps` steps, planned at the first call. */
PetscErrorCode HgProgramBlock(HgProgram program, HgMode mode, int steps, bool stored,
                              HgBlock *block);

/* Cuts the calls of a block into stages. */
PetscErrorCode HgBlockCut(HgBlock block);
PetscErrorCode HgStageDestroy(HgStage *stage);

/* The state of versions HG_AT_WORK that are in no row buffer; NULL: not needed so far. */
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

/* The levels of a value's rows. */
static inline HgLevels HgValueLevels(HgBlock b, int value) {
  return HgLevelsOf(b->program->mesh, HgValueVariable(b, value)->surface);
}

/* Whether it is the cotangent of a constant that is not active. */
static inline bool HgValueInactive(HgBlock b, int value) {
  const HgProgramVariable *v = HgValueVariable(b, value);
  return HgValueMode(b, value) == HG_COTANGENT && v->role == HG_CONSTANT && !v->active;
}

/* Whether the call is the first to add to a cotangent that is loaded first. */
static inline bool HgLoadsFirst(HgBlock b, const HgCall *c, int out) {
  const HgValue *s = &b->value[c->out[out]];
  return s->loaded_first && &b->call[s->first_out] == c;
}

/* The value at the start with the frozen ghosts of a primal value of a carried variable; -1:
   none. */
static inline int HgValueStart(HgBlock b, int value) {
  return HgValueMode(b, value) == HG_PRIMAL ? HgValueVersion(b, value)->start : -1;
}

/* ---- stage.c ---- */

/* The value at the start with the frozen ghosts of a result; -1: it has none. */
int HgValueFrozenStart(HgBlock block, int value);

/* ---- binding.c: which of the caller's states holds which value ---- */

/* Creates a zero state of all carried variables, all constants, or both, carried first. */
PetscErrorCode HgProgramCreateState(HgProgram program, bool carried, bool constants,
                                    HgState *state);

/* The caller's states in one mode. */
typedef struct {
  HgState start, end, constants;
} HgPlaces;

typedef struct {
  HgPlaces of[HG_MODES];
  const HgState *saved; /* states between several steps; NULL: not wanted */
  HgSaving saving;      /* which of their variables */
} HgBinding;

/* Whether the caller wants the value in one of its states between steps. */
bool HgValueSaved(HgBlock block, const HgBinding *binding, int value);
HgState HgValueState(HgBlock block, const HgBinding *binding, int value);
int HgValueIndex(HgBlock block, const HgBinding *binding, int value); /* its index there */

/* The rows of a value; NULL: it has no state. */
HgReal *const *HgValueRows(HgBlock block, const HgBinding *binding, int value);

/* The cost of a reversed step by count, including the states stored on the way (block_cost.c). */
double HgBlockCost(HgBlock block);

/* Whether some term is an operator. */
bool HgProgramHasOperators(HgProgram program);

/* Bytes of all variables that a step reads and writes, on an average rank. */
double HgProgramStepBytes(HgProgram program);

/* Whether it can be reversed in one stage that recomputes no given state. */
bool HgBlockReversible(HgBlock block);

/* Whether the reversed block reads or recomputes a primal state. */
bool HgBlockReadsState(HgBlock block);

#endif
