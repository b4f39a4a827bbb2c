/* The inside of a program, as the engine sees it: for adjoint/engine and adjoint/program only. */
#ifndef HALOGRAD_ENGINE_PRIVATE_H
#define HALOGRAD_ENGINE_PRIVATE_H

#include <halograd/boundary.h>
#include <halograd/cache.h>
#include <halograd/exchange.h>
#include <halograd/kernel.h>
#include <halograd/mode.h>
#include <halograd/operator.h>
#include <halograd/physics.h>
#include <halograd/time_block.h>

enum {
  HG_MAX_READS = 16,
  HG_NAME_LENGTH = 32,
  HG_SEGMENT = 2048, /* numbers of a result made in the cache before they stream to memory */
  HG_ZEROS = 1024,   /* columns that are zeroed at a time just before they are summed into */
  HG_STORED_BLOCK_STEPS = 4, /* steps reversed at once from stored states, at most */
  HG_MEMORY_NUMBER =
      3, /* what a number from memory costs, if one from the cache costs 1 (cost.c) */
  HG_TIME_BLOCK_STEPS = 6,       /* steps made at once, at most */
  HG_LONG_TIME_BLOCK_STEPS = 16, /* where their rows leave wide tiles in the cache, at most */
  HG_WIDE_TILE = 512,            /* columns */
  HG_NARROW_TILE = 256,
  HG_THICK_PATCH = 32 /* times the ghosts of such a block, at least: seams are computed twice */
};

typedef enum { HG_CARRIED, HG_CONSTANT, HG_WORK } HgRole;

typedef struct {
  char name[HG_NAME_LENGTH], unit[HG_NAME_LENGTH];
  HgKind kind;
  int size; /* arrays */
  HgRole role;
  HgBoundary boundary;
  HgLocation location;
  HgClosedFaces closed; /* faces on walls that are 0 in every version that a term writes */
  bool active;          /* constants: is the cotangent wanted? */
  bool limited;         /* is every number of every state to be above `above`? */
  double above;
  bool reversed;   /* carried, of several steps as one: does reversing a step read it? */
  int index;       /* in the carried or constants state */
  int input;       /* in the input */
  int depth;       /* deepest ghosts any kernel reads, forward or reverse */
  int first, last; /* versions */
} HgProgramVariable;

/* One value of a variable during a step; its writer is a term, or the caller (-1). */
typedef struct {
  int variable, writer;

  enum { HG_AT_START, HG_AT_END, HG_AT_CONSTANTS, HG_AT_WORK } place;

  int index;       /* in the state of that place */
  int last_reader; /* term, -1: none */
  int saved;       /* of several steps as one: the final value of step saved - 1; 0: none */
} HgVersion;

typedef enum { HG_STREAM_NEVER, HG_STREAM_ALWAYS, HG_STREAM_TUNED } HgStream;

/* How blocks are reversed: as is cheaper; from their first states; from stored ones; step by step. */
typedef enum {
  HG_REVERSE_CHEAPER,
  HG_REVERSE_START,
  HG_REVERSE_STORED,
  HG_REVERSE_SINGLE
} HgReverse;

/* One of two ways that give the same bits: the first runs take turns, `turn` runs the one and
   `turn` the other way, and the way with the fastest run is saved. */
enum { HG_TUNING_RUNS = 8 };

typedef struct {
  int runs;
  double last, best[2]; /* [s] */
} HgTuning;

static inline bool HgTuningWay(const HgTuning *t, int turn) {
  return t->runs < HG_TUNING_RUNS ? t->runs / turn % 2 : t->best[1] < t->best[0];
}

/* An operator between states as part of a step; its input and output states in each mode. */
typedef struct {
  HgOperator op; /* NULL: the term is a stencil */
  HgStencil *stencil;
  HgState x[HG_MODES], y[HG_MODES];
} HgOperatorTerm;

typedef struct {
  const HgStencil *stencil;
  void *params; /* the program's own */
  int substep;  /* of a program that is several steps of another one */
  HgOperatorTerm part;
  int reads, writes, radius;                   /* radius: the largest among the reads */
  int read[HG_MAX_READS], write[HG_MAX_READS]; /* versions */
  PetscLogEvent event[HG_MODES];
} HgTerm;

/* A value is a version in one mode: value = mode * versions + version. */
typedef struct {
  int value, radius;
  bool walls; /* on ghosts outside walls, too */
} HgUse;

/* One kernel at work in one direction. */
typedef struct {
  int term;
  HgMode mode;
  int x[HG_MAX_READS], second[HG_MAX_READS]; /* values; second: dx or y_bar */
  int outs, out[HG_MAX_READS];               /* values: y, dy or x_bar */
  bool fresh[HG_MAX_READS];                  /* x_bar: starts from nothing here */
  bool stream[HG_MAX_READS];                 /* a final result that nobody needs soon */
  int uses;
  HgUse use[2 * HG_MAX_READS]; /* what is read, and how far around a cell */
  int outside;                 /* layers outside walls that are computed too */
  int overlap;                 /* layers beyond a tile's seams that are computed too */
  int skew;                    /* rows that it is ahead of the last call of its stage */
  HgTuning streaming;          /* do its results go past the cache? */
} HgCall;

/* A value whose ghosts a stage needs; depth 0: only those outside walls. */
typedef struct {
  int value, depth;
} HgNeed;

/* A value that a stage reads from a state, and how many rows ahead of the last call. */
typedef struct {
  int value, skew;
} HgIncoming;

/* An exchange made once and used whenever exactly these needs lack valid ghosts. */
typedef struct {
  uint64_t mask;
  HgExchange exchange;
  int messages;
  size_t bytes;
} HgPlan;

/* The first number that does not keep the limit of its variable. */
typedef struct {
  bool found;
  long step; /* steps that have been made */
  int i, j;  /* global */
  int variable;
  double value;
} HgBreach;

/* A rectangle of owned cells and all that it takes to compute it alone: what the calls of a stage
   hand to each other lies in row buffers of its own, so tiles may be computed in any order. */
typedef struct {
  int i0, i1, j0, j1;
  bool west, east, south, north; /* walls that it touches */
  int rows_at_once;              /* rows at a time */
  void *memory;
  size_t bytes;         /* of memory */
  double *const **rows; /* by value; NULL: the rows of a state */
  double *segments;     /* results on their way past the cache, see HG_SEGMENT */
  const double *zeros;  /* zeros[i] = 0, i in [i0 - margin, i1 + margin) */
  void *work;           /* by call: what sweep.c makes of it */
  HgBreach breach;
} HgTile;

/* Rows and columns [i0, i1) x [j0, j1). */
typedef struct {
  int i0, i1, j0, j1;
} HgSpan;

/* A tile with so many layers more outside its walls, and on its other sides. */
static inline HgSpan HgTileSpan(const HgTile *r, int walls, int seams) {
  return (HgSpan){r->i0 - (r->west ? walls : seams), r->i1 + (r->east ? walls : seams),
                  r->j0 - (r->south ? walls : seams), r->j1 + (r->north ? walls : seams)};
}

typedef struct {
  bool made, failed; /* failed: there was no memory */
  size_t bytes;
  int tiles;
  HgTile *tile;
} HgTiling;

typedef enum { HG_TILING_WHOLE, HG_TILING_INNER, HG_TILING_FRAME, HG_TILINGS } HgTilingKind;

/* Consecutive calls between two exchanges. */
typedef struct {
  int first, last; /* calls [first, last) */
  int needs;
  HgNeed *need;
  int depth; /* the deepest need */
  int incomings;
  HgIncoming *incoming;
  int plans, plan_room;
  HgPlan *plan;
  HgTiling tiling[HG_TILINGS];
  HgTuning fetching; /* are rows of states fetched ahead? */
} HgStage;

/* Where a value's numbers lie during a pass. */
typedef struct {
  bool buffered; /* in row buffers of each tile; else in a state */
  bool filled; /* ghosts outside walls are filled, or added to the cells inside, as rows come by */
  int span;    /* rows that a row buffer has beside those of a block */
  int first_out, last_out; /* calls; -1: none */
  int layers;              /* outside walls on which calls add to it */
  int last_use;
} HgValue;

/* All calls of a step in one mode: apply; tangents and applies; what the adjoints need, then
   they. */
typedef struct {
  int calls, stages;
  HgCall *call;
  HgStage *stage;
  HgValue *value;
} HgPass;

/* Where the versions of a step live, in one mode. */
typedef struct {
  HgState start, end, constants;
} HgPlaces;

struct HgProgram_s {
  HgMesh mesh;
  const HgPhysics *physics; /* NULL: of none; else its variables come first, in its order */
  void *physics_params;     /* a copy of them */
  char name[HG_NAME_LENGTH];
  double dt;
  int ghost; /* ghosts of its states at least; 0: not known yet */
  bool ready;
  bool inner;                  /* it is part of another program, whose ghosts it has */
  bool states_given;           /* it is reversed with the states between its steps given */
  bool hides_messages;         /* compute the interior while messages fly */
  bool large;                  /* a step touches more memory than the last-level cache holds */
  bool limited;                /* has a variable a limit? */
  HgBreach breach;             /* the first one on this rank */
  bool fuse;                   /* several calls between two exchanges, if ghosts are wide enough */
  int tile_rows, tile_columns; /* rows and columns of a tile; 0: chosen by the size of the cache */
  int threads;
  HgCaches caches;
  HgStream stream; /* do results bypass the cache? */
  int terms, variables, versions;
  HgTerm *term;
  HgProgramVariable *variable;
  HgVersion *version;
  /* versions that neither the caller's states nor row buffers hold; NULL: none so far */
  HgState work[HG_MODES];
  HgPass pass[HG_MODES];
  /* time block[n]: n steps as one; NULL: not wanted yet */
  HgProgram block[HG_TIME_BLOCK_MOST + 1];
  int block_steps;  /* n at most, as the ghosts allow; 0: steps are made one by one */
  int block_most;   /* n at most */
  int back_most;    /* likewise, reversed from the first state alone */
  bool block_given; /* do these two come from -hg_time_block? */
  HgReverse reverse;
  /* back[stored][n]: n steps reversed as one, from the states before each of them or from the first
     alone; NULL: not wanted yet */
  HgProgram back[2][HG_TIME_BLOCK_MOST + 1];
  int back_steps[2];   /* n at most; 0: not looked for yet */
  double back_cost[2]; /* of a step (cost.c) */
  bool back_reads;     /* does the first alone matter, or not even that? */
  int fills;
  HgPlan *fill; /* one-field exchanges of HgProgramFillGhosts; mask: depth, layers outside walls */
  long exchanges, messages;
  double bytes;
};

static inline int HgValueOf(HgProgram p, HgMode mode, int version) {
  return (int)mode * p->versions + version;
}

static inline HgMode HgValueMode(HgProgram p, int value) { return (HgMode)(value / p->versions); }

static inline HgVersion *HgValueVersion(HgProgram p, int value) {
  return &p->version[value % p->versions];
}

static inline HgProgramVariable *HgValueVariable(HgProgram p, int value) {
  return &p->variable[HgValueVersion(p, value)->variable];
}

/* Where the values of a pass live that are in states: one set of places for each mode. */
typedef struct {
  HgPlaces of[HG_MODES];
  const HgState *saved; /* the states between several steps; NULL: they are not wanted */
  HgSaving saving;      /* which variables of them */
} HgBinding;

/* Is the value the value of a variable between several steps, in a state of the caller's? */
bool HgValueSaved(HgProgram p, const HgBinding *binding, int value);
HgState HgValueState(HgProgram p, const HgBinding *binding, int value);
int HgValueIndex(HgProgram p, const HgBinding *binding, int value); /* in that state */
double *const *HgValueRows(HgProgram p, const HgBinding *binding,
                           int value); /* NULL if it has no state */

/* ---- operator_term.c: operators between states ---- */
PetscErrorCode HgOperatorTermDestroy(HgOperatorTerm *part);
PetscErrorCode HgOperatorTermRun(HgProgram program, const HgCall *call, const HgBinding *binding);

/* ---- run.c ---- */

/* The whole patch at the start of step `step`. */
HgBox HgPatchBox(HgProgram program, long step);
PetscErrorCode HgPassRun(HgProgram program, HgMode mode, long step, const HgBinding *binding);

/* ---- plan.c: which calls, cut into stages ---- */

/* The deepest exchange that mesh and patches allow. */
int HgProgramWidestHalo(HgProgram program);
PetscErrorCode HgPassPlan(HgProgram program, HgMode mode);
PetscErrorCode HgPassDestroy(HgProgram program, HgMode mode);

/* Rows and columns [i0, i1) x [j0, j1) of a value on its closed faces become 0. */
static inline void HgValueMask(HgProgram p, int value, HgSpan s, double *const *rows) {
  HgClosedFacesMask(HgValueVariable(p, value)->closed, s.i0, s.i1, s.j0, s.j1, rows);
}

/* ---- ghosts.c ---- */

/* Has a state as many ghosts as the program needs? NULL has. Collective. */
PetscErrorCode HgProgramRequireGhosts(HgProgram program, HgState state);

/* Layers of a variable's ghosts outside frozen walls that ranks get from the patch beside them. */
int HgFrozenLayers(HgProgram program, const HgProgramVariable *v, HgMode mode);

/* Ghosts outside walls, `layers` deep and `along` beyond seams, of rows in a mode: filled; a
   cotangent's stay. */
void HgVariableBoundary(HgProgram program, const HgProgramVariable *v, HgMode mode, int layers,
                        int along, double *const *rows);

/* Variable `index` of a state is 0 on the closed faces of variable v, in ghosts too. */
void HgProgramMask(HgProgram program, const HgProgramVariable *v, HgState state, int index);

/* Which needs of a stage lack valid ghosts; bit k is need k. */
uint64_t HgStageLacking(HgProgram program, const HgStage *stage, const HgBinding *binding);

/* The exchange for them, and their rows in its order. */
PetscErrorCode HgStagePlan(HgProgram program, HgStage *stage, const HgBinding *binding,
                           uint64_t mask, HgPlan **plan, double *const *fields[]);

/* What walls hold, for those needs. */
void HgStageBoundaries(HgProgram program, const HgStage *stage, const HgBinding *binding,
                       uint64_t mask);
void HgStageFilled(HgProgram program, const HgStage *stage, const HgBinding *binding,
                   uint64_t mask);

/* Exchange, walls and all, of what `mask` says is lacking. */
PetscErrorCode HgStageFill(HgProgram program, HgStage *stage, const HgBinding *binding,
                           uint64_t mask);
void HgProgramCount(HgProgram program, const HgPlan *plan);

/* ---- row_buffers.c: what calls hand on within a tile ---- */

/* Cells around a tile that a row has room for, as the fields of a state do. */
int HgRowBuffersMargin(HgProgram program);

/* Rows of memory that all row buffers of an inland tile of ny rows need together. */
PetscErrorCode HgRowBuffersRows(HgProgram program, HgMode mode, const HgStage *stage, int ny,
                                int rows_at_once, int *rows);

/* The memory of a tile of that tiling, whose failure is noted in `tiling`. */
PetscErrorCode HgRowBuffersCreate(HgProgram program, HgMode mode, const HgStage *stage,
                                  HgTiling *tiling, HgTile *tile);

/* ---- tile.c: what the engine cuts ---- */

/* Does what the calls of a stage hand to each other about fit into the cache, in tiles so wide? The same
   on all ranks only if their patches and caches are. */
PetscErrorCode HgStageFits(HgProgram program, HgMode mode, const HgStage *stage, int columns,
                           bool *fits);
PetscErrorCode HgStageTile(HgProgram program, HgMode mode, HgStage *stage, HgTilingKind kind);

/* How a whole patch is cut: so many tiles of at most `columns`, computed so many rows at a time,
   with so many bytes of rows that the calls of a tile hand on. */
typedef struct {
  int tiles, columns, rows_at_once;
  size_t bytes;
} HgTileShape;

PetscErrorCode HgStageShape(HgProgram program, HgMode mode, const HgStage *stage,
                            HgTileShape *shape);
void HgTilingFree(HgTiling *tiling);

/* ---- cost.c ---- */
double HgStageCost(HgProgram program, HgMode mode, const HgStage *stage);

/* ---- limits.c ---- */

/* *first becomes `one` if that comes before it. */
void HgBreachNote(const HgBreach *one, HgBreach *first);

/* Notes the first number of a box of rows that does not keep the limit of variable `v`. */
void HgRowsLook(const HgBox *box, const HgProgramVariable *v, int variable, long step,
                double *const *rows, HgBreach *first);

/* ---- prefetch.c ---- */

/* What the next block of rows of a tile will read of states comes into the second-level cache while
   this one is computed; or not, where the machine does better by itself. */
typedef struct {
  const HgTile *tile;
  int incomings, lines; /* cache lines of a row */
  long done;            /* of this block */

  struct {
    double *const *rows;
    int skew;
  } incoming[64];
} HgPrefetch;

enum { HG_FETCHING_TURN = 2 }; /* streams take turns of 1 */

void HgPrefetchStart(HgProgram program, const HgStage *stage, const HgTile *tile,
                     const HgBinding *binding, HgPrefetch *prefetch);

/* Once `part` of `parts` of the block that begins at row `base` have been computed. */
void HgPrefetchRows(HgPrefetch *prefetch, int base, int part, int parts);

/* ---- sweep.c: a tile, row block by row block ---- */
size_t HgSweepBytes(const HgStage *stage); /* of HgTile.work */

/* Do the call's results go past the cache in this run? */
bool HgCallStreams(HgProgram program, const HgCall *call);
void HgTileSweep(HgProgram program, HgMode mode, const HgStage *stage, HgTile *tile,
                 const HgBinding *binding, const HgBox *patch, bool timed);

/* to[i] = from[i], i in [i0, i1), past the cache; `to` is 64-byte aligned at i = 0. HgStreamFence()
   orders it before later stores. */
void HgStreamRow(int i0, int i1, const double *from, double *to);
void HgStreamFence(void);

#endif
