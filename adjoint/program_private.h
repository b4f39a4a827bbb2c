/* The inside of a program, for adjoint/program*.c only. */
#ifndef HALOGRAD_PROGRAM_PRIVATE_H
#define HALOGRAD_PROGRAM_PRIVATE_H
#include <halograd/exchange.h>
#include <halograd/program.h>
enum { HG_MAX_READS = 16, HG_NAME_LENGTH = 32, HG_SEGMENT = 2048 };
typedef enum { HG_CARRIED, HG_CONSTANT, HG_WORK } HgRole;
typedef struct {
  char name[HG_NAME_LENGTH], unit[HG_NAME_LENGTH];
  HgRole role;
  HgBoundary boundary;
  bool active;     /* constants: is the cotangent wanted? */
  int index;       /* in the carried or constants state */
  int depth;       /* deepest ghosts any kernel reads, forward or reverse */
  int first, last; /* versions */
} HgProgramVariable;
/* One value of a variable during a step; its writer is a term, or the caller (-1). */
typedef struct {
  int variable, writer;
  enum { HG_AT_START, HG_AT_END, HG_AT_CONSTANTS, HG_AT_WORK } place;
  int index;       /* in the state of that place */
  int depth;       /* ghosts its readers need, forward */
  int last_reader; /* term, -1: none */
} HgVersion;
/* An exchange made once and used whenever exactly these candidates lack valid ghosts. */
typedef struct {
  HgForm form;
  unsigned mask;
  HgExchange exchange;
  int messages;
  size_t bytes;
} HgPlan;
typedef enum { HG_STREAM_NEVER, HG_STREAM_ALWAYS, HG_STREAM_TUNED } HgStream;
/* How long a term's runs took through the cache [0] and past it [1]. */
enum { HG_TUNING_RUNS = 8 };
typedef struct {
  int runs;
  double last, best[2]; /* [s] */
} HgTuning;
typedef struct {
  const HgStencil *stencil;
  const void *params;
  int reads, writes, radius;                   /* radius: the largest among the reads */
  int read[HG_MAX_READS], write[HG_MAX_READS]; /* versions */
  int plans, plan_room;
  HgPlan *plan;
  PetscLogEvent event[HG_FORMS];
  HgTuning tuning[HG_FORMS];
} HgTerm;
/* Where the versions of a step live, in one form. */
typedef struct {
  HgState start, end, constants, work;
} HgPlaces;
struct HgProgram_s {
  HgMesh mesh;
  char name[HG_NAME_LENGTH];
  double dt;
  bool ready;
  bool overlap;    /* compute the interior while messages fly */
  HgStream stream; /* do results bypass the cache? */
  int terms, variables, versions;
  HgTerm *term;
  HgProgramVariable *variable;
  HgVersion *version;
  /* versions that neither the caller's states nor the constants hold; NULL if there are none */
  HgState work[HG_FORMS];
  HgPlan *fill; /* one-field exchanges of HgProgramFillGhosts, by depth - 1 */
  /* results on their way past the cache: HG_SEGMENT + 8 numbers for each output of a term */
  double *segments;
  long exchanges, messages;
  double bytes;
};
/* Fresh zero state of all variables of one or two roles, carried first. */
PetscErrorCode HgProgramCreateState(HgProgram program, bool carried, bool constants,
                                    HgState *state);
/* to[i] = from[i], i in [i0, i1), past the cache; both rows are 64-byte aligned at i = 0.
   HgStreamFence() orders it before later stores. */
void HgStreamRow(int i0, int i1, const double *from, double *to);
void HgStreamFence(void);
#endif
