/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: HgRunDigest() leaves out the states that it is not given, in what it prints and in
   run.json. */
#include "caught.h"
#include "claim.h"
#include <halograd/report_library.h>
#include <halograd/run.h>
#include <stdlib.h>

/* What rank 0 prints to stdout, the first time with both states, then with one, then with none. */
static PetscErrorCode print_all(HgState x) {
  HgRun run;
  PetscCall(HgRunCreate("run_digest", "a test", &run));
  PetscCall(HgRunDigest(run, 1.5, x, x, true));
  PetscCall(HgRunDigest(run, 1.5, NULL, x, true));
  PetscCall(HgRunDigest(run, 1.5, x, NULL, true));
  PetscCall(HgRunDigest(run, 1.5, NULL, NULL, true));
  PetscCall(HgRunDestroy(&run));
  PetscCall(HgRunCreate("run_digest", "a test", &run));
  PetscCall(HgRunDigest(run, 1.5, NULL, x, false));
  PetscCall(HgReportWrite(HgRunReport(run), ".", "completed"));
  return HgRunDestroy(&run);
}

static PetscErrorCode expect(const char text[], const char digest[]) {
  char expected[512];
  snprintf(expected, sizeof expected,
           "J 0x1.8p+0 gradient %s state %s\nJ 0x1.8p+0 state %s\nJ 0x1.8p+0 gradient %s\n"
           "J 0x1.8p+0\n",
           digest, digest, digest, digest);
  if (!claim.rank)
    claim_that(!strcmp(text, expected), "it printed '%s', expected '%s'", text, expected);
  return 0;
}

static PetscErrorCode reported(const char digest[]) {
  char text[4096] = "", state[64];
  if (claim.rank) return 0;
  FILE *file = fopen("run.json", "r");
  claim_that(file && fread(text, 1, sizeof text - 1, file) > 0, "run.json is there");
  if (file) fclose(file);
  snprintf(state, sizeof state, "\"state\": \"%s\"", digest);
  claim_that(strstr(text, state) != NULL, "run.json holds %s", state);
  claim_that(!strstr(text, "\"gradient\""), "run.json holds no digest of a gradient");
  return 0;
}

static PetscErrorCode test(void) {
  const HgMeshSpec spec = {.nx = 12, .ny = 9, .dx = 1, .dy = 1, .ghost = 1};
  char text[1024] = "", digest[17];
  HgMesh mesh;
  HgState x;
  PetscCall(HgMeshCreate(PETSC_COMM_WORLD, &spec, &mesh));
  PetscCall(HgStateCreate(mesh, 1, (HgVariable[]){{"u", "K", HG_FIELD, 0}}, &x));
  PetscCall(HgStateRandom(x, 1));
  PetscCall(HgStateDigest(x, NULL, digest));
  FILE *const usual = caught_begin();
  PetscCall(print_all(x));
  caught_end(usual, text, sizeof text);
  PetscCall(expect(text, digest));
  PetscCall(reported(digest));
  return DESTROY(&x, &mesh);
}

CLAIM("a digest leaves out the states that it is not given", 1, test)
