/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: several inversions in one run, such as coarse and then fine, keep their evaluations apart,
   each goes on from its own with the same bits, named or not, with groups of ranks that do alike or
   each something of its own. */
#include "caught.h"
#include "claim.h"
#include "many_heats.h"
#include "refusal.h"
#include <halograd/error_library.h>
#include <halograd/run_library.h>

enum { COUNT = 12, STAGES = 3, ITERATIONS = 4 };

typedef struct {
  int groups;
  bool named, apart;
} Way;

/* Three inversions, one from where the other ends, of so many iterations. *text: what rank 0
   says. */
static PetscErrorCode three(const Way *w, const int iterations[STAGES], char text[], size_t size,
                            char digest[17]) {
  static const char *const names[] = {"coarse", "middle", "fine"};
  FILE *const usual = caught_begin();
  HgCommon common = {.nx = MANY_NX, .ny = MANY_NY, .slots = 1, .output = "out"};
  HgInverse inverse = {.tolerance = 1e-9, .iterations = 1};
  HgRun run;
  HgExperiments x;
  ManyHeats h;
  HgState m;
  PetscCall(HgRunCreate("stages", "three inversions", &run));
  PetscCall(HgRunInverse(run, &inverse));
  PetscCall(HgRunCommon(run, &common));
  PetscCall(HgRunExperiments(run, COUNT, w->groups, &x));
  PetscCall(many_create(PETSC_COMM_WORLD, COUNT, w->groups, 0, 0, &h));
  PetscCall(HgOperatorCreateInput(h.J, &m));
  for (int k = 0; k < STAGES; k++) {
    const int own = w->apart ? HgExperimentsGroup(x)->number : 0;
    HgInversion inversion;
    HgIterate last;
    const char *reason;
    PetscCall(HgInversionCreate(k || w->apart ? h.part[k + STAGES * own] : h.J, &inversion));
    PetscCall(HgInversionSetRules(
        inversion, &(HgInversionRules){.iterations = iterations[k], .evaluations = 40}));
    if (w->named || w->apart) PetscCall(HgRunStage(run, names[k], w->apart));
    PetscCall(HgRunInvert(run, inversion, NULL, m, &last, &reason));
    PetscCall(HgInversionDestroy(&inversion));
  }
  PetscCall(HgStateDigest(m, NULL, digest));
  PetscCall(HgStateDestroy(&m));
  PetscCall(many_destroy(&h));
  PetscCall(HgRunDestroy(&run));
  caught_end(usual, text, size);
  return 0;
}

/* The number of evaluations found in `directory`, says `text`; -1: it says nothing of that. */
static int found_in(const char text[], const char directory[]) {
  char sentence[128];
  for (int k = 0; k < 100; k++) {
    snprintf(sentence, sizeof sentence, "resume: %d evaluations found in out/evaluations%s\n", k,
             directory);
    if (strstr(text, sentence)) return k;
  }
  return -1;
}

static PetscErrorCode goes_on(const Way *w) {
  static const char *const places[][STAGES] = {
      {"", "/stage-2", "/stage-3"},
      {"/stage-coarse", "/stage-middle", "/stage-fine"},
      {"/stage-coarse/group-0", "/stage-middle/group-0", "/stage-fine/group-0"}};
  const char *const *const place = places[w->apart && w->groups > 1 ? 2 : w->named || w->apart];
  const int whole[] = {ITERATIONS, ITERATIONS, ITERATIONS};
  static char text[16384];
  char expected[17], digest[17];
  PetscCall(claim_clear("out"));
  PetscCall(PetscOptionsClearValue(NULL, "-resume"));
  PetscCall(three(w, whole, text, sizeof text, expected));
  PetscCall(PetscOptionsSetValue(NULL, "-resume", "yes"));
  PetscCall(three(w, (int[]){ITERATIONS, ITERATIONS, 1}, text, sizeof text, digest));
  for (int k = 0; k < STAGES && !claim.rank; k++)
    claim_that(found_in(text, place[k]) == 0, "%d groups, at first: %s: %s", w->groups, place[k],
               text);
  PetscCall(three(w, whole, text, sizeof text, digest));
  claim_that(!strcmp(digest, expected), "%d groups: m %s, expected %s", w->groups, digest,
             expected);
  for (int k = 0; k < STAGES && !claim.rank; k++) {
    const int found = found_in(text, place[k]);
    claim_that(k < 2 ? found > ITERATIONS : found >= 2,
               "%d groups, stage %d: %d evaluations are found in '%s': %s", w->groups, k, found,
               place[k], text);
  }
  return 0;
}

static PetscErrorCode check_refusals(void) {
  HgRun run;
  PetscCall(HgRunCreate("stages", "", &run));
  REFUSED(HgRunStage(run, "", false), "stage ''", "1 to 47 letters");
  REFUSED(HgRunStage(run, "../fine", false), "stage '../fine'", "letters, digits");
  REFUSED(HgRunStage(run, "a name that is long, with blanks", false), "expected a name");
  PetscCall(HgRunStage(run, "coarse", false));
  REFUSED(HgRunStage(run, "coarse", false), "stage 'coarse': this run has one of that name");
  REFUSED(HgRunStage(run, "fine", false), "stage 'coarse' has no inversion yet");
  return HgRunDestroy(&run);
}

static PetscErrorCode test(void) {
  const int size = claim.ranks;
  HgErrorSetPatience(100); /* all come, on a machine as slow as it may be */
  for (int groups = PetscMin(size, 2); groups <= PetscMin(size, 4); groups++) {
    if (size % groups || COUNT % groups) continue;
    PetscCall(goes_on(&(Way){.groups = groups, .named = groups != 2}));
    PetscCall(goes_on(&(Way){.groups = groups, .named = groups == 2}));
    PetscCall(goes_on(&(Way){.groups = groups, .apart = true}));
  }
  return check_refusals();
}

CLAIM("inversions of one run keep their evaluations apart and go on", 0, test)
