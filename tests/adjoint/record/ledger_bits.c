/* SPDX-License-Identifier: BSD-2-Clause */
/* Claim: a ledger is the same to the letter on every decomposition, schedule, number of threads and
   steps at once, and recording changes no bit of J and gradient. */
#include "heat_case.h"
#include "recorded.h"
#include "same_bits.h"
#include <xxhash.h>

static HeatSpec spec;
static HgRecorderSpec record;

/* Digest of the ledger, and the fingerprints with and without recording, which must be one. */
static PetscErrorCode run(MPI_Comm comm, Layout layout, long seed, char text[LAYOUT_TEXT]) {
  HeatCase c;
  char plain[256], recorded[256], *ledger;
  spec.px = layout.px, spec.py = layout.py;
  PetscCall(heat_create(comm, &spec, &c));
  if (seed % 2) PetscCall(HgProgramSetActive(c.program, "f", false));
  PetscCall(fingerprint(c.op, c.x, c.trajectory, plain));
  PetscCall(record_gradient(c.trajectory, c.op, c.x, &record, "recording", recorded));
  claim_that(!strcmp(plain, recorded), "seed %ld: recorded '%s', expected '%s'", seed, recorded,
             plain);
  PetscCall(recorded_text(comm, "recording", "steps.csv", &ledger));
  claim_that(strstr(ledger, "\n# whole: J") != NULL, "seed %ld: the ledger is whole", seed);
  snprintf(text, LAYOUT_TEXT, "ledger %016llx %.150s",
           (unsigned long long)XXH3_64bits(ledger, strlen(ledger)), plain);
  PetscCall(PetscFree(ledger));
  return heat_destroy(&c);
}

static char reference[LAYOUT_TEXT];

static PetscErrorCode run_like_reference(MPI_Comm comm, Layout layout, long seed,
                                         char text[LAYOUT_TEXT]) {
  PetscCall(run(comm, layout, seed, text));
  if (!claim.rank)
    claim_that(!strcmp(text, reference), "seed %ld: '%s', expected '%s'", seed, text, reference);
  return 0;
}

/* One rank, store-all, a step at a time. */
static PetscErrorCode make_reference(long seed) {
  MPI_Comm self;
  PetscCallMPI(MPI_Comm_split(PETSC_COMM_WORLD, claim.rank ? MPI_UNDEFINED : 0, 0, &self));
  if (claim.rank) return 0;
  PetscCall(set_option("-hg_time_block", 1));
  spec.slots = (int)spec.steps;
  PetscCall(run(self, (Layout){1, 1}, seed, reference));
  PetscCall(PetscOptionsClearValue(NULL, "-hg_time_block"));
  PetscCallMPI(MPI_Comm_free(&self));
  return 0;
}

static PetscErrorCode test(void) {
  static const int slots[] = {1, 4, 37};
  static const HgRecorderSpec ways[] = {
      {.every = 5}, {.steps = 4, .step = {0, 7, 8, 30}}, {.every = 40}, {.every = 1}};
  for (int walls = 0; walls < WALLS; walls++) {
    record = ways[walls % 4];
    spec = (HeatSpec){.nx = 66, .ny = 65, .steps = 37, .walls = (Walls)walls, .ghost = 4};
    spec.conservative = walls % 2, spec.snapshot = true;
    PetscCall(make_reference(walls));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    spec.slots = slots[walls % 3];
    PetscCall(set_option("-hg_threads", 1 + walls % 2));
    PetscCall(expect_same_on_layouts("a ledger", run_like_reference, walls));
  }
  return 0;
}

CLAIM("a ledger is the same however the run was cut, and recording changes no bit", 0, test)
