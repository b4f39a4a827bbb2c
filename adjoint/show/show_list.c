/* SPDX-License-Identifier: BSD-2-Clause */
/* What -show says: q@120,lambda@film,norms. */
#include "show_private.h"
#include <ctype.h>
#include <halograd/trajectory_library.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024 };

HgMode HgShowSweep(HgShowKind kind) { return kind == HG_SHOW_Q ? HG_PRIMAL : HG_COTANGENT; }

long HgShowFrame(long n, long steps) {
  const long every = PetscMax(1L, (steps + HG_SHOW_FRAMES - 1) / HG_SHOW_FRAMES);
  return n > steps ? HG_NO_STEP : PetscMin(HgStepMultiple(every, n), steps);
}

/* "120" or "film". */
static bool read_step(const char text[], long *step) {
  char *end;
  *step = HG_SHOW_FILM;
  if (!strcmp(text, "film")) return true;
  *step = strtol(text, &end, 10);
  return isdigit((unsigned char)*text) && !*end && strlen(text) < 18;
}

static PetscErrorCode add_item(MPI_Comm comm, const char word[], HgShowList *list) {
  HgShowItem item = {.kind = HG_SHOW_KINDS};
  const char *const at = strchr(word, '@');
  const size_t length = at ? (size_t)(at - word) : strlen(word);
  for (int k = 0; k < HG_SHOW_KINDS; k++)
    if (strlen(hg_show_kinds[k]) == length && !strncmp(word, hg_show_kinds[k], length))
      item.kind = (HgShowKind)k;
  HgRequire(comm, item.kind < HG_SHOW_KINDS, HG_ERR_RECORDING_LACKS,
            "show: '%s' is nothing that can be shown, expected q@N, lambda@N, gradient@N with a "
            "step N or 'film', or norms",
            word);
  HgRequire(comm, at && read_step(at + 1, &item.step), HG_ERR_RECORDING_LACKS,
            "show: '%s' names no step, expected %s@N with the number of a step, or %s@film", word,
            hg_show_kinds[item.kind], hg_show_kinds[item.kind]);
  for (int k = 0; k < list->count; k++)
    HgRequire(comm, list->item[k].kind != item.kind || list->item[k].step != item.step,
              HG_ERR_RECORDING_LACKS, "show: '%s' is listed twice", word);
  HgRequire(comm, list->count < HG_SHOWN, HG_ERR_RECORDING_LACKS,
            "show: more than %d things are listed at '%s'", HG_SHOWN, word);
  list->item[list->count++] = item;
  return 0;
}

PetscErrorCode HgShowParse(MPI_Comm comm, const char what[], HgShowList *list) {
  char text[TEXT];
  *list = (HgShowList){.count = 0};
  HgRequire(comm, *what && strlen(what) < sizeof text, HG_ERR_RECORDING_LACKS,
            "show: expected a list of 1 to %d bytes, got %zu", TEXT - 1, strlen(what));
  snprintf(text, sizeof text, "%s", what);
  for (char *word = text, *next; word; word = next) {
    next = strchr(word, ',');
    if (next) *next++ = 0;
    if (!strcmp(word, "norms")) list->norms = true;
    else PetscCall(add_item(comm, word, list));
  }
  return 0;
}

PetscErrorCode HgShowCheck(MPI_Comm comm, const char what[], HgShowWants *wants) {
  HgShowList list;
  PetscCall(HgShowParse(comm, what, &list));
  *wants = (HgShowWants){.norms = list.norms, .fields = list.count > 0};
  for (int k = 0; k < list.count; k++) {
    wants->reverse = wants->reverse || HgShowSweep(list.item[k].kind) == HG_COTANGENT;
    wants->last = PetscMax(wants->last, list.item[k].step);
  }
  return 0;
}
