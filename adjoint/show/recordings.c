/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/recording_library.h>
#include <halograd/recordings.h>
#include <halograd/show_library.h>
#include <string.h>

typedef enum { LIST, VERIFY, COMPARE, EXPORT, PLOT, VERBS } Verb;

static const struct {
  const char *name;
  int words; /* after it */
  const char *expected;
} verbs[VERBS] = {{"list", 1, "halograd list DIR"},
                  {"verify", 1, "halograd verify DIR"},
                  {"compare", 2, "halograd compare DIR DIR"},
                  {"export", 2, "halograd export DIR WHAT, such as q@120,lambda@film"},
                  {"plot", 1, "halograd plot DIR"}};

static PetscErrorCode look(MPI_Comm comm, Verb verb, char *const word[], const char output[]) {
  if (verb <= VERIFY) return HgRecordingsList(comm, word[0], verb == VERIFY);
  if (verb == COMPARE) return HgRecordingsCompare(comm, word[0], word[1]);
  PetscCall(HgShowRecording(comm, word[0], verb == PLOT ? "norms" : word[1], output));
  return PetscPrintf(comm, "halograd: what it wrote is in %s\n", output);
}

PetscErrorCode HgRecordingsLook(MPI_Comm comm, int count, char *const words[],
                                const char output[]) {
  for (Verb k = LIST; k < VERBS && count; k++) {
    if (strcmp(words[0], verbs[k].name)) continue;
    HgRequire(comm, count == 1 + verbs[k].words, HG_ERR_OPTION_RANGE,
              "%s: %d words follow, expected %s", words[0], count - 1, verbs[k].expected);
    return look(comm, k, words + 1, output);
  }
  return HgError(comm, HG_ERR_OPTION_RANGE,
                 "%s%s%s, expected list, verify, compare, export, plot or new; -help says more",
                 count ? "'" : "no word", count ? words[0] : "", count ? "'" : "");
}
