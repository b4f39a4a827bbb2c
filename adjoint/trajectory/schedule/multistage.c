/* SPDX-License-Identifier: BSD-2-Clause */
/* H-Revolve for two tiers: tables of the recurrence, and an iterator that follows their splits with
   a stack of what is left to be reversed. See multistage_private.h. */
#include "multistage_private.h"
#include <halograd/memory_library.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define FOREVER ((int64_t)1 << 60) /* [ns] */

typedef int64_t Time;

/* Steps from .. to - 1 are to be reversed with m slots of a tier. */
typedef struct {
  int tier, m;
  bool kept; /* q_from is in the first of them */
  long from, to;
} Range;

struct HgMultistage_s {
  long steps;
  int files;           /* slots of the store below those of memory */
  int slots[HG_TIERS]; /* that are of use */
  /* [m][n] of P_k(m, n): i; 0: by the tier below; -i: likewise, but for O_k by that tier */
  int32_t *split[HG_TIERS];
  Range live; /* what begins with the live state; to = from: none does */
  int ranges;
  Range *range; /* a stack: what begins with states that are kept */
};

static int32_t *splits(HgMultistage s, int tier, int m) {
  return s->split[tier] + (size_t)m * (size_t)(s->steps + 1);
}

/* ---- the tables ---- */

/* The rows of one tier while they are computed: P(m, .), O(m - 1, .) backwards, and the cost of
   each i. */
typedef struct {
  Time *kept, *live, *backwards, *cost;
  const Time *below; /* O of the tier below; NULL: there is none */
} Rows;

/* min over 0 < i < n of cost[i] + backwards[i], and the first i that has it. */
static Time least(long n, const Time cost[], const Time backwards[], int32_t *at) {
  Time least = 2 * FOREVER;
  for (long i = 1; i < n; i++) {
    const Time c = cost[i] + backwards[i];
    least = c < least ? c : least;
  }
  long i = 1;
  while (i < n && cost[i] + backwards[i] != least) i++;
  *at = (int32_t)i;
  return least;
}

/* P(m, .) and O(m, .) from O(m - 1, .), which `live` holds before. */
static void fill_row(HgMultistage s, int tier, int m, const HgScheduleCosts *c, Rows *r) {
  const long steps = s->steps;
  int32_t *const split = splits(s, tier, m);
  for (long n = 1; n <= steps; n++) r->backwards[steps - n] = r->live[n];
  r->kept[1] = r->live[1] = c->reverse, split[1] = 0;
  r->cost[1] = c->advance + c->read[tier] + r->kept[1];
  for (long n = 2; n <= steps; n++) {
    const Time below = r->below ? r->below[n] : FOREVER;
    int32_t i;
    const Time best = least(n, r->cost, r->backwards + (steps - n), &i);
    const bool here = best < below;
    r->kept[n] = here ? best : below;
    r->cost[n] = n * c->advance + c->read[tier] + r->kept[n];
    const bool write = here && c->write[tier] + best < below;
    r->live[n] = write ? c->write[tier] + best : below;
    split[n] = write ? i : here ? -i : 0;
  }
}

static void fill_tier(HgMultistage s, int tier, const HgScheduleCosts *c, Rows *r) {
  r->live[1] = c->reverse;
  for (long n = 2; n <= s->steps; n++) r->live[n] = r->below ? r->below[n] : FOREVER;
  for (int m = 1; m <= s->slots[tier]; m++) fill_row(s, tier, m, c, r);
}

static bool fill(HgMultistage s, const HgScheduleCosts *costs) {
  const size_t row = (size_t)s->steps + 1;
  Time *const rows = HgAllocate(5 * row, sizeof *rows);
  if (!rows) return false;
  Rows memory = {rows, rows + row, rows + 2 * row, rows + 3 * row, NULL};
  Rows files = {rows, rows + 4 * row, rows + 2 * row, rows + 3 * row, memory.live};
  fill_tier(s, HG_MEMORY_TIER, costs, &memory);
  fill_tier(s, HG_FILE_TIER, costs, &files);
  const Time time = files.live[s->steps];
  free(rows);
  return time < FOREVER;
}

static bool good_costs(long steps, const HgScheduleCosts *c) {
  const long all[] = {c->advance, c->reverse, c->write[0], c->write[1], c->read[0], c->read[1]};
  for (int k = 0; k < 6; k++)
    if (all[k] < 0 || all[k] > FOREVER / 4 / steps) return false;
  return true;
}

HgMultistage HgMultistageCreate(long steps, int files, int memory, const HgScheduleCosts *costs) {
  const long most = steps > 1 ? steps - 1 : 1; /* q_(N-1) is never kept */
  const int slots[HG_TIERS] = {(int)(memory < most ? memory : most),
                               (int)(files < most ? files : most)};
  const long together = (long)slots[0] + slots[1];
  if (steps >= INT32_MAX || together > HG_MULTISTAGE_TRIALS / steps / (steps / 2 + 1)) return NULL;
  HgMultistage s = HgAllocate(1, sizeof *s);
  bool ok = s && good_costs(steps, costs);
  if (ok) s->steps = steps, s->files = files, s->slots[0] = slots[0], s->slots[1] = slots[1];
  for (int k = 0; ok && k < HG_TIERS; k++) {
    s->split[k] = HgAllocate(((size_t)slots[k] + 1) * ((size_t)steps + 1), sizeof(int32_t));
    ok = s->split[k] != NULL;
  }
  if (ok) s->range = HgAllocate((size_t)together + 1, sizeof *s->range);
  ok = ok && s->range && fill(s, costs);
  if (!ok) HgMultistageDestroy(&s);
  else HgMultistageWindow(s, 0, steps);
  return s;
}

void HgMultistageDestroy(HgMultistage *multistage) {
  HgMultistage s = *multistage;
  *multistage = NULL;
  if (!s) return;
  for (int k = 0; k < HG_TIERS; k++) free(s->split[k]);
  free(s->range);
  free(s);
}

/* ---- the iterator ---- */

void HgMultistageWindow(HgMultistage s, long from, long to) {
  s->ranges = 0;
  s->live = (Range){HG_FILE_TIER, s->slots[HG_FILE_TIER], false, from, to};
}

/* The slot of the first state of a range. */
static int slot_of(HgMultistage s, const Range *r) {
  return s->slots[r->tier] - r->m + (r->tier == HG_MEMORY_TIER ? s->files : 0);
}

/* The step at which the live range is split. Descends to the tier that splits it. */
static long choose(HgMultistage s) {
  Range *const r = &s->live;
  while (true) {
    const int32_t i = r->m ? splits(s, r->tier, r->m)[r->to - r->from] : 0;
    if (i > 0) return i;
    if (i < 0 && r->kept) return -(long)i;
    r->tier--, r->m = s->slots[r->tier], r->kept = false;
  }
}

HgAction HgMultistageNext(HgMultistage s) {
  Range *const r = &s->live;
  if (r->from == r->to) { /* nothing is live */
    if (!s->ranges) return (HgAction){.kind = HG_ACTION_DONE, .slot = -1};
    *r = s->range[--s->ranges];
    return (HgAction){HG_ACTION_RESTORE, r->from, r->from, HG_SAVING_NONE, slot_of(s, r)};
  }
  if (r->to == r->from + 1) {
    const long n = r->from;
    r->from = r->to;
    return (HgAction){HG_ACTION_REVERSE, n, n + 1, HG_SAVING_NONE, -1};
  }
  const long i = choose(s), from = r->from;
  const HgAction action = {HG_ACTION_ADVANCE, from, from + i,
                           r->kept ? HG_SAVING_NONE : HG_SAVING_START,
                           r->kept ? -1 : slot_of(s, r)};
  s->range[s->ranges++] = (Range){r->tier, r->m, true, from, from + i};
  *r = (Range){r->tier, r->m - 1, false, from + i, r->to};
  return action;
}
