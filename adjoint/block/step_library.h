/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of a program as blocks and the engine see it: variables, versions, terms, and how to run
   it. For adjoint/block, adjoint/engine and adjoint/program only. */
#ifndef HG_STEP_LIBRARY_H
#define HG_STEP_LIBRARY_H

#include <halograd/boundary_library.h>
#include <halograd/exchange_library.h>
#include <halograd/kernel.h>
#include <halograd/mask_library.h>
#include <halograd/memory_library.h>
#include <halograd/mode.h>
#include <halograd/operator.h>
#include <halograd/physics.h>
#include <halograd/series_library.h>
#include <halograd/time_block.h>

typedef struct HgBlock_s *HgBlock;           /* block_library.h */
typedef struct HgDual_s *HgDual;             /* program_private.h */
typedef struct HgTimeBlocks_s *HgTimeBlocks; /* program_private.h */

enum {
  HG_STENCIL_READS =
      16, /* limit for reads and for writes of a stencil; its dual has 1 + V times as many */
  HG_NAME_LENGTH = 32
};

typedef enum { HG_CARRIED, HG_CONSTANT, HG_WORK } HgRole;

typedef struct {
  char name[HG_NAME_LENGTH], unit[HG_NAME_LENGTH];
  HgKind kind;
  int size;     /* of arrays */
  bool surface; /* of fields on a mesh with levels: only one */
  HgRole role;
  HgBoundary boundary;
  HgLocation location;
  HgClosedFaces closed; /* faces on walls that are 0 in every version that a term writes */
  bool active;          /* of constants: the cotangent is wanted */
  bool limited;         /* every number of every state must be > above */
  double above;
  bool reversed;   /* of carried: reversing a step reads it */
  int index;       /* index in the carried or constants state */
  int input;       /* index in the input */
  int depth;       /* deepest ghosts that a kernel reads, forward or reverse */
  int first, last; /* versions of one step */
} HgProgramVariable;

typedef enum { HG_AT_START, HG_AT_END, HG_AT_CONSTANTS, HG_AT_WORK } HgPlace;

/* One version of a variable; its writer is a term of the step, or the caller (-1). */
typedef struct {
  int variable, writer;
  HgPlace place;
  int index;       /* in the state of that place */
  int last_reader; /* term, -1: none */
  int start;       /* of carried: the version at the start, whose frozen ghosts it has; -1: none */
  int saved;       /* in a block: it is the final version of step saved - 1; 0: of none */
  int alias_of;    /* in a block: the version whose primal numbers it shares; usually itself */
} HgVersion;

/* What a term has besides a stencil. */
typedef struct {
  HgOperator op; /* an operator between states; NULL: the term is a stencil */
  HgStencil *stencil;
  HgState x[HG_MODES], y[HG_MODES]; /* input and output in each mode */
  HgSeries series;                  /* of HgSeriesStencil(); else NULL */
} HgOperatorTerm;

typedef struct {
  const HgStencil *stencil;
  void *params; /* a copy */
  HgOperatorTerm part;
  int reads, writes, radius; /* radius: the largest of the reads */
  int *read, *write;         /* versions of one step */
  int copies, *copy_of;      /* the last writes are copies (HgStencil), k of read copy_of[k] */
  int with_previous;         /* the term that is it and the one before as one; 0: none */
  PetscLogEvent event[HG_MODES];
} HgTerm;

/* The exchange of some fields, created once. */
typedef struct {
  bool *lacking;     /* in a stage: by need, whether it is included */
  int depth, layers; /* for one field: depth of ghosts, and layers outside walls */
  bool surface;
  HgExchange exchange;
  int messages;
  size_t bytes;
} HgFill;

/* The first number that broke the limit of its variable. */
typedef struct {
  bool found;
  long step;       /* number of steps made before */
  int i, j, level; /* global */
  int variable;
  double value;
} HgBreach;

struct HgProgram_s {
  HgMesh mesh;
  HgMask mask;              /* NULL: all cells are computed */
  HgMask unused;            /* a mask that was set and is not used now; NULL: none */
  int masks;                /* how many have been set */
  int changes;              /* how often mask, params or active constants have been set */
  const HgPhysics *physics; /* NULL: none; else its variables come first, in its order */
  void *physics_params;     /* a copy */
  HgDual dual;              /* NULL: this is not the dual of a program */
  char name[HG_NAME_LENGTH];
  double dt;
  int ghost;        /* fewest ghosts that its states need; 0: not known yet */
  int ghost_levels; /* the same below and above */
  bool ready;
  bool hides_messages; /* compute the interior while messages fly */
  bool limited;        /* some variable has a limit */
  HgBreach breach;     /* the first one on this rank */
  bool fuse;           /* several calls share an exchange if ghosts are wide enough */
  int tile_rows, tile_columns, tile_levels; /* of a tile; 0: chosen by the cache */
  int threads;
  long cache; /* bytes that tiles are made for */
  int terms, variables, versions;
  int pairs; /* terms[terms + k], k < pairs: two terms as one */
  HgTerm *term;
  HgProgramVariable *variable;
  HgVersion *version; /* of one step */
  /* versions of one step that are neither in the caller's states nor in row buffers; NULL: none so
     far */
  HgState work[HG_MODES];
  /* block[mode][stored][T]: T steps as one, reversed from the states before each of them (stored)
     or from the first alone; NULL: not needed yet. A single step is [mode][0][1]. */
  HgBlock block[HG_MODES][2][HG_TIME_BLOCK_MOST + 1];
  HgTimeBlocks blocks; /* how large T is */
  int fills;
  HgFill *fill; /* for HgProgramFillGhosts(), one field each */
  long exchanges, messages;
  double bytes;
};

/* The variable of a version of one step. */
static inline HgProgramVariable *HgVersionVariable(HgProgram p, int version) {
  return &p->variable[p->version[version].variable];
}

/* Whether the adjoint of a term reads the values of read k. It does not if the cotangents that it
   needs them for are not wanted. */
bool HgTermReads(HgProgram program, const HgTerm *term, int k);

/* The deepest exchange that mesh and patches allow. */
int HgProgramWidestHalo(HgProgram program);

/* ---- step_inline.c ---- */

/* Finds the terms that steps run as one with the term before them. */
PetscErrorCode HgProgramInlineTerms(HgProgram program);

/* ---- step_contract.c ---- */

/* Makes sides for which nothing is stated copies, as sensors beside a wall need them. Error: a
   stencil reads across such a wall. */
PetscErrorCode HgProgramStateWalls(HgProgram program);

/* Errors: a patch or the mesh's ghosts are too thin; an impossible boundary. */
PetscErrorCode HgProgramCheckDepths(HgProgram program);

/* Requires stencils that compute levels on meshes with levels, and only there; and on a sphere,
   that those that read neighbours use its metric. */
PetscErrorCode HgProgramCheckMesh(HgProgram program, const HgStencil *stencil);

/* Error: a variable with a limit is not a carried field. */
PetscErrorCode HgProgramCheckLimited(HgProgram program);

/* *k: the index of a variable. Error: unknown name. */
PetscErrorCode HgProgramKnownVariable(HgProgram program, const char name[], int *k);

/* Checks that `params` are what `taker`, a stencil or a physics, takes: `size` bytes, with the same
   numbers on all ranks, also in `tables` (NULL: none). Collective. */
PetscErrorCode HgProgramCheckParams(HgProgram program, const char taker[], const void *params,
                                    size_t size, const HgTable tables[]);

/* ---- step_physics.c ---- */

/* Whether a stencil of the physics writes the variable. */
bool HgPhysicsWrites(const HgPhysics *physics, const char variable[]);

/* How many terms of a step are those of the program's physics: the first ones. */
int HgProgramPhysicsTerms(HgProgram program);

/* Error: a stencil has a variable that the physics does not state. Such variables come after the
   stated ones. */
PetscErrorCode HgProgramCheckStated(HgProgram program);

/* Error: two stencils of the physics take different structs of params. */
PetscErrorCode HgProgramCheckStruct(HgProgram program);

/* Checks the numbers in the params of a physics (NULL: there are none). Errors: one is not finite,
   or does not have the sign that the physics states. */
PetscErrorCode HgProgramCheckNumbers(HgProgram program, const void *params);

/* Error: a constant that the physics declares positive is not > 0 in all cells of `input`. Carried
   variables are checked by runs. Collective. */
PetscErrorCode HgProgramCheckPositive(HgProgram program, HgState input);

#endif
