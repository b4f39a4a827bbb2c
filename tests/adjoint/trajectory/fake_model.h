/* SPDX-License-Identifier: BSD-2-Clause */
/* fake_model.h -- obeys a schedule with state numbers instead of states, and refuses every
   action that a real model could not obey. */
#ifndef FAKE_MODEL_H
#define FAKE_MODEL_H
#include <halograd/schedule_library.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
  long steps, live, bar, advances,
      stores; /* live: index of the live state; bar: of the cotangent; -1: none */
  int slots, slots_used;
  long *slot; /* what each holds, -1: nothing */
  int files;  /* slots below are files */
  long reverses, writes[HG_TIERS], reads[HG_TIERS];
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

static inline int fake_model_tier(const FakeModel *m, int slot) {
  return slot < m->files ? HG_FILE_TIER : HG_MEMORY_TIER;
}

static inline const char *fake_model_name(HgActionKind kind) {
  static const char *const names[] = {"advance", "restore", "reverse", "done"};
  return names[kind];
}

#define FAKE_MODEL_NEEDS(condition, ...)                                                           \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      snprintf(m->why, sizeof m->why, __VA_ARGS__);                                                \
      return false;                                                                                \
    }                                                                                              \
  } while (0)

/* ---- unit actions, into which ranges expand ---- */

static inline bool fake_model_store(FakeModel *m, int slot) {
  FAKE_MODEL_NEEDS(slot >= 0 && slot < m->slots, "store in slot %d of %d", slot, m->slots);
  m->slot[slot] = m->live;
  m->stores++;
  m->writes[fake_model_tier(m, slot)]++;
  if (m->slots_used <= slot) m->slots_used = slot + 1;
  return true;
}

static inline bool fake_model_restore(FakeModel *m, int slot, long n) {
  FAKE_MODEL_NEEDS(slot >= 0 && slot < m->slots, "restore slot %d of %d", slot, m->slots);
  FAKE_MODEL_NEEDS(m->slot[slot] == n, "restore %ld from slot %d, which holds %ld", n, slot,
                   m->slot[slot]);
  FAKE_MODEL_NEEDS(n < m->bar, "restore %ld, which nobody needs any more", n);
  m->live = n;
  m->reads[fake_model_tier(m, slot)]++;
  return true;
}

static inline bool fake_model_reverse(FakeModel *m, long n) {
  FAKE_MODEL_NEEDS(n == m->live, "reverse %ld, but %ld is live", n, m->live);
  FAKE_MODEL_NEEDS(n + 1 == m->bar, "reverse to %ld, but the cotangent is that of %ld", n + 1,
                   m->bar);
  m->bar = n;
  m->live = -1;
  m->reverses++;
  return true;
}

/* ---- ranges ---- */

static inline bool fake_model_advance(FakeModel *m, HgAction a) {
  const bool all = a.saving == HG_SAVING_ALL;
  FAKE_MODEL_NEEDS(a.from == m->live, "advance from %ld, but %ld is live", a.from, m->live);
  FAKE_MODEL_NEEDS(a.from < a.to, "advance from %ld to %ld", a.from, a.to);
  const bool to_end = all && m->slots >= m->steps; /* store-all */
  FAKE_MODEL_NEEDS(a.to < m->bar + to_end, "advance to %ld, but step %ld is to be reversed", a.to,
                   m->bar - 1);
  FAKE_MODEL_NEEDS(a.saving != HG_SAVING_NONE || a.slot == -1, "advance has slot %d", a.slot);
  if (a.saving == HG_SAVING_START && !fake_model_store(m, a.slot)) return false;
  for (long n = a.from; all && n < a.to; n++) {
    m->live = n;
    if (!fake_model_store(m, a.slot + (int)(n - a.from))) return false;
  }
  m->advances += a.to - a.from - (a.to == m->bar); /* the last step of all is not counted */
  m->live = a.to;
  return true;
}

static inline bool fake_model_reverse_range(FakeModel *m, HgAction a) {
  FAKE_MODEL_NEEDS(a.from < a.to && (a.slot >= 0 || a.to == a.from + 1), "reverse %ld -> %ld",
                   a.from, a.to);
  for (long n = a.to - 1; n >= a.from; n--) {
    if (n != m->live && !fake_model_restore(m, a.slot + (int)(n - a.from), n)) return false;
    if (!fake_model_reverse(m, n)) return false;
  }
  return true;
}

/* Obeys, or says why not. */
static inline bool fake_model_obey(FakeModel *m, HgAction a) {
  FAKE_MODEL_NEEDS(!m->done || a.kind == HG_ACTION_DONE, "%s after done", fake_model_name(a.kind));
  switch (a.kind) {
  case HG_ACTION_ADVANCE: return fake_model_advance(m, a);
  case HG_ACTION_RESTORE: return fake_model_restore(m, a.slot, a.from);
  case HG_ACTION_REVERSE: return fake_model_reverse_range(m, a);
  case HG_ACTION_DONE:
    FAKE_MODEL_NEEDS(m->bar == 0, "done, but %ld steps are to be reversed", m->bar);
    m->done = true;
    return true;
  }
  FAKE_MODEL_NEEDS(false, "unknown action %d", (int)a.kind);
}

#endif
