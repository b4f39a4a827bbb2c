/* fake_model.h -- obeys a schedule with state numbers instead of states, and refuses every
   action that a real model could not obey. */
#ifndef FAKE_MODEL_H
#define FAKE_MODEL_H
#include <halograd/schedule.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  long steps, live, bar, advances,
      stores; /* live: index of the live state; bar: of the cotangent; -1: none */
  int slots, slots_used;
  long *slot; /* what each holds, -1: nothing */
  bool done;
  char why[160]; /* of the refusal */
} FakeModel;

static inline FakeModel fake_model_new(long steps, int slots) {
  FakeModel m = {
      .steps = steps, .bar = steps, .slots = slots, .slot = malloc((size_t)slots * sizeof(long))};
  for (int k = 0; k < slots; k++) m.slot[k] = -1;
  return m;
}

static inline void fake_model_free(FakeModel *m) { free(m->slot); }

#define FAKE_MODEL_NEEDS(condition, ...)                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      snprintf(m->why, sizeof m->why, __VA_ARGS__);                                                \
      return false;                                                                                \
    }                                                                                              \
  } while (0)

/* Obeys, or says why not. */
static inline bool fake_model_obey(FakeModel *m, HgAction a) {
  const char *name = HgActionName(a.kind);
  FAKE_MODEL_NEEDS(!m->done || a.kind == HG_ACTION_DONE, "%s after done", name);
  switch (a.kind) {
  case HG_ACTION_STORE:
    FAKE_MODEL_NEEDS(a.from == m->live, "store %ld, but %ld is live", a.from, m->live);
    FAKE_MODEL_NEEDS(a.slot >= 0 && a.slot < m->slots, "store in slot %d of %d", a.slot, m->slots);
    m->slot[a.slot] = m->live;
    m->stores++;
    if (m->slots_used <= a.slot) m->slots_used = a.slot + 1;
    return true;
  case HG_ACTION_ADVANCE:
    FAKE_MODEL_NEEDS(a.slot == -1, "advance has slot %d", a.slot);
    FAKE_MODEL_NEEDS(a.from == m->live, "advance from %ld, but %ld is live", a.from, m->live);
    FAKE_MODEL_NEEDS(a.from < a.to, "advance from %ld to %ld", a.from, a.to);
    FAKE_MODEL_NEEDS(a.to < m->bar, "advance to %ld, but step %ld is to be reversed", a.to,
                     m->bar - 1);
    m->advances += a.to - a.from;
    m->live = a.to;
    return true;
  case HG_ACTION_RESTORE:
    FAKE_MODEL_NEEDS(a.slot >= 0 && a.slot < m->slots, "restore slot %d of %d", a.slot, m->slots);
    FAKE_MODEL_NEEDS(m->slot[a.slot] == a.from, "restore %ld from slot %d, which holds %ld", a.from,
                     a.slot, m->slot[a.slot]);
    FAKE_MODEL_NEEDS(a.from < m->bar, "restore %ld, which nobody needs any more", a.from);
    m->live = a.from;
    return true;
  case HG_ACTION_REVERSE:
    FAKE_MODEL_NEEDS(a.slot == -1, "reverse has slot %d", a.slot);
    FAKE_MODEL_NEEDS(a.to == a.from + 1, "reverse %ld -> %ld", a.from, a.to);
    FAKE_MODEL_NEEDS(a.from == m->live, "reverse %ld, but %ld is live", a.from, m->live);
    FAKE_MODEL_NEEDS(a.to == m->bar, "reverse to %ld, but the cotangent is that of %ld", a.to,
                     m->bar);
    m->bar = a.from;
    m->live = -1;
    return true;
  case HG_ACTION_DONE:
    FAKE_MODEL_NEEDS(m->bar == 0, "done, but %ld steps are to be reversed", m->bar);
    m->done = true;
    return true;
  }
  FAKE_MODEL_NEEDS(false, "unknown action %d", (int)a.kind);
}

#endif
