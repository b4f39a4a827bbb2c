/* SPDX-License-Identifier: BSD-2-Clause */
/* halograd: looks at what -record and -resume have kept, without the program that wrote it; and
   begins an application of your own.

   Sample runs:
     halograd list rec
     halograd verify output/heat_inverse/evaluations
     halograd compare here there
     halograd export rec/first q@120,lambda@120,lambda@film -output fields
     halograd plot rec
     halograd new flame */
#include "skeleton.h"
#include <halograd/options.h>
#include <halograd/recordings.h>
#include <string.h>

enum { MOST = 8 };

static struct {
  int count;
  char *word[MOST];
} words;

static PetscErrorCode look(void) {
  char output[1024] = "output/halograd";
  HgOptions options;
  PetscCall(HgOptionsCreate(
      PETSC_COMM_WORLD, "halograd",
      "looks at what runs kept: list DIR, verify DIR, compare A B, export DIR WHAT, plot DIR; "
      "begins an application: new NAME",
      &options));
  PetscCall(HgOptionsString(options, "-output", "folder for what export and plot write",
                            sizeof output, output));
  PetscCall(HgOptionsEnd(options));
  PetscCall(HgOptionsCheckUnused(options));
  if (words.count && !strcmp(words.word[0], "new")) {
    HgRequire(PETSC_COMM_WORLD, words.count == 2, HG_ERR_OPTION_RANGE,
              "new: %d words follow, expected halograd new NAME", words.count - 1);
    return SkeletonWrite(PETSC_COMM_WORLD, words.word[1]);
  }
  return HgRecordingsLook(PETSC_COMM_WORLD, words.count, words.word, output);
}

/* The words before the first option are taken out: all others belong to an option. */
int main(int argc, char **argv) {
  while (argc > 1 && argv[1][0] != '-' && words.count < MOST) {
    words.word[words.count++] = argv[1];
    argv[1] = argv[0], argv++, argc--;
  }
  return HgMain(argc, argv,
                "halograd list DIR | verify DIR | compare DIR DIR | export DIR q@120,lambda@film | "
                "plot DIR: looks at what runs kept; halograd new NAME: begins an application\n",
                look);
}
