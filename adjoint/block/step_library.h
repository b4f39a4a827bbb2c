/* SPDX-License-Identifier: BSD-2-Clause */
/* One step of a program, as blocks and the engine see it: variables, versions and terms, how it is
   to be run. For adjoint/block, adjoint/engine and adjoint/program only. */
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
      16, /* of a stencil, and its writes, at most; of its dual 1 + V times as many */
  HG_NAME_LENGTH = 32
};

typedef enum { HG_CARRIED, HG_CONSTANT, HG_WORK } HgRole;

typedef struct {
  char name[HG_NAME_LENGTH], unit[HG_NAME_LENGTH];
  HgKind kind;
  int size;     /* arrays */
  bool surface; /* fields on a mesh with levels: it has one */
  HgRole role;
  HgBoundary boundary;
  HgLocation location;
  HgClosedFaces closed; /* faces on walls that are 0 in every version that a term writes */
  bool active;          /* constants: is the cotangent wanted? */
  bool limited;         /* is every number of every state to be above `above`? */
  double above;
  bool reversed;   /* carried: does reversing a step read its state? */
  int index;       /* in the carried or constants state */
  int input;       /* in the input */
  int depth;       /* deepest ghosts any kernel reads, forward or reverse */
  int first, last; /* versions of one step */
} HgProgramVariable;

typedef enum { HG_AT_START, HG_AT_END, HG_AT_CONSTANTS, HG_AT_WORK } HgPlace;

/* One version of a variable; its writer is a term of the step, or the caller (-1). */
typedef struct {
  int variable, writer;
  HgPlace place;
  int index;       /* in the state of that place */
  int last_reader; /* term, -1: none */
  int start;       /* carried: the version at the start, whose frozen ghosts it has; -1: none */
  int saved;       /* in a block of several steps: the final version of step saved - 1; 0: none */
  int lies;        /* in a block: the version whose primal numbers are its own, most often itself */
} HgVersion;

/* What a term is, beside a stencil. */
typedef struct {
  HgOperator op; /* an operator between states; NULL: the term is a stencil */
  HgStencil *stencil;
  HgState x[HG_MODES], y[HG_MODES]; /* its input and output in each mode */
  HgSeries series;                  /* of a stencil that is a HgSeriesStencil(); else NULL */
} HgOperatorTerm;

typedef struct {
  const HgStencil *stencil;
  void *params; /* the program's own */
  HgOperatorTerm part;
  int reads, writes, radius; /* radius: the largest among the reads */
  int *read, *write;         /* versions of one step */
  int copies, *copy_of;      /* the last writes are copies (HgStencil), k of read copy_of[k] */
  PetscLogEvent event[HG_MODES];
} HgTerm;

/* The exchange of some fields, made once. */
typedef struct {
  bool *lacking;     /* of a stage: its needs that it is for */
  int depth, layers; /* of one field: of its ghosts, and outside walls */
  bool surface;
  HgExchange exchange;
  int messages;
  size_t bytes;
} HgFill;

/* The first number that does not keep the limit of its variable. */
typedef struct {
  bool found;
  long step;       /* steps that have been made */
  int i, j, level; /* global */
  int variable;
  double value;
} HgBreach;

struct HgProgram_s {
  HgMesh mesh;
  HgMask mask;              /* NULL: all cells take part */
  HgMask unused;            /* a mask that is set, but not used now; NULL: none */
  int masks;                /* that have been set */
  int activities;           /* changes of which constants are active */
  const HgPhysics *physics; /* NULL: of none; else its variables come first, in its order */
  void *physics_params;     /* a copy of them */
  HgDual dual;              /* NULL: it is not the dual of a program */
  char name[HG_NAME_LENGTH];
  double dt;
  int ghost;        /* ghosts of its states at least; 0: not known yet */
  int ghost_levels; /* those below and above */
  bool ready;
  bool hides_messages; /* compute the interior while messages fly */
  bool limited;        /* has a variable a limit? */
  HgBreach breach;     /* the first one on this rank */
  bool fuse;           /* several calls between two exchanges, if ghosts are wide enough */
  int tile_rows, tile_columns, tile_levels; /* of a tile; 0: chosen by the size of the cache */
  int threads;
  long cache; /* bytes that tiles are made for */
  int terms, variables, versions;
  HgTerm *term;
  HgProgramVariable *variable;
  HgVersion *version; /* of one step */
  /* versions of one step that neither the caller's states nor row buffers hold; NULL: none so far
     */
  HgState work[HG_MODES];
  /* block[mode][stored][T]: T steps as one, reversed from the states before each of them (stored)
     or from the first alone; NULL: not wanted yet. T = 1 is the plain case, [mode][0][1]. */
  HgBlock block[HG_MODES][2][HG_TIME_BLOCK_MOST + 1];
  HgTimeBlocks blocks; /* how large T is */
  int fills;
  HgFill *fill; /* of HgProgramFillGhosts(), one field */
  long exchanges, messages;
  double bytes;
};

/* The variable that a version of one step is of. */
static inline HgProgramVariable *HgVersionVariable(HgProgram p, int version) {
  return &p->variable[p->version[version].variable];
}

/* Does the adjoint of a term read the values of read k? Not where the cotangents that it needs them
   for are not wanted. */
bool HgTermReads(HgProgram program, const HgTerm *term, int k);

/* The deepest exchange that mesh and patches allow. */
int HgProgramWidestHalo(HgProgram program);

/* ---- step_contract.c ---- */

/* Sides of which nothing is stated become copies, as sensors beside a wall see them. Error: a
   stencil reads across such a wall. */
PetscErrorCode HgProgramStateWalls(HgProgram program);

/* Errors: a patch or the mesh's ghosts are too thin; a boundary that cannot be. */
PetscErrorCode HgProgramCheckDepths(HgProgram program);

/* Levels are computed by stencils that know of them, on meshes that have some; what reads
   neighbours on a sphere knows of its metric. Errors: it is otherwise. */
PetscErrorCode HgProgramCheckMesh(HgProgram program, const HgStencil *stencil);

/* Error: a variable with a limit is no carried field. */
PetscErrorCode HgProgramCheckLimited(HgProgram program);

/* The index of a variable. Error: unknown. */
PetscErrorCode HgProgramKnownVariable(HgProgram program, const char name[], int *k);

/* Are `params` those that `taker`, a stencil or a physics, takes: of `size` bytes, the same numbers
   on all ranks, and in tables that it tells of (NULL: none)? Collective. Errors: they are not. */
PetscErrorCode HgProgramCheckParams(HgProgram program, const char taker[], const void *params,
                                    size_t size, const HgTable tables[]);

/* ---- step_physics.c ---- */

/* Does a stencil of the physics write the variable? */
bool HgPhysicsWrites(const HgPhysics *physics, const char variable[]);

/* Error: a stencil has a variable that the physics does not state. They come after those that it
   does. */
PetscErrorCode HgProgramCheckStated(HgProgram program);

/* All stencils of a physics are given the same params, each as the struct that it takes. Error: two
   take different ones. */
PetscErrorCode HgProgramCheckStruct(HgProgram program);

/* The numbers among the params of a physics (NULL: there are none). Errors: one is not finite, or
   has not the sign that the physics says. */
PetscErrorCode HgProgramCheckNumbers(HgProgram program, const void *params);

/* Collective. Error: a constant that the physics says is above 0 is not so in all cells of `input`;
   what is carried a run looks at. */
PetscErrorCode HgProgramCheckPositive(HgProgram program, HgState input);

#endif
