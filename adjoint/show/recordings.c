/* SPDX-License-Identifier: BSD-2-Clause */
#include <halograd/recording_library.h>
#include <halograd/recordings.h>
#include <halograd/show_library.h>
#include <string.h>

static PetscErrorCode list(MPI_Comm comm, char *const word[], const char output[]) {
  (void)output;
  return HgRecordingsList(comm, word[0], false);
}

static PetscErrorCode verify(MPI_Comm comm, char *const word[], const char output[]) {
  (void)output;
  return HgRecordingsList(comm, word[0], true);
}

static PetscErrorCode compare(MPI_Comm comm, char *const word[], const char output[]) {
  (void)output;
  return HgRecordingsCompare(comm, word[0], word[1]);
}

static PetscErrorCode show(MPI_Comm comm, const char directory[], const char what[],
                           const char output[]) {
  PetscCall(HgShowRecording(comm, directory, what, output));
  return PetscPrintf(comm, "halograd: what it wrote is in %s\n", output);
}

static PetscErrorCode export(MPI_Comm comm, char *const word[], const char output[]) {
  return show(comm, word[0], word[1], output);
}

static PetscErrorCode plot(MPI_Comm comm, char *const word[], const char output[]) {
  return show(comm, word[0], "norms", output);
}

static const struct {
  const char *name;
  int words; /* after it */
  const char *expected;
  PetscErrorCode (*look)(MPI_Comm comm, char *const word[], const char output[]);
} verbs[] = {{"list", 1, "halograd list DIR", list},
             {"verify", 1, "halograd verify DIR", verify},
             {"compare", 2, "halograd compare DIR DIR", compare},
             {"export", 2, "halograd export DIR WHAT, such as q@120,lambda@film", export},
             {"plot", 1, "halograd plot DIR", plot}};

PetscErrorCode HgRecordingsLook(MPI_Comm comm, int count, char *const words[],
                                const char output[]) {
  for (size_t k = 0; k < sizeof verbs / sizeof *verbs && count; k++) {
    if (strcmp(words[0], verbs[k].name)) continue;
    HgRequire(comm, count == 1 + verbs[k].words, HG_ERR_OPTION_RANGE,
              "%s: %d words follow, expected %s", words[0], count - 1, verbs[k].expected);
    return verbs[k].look(comm, words + 1, output);
  }
  return HgError(comm, HG_ERR_OPTION_RANGE,
                 "%s%s%s, expected list, verify, compare, export, plot or new; -help says more",
                 count ? "'" : "no word", count ? words[0] : "", count ? "'" : "");
}
