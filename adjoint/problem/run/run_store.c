/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/file_library.h>
#include <halograd/options_library.h>
#include <halograd/program_library.h>
#include <halograd/run_library.h>
#include <halograd/state_library.h>
#include <halograd/store_library.h>
#include <math.h>

enum { MOST_SLOTS = 1000000 };

struct HgRunStore_s {
  HgState pattern; /* of its slots */
  HgStore store;
  HgRunStore before;
};

PetscErrorCode HgRunStoreDeclare(HgOptions o, HgCommon *c) {
  static const char *const stores[] = {"memory", "hdf5"};
  PetscCall(HgOptionsGroup(o, "Checkpoints"));
  PetscCall(HgOptionsInt(o, "-slots", "checkpoints: states kept for the reverse sweep", "", 1,
                         MOST_SLOTS, &c->slots));
  c->store = c->in_files;
  PetscCall(HgOptionsChoice(o, "-store", "where checkpoints are kept", 2, stores, &c->store));
  static const char *const storages[] = {"exact", "single"};
  PetscCall(HgOptionsChoice(o, "-checkpoint_storage", "precision of checkpoints in memory", 2,
                            storages, &c->rounded));
  PetscCall(HgOptionsInt(o, "-memory_slots", "with -store hdf5, checkpoints that stay in memory",
                         "", 0, MOST_SLOTS, &c->in_memory));
  PetscCall(HgOptionsBytes(o, "-checkpoint_memory",
                           "instead of -slots, memory for checkpoints of all ranks together", 0,
                           1L << 60, &c->memory_budget));
  return HgOptionsBytes(o, "-checkpoint_disk",
                        "with -checkpoint_memory, disk for further checkpoints, below -output", 0,
                        1L << 60, &c->disk_budget);
}

PetscErrorCode HgRunStoreCheck(HgOptions o, HgCommon *c) {
  static const char *const counted[] = {"-slots", "-store", "-memory_slots"};
  const MPI_Comm comm = PETSC_COMM_WORLD;
  const bool memory = HgOptionsGiven(o, "-checkpoint_memory"),
             disk = HgOptionsGiven(o, "-checkpoint_disk");
  c->in_files = c->store == 1;
  c->budgets = memory || disk;
  for (int k = 0; k < 3; k++)
    HgRequire(comm, !c->budgets || !HgOptionsGiven(o, counted[k]), HG_ERR_OPTION_CONFLICT,
              "option %s: given with %s, expected either slots or bytes", counted[k],
              memory ? "-checkpoint_memory" : "-checkpoint_disk");
  HgRequire(comm, c->in_files || !HgOptionsGiven(o, "-memory_slots"), HG_ERR_OPTION_CONFLICT,
            "option -memory_slots: given with -store memory, expected -store hdf5");
  HgRequire(comm, !c->rounded || (!c->in_files && !disk), HG_ERR_OPTION_CONFLICT,
            "option -checkpoint_storage single: given with states in files, expected all in memory "
            "(-slots, or -checkpoint_memory)");
  HgRequire(
      comm, !c->rounded || (!c->check && !c->doctor), HG_ERR_OPTION_CONFLICT,
      "option -checkpoint_storage single: given with %s, whose bounds are those of exact states",
      c->check ? "-check" : "-doctor");
  HgRequire(
      comm, !c->rounded || sizeof(HgReal) == sizeof(double), HG_ERR_OPTION_CONFLICT,
      "option -checkpoint_storage single: given to a program whose states are floats already, "
      "expected exact");
  HgRequire(comm, c->in_memory <= c->slots, HG_ERR_OPTION_RANGE,
            "option -memory_slots: %d of %d slots, expected at most all of them (-slots)",
            c->in_memory, c->slots);
  return 0;
}

/* How many states fit into the budgets of memory and files, at most `most`. If slots are floats,
   `whole` more states need memory. */
static PetscErrorCode count_states(MPI_Comm comm, HgState q, const HgCommon *c, long most,
                                   int whole, int *memory, int *files) {
  double state = (double)HgStateBytes(q);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &state, 1, MPI_DOUBLE, MPI_SUM, comm));
  const double held = (double)c->memory_budget / state;
  *memory = (int)PetscMin((double)most, c->rounded ? PetscMax(0, 2 * (held - whole)) : held);
  *files = (int)PetscMin((double)(most - *memory), (double)c->disk_budget / state);
  HgRequire(
      comm, *memory + *files >= 1, HG_ERR_OPTION_RANGE,
      "options -checkpoint_memory %ld -checkpoint_disk %ld: expected at least %.0f bytes, one "
      "state of all ranks",
      c->memory_budget, c->disk_budget, state);
  return 0;
}

/* The largest number of states of a program that are in use at the same time. */
static PetscErrorCode count_at_once(HgProgram program, long steps, int *count) {
  HgReversal way;
  PetscCall(HgProgramReversal(program, true, &way));
  *count = 1 + (int)PetscMax(HgProgramStride(program, steps), way.stored ? way.steps : 1);
  return 0;
}

/* What `c` asks for. */
static PetscErrorCode count_slots(MPI_Comm comm, HgState q, const HgCommon *c, int whole,
                                  int *memory, int *files) {
  *memory = (int)PetscMin((long)c->slots, c->steps), *files = 0;
  if (c->budgets)
    return count_states(comm, q, c, PetscMin(c->steps, MOST_SLOTS), whole, memory, files);
  if (c->in_files) *files = PetscMax(0, *memory - c->in_memory);
  *memory -= *files;
  return 0;
}

/* A file is larger than its state, and its image passes through memory. So creates fewer slots of
   both kinds, as the budgets require; fewer in memory only if there are any. */
static PetscErrorCode create_within(MPI_Comm comm, HgState q, const HgCommon *c, int memory,
                                    int files, HgStore *store) {
  PetscCall(HgStoreCreate(q, memory, files, c->output, store));
  if (!c->budgets || !files) return 0;
  size_t used, in_files;
  HgStoreBytes(*store, &used, &in_files);
  double bytes[3] = {(double)used, (double)in_files, (double)HgStateBytes(q)};
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bytes, 3, MPI_DOUBLE, MPI_SUM, comm));
  const double over = ceil((bytes[0] - (double)c->memory_budget) / bytes[2]),
               held = floor((double)c->disk_budget * files / bytes[1]);
  if (over <= 0 && held >= files) return 0;
  PetscCall(HgStoreDestroy(store));
  const double file = bytes[1] / files;
  if (over > 0) memory = (int)PetscMax(0.0, memory - over);
  files = (int)PetscMin((double)files, held);
  HgRequire(comm, memory + files >= 1, HG_ERR_OPTION_RANGE,
            "options -checkpoint_memory %ld -checkpoint_disk %ld: expected at least %.0f bytes on "
            "disk, one file of each rank",
            c->memory_budget, c->disk_budget, file);
  return HgStoreCreate(q, memory, files, c->output, store);
}

/* Whether it fits q and has enough slots. */
static bool serves(HgRunStore s, HgState q, int memory, int files) {
  const int in_files = HgStoreFiles(s->store);
  return HgStateSame(s->pattern, q) && in_files >= files &&
         HgStoreSlots(s->store) - in_files >= memory;
}

PetscErrorCode HgRunStoreOf(HgRunStore *stores, MPI_Comm comm, HgProgram program, const HgCommon *c,
                            HgStore *store) {
  HgState q;
  HgRunStore s = *stores;
  int memory, files, at_once = 0;
  PetscCall(HgProgramCreateCarried(program, &q));
  if (c->rounded) PetscCall(count_at_once(program, c->steps, &at_once));
  PetscCall(count_slots(comm, q, c, at_once, &memory, &files));
  while (s && !serves(s, q, memory, files)) s = s->before;
  if (s) {
    *store = s->store;
    return HgStateDestroy(&q);
  }
  PetscCall(PetscNew(&s));
  *s = (struct HgRunStore_s){.pattern = q, .before = *stores};
  *stores = s;
  if (files) PetscCall(HgDirectoryCreate(comm, c->output));
  if (c->rounded) PetscCall(HgStoreCreateRounded(q, memory, at_once, &s->store));
  else PetscCall(create_within(comm, q, c, memory, files, &s->store));
  *store = s->store;
  return 0;
}

PetscErrorCode HgRunStoresDestroy(HgRunStore *stores) {
  for (HgRunStore s = *stores, before; s; s = before) {
    before = s->before;
    PetscCall(HgStoreDestroy(&s->store));
    PetscCall(HgStateDestroy(&s->pattern));
    PetscCall(PetscFree(s));
  }
  *stores = NULL;
  return 0;
}
